/*
 * The contract of a filter design (harness/check/contract.h), asked of every registered design and
 * those of tests/designs, on every kernel of this machine. A new design is covered by being
 * registered.
 */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "filters/core/key_digest.h"
#include "harness/check/contract.h"

struct question {
    char name[80]; /* "leveldb: hostile blocks" */
    const struct fb_design *design;
    const struct fb_contract_part *part;
};

static void holds(void **state)
{
    const struct question *q = *state;
    struct fb_contract_answer answer;
    fb_contract_ask(q->part, q->design, &answer);
    if (!answer.holds)
        fail_msg("%s: %s", q->name, answer.why);
}

static void is_found_by_its_name(void **state)
{
    (void)state;
    for (size_t d = 0; d < fb_n_designs(); d++)
        assert_ptr_equal(fb_design_find(fb_design_at(d)->name), fb_design_at(d));
}

static void digests_are_keys(void **state)
{
    (void)state;
    uint64_t digest[3], again[3];
    for (size_t len = 0; len <= 16; len++) {
        size_t back;
        memset(digest, 0xFF, sizeof digest); /* nothing of what was there stays */
        fb_key_digest("0123456789abcdef", len, 3, digest);
        for (size_t i = len; i < 16; i++)
            assert_int_equal(((const uint8_t *)(digest + 1))[i], 0);
        const uint8_t *key = fb_key_of_digest(digest, 3, &back);
        assert_int_equal(back, len);
        assert_memory_equal(key, "0123456789abcdef", len);
    }
    fb_key_digest("0123456789abcdefgh", 18, 3, again);
    assert_memory_equal(again, digest, sizeof digest);
    for (uint64_t word = 0; word < 100; word++) {
        size_t len;
        fb_key_of_digest((uint64_t[]){word, 0, 0}, 3, &len);
        assert_int_equal(len, word % 17);
    }
}

int main(void)
{
    size_t n_parts = 0;
    while (fb_contract_part_at(n_parts))
        n_parts++;
    int failed = 0;
    auto_free struct question *questions = calloc(n_parts, sizeof *questions);
    auto_free struct CMUnitTest *tests = calloc(n_parts, sizeof *tests);
    const struct CMUnitTest all[] = {cmocka_unit_test(is_found_by_its_name),
                                     cmocka_unit_test(digests_are_keys)};
    for (size_t d = 0; d < fb_n_designs() && questions && tests; d++) {
        for (size_t p = 0; p < n_parts; p++) {
            struct question *q = &questions[p];
            *q = (struct question){"", fb_design_at(d), fb_contract_part_at(p)};
            snprintf(q->name, sizeof q->name, "%s: %s", q->design->name, q->part->name);
            tests[p] = (struct CMUnitTest){.name = q->name, .test_func = holds, .initial_state = q};
        }
        failed += _cmocka_run_group_tests(fb_design_at(d)->name, tests, n_parts, NULL, NULL);
    }
    failed += cmocka_run_group_tests_name("all", all, NULL, NULL);
    return failed ? 1 : 0;
}

/* The fields of all kinds of experiments: each is told, and accepts its own example. */
#include "tests/unit.h"

#include <string.h>

#include "harness/document/kind.h"

static json_t *value_of(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (!value)
        fail_msg("not JSON: %s", text);
    return value;
}

static void test_meanings(void **state)
{
    (void)state;
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        for (const struct fb_field *f = (*kind)->fields; f->name; f++)
            if (!f->meaning || strlen(f->meaning) < 10)
                fail_msg("%s.%s has no meaning", (*kind)->name, f->name);
}

static void test_examples(void **state)
{
    (void)state;
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        for (const struct fb_field *f = (*kind)->fields; f->name; f++) {
            struct fb_problem problem;
            json_t *given =
                json_pack("{s:o}", f->name, value_of(f->example ? f->example : f->fallback));
            json_t *resolved = fb_fields_resolve((*kind)->fields, given, &problem);
            if (!resolved)
                fail_msg("%s: %s", (*kind)->name, problem.text);
            json_decref(resolved);
            json_decref(given);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_meanings),
                                       cmocka_unit_test(test_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

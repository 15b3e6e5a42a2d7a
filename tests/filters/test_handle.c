/* Filters behind a pointer: every design by the same calls gives the filter of fb_filter_build. */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "filters/core/handle.h"
#include "filters/core/version.h"

enum { KEYS = 500, KEY_BYTES = 8 };

static void add_keys(struct fb_filter *f)
{
    char key[KEY_BYTES + 1];
    for (unsigned i = 0; i < KEYS; i++) {
        snprintf(key, sizeof key, "key%05u", i);
        assert_int_equal(fb_filter_add(f, key, KEY_BYTES), FB_OK);
    }
}

/* The block of a build from the same keys; its length in *size. */
static uint8_t *built_block(const struct fb_design *design, double bits, size_t *size)
{
    static char bytes[KEYS * KEY_BYTES + 1];
    uint64_t offset[KEYS + 1];
    const struct fb_params params = {.bits_per_key = bits};
    closed_by(fb_filter_close) struct fb_filter f;
    const char *why;
    for (unsigned i = 0; i <= KEYS; i++) {
        offset[i] = (uint64_t)KEY_BYTES * i;
        if (i < KEYS)
            snprintf(bytes + offset[i], KEY_BYTES + 1, "key%05u", i);
    }
    const struct fb_keys keys = {(const uint8_t *)bytes, offset, NULL, KEYS};
    assert_int_equal(fb_filter_build(design, NULL, &params, &keys, &f, &why), FB_OK);
    *size = design->formats ? design->formats->size(&f) : 0;
    uint8_t *block = malloc(*size + 1);
    assert_non_null(block);
    if (*size)
        assert_int_equal(fb_filter_write(&f, design->formats, block, &why), FB_OK);
    return block;
}

static void check_design(const struct fb_design *design, uint64_t n_keys)
{
    const double bits = fb_design_sized(design) ? 20 : 0;
    struct fb_filter *f = fb_filter_new(design->name, bits, n_keys);
    if (!f && !n_keys)
        return; /* its digest follows from the number of keys */
    assert_non_null(f);
    assert_int_equal(fb_filter_save(f, NULL, 0), 0);
    assert_true(fb_filter_maybe(f, "absent00", KEY_BYTES));
    add_keys(f);
    assert_int_equal(fb_filter_finish(f), FB_OK);
    assert_int_equal(fb_filter_finish(f), FB_OK);
    size_t expected;
    uint8_t *block = built_block(design, bits, &expected);
    const size_t size = fb_filter_save(f, NULL, 0);
    assert_int_equal(size, expected);
    uint8_t *saved = malloc(size + 1);
    assert_non_null(saved);
    assert_int_equal(fb_filter_save(f, saved, size), size);
    assert_string_equal(fb_filter_why(), "");
    assert_memory_equal(saved, block, size);
    if (design->formats && design->formats->read) {
        struct fb_filter *again = fb_filter_load(design->name, saved, size);
        assert_non_null(again);
        for (unsigned i = 0; i < 1000; i++) {
            char key[KEY_BYTES + 1];
            snprintf(key, sizeof key, "key%05u", i);
            assert_int_equal(fb_filter_maybe(again, key, KEY_BYTES),
                             fb_filter_maybe(f, key, KEY_BYTES));
        }
        fb_filter_free(again);
    }
    free(saved);
    free(block);
    fb_filter_free(f);
}

TEST(every_design_by_the_same_calls)
{
    for (size_t i = 0; i < fb_n_designs(); i++)
        if (!(fb_design_at(i)->traits & FB_TAKES_KEYS)) {
            check_design(fb_design_at(i), KEYS);
            check_design(fb_design_at(i), 0);
        }
}

TEST(what_cannot_be_says_why)
{
    assert_null(fb_filter_new("no-such", 10, 100));
    assert_string_equal(fb_filter_why(),
                        "no design of that name: `filterbench list designs` names them");
    assert_null(fb_filter_new(NULL, 10, 10));
    assert_null(fb_filter_load(NULL, "x", 1));
    assert_null(fb_filter_new("sbbf-256", -1, 100));
    assert_true(*fb_filter_why());
    assert_null(fb_filter_load("xor-8", "short", 5));
    assert_string_equal(fb_filter_why(), "shorter than its header of 12 bytes");
    assert_null(fb_filter_load("no-such", NULL, 0));
    fb_filter_free(NULL);
    struct fb_filter *f = fb_filter_new("cuckoo-12", 13, 100);
    assert_non_null(f);
    fb_filter_free(f); /* not finished */
    assert_string_equal(fb_version(), FB_VERSION);
}

TEST(a_full_filter_says_so)
{
    struct fb_filter *f = fb_filter_new("cuckoo-12", 13, 100);
    assert_non_null(f);
    unsigned in = 0;
    while (in < 200 && !fb_filter_add(f, "same", 4))
        in++;
    assert_in_range(in, 1, 9); /* a fingerprint has two buckets of four slots */
    assert_int_equal(fb_filter_finish(f), FB_OK);
    assert_true(fb_filter_maybe(f, "same", 4));
    fb_filter_free(f);
}

TESTS(NULL, NULL)

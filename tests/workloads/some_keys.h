/* Sets of keys from given ones, and what is in them. */
#ifndef FILTERBENCH_TESTS_WORKLOADS_SOME_KEYS_H
#define FILTERBENCH_TESTS_WORKLOADS_SOME_KEYS_H

#include "tests/unit.h"

#include <string.h>

#include "workloads/core/keys.h"

static inline void assert_key(const struct fb_keys *keys, size_t i, const void *bytes, size_t len)
{
    assert_int_equal(fb_key_len(keys, i), len);
    if (len)
        assert_memory_equal(fb_key_at(keys, i), bytes, len);
}

/* Given keys of up to 64 bytes; release with fb_keyset_close(). */
static inline struct fb_keyset some_keys(const char *const *given, const size_t *len, size_t n)
{
    struct fb_keyset set;
    assert_int_equal(fb_keyset_alloc(n, 64 * n, false, &set), FB_OK);
    for (size_t i = 0; i < n; i++)
        fb_keyset_push(&set, given[i], len[i], FB_KEY_BYTES);
    return set;
}

/* The same two bytes n times, of the given types; release with fb_keyset_close(). */
static inline struct fb_keyset seventeens(const enum fb_key_type *types, size_t n)
{
    struct fb_keyset set;
    assert_int_equal(fb_keyset_alloc(n, 2 * n, true, &set), FB_OK);
    for (size_t i = 0; i < n; i++)
        fb_keyset_push(&set, "17", 2, types[i]);
    return set;
}

#endif

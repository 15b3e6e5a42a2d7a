/* Sorting keys by their bytes. */
#include "tests/workloads/some_keys.h"

#include "workloads/core/rng.h"

static void check(const char *const *given, const size_t *len, size_t n, const char *const *kept,
                  const size_t *kept_len, size_t n_kept)
{
    struct fb_keyset set = some_keys(given, len, n), sorted;
    size_t dropped;
    assert_int_equal(fb_keyset_sorted(&set.keys, &sorted, &dropped), FB_OK);
    assert_int_equal(sorted.keys.n, n_kept);
    assert_int_equal(dropped, n - n_kept);
    for (size_t i = 0; i < n_kept; i++)
        assert_key(&sorted.keys, i, kept[i], kept_len[i]);
    fb_keyset_close(&set);
    fb_keyset_close(&sorted);
}

TEST(shorter_before_longer)
{
    static const char *const given[] = {"b", "a\0", "a", "", "a\0b", "a", "\xff", "ab"};
    static const size_t len[] = {1, 2, 1, 0, 3, 1, 1, 2};
    static const char *const kept[] = {"", "a", "a\0", "a\0b", "ab", "b", "\xff"};
    static const size_t kept_len[] = {0, 1, 2, 3, 2, 1, 1};
    check(given, len, 8, kept, kept_len, 7);
}

TEST(behind_a_long_common_prefix)
{
    static const char *const given[] = {"/usr/share/doc/12345678b", "/usr/share/doc/12345678a",
                                        "/usr/share/doc/12345678", "/usr/share/doc/12345678a"};
    static const size_t len[] = {24, 24, 23, 24};
    static const char *const kept[] = {"/usr/share/doc/12345678", "/usr/share/doc/12345678a",
                                       "/usr/share/doc/12345678b"};
    static const size_t kept_len[] = {23, 24, 24};
    check(given, len, 4, kept, kept_len, 3);
    /* Equal in the eight bytes behind it, too. */
    static const char *const late[] = {"/usr/12345678b", "/usr/12345678a", "/usr/2"};
    static const char *const sorted[] = {"/usr/12345678a", "/usr/12345678b", "/usr/2"};
    static const size_t late_len[] = {14, 14, 6};
    check(late, late_len, 3, sorted, late_len, 3);
}

TEST(none_and_one)
{
    static const char *const one[] = {"x"};
    static const size_t len[] = {1};
    check(one, len, 0, one, len, 0);
    check(one, len, 1, one, len, 1);
}

TEST(types_decide_between_equal_bytes)
{
    static const enum fb_key_type types[] = {FB_KEY_INT, FB_KEY_BYTES, FB_KEY_INT, FB_KEY_INT};
    struct fb_keyset set = seventeens(types, 4), sorted;
    size_t dropped;
    assert_int_equal(fb_keyset_sorted(&set.keys, &sorted, &dropped), FB_OK);
    assert_int_equal(dropped, 2);
    assert_int_equal(sorted.keys.type[0], FB_KEY_BYTES);
    assert_int_equal(sorted.keys.type[1], FB_KEY_INT);
    fb_keyset_close(&set);
    fb_keyset_close(&sorted);
}

/* Few different bytes and many lengths, so that heads tie and repeats abound. */
TEST(order_of_many)
{
    enum { N = 5000 };
    struct fb_keyset set, sorted, distinct;
    size_t dropped, repeats;
    assert_int_equal(fb_keyset_alloc(N, 16 * N, false, &set), FB_OK);
    for (size_t i = 0; i < N; i++) {
        uint64_t word = fb_stream_word(3, i);
        uint64_t bytes[2] = {word & 0x0101000000000000, word & 0x0000010001010100};
        fb_keyset_push(&set, bytes, word >> 60, FB_KEY_BYTES);
    }
    assert_int_equal(fb_keyset_sorted(&set.keys, &sorted, &dropped), FB_OK);
    assert_int_equal(fb_keyset_distinct(&set.keys, &distinct, &repeats), FB_OK);
    assert_int_equal(dropped, repeats);
    for (size_t i = 1; i < sorted.keys.n; i++) {
        size_t a = fb_key_len(&sorted.keys, i - 1), b = fb_key_len(&sorted.keys, i);
        int order =
            memcmp(fb_key_at(&sorted.keys, i - 1), fb_key_at(&sorted.keys, i), a < b ? a : b);
        assert_true(order < 0 || (order == 0 && a < b));
    }
    fb_keyset_close(&set);
    fb_keyset_close(&sorted);
    fb_keyset_close(&distinct);
}

TESTS(NULL, NULL)

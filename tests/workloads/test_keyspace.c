/* The universe of keys of a tree: both ways between index and arrival, and who is present. */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/core/keyspace.h"

static const enum fb_order orders[] = {FB_ORDER_SHUFFLE, FB_ORDER_ARRIVAL, FB_ORDER_DENSE};
enum { N_ORDERS = sizeof orders / sizeof *orders };

static void check_bijection(const struct fb_keyspace *s)
{
    auto_free uint8_t *seen = calloc(s->size, 1);
    uint64_t n_present = 0;
    assert_non_null(seen);
    for (uint64_t a = 0; a < s->size; a++) {
        uint64_t index = fb_keyspace_index(s, a);
        assert_in_range(index, 0, s->size - 1);
        assert_int_equal(seen[index]++, 0);
        assert_int_equal(fb_keyspace_arrival(s, index), a);
        assert_int_equal(fb_keyspace_present(s, index), a < s->n_present);
        n_present += fb_keyspace_present(s, index);
    }
    assert_int_equal(n_present, s->n_present);
    assert_false(fb_keyspace_present(s, s->size));
}

TEST(every_arrival_has_its_index)
{
    for (size_t o = 0; o < N_ORDERS; o++)
        for (uint64_t n = 1; n < 300; n += n < 20 ? 1 : 37)
            for (uint64_t gap = 1; gap < 20; gap += gap < 4 ? 1 : 7) {
                struct fb_keyspace s;
                fb_keyspace_generate_sparse(fb_keygen_find("sequential"), orders[o], n, gap, 7, &s);
                assert_int_equal(s.size, (1 + gap) * n);
                check_bijection(&s);
            }
}

TEST(orders_are_as_described)
{
    struct fb_keyspace s;
    fb_keyspace_generate(fb_keygen_find("sequential"), FB_ORDER_ARRIVAL, 100, 7, &s);
    for (uint64_t a = 0; a < 100; a++)
        assert_int_equal(fb_keyspace_index(&s, a), 2 * a);
    assert_int_equal(fb_keyspace_index(&s, 100), 1);
    fb_keyspace_generate(fb_keygen_find("sequential"), FB_ORDER_DENSE, 100, 7, &s);
    for (uint64_t a = 0; a < 200; a++)
        assert_int_equal(fb_keyspace_index(&s, a), a);
    assert_string_equal(fb_orders[FB_ORDER_SHUFFLE].name, "shuffle");
    assert_string_equal(fb_orders[FB_ORDER_DENSE].name, "dense");
    assert_null(fb_orders[3].name);
}

/* Documents name a seed: what it leads to may not change. */
TEST(arrivals_are_pinned)
{
    static const uint64_t pinned[] = {4, 2, 3, 0, 6, 7, 5, 1, 8, 9};
    const uint64_t offset[11] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const struct fb_keys keys = {.bytes = (const uint8_t *)"abcdefghij", .offset = offset, .n = 10};
    struct fb_keyspace of_file, generated;
    fb_keyspace_of_file(&keys, 5, 11, &of_file);
    fb_keyspace_generate(fb_keygen_find("sequential"), FB_ORDER_SHUFFLE, 5, 11, &generated);
    for (uint64_t a = 0; a < 10; a++) {
        assert_int_equal(fb_keyspace_index(&of_file, a), pinned[a]);
        assert_int_equal(fb_keyspace_index(&generated, a), pinned[a]);
    }
}

/* At the largest size both ways still meet, and the keys behind all others can be written. */
TEST(largest_space)
{
    for (size_t o = 0; o < N_ORDERS; o++) {
        struct fb_keyspace s;
        fb_keyspace_generate(fb_keygen_find("sequential"), orders[o], UINT64_C(1) << 61, 7, &s);
        for (uint64_t i = 0; i < 1000; i++) {
            uint64_t arrival = i * (s.size / 1000);
            assert_int_equal(fb_keyspace_arrival(&s, fb_keyspace_index(&s, arrival)), arrival);
        }
        uint8_t key[8];
        assert_int_equal(fb_keyspace_write(&s, s.size + s.n_present - 1, key), 8);
        assert_memory_equal(key, "\x5f\xff\xff\xff\xff\xff\xff\xff", 8);
    }
}

TEST(other_roots_shuffle_otherwise)
{
    struct fb_keyspace a, b;
    uint64_t same = 0;
    fb_keyspace_generate(fb_keygen_find("random"), FB_ORDER_SHUFFLE, 1000, 1, &a);
    fb_keyspace_generate(fb_keygen_find("random"), FB_ORDER_SHUFFLE, 1000, 2, &b);
    for (uint64_t i = 0; i < 2000; i++)
        same += fb_keyspace_index(&a, i) == fb_keyspace_index(&b, i);
    assert_in_range(same, 0, 10);
    assert_int_not_equal(a.stream, b.stream);
}

TEST(files_hold_keys_out)
{
    static const uint8_t bytes[] = "abbcccdd";
    static const uint64_t offset[] = {0, 1, 3, 6, 8};
    const struct fb_keys file = {.bytes = bytes, .offset = offset, .n = 4};
    for (uint64_t n_present = 1; n_present < 4; n_present++) {
        struct fb_keyspace s;
        fb_keyspace_of_file(&file, n_present, 5, &s);
        assert_int_equal(s.size, 4);
        assert_int_equal(s.max_len, 3);
        check_bijection(&s);
        uint8_t key[3];
        assert_int_equal(fb_keyspace_write(&s, 2, key), 3);
        assert_memory_equal(key, "ccc", 3);
        assert_int_equal(fb_keyspace_write(&s, 0, key), 1);
        assert_memory_equal(key, "a", 1);
    }
}

/* A key stands before those that it begins. */
TEST(keys_of_files_are_found)
{
    static const uint8_t bytes[] = "aababcabdb";
    static const uint64_t offset[] = {0, 1, 3, 6, 9, 10}; /* a, ab, abc, abd, b */
    const struct fb_keys file = {.bytes = bytes, .offset = offset, .n = 5};
    struct fb_keyspace s;
    uint64_t index = 0;
    fb_keyspace_of_file(&file, 2, 5, &s);
    for (size_t i = 0; i < file.n; i++) {
        assert_true(fb_keyspace_find(&s, fb_key_at(&file, i), fb_key_len(&file, i), NULL, &index));
        assert_int_equal(index, i);
    }
    static const char *const absent[] = {"", "aa", "aba", "abcd", "abe", "bb"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_false(
            fb_keyspace_find(&s, (const uint8_t *)absent[i], strlen(absent[i]), NULL, &index));
}

TEST(keys_come_in_the_order_of_indices)
{
    static const uint8_t bytes[] = "abbcccdd";
    static const uint64_t offset[] = {0, 1, 3, 6, 8}, some[] = {2, 0, 2};
    const struct fb_keys file = {.bytes = bytes, .offset = offset, .n = 4};
    struct fb_keyspace s;
    struct fb_keyset keys;
    fb_keyspace_of_file(&file, 2, 5, &s);
    assert_int_equal(fb_keyspace_keys(&s, some, 3, &keys), FB_OK);
    assert_true(keys.keys.n == 3 && keys.keys.offset[3] == 7);
    assert_memory_equal(keys.keys.bytes, "cccaccc", 7);
    fb_keyset_close(&keys);
    assert_int_equal(fb_keyspace_keys(&s, NULL, 4, &keys), FB_OK);
    assert_memory_equal(keys.keys.bytes, bytes, 8);
    fb_keyset_close(&keys);
}

TESTS(NULL, NULL)

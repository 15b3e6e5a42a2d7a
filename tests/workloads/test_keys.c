/* Generated keys, splitting and removing repeats. */
#include "tests/workloads/some_keys.h"

#include <stdio.h>
#include <stdlib.h>

#include "workloads/core/rng.h"

static bool same_key(const struct fb_keys *a, size_t i, const struct fb_keys *b, size_t j)
{
    return fb_key_len(a, i) == fb_key_len(b, j) &&
           !memcmp(fb_key_at(a, i), fb_key_at(b, j), fb_key_len(a, i));
}

static size_t drops_of(const struct fb_keys *keys)
{
    closed_by(fb_keyset_close) struct fb_keyset distinct;
    size_t dropped;
    assert_int_equal(fb_keyset_distinct(keys, &distinct, &dropped), FB_OK);
    assert_int_equal(distinct.keys.n + dropped, keys->n);
    return dropped;
}

/* ---- Generators ---- */

TEST(random_keys_are_pinned)
{
    static const struct {
        uint64_t stream, index;
        uint8_t key[16];
    } pinned[] = {
        {0x0,
         0,
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x7A, 0xFB, 0x38, 0xC7, 0xF7, 0x08, 0x8D,
          0x3B}},
        {0x1,
         0,
         {0xFB, 0xF0, 0xFE, 0x6D, 0xD5, 0x87, 0x3A, 0x39, 0xA6, 0xE8, 0x6D, 0x30, 0xE6, 0xC7, 0xD6,
          0x60}},
        {0x5eed,
         12345678901,
         {0xC9, 0xF9, 0xF5, 0x7E, 0xC9, 0x95, 0xFF, 0x57, 0x0B, 0x2F, 0x7F, 0xBC, 0x7D, 0x6D, 0x4C,
          0x69}},
    };
    const struct fb_keygen *gen = fb_keygen_find("random");
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; i++) {
        uint8_t key[16];
        assert_int_equal(gen->write(gen, pinned[i].stream, pinned[i].index, key), 16);
        assert_memory_equal(key, pinned[i].key, 16);
    }
    assert_int_equal(fb_stream_key(0x5eed, FB_DOMAIN_KEYS, 3), UINT64_C(0xBF7917B7408C0463));
}

TEST(sequential_keys_are_big_endian)
{
    const struct fb_keygen *gen = fb_keygen_find("sequential");
    uint8_t key[8];
    assert_int_equal(gen->write(gen, 9, 0x0102030405060708, key), 8);
    assert_memory_equal(key, "\1\2\3\4\5\6\7\10", 8);
}

TEST(dec6_keys_are_what_printf_writes)
{
    const struct fb_keygen *gen = fb_keygen_find("dec6");
    uint8_t key[22];
    char expected[32];
    for (uint64_t index = 0, step = 0; step < 400; step++) {
        int len = snprintf(expected, sizeof expected, "key%06llu", (unsigned long long)index);
        assert_int_equal(gen->write(gen, step, index, key), (size_t)len);
        assert_memory_equal(key, expected, (size_t)len);
        index = step < 200 ? index * 5 / 4 + 1 : fb_stream_word(7, step) >> (1 + step % 60);
    }
    const uint64_t edges[] = {0, 9, 99999, 999999, 1000000, 9999999, INT64_MAX};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        int len = snprintf(expected, sizeof expected, "key%06llu", (unsigned long long)edges[i]);
        assert_int_equal(gen->write(gen, 0, edges[i], key), (size_t)len);
        assert_memory_equal(key, expected, (size_t)len);
    }
}

TEST(generators_are_one_to_one)
{
    for (const struct fb_keygen *gen = fb_keygens; gen->name; gen++) {
        closed_by(fb_keyset_close) struct fb_keyset set;
        struct fb_keygen parsed;
        const char *why;
        assert_ptr_equal(fb_keygen_find(gen->name), strchr(gen->name, ':') ? NULL : gen);
        assert_true(fb_keygen_parse(gen->text, &parsed, &why));
        assert_string_equal(parsed.text, gen->text);
        assert_ptr_equal(parsed.write, gen->write);
        assert_int_equal(fb_keyset_generate(gen, 5, 990000, 100000, &set), FB_OK);
        assert_int_equal(set.keys.n, 100000);
        assert_int_equal(drops_of(&set.keys), 0);
        for (size_t i = 0; i < set.keys.n; i++)
            assert_in_range(fb_key_len(&set.keys, i), 1, gen->max_len);
    }
    assert_null(fb_keygen_find("nosuch"));
}

/* The first word alone is a bijection of the index: no help from the second is needed. */
TEST(first_word_is_one_to_one)
{
    enum { N = 100000 };
    const struct fb_keygen *gen = fb_keygen_find("random");
    closed_by(fb_keyset_close) struct fb_keyset halves;
    uint8_t key[16];
    assert_int_equal(fb_keyset_alloc(N, 8 * N, false, &halves), FB_OK);
    for (uint64_t i = 0; i < N; i++) {
        gen->write(gen, 1, i, key);
        fb_keyset_push(&halves, key, 8, FB_KEY_BYTES);
    }
    assert_int_equal(drops_of(&halves.keys), 0);
}

TEST(any_slice_is_the_same_keys)
{
    for (const struct fb_keygen *gen = fb_keygens; gen->name; gen++) {
        closed_by(fb_keyset_close) struct fb_keyset whole, slice, other;
        assert_int_equal(fb_keyset_generate(gen, 77, 0, 1000, &whole), FB_OK);
        assert_int_equal(fb_keyset_generate(gen, 77, 600, 300, &slice), FB_OK);
        assert_int_equal(fb_keyset_generate(gen, 78, 600, 300, &other), FB_OK);
        for (size_t i = 0; i < 300; i++) {
            assert_true(same_key(&whole.keys, 600 + i, &slice.keys, i));
            assert_int_equal(same_key(&slice.keys, i, &other.keys, i), !gen->uses_stream);
        }
    }
}

TEST(no_keys_at_all)
{
    struct fb_keyset none, copy, rest;
    size_t dropped = 9;
    assert_int_equal(fb_keyset_generate(fb_keygens, 0, 0, 0, &none), FB_OK);
    assert_int_equal(none.keys.n, 0);
    assert_int_equal(fb_keyset_distinct(&none.keys, &copy, &dropped), FB_OK);
    assert_int_equal(copy.keys.n + dropped, 0);
    fb_keyset_close(&copy);
    assert_int_equal(fb_keyset_split(&none.keys, 0, 0, 0, &copy, &rest), FB_OK);
    fb_keyset_close(&copy);
    fb_keyset_close(&rest);
    fb_keyset_close(&none);
    fb_keyset_close(&none); /* zeroed: allowed */
}

TEST(sizes_beyond_memory_are_refused)
{
    struct fb_keyset set;
    assert_int_equal(fb_keyset_generate(fb_keygens, 0, 0, SIZE_MAX / 8, &set), FB_ENOMEM);
    assert_null(set.bytes);
    assert_int_equal(fb_keyset_alloc(1, UINT64_MAX, false, &set), FB_ENOMEM);
    assert_int_equal(fb_keyset_alloc(SIZE_MAX, 1, true, &set), FB_ENOMEM);
    assert_null(set.offset);
}

/* ---- Distinct ---- */

TEST(distinct_keeps_first_occurrences)
{
    static const char *const given[] = {"b", "", "a", "b", "", "ab", "a", "b"};
    static const char *const kept[] = {"b", "", "a", "ab"};
    static const size_t len[] = {1, 0, 1, 1, 0, 2, 1, 1};
    closed_by(fb_keyset_close) struct fb_keyset set = some_keys(given, len, 8), distinct;
    size_t dropped;
    assert_int_equal(fb_keyset_distinct(&set.keys, &distinct, &dropped), FB_OK);
    assert_int_equal(dropped, 4);
    assert_int_equal(distinct.keys.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_key(&distinct.keys, i, kept[i], strlen(kept[i]));
    assert_null(distinct.keys.type);
}

TEST(types_make_keys_distinct)
{
    static const enum fb_key_type types[] = {FB_KEY_BYTES, FB_KEY_INT, FB_KEY_BYTES, FB_KEY_INT};
    closed_by(fb_keyset_close) struct fb_keyset set = seventeens(types, 4), distinct;
    size_t dropped;
    assert_int_equal(fb_keyset_distinct(&set.keys, &distinct, &dropped), FB_OK);
    assert_int_equal(dropped, 2);
    assert_int_equal(distinct.keys.type[0], FB_KEY_BYTES);
    assert_int_equal(distinct.keys.type[1], FB_KEY_INT);
}

/* Many repeats, so that chains of the table are long: against comparing all pairs. */
TEST(distinct_agrees_with_all_pairs)
{
    enum { N = 1500 };
    closed_by(fb_keyset_close) struct fb_keyset set;
    size_t repeats = 0;
    assert_int_equal(fb_keyset_alloc(N, 8 * N, false, &set), FB_OK);
    for (size_t i = 0; i < N; i++) {
        uint64_t word = fb_stream_word(3, i);
        uint64_t bits = word & 0x0101010101010101;
        fb_keyset_push(&set, &bits, word >> 61, FB_KEY_BYTES);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < i; j++)
            if (same_key(&set.keys, i, &set.keys, j)) {
                repeats++;
                break;
            }
    assert_in_range(repeats, N / 2, N - 1);
    assert_int_equal(drops_of(&set.keys), repeats);
}

/* ---- Split ---- */

TEST(split_is_pinned)
{
    static const char expected[] = "2540781";
    struct fb_keyset set, present, absent;
    assert_int_equal(fb_keyset_alloc(10, 10, false, &set), FB_OK);
    for (size_t i = 0; i < 10; i++)
        fb_keyset_push(&set, &(char){(char)('0' + i)}, 1, FB_KEY_BYTES);
    assert_int_equal(fb_keyset_split(&set.keys, 42, 4, 3, &present, &absent), FB_OK);
    assert_int_equal(present.keys.n, 4);
    assert_int_equal(absent.keys.n, 3);
    for (size_t i = 0; i < 7; i++)
        assert_key(i < 4 ? &present.keys : &absent.keys, i < 4 ? i : i - 4, expected + i, 1);
    fb_keyset_close(&present);
    fb_keyset_close(&absent);
    assert_int_equal(fb_keyset_split(&set.keys, 42, 6, 5, &present, &absent), FB_EINVAL);
    assert_int_equal(fb_keyset_split(&set.keys, 42, 11, 0, &present, &absent), FB_EINVAL);
    assert_null(present.bytes);
    fb_keyset_close(&set);
}

/* Over many streams each key is present equally often and never in both parts. */
TEST(split_is_fair)
{
    enum { N = 40, STREAMS = 4000 };
    unsigned times[N] = {0};
    struct fb_keyset set, present, absent;
    assert_int_equal(fb_keyset_generate(fb_keygen_find("sequential"), 0, 0, N, &set), FB_OK);
    for (uint64_t stream = 0; stream < STREAMS; stream++) {
        uint64_t seen = 0;
        assert_int_equal(fb_keyset_split(&set.keys, fb_stream_key(1, FB_DOMAIN_SPLIT, stream),
                                         N / 4, N / 4, &present, &absent),
                         FB_OK);
        for (size_t i = 0; i < N / 2; i++) {
            const struct fb_keys *part = i < N / 4 ? &present.keys : &absent.keys;
            uint64_t index = fb_be64(fb_key_at(part, i % (N / 4)));
            assert_in_range(index, 0, N - 1);
            assert_false(seen >> index & 1);
            seen |= UINT64_C(1) << index;
            times[index] += i < N / 4;
        }
        fb_keyset_close(&present);
        fb_keyset_close(&absent);
    }
    for (size_t i = 0; i < N; i++) /* mean 1000, sd 27.4 */
        assert_near(times[i], STREAMS / 4, 5 * 27.4);
    fb_keyset_close(&set);
}

TEST(split_carries_types)
{
    closed_by(fb_keyset_close) struct fb_keyset set, present, absent;
    assert_int_equal(fb_keyset_alloc(2, 10, true, &set), FB_OK);
    fb_keyset_push(&set, "1", 1, FB_KEY_INT);
    fb_keyset_push(&set, "12345678", 8, FB_KEY_FLOAT);
    assert_int_equal(fb_keyset_split(&set.keys, 1, 1, 1, &present, &absent), FB_OK);
    for (int part = 0; part < 2; part++) {
        const struct fb_keys *keys = part ? &absent.keys : &present.keys;
        assert_int_equal(keys->type[0], fb_key_len(keys, 0) == 1 ? FB_KEY_INT : FB_KEY_FLOAT);
    }
}

TESTS(NULL, NULL)

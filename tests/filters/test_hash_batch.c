/*
 * Batched hashes equal the single ones, over lengths, alignments, strides, numbers of keys and
 * seeds, on keys that end where the process may not read; and fb_digest_keys, which picks them for
 * runs of equal lengths.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, setenv */
#include "tests/unit.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "filters/core/filter.h"
#include "tests/golden.h"

enum { MOST_KEYS = 41, MOST_BYTES = 140 };

static const struct {
    fb_hash_batch *batch;
    uint64_t (*single)(const void *, size_t, uint64_t);
} hashes[] = {{fb_hash_batch_xxh64, fb_xxh64}, {fb_hash_batch_xxph3, fb_xxph3}};

static const uint64_t seeds[] = {0, 1, UINT64_C(0x123456789ABCDEF0), UINT64_MAX};
static const size_t numbers[] = {0, 1, 7, 8, 9, 16, 23, MOST_KEYS};

/* The end of readable memory; the page behind it is not. */
static uint8_t *edge(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 16 * page;
    uint8_t *map =
        mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + size, page, PROT_NONE), 0);
    for (size_t i = 0; i + 8 <= size; i += 8)
        fb_put_le64(map + i, fb_mix64(i + 1));
    return map + size;
}

static void check(const uint8_t *keys, size_t stride, size_t len, size_t n, uint64_t seed)
{
    uint64_t out[MOST_KEYS + 1];
    for (size_t h = 0; h < sizeof hashes / sizeof *hashes; h++) {
        out[n] = 42;
        hashes[h].batch(keys, stride, len, n, seed, out);
        assert_int_equal(out[n], 42);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(out[i], hashes[h].single(keys + i * stride, len, seed));
    }
}

static void check_all(void)
{
    uint8_t *end = edge();
    for (size_t len = 0; len <= MOST_BYTES; len++)
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
                check(end - numbers[n] * len, len, len, numbers[n], seeds[s]);
                check(end - numbers[n] * (len + 3) - len % 8, len + 3, len, numbers[n], seeds[s]);
            }
}

TEST(equal_to_single)
{
    check_all();
}

TEST(equal_with_less)
{
    static const char *const masks[] = {"avx512", "all"};
    const char *before = getenv("FB_DISABLE_ISA");
    auto_free char *kept = before ? strdup(before) : NULL;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        setenv("FB_DISABLE_ISA", masks[i], 1);
        check_all();
    }
    if (kept)
        setenv("FB_DISABLE_ISA", kept, 1);
    else
        unsetenv("FB_DISABLE_ISA");
}

/* The hashes of the real systems; byte i of a key of them is i * 131 + len. */
TEST(agrees_with_the_real_systems)
{
    enum { KEYS = 8, MAX_LEN = 8192 };
    static uint8_t keys[KEYS * MAX_LEN];
    json_t *document = golden_load("hashes"), *row;
    size_t i;
    json_array_foreach(json_object_get(document, "vectors"), i, row) {
        size_t len = (size_t)json_integer_value(json_object_get(row, "len"));
        uint64_t out[KEYS];
        assert_true(len <= MAX_LEN);
        for (size_t j = 0; j < KEYS * len; j++)
            keys[j] = (uint8_t)(j % len * 131 + len);
        fb_hash_batch_xxh64(keys, len, len, KEYS, 1, out);
        for (size_t j = 0; j < KEYS; j++)
            assert_int_equal(out[j], golden_word(row, "xxh64_seed1"));
        fb_hash_batch_xxph3(keys, len, len, KEYS, 0, out);
        for (size_t j = 0; j < KEYS; j++)
            assert_int_equal(out[j], golden_word(row, "rocksdb_hash64"));
    }
    json_decref(document);
}

/* Runs of one length between keys of other lengths: digests are those of digest(). */
TEST(digests_of_runs)
{
    enum { KEYS = 200, WORDS = 7 };
    uint8_t bytes[KEYS * 24];
    uint64_t offset[KEYS + 1] = {0}, out[KEYS * WORDS], want[WORDS];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)fb_mix64(i);
    for (size_t i = 0; i < KEYS; i++) {
        size_t len = i < 40 ? 16 : i < 70 ? i % 20 : i < 85 ? 8 : i < 101 ? 9 : i < 130 ? 0 : 20;
        offset[i + 1] = offset[i] + len;
    }
    const struct fb_keys keys = {.bytes = bytes, .offset = offset, .n = KEYS};
    for (size_t d = 0; d < fb_n_designs(); d++) {
        const struct fb_design *design = fb_design_at(d);
        unsigned words = design->digest_words ? design->digest_words : WORDS;
        if (!design->digest_batch)
            continue;
        assert_int_equal(fb_digest_keys(design, NULL, words, &keys, out), FB_OK);
        for (size_t i = 0; i < KEYS; i++) {
            design->digest(fb_key_at(&keys, i), fb_key_len(&keys, i), words, want);
            assert_memory_equal(out + i * words, want, words * sizeof *want);
        }
    }
}

TESTS(NULL, NULL)

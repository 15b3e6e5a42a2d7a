/*
 * Fuse filters where no vector of the real system looks: the sizes of many keys, repeated keys,
 * slots of many keys, blocks with headers that cannot be; and xor filters, by their blocks.
 */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/filter.h"

enum { SEED, SEGMENT, SEGMENTS };

static const struct fb_params params = {.bits_per_key = 20};

static struct fb_filter build(const char *design, const uint64_t *digests, size_t n)
{
    struct fb_filter f;
    const char *why;
    auto_free uint64_t *copy = malloc((n + 1) * sizeof *copy);
    memcpy(copy, digests, n * sizeof *copy);
    assert_int_equal(
        fb_filter_build_digests(fb_design_find(design), NULL, &params, copy, n, &f, &why), FB_OK);
    return f;
}

/* From the rule, by a program of its own. n = 25: 25 * 1.948 = 48.7, rounded 49, are four segments
 * of 2^floor(2.676 + 2.25) slots, two of them for first slots. */
TEST(sizes_follow_the_rule)
{
    static const struct {
        uint64_t n, segment, segments;
    } rows[] = {
        {0, 4, 1},
        {1, 4, 1},
        {2, 4, 1},
        {3, 8, 1},
        {25, 16, 2},
        {35, 32, 1},
        {11480, 1024, 12},
        {1000000, 8192, 136},
        {10000000, 32768, 342},
        {100000000, 131072, 857},
        {3435973829, 262144, 14744},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fb_geometry geom;
        const char *why;
        assert_int_equal(fb_design_plan(fb_design_find("fuse-8"), &params, rows[i].n, &geom, &why),
                         FB_OK);
        if (geom.own[SEGMENT] != rows[i].segment || geom.own[SEGMENTS] != rows[i].segments)
            fail_msg("%zu keys: %zu segments of %zu", (size_t)rows[i].n, (size_t)geom.own[SEGMENTS],
                     (size_t)geom.own[SEGMENT]);
        assert_int_equal(geom.n_bits, 8 * (rows[i].segments + 2) * rows[i].segment);
    }
}

/* Wherever they stand; also so often that a slot's count wraps. */
TEST(repeats_are_dropped)
{
    enum { N = 1000, MOST = 4 * N };
    static const char *const designs[] = {"fuse-8", "fuse-16", "xor-8", "xor-16"};
    static uint64_t once[N], often[MOST];
    for (size_t i = 0; i < N; i++)
        once[i] = fb_mix64(i + 1);
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++)
        for (size_t n = N + 1; n <= MOST; n += 600) {
            for (size_t i = 0; i < n; i++)
                often[i] = once[i < N ? N - 1 - i : n > 2 * N && i % 2 ? 7 : i % N];
            closed_by(fb_filter_close) struct fb_filter want = build(designs[d], once, N),
                                                        f = build(designs[d], often, n);
            assert_int_equal(f.n_keys, N);
            assert_int_equal(f.attempts, 1);
            assert_int_equal(f.geom.n_bytes, want.geom.n_bytes);
            assert_memory_equal(f.geom.own, want.geom.own, sizeof f.geom.own);
            assert_memory_equal(f.bytes, want.bytes, f.geom.n_bytes);
        }
}

/* mix64 backwards: the inverse factors, the same shifts. */
static uint64_t unmix64(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0x9CB4B2F8129337DB);
    x ^= x >> 33;
    x *= UINT64_C(0x4F74430C22A54005);
    return x ^ x >> 33;
}

/* N keys; under the seed `crowd` of them, and a few others, have slot 5. */
static struct fb_filter crowded(uint64_t seed, uint64_t firsts, uint64_t crowd)
{
    enum { N = 3000 };
    static uint64_t digests[N];
    const uint64_t width = UINT64_MAX / firsts; /* hashes that have a first slot */
    for (uint64_t i = 0; i < N; i++) {
        const uint64_t word = fb_mix64(i + 1);
        const uint64_t hash = 5 * width + width / 4 + word % (width / 2);
        digests[i] = i < crowd ? unmix64(hash) - seed : word;
    }
    struct fb_filter f = build("fuse-8", digests, N);
    assert_int_equal(f.kernel->query_each(&f, digests, N), N);
    return f;
}

/* The count of a slot is 0 again at 64 keys: the real system takes another seed, though peeling
 * might succeed. */
TEST(a_slot_of_64_keys_is_another_seed)
{
    struct fb_geometry geom;
    const char *why;
    assert_int_equal(fb_design_plan(fb_design_find("fuse-8"), &params, 3000, &geom, &why), FB_OK);
    const uint64_t seed = geom.own[SEED], firsts = geom.own[SEGMENT] * geom.own[SEGMENTS];
    assert_int_equal(unmix64(fb_mix64(12345)), 12345);
    for (uint64_t crowd = 40; crowd <= 80; crowd += 4) {
        closed_by(fb_filter_close) struct fb_filter f = crowded(seed, firsts, crowd);
        if (crowd < 56 || crowd >= 64)
            assert_int_equal(f.attempts, crowd < 64 ? 1 : 2);
        assert_int_equal(f.geom.own[SEED] == seed, f.attempts == 1);
    }
}

TEST(headers_that_cannot_be)
{
    static const struct {
        uint32_t segment, segments, firsts, slots;
        enum fb_err want;
    } rows[] = {
        {4, 1, 4, 12, FB_OK},
        {1, 10, 10, 12, FB_OK},
        {0, 1, 0, 0, FB_ECORRUPT},
        {4, 0, 0, 8, FB_ECORRUPT},
        {3, 2, 6, 12, FB_ECORRUPT},
        {4, 1, 8, 12, FB_ECORRUPT},
        {4, 1, 4, 8, FB_ECORRUPT},
        {4, 2, 8, 16, FB_ECORRUPT},
        {1u << 19, 1, 1u << 19, 3u << 19, FB_ECORRUPT},
        {1u << 16, 1u << 16, 0, 1u << 17, FB_ECORRUPT},
        {4, (1u << 30) + 1, 4, 12, FB_ECORRUPT},
    };
    const struct fb_design *design = fb_design_find("fuse-8");
    uint8_t block[28 + 12 + 4] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fb_filter f;
        const char *why;
        fb_put_le32(block + 8, 1);
        fb_put_le32(block + 12, rows[i].segment);
        fb_put_le32(block + 16, rows[i].segments);
        fb_put_le32(block + 20, rows[i].firsts);
        fb_put_le32(block + 24, rows[i].slots);
        if (fb_filter_read(design, design->formats, block, 28 + 12, &f, &why) != rows[i].want)
            fail_msg("row %zu", i);
        fb_filter_close(&f);
        if (rows[i].want)
            continue;
        assert_int_equal(fb_filter_read(design, design->formats, block, 28 + 11, &f, &why),
                         FB_ECORRUPT);
        /* What stands behind the slots is not read. */
        assert_int_equal(fb_filter_read(design, design->formats, block, sizeof block, &f, &why),
                         FB_OK);
        assert_int_equal(design->formats->size(&f), 28 + 12);
        fb_filter_close(&f);
    }
}

/* Every key's three slots, as the paper says where they lie, xor to its fingerprint. */
TEST(a_block_of_xor_is_as_documented)
{
    enum { N = 5000, SLOTS = 6182 / 3 * 3, MOST_BYTES = 12 + 2 * SLOTS };
    static uint64_t digests[N];
    static uint8_t block[MOST_BYTES];
    for (size_t i = 0; i < N; i++)
        digests[i] = fb_mix64(i + 1);
    for (unsigned width = 1; width <= 2; width++) {
        struct fb_filter f = build(width == 1 ? "xor-8" : "xor-16", digests, N), copy;
        const struct fb_format *format = f.design->formats;
        const char *why;
        const size_t size = 12 + (size_t)width * SLOTS;
        assert_int_equal(format->size(&f), size);
        assert_int_equal(fb_filter_write(&f, format, block, &why), FB_OK);
        const uint64_t seed = fb_le64(block), segment = fb_le32(block + 8);
        assert_int_equal(segment, SLOTS / 3);
        for (size_t i = 0; i < N; i++) {
            const uint64_t h = fb_mix64(digests[i] + seed);
            uint32_t left = fb_lo32(h ^ h >> 32) & (width == 1 ? 0xFF : 0xFFFF);
            for (unsigned third = 0; third < 3; third++) {
                const uint64_t part = fb_lo32(fb_rotl64(h, 21 * third)) * segment >> 32;
                const uint8_t *slot = block + 12 + width * (third * segment + part);
                left ^= width == 1 ? *slot : *slot | (uint32_t)slot[1] << 8;
            }
            assert_int_equal(left, 0);
        }
        assert_int_equal(fb_filter_read(f.design, format, block, size - 1, &copy, &why),
                         FB_ECORRUPT);
        fb_put_le32(block + 8, 0);
        assert_int_equal(fb_filter_read(f.design, format, block, 12, &copy, &why), FB_ECORRUPT);
        fb_filter_close(&f);
    }
}

TESTS(NULL, NULL)

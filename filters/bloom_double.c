/*
 * bloom-double: double hashing as the textbook writes it.
 *
 *     block: num_bits u64 | num_hashes u32 | bits_per_key u32 | bits, LSB first
 *     x = XXH64(key, 0) mod m, y = XXH64(key, 1) mod m; bit_i = (x + i y) mod m, i < k
 *     m = n * bits_per_key, k = ceil(0.693 bits_per_key) clamped to 1..30
 *
 * Source: Kirsch & Mitzenmacher, "Less Hashing, Same Performance", 2006: the same performance as k
 * independent hashes in the limit of large m. At finite m two terms of order 1/n remain: keys whose
 * progressions share several places, and steps whose order modulo m is below k (y = 0 sets one
 * bit). nori and the course lesson reduce each sum instead, which is another scheme. Header as
 * nori's. Cost: two reductions per key; each further probe is an addition and a comparison.
 */
#include "filters/inline/bloom_double.h"
#include "filters/core/scattered.h"
#include "filters/simd/column_steps.h"
#include "filters/simd/lane_steps.h"

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    double rate = fb_bloom_fpr(n_keys, geom->n_bits, geom->probes) +
                  fb_double_hashing_excess(n_keys, geom->n_bits, geom->probes);
    return rate < 1 ? rate : 1;
}

#if defined(__x86_64__)

FB_AVX512_INLINE struct fb_column start_x8(const struct fb_filter *f, const uint64_t *digests,
                                           size_t i)
{
    struct fb_column state = fb_start_pair(f, digests, i);
    return (struct fb_column){fb_mod_x8(state.h, f->geom.range),
                              fb_mod_x8(state.step, f->geom.range)};
}

FB_AVX512_INLINE __m512i position_x8(const struct fb_filter *f, struct fb_column state,
                                     const uint64_t *digests, uint32_t t)
{
    (void)f, (void)digests, (void)t;
    return state.h;
}

FB_AVX512_INLINE struct fb_column next_x8(const struct fb_filter *f, struct fb_column state,
                                          uint32_t t)
{
    (void)t;
    state.h = _mm512_add_epi64(state.h, state.step);
    __m512i less = _mm512_sub_epi64(state.h, _mm512_set1_epi64((int64_t)f->geom.n_bits));
    state.h = _mm512_min_epu64(state.h, less);
    return state;
}

/* n_bits <= 2^31, so that a sum of two rests fits. */
FB_AVX2_INLINE struct fb_lanes start_lanes(const struct fb_filter *f, const uint64_t *digests,
                                           size_t i)
{
    uint32_t h[8] __attribute__((aligned(32))), step[8] __attribute__((aligned(32)));
    for (int lane = 0; lane < 8; lane++, i++) {
        h[lane] = (uint32_t)fb_mod(digests[2 * i], f->geom.range);
        step[lane] = (uint32_t)fb_mod(digests[2 * i + 1], f->geom.range);
    }
    return (struct fb_lanes){.h = _mm256_load_si256((const __m256i *)(const void *)h),
                             .step = _mm256_load_si256((const __m256i *)(const void *)step)};
}

FB_AVX2_INLINE __m256i position_lanes(const struct fb_filter *f, struct fb_lanes state)
{
    (void)f;
    return state.h;
}

FB_AVX2_INLINE struct fb_lanes next_lanes(const struct fb_filter *f, struct fb_lanes state)
{
    state.h = _mm256_add_epi32(state.h, state.step);
    __m256i less = _mm256_sub_epi32(state.h, _mm256_set1_epi32((int)f->geom.n_bits));
    state.h = _mm256_min_epu32(state.h, less);
    return state;
}

#endif

#define FB_WALK_WORDS      2
#define FB_WALK_START      fb_bloom_double_start
#define FB_WALK_POSITION   fb_bloom_double_position
#define FB_WALK_NEXT       fb_bloom_double_next
#define FB_COLUMN_WORDS    2
#define FB_COLUMN_START    start_x8
#define FB_COLUMN_POSITION position_x8
#define FB_COLUMN_NEXT     next_x8
#define FB_LANES_MOST_BITS (UINT64_C(1) << 31)
#define FB_LANES_WIDE      0
#define FB_LANES_START     start_lanes
#define FB_LANES_POSITION  position_lanes
#define FB_LANES_NEXT      next_lanes
#include "filters/core/internal/scattered.inc"

const struct fb_design fb_design_bloom_double = {
    .name = "bloom-double",
    .summary = "classic Bloom with textbook double hashing: both hashes reduced first",
    .source = "Kirsch & Mitzenmacher, Less Hashing, Same Performance, ESA 2006",
    .caveat = "excess FPR of order 1/n: +17 % at 100 keys, tenfold at 100 keys and 20 bits/key "
              "(the prediction is asymptotic: 4 % too low there)",
    .traits = FB_SIZES_BY_BITS | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seeds 0 and 1",
    .digest_words = 2,
    .digest = fb_xxh64_pair,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = fb_document_plan,
    .fpr = fpr,
    .formats = fb_document_formats,
    .kernels = kernels,
};

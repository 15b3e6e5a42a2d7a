/*
 * bloom-double-32: double hashing from 32 bits that are mixed well.
 *
 *     block: num_bits u64 | num_hashes u32 | bits_per_key u32 | bits, LSB first
 *     h = low half of XXH64(key, 0), step = mix32(h); bit_i = (h + i step mod 2^32) mod m, i < k
 *     m = n * bits_per_key, k = ceil(0.693 bits_per_key) clamped to 1..30
 *
 * Source: ours, to tell the width of LevelDB's hash from its step: the same 32 bits, but a step
 * that is not a rotation. Header as nori's. Flaw: two keys of equal h are one key to the filter, so
 * n / 2^32 is added to the rate: nothing at 1e5 keys, a quarter of the rate at 1e7 and 10 bits/key.
 * Bits beyond 2^32 are never set.
 */
#include "filters/core/scattered.h"
#include "filters/inline/walk.h"
#include "filters/simd/column_steps.h"
#include "filters/simd/lane_steps.h"

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_either(fb_bloom_fpr(n_keys, geom->n_bits, geom->probes),
                     fb_hash_collision(n_keys, 32));
}

static inline struct fb_walk start(const struct fb_filter *f, const uint64_t *digest)
{
    (void)f;
    return (struct fb_walk){fb_lo32(digest[0]), fb_mix32(fb_lo32(digest[0]))};
}

#if defined(__x86_64__)

FB_AVX512_INLINE struct fb_column start_x8(const struct fb_filter *f, const uint64_t *digests,
                                           size_t i)
{
    (void)f;
    __m512i h = _mm512_loadu_si512(digests + i), x = h;
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 16));
    x = _mm512_mullo_epi32(x, _mm512_set1_epi32((int)UINT32_C(0x85EBCA6B)));
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 13));
    x = _mm512_mullo_epi32(x, _mm512_set1_epi32((int)UINT32_C(0xC2B2AE35)));
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 16));
    return (struct fb_column){fb_halves(h, x), h};
}

FB_AVX2_INLINE struct fb_lanes start_lanes(const struct fb_filter *f, const uint64_t *digests,
                                           size_t i)
{
    (void)f;
    __m256i h = fb_low_halves_avx2(digests + i), x = h;
    x = _mm256_xor_si256(x, _mm256_srli_epi32(x, 16));
    x = _mm256_mullo_epi32(x, _mm256_set1_epi32((int)UINT32_C(0x85EBCA6B)));
    x = _mm256_xor_si256(x, _mm256_srli_epi32(x, 13));
    x = _mm256_mullo_epi32(x, _mm256_set1_epi32((int)UINT32_C(0xC2B2AE35)));
    x = _mm256_xor_si256(x, _mm256_srli_epi32(x, 16));
    return (struct fb_lanes){.h = h, .step = x};
}

#endif

#define FB_WALK_WORDS      1
#define FB_WALK_START      start
#define FB_WALK_POSITION   fb_walk_mod
#define FB_WALK_NEXT       fb_walk_add32
#define FB_COLUMN_WORDS    1
#define FB_COLUMN_START    start_x8
#define FB_COLUMN_POSITION fb_position_mod32
#define FB_COLUMN_NEXT     fb_next_add32
#define FB_LANES_MOST_BITS UINT64_MAX /* positions are below 2^32 in larger ones as well */
#define FB_LANES_WIDE      0
#define FB_LANES_START     start_lanes
#define FB_LANES_POSITION  fb_lanes_mod32
#define FB_LANES_NEXT      fb_lanes_add
#include "filters/core/internal/scattered.inc"

const struct fb_design fb_design_bloom_double_32 = {
    .name = "bloom-double-32",
    .summary = "classic Bloom with double hashing from one well-mixed 32-bit hash",
    .source = "filters/bloom_double_32.c: LevelDB's hash width without its step",
    .caveat = "a 32-bit hash adds n / 2^32 to the FPR",
    .traits = FB_SIZES_BY_BITS | FB_COUNTS_DUPLICATES,
    .hash = "low half of xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_one,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = fb_document_plan,
    .fpr = fpr,
    .scheme = FB_SCHEME_WRAPPED_32,
    .formats = fb_document_formats,
    .kernels = kernels,
};

/*
 * The steps of columnar_avx2.inc that designs share: eight keys at a time in lanes of 32 bits, each
 * beside the one of walk.h. For designs whose positions and steps fit 32 bits; AVX2 has no product
 * of 64-bit lanes that would beat the scalar one.
 */
#ifndef FILTERBENCH_FILTERS_SIMD_LANE_STEPS_H
#define FILTERBENCH_FILTERS_SIMD_LANE_STEPS_H

#include "filters/core/filter.h"
#include "filters/core/target.h"

#if defined(__x86_64__)

/* Eight keys: what their next probes are made from. */
struct fb_lanes {
    __m256i h, step;
};

/* Low halves of eight words. */
FB_AVX2_INLINE __m256i fb_low_halves_avx2(const uint64_t *words)
{
    const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    const __m256i *at = (const __m256i *)(const void *)words;
    __m256i a = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at), even);
    __m256i b = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at + 1), even);
    return _mm256_blend_epi32(a, b, 0xf0);
}

/* Of eight pairs of words the low halves: of the first ones h, of the second ones the step. */
FB_AVX2_INLINE struct fb_lanes fb_lanes_pair(const struct fb_filter *f, const uint64_t *digests,
                                             size_t i)
{
    const __m256i apart = _mm256_setr_epi32(0, 4, 2, 6, 0, 4, 2, 6); /* h h step step, twice */
    const __m256i *at = (const __m256i *)(const void *)(digests + 2 * i);
    __m256i a = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at), apart);
    __m256i b = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at + 1), apart);
    __m256i c = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at + 2), apart);
    __m256i d = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at + 3), apart);
    __m256i low = _mm256_unpacklo_epi64(a, b), high = _mm256_unpacklo_epi64(c, d);
    __m256i low_step = _mm256_unpackhi_epi64(a, b), high_step = _mm256_unpackhi_epi64(c, d);
    (void)f;
    return (struct fb_lanes){_mm256_blend_epi32(low, high, 0xf0),
                             _mm256_blend_epi32(low_step, high_step, 0xf0)};
}

/* h mod m as fb_mod32: with r the high half of the reciprocal, h r / 2^32 is the quotient or one
 * less (the argument of fb_mod32_x8). For m >= 2^32 r is 0 and h the rest already. */
FB_AVX2_INLINE __m256i fb_lanes_mod32(const struct fb_filter *f, struct fb_lanes state)
{
    const __m256i m = _mm256_set1_epi32(f->geom.range.m >> 32 ? 0 : (int)f->geom.range.m);
    const __m256i r = _mm256_set1_epi64x((int64_t)(f->geom.range.reciprocal >> 32));
    __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(state.h, r), 32);
    __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(state.h, 32), r);
    __m256i q = _mm256_blend_epi32(even, odd, 0xaa);
    __m256i rest = _mm256_sub_epi32(state.h, _mm256_mullo_epi32(q, m));
    return _mm256_min_epu32(rest, _mm256_sub_epi32(rest, m));
}

FB_AVX2_INLINE struct fb_lanes fb_lanes_add(const struct fb_filter *f, struct fb_lanes state)
{
    (void)f;
    return (struct fb_lanes){_mm256_add_epi32(state.h, state.step), state.step};
}

#endif
#endif

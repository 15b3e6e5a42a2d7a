/*
 * The steps of columnar_avx2.inc that designs share: eight keys at a time in lanes of 32 bits, each
 * beside the one of walk.h. Words of 64 bits stand in two registers, their low and high halves.
 */
#ifndef FILTERBENCH_FILTERS_SIMD_LANE_STEPS_H
#define FILTERBENCH_FILTERS_SIMD_LANE_STEPS_H

#include "filters/core/filter.h"
#include "filters/core/target.h"

#if defined(__x86_64__)

/* Eight keys: what their next probes are made from. */
struct fb_lanes {
    __m256i h, step;           /* all, or low halves */
    __m256i h_high, step_high; /* of designs with FB_LANES_WIDE */
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
    return (struct fb_lanes){.h = _mm256_blend_epi32(low, high, 0xf0),
                             .step = _mm256_blend_epi32(low_step, high_step, 0xf0)};
}

/* Of eight pairs of words all: of the first ones h, of the second ones the step. */
FB_AVX2_INLINE struct fb_lanes fb_lanes_pair_wide(const struct fb_filter *f,
                                                  const uint64_t *digests, size_t i)
{
    const __m256i apart = _mm256_setr_epi32(1, 5, 3, 7, 1, 5, 3, 7);
    const __m256i *at = (const __m256i *)(const void *)(digests + 2 * i);
    struct fb_lanes state = fb_lanes_pair(f, digests, i);
    __m256i a = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at), apart);
    __m256i b = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at + 1), apart);
    __m256i c = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at + 2), apart);
    __m256i d = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at + 3), apart);
    state.h_high =
        _mm256_blend_epi32(_mm256_unpacklo_epi64(a, b), _mm256_unpacklo_epi64(c, d), 0xf0);
    state.step_high =
        _mm256_blend_epi32(_mm256_unpackhi_epi64(a, b), _mm256_unpackhi_epi64(c, d), 0xf0);
    return state;
}

/* The high halves of products of lanes. */
FB_AVX2_INLINE __m256i fb_mulhi32_avx2(__m256i a, __m256i b)
{
    __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(a, b), 32);
    __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32));
    return _mm256_blend_epi32(even, odd, 0xaa);
}

/*
 * h mod m as fb_mod, for m <= 2^30. With h = H 2^32 + L and the reciprocal r = R 2^32 + S, h r /
 * 2^64 = H R + (H S + L R) / 2^32 + L S / 2^64. Let q be its integer parts, H R + floor(H S / 2^32)
 * + floor(L R / 2^32): two floors and the last summand lose less than 1 each, and r, which is at
 * most 1 below 2^64 / m, another 1. So h - q m lies in [0, 4 m), which fits 32 bits: q is needed
 * mod 2^32 only, and two conditional subtractions, unsigned minima, finish.
 */
FB_AVX2_INLINE __m256i fb_lanes_mod64(const struct fb_filter *f, struct fb_lanes state)
{
    const __m256i m = _mm256_set1_epi32((int)f->geom.range.m);
    const __m256i high = _mm256_set1_epi32((int)(f->geom.range.reciprocal >> 32));
    const __m256i low = _mm256_set1_epi32((int)f->geom.range.reciprocal);
    __m256i q = _mm256_mullo_epi32(state.h_high, high);
    q = _mm256_add_epi32(q, fb_mulhi32_avx2(state.h_high, low));
    q = _mm256_add_epi32(q, fb_mulhi32_avx2(state.h, high));
    __m256i rest = _mm256_sub_epi32(state.h, _mm256_mullo_epi32(q, m));
    rest = _mm256_min_epu32(rest, _mm256_sub_epi32(rest, _mm256_slli_epi32(m, 1)));
    return _mm256_min_epu32(rest, _mm256_sub_epi32(rest, m));
}

/* h + step mod 2^64. */
FB_AVX2_INLINE struct fb_lanes fb_lanes_add_wide(const struct fb_filter *f, struct fb_lanes state)
{
    __m256i sum = _mm256_add_epi32(state.h, state.step);
    __m256i whole = _mm256_cmpeq_epi32(_mm256_max_epu32(sum, state.step), sum); /* -1: no carry */
    __m256i high = _mm256_add_epi32(state.h_high, state.step_high);
    (void)f;
    state.h_high = _mm256_add_epi32(high, _mm256_add_epi32(whole, _mm256_set1_epi32(1)));
    state.h = sum;
    return state;
}

/* h mod m as fb_mod32: with r the high half of the reciprocal, h r / 2^32 is the quotient or one
 * less (the argument of fb_mod32_x8). For m >= 2^32 r is 0 and h the rest already. */
FB_AVX2_INLINE __m256i fb_lanes_mod32(const struct fb_filter *f, struct fb_lanes state)
{
    const __m256i m = _mm256_set1_epi32(f->geom.range.m >> 32 ? 0 : (int)f->geom.range.m);
    const __m256i r = _mm256_set1_epi32((int)(f->geom.range.reciprocal >> 32));
    __m256i q = fb_mulhi32_avx2(state.h, r);
    __m256i rest = _mm256_sub_epi32(state.h, _mm256_mullo_epi32(q, m));
    return _mm256_min_epu32(rest, _mm256_sub_epi32(rest, m));
}

FB_AVX2_INLINE struct fb_lanes fb_lanes_add(const struct fb_filter *f, struct fb_lanes state)
{
    (void)f;
    return (struct fb_lanes){.h = _mm256_add_epi32(state.h, state.step), .step = state.step};
}

#endif
#endif

/*
 * The steps of columnar_avx512.inc that designs share, each beside the one of walk.h that it does
 * eight times. A step ignores what it does not need.
 */
#ifndef FILTERBENCH_FILTERS_SIMD_COLUMN_STEPS_H
#define FILTERBENCH_FILTERS_SIMD_COLUMN_STEPS_H

#include "filters/core/filter.h"
#include "filters/simd/avx512.h"
#include "filters/simd/prefetch.h"

#if defined(__x86_64__)

/* Eight keys: what their next probes are made from. */
struct fb_column {
    __m512i h, step;
};

/* ---- Start: keys i .. i + 7 ---- */

/* Two words: h, then step. */
FB_AVX512_INLINE struct fb_column fb_start_pair(const struct fb_filter *f, const uint64_t *digests,
                                                size_t i)
{
    (void)f;
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    __m512i a = _mm512_loadu_si512(digests + 2 * i);
    __m512i b = _mm512_loadu_si512(digests + 2 * i + 8);
    return (struct fb_column){_mm512_permutex2var_epi64(a, even, b),
                              _mm512_permutex2var_epi64(a, odd, b)};
}

/* Both states of 32 bits in one word: h in the low half of each lane, the step in the high half;
 * both are taken from low halves. */
FB_AVX512_INLINE __m512i fb_halves(__m512i h, __m512i step)
{
    return _mm512_mask_mov_epi32(_mm512_slli_epi64(step, 32), 0x5555, h);
}

/* ---- Position ---- */

FB_AVX512_INLINE __m512i fb_position_mod(const struct fb_filter *f, struct fb_column state,
                                         const uint64_t *digests, uint32_t t)
{
    (void)digests, (void)t;
    return fb_mod_x8(state.h, f->geom.range);
}

FB_AVX512_INLINE __m512i fb_position_mod_msb(const struct fb_filter *f, struct fb_column state,
                                             const uint64_t *digests, uint32_t t)
{
    return _mm512_xor_si512(fb_position_mod(f, state, digests, t), _mm512_set1_epi64(7));
}

/* Of a state made by fb_halves. */
FB_AVX512_INLINE __m512i fb_position_mod32(const struct fb_filter *f, struct fb_column state,
                                           const uint64_t *digests, uint32_t t)
{
    (void)digests, (void)t;
    return fb_mod32_x8(state.h, f->geom.range);
}

/* ---- Next ---- */

FB_AVX512_INLINE struct fb_column fb_next_add(const struct fb_filter *f, struct fb_column state,
                                              uint32_t t)
{
    (void)f, (void)t;
    state.h = _mm512_add_epi64(state.h, state.step);
    return state;
}

/* Of a state made by fb_halves. */
FB_AVX512_INLINE struct fb_column fb_next_add32(const struct fb_filter *f, struct fb_column state,
                                                uint32_t t)
{
    (void)f, (void)t;
    state.h = _mm512_add_epi32(state.h, _mm512_srli_epi64(state.h, 32));
    return state;
}

#endif
#endif

/*
 * The steps of columnar_avx512.inc that designs share. A step ignores what it does not need.
 */
#ifndef FILTERBENCH_FILTERS_SIMD_COLUMN_STEPS_H
#define FILTERBENCH_FILTERS_SIMD_COLUMN_STEPS_H

#include "filters/core/filter.h"
#include "filters/simd/avx512.h"
#include "filters/simd/lookahead.h"

#if defined(__x86_64__)

/* Eight keys: what their next probes are made from. */
struct fb_column {
    __m512i h, step;
};

/* ---- Start: from eight digests ---- */

/* Two words: h, then step. */
FB_AVX512_INLINE struct fb_column fb_start_pair(const struct fb_filter *f, const uint64_t *digests)
{
    (void)f;
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    __m512i a = _mm512_loadu_si512(digests), b = _mm512_loadu_si512(digests + 8);
    return (struct fb_column){_mm512_permutex2var_epi64(a, even, b),
                              _mm512_permutex2var_epi64(a, odd, b)};
}

/* ---- Position: of the current probe ---- */

FB_AVX512_INLINE __m512i fb_position_mod(const struct fb_filter *f, struct fb_column state)
{
    return fb_mod_x8(state.h, f->geom.range);
}

/* ---- Next: from probe t to probe t + 1 ---- */

/* h += step */
FB_AVX512_INLINE struct fb_column fb_next_add(const struct fb_filter *f, struct fb_column state,
                                              uint32_t t, const uint64_t *digests, __m256i keys)
{
    (void)f, (void)t, (void)digests, (void)keys;
    state.h = _mm512_add_epi64(state.h, state.step);
    return state;
}

#endif
#endif

/*
 * Designs that keep a fingerprint of a key in one of two places (filters/inline/two_places.h):
 * rates, and the places of several keys at once.
 */
#ifndef FILTERBENCH_FILTERS_SIMD_TWO_PLACES_H
#define FILTERBENCH_FILTERS_SIMD_TWO_PLACES_H

#include "filters/core/math.h"
#include "filters/core/scattered.h"
#include "filters/core/target.h"
#include "filters/inline/two_places.h"
#include "filters/simd/prefetch.h"

/*
 * The rate with n_keys distinct keys in. A key is taken for a query if it has the query's
 * fingerprint, 1 of F, and its first place is one of the query's two, 2 of P, or 1 of P for the one
 * query in P whose places are one. cuckoo-12 with 0.95 * 4 keys a bucket: 2 * 3.8 / 4095 = 0.0019.
 */
static inline double fb_two_places_fpr(const struct fb_geometry *geom, uint64_t n_keys,
                                       uint32_t prints)
{
    const double places = (double)geom->own[FB_PLACES];
    const double met = (2 - 1 / places) / places / prints;
    return -fb_expm1((double)n_keys * fb_log1p(-met));
}

/* Keys in a place at which the rate is met: the other way round. */
static inline double fb_two_places_keys(double fpr, uint32_t prints)
{
    return -fb_log1p(-fpr) * prints / 2;
}

/* Both places of eight keys, of `bytes` each, are on their way. */
__attribute__((always_inline)) static inline void
fb_two_places_fetch(const struct fb_filter *f, const uint64_t *digests, uint32_t prints,
                    uint64_t bytes, enum fb_hint hint)
{
    for (int i = 0; i < 8; i++) {
        const uint32_t first = fb_place_first(&f->geom, digests[i]);
        const uint32_t print = fb_place_print(digests[i], prints);
        fb_prefetch(f->bytes + first * bytes, hint);
        fb_prefetch(f->bytes + fb_place_other(&f->geom, first, print) * bytes, hint);
    }
}

#if defined(__x86_64__)

/* Eight keys: fingerprints, places and other places, in lanes of 64 bits. */
struct fb_two_places_x8 {
    __m512i print, first, other;
};

FB_AVX512_INLINE struct fb_two_places_x8
fb_two_places_avx512(const struct fb_filter *f, const uint64_t *digests, uint32_t prints)
{
    const __m512i n = _mm512_set1_epi64((int64_t)f->geom.own[FB_PLACES]);
    const __m512i h = _mm512_loadu_si512(digests);
    struct fb_two_places_x8 p;
    p.print = _mm512_srli_epi64(_mm512_mul_epu32(h, _mm512_set1_epi64(prints)), 32);
    p.first = _mm512_srli_epi64(_mm512_mul_epu32(_mm512_srli_epi64(h, 32), n), 32);
    __m512i x = _mm512_mul_epu32(p.print, _mm512_set1_epi64(FB_PLACES_ODD_1));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 15));
    x = _mm512_srli_epi64(_mm512_mul_epu32(x, _mm512_set1_epi64(FB_PLACES_ODD_2)), 16);
    x = _mm512_sub_epi64(_mm512_srli_epi64(_mm512_mul_epu32(x, n), 32), p.first);
    p.other = _mm512_min_epu64(x, _mm512_add_epi64(x, n));
    return p;
}

FB_AVX512_INLINE void fb_two_places_fetch_avx512(const struct fb_filter *f, const uint64_t *digests,
                                                 uint32_t prints, uint32_t bytes, enum fb_hint hint)
{
    uint64_t first[8] __attribute__((aligned(64))), other[8] __attribute__((aligned(64)));
    const struct fb_two_places_x8 p = fb_two_places_avx512(f, digests, prints);
    const __m512i size = _mm512_set1_epi64(bytes);
    _mm512_store_si512(first, _mm512_mul_epu32(p.first, size));
    _mm512_store_si512(other, _mm512_mul_epu32(p.other, size));
    fb_keep_in_memory(first);
    fb_keep_in_memory(other);
    for (int i = 0; i < 8; i++) {
        fb_prefetch(f->bytes + first[i], hint);
        fb_prefetch(f->bytes + other[i], hint);
    }
}

/* The same of four keys. */
struct fb_two_places_x4 {
    __m256i print, first, other;
};

FB_AVX2_INLINE struct fb_two_places_x4 fb_two_places_avx2(const struct fb_filter *f,
                                                          const uint64_t *digests, uint32_t prints)
{
    const __m256i n = _mm256_set1_epi64x((int64_t)f->geom.own[FB_PLACES]);
    const __m256i h = _mm256_loadu_si256((const __m256i *)(const void *)digests);
    struct fb_two_places_x4 p;
    p.print = _mm256_srli_epi64(_mm256_mul_epu32(h, _mm256_set1_epi64x(prints)), 32);
    p.first = _mm256_srli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(h, 32), n), 32);
    __m256i x = _mm256_mul_epu32(p.print, _mm256_set1_epi64x(FB_PLACES_ODD_1));
    x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 15));
    x = _mm256_srli_epi64(_mm256_mul_epu32(x, _mm256_set1_epi64x(FB_PLACES_ODD_2)), 16);
    x = _mm256_sub_epi64(_mm256_srli_epi64(_mm256_mul_epu32(x, n), 32), p.first);
    const __m256i below = _mm256_cmpgt_epi64(_mm256_setzero_si256(), x);
    p.other = _mm256_add_epi64(x, _mm256_and_si256(below, n));
    return p;
}

FB_AVX2_INLINE void fb_two_places_fetch_avx2(const struct fb_filter *f, const uint64_t *digests,
                                             uint32_t prints, uint32_t bytes, enum fb_hint hint)
{
    uint64_t at[16] __attribute__((aligned(64)));
    const __m256i size = _mm256_set1_epi64x(bytes);
    for (int i = 0; i < 8; i += 4) {
        const struct fb_two_places_x4 p = fb_two_places_avx2(f, digests + i, prints);
        _mm256_store_si256((__m256i *)(void *)(at + i), _mm256_mul_epu32(p.first, size));
        _mm256_store_si256((__m256i *)(void *)(at + 8 + i), _mm256_mul_epu32(p.other, size));
    }
    fb_keep_in_memory(at);
    fb_keep_in_memory(at + 8);
    for (int i = 0; i < 16; i++)
        fb_prefetch(f->bytes + at[i], hint);
}

#endif
#endif

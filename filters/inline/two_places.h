/*
 * For designs that keep a fingerprint of each key in one of two places. The places are buckets in
 * cuckoo-12 and cuckoo-16, and blocks in quotient. The second place follows from the first one and
 * the fingerprint alone. So a fingerprint can be moved although its key is not stored.
 *
 *     fingerprint = floor(lo(h) * F / 2^32), of F values; place = floor(hi(h) * P / 2^32), of P
 *     x = fingerprint * 9E3779B1; x ^= x >> 15; turn = (lo(x) * 85EBCA77 >> 16) mod 2^32
 *     other place = (floor(turn * P / 2^32) - place) mod P
 *
 * The other place of the other place is the first one again: s - (s - i) = i. So P may be any
 * number. The usual exclusive or needs a power of two, and so up to twice the memory. This way
 * costs one more multiplication. On average, one place in P is its own other place.
 */
#ifndef FILTERBENCH_FILTERS_INLINE_TWO_PLACES_H
#define FILTERBENCH_FILTERS_INLINE_TWO_PLACES_H

#include "filters/core/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where geom.own has P, at most 2^32 - 1. */
enum { FB_PLACES };

#define FB_PLACES_ODD_1 UINT32_C(0x9E3779B1)
#define FB_PLACES_ODD_2 UINT32_C(0x85EBCA77)

static inline uint32_t fb_place_print(uint64_t digest, uint32_t prints)
{
    return fb_mulhi32(fb_lo32(digest), prints);
}

static inline uint32_t fb_place_first(const struct fb_geometry *geom, uint64_t digest)
{
    return fb_mulhi32(fb_hi32(digest), (uint32_t)geom->own[FB_PLACES]);
}

/* Returns the other place of a fingerprint, which must be below 2^16. */
static inline uint32_t fb_place_other(const struct fb_geometry *geom, uint32_t place,
                                      uint32_t print)
{
    const uint32_t n = (uint32_t)geom->own[FB_PLACES];
    uint64_t x = (uint64_t)print * FB_PLACES_ODD_1;
    x = (uint64_t)fb_lo32(x ^ x >> 15) * FB_PLACES_ODD_2;
    const uint32_t sum = fb_mulhi32((uint32_t)(x >> 16), n);
    return sum >= place ? sum - place : sum + (n - place);
}

#ifdef __cplusplus
}
#endif

#endif

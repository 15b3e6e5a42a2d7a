/*
 * Single lookups for xor-8 and xor-16, which the compiler inlines into your own loop.
 *
 *     bool fb_xor_8_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_xor_8_prefetch(const struct fb_filter *, const uint64_t *digest);
 *
 * There are also fb_xor_16_{query, prefetch}. A digest has one word. The prefetch starts to load
 * the three lines that a later query of the digest needs. The filter must be one of that design.
 * There is no insert, because the design needs all keys at once. Any number of threads may ask.
 *
 * Layout and source: filters/core/internal/xor.inc.
 */
#ifndef FILTERBENCH_FILTERS_INLINE_XOR_H
#define FILTERBENCH_FILTERS_INLINE_XOR_H

#include "filters/inline/three_slots.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where geom.own has the number of slots in each of the three segments. */
enum { FB_XOR_SEGMENT = FB_SLOT_SEED + 1 };

static inline struct fb_slots fb_xor_slots(const struct fb_geometry *geom, uint64_t hash)
{
    const uint32_t segment = (uint32_t)geom->own[FB_XOR_SEGMENT];
    const struct fb_slots s = {{fb_mulhi32(fb_lo32(hash), segment),
                                segment + fb_mulhi32(fb_lo32(fb_rotl64(hash, 21)), segment),
                                2 * segment + fb_mulhi32(fb_lo32(fb_rotl64(hash, 42)), segment)}};
    return s;
}

FB_SLOT_FUNCTIONS(fb_xor_8, uint8_t, fb_xor_slots)
FB_SLOT_FUNCTIONS(fb_xor_16, uint16_t, fb_xor_slots)

#ifdef __cplusplus
}
#endif

#endif

/*
 * Single lookups for fuse-8 and fuse-16, which the compiler inlines into your own loop.
 *
 *     bool fb_fuse_8_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_fuse_8_prefetch(const struct fb_filter *, const uint64_t *digest);
 *
 * There are also fb_fuse_16_{query, prefetch}. A digest has one word. The prefetch starts to load
 * the three lines that a later query of the digest needs. The filter must be one of that design.
 * There is no insert, because the design needs all keys at once. Any number of threads may ask.
 *
 * Layout and source: filters/core/internal/fuse.inc.
 */
#ifndef FILTERBENCH_FILTERS_INLINE_FUSE_H
#define FILTERBENCH_FILTERS_INLINE_FUSE_H

#include "filters/inline/three_slots.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where geom.own has the slots per segment, a power of two, and the number of segments in which a
 * key's first slot may lie. */
enum { FB_FUSE_SEGMENT = FB_SLOT_SEED + 1, FB_FUSE_SEGMENTS };

static inline struct fb_slots fb_fuse_slots(const struct fb_geometry *geom, uint64_t hash)
{
    const uint64_t segment = geom->own[FB_FUSE_SEGMENT], mask = segment - 1;
    const uint64_t first = fb_mulhi64(hash, segment * geom->own[FB_FUSE_SEGMENTS]);
    const struct fb_slots s = {{(uint32_t)first,
                                (uint32_t)((first + segment) ^ (hash >> 18 & mask)),
                                (uint32_t)((first + 2 * segment) ^ (hash & mask))}};
    return s;
}

FB_SLOT_FUNCTIONS(fb_fuse_8, uint8_t, fb_fuse_slots)
FB_SLOT_FUNCTIONS(fb_fuse_16, uint16_t, fb_fuse_slots)

#ifdef __cplusplus
}
#endif

#endif

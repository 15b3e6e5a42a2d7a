/*
 * One lookup and one insert in bloom-double, to be inlined into a caller's own loop.
 *
 *     bool fb_bloom_double_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_bloom_double_prefetch(const struct fb_filter *, const uint64_t *digest);
 *     void fb_bloom_double_insert(struct fb_filter *, const uint64_t *digest);
 *
 * A digest has two words. prefetch starts to load the line of the first probe. insert
 * leaves n_keys to the caller. The filter must be one of design bloom-double with bits:
 * fb_filter_constant(f) is FB_ASKS. Layout and source: filters/bloom_double.c.
 */
#ifndef FILTERBENCH_FILTERS_INLINE_BLOOM_DOUBLE_H
#define FILTERBENCH_FILTERS_INLINE_BLOOM_DOUBLE_H

#include "filters/inline/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline struct fb_walk fb_bloom_double_start(const struct fb_filter *f,
                                                   const uint64_t *digest)
{
    const struct fb_walk w = {fb_mod(digest[0], f->geom.range), fb_mod(digest[1], f->geom.range)};
    return w;
}

static inline uint64_t fb_bloom_double_position(const struct fb_filter *f, struct fb_walk w,
                                                const uint64_t *digest, uint32_t t)
{
    (void)f, (void)digest, (void)t;
    return w.h;
}

static inline struct fb_walk fb_bloom_double_next(const struct fb_filter *f, struct fb_walk w,
                                                  uint32_t t)
{
    (void)t;
    w.h += w.step;
    w.h = w.h >= f->geom.n_bits ? w.h - f->geom.n_bits : w.h;
    return w;
}

FB_WALK_FUNCTIONS(fb_bloom_double, fb_bloom_double_start, fb_bloom_double_position,
                  fb_bloom_double_next)

#ifdef __cplusplus
}
#endif

#endif

/*
 * Single lookups and inserts for bloom-double, which the compiler inlines into your own loop.
 *
 *     bool fb_bloom_double_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_bloom_double_prefetch(const struct fb_filter *, const uint64_t *digest);
 *     void fb_bloom_double_insert(struct fb_filter *, const uint64_t *digest);
 *
 * A digest has two words. The prefetch starts to load the line of the first probe.
 * The insert does not update n_keys. The filter must be one of design bloom-double, and
 * fb_filter_constant(f) must be FB_ASKS. One thread inserts; while none does, any number may ask.
 *
 * Layout and source: filters/bloom_double.c.
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

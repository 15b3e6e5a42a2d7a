/*
 * Single lookups and inserts for nori, which the compiler inlines into your own loop.
 *
 *     bool fb_nori_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_nori_prefetch(const struct fb_filter *, const uint64_t *digest);
 *     void fb_nori_insert(struct fb_filter *, const uint64_t *digest);
 *
 * A digest has two words. The prefetch starts to load the line of the first probe.
 * The insert does not update n_keys. The filter must be one of design nori, and
 * fb_filter_constant(f) must be FB_ASKS. One thread inserts; while none does, any number may ask.
 *
 * Layout and source: filters/nori.c.
 */
#ifndef FILTERBENCH_FILTERS_INLINE_NORI_H
#define FILTERBENCH_FILTERS_INLINE_NORI_H

#include "filters/inline/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

FB_WALK_FUNCTIONS(fb_nori, fb_walk_pair, fb_walk_mod, fb_walk_add)

#ifdef __cplusplus
}
#endif

#endif

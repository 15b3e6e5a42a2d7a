/*
 * One lookup and one insert in nori, to be inlined into a caller's own loop.
 *
 *     bool fb_nori_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_nori_prefetch(const struct fb_filter *, const uint64_t *digest);
 *     void fb_nori_insert(struct fb_filter *, const uint64_t *digest);
 *
 * A digest has two words. prefetch starts to load the line of the first probe. insert
 * leaves n_keys to the caller. The filter must be one of design nori with bits:
 * fb_filter_constant(f) is FB_ASKS. Layout and source: filters/nori.c.
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

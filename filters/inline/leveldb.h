/*
 * Single lookups and inserts for leveldb, which the compiler inlines into your own loop.
 *
 *     bool fb_leveldb_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_leveldb_prefetch(const struct fb_filter *, const uint64_t *digest);
 *     void fb_leveldb_insert(struct fb_filter *, const uint64_t *digest);
 *
 * A digest has one word, of which the low 32 bits count. The prefetch starts to load the line of
 * the first probe. The insert does not update n_keys. The filter must be one of design leveldb, and
 * fb_filter_constant(f) must be FB_ASKS. One thread inserts; while none does, any number may ask.
 *
 * Layout and source: filters/leveldb.c.
 */
#ifndef FILTERBENCH_FILTERS_INLINE_LEVELDB_H
#define FILTERBENCH_FILTERS_INLINE_LEVELDB_H

#include "filters/inline/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline struct fb_walk fb_leveldb_start(const struct fb_filter *f, const uint64_t *digest)
{
    (void)f;
    const struct fb_walk w = {fb_lo32(digest[0]), fb_rotr32(fb_lo32(digest[0]), 17)};
    return w;
}

FB_WALK_FUNCTIONS(fb_leveldb, fb_leveldb_start, fb_walk_mod32_single, fb_walk_add32)

#ifdef __cplusplus
}
#endif

#endif

/*
 * Steps that the lookups share. A walk asks the filters up to the run that holds its key, a word of
 * 64 answers at a time.
 */
#ifndef FILTERBENCH_FILTERS_LOOKUP_INTERNAL_ONE_BY_ONE_H
#define FILTERBENCH_FILTERS_LOOKUP_INTERNAL_ONE_BY_ONE_H

#include "filters/lookup/lookup.h"

enum { FB_ACROSS = 64 }; /* filters that query_across takes */

/* Filters of walk i, newest first. */
static inline const struct fb_filter *const *fb_walk_row(const struct fb_walks *w, size_t i)
{
    return w->one_row ? w->filters : w->filters + i * w->width;
}

/* How many runs walk i visits. */
static inline size_t fb_walk_length(const struct fb_walks *w, size_t i)
{
    return w->holder[i] < w->width ? w->holder[i] + (size_t)1 : w->width;
}

/* The digest of key w->first + i, unless it is there. The call is indirect, into functions that the
 * optimiser does not see: none can be shared or dropped. */
static inline void fb_walk_digest(const struct fb_walks *w, size_t i, unsigned n_words,
                                  uint64_t *digest, struct fb_walk_work *work)
{
    const struct fb_keys *keys = w->keys;
    if (!keys)
        return;
    if (!w->hash && !keys->type) {
        w->design->digest(fb_key_at(keys, w->first + i), fb_key_len(keys, w->first + i), n_words,
                          digest);
    } else {
        const struct fb_keys one = {.bytes = keys->bytes,
                                    .offset = keys->offset + w->first + i,
                                    .type = keys->type ? keys->type + w->first + i : NULL,
                                    .n = 1};
        (void)!fb_digest_keys(w->design, w->hash, n_words, &one, digest);
    }
    if (work)
        work->digests++;
}

/* Filters among `filters` [n] that are there. */
static inline uint64_t fb_walk_count(const struct fb_filter *const *filters, size_t n)
{
    uint64_t count = 0;
    for (size_t r = 0; r < n; r++)
        count += filters[r] != NULL;
    return count;
}

/* One walk with its digest at hand; maybe [fb_walk_words(width)]. */
static inline void fb_walk_ask(const struct fb_walks *w, size_t i, const uint64_t *digest,
                               uint64_t *maybe, struct fb_walk_work *work)
{
    const struct fb_filter *const *row = fb_walk_row(w, i);
    const size_t n = fb_walk_length(w, i);
    for (size_t r = 0; r < w->width; r += FB_ACROSS) {
        size_t some = r >= n ? 0 : n - r < FB_ACROSS ? n - r : FB_ACROSS;
        maybe[r / FB_ACROSS] = some ? w->kernel->query_across(row + r, some, digest) : 0;
    }
    if (work)
        work->asked += fb_walk_count(row, n);
}

#endif

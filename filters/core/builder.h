/*
 * A filter built step by step: open, add keys or digests as they come, finish; or give up with
 * close.
 *
 *     struct fb_builder b;
 *     err = fb_builder_open(&b, design, NULL, &params, 1000, &why);
 *     err = fb_builder_add(&b, digests, 999, &added, &why);
 *     err = fb_builder_add_key(&b, "last", 4, &why);
 *     err = fb_builder_finish(&b, &filter, &why);
 *     fb_builder_close(&b);
 *
 * gives the filter that fb_filter_build makes of the same 1000 keys: the same geometry, bits and
 * blocks. A design that adds key by key is sized for the number expected and filled as
 * keys come. A design that needs all keys at once (fb_design_waits), and any design of which the
 * number is not known, keeps the digests until finish and is sized for what came.
 */
#ifndef FILTERBENCH_FILTERS_CORE_BUILDER_H
#define FILTERBENCH_FILTERS_CORE_BUILDER_H

#include "filters/core/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fb_builder {
    const struct fb_design *design;
    const struct fb_hash *hash;
    struct fb_params params; /* as asked for */
    unsigned words;          /* of a digest */
    struct fb_filter filter; /* being filled; without a design while digests wait */
    uint64_t *digests;       /* that wait, [room * words], owned */
    size_t n, room;          /* of them */
    struct fb_heap heap;     /* theirs, and what finish takes */
    size_t placed;           /* after finish answered FB_EFULL: keys that found a place */
};

/*
 * n_expected: keys that will come; 0: not known. params->capacity, if set, is what the filter is
 * sized for instead. FB_EINVAL: the number is not known, and a digest of the design has as many
 * words as the filter has probes. A builder that failed to open may be closed.
 */
enum fb_err fb_builder_open(struct fb_builder *, const struct fb_design *, const struct fb_hash *,
                            const struct fb_params *params, uint64_t n_expected,
                            const char **why) FB_MUST_USE;

/* Takes n digests [n * words], in their order. FB_EFULL: only the first *added found a place; those
 * stay in. */
enum fb_err fb_builder_add(struct fb_builder *, const uint64_t *digests, size_t n, size_t *added,
                           const char **why) FB_MUST_USE;

/* Takes one key, hashed by the builder's hash or the design's own. FB_EINVAL: the design takes no
 * key of that length. FB_EFULL: it found no place. */
enum fb_err fb_builder_add_key(struct fb_builder *, const void *key, size_t len,
                               const char **why) FB_MUST_USE;

/* The filter, finished, to *out; zeroed on failure. FB_EFULL: keys that waited found no place,
 * `placed` did in the last attempt. Only close may follow. */
enum fb_err fb_builder_finish(struct fb_builder *, struct fb_filter *out,
                              const char **why) FB_MUST_USE;

void fb_builder_close(struct fb_builder *); /* a zeroed one is accepted */

#ifdef __cplusplus
}
#endif

#endif

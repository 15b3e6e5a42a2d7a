/*
 * Builds a filter step by step, when keys come one after another: open, add, finish, close.
 *
 *     struct fb_builder b;
 *     err = fb_builder_open(&b, design, NULL, &params, 1000, &why);
 *     err = fb_builder_add(&b, digests, 999, &added, &why);
 *     err = fb_builder_add_key(&b, "last", 4, &why);
 *     err = fb_builder_finish(&b, &filter, &why);
 *     fb_builder_close(&b);
 *
 * The result equals what fb_filter_build makes of the same 1000 keys: the same geometry, bits and
 * blocks.
 *
 * If the design adds key by key and you give the number of keys, the filter is sized at once and
 * filled as keys come. Otherwise the builder keeps all digests in memory until finish, and sizes
 * the filter for the keys that came. fb_design_waits tells which designs need that.
 *
 * A builder belongs to one thread at a time.
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
    struct fb_params params; /* as the caller gave them */
    unsigned words;          /* 64-bit words per digest */
    struct fb_filter filter; /* the filter being filled; has no design while digests wait */
    uint64_t *digests;       /* waiting digests, [room * words], owned */
    size_t n, room;          /* waiting digests, and how many fit */
    struct fb_heap heap;     /* counts the memory of the digests and of finish */
    size_t placed;           /* after finish returned FB_EFULL: keys that found a place */
};

/*
 * Opens a builder. Give n_expected, the number of keys that will come, or 0 if you do not know it.
 * If params->capacity is set, it sizes the filter instead. A hash of NULL is the design's own. A
 * builder that failed to open may be closed.
 *
 * FB_EINVAL: the design does not take these params. It also comes if you do not give the number of
 * keys to a design whose digest_words is 0, because there the length of a digest follows from it.
 * FB_ENOMEM: memory is lacking.
 */
enum fb_err fb_builder_open(struct fb_builder *, const struct fb_design *, const struct fb_hash *,
                            const struct fb_params *params, uint64_t n_expected,
                            const char **why) FB_MUST_USE;

/* Adds n digests in their order. A digest has as many 64-bit words as the member `words` of the
 * builder says. FB_EFULL: only the first *added found a place. Those stay in the filter. FB_ENOMEM:
 * memory is lacking, and *added is 0. */
enum fb_err fb_builder_add(struct fb_builder *, const uint64_t *digests, size_t n, size_t *added,
                           const char **why) FB_MUST_USE;

/* Adds one key, hashed by the builder's hash or else the design's own. FB_EINVAL: the design takes
 * no key of that length. FB_EFULL: the key found no place. */
enum fb_err fb_builder_add_key(struct fb_builder *, const void *key, size_t len,
                               const char **why) FB_MUST_USE;

/* Moves the finished filter to *out, which the caller then owns, and zeroes *out on failure. Only
 * close may follow.
 *
 * FB_EFULL: some keys that waited found no place. The member `placed` says how many did in the last
 * attempt. FB_EINVAL: the design has no filter for so many keys. FB_EUNSUPPORTED: a digest would be
 * longer or shorter for the keys that came than for the number you gave. FB_ENOMEM: memory is
 * lacking. */
enum fb_err fb_builder_finish(struct fb_builder *, struct fb_filter *out,
                              const char **why) FB_MUST_USE;

/* Frees what the builder still owns. A zeroed builder may be closed. */
void fb_builder_close(struct fb_builder *);

#ifdef __cplusplus
}
#endif

#endif

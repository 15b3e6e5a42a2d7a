/*
 * A filter behind a pointer, for languages that call C and know none of its structs.
 *
 *     struct fb_filter *f = fb_filter_new("fuse-8", 0, 1000); NULL: fb_filter_why() says why
 *     fb_filter_add(f, "apple", 5);                           for each key
 *     fb_filter_finish(f);
 *     fb_filter_maybe(f, "apple", 5);                         true
 *     fb_filter_free(f);
 *
 * Every design works so, static ones as well. fb_filter_add and fb_filter_maybe are those of
 * filter.h; they return what fb_err_text explains, and accept no NULL. One thread at a time until
 * the filter is finished; then any number may ask.
 */
#ifndef FILTERBENCH_FILTERS_CORE_HANDLE_H
#define FILTERBENCH_FILTERS_CORE_HANDLE_H

#include "filters/core/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A filter of the named design for n_keys keys, with so many bits per key, 0 for a design that has
 * one size. n_keys 0: it is made for the keys that are added until it is finished; a design may
 * refuse that. NULL: no such design, it takes no such size, or memory is lacking. Until it is
 * finished it answers "maybe" to every question. */
struct fb_filter *fb_filter_new(const char *design, double bits_per_key, uint64_t n_keys);

/* Builds it from the keys that were added. Designs that add take more keys later, if
 * it was made for any. FB_EFULL: the keys found no place; it answers "maybe" from then on, and may
 * only be freed. */
enum fb_err fb_filter_finish(struct fb_filter *);

/* The design's native block, into block [room]. Returns its bytes, and writes none where there is
 * less room: ask with 0 first. 0: it is not finished, the design has no block, or that of no keys
 * is empty. */
size_t fb_filter_save(const struct fb_filter *, void *block, size_t room);
/* NULL: bytes that the reader of the real system refuses, or memory is lacking. Few blocks have a
 * checksum or a name in them: keep both beside a block, as one that was damaged, or is another
 * design's, may be read and lack keys. */
struct fb_filter *fb_filter_load(const char *design, const void *block, size_t len);

/* Of fb_filter_new and fb_filter_load alone. NULL is accepted. */
void fb_filter_free(struct fb_filter *);

/* What the last new, load or finish of this thread had against it; "" where there is nothing to
 * add. Static. */
const char *fb_filter_why(void);

/* "1.2.3", of the library that runs: version.h is what a program was compiled against. */
const char *fb_version(void);

#ifdef __cplusplus
}
#endif

#endif

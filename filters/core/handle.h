/*
 * A filter behind a pointer, for languages that call C functions but do not know C structs.
 *
 *     struct fb_filter *f = fb_filter_new("fuse-8", 0, 1000); NULL: fb_filter_why() says why
 *     fb_filter_add(f, "apple", 5);                           for each key
 *     fb_filter_finish(f);
 *     fb_filter_maybe(f, "apple", 5);                         true
 *     fb_filter_free(f);
 *
 * This works for every design, also for those that need all keys at once: the filter collects the
 * keys until fb_filter_finish. Until then FB_EFULL of fb_filter_add may also mean that memory is
 * lacking. fb_err_text explains the errors.
 *
 * filter.h declares fb_filter_add and fb_filter_maybe. Neither accepts NULL as the filter.
 *
 * Use a filter in one thread at a time until it is finished. Then any number may ask it, while
 * none adds.
 */
#ifndef FILTERBENCH_FILTERS_CORE_HANDLE_H
#define FILTERBENCH_FILTERS_CORE_HANDLE_H

#include "filters/core/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a filter of the named design for n_keys keys. Give 0 bits per key to a design that has one
 * size. With n_keys 0 the filter is sized for the keys that are added before it is finished, which
 * some designs refuse. Until it is finished, the filter answers "maybe" to every question.
 *
 * Returns NULL if there is no such design, it takes no such size, or memory is lacking. Release
 * the filter with fb_filter_free. */
struct fb_filter *fb_filter_new(const char *design, double bits_per_key, uint64_t n_keys);

/* Builds the filter from the keys that were added. Afterwards a design that adds key by key takes
 * more keys, if the filter was made for any. Every other design then refuses fb_filter_add with
 * FB_EUNSUPPORTED.
 *
 * FB_EFULL: the keys found no place. After any error the filter answers "maybe" to everything and
 * may only be freed. */
enum fb_err fb_filter_finish(struct fb_filter *);

/* Writes the design's native block into block [room] and returns its size in bytes. It writes
 * nothing if room is too small, so call it with 0 first to learn the size. Returns 0 if the filter
 * is not finished, the design has no block, or the block of no keys is empty. */
size_t fb_filter_save(const struct fb_filter *, void *block, size_t room);
/* Makes a filter of a block. Returns NULL if the reader of the real system would refuse the bytes,
 * or if memory is lacking. Release the filter with fb_filter_free.
 *
 * Few formats have a checksum or the name of their design in the block. Store both beside it: a
 * damaged or foreign block may be accepted, and then deny keys. */
struct fb_filter *fb_filter_load(const char *design, const void *block, size_t len);

/* Frees a filter that fb_filter_new or fb_filter_load made, and no other. NULL is accepted. */
void fb_filter_free(struct fb_filter *);

/* Says why the last new, load or finish of this thread failed, or "" if there is nothing to add.
 * The text is static. */
const char *fb_filter_why(void);

/* Returns the version of the library that runs, such as "1.2.3". version.h has the version that the
 * program was compiled against. */
const char *fb_version(void);

#ifdef __cplusplus
}
#endif

#endif

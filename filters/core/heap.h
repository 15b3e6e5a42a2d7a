/*
 * Memory that a build holds beside its filter: taken and given back through a count of what is held
 * and of the most that was, so that no design states what it takes.
 *
 *     uint32_t *waiting = fb_heap_take(b->heap, n * sizeof *waiting);
 *     ...
 *     fb_heap_give(b->heap, waiting, n * sizeof *waiting);
 *
 * A build gives back all that it took, whether it ends well or not. The bytes of a filter are not
 * counted: a build that replaces them frees the old ones first. A count is of one thread at a time.
 */
#ifndef FILTERBENCH_FILTERS_CORE_HEAP_H
#define FILTERBENCH_FILTERS_CORE_HEAP_H

#include "filters/core/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fb_heap {
    uint64_t held, most; /* bytes: now, and at the time when they were most */
};

/* Every function takes NULL for a count that nobody keeps. */

/* Memory as malloc() and calloc() give it, n_bytes of it counted; never NULL for n_bytes = 0. NULL
 * when there is none; then nothing is counted. */
void *fb_heap_take(struct fb_heap *, uint64_t n_bytes) FB_MUST_USE;
void *fb_heap_take_zeroed(struct fb_heap *, uint64_t n_bytes) FB_MUST_USE;
/* Frees what was taken, of as many bytes. NULL is accepted, and counts for nothing. */
void fb_heap_give(struct fb_heap *, void *taken, uint64_t n_bytes);

/* Counts bytes that others allocate, such as a library, and that they have freed. */
void fb_heap_hold(struct fb_heap *, uint64_t n_bytes);
void fb_heap_drop(struct fb_heap *, uint64_t n_bytes);

#ifdef __cplusplus
}
#endif

#endif

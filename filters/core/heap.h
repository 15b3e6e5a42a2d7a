/*
 * Counts the memory that a build holds beside its filter, in bytes, now and at its peak. A build
 * allocates and frees through the count, so results measure what it takes.
 *
 * A struct fb_heap is a counter of bytes and no allocator: the memory comes from malloc() and
 * calloc(). "take" allocates and counts, "give" frees and uncounts. "hold" and "drop" only count,
 * for memory that other code allocates and frees.
 *
 *     uint32_t *waiting = fb_heap_take(b->heap, n * sizeof *waiting);
 *     ...
 *     fb_heap_give(b->heap, waiting, n * sizeof *waiting);
 *
 * A build gives back all that it took, whether it succeeds or fails. The bytes of the filter itself
 * are not counted. A build that replaces them frees the old ones first.
 *
 * A count belongs to one thread at a time.
 */
#ifndef FILTERBENCH_FILTERS_CORE_HEAP_H
#define FILTERBENCH_FILTERS_CORE_HEAP_H

#include "filters/core/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The counter. Start with both members 0. */
struct fb_heap {
    uint64_t held, most; /* bytes held now, and at the peak */
};

/* Each function accepts NULL in place of a count. Then nothing is counted. */

/* Allocate like malloc() and calloc(), and add n_bytes to the count. For n_bytes = 0 they return a
 * pointer, too. They return NULL if memory is lacking, and then count nothing. Release the memory
 * with fb_heap_give. */
void *fb_heap_take(struct fb_heap *, uint64_t n_bytes) FB_MUST_USE;
void *fb_heap_take_zeroed(struct fb_heap *, uint64_t n_bytes) FB_MUST_USE;
/* Frees what was taken and subtracts n_bytes, which must be the number that was asked for. NULL is
 * accepted as `taken` and changes no count. */
void fb_heap_give(struct fb_heap *, void *taken, uint64_t n_bytes);

/* Add n_bytes to the count, or subtract them, and neither allocate nor free. Call them when other
 * code, such as a library, has allocated or has freed that memory. */
void fb_heap_hold(struct fb_heap *, uint64_t n_bytes);
void fb_heap_drop(struct fb_heap *, uint64_t n_bytes);

#ifdef __cplusplus
}
#endif

#endif

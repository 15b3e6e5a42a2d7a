/*
 * The walks of a timed cell: keys, their digests at hand, asked of R filters of one design that lie
 * one behind the other.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_WALKED_H
#define FILTERBENCH_HARNESS_FILTER_WALKED_H

#include "filters/lookup/lookup.h"
#include "harness/filter/timing.h"

/* Keys of a block: digests, answers and bits of so many stay in L1. */
enum { FB_WALKED_KEYS = 1024 };

struct fb_walked {
    struct fb_walks walks; /* of FB_WALKED_KEYS keys; without digests */
    const struct fb_lookup *lookup;
    struct fb_filter *filters;    /* [runs], owned; their bytes are borrowed */
    const struct fb_filter **row; /* [runs], owned */
    uint32_t *holder;             /* [FB_WALKED_KEYS]: no filter holds a key; owned */
    uint8_t *answers;             /* [FB_WALKED_KEYS * runs], owned */
    uint64_t *maybe;              /* of every key, owned */
};

/* Filters like `first`, whose bytes are those of all. Asks with its kernel. FB_ENOMEM: close it
 * then as well. */
enum fb_err fb_walked_open(struct fb_walked *, const struct fb_timing_cell *,
                           const struct fb_timing_filter *,
                           const struct fb_filter *first) FB_MUST_USE;
void fb_walked_close(struct fb_walked *); /* a zeroed one is accepted */

/* Walks of n keys, at most FB_WALKED_KEYS. */
uint64_t fb_walked_run(const struct fb_walked *, uint64_t *digests, size_t n);

#endif

/*
 * How one query visits many filters, as a lookup in an LSM tree does. A walk is such a visit.
 *
 * The ways come from SHaMBa (Zhu et al., "Reducing Bloom Filter Overhead in LSM Trees", DaMoN
 * 2021), lsm-tree's contains_hash and RocksDB's MultiGet:
 *
 *     rehash-each         hash the key again for every filter, as engines did
 *     shared-digest       hash once, ask filter after filter
 *     shared-prefetch     hash once, prefetch the first line of every candidate, then ask
 *     shared-branch-free  hash once, all probes of a filter without a branch
 *     batched             hash a batch of keys, ask run after run about all of them
 *
 * A walk ends at the filter of the run that holds the key. Filters behind it are not asked, except
 * by lookups that ask ahead, which their counts show. Nothing here allocates. Threads may walk the
 * same filters with a struct fb_walks each.
 */
#ifndef FILTERBENCH_FILTERS_LOOKUP_LOOKUP_H
#define FILTERBENCH_FILTERS_LOOKUP_LOOKUP_H

#include "filters/core/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * n walks, each over at most `width` filters of one design, newest first. Sizes and probes of the
 * filters may differ. All pointers are borrowed.
 *
 * Filter r of walk i is filters[i * width + r], or filters[r] with one_row. It is NULL if the key
 * is outside the run's range, and then says no. For a run without a filter, give one whose kernel
 * is fb_kernel_yes. The design must take the keys, or the answers mean nothing: fb_digest_keys
 * tells.
 */
struct fb_walks {
    const struct fb_design *design;
    const struct fb_hash *hash;     /* NULL: the design's own */
    const struct fb_kernel *kernel; /* from fb_lookup_kernel */
    const struct fb_keys *keys; /* NULL: `digests` already has the digests, so nothing is hashed */
    size_t first, n;            /* walk i, for i = 0 .. n - 1, looks for key first + i */
    size_t width;
    bool one_row;                           /* all walks ask the same filters */
    const struct fb_filter *const *filters; /* [n * width]; with one_row [width] */
    const uint32_t *holder; /* [n]: the run that holds the key of walk i (key first + i), where the
                               walk ends; width or more: no run holds it */
    unsigned digest_words;  /* words per digest, as many as any of the filters needs */
    uint64_t *digests;      /* [n * digest_words], walk by walk: scratch, or given with keys NULL */
    uint8_t *answers;       /* [n * width]: scratch */
};

struct fb_walk_work {
    uint64_t digests; /* how many times a key was hashed */
    uint64_t asked;   /* how many filters were asked */
};

/* Returns the number of 64-bit words that the answer of one walk takes. */
static inline size_t fb_walk_words(size_t width)
{
    return (width + 63) / 64;
}

struct fb_lookup {
    const char *name, *summary;
    bool batched;     /* needs many keys at a time, so one query has no latency of its own */
    bool branch_free; /* asks with a kernel whose probes do not branch */
    /* Does n walks and writes all of maybe [n * fb_walk_words(width)], so you need not clear it.
     * Walk i has the words from maybe[i * fb_walk_words(width)] on. Bit r of them is 1 if filter r
     * was asked and may hold the key, otherwise it is 0.
     *
     * All lookups write the same bits, and set none behind the holder. The call adds to *work,
     * which may be NULL. */
    void (*run)(const struct fb_walks *, uint64_t *maybe, struct fb_walk_work *);
};

/* All lookups. The table ends with NULL. */
extern const struct fb_lookup *const fb_lookups[];
const struct fb_lookup *fb_lookup_find(const char *name); /* NULL: no such lookup */

/* Returns the kernel with which a lookup asks a design on this machine. For shared-branch-free that
 * is a branch-free one if the design has one, otherwise it is the best one. `isa` is the latest
 * instruction set that may be taken; FB_ISA_NONE sets no limit. */
const struct fb_kernel *fb_lookup_kernel(const struct fb_lookup *, const struct fb_design *,
                                         enum fb_isa);

#ifdef __cplusplus
}
#endif

#endif

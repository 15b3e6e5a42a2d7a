/*
 * How one query visits many filters: a design axis of its own (SHaMBa: Zhu et al.,
 * "Reducing Bloom Filter Overhead in LSM Trees", DaMoN 2021; lsm-tree's contains_hash; RocksDB's
 * MultiGet).
 *
 *     rehash-each         hash the key again for every filter, as engines did
 *     shared-digest       hash once, ask filter after filter
 *     shared-prefetch     hash once, prefetch the first line of every candidate, then ask
 *     shared-branch-free  hash once, all probes of a filter without a branch
 *     batched             hash a batch of keys, ask by run: many keys in flight
 *
 * A walk ends at the first filter that is right to say yes; filters behind it are not asked, except
 * by those lookups that ask ahead (their counts say so). Nothing here allocates.
 */
#ifndef FILTERBENCH_FILTERS_LOOKUP_LOOKUP_H
#define FILTERBENCH_FILTERS_LOOKUP_LOOKUP_H

#include "filters/core/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * n walks over at most `width` filters of one design, newest first; sizes and probes may differ.
 * Filter r of walk i is filters[i * width + r], with one_row filters[r]; NULL where the key is out
 * of its range: it says no. A run without a filter has one of fb_kernel_yes. The design must take
 * the keys: what fb_digest_keys refuses gives meaningless answers.
 */
struct fb_walks {
    const struct fb_design *design;
    const struct fb_hash *hash;     /* NULL: the design's own */
    const struct fb_kernel *kernel; /* the one to ask with */
    const struct fb_keys *keys; /* NULL: `digests` holds theirs already, and nothing is hashed */
    size_t first, n;            /* keys first .. first + n - 1 */
    size_t width;
    bool one_row;                           /* all walks ask the same filters */
    const struct fb_filter *const *filters; /* [n * width]; with one_row [width] */
    const uint32_t *holder; /* [n] the run that holds key i: the walk ends there; >= width: none */
    unsigned digest_words;  /* words of one digest: the most that any of the filters needs */
    uint64_t *digests;      /* [n * digest_words] scratch, or given */
    uint8_t *answers;       /* [n * width] scratch */
};

struct fb_walk_work {
    uint64_t digests; /* keys hashed, counted where it is done */
    uint64_t asked;   /* filters asked */
};

/* 64-bit words of the answer of one walk. */
static inline size_t fb_walk_words(size_t width)
{
    return (width + 63) / 64;
}

struct fb_lookup {
    const char *name, *summary;
    bool batched;     /* needs many keys at a time: no latency of one query */
    bool branch_free; /* asks with a kernel whose probes do not branch */
    /* Bit r of maybe[i * fb_walk_words(width) ..] says that filter r of walk i was asked and may
     * hold the key. Equal for all lookups up to and including the holder; bits behind it are 0.
     * Adds to *work, which may be NULL. */
    void (*run)(const struct fb_walks *, uint64_t *maybe, struct fb_walk_work *);
};

/* The table, ending with NULL. */
extern const struct fb_lookup *const fb_lookups[];
const struct fb_lookup *fb_lookup_find(const char *name); /* NULL: no such lookup */

/* The kernel of a design that a lookup asks with on this machine: a branch-free one for
 * shared-branch-free where the design has one, the best otherwise; of no later instruction set than
 * `isa`, unless that is FB_ISA_NONE. */
const struct fb_kernel *fb_lookup_kernel(const struct fb_lookup *, const struct fb_design *,
                                         enum fb_isa);

#ifdef __cplusplus
}
#endif

#endif

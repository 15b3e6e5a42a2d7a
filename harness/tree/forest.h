/*
 * A forest is the filters of a whole LSM-tree: one design, and a size for each sorted run. The bits
 * of all units lie in one mapped file, the arena. A forest knows no queries; kind lsm keeps a tree
 * with its queries in struct fb_lsm_standing.
 */
#ifndef FILTERBENCH_HARNESS_TREE_FOREST_H
#define FILTERBENCH_HARNESS_TREE_FOREST_H

#include "filters/core/filter.h"
#include "harness/base/progress.h"
#include "harness/tree/prefix.h"
#include "workloads/core/tree.h"

struct fb_forest;

struct fb_forest_spec {
    const struct fb_design *design;
    const struct fb_hash *hash;     /* NULL: the design's own */
    const struct fb_params *params; /* [tree->n_runs] resolved or not; bits_per_key < 0: the run has
                                       no filter, which answers yes and takes no memory */
    const struct fb_prefix *prefix; /* what of each key goes in; NULL: the key */

    /* How the filters are built. Their bits do not depend on it. */
    uint64_t window_bytes;        /* of keys that wait for their filters, one unit's at least */
    unsigned n_threads;           /* 0: all */
    struct fb_progress *progress; /* counts keys; NULL: nobody looks */

    /*
     * NULL: all filters stand at the end. Else they pass: the filters of a window and its keys
     * together take window_bytes, one unit's at least. `visit` may ask those of units first ..
     * end - 1, and then they are gone. Each unit is in one window. *complete: not interrupted. With
     * prefixes no filters pass.
     */
    enum fb_err (*visit)(void *visitor, const struct fb_forest *, size_t first, size_t end,
                         bool *complete);
    void *visitor;
};

struct fb_forest_run {
    bool filtered;  /* false: no filter, answers yes; memtables have none */
    uint64_t bytes; /* of all its filters */
};

struct fb_forest {
    const struct fb_design *design;
    const struct fb_hash *hash;
    const struct fb_tree *tree; /* borrowed */
    struct fb_forest_run *runs; /* [tree->n_runs], owned */
    struct fb_filter *filters;  /* [tree->n_units], owned; their bytes lie in the arena, each filter
                                   on a cache line; not to be closed one by one. temporary_bytes
                                   include digests that wait (fb_design_waits), as those of
                                   fb_filter_build. Those that have passed have no bytes. */
    uint8_t *arena;             /* mapped from fd; NULL: the filters have passed */
    uint64_t arena_bytes;
    int fd;                  /* memory file; measuring processes map it */
    unsigned digest_words;   /* the most any filter needs */
    struct fb_prefix prefix; /* what of each key is in; kind FB_PREFIX_NONE: the key */
    uint64_t filter_bytes;   /* of all runs */
    uint64_t checksum;       /* c = XXH64(c, XXH64(bits)), unit by unit, from 0 */
};

/*
 * Builds every unit from its keys, sized by how many it has: the same filters as fb_filter_build of
 * those keys in the order of fb_run_each. With a prefix a unit gets the entries of its sorted keys
 * (prefix.h) and its size from their number. A unit without keys gets no bytes and answers no; one
 * without a filter gets none and answers yes.
 *
 * Keys are made window by window: peak memory is the arena, the window and some 300 bytes a unit;
 * with a prefix, or a design that may depart from its plan, twice the arena. Where filters pass, it
 * is the window and those bytes a unit. Every window makes the keys of its runs anew, so small
 * windows take time: 64 MiB is few. *complete is false when
 * interrupted: out is then zeroed, as after an error. *why is set on FB_EINVAL and FB_EUNSUPPORTED
 * (of a unit of 2^32 keys, for one).
 */
enum fb_err fb_forest_build(const struct fb_forest_spec *, const struct fb_tree *,
                            struct fb_forest *out, bool *complete, const char **why) FB_MUST_USE;
void fb_forest_close(struct fb_forest *); /* a zeroed one is accepted */

/* Digests of what point reads ask the filters for, [keys->n * digest_words]: of the keys, or of
 * their prefixes if the filters hold nothing else. */
enum fb_err fb_forest_digest(const struct fb_forest *, const struct fb_keys *,
                             uint64_t *digests) FB_MUST_USE;

/*
 * Mean of the rates that the design's formula predicts for the filters of a run, from their sizes
 * and numbers of keys; 1 where the run has no filter, NaN where it has no unit. *closed: false
 * where the formula is not accurate for all of them and only a simulation could tell
 * (filters/core/simulate.h). Thread-safe.
 */
double fb_forest_run_rate(const struct fb_forest *, size_t run, bool *closed);

#endif

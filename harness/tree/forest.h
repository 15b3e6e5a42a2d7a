/*
 * The filters of a whole tree: one design, a size for each run, one block of memory for all units.
 */
#ifndef FILTERBENCH_HARNESS_TREE_FOREST_H
#define FILTERBENCH_HARNESS_TREE_FOREST_H

#include "filters/core/filter.h"
#include "harness/base/progress.h"
#include "harness/tree/prefix.h"
#include "workloads/core/tree.h"

struct fb_forest_spec {
    const struct fb_design *design;
    const struct fb_hash *hash;     /* NULL: the design's own */
    const struct fb_params *params; /* [tree->n_runs] resolved or not; bits_per_key < 0: the run has
                                       no filter, it answers yes and takes no memory */
    const struct fb_prefix *prefix; /* what of each key goes in; NULL: the key */
};

struct fb_forest {
    const struct fb_design *design;
    const struct fb_hash *hash;
    const struct fb_tree *tree; /* borrowed */
    struct fb_filter *filters;  /* [tree->n_units], owned; their bytes lie in the arena, each filter
                                   on a cache line; not to be closed one by one */
    uint8_t *arena;             /* mapped from fd */
    uint64_t arena_bytes;
    int fd;                /* memory file; measuring processes map it */
    unsigned digest_words; /* the most any filter needs */
    uint64_t *run_bytes;   /* [n_runs] of filter, owned */
    bool *run_filtered;    /* [n_runs] false: no filter, answers yes; memtables; owned */
    struct fb_prefix prefix;
    uint64_t filter_bytes; /* of all */
    uint64_t checksum;     /* c = XXH64(c, XXH64(bits)), unit by unit, from 0 */
    double build_s;
};

/* Whether a run has filters: memtables have none, nor have runs with bits_per_key < 0. */
static inline bool fb_forest_filtered(const struct fb_forest_spec *spec, const struct fb_tree *tree,
                                      size_t run)
{
    return !tree->runs[run].memtable && !(spec->params[run].bits_per_key < 0);
}

/*
 * Builds every unit from its keys, sized by how many it has, on n_threads threads (0: all): the
 * same filters as fb_filter_build of those keys in the order of fb_run_each. A unit without keys
 * gets no bytes and answers no; one without a filter gets none and answers yes.
 *
 * With a prefix a unit gets the entries of its sorted keys (prefix.h) and its size from their
 * number. The keys of as many units as a thread works on are then in memory, and a tree that is not
 * listed costs a pass over a run for every million of its keys.
 *
 * Keys are made window by window: peak memory is the arena, `window_bytes` of digests (more where
 * one unit needs it) and some 250 bytes a unit. Every window makes the keys of its runs anew, so
 * small windows take time: 64 MiB is few. Bits do not depend on threads or windows. progress counts
 * keys; it may be NULL. *complete is false when interrupted: out is then zeroed, as after an error.
 * *why is set on FB_EINVAL and FB_EUNSUPPORTED.
 */
enum fb_err fb_forest_build(const struct fb_forest_spec *, const struct fb_tree *,
                            uint64_t window_bytes, unsigned n_threads, struct fb_progress *progress,
                            struct fb_forest *out, bool *complete, const char **why) FB_MUST_USE;
void fb_forest_close(struct fb_forest *); /* a zeroed one is accepted */

/* Digests of what point reads ask the filters for, [keys->n * digest_words]: the keys, or their
 * prefixes if only those are in. */
enum fb_err fb_forest_digest(const struct fb_forest *, const struct fb_keys *,
                             uint64_t *digests) FB_MUST_USE;

/*
 * Mean of the rates that the design's formula predicts for the filters of a run, from their sizes
 * and numbers of keys; 1 where the run has no filter, NaN where it has no unit. *closed: false
 * where the formula is not accurate for all of them and only a simulation could tell
 * (filters/core/simulate.h). Thread-safe.
 */
double fb_forest_run_rate(const struct fb_forest *, size_t run, bool *closed);

/* Whether filters can tell anything about a key of this length; else they need not be asked. */
static inline bool fb_forest_can_tell(const struct fb_forest *forest, size_t len)
{
    size_t asked;
    return forest->prefix.kind == FB_PREFIX_NONE || fb_prefix_get(&forest->prefix, len, &asked);
}

#endif

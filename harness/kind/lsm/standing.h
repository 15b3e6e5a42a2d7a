/*
 * What stands while the cells of one tree are run: the tree, the queries it serves, and the filters
 * on it until they are timed.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_STANDING_H
#define FILTERBENCH_HARNESS_KIND_LSM_STANDING_H

#include "harness/kind/lsm/timing.h"
#include "harness/kind/lsm/trace.h"

/* Queries for keys that pass filters. */
struct fb_lsm_adversary {
    uint64_t *keys; /* indices, owned */
    size_t n_keys;
    struct fb_queries queries;
};

/* All owned, and borrowed by each other: it must not move. */
struct fb_lsm_standing {
    struct fb_tree_shape shape;
    struct fb_keyspace space;
    struct fb_sorted_space sorted; /* of what is scanned */
    struct fb_tree made;           /* of all trees but those of traces */
    struct fb_trace_tree traced;
    const struct fb_tree *tree;    /* one of the two */
    struct fb_memtables memtables; /* of the tree, where they are searched */
    struct fb_queries *queries;    /* [n_streams]; without a tree where it cannot serve them */
    double *in_range;              /* [n_streams * tree->n_runs] as reach.h says */
    size_t n_streams;
    struct fb_lsm_adversary *adversaries; /* [n_adversaries] */
    size_t n_adversaries;
    size_t n_earlier;          /* adversaries of filters of earlier groups (share.h) */
    struct fb_lsm_timed timed; /* filled by the caller */
};

/*
 * The tree of a cell, and the queries of every stream. Queries of adversaries, who need the filters
 * first, are for keys in the gaps. A tree without filters is warned of in
 * the document, a stream that the tree cannot serve noted on stderr. `out` comes zeroed, and is to
 * be torn down in any case. A line on stderr for every code but OK.
 */
enum fb_exit fb_lsm_stand_up(const struct fb_lsm *, const struct fb_lsm_cell *, json_t *document,
                             struct fb_lsm_standing *out) FB_MUST_USE;
void fb_lsm_tear_down(struct fb_lsm_standing *); /* a zeroed one is accepted */

/*
 * Queries for absent keys that pass this forest. A filter with another hash than the experiment's
 * first one gets the keys found against the latest forest of its group that had that hash, the
 * public one. *out is part of what stands. FB_EINVAL with *why set: no such key was found, or the
 * tree cannot serve the queries.
 */
enum fb_err fb_lsm_adversary(const struct fb_lsm *, const struct fb_lsm_cell *,
                             const struct fb_forest *, struct fb_lsm_standing *,
                             const struct fb_queries **out, const char **why) FB_MUST_USE;

#endif

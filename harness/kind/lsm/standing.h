/*
 * What stands while the cells of one tree are run: the tree, the queries it serves, and the filters
 * on it until they are timed.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_STANDING_H
#define FILTERBENCH_HARNESS_KIND_LSM_STANDING_H

#include "harness/kind/lsm/timing.h"
#include "harness/kind/lsm/trace.h"

/* All owned, and borrowed by each other: it must not move. */
struct fb_lsm_standing {
    struct fb_keyspace space;
    struct fb_sorted_space sorted; /* of what is scanned */
    struct fb_tree made;           /* of all trees but those of traces */
    struct fb_trace_tree traced;
    const struct fb_tree *tree;    /* one of the two */
    struct fb_memtables memtables; /* of the tree, where they are searched */
    struct fb_queries *queries;    /* [n_streams]; without a tree where it cannot serve them */
    size_t n_streams;
    struct fb_lsm_timed timed; /* filled by the caller */
};

/*
 * The tree of a cell, and the queries of every stream; those of adversaries, who need the filters
 * first, are for keys in the gaps. file: as of fb_lsm_run. A tree without filters is warned of in
 * the document, a stream that the tree cannot serve noted on stderr. `out` comes zeroed, and is to
 * be torn down in any case. A line on stderr for every code but OK.
 */
enum fb_exit fb_lsm_stand_up(const struct fb_lsm *, const struct fb_lsm_cell *,
                             const struct fb_keys *file, json_t *document,
                             struct fb_lsm_standing *out) FB_MUST_USE;
void fb_lsm_tear_down(struct fb_lsm_standing *); /* a zeroed one is accepted */

#endif

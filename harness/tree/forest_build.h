/*
 * The passes over a tree's keys that build its filters. Private to forest.c.
 *
 *     count    how many keys each unit has            one pass over all keys
 *     fill     window by window: digests of its units' keys, each put behind those of its unit
 *              (a counting sort: the places are known); then unit by unit the filter
 *
 * A run is cut into slices of keys, fixed by the tree alone. Each slice counts its keys by unit and
 * later writes to places of its own, so the order within a unit is that of fb_run_each, whichever
 * thread takes a slice.
 */
#ifndef FILTERBENCH_HARNESS_TREE_FOREST_BUILD_H
#define FILTERBENCH_HARNESS_TREE_FOREST_BUILD_H

#include "harness/tree/forest.h"

struct fb_forest_run {
    size_t first_unit, n_units;
    size_t n_slices;  /* 0: the run has no filters */
    uint32_t *places; /* [n_slices * n_units] keys of the slice in the unit; then the place of its
                         next one among the unit's keys; owned */
    unsigned words;   /* of digest per key while it waits; a filter may need fewer */
};

struct fb_forest_slice {
    uint32_t run, slice;
};

struct fb_forest_build {
    const struct fb_forest_spec *spec;
    const struct fb_tree *tree;
    struct fb_forest *forest; /* filters[u].n_keys is set by count, params and geom by its caller */
    struct fb_forest_run *runs;     /* [n_runs], owned */
    struct fb_forest_slice *slices; /* [n_slices] of all runs in order, owned */
    size_t n_slices;
    uint64_t *hashes; /* [n_units] XXH64 of its bits, owned */
    uint64_t *starts; /* [n_units] first word of its digests in the window, owned */
    uint64_t *window; /* of digests, owned */
    uint64_t window_bytes;
    size_t first, end; /* units of the window */
    unsigned n_threads;
    struct fb_progress *progress;
    const char *why; /* of a filter that could not be built */
};

enum fb_err fb_forest_build_open(struct fb_forest_build *) FB_MUST_USE;
void fb_forest_build_close(struct fb_forest_build *);
enum fb_err fb_forest_count(struct fb_forest_build *, bool *complete) FB_MUST_USE;
enum fb_err fb_forest_fill(struct fb_forest_build *, bool *complete) FB_MUST_USE;
/* Instead of both: entries of prefixes (forest_prefix.c). */
enum fb_err fb_forest_fill_prefixed(struct fb_forest_build *, bool *complete) FB_MUST_USE;

/* Maps the arena and gives each filter its bytes in it, by geom. */
enum fb_err fb_forest_lay_out(struct fb_forest_build *) FB_MUST_USE;
/* Why a filter could not be built; from any thread. */
void fb_forest_explain(struct fb_forest_build *, const char *why);
/* The checksum from hashes. */
void fb_forest_checksum(struct fb_forest_build *);

#endif

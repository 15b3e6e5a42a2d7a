/*
 * The passes over a tree's keys that build its filters. Private to forest.c.
 *
 *     count    how many keys each unit has: one pass over all keys
 *     fill     window by window: each key is put behind those of its unit (a counting sort: the
 *              places are known), then the filters are built unit by unit; where they pass, they
 *              are visited, and the next window takes their place
 *
 * A key waits in the window as its digest. With a prefix it waits as its index, as the entries show
 * once the unit's keys are sorted.
 *
 * A run is cut into slices of keys, which the tree alone decides. Each slice counts its keys by
 * unit and later writes to places of its own, so the order within a unit is that of fb_run_each,
 * whichever thread takes a slice.
 */
#ifndef FILTERBENCH_HARNESS_TREE_FOREST_BUILD_H
#define FILTERBENCH_HARNESS_TREE_FOREST_BUILD_H

#include "harness/tree/forest.h"

struct fb_run_build {
    size_t first_unit, n_units;
    size_t n_slices;  /* 0: the run has no filters */
    uint32_t *places; /* [n_slices * n_units] keys of the slice in the unit; then the place of its
                         next one among the unit's keys; owned */
    unsigned words;   /* that a key takes in the window, at least what any of its filters needs */
};

struct fb_forest_build {
    const struct fb_forest_spec *spec;
    struct fb_forest *forest;
    struct fb_run_build *runs; /* [n_runs], owned */
    size_t n_slices;           /* of all runs */
    uint64_t *hashes;          /* [n_units] XXH64 of its bits, owned */
    uint64_t *starts;          /* [n_units] first word of its keys in the window, owned */
    uint64_t *window;          /* owned */
    uint8_t *room;             /* of the window's filters, where they pass; owned */
    size_t first, end;         /* units of the window */
    const char *_Atomic why;   /* of a filter that could not be built */
};

/* spec and forest are set, forest->runs are filled in; the rest is zero. */
enum fb_err fb_forest_build_open(struct fb_forest_build *) FB_MUST_USE;
void fb_forest_build_close(struct fb_forest_build *);

/* Sets n_keys of the forest's filters. */
enum fb_err fb_forest_count(struct fb_forest_build *, bool *complete) FB_MUST_USE;

/* True if the size of a filter shows when it is built: it holds prefixes, or the design may depart
 * from its plan. */
bool fb_forest_sizes_late(const struct fb_forest *);

/* Builds the filters and the checksum. Those whose size shows late get bytes of their own; the
 * others are planned and have their bytes by then, unless they pass. `words` of the runs are set.
 */
enum fb_err fb_forest_fill(struct fb_forest_build *, bool *complete) FB_MUST_USE;

#endif

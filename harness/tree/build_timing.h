/*
 * Timing builds of a tree's filters, from keys to filters: keys are hashed, memory for the filter
 * and beside it is taken, filled and given back.
 *
 * A candidate is a filter of as many keys as one of a level has, built from keys that lie evenly
 * over the range of the level's largest run, in their order: no filter that is measured takes a
 * pass over the tree. Small filters are built one after the other, from other keys each, until they
 * have 2^14 keys together, so that no predictor learns them. Candidates are the members of a group
 * (group.h) of one part.
 */
#ifndef FILTERBENCH_HARNESS_TREE_BUILD_TIMING_H
#define FILTERBENCH_HARNESS_TREE_BUILD_TIMING_H

#include "harness/measure/group.h"
#include "harness/tree/forest.h"

struct fb_build_candidate {
    const struct fb_forest *forest;
    size_t run;              /* one with keys and a filter */
    struct fb_params params; /* of its filters */
    uint64_t filter_keys;    /* of each filter, at least 1 */
    int32_t member;          /* out: of the group; -1: such a filter cannot be built */
};

/* The most keys of a filter that is built to be timed: larger ones take too long. */
#define FB_BUILD_TIMED_KEYS (UINT64_C(1) << 22)

/*
 * Measures n candidates as the members of a group, ns per key. A trial in this process comes first;
 * then as many processes as take budget_s by it, one to eight. Of the options budget_s,
 * max_processes, seed and cpu are used. There is no member where no filter can be built, and no
 * process once fb_interrupted(). Close the group in any case.
 */
enum fb_err fb_builds_measure(struct fb_build_candidate *, size_t n,
                              const struct fb_group_options *, struct fb_group *out) FB_MUST_USE;

/* The child's side, for fb_processes_child. */
extern const struct fb_child fb_build_child;

#endif

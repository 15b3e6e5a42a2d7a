/*
 * From the shape of a tree to the sizes of its runs; tree_shape.c makes plans, tree.c trees of
 * them.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_TREE_PLAN_H
#define FILTERBENCH_WORKLOADS_CORE_TREE_PLAN_H

#include "filters/core/bits.h"
#include "workloads/core/tree.h"

struct fb_run_plan {
    uint64_t n_own;
    unsigned level;
    bool memtable;
    uint64_t segments; /* of equal size; 0: as many as segment_keys make */
};

struct fb_tree_plan {
    size_t n_runs;
    unsigned n_levels;
    uint64_t n_keys;
    uint64_t segment_keys, unit_keys, whole_unit_keys; /* at most; the last one at scale 1 */
    struct fb_run_plan run[FB_MAX_RUNS];               /* newest first */
};

/* How many segments a run of the plan has. */
static inline uint64_t fb_run_plan_segments(const struct fb_tree_plan *plan,
                                            const struct fb_run_plan *run)
{
    return run->segments ? run->segments : fb_divide_up(run->n_own, plan->segment_keys);
}

/* A plan for n_keys keys; 0: for what the levels hold. FB_EINVAL with *why set. */
enum fb_err fb_tree_plan(const struct fb_tree_shape *, uint64_t n_keys, struct fb_tree_plan *out,
                         const char **why) FB_MUST_USE;

#endif

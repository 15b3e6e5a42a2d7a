/*
 * From the shape of a tree to the sizes of its runs; tree_shape.c makes plans, tree.c trees of
 * them.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_TREE_PLAN_H
#define FILTERBENCH_WORKLOADS_CORE_TREE_PLAN_H

#include "workloads/core/tree.h"

struct fb_run_plan {
    uint64_t n_own;
    unsigned level;
    bool memtable, one_segment;
};

struct fb_tree_plan {
    size_t n_runs;
    unsigned n_levels;
    uint64_t n_keys;
    uint64_t segment_keys, unit_keys, whole_unit_keys; /* at most; the last one at scale 1 */
    struct fb_run_plan run[FB_MAX_RUNS];               /* newest first */
};

/* A plan for n_keys keys; 0: for what the levels hold. FB_EINVAL with *why set. */
enum fb_err fb_tree_plan(const struct fb_tree_shape *, uint64_t n_keys, struct fb_tree_plan *out,
                         const char **why) FB_MUST_USE;

#endif

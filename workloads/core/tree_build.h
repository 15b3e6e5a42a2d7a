/*
 * Parts of making a tree that generated trees (tree.c) and trees of traces share.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_TREE_BUILD_H
#define FILTERBENCH_WORKLOADS_CORE_TREE_BUILD_H

#include "workloads/core/tree.h"

/* Room in fb_run.member behind the n_keys; fb_run_index fills it. */
enum { FB_RUN_PADDING = 8 };

/* Segments, at most n_keys, and units of a run of n_keys >= 1 keys; unit_keys 0: a segment is one
 * unit. */
void fb_run_cut(struct fb_run *, uint64_t n_segments, uint64_t unit_keys);
/* Makes what finds places in the run's list `member` [n_keys + FB_RUN_PADDING], which is ascending
 * and not empty. On FB_ENOMEM, fb_tree_close still frees what there is. */
enum fb_err fb_run_index(struct fb_run *) FB_MUST_USE;
/* Adds the run's keys, units and fullest segment to the tree's; runs come newest first. */
void fb_tree_count(struct fb_tree *, struct fb_run *);

#endif

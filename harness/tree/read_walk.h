/*
 * Walks of queries over the runs of a tree, counted. Private to read_path.c.
 */
#ifndef FILTERBENCH_HARNESS_TREE_READ_WALK_H
#define FILTERBENCH_HARNESS_TREE_READ_WALK_H

#include "harness/tree/read_path.h"

/* The files of one run, as block numbers of the cache: file s has first_block + s * blocks_each and
 * the following. */
struct fb_run_files {
    uint64_t first_block, blocks_each;
    const uint64_t *filter_bytes; /* [n_segments]; NULL: pinned, or the run has none */
};

struct fb_read_plan {
    const struct fb_ask *ask;
    const struct fb_read_spec *spec;
    const struct fb_kernel *kernel; /* of the design */
    struct fb_run_files *files;     /* [n_runs], owned */
    uint64_t *filter_bytes;         /* of the files of all runs, owned */
    uint64_t entries_per_block;
    struct fb_block_cache *cache; /* owned; NULL: none */
};

enum {
    FB_WALK_CHUNK = 256, /* queries made at a time */
    FB_PARTITION_BYTES = 4096,
};

/* One thread's walks. */
struct fb_read_walk;
enum fb_err fb_read_walk_open(const struct fb_read_plan *, struct fb_read_walk **) FB_MUST_USE;
void fb_read_walk_close(struct fb_read_walk *); /* NULL is accepted */

/* Queries first .. first + n - 1, n at most FB_WALK_CHUNK. */
enum fb_err fb_read_walk_some(struct fb_read_walk *, uint64_t first, size_t n) FB_MUST_USE;
/* Adds the counts of all walks to *into; called once, after them. */
enum fb_err fb_read_walk_counts(struct fb_read_walk *, struct fb_read_counts *into) FB_MUST_USE;

#endif

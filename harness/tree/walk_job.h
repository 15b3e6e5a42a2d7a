/*
 * What a process that times walks is given: one memory file, header first, arrays behind it at the
 * offsets that the header and the parts name. Plain data, native layout.
 *
 * A stream is a set of queries made beforehand: keys, the run that holds each, and for each run the
 * unit that the key falls into. Blocks of queries are taken from it in turn.
 */
#ifndef FILTERBENCH_HARNESS_TREE_WALK_JOB_H
#define FILTERBENCH_HARNESS_TREE_WALK_JOB_H

#include "harness/measure/processes.h"
#include "harness/tree/walk_timing.h"

enum { FB_WALK_NOWHERE = UINT32_MAX }; /* the key is outside the run, or the run has no filters */

enum { FB_WALK_BLOCK = 256 }; /* queries, at most: a block and what it needs fit in half of L2 */

struct fb_walk_job {
    bool latency; /* single walks of the one candidate instead of samples of all */
    uint64_t queries;
    struct fb_walk_options options;
    double quantum_ns;
    uint64_t n_bytes; /* of the file */
    size_t n_candidates, n_forests, n_streams;
    uint64_t candidates, forests, streams; /* offsets of arrays of the following */
};

struct fb_walk_job_candidate {
    uint32_t forest, stream;
    int32_t lookup;  /* index into fb_lookups; -1: the control */
    uint32_t kernel; /* index into the design's kernels */
};

struct fb_walk_job_forest {
    uint32_t design;
    int32_t hash; /* registry index; -1: the design's own */
    int32_t fd;   /* of the arena */
    bool copied;  /* a copy for each process: its pages are a matter of placement */
    uint64_t arena_bytes;
    unsigned digest_words;
    size_t n_filters;
    uint64_t filters; /* offset of an array of struct fb_filter: bytes are offsets in the arena,
                         design and hash NULL, kernel NULL or a tag below */
};
#define FB_WALK_NO  ((const struct fb_kernel *)1)
#define FB_WALK_YES ((const struct fb_kernel *)2)

struct fb_walk_job_stream {
    size_t n_queries, width;
    size_t block;       /* queries in a block, at most FB_WALK_BLOCK and n_queries */
    size_t block_bytes; /* of the keys of any block, at most */
    uint64_t runs;      /* offset of an array [width] of the following */
    uint64_t bytes, offset, index, holder; /* of the keys; [n_queries + 1]; u64, u32 [n_queries] */
    uint64_t place; /* of u32 [n_queries * width]: unit of the tree, or FB_WALK_NOWHERE */
};

struct fb_walk_job_run {
    uint64_t low, high, n_segments;
    uint64_t segment_low; /* offset of u64 [n_segments] */
};

/* Makes the queries and the file; -1 with *err set on failure. queries: how many walks are measured
 * one by one, 0: samples. */
int fb_walk_job_make(const struct fb_walk_candidate *, size_t n, const struct fb_walk_options *,
                     uint64_t queries, enum fb_err *err);

/* Queries in a block. */
size_t fb_walk_block(const struct fb_tree *);

/* Whether the processes share the pages of a forest. */
bool fb_walk_pages_shared(const struct fb_forest *);

#endif

/*
 * What a process that times builds is given: one memory file, header first, arrays behind it at the
 * offsets that the header and the candidates name. Plain data, native layout. Shared by
 * build_timing.c and build_child.c.
 */
#ifndef FILTERBENCH_HARNESS_TREE_BUILD_JOB_H
#define FILTERBENCH_HARNESS_TREE_BUILD_JOB_H

#include "filters/core/tuning.h"
#include "harness/tree/build_timing.h"

enum { FB_BUILD_NAME = 40 };

struct fb_build_job_candidate {
    char design[FB_BUILD_NAME], hash[FB_BUILD_NAME]; /* hash "": the design's own */
    struct fb_prefix prefix;
    struct fb_params params;
    uint64_t n_filters, filter_keys;
    uint64_t offset, bytes; /* of u64 [n_filters * filter_keys + 1] and of the keys, in the file */
};

struct fb_build_job {
    struct fb_group_options options;
    struct fb_tuning tuning; /* in force where the file was made */
    uint64_t n_bytes;        /* of the file */
    uint64_t n_candidates;   /* that follow */
};

/* Builds all filters of a candidate, and closes them; *sum depends on their bits. */
enum fb_err fb_build_all(const struct fb_build_job *, const struct fb_build_job_candidate *,
                         uint64_t *sum) FB_MUST_USE;

#endif

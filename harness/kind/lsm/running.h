/*
 * A run of an experiment of kind "lsm" as it goes. Private to run.c (trees and steps), stream.c
 * (filters, and queries that are counted) and batch.c (lookups that are timed).
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_RUNNING_H
#define FILTERBENCH_HARNESS_KIND_LSM_RUNNING_H

#include "harness/base/progress.h"
#include "harness/kind/lsm/share.h"
#include "harness/kind/lsm/standing.h"

/* A second of timing, as many units of progress. */
#define FB_LSM_UNITS_PER_S 5e6

/* Where the time went, seconds. */
struct fb_lsm_spent {
    double tree, build, count, timing;
    uint64_t keys, queries; /* built and counted */
    uint64_t windows;       /* of filters that passed */
};

struct fb_lsm_running {
    const struct fb_lsm *e;
    unsigned n_threads;
    json_t *document;
    const struct fb_lsm_cell *cells;
    size_t n_candidates; /* of all timing */
    struct fb_lsm_steps steps;
    struct fb_progress progress;
    struct fb_lsm_spent spent;
    int cpu;
    /* Of the tree at hand. */
    struct fb_lsm_standing standing;
    size_t filter;                        /* at hand */
    const struct fb_forest *forest;       /* the latest of it; NULL: none yet */
    struct fb_params params[FB_MAX_RUNS]; /* that it was built for */
    struct fb_answers answers;            /* of its filters, where they have passed */
    json_t *unscaled;                     /* of its cells, owned */
};

/* Every reading of one filter and one stream is a cell: first .. first + n_readings - 1. */

/* The cells are skipped, for this reason. */
void fb_lsm_skip(struct fb_lsm_running *, const struct fb_lsm_cell *first, const char *why);

/* Builds the filters, or takes those at hand, and counts what this run does of the cells; lookups
 * of filters that stand wait to be timed. A line on stderr for every code but OK and INTERRUPTED.
 */
enum fb_exit fb_lsm_run_stream(struct fb_lsm_running *, const struct fb_lsm_cell *first);

/* Times the lookups that wait, together. */
enum fb_exit fb_lsm_run_batch(struct fb_lsm_running *);

#endif

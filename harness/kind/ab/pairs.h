/* The cells of one set of processes, planned as a job of pairs: BASE and HEAD of each. */
#ifndef FILTERBENCH_HARNESS_KIND_AB_PAIRS_H
#define FILTERBENCH_HARNESS_KIND_AB_PAIRS_H

#include "harness/kind/ab/ab.h"

enum fb_ab_set { FB_AB_FIRST, FB_AB_SECOND, FB_AB_PLAIN, FB_AB_N_SETS };

/* Both sides of each cell stand one behind the other in the job; first the cells that are wanted,
 * then their controls, the base beside the same code in another link. */
struct fb_ab_pairs {
    struct fb_timing_job job;
    size_t *of;      /* [job.n_cells / 2] index of the experiment's cell */
    size_t n;        /* cells that are no controls */
    json_t *skipped; /* {id, why} of cells that no pair of filters exists for */
};

/* Pairs of the cells that `wanted` [n_cells] has, and of as many controls, with keys of their own
 * for each set. Close it in either case. */
enum fb_err fb_ab_pairs_plan(const struct fb_ab *, const bool *wanted, size_t n_controls,
                             enum fb_ab_set, struct fb_ab_pairs *) FB_MUST_USE;
void fb_ab_pairs_close(struct fb_ab_pairs *);

#endif

/*
 * What a walk must cost, from the arguments of a row alone. No tree is built and no query is made
 * for it: how many runs there are and how many keys each has follows from the shape (tree_plan.h),
 * sizes and rates of filters from the design's plan for these numbers of keys.
 *
 *     range    A run of n keys in S segments, drawn at random from a universe of keys. Another key
 *              falls into each of the n + 1 gaps between them equally often, and S + 1 of the gaps
 *              lie outside: before the first segment, between two, behind the last. So
 *              r = (n - S) / (n + 1); 10000 keys in one segment: 0.9998. From one run to another
 *              the share outside is beta distributed, with variance r (1 - r) / (n + 2).
 *     holder   pi of a run is its share of the keys, among the runs that the argument "holder"
 *              speaks of: "proportional" of all, "last" and "level:N" of one level.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_WALK_THEORY_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_WALK_THEORY_H

#include "harness/kind/claims/procedure/arguments.h"
#include "harness/store/expectation.h"

struct fb_walk_theory {
    struct fb_expectation expected; /* per query */
    double absent;                  /* share of the queries */
    double present_keys;            /* that present ones are drawn from, each as often */
    size_t n_runs;
    /* Standard deviation of the sum of r f from one tree of the shape to another, as a share of the
     * sum: how full filters are, and where ranges lie. */
    double f_noise;
    /* Of the runs in whose range an absent key lies: standard deviation of their mean from one tree
     * to another, and variance of their number from one key to another. */
    double range_sd, range_variance;
};

/* Arguments: tree, design, bits_per_key or fpr, k, absent, holder as grove.h says. Fails where the
 * shape or the filters make no sense, or where there is no theory of the holder. */
void fb_walk_theory(struct fb_bench *, const json_t *args, struct fb_walk_theory *out);

#endif

/*
 * Trees that claims are judged on, and real filters and queries for them. Entries are 16-byte keys
 * and 100-byte values.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_GROVE_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_GROVE_H

#include "harness/kind/claims/procedure/procedure.h"
#include "harness/store/expectation.h"
#include "harness/tree/forest.h"
#include "workloads/core/queries.h"

enum {
    FB_CLAIM_KEY_BYTES = 16,
    FB_CLAIM_VALUE_BYTES = 100,
    FB_CLAIM_OVERHEAD = 8,
    FB_CLAIM_ENTRY_BYTES = FB_CLAIM_KEY_BYTES + FB_CLAIM_VALUE_BYTES + FB_CLAIM_OVERHEAD,
};

/* The shape that the arguments ask for: style, n (keys in all), segment_keys, runs, levels, l0,
 * ratio. */
struct fb_tree_shape fb_claim_shape(struct fb_bench *, const json_t *args);
/* A tree of that shape, of keys of a format, with at least n_absent absent keys. The tree refers to
 * the space. */
void fb_claim_tree(struct fb_bench *, const json_t *args, const char *keys, uint64_t n_absent,
                   struct fb_keyspace *, struct fb_tree *);

/* A tree with filters and queries, each of which refers to the members above it. */
struct fb_grove {
    struct fb_keyspace space;
    struct fb_tree tree;
    struct fb_forest forest;
    struct fb_queries queries;
};
/* Arguments: tree as above; design, bits_per_key or fpr, k; absent, holder, popularity. Close it
 * after a failure as well. */
void fb_grove_open(struct fb_bench *, const json_t *args, const char *keys, uint64_t n_absent,
                   struct fb_grove *out);
void fb_grove_close(struct fb_grove *);

/* ---- Theory (walk_theory.c) ----
 *
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

/* Arguments: tree, design, bits_per_key or fpr, k, absent, holder as above. Fails where the
 * shape or the filters make no sense, or where there is no theory of the holder. */
void fb_walk_theory(struct fb_bench *, const json_t *args, struct fb_walk_theory *out);

#endif

/*
 * Splitting the memory of filters over runs.
 *
 *     uniform    the same bits per key everywhere
 *     monkey     closed form for ideal Bloom filters (Dayan, Athanassoulis, Idreos, SIGMOD 2017):
 *                f_i = min(1, lambda n_i / w_i)
 *     optimal    the same minimum, sum w_i f(b_i), on the design's own curve f(b): steps along its
 *                lower convex hull, best first, with the largest runs tried at each size nearby
 *     drop-last  the last level has no filter; the others keep the bits per key they had
 *
 * w_i = r_i (a + (1 - a) sum_{j>i} pi_j): how often run i is asked in vain (expectation.h).
 *
 * optimal never causes more reads than uniform. A filter of few blocks has few sizes: memory may
 * then stay unspent, or uniform be the best there is.
 */
#ifndef FILTERBENCH_HARNESS_STORE_ALLOCATION_H
#define FILTERBENCH_HARNESS_STORE_ALLOCATION_H

#include "harness/filter/curve.h"

enum fb_allocation { FB_ALLOC_UNIFORM, FB_ALLOC_MONKEY, FB_ALLOC_OPTIMAL, FB_ALLOC_DROP_LAST };
extern const struct fb_word fb_allocations[]; /* "uniform", "monkey", "optimal", "drop-last" */

struct fb_allocation_run {
    uint64_t n_keys;    /* of the run */
    uint64_t unit_keys; /* keys per filter: where on the design's curve it stands; 0: n_keys */
    double weight;      /* w_i >= 0 */
    bool last;          /* of the last level */
    double bits;        /* result: bits per key to ask the design for; -1: no filter */
};

/*
 * Sets `bits` of each run [n]. The budget is the memory that bits_per_key everywhere takes in fact
 * (whole blocks, powers of two), and no allocation takes more. Sizes are those that the design can
 * take. A control keeps bits_per_key.
 *
 * Pure: the design's own fpr() and plan(), no measurement; where its scheme needs a simulation the
 * curve is the simulated one. FB_EINVAL with *why set where the design refuses bits_per_key.
 */
enum fb_err fb_allocate(enum fb_allocation, const struct fb_design *, double bits_per_key,
                        struct fb_allocation_run *runs, size_t n, const char **why) FB_MUST_USE;
/* The same of curves->design, by curves that the caller keeps for the next call. */
enum fb_err fb_allocate_on(enum fb_allocation, struct fb_curves *curves, double bits_per_key,
                           struct fb_allocation_run *runs, size_t n, const char **why) FB_MUST_USE;

#endif

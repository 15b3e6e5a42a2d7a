/*
 * Intervals of observations made one after another, on a machine that others share.
 *
 * A neighbour on the same core or cache stays for seconds to hours and slows some kernels more than
 * others, so that observations close in time resemble each other. Then the mean of m consecutive
 * ones varies more than the 1/m of independent ones: as m^(memory - 1), a straight line in the
 * variance-time plot of a long-memory process (J. Beran, Statistics for Long-Memory Processes,
 * 1994, 1.3 and 4.4). Memory 0: independent; towards 1, as of 1/f noise: measuring longer does not
 * help.
 */
#ifndef FILTERBENCH_HARNESS_STATS_SERIAL_H
#define FILTERBENCH_HARNESS_STATS_SERIAL_H

#include "harness/stats/paired.h"

/* Blocks that an interval is taken over: the fewest that have one of 99 %. Of a higher level it is
 * taken over the fewest that have one of that (fb_paired_least). */
enum { FB_SERIAL_BLOCKS = 8 };

/* Variances of means over 2, 4, 8, ... consecutive observations, of many series. Zeroed to begin
 * with. */
struct fb_memory {
    struct {
        double ratio;       /* sum of: variance of the means times m, to that of the observations */
        double weight;      /* sum of the degrees of freedom of the former variances */
        size_t n;           /* series, */
        size_t independent; /* of which so many repeat no other's noise */
    } of[6];                /* m = 2^(i + 1) */
};

enum { FB_MEMORY_LEAST = 16 }; /* observations of a series; fewer tell too little */
#define FB_MEMORY_MOST 0.95    /* nearer to 1 no interval holds */

/* d [n] in the order of time; `independent`: no series added before shares its noise. False: below
 * FB_MEMORY_LEAST observations, or constant; nothing was added. */
bool fb_memory_add(struct fb_memory *, const double *d, size_t n, bool independent);

/* The memory, from 0 to FB_MEMORY_MOST: the estimate and one standard error more, so that an
 * interval widened by it allows for not knowing it well. 0 where no series was long enough to tell.
 */
double fb_memory_exponent(const struct fb_memory *);

/*
 * As fb_hodges_lehmann, of n observations in the order of time whose noise has memory a, 0 <= a <=
 * FB_MEMORY_MOST.
 *
 * The observations are cut into B blocks of consecutive ones, or as many as there are. The interval
 * is over the estimates of the blocks. Blocks that resemble each other show too little of the
 * variance, so the interval is widened about the estimate. The mean of B blocks varies B^(a - 1)
 * as much as one block does, not 1 / B as much. The spread of the blocks shows only
 * (1 - B^(a - 1)) B / (B - 1) of a block's variance. Together that is a factor of the root of
 * B^a (1 - 1 / B) / (1 - B^(a - 1)). Example: B = 8 and a = 2/3 give the root of 4 (7/8) / (1/2),
 * or 2.65; a = 0 gives 1.
 *
 * Measured on simulated runs of 16, 24 and 48 processes in four parts, their memory estimated
 * (tests/measure/test_group_coverage.c). If processes are independent, 0.98, 0.98 and 0.97 of the
 * 95 % intervals hold the truth. If each process resembles the one before (correlation 0.8), 0.99
 * and more hold it. Of two halves of 1/f noise, which has no true mean, 0.97 agree. Runs of 8
 * processes tell no memory: with that correlation 0.53 of their intervals hold.
 */
struct fb_paired fb_serial_interval(const double *d, size_t n, double level, double memory);

#endif

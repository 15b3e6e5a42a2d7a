/*
 * Comparing two candidates by paired differences, without assuming a distribution.
 *
 * d[p] is the log ratio of two times seen by process p (the median over its rounds). The estimate
 * is Hodges and Lehmann's: the median of the Walsh averages (d[i] + d[j]) / 2, i <= j. Its interval
 * inverts Wilcoxon's signed-rank test exactly, from the counted distribution of the statistic, so
 * the level holds for any symmetric distribution of d, however heavy its tails.
 */
#ifndef FILTERBENCH_HARNESS_STATS_PAIRED_H
#define FILTERBENCH_HARNESS_STATS_PAIRED_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/stats/stats.h"

enum { FB_PAIRED_MAX = 64 }; /* observations */

struct fb_paired {
    double estimate; /* of d */
    struct fb_interval interval;
    double level; /* attained, at least the wanted one */
    bool bounded; /* false: too few observations for the level; the interval is the whole line */
};

/* n in 1..FB_PAIRED_MAX finite values; level in (0, 1). */
struct fb_paired fb_hodges_lehmann(const double *d, size_t n, double level);

/* P(W >= w) where each sign of d [n] is a fair coin, w the sum of the ranks of |d| among the d
 * above 0: one-sided and exact, n at most FB_PAIRED_MAX. Equal |d| are ranked in the order of d; a
 * d of 0 speaks against. Example: 8 values above 0 give 2^-8. */
double fb_signed_rank_p(const double *d, size_t n);

/* The fewest observations that have an interval of the level: 6 for 0.95, 8 for 0.99. */
size_t fb_paired_least(double level);

/* Sorts x [n], the least first. */
void fb_sort(double *x, size_t n);

/* Median of x [n], n >= 1; sorts x. Mean of the middle two for even n. */
double fb_median(double *x, size_t n);

/* Median of |x - centre|; scratch [n]. */
double fb_median_deviation(const double *x, size_t n, double centre, double *scratch);

#endif

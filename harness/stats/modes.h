/*
 * Observations that fall into two groups: a head that is 10 % slower in some processes and as fast
 * as its base in the others has two modes, and no one number tells what it costs.
 */
#ifndef FILTERBENCH_HARNESS_STATS_MODES_H
#define FILTERBENCH_HARNESS_STATS_MODES_H

#include <stddef.h>

struct fb_modes {
    double low, high; /* means of the two groups */
    size_t n_low;     /* observations in the lower one; 0: there are not two groups */
};

/*
 * Cuts d [n], n at most FB_PAIRED_MAX, where the squares about the two means sum to least. The
 * groups are modes if each has a sixth of the observations, at least 3, and their means are 6
 * standard deviations within a group apart. Example: a large normal sample, cut in the middle, has
 * means 2.65 of them apart; an even one 3.46.
 *
 * Measured on simulated observations (tests/stats/test_modes.c): of one group, normal or with heavy
 * tails, at most 0.01 are said to be two; of two groups 10 standard deviations apart, half of
 * the observations in each, at least 0.97 are found. Fewer than 12 observations show none.
 */
struct fb_modes fb_modes_of(const double *d, size_t n);

#endif

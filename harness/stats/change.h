/*
 * What paired times of two things say by their intervals: one is slower, faster, as fast, or one
 * cannot tell. `tune` compares tunings so, which are one code. Whether code became slower is asked
 * otherwise (slowdown.h).
 *
 * Process p measures both in the same rounds and sees d[p], the log ratio of the second to the
 * first: 0.05 where the second takes 5 % longer. The interval of a row is fb_serial_interval of its
 * d, so it allows for noise that outlives a process.
 *
 *     regressed      the interval lies above 0, and the estimate above ln(1 + delta)
 *     improved       the mirror image
 *     unchanged      the interval lies within +-ln(1 + delta): equivalence is shown
 *     inconclusive   none of these
 *
 * Levels. alpha is the probability that a row is found different that is not, or different the
 * wrong way, in any of m rows. Their intervals are first of level 1 - alpha / m. Those that lie
 * beside 0 keep them; where there are r of those, the others are taken at 1 - alpha / (m - r),
 * until no more are beside 0 (Holm's step-down procedure). "Unchanged" holds for each row by
 * itself.
 */
#ifndef FILTERBENCH_HARNESS_STATS_CHANGE_H
#define FILTERBENCH_HARNESS_STATS_CHANGE_H

#include "harness/stats/serial.h"

enum fb_change { FB_INCONCLUSIVE, FB_UNCHANGED, FB_IMPROVED, FB_REGRESSED, FB_N_CHANGES };

/* Processes of a row below which nobody is to act on what it says: fewer cannot tell the noise's
 * memory. 12 that each resemble the one before (correlation 0.8) alarm in 0.48 of simulated runs.
 */
enum { FB_CHANGE_LEAST = FB_MEMORY_LEAST };

struct fb_change_rules {
    double delta;  /* the least change that matters: 0.03 is 3 % */
    double alpha;  /* of the whole run, in (0, 1): 0.01 */
    double memory; /* of the noise: fb_memory_exponent, 0 where no row has FB_MEMORY_LEAST */
};

struct fb_change_cell {
    const double *d; /* [n], in the order of time; belongs to the caller */
    size_t n;        /* 1 to FB_PAIRED_MAX */

    struct fb_paired paired; /* of d; level: the one attained */
    enum fb_change change;
};

/* Judges n rows, of which d and n are set. */
void fb_change_judge(const struct fb_change_rules *, struct fb_change_cell *cells, size_t n);

#endif

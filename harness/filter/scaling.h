/*
 * Lookups of one filter from several threads at a time: how the rate of all threads together grows
 * with their number. The threads only read the filter, so they share caches and memory alone.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_SCALING_H
#define FILTERBENCH_HARNESS_FILTER_SCALING_H

#include "filters/core/filter.h"

enum { FB_SCALING_MOST = 16 }; /* numbers of threads in one measurement */

struct fb_scaling_options {
    const unsigned *threads; /* [n] at least 1 each; not owned */
    size_t n, rounds;        /* each round measures every number of threads once */
    double round_ns;         /* of one measurement: all its threads ask for as long */
    uint64_t seed;
};

/* Writes 1, 2, 4, ... and last the number of cores that this process may run on to out; returns how
 * many. Of 6 cores: 1, 2, 4, 6. */
size_t fb_scaling_cores(unsigned out[FB_SCALING_MOST]);

/*
 * Writes lookups per second of all threads together to per_s [n][rounds]. The filter's kernel
 * answers batches of random digests. Odd rounds go through the numbers of threads backward.
 *
 * A thread's rate is lookups divided by time spent inside batches. Digests are made between the
 * batches. Thread i is pinned to the i-th core that the process may run on (modulo their number),
 * where the system allows it. A measurement in which a thread was pre-empted is repeated up to five
 * times, unless there are more threads than cores.
 */
enum fb_err fb_scaling_measure(const struct fb_filter *, const struct fb_scaling_options *,
                               double *per_s) FB_MUST_USE;

/* Medians over rounds; the middle half of the rounds lies between low and high. A speedup divides
 * the rate by that of the first number of threads in the same round. */
struct fb_scaling_point {
    double per_s, per_s_low, per_s_high;
    double speedup, speedup_low, speedup_high;
};

/* From the samples [rounds] of one number of threads and those of the first. */
enum fb_err fb_scaling_point(const double *first, const double *samples, size_t rounds,
                             struct fb_scaling_point *out) FB_MUST_USE;

#endif

/*
 * Lookups of one filter from several threads at a time: how the rate of all of them together grows
 * with their number. The filter is read only, so what they share is caches and memory.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_SCALING_H
#define FILTERBENCH_HARNESS_FILTER_SCALING_H

#include "filters/core/filter.h"

enum { FB_SCALING_MOST = 16 }; /* numbers of threads in one measurement */

struct fb_scaling_options {
    const unsigned *threads; /* [n] at least 1 each; not owned */
    size_t n, rounds;        /* each round measures every number of threads once */
    double round_ns;         /* for how long all threads of a measurement ask */
    uint64_t seed;
};

/* 1, 2, 4, ... and the number of cores this process may run on: into out, how many they are. */
size_t fb_scaling_cores(unsigned out[FB_SCALING_MOST]);

/*
 * Lookups a second of all threads together into per_s [n][rounds]; the filter's kernel answers
 * batches of random digests. Odd rounds go through the numbers of threads backward.
 *
 * A thread's rate is its lookups by the time its batches took; digests are made between the batches
 * and not counted. Thread i is pinned to the i-th core the process may run on (modulo their number)
 * where the system allows it. A measurement in which some thread was pre-empted is repeated, up to
 * five times; not with more threads than cores.
 */
enum fb_err fb_scaling_measure(const struct fb_filter *, const struct fb_scaling_options *,
                               double *per_s) FB_MUST_USE;

/* Over rounds: the median, and low and high, between which its middle half lies; speedups are to
 * the first number of threads in the same round. */
struct fb_scaling_point {
    double per_s, per_s_low, per_s_high;
    double speedup, speedup_low, speedup_high;
};

/* From the samples [rounds] of one number of threads and those of the first. */
enum fb_err fb_scaling_point(const double *first, const double *samples, size_t rounds,
                             struct fb_scaling_point *out) FB_MUST_USE;

#endif

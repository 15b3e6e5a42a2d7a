/*
 * Lookups of one filter from 1, 2, ... N threads at a time: how the rate of all of them together
 * grows. The filter is read only, so what they share is caches and memory.
 */
#ifndef FILTERBENCH_HARNESS_SCALING_H
#define FILTERBENCH_HARNESS_SCALING_H

#include "filters/core/filter.h"

struct fb_scaling_options {
    unsigned max_threads; /* 0: one per core this process may run on */
    unsigned rounds;      /* at least 1; each measures every number of threads once */
    double round_ns;      /* for how long all threads of a measurement ask */
    uint64_t seed;
};

/*
 * A thread's rate is its lookups by the time its batches took; digests, random ones, are made
 * between the batches and not counted. Thread i is pinned to the i-th core the process may run on
 * (modulo their number) where the system allows it.
 */
struct fb_scaling_point {
    unsigned threads;
    double per_s, per_s_min, per_s_max; /* lookups a second of all threads; median first */
    double speedup;                     /* of the medians, to one thread */
};

/* Number of points that `options` ask for: thread counts 1 .. max_threads. */
size_t fb_scaling_points(const struct fb_scaling_options *);

/* Measures into points [fb_scaling_points]; the filter's kernel answers. Odd rounds go from many
 * threads to few. */
enum fb_err fb_scaling_measure(const struct fb_filter *, const struct fb_scaling_options *,
                               struct fb_scaling_point *points) FB_MUST_USE;

#endif

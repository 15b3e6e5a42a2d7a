/*
 * One footprint's cells inside a measuring process, ready to run.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_TIMING_CHILD_H
#define FILTERBENCH_HARNESS_FILTER_TIMING_CHILD_H

#include "harness/filter/timing.h"
#include "harness/measure/counters.h"
#include "harness/measure/latency.h"

enum { FB_DIGEST_WORDS = 2048 }; /* a block of digests: 16 KiB, half of a 32 KiB L1 */

struct fb_timed {
    struct fb_filter filter;
    const struct fb_timing_cell *cell;
    const struct fb_timing_filter *spec;
    size_t n;        /* operations per block */
    uint64_t warmed; /* blocks used outside measurement */
    uint64_t *digests;
    uint8_t *maybe;
};

/* The first n operations of the digests at hand. */
uint64_t fb_timed_run(struct fb_timed *, size_t n);

/* Extra passes over one candidate, whose self is a struct fb_timed; block counts blocks used. */
void fb_timed_count(const struct fb_candidate *, uint64_t *block, const int fd[FB_N_COUNTERS],
                    struct fb_counters *out);
void fb_timed_latency(const struct fb_candidate *, uint64_t *block, struct fb_latency *out);
enum fb_err fb_timed_scaling(const struct fb_candidate *, const struct fb_timing_options *,
                             double *per_s) FB_MUST_USE;

#endif

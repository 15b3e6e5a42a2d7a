/*
 * Distributions, each named for what one sample of it is:
 *
 *     batch64_mean     64 operations between two clock reads, over 64. Its p99 is no operation's.
 *     single_op_gross  one operation in 2^10 between two clock reads that wait for it and make it
 *                      wait, the others around it untimed. Beyond a cache it shows what batches
 *                      overlap away.
 *     timer_empty      two clock reads with nothing between them: what the above contain. Quantiles
 *                      do not subtract; compare them.
 *
 * The loop is closed: these are service times, no arrival schedule is implied.
 */
#ifndef FILTERBENCH_HARNESS_MEASURE_LATENCY_H
#define FILTERBENCH_HARNESS_MEASURE_LATENCY_H

#include <jansson.h>

#include "harness/measure/clock.h"
#include "harness/stats/histogram.h"

enum fb_latency_kind { FB_BATCH64_MEAN, FB_SINGLE_OP_GROSS, FB_TIMER_EMPTY, FB_N_LATENCIES };
extern const char *const fb_latency_names[FB_N_LATENCIES]; /* as above */
enum { FB_LATENCY_BATCH = 64, FB_LATENCY_EVERY = 1024 };

struct fb_latency {
    struct fb_histogram kind[FB_N_LATENCIES];
};

/* {kind, unit "ps", count, min, max, mean, percentiles, bins [[lowest value, count], ...]}. A
 * percentile below five timer quanta, or with fewer than 100 samples beyond it, is null. */
json_t *fb_latency_json(const struct fb_histogram *, const char *kind, double quantum_ns);
/* Back from its bins; false if they are none. */
bool fb_latency_read(const json_t *, struct fb_histogram *out);

#endif

/*
 * Latency histograms in picoseconds.
 *
 * Problem: values from 0.1 ns to minutes, percentiles with a known relative error, merging by
 * adding, and a layout fixed once for all so that histograms of different machines can be merged.
 *
 * Derivation: log-linear. Values below 128 have a bin each. Above, each power of two [2^e, 2^(e+1))
 * is cut into 64 equal bins, so a bin is 2^(e-6) wide and a value v >= 2^e, represented by the
 * middle of its bin, is off by at most 2^(e-7) <= v / 128.
 *
 *     value            bin width   relative error of the middle
 *     0 .. 127         1           < 1
 *     128 .. 255       2           <= 1/128
 *     2^e .. 2^(e+1)   2^(e-6)     <= 1/128
 *
 * 128 + 64 * (64 - 7) bins = 3776 bins of 8 bytes = 30 kB. Fold samples outside the timed loop.
 */
#ifndef FILTERBENCH_HARNESS_STATS_HISTOGRAM_H
#define FILTERBENCH_HARNESS_STATS_HISTOGRAM_H

#include <stdint.h>
#include <stdio.h>

#include "filters/core/base.h"

enum { FB_HISTOGRAM_BINS = 128 + 64 * (64 - 7) };

struct fb_histogram {
    uint64_t count[FB_HISTOGRAM_BINS];
    uint64_t n, min_ps, max_ps; /* min = max = 0 when n = 0 */
    double sum_ps;
};

unsigned fb_histogram_bin(uint64_t ps);
/* Lowest value of a bin, and the value that stands for it. bin < FB_HISTOGRAM_BINS. */
uint64_t fb_histogram_low(unsigned bin);
uint64_t fb_histogram_middle(unsigned bin);

void fb_histogram_add(struct fb_histogram *, uint64_t ps, uint64_t times);

/* Value at quantile q in [0, 1]: the middle of the bin that holds sample ceil(q n), clipped to
 * [min, max]. 0 when empty. */
uint64_t fb_histogram_quantile(const struct fb_histogram *, double q);

/* Samples beyond quantile q, floor((1 - q) n): a percentile with fewer than 100 is not printed. */
uint64_t fb_histogram_beyond(const struct fb_histogram *, double q);

/* HdrHistogram's percentile text (.hgrm), values divided by ps_per_unit. FB_EIO on a write error.
 */
enum fb_err fb_histogram_write_hgrm(const struct fb_histogram *, double ps_per_unit,
                                    FILE *out) FB_MUST_USE;

#endif

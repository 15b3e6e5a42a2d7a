/*
 * How long single queries take: the walk over the filters as it was timed, without and with the
 * reads that the counted queries needed.
 *
 *     query_cpu     one walk between two clock reads that wait for it
 *     query_total   the same, and for each read of the query a time of the device: constant where
 *                   the device is given, drawn from its histogram where it was measured
 *     timer_empty   two clock reads with nothing between them, which query_cpu contains
 *
 * query_total pairs times of walks with numbers of reads at random: which walks lead to reads is
 * not known, and a walk takes a thousandth of a read.
 */
#ifndef FILTERBENCH_HARNESS_STORE_QUERY_LATENCY_H
#define FILTERBENCH_HARNESS_STORE_QUERY_LATENCY_H

#include "harness/measure/latency.h"
#include "harness/store/device.h"

/* Queries of one sort: each takes a time of `ns`, so many reads of the device besides, and some
 * more. */
struct fb_query_class {
    uint64_t queries;
    const struct fb_histogram *ns; /* at least one sample, where there are queries */
    unsigned reads;
    double more_ns; /* may be below 0; no query takes less than nothing */
};

/* Times of all of them, drawn as often as there are queries, at most 2^20 times; classes come in
 * exact proportion, those of a number before those behind it. Deterministic in its arguments, of
 * which `seed` is of the draws. FB_EINVAL without queries or samples; FB_ENOMEM. */
enum fb_err fb_query_total(const struct fb_query_class *, size_t n, const struct fb_device *,
                           uint64_t seed, struct fb_histogram *out) FB_MUST_USE;

/* The reads that queries needed: queries[i] of them needed i reads of the device. */
struct fb_query_reads {
    const uint64_t *queries; /* [n], n <= FB_QUERY_CLASSES */
    size_t n;
    const struct fb_device *device;
    uint64_t seed; /* of the draws */
};
enum { FB_QUERY_CLASSES = 65 };

/* "histograms" of a lookup in a result: the three above, each as fb_latency_json has them and with
 * p99_99. NULL: out of memory, or no queries. */
json_t *fb_query_histograms(const struct fb_latency *walk, double quantum_ns,
                            const struct fb_query_reads *);

/* The histogram of a measured device, of kind "device_read". NULL: out of memory. */
json_t *fb_device_json(const struct fb_device *, double quantum_ns);

#endif

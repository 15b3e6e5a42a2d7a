/*
 * What derive.c and facts.c put together: members of a cell that are derived from others, and facts
 * held against each other. fb_lsm_wrong_...: the member that does not fit, "io_histogram", or NULL.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_DERIVE_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_DERIVE_H

#include "harness/kind/lsm/report/report.h"

/* ---- Costs of lookups, from time, reads and memory, which are derived already (cost.c) ---- */

/* The smallest of "L1", "L2", "L3", "DRAM" that holds so many bytes; caches as in "timing". */
const char *fb_lsm_footprint(double bytes, const json_t *caches);

/* Nanoseconds to hash one key: what re-hashing costs above sharing, for each digest more. NaN where
 * the two were not measured or hash as often. */
double fb_lsm_hash_ns(const json_t *cell);

/* By name of device {io_ns, cost_ns, low, high}; time NULL: not measured, reads alone. */
json_t *fb_lsm_costs(const json_t *cell, const json_t *time, const json_t *devices);

/* Sets "parts", "bound" (on the first device) and "costs" of a lookup. */
void fb_lsm_price(const json_t *cell, json_t *lookup, double each_hash, const json_t *devices);

/* ---- Scans (scan_derive.c) ---- */

struct fb_lsm_estimate {
    double value, se; /* NaN where there is nothing to divide by */
};

/* Sets object[name], and object[name_ci95] to the 95 % interval, which is normal and not below 0;
 * null, with why beside it, where they are not finite. trials > 0: it is a share, over so many
 * scans, and its interval is within [0, 1] and has a width: Wilson's where all scans agree. */
void fb_lsm_put_estimate(json_t *object, const char *name, struct fb_lsm_estimate, double trials,
                         const char *why);

/* "scan_rates" from "scans" of a cell, an entry for each. */
json_t *fb_lsm_scan_rates(const json_t *cell);

/* ---- Counts: sums that must agree (sums.c) ---- */

/* "n", "tree", "filter", "runs" and "counts" of a cell that was planned so. */
const char *fb_lsm_wrong_counts(const struct fb_lsm *, const struct fb_lsm_cell *planned,
                                const json_t *cell);

/* "scans". */
const char *fb_lsm_wrong_scans(const json_t *cell);

/* ---- Scaled trees, which rank only filters whose rate is that at scale 1 (scaled.c) ---- */

/*
 * "per_filter" of a cell: {keys, unscaled_keys, rate, unscaled_rate, ranked}, means over the
 * filters and over the runs that have some; the rates of a scaled tree alone. ranked is false, with
 * ranked_reason, where the rates are further apart than 1 %, noise included, or not known: 8,361
 * and 520,222 keys, 1.03 % and 2.83 %.
 */
json_t *fb_lsm_per_filter(const json_t *cell);

/* "unscaled" where it does not fit the other facts of a cell; NULL: it does. */
const char *fb_lsm_wrong_unscaled(const struct fb_lsm *, const struct fb_lsm_cell *planned,
                                  const json_t *cell);

#endif

/*
 * Costs of the lookups of a cell of kind "lsm", from members that are derived already: time, reads,
 * memory.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_COST_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_COST_H

#include "harness/kind/lsm/report/report.h"

/* The smallest of "L1", "L2", "L3", "DRAM" that holds so many bytes; caches as in "timing". */
const char *fb_lsm_footprint(double bytes, const json_t *caches);

/* Nanoseconds to hash one key: what re-hashing costs above sharing, for each digest more. NaN where
 * the two were not measured or hash as often. */
double fb_lsm_hash_ns(const json_t *cell);

/* By name of device {io_ns, cost_ns, low, high}; time NULL: not measured, reads alone. */
json_t *fb_lsm_costs(const json_t *cell, const json_t *time, const json_t *devices);

/* Sets "parts", "bound" (on the first device) and "costs" of a lookup. */
void fb_lsm_price(const json_t *cell, json_t *lookup, double each_hash, const json_t *devices);

#endif

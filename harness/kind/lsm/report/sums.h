/*
 * Counts of a cell of kind "lsm" held against each other: sums that must agree. Each function
 * returns the member that does not fit, "io_histogram", or NULL.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_SUMS_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_SUMS_H

#include "harness/kind/lsm/report/report.h"

/* "n", "tree", "filter", "runs" and "counts" of a cell that was planned so. */
const char *fb_lsm_wrong_counts(const struct fb_lsm *, const struct fb_lsm_cell *planned,
                                const json_t *cell);

/* "scans". */
const char *fb_lsm_wrong_scans(const json_t *cell);

#endif

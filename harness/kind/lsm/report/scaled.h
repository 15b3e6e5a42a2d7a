/*
 * Whether a scaled tree may rank a filter: only where its rate is that of the tree at scale 1.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_SCALED_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_SCALED_H

#include "harness/kind/lsm/report/report.h"

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

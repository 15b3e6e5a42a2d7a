/* What follows from the scans of a cell of kind "lsm". */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_SCAN_DERIVE_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_SCAN_DERIVE_H

#include <jansson.h>

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

#endif

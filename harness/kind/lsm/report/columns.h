/*
 * Rows of the table of a result of kind "lsm": a filter, or one of the lookups that were timed on
 * it, in a column for each figure.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_COLUMNS_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_COLUMNS_H

#include "harness/kind/lsm/lsm.h"

/* All borrowed from the document. */
struct fb_lsm_row {
    const json_t *cell, *lookup; /* lookup NULL: not timed */
    const json_t *uniform;       /* the cell with the same filter and the memory split evenly, or
                                    NULL */
    double cost, low, high;      /* ns, on the device that is ranked for */
};

/* The first `most` of n ranked rows, numbered, "=" where one is not told apart from the first, and
 * how many more there are. Columns that say nothing of any of them are left out. */
void fb_lsm_print_rows(FILE *, const struct fb_lsm_row *, size_t n, size_t most, bool markdown);

/* What tells a row from others of its group: "sbbf-512 10 uniform shared-digest". */
enum { FB_LSM_ROW_NAME = 216 };
void fb_lsm_name_row(const struct fb_lsm_row *, char out[FB_LSM_ROW_NAME]);

#endif

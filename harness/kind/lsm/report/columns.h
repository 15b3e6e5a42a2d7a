/*
 * Rows of the table of a result of kind "lsm": a filter, or one of the lookups that were timed on
 * it, in a column for each figure.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_COLUMNS_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_COLUMNS_H

#include "harness/base/table.h"

/* All borrowed from the document. */
struct fb_lsm_row {
    const json_t *cell, *lookup; /* lookup NULL: not timed */
    const json_t *uniform;       /* the cell with the same filter and the memory split evenly, or
                                    NULL */
    double cost, low, high;      /* ns, on the device that is ranked for */
};

/* The columns of a table of rows. Those that say nothing of any row are left out. */
extern const struct fb_column fb_lsm_columns[];

/* Below tables: what those of the columns mean that are shown. `timed`: there are CPU times. */
void fb_lsm_explain(FILE *, const bool shown[FB_TABLE_COLUMNS], bool timed);

/* Whether the row has a place among the others: see scaled.c. */
bool fb_lsm_is_ranked(const struct fb_lsm_row *);

/* The row that is shown: the number (of a ranked one), the objects and the costs by the names
 * above. The caller owns it. */
json_t *fb_lsm_row_json(const struct fb_lsm_row *, size_t number);

/* What tells a row from others of its group: "sbbf-512 10 uniform shared-digest". */
enum { FB_LSM_ROW_NAME = 216 };
void fb_lsm_name_row(const struct fb_lsm_row *, char out[FB_LSM_ROW_NAME]);

#endif

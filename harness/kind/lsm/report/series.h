/*
 * Points of a figure out of the cells of result documents of kind "lsm".
 *
 * A figure shows a line (or some) for each design over one axis. All else is held at the values of
 * a reference cell: the one nearest to what the figure prefers, of those the first. The document
 * that has most cells like it is taken. Controls are not shown.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_SERIES_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_SERIES_H

#include <jansson.h>
#include <stdbool.h>

struct fb_lsm_series {
    /* Members of "params", by how they begin, that may differ from the reference; ends with NULL.
     */
    const char *free_members[4];
    const char *line; /* path of what tells lines of a design apart; NULL: one line */
    const char *x;    /* path of a number; cells without are not shown */
    double (*distance)(const json_t *cell); /* from what the figure prefers; NaN: not shown */
};

/* Copies of the cells that are shown, with "line" ("-": there is one) and "device", the first of
 * the document; sorted by design, line and x, each x of a line once. The caller owns them. */
json_t *fb_lsm_points(const json_t *documents, const struct fb_lsm_series *);

/* Whether a line has two points. */
bool fb_lsm_has_line(const json_t *points);

#endif

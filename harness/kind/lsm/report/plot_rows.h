/*
 * Rows of a figure out of the cells of result documents of kind "lsm".
 *
 * A figure shows a line (or some) a design over one axis. All else is held at the values of a
 * reference cell, the one nearest to what the figure prefers, of those the first; the document
 * that has most cells like it is taken. Controls are not shown.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_PLOT_ROWS_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_PLOT_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { FB_ROW_VALUES = 7 };

struct fb_row_figure {
    const char *header;          /* of the table */
    const char *free_members[4]; /* of "params", by how they begin, that may differ from the
                                    reference; ends with NULL */
    const char *line;            /* path of what tells lines of a design apart; NULL: one line */
    double (*distance)(const json_t *cell); /* from what the figure prefers; NaN: not shown */
    double (*x)(const json_t *cell);        /* NaN: not shown */
    /* Values in the order of the header, n_values of them; what it returns is the last column. */
    const char *(*values)(const json_t *document, const json_t *cell, double values[FB_ROW_VALUES]);
    size_t n_values;
};

/* Strings are the documents'. */
struct fb_row {
    const json_t *document, *cell;
    const char *design, *line;
    size_t place, order; /* of the design in the registry; of the line among those of the design */
    double x;
};

/* Sorted by design, line and x; *n of them. free() it; NULL: out of memory. */
struct fb_row *fb_rows(const json_t *documents, const struct fb_row_figure *, size_t *n);

/* Writes the table; true where a line has two points. */
bool fb_rows_write(const json_t *documents, const struct fb_row_figure *, FILE *);

#endif

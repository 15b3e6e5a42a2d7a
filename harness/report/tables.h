/* The tables of a report: in boxes of their own, which scroll where the page is narrow; sorted by a
 * click on a title (plots/report.js). */
#ifndef FILTERBENCH_HARNESS_REPORT_TABLES_H
#define FILTERBENCH_HARNESS_REPORT_TABLES_H

#include <jansson.h>
#include <stdio.h>

/* A table of parts.h. A column that differs between machines is a column for each of n, headed by
 * their letters, A, B. */
void fb_report_table(FILE *, const json_t *table, size_t n);

/* Tab-separated data under a line of titles; beyond the first FB_MOST_DATA rows a line tells how
 * many more there are. */
enum { FB_MOST_DATA = 1000 };
void fb_report_data(FILE *, const char *data);

/* A table without a head of its own: rows of {"name": text, "each": [text, ...]}, a column for each
 * of the n titles. */
void fb_report_facts(FILE *, const json_t *rows, const json_t *titles);

#endif

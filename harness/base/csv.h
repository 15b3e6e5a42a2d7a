/*
 * CSV (RFC 4180, but lines end with "\n") of JSON objects: a column for every scalar that is in one
 * of them, titled by its path and in the order of first appearance. A member that a row lacks, or
 * has as null, is an empty field. Lists and the reasons beside nulls are left out. A text that
 * begins with '=', '+', '-' or '@' gets an apostrophe in front, so that no program computes it.
 *
 * Of {"id": "a,b", "fpr": {"events": 3, "z": null}} and {"id": "c", "fpr": {"events": 4,
 * "z": 1.5}}:
 *
 *     id,fpr.events,fpr.z
 *     "a,b",3,
 *     c,4,1.5
 */
#ifndef FILTERBENCH_HARNESS_BASE_CSV_H
#define FILTERBENCH_HARNESS_BASE_CSV_H

#include <jansson.h>
#include <stdio.h>

/* A title line, and a line for each of rows (an array of objects). */
void fb_csv_rows(FILE *, const json_t *rows);

#endif

/*
 * CSV (RFC 4180, but lines end with "\n"): JSON values by the paths of members.
 *
 * Of {"id": "a,b", "fpr": {"events": 3}} with the paths "id", "fpr.events", "fpr.z":
 *
 *     id,fpr.events,fpr.z
 *     "a,b",3,
 */
#ifndef FILTERBENCH_HARNESS_BASE_CSV_H
#define FILTERBENCH_HARNESS_BASE_CSV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* A title line, and a line for each of rows (an array of objects). Lists of paths end with NULL. */
void fb_csv_rows(FILE *, const json_t *rows, const char *const *paths);

/*
 * The same in pieces, where a line is made of several objects: start as {.file = file}.
 *
 *     fb_csv_titles(&csv, "", paths), fb_csv_titles(&csv, "costs.nvme.", more), fb_csv_end(&csv)
 *     fb_csv_members(&csv, cell, paths), fb_csv_members(&csv, cost, more), fb_csv_end(&csv)
 */
struct fb_csv {
    FILE *file;
    bool begun; /* the line has a field */
};
void fb_csv_titles(struct fb_csv *, const char *prefix, const char *const *paths);
/* A field for each path: empty where there is no member, or null. */
void fb_csv_members(struct fb_csv *, const json_t *object, const char *const *paths);
void fb_csv_end(struct fb_csv *);

#endif

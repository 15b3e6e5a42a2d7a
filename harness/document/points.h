/*
 * Points of figures: a JSON array of objects, most of them copies of cells with a member or two
 * more, sorted and written as a table.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_POINTS_H
#define FILTERBENCH_HARNESS_DOCUMENT_POINTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "filters/core/filter.h"

/* Where a design stands in the registry, from 0; a name that is not there stands behind all. */
size_t fb_place_of(const char *design);
bool fb_is_control(const char *design);
/* Why a cell has neither bits per key nor a rate; whether as its design has one size for n keys. */
const char *fb_why_no_size(const struct fb_design *);
bool fb_has_own_size(const char *design, const json_t *params);
/* {bits_per_key, fpr}: what a filter was asked for, 0: not; null with the reason. */
json_t *fb_size_params(const struct fb_design *, double bits_per_key, double fpr);

/* By the members at these paths, the first that differs; numbers by size and texts by bytes, those
 * that have none last. Paths end with NULL. */
void fb_points_sort(json_t *points, const char *const *paths);

struct fb_point_column {
    const char *title;  /* NULL ends a list of columns */
    const char *path;   /* of the member, a number or a text; without one "nan" */
    const char *format; /* of a number; NULL: "%.6g" */
};
/* A line of titles and a line for each point, with tabs between the fields. */
void fb_points_write(FILE *, const json_t *points, const struct fb_point_column *);

#endif

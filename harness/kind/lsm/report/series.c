#include "harness/kind/lsm/report/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/document/points.h"

static const json_t *reference_of(const json_t *document, const char *design,
                                  const struct fb_lsm_series *series)
{
    const json_t *best = NULL;
    double least = INFINITY;
    size_t i;
    json_t *cell;
    json_array_foreach(json_object_get(document, "cells"), i, cell) {
        double distance = series->distance(cell);
        if (strcmp(fb_json_str(cell, "design"), design) || !(distance < least))
            continue;
        least = distance;
        best = cell;
    }
    return best;
}

static bool is_free(const struct fb_lsm_series *series, const char *member)
{
    for (const char *const *name = series->free_members; *name; name++)
        if (!strncmp(member, *name, strlen(*name))) /* "fpr_reason" goes with "fpr" */
            return true;
    return false;
}

static bool alike(const json_t *cell, const json_t *reference, const struct fb_lsm_series *series)
{
    static const char *const same[] = {"design", "keys", "n", "tree.style", "tree.runs", NULL};
    const json_t *params = json_object_get(cell, "params");
    const char *name;
    json_t *value;
    if (!reference || !fb_json_same(cell, reference, same))
        return false;
    json_object_foreach(json_object_get(reference, "params"), name, value) {
        if (!is_free(series, name) && !json_equal(value, json_object_get(params, name)))
            return false;
    }
    return true;
}

/* The points of one design in a document. */
static json_t *points_in(const json_t *document, const char *design,
                         const struct fb_lsm_series *series)
{
    const json_t *reference = reference_of(document, design, series);
    json_t *points = json_array(), *lines = json_object(), *seen = json_object(), *cell;
    size_t i;
    json_array_foreach(json_object_get(document, "cells"), i, cell) {
        const double x = fb_json_num(cell, series->x);
        const char *line = series->line ? fb_json_str(cell, series->line) : "";
        char place[200];
        line = *line ? line : "-";
        snprintf(place, sizeof place, "%.150s %.17g", line, x);
        if (!isfinite(x) || isnan(series->distance(cell)) || !alike(cell, reference, series))
            continue;
        if (!json_object_get(lines, line))
            json_object_set_new(lines, line, fb_json_int(json_object_size(lines)));
        if (json_object_get(seen, place))
            continue;
        json_t *point = json_copy(cell);
        json_object_set_new(point, "place", fb_json_int(fb_place_of(design)));
        json_object_set_new(point, "line", json_string(line));
        json_object_set(point, "order", json_object_get(lines, line));
        json_object_set(point, "device", json_array_get(json_object_get(document, "devices"), 0));
        json_object_set_new(seen, place, json_true());
        json_array_append_new(points, point);
    }
    json_decref(lines);
    json_decref(seen);
    return points;
}

/* Those of the document that has most of them, of equals the first. */
static json_t *points_of(const json_t *documents, const char *design,
                         const struct fb_lsm_series *series)
{
    json_t *most = json_array(), *document;
    size_t d;
    json_array_foreach((json_t *)documents, d, document) {
        json_t *points = strcmp(fb_json_str(document, "kind"), "lsm")
                             ? NULL
                             : points_in(document, design, series);
        const bool more = json_array_size(points) > json_array_size(most);
        json_decref(more ? most : points);
        most = more ? points : most;
    }
    return most;
}

json_t *fb_lsm_points(const json_t *documents, const struct fb_lsm_series *series)
{
    const char *const order[] = {"place", "design", "order", series->x, NULL};
    json_t *points = json_array(), *designs = json_object(), *document, *cell;
    size_t d, i;
    json_array_foreach((json_t *)documents, d, document) {
        json_array_foreach(json_object_get(document, "cells"), i, cell) {
            const char *design = fb_json_str(cell, "design");
            if (fb_is_control(design) || json_object_get(designs, design))
                continue;
            json_t *more = points_of(documents, design, series);
            json_array_extend(points, more);
            json_decref(more);
            json_object_set_new(designs, design, json_true());
        }
    }
    json_decref(designs);
    fb_points_sort(points, order);
    return points;
}

bool fb_lsm_has_line(const json_t *points)
{
    static const char *const line[] = {"design", "line", NULL};
    for (size_t i = 1; i < json_array_size(points); i++)
        if (fb_json_same(json_array_get(points, i - 1), json_array_get(points, i), line))
            return true;
    return false;
}

/* The table of the figure that shows throughput against load, an operation a line. */
#include <string.h>

#include "harness/document/points.h"
#include "harness/kind/kernels/kernels.h"

/* Of a design, an operation and a footprint at one load the fastest kernel, which is nothing to
 * choose where the experiment asks for the best alone. */
static void add_point(json_t *points, const json_t *cell)
{
    static const char *const one[] = {"design",    "operation", "footprint", "load",
                                      "hit_ratio", "params",    NULL};
    const double ns = fb_json_num(cell, "time.median");
    json_t *point = json_copy((json_t *)cell), *other;
    size_t i;
    json_object_set_new(point, "place", fb_json_int(fb_place_of(fb_json_str(cell, "design"))));
    json_object_set_new(point, "order",
                        fb_json_int(fb_operation_find(fb_json_str(cell, "operation"))));
    json_object_set_new(point, "at",
                        fb_json_int(fb_footprint_find(fb_json_str(cell, "footprint"))));
    json_object_set_new(point, "per_s", json_real(1e9 / ns));
    json_object_set_new(point, "per_s_low", json_real(1e9 / fb_json_num(cell, "time.ci95.high")));
    json_object_set_new(point, "per_s_high", json_real(1e9 / fb_json_num(cell, "time.ci95.low")));
    json_array_foreach(points, i, other) {
        if (!fb_json_same(other, cell, one))
            continue;
        if (ns < fb_json_num(other, "time.median"))
            json_array_set(points, i, point);
        json_decref(point);
        return;
    }
    json_array_append_new(points, point);
}

/* Lookups of other keys than absent ones would be lines of the same name. */
static bool is_shown(const json_t *cell)
{
    return fb_json_num(cell, "load") > 0 && fb_json_num(cell, "time.median") > 0 &&
           !(fb_json_num(cell, "hit_ratio") > 0);
}

bool fb_kernels_plot_load(const json_t *documents, FILE *file)
{
    static const char *const order[] = {"place", "design", "at", "order", "load", NULL};
    static const struct fb_point_column columns[] = {
        {"design", "design", NULL},
        {"footprint", "footprint", NULL},
        {"operation", "operation", NULL},
        {"load", "load", NULL},
        {"per_s", "per_s", NULL},
        {"low", "per_s_low", NULL},
        {"high", "per_s_high", NULL},
        {"n_keys", "filter.n_keys", "%.0f"},
        {"isa", "isa", NULL},
        {0},
    };
    json_t *points = json_array(), *cell;
    double least = 2, most = 0;
    for (size_t d = 0; d < json_array_size(documents); d++) {
        const json_t *document = json_array_get(documents, d);
        size_t i;
        if (strcmp(fb_json_str(document, "kind"), "kernels") != 0)
            continue;
        json_array_foreach(json_object_get(document, "cells"), i, cell) {
            const double load = fb_json_num(cell, "load");
            if (!is_shown(cell))
                continue;
            add_point(points, cell);
            least = load < least ? load : least;
            most = load > most ? load : most;
        }
    }
    fb_points_sort(points, order);
    fb_points_write(file, points, columns);
    json_decref(points);
    return least < most; /* one load makes no line */
}

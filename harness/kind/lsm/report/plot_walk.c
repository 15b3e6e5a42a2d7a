/* The table of the figure of walks: what a query of an absent key costs against the number of runs
 * it visits, for keys of each length, hashed again for every filter and hashed once. */
#include <math.h>
#include <string.h>

#include "harness/document/points.h"
#include "harness/kind/lsm/report/report.h"

/* NULL: not drawn. Other lookups share too, and stand in the result's table. */
static json_t *point_of(const json_t *cell, const json_t *lookup)
{
    const char *name = fb_json_str(lookup, "lookup");
    struct fb_keygen keygen;
    const char *why;
    const bool made = fb_keygen_parse(fb_json_str(cell, "keys"), &keygen, &why);
    double ns = fb_json_num(lookup, "time.median"), runs = fb_json_num(cell, "tree.runs");
    double low = fb_json_num(lookup, "time.ci95.low"), high = fb_json_num(lookup, "time.ci95.high");
    if ((strcmp(name, "rehash-each") && strcmp(name, "shared-digest")) || !made || !(runs > 0) ||
        !(ns > 0) || !(fb_json_num(cell, "params.absent") >= 1))
        return NULL;
    return json_pack("{s:s, s:s, s:I, s:f, s:f, s:f, s:f}", "design", fb_json_str(cell, "design"),
                     "lookup", name, "key_bytes", (json_int_t)round(fb_keygen_mean_bytes(&keygen)),
                     "runs", runs, "ns", ns, "low",
                     isfinite(low) ? low : ns, /* too few processes */
                     "high", isfinite(high) ? high : ns);
}

static json_t *points_of(const json_t *documents)
{
    json_t *points = json_array();
    FB_EACH(document, documents) {
        if (strcmp(fb_json_str(document, "kind"), "lsm") != 0)
            continue;
        FB_EACH(cell, json_object_get(document, "cells")) {
            FB_EACH(lookup, json_object_get(cell, "lookups"))
                json_array_append_new(points, point_of(cell, lookup));
        }
    }
    return points;
}

bool fb_lsm_plot_walk_segments(const json_t *documents, FILE *file)
{
    /* Lines one after another; of several points at a place the first of the documents. */
    static const char *const order[] = {"design", "key_bytes", "lookup", "runs", NULL};
    static const char *const line[] = {"design", "key_bytes", "lookup", NULL};
    static const struct fb_point_column columns[] = {
        {"design", "design", NULL},
        {"lookup", "lookup", NULL},
        {"key_bytes", "key_bytes", NULL},
        {"runs", "runs", NULL},
        {"ns", "ns", NULL},
        {"low", "low", NULL},
        {"high", "high", NULL},
        {0},
    };
    json_auto_t *points = points_of(documents);
    bool any = false;
    fb_points_sort(points, order);
    for (size_t i = json_array_size(points); i-- > 1;) {
        const json_t *point = json_array_get(points, i), *before = json_array_get(points, i - 1);
        if (fb_json_same(point, before, order))
            json_array_remove(points, i);
        else
            any = any || fb_json_same(point, before, line);
    }
    fb_points_write(file, points, columns);
    return any;
}

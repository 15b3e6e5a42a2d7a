/*
 * The tables of the figures of trees: what a query costs against the share of absent keys, reads
 * against memory, hits of the block cache against its size, how long single queries take; and of
 * trees one by one.
 */
#include <math.h>
#include <string.h>

#include "harness/document/cells.h"
#include "harness/document/points.h"
#include "harness/kind/lsm/report/report.h"
#include "harness/stats/histogram.h"

/* ---- Points ---- */

/*
 * A figure shows a line (or some) for each design over one axis. All else is held at the values of
 * a reference cell: the one nearest to what the figure prefers, of those the first. The document
 * that has most cells like it is taken. Controls are not shown.
 */
struct series {
    /* Members of "params", by how they begin, that may differ from the reference; ends with NULL.
     */
    const char *free_members[4];
    const char *line; /* path of what tells lines of a design apart; NULL: one line */
    const char *x;    /* path of a number; cells without are not shown */
    double (*distance)(const json_t *cell); /* from what the figure prefers; NaN: not shown */
};

static const json_t *reference_of(const json_t *document, const char *design,
                                  const struct series *series)
{
    const json_t *best = NULL;
    double least = INFINITY;
    FB_EACH(cell, json_object_get(document, "cells")) {
        double distance = series->distance(cell);
        if (strcmp(fb_json_str(cell, "design"), design) || !(distance < least))
            continue;
        least = distance;
        best = cell;
    }
    return best;
}

static bool is_free(const struct series *series, const char *member)
{
    for (const char *const *name = series->free_members; *name; name++)
        if (!strncmp(member, *name, strlen(*name))) /* "fpr_reason" goes with "fpr" */
            return true;
    return false;
}

static bool alike(const json_t *cell, const json_t *reference, const struct series *series)
{
    static const char *const same[] = {"design", "keys", "n", "tree.style", "tree.runs", NULL};
    const json_t *params = json_object_get(cell, "params");
    if (!reference || !fb_json_same(cell, reference, same))
        return false;
    FB_EACH_MEMBER(name, value, json_object_get(reference, "params")) {
        if (!is_free(series, name) && !json_equal(value, json_object_get(params, name)))
            return false;
    }
    return true;
}

/* The points of one design in a document. */
static json_t *points_in(const json_t *document, const char *design, const struct series *series)
{
    const json_t *reference = reference_of(document, design, series);
    json_t *points = json_array(), *lines = json_object(), *seen = json_object();
    FB_EACH(cell, json_object_get(document, "cells")) {
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
static json_t *points_of(const json_t *documents, const char *design, const struct series *series)
{
    json_t *most = json_array();
    FB_EACH(document, documents) {
        json_t *points = strcmp(fb_json_str(document, "kind"), "lsm")
                             ? NULL
                             : points_in(document, design, series);
        const bool more = json_array_size(points) > json_array_size(most);
        json_decref(more ? most : points);
        most = more ? points : most;
    }
    return most;
}

/* Copies of the cells that are shown, with "line" ("-": there is one) and "device", the first of
 * the document; sorted by design, line and x, each x of a line once. The caller owns them. */
static json_t *all_points(const json_t *documents, const struct series *series)
{
    const char *const order[] = {"place", "design", "order", series->x, NULL};
    json_t *points = json_array(), *designs = json_object();
    FB_EACH(document, documents) {
        FB_EACH(cell, json_object_get(document, "cells")) {
            const char *design = fb_json_str(cell, "design");
            if (fb_is_control(design) || json_object_get(designs, design))
                continue;
            json_auto_t *more = points_of(documents, design, series);
            json_array_extend(points, more);
            json_object_set_new(designs, design, json_true());
        }
    }
    json_decref(designs);
    fb_points_sort(points, order);
    return points;
}

/* Whether a line has two points. */
static bool has_line(const json_t *points)
{
    static const char *const line[] = {"design", "line", NULL};
    for (size_t i = 1; i < json_array_size(points); i++)
        if (fb_json_same(json_array_get(points, i - 1), json_array_get(points, i), line))
            return true;
    return false;
}

static double number_or(double x, double otherwise)
{
    return isfinite(x) ? x : otherwise;
}

/* From 10 bits per key, or 1 %, split evenly. */
static double from_usual(const json_t *cell)
{
    double bits = fabs(fb_json_num(cell, "params.bits_per_key") - 10);
    double rate = fabs(log2(fb_json_num(cell, "params.fpr") / 0.01));
    bool uniform = !strcmp(fb_json_str(cell, "params.allocation"), "uniform");
    return number_or(bits, number_or(rate, 100)) + (uniform ? 0 : 0.001);
}

/* The lookup with the least time, of those that have a list of that name where one is given; NULL:
 * none was timed. */
static const json_t *fastest_of(const json_t *cell, const char *list)
{
    const json_t *best = NULL;
    double least = INFINITY;
    FB_EACH(lookup, json_object_get(cell, "lookups")) {
        double ns = fb_json_num(lookup, "time.median");
        if (ns < least && (!list || json_array_size(json_object_get(lookup, list)))) {
            best = lookup;
            least = ns;
        }
    }
    return best;
}

/* Writes the points, with what `complete` sets in each (NULL: nothing). */
static bool plot(const json_t *documents, const struct series *series,
                 void (*complete)(json_t *point), const struct fb_point_column *columns, FILE *file)
{
    json_auto_t *points = all_points(documents, series);
    FB_EACH(point, complete ? points : NULL)
        complete(point);
    fb_points_write(file, points, columns);
    return has_line(points);
}

static void set(json_t *point, const char *name, double x)
{
    json_object_set_new(point, name, fb_json_number(x));
}

/* ---- Cost ---- */

static void part_cost(json_t *point)
{
    const json_t *lookup = fastest_of(point, NULL);
    json_t *costs = json_object_get(lookup ? lookup : point, "costs");
    json_t *cost = json_object_get(costs, fb_json_str(point, "device.name"));
    double read_ns = fb_json_num(point, "device.read_ns"), io_ns = fb_json_num(cost, "io_ns");
    double data = (fb_json_num(point, "reads.by_cause.found") +
                   fb_json_num(point, "reads.by_cause.tombstone")) *
                  read_ns;
    double wasted = fb_json_num(point, "reads.by_cause.false") * read_ns;
    double other = io_ns - data - wasted;
    json_object_set(point, "cost", cost);
    set(point, "cpu_ns", number_or(fb_json_num(lookup, "time.median"), 0));
    set(point, "data_ns", data);
    set(point, "wasted_ns", wasted);
    set(point, "other_ns", other > 1e-9 * io_ns ? other : 0); /* sums round */
}

bool fb_lsm_plot_cost(const json_t *documents, FILE *file)
{
    static const struct series series = {{"absent"}, NULL, "params.absent", from_usual};
    static const struct fb_point_column columns[] = {
        {"design", "design", NULL},
        {"line", "line", NULL},
        {"absent", "params.absent", NULL},
        {"cpu_ns", "cpu_ns", NULL},
        {"data_ns", "data_ns", NULL},
        {"wasted_ns", "wasted_ns", NULL},
        {"other_ns", "other_ns", NULL},
        {"total_ns", "cost.cost_ns", NULL},
        {"low", "cost.low", NULL},
        {"high", "cost.high", NULL},
        {"device", "device.name", NULL},
        {"bits_per_key", "memory.bits_per_key", NULL},
        {0},
    };
    return plot(documents, &series, part_cost, columns, file);
}

/* ---- Memory ---- */

/* As many absent keys as there are; sizes are what differs. */
static double from_absent(const json_t *cell)
{
    bool sized = json_is_string(fb_json_at(cell, "params.allocation"));
    return sized ? 1 - fb_json_num(cell, "params.absent") : NAN;
}

bool fb_lsm_plot_memory(const json_t *documents, FILE *file)
{
    static const struct series series = {{"bits_per_key", "fpr", "allocation"},
                                         "params.allocation",
                                         "memory.bits_per_key",
                                         from_absent};
    static const struct fb_point_column columns[] = {
        {"design", "design", NULL},
        {"allocation", "line", NULL},
        {"bits_per_key", "memory.bits_per_key", NULL},
        {"io", "reads.io", NULL},
        {"low", "reads.io_ci95.low", NULL},
        {"high", "reads.io_ci95.high", NULL},
        {"expected", "expectation.data_blocks", NULL},
        {"absent", "params.absent", NULL},
        {"style", "tree.style", NULL},
        {0},
    };
    return plot(documents, &series, NULL, columns, file);
}

/* ---- Cache ---- */

/* Capacity 0 is no cache, and has no place on a logarithmic axis. */
static double from_usual_cached(const json_t *cell)
{
    return fb_json_num(cell, "params.cache_bytes") > 0 ? from_usual(cell) : NAN;
}

/* Of blocks wanted, the share that came from the cache; NaN where none was wanted. */
static double hit_ratio(double wanted, double read)
{
    return wanted > 0 ? 1 - read / wanted : NAN;
}

static void set_hits(json_t *point)
{
    const json_t *c = json_object_get(point, "counts");
    double data = fb_json_num(c, "data_found") + fb_json_num(c, "data_false") +
                  fb_json_num(c, "data_tombstone");
    double read = fb_json_num(c, "read_found") + fb_json_num(c, "read_false") +
                  fb_json_num(c, "read_tombstone");
    set(point, "data_hits", hit_ratio(data, read));
    set(point, "filter_hits",
        hit_ratio(fb_json_num(c, "filter_blocks"), fb_json_num(c, "read_filter")));
    set(point, "index_hits",
        hit_ratio(fb_json_num(c, "index_blocks"), fb_json_num(c, "read_index")));
}

bool fb_lsm_plot_cache(const json_t *documents, FILE *file)
{
    static const struct series series = {{"cache_bytes", "filter_residency"},
                                         "params.filter_residency",
                                         "params.cache_bytes",
                                         from_usual_cached};
    static const struct fb_point_column columns[] = {
        {"design", "design", NULL},
        {"residency", "line", NULL},
        {"cache_bytes", "params.cache_bytes", NULL},
        {"data_hits", "data_hits", NULL},
        {"filter_hits", "filter_hits", NULL},
        {"index_hits", "index_hits", NULL},
        {"filter_bytes", "filter.bytes", NULL},
        {"style", "tree.style", NULL},
        {0},
    };
    return plot(documents, &series, set_hits, columns, file);
}

/* ---- Single queries ---- */

static double from_usual_timed(const json_t *cell)
{
    return fastest_of(cell, "histograms") ? from_usual(cell) : NAN;
}

/* The share of samples above each bin: from 1, where the least of them lies, down to 0. */
static void write_percentiles(FILE *file, const json_t *point, const json_t *histogram)
{
    const char *design = fb_json_str(point, "design"), *kind = fb_json_str(histogram, "kind"),
               *device = fb_json_str(point, "device.name");
    const double n = fb_json_num(histogram, "count");
    double above = n;
    if (!(n > 0))
        return;
    fprintf(file, "%s\t%s\t1\t%.6g\t%s\n", design, kind, fb_json_num(histogram, "min") * 1e-3,
            device);
    FB_EACH(bin, json_object_get(histogram, "bins")) {
        double low = json_number_value(json_array_get(bin, 0));
        double middle = (double)fb_histogram_middle(fb_histogram_bin((uint64_t)low));
        above -= json_number_value(json_array_get(bin, 1));
        fprintf(file, "%s\t%s\t%.6g\t%.6g\t%s\n", design, kind, above / n, middle * 1e-3, device);
    }
}

bool fb_lsm_plot_latency(const json_t *documents, FILE *file)
{
    static const struct series series = {{NULL}, NULL, "params.absent", from_usual_timed};
    json_t *points = all_points(documents, &series), *point;
    size_t i;
    fputs("design\tkind\tshare_above\tns\tdevice\n", file);
    json_array_foreach(points, i, point) {
        const json_t *lookup = fastest_of(point, "histograms");
        FB_EACH(histogram, json_object_get(lookup, "histograms"))
            write_percentiles(file, point, histogram);
    }
    json_decref(points);
    return i > 0;
}

/* ---- Single trees: a row for each cell, or for each lookup where lookups were timed ---- */

static void tell_cost(const json_t *document, const json_t *cell, const json_t *lookup,
                      json_t *rows)
{
    const json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    const char *name = fb_json_str(device, "name");
    const json_t *cost = json_object_get(json_object_get(lookup ? lookup : cell, "costs"), name);
    fb_cells_add(rows, cell,
                 &(struct fb_cell_row){.more = fb_json_str(lookup, "lookup"),
                                       .unit = name,
                                       .value = fb_json_num(cost, "cost_ns"),
                                       .low = fb_json_num(cost, "low"),
                                       .high = fb_json_num(cost, "high"),
                                       .reference = fb_json_num(lookup, "time.median")});
}

static void tell_cell(const json_t *document, const json_t *cell, json_t *rows)
{
    const json_t *lookups = json_object_get(cell, "lookups");
    FB_EACH(lookup, lookups)
        tell_cost(document, cell, lookup, rows);
    if (json_array_size(lookups) == 0)
        tell_cost(document, cell, NULL, rows);
}

const struct fb_cells_figure fb_lsm_cells_figure = {"lsm", .tell = tell_cell};

/* The tables of the figures that show what a lookup of an absent key costs: alone, from several
 * threads, and as a distribution of single ones; and any operation against the load. */
#include <math.h>
#include <string.h>

#include "harness/document/cells.h"
#include "harness/document/points.h"
#include "harness/kind/kernels/kernels.h"
#include "harness/stats/histogram.h"

static bool is_yardstick(const json_t *cell)
{
    return fb_yardstick_find(fb_json_str(cell, "design")) < FB_N_YARDSTICKS;
}

/* Whether an operation was asked for absent keys, of filters that hold what they are sized for.
 * Yardsticks stand among the designs; other controls do not. */
static bool is_shown(const json_t *cell, const char *operation)
{
    return !strcmp(fb_json_str(cell, "operation"), operation) && !json_object_get(cell, "load") &&
           (fb_json_num(cell, "hit_ratio") == 0 ||
            json_is_object(json_object_get(cell, "build"))) &&
           (is_yardstick(cell) || !fb_is_control(fb_json_str(cell, "design")));
}

/* A copy of a cell with what figures sort it by. */
static json_t *point_of(const json_t *cell)
{
    json_t *point = json_copy((json_t *)cell);
    json_object_set_new(point, "place", fb_json_int(fb_place_of(fb_json_str(cell, "design"))));
    json_object_set_new(point, "at",
                        fb_json_int(fb_footprint_find(fb_json_str(cell, "footprint"))));
    return point;
}

/* Adds a point (taken over). Of those that are the same in these members the first stays or, where
 * `fastest`, the fastest of the first document that has them. */
static void add_point(json_t *points, json_t *point, const char *const *same, bool fastest)
{
    FB_EACH_AT(i, other, points) {
        if (!fb_json_same(other, point, same))
            continue;
        if (fastest && fb_json_uint(other, "document") == fb_json_uint(point, "document") &&
            fb_json_num(point, "time.median") < fb_json_num(other, "time.median"))
            json_array_set(points, i, point);
        json_decref(point);
        return;
    }
    json_array_append_new(points, point);
}

/* Cells of the operation, with their place and footprint; where a list is named those that have
 * it, as they come. Without one the fastest kernels, lines of designs behind those of yardsticks.
 */
static json_t *gather(const json_t *documents, const char *operation, const char *list)
{
    static const char *const order[] = {"line", "place", "design", "at", "filter.bits_per_key",
                                        NULL};
    static const char *const filter[] = {"design", "footprint", "params", NULL};
    json_t *points = json_array();
    FB_EACH_AT(d, document, documents) {
        if (strcmp(fb_json_str(document, "kind"), "kernels"))
            continue;
        FB_EACH(cell, json_object_get(document, "cells")) {
            bool has = list ? json_is_array(json_object_get(cell, list))
                            : fb_json_num(cell, "time.median") > 0 &&
                                  fb_json_uint(cell, "filter.n_keys") > 0;
            if (!has || !is_shown(cell, operation))
                continue;
            const bool yardstick = is_yardstick(cell);
            json_t *point = point_of(cell);
            json_object_set_new(point, "kind", json_string(yardstick ? "yardstick" : "design"));
            json_object_set_new(point, "line", json_integer(!yardstick));
            json_object_set_new(point, "document", fb_json_int(d));
            add_point(points, point, filter, !list);
        }
    }
    if (!list)
        fb_points_sort(points, order);
    return points;
}

static const struct fb_point_column columns[] = {
    {"design", "design", NULL},
    {"kind", "kind", NULL},
    {"footprint", "footprint", NULL},
    {"place", "at", "%.0f"},
    {"bytes", "filter.bytes", "%.0f"},
    {"n_keys", "filter.n_keys", "%.0f"},
    {"bits_per_key", "filter.bits_per_key", NULL},
    {"ns", "time.median", NULL},
    {"low", "time.ci95.low", NULL},
    {"high", "time.ci95.high", NULL},
    {"fpr", "predicted_fpr", NULL},
    {"isa", "isa", NULL},
    {0},
};

/* ---- Cost against the footprint ---- */

/* From 10 bits per key, or from that as a rate. Yardsticks have no size. */
static double from_ten(const json_t *point)
{
    double bits = fb_json_num(point, "params.bits_per_key");
    double fpr = fb_json_num(point, "params.fpr");
    return is_yardstick(point) ? 0 : fabs((isfinite(bits) ? bits : isfinite(fpr) ? fpr : 0) - 10);
}

/* A line a design over the footprints, at the size nearest to 10 bits per key. */
static bool by_footprint(const json_t *documents, const char *operation, FILE *file)
{
    json_auto_t *points = gather(documents, operation, NULL);
    double nearest = INFINITY;
    size_t least = FB_N_FOOTPRINTS, most = 0;
    FB_EACH(point, points) {
        if (!is_yardstick(point))
            nearest = fmin(nearest, from_ten(point));
    }
    for (size_t i = json_array_size(points); i-- > 0;) {
        const json_t *point = json_array_get(points, i);
        size_t at = fb_json_uint(point, "at");
        if (from_ten(point) > nearest) {
            json_array_remove(points, i);
        } else if (!is_yardstick(point)) {
            least = at < least ? at : least;
            most = at > most ? at : most;
        }
    }
    fb_points_write(file, points, columns);
    return least < most; /* one footprint makes no line */
}

static bool plot_throughput(const json_t *documents, FILE *file)
{
    return by_footprint(documents, "batch", file);
}

static bool plot_chain(const json_t *documents, FILE *file)
{
    return by_footprint(documents, "chain", file);
}

/* ---- Cost against the rate ---- */

/* Writes the designs' points, then each footprint's front: those that no faster one beats in the
 * member `value`, of which less is better. */
static bool write_fronts(FILE *file, json_t *points, const char *value,
                         const struct fb_point_column *to)
{
    const char *const order[] = {"at", "time.median", value, NULL};
    json_t *point;
    size_t i, footprint = FB_N_FOOTPRINTS;
    double best = INFINITY;
    json_auto_t *sorted = json_copy(points);
    fb_points_sort(sorted, order);
    json_array_foreach(sorted, i, point) {
        const double worth = fb_json_num(point, value);
        if (fb_json_uint(point, "at") != footprint)
            best = INFINITY;
        footprint = fb_json_uint(point, "at");
        if (isinf(best) || worth < best * 0.999) { /* equal but for rounding is no better */
            json_t *front = json_copy(point);
            json_object_set_new(front, "kind", json_string("front"));
            json_array_append_new(points, front);
        }
        best = fmin(best, worth);
    }
    fb_points_write(file, points, to);
    json_decref(points);
    return i > 0;
}

/* Those with a rate in (0, 1); where `by_rate`, of sizes by rate alone and no yardsticks. */
static json_t *gather_rates(const json_t *documents, const char *operation, bool by_rate)
{
    json_t *points = gather(documents, operation, NULL);
    for (size_t i = json_array_size(points); i-- > 0;) {
        const json_t *point = json_array_get(points, i);
        const double fpr = fb_json_num(point, "predicted_fpr");
        if (!(fpr > 0 && fpr < 1) || (by_rate && !(fb_json_num(point, "params.fpr") > 0)))
            json_array_remove(points, i);
    }
    return points;
}

static bool plot_cost_fpr(const json_t *documents, FILE *file)
{
    return write_fronts(file, gather_rates(documents, "batch", false), "predicted_fpr", columns);
}

static const struct fb_point_column judged_columns[] = {
    {"design", "design", NULL},
    {"kind", "kind", NULL},
    {"footprint", "footprint", NULL},
    {"place", "at", "%.0f"},
    {"fpr", "predicted_fpr", NULL},
    {"n_keys", "filter.n_keys", "%.0f"},
    {"bits_per_key", "filter.bits_per_key", NULL},
    {"ns", "time.median", NULL},
    {"low", "time.ci95.low", NULL},
    {"high", "time.ci95.high", NULL},
    {"value", "value", NULL},
    {"attempts", "build.attempts", "%.0f"},
    {0},
};

static bool plot_judged(const json_t *documents, const char *operation,
                        double (*value)(const json_t *cell), FILE *file)
{
    json_t *points = gather_rates(documents, operation, true), *point;
    size_t i;
    for (i = json_array_size(points); i-- > 0;) {
        point = json_array_get(points, i);
        if (isfinite(value(point)))
            json_object_set_new(point, "value", json_real(value(point)));
        else
            json_array_remove(points, i);
    }
    return write_fronts(file, points, "value", judged_columns);
}

static bool plot_pareto(const json_t *documents, FILE *file)
{
    return plot_judged(documents, "batch", fb_kernels_over, file);
}

static bool plot_build_cost(const json_t *documents, FILE *file)
{
    return plot_judged(documents, "build-keys", fb_kernels_held, file);
}

/* ---- Lookups from several threads ---- */

static bool plot_scaling(const json_t *documents, FILE *file)
{
    static const struct fb_point_column per_point[] = {
        {"design", "design", NULL},
        {"footprint", "footprint", NULL},
        {"threads", "threads", "%.0f"},
        {"per_s", "per_s", NULL},
        {"low", "per_s_low", NULL},
        {"high", "per_s_high", NULL},
        {"speedup", "speedup", NULL},
        {"speedup_low", "speedup_low", NULL},
        {"speedup_high", "speedup_high", NULL},
        {0},
    };
    json_auto_t *cells = gather(documents, "batch", "scaling"), *points = json_array();
    size_t most = 0;
    FB_EACH(cell, cells) {
        const json_t *scaling = json_object_get(cell, "scaling");
        most = json_array_size(scaling) > most ? json_array_size(scaling) : most;
        FB_EACH(point, scaling) {
            json_t *both = json_copy(cell);
            json_object_update(both, point);
            json_array_append_new(points, both);
        }
    }
    fb_points_write(file, points, per_point);
    return most > 1; /* one number of threads makes no line */
}

/* ---- Operations a second against the load ---- */

static void set_per_s(json_t *point, const char *name, const json_t *cell, const char *ns)
{
    json_object_set_new(point, name, json_real(1e9 / fb_json_num(cell, ns)));
}

/* Lookups of other keys than absent ones would be lines of the same name. */
static bool has_load(const json_t *cell)
{
    return fb_json_num(cell, "load") > 0 && fb_json_num(cell, "time.median") > 0 &&
           !(fb_json_num(cell, "hit_ratio") > 0);
}

/* Of a design, an operation and a footprint at one load the fastest kernel, which is nothing to
 * choose where the experiment asks for the best alone. */
static bool plot_load(const json_t *documents, FILE *file)
{
    static const char *const order[] = {"place", "design", "at", "order", "load", NULL};
    static const char *const one[] = {"design",    "operation", "footprint", "load",
                                      "hit_ratio", "params",    NULL};
    static const struct fb_point_column per_load[] = {
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
    json_auto_t *points = json_array();
    double least = 2, most = 0;
    FB_EACH(document, documents) {
        if (strcmp(fb_json_str(document, "kind"), "kernels") != 0)
            continue;
        FB_EACH(cell, json_object_get(document, "cells")) {
            const double load = fb_json_num(cell, "load");
            if (!has_load(cell))
                continue;
            json_t *point = point_of(cell);
            json_object_set_new(point, "order",
                                fb_json_int(fb_operation_find(fb_json_str(cell, "operation"))));
            set_per_s(point, "per_s", cell, "time.median");
            set_per_s(point, "per_s_low", cell, "time.ci95.high");
            set_per_s(point, "per_s_high", cell, "time.ci95.low");
            add_point(points, point, one, true);
            least = load < least ? load : least;
            most = load > most ? load : most;
        }
    }
    fb_points_sort(points, order);
    fb_points_write(file, points, per_load);
    return least < most; /* one load makes no line */
}

/* ---- Distributions ---- */

/* The share of samples above each bin: steps from 1 down. */
static void write_tail(FILE *file, const json_t *cell, const json_t *histogram)
{
    const double n = fb_json_num(histogram, "count");
    double above = n;
    FB_EACH(bin, json_object_get(histogram, "bins")) {
        double low = json_number_value(json_array_get(bin, 0));
        above -= json_number_value(json_array_get(bin, 1));
        double middle = (double)fb_histogram_middle(fb_histogram_bin((uint64_t)low));
        fprintf(file, "%s\t%s\t%s\t%.6g\t%.6g\n", fb_json_str(cell, "design"),
                fb_json_str(cell, "footprint"), fb_json_str(histogram, "kind"), middle * 1e-3,
                n > 0 ? above / n : 0);
    }
}

static bool plot_latency(const json_t *documents, FILE *file)
{
    json_auto_t *cells = gather(documents, "batch", "histograms");
    bool any = false;
    fputs("design\tfootprint\tkind\tns\tshare_above\n", file);
    FB_EACH(cell, cells) {
        FB_EACH(histogram, json_object_get(cell, "histograms")) {
            if (!strcmp(fb_json_str(histogram, "kind"), "batch64_mean"))
                continue;
            write_tail(file, cell, histogram);
            any = true;
        }
    }
    return any;
}

static const struct fb_cells_figure times = {"kernels", .value = "time.median",
                                             .low = "time.ci95.low", .high = "time.ci95.high"};

const struct fb_figure fb_kernels_figures[] = {
    {"throughput", "cost of a lookup against footprint", plot_throughput, "params",
     .needs = "a result of kind kernels with batches in two footprints: --footprints L1,L2"},
    {"chain", "latency of a lookup against footprint", plot_chain, "params",
     .needs = "a result of kind kernels with chains in two footprints: --operations chain"},
    {"cost-fpr", "cost of a lookup against false-positive rate", plot_cost_fpr, "",
     .needs = "a result of kind kernels with batches of absent keys"},
    {"pareto", "bits over the bound against the cost of a lookup", plot_pareto, "",
     .needs = "a result of kind kernels with sizes by rate: run families"},
    {"build-cost", "memory that a build holds against its time", plot_build_cost, "",
     .needs = "a result of kind kernels with sizes by rate and builds from keys: run families"},
    {"scaling", "lookups a second against the number of threads", plot_scaling, "params",
     .needs = "a result of kind kernels with two numbers of threads: run scaling"},
    {"latency", "distribution of single lookups beside the empty timer", plot_latency, "params",
     .needs = "a result of kind kernels with batches of absent keys, run with --histograms"},
    {"load", "operations a second against how full the filter is", plot_load, "",
     .needs = "a result of kind kernels with two loads: run dynamic"},
    {"kernels-cells", "cost of an operation, a row for each cell", .cells = &times,
     .needs = "a result of kind kernels", .rest = true},
    {0},
};

/*
 * The tables of the figures of trees: what a query costs against the share of absent keys, reads
 * against memory, hits of the block cache against its size, and how long single queries take.
 */
#include <math.h>
#include <string.h>

#include "harness/document/points.h"
#include "harness/kind/lsm/report/report.h"
#include "harness/kind/lsm/report/series.h"
#include "harness/stats/histogram.h"

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
    size_t i;
    json_t *lookup;
    json_array_foreach(json_object_get(cell, "lookups"), i, lookup) {
        double ns = fb_json_num(lookup, "time.median");
        if (ns < least && (!list || json_array_size(json_object_get(lookup, list)))) {
            best = lookup;
            least = ns;
        }
    }
    return best;
}

/* Writes the points, with what `complete` sets in each (NULL: nothing). */
static bool plot(const json_t *documents, const struct fb_lsm_series *series,
                 void (*complete)(json_t *point), const struct fb_point_column *columns, FILE *file)
{
    json_t *points = fb_lsm_points(documents, series), *point;
    size_t i;
    if (complete)
        json_array_foreach(points, i, point)
            complete(point);
    fb_points_write(file, points, columns);
    bool line = fb_lsm_has_line(points);
    json_decref(points);
    return line;
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
    static const struct fb_lsm_series series = {{"absent"}, NULL, "params.absent", from_usual};
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
    static const struct fb_lsm_series series = {{"bits_per_key", "fpr", "allocation"},
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
    static const struct fb_lsm_series series = {{"cache_bytes", "filter_residency"},
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
    size_t i;
    json_t *bin;
    if (!(n > 0))
        return;
    fprintf(file, "%s\t%s\t1\t%.6g\t%s\n", design, kind, fb_json_num(histogram, "min") * 1e-3,
            device);
    json_array_foreach(json_object_get(histogram, "bins"), i, bin) {
        double low = json_number_value(json_array_get(bin, 0));
        double middle = (double)fb_histogram_middle(fb_histogram_bin((uint64_t)low));
        above -= json_number_value(json_array_get(bin, 1));
        fprintf(file, "%s\t%s\t%.6g\t%.6g\t%s\n", design, kind, above / n, middle * 1e-3, device);
    }
}

bool fb_lsm_plot_latency(const json_t *documents, FILE *file)
{
    static const struct fb_lsm_series series = {{NULL}, NULL, "params.absent", from_usual_timed};
    json_t *points = fb_lsm_points(documents, &series), *point, *histogram;
    size_t i, h;
    fputs("design\tkind\tshare_above\tns\tdevice\n", file);
    json_array_foreach(points, i, point) {
        const json_t *lookup = fastest_of(point, "histograms");
        json_array_foreach(json_object_get(lookup, "histograms"), h, histogram)
            write_percentiles(file, point, histogram);
    }
    json_decref(points);
    return i > 0;
}

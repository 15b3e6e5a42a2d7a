/*
 * The tables of the figures of trees: what a query costs against the share of absent keys, reads
 * against memory, hits of the block cache against its size, and how long single queries take.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/document/result.h"
#include "harness/kind/lsm/lsm.h"
#include "harness/kind/lsm/report/plot_rows.h"
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

static double absent_of(const json_t *cell)
{
    return fb_json_num(cell, "params.absent");
}

/* The lookup with the least time; NULL: none was timed. */
static const json_t *fastest_of(const json_t *cell)
{
    const json_t *best = NULL;
    size_t i;
    json_t *lookup;
    json_array_foreach(json_object_get(cell, "lookups"), i, lookup)
    {
        double ns = fb_json_num(lookup, "time.median");
        if (isfinite(ns) && !(best && fb_json_num(best, "time.median") <= ns))
            best = lookup;
    }
    return best;
}

static const char *cost_values(const json_t *document, const json_t *cell, double v[FB_ROW_VALUES])
{
    const json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    const json_t *lookup = fastest_of(cell);
    const char *name = fb_json_str(device, "name");
    const json_t *costs = json_object_get(lookup ? lookup : cell, "costs");
    const json_t *cost = json_object_get(costs, name);
    double read_ns = fb_json_num(device, "read_ns"), io_ns = fb_json_num(cost, "io_ns");
    double found = fb_json_num(cell, "reads.by_cause.found"),
           tombstone = fb_json_num(cell, "reads.by_cause.tombstone"),
           wasted = fb_json_num(cell, "reads.by_cause.false");
    v[0] = number_or(fb_json_num(lookup, "time.median"), 0);
    v[1] = (found + tombstone) * read_ns;
    v[2] = wasted * read_ns;
    v[3] = io_ns - v[1] - v[2];
    v[3] = v[3] > 1e-9 * io_ns ? v[3] : 0; /* sums round */
    v[4] = fb_json_num(cost, "cost_ns");
    v[5] = fb_json_num(cost, "low");
    v[6] = fb_json_num(cost, "high");
    return name;
}

static const struct fb_row_figure cost = {
    .header = "design\tline\tabsent\tcpu_ns\tdata_ns\twasted_ns\tother_ns\ttotal_ns\tlow\thigh\t"
              "device",
    .free_members = {"absent"},
    .distance = from_usual,
    .x = absent_of,
    .values = cost_values,
    .n_values = 7,
};

bool fb_lsm_plot_cost(const json_t *documents, FILE *file)
{
    return fb_rows_write(documents, &cost, file);
}

/* As many absent keys as there are; sizes are what differs. */
static double from_absent(const json_t *cell)
{
    bool sized = json_is_string(fb_json_at(cell, "params.allocation"));
    return sized ? 1 - absent_of(cell) : NAN;
}

static double memory_of(const json_t *cell)
{
    return fb_json_num(cell, "memory.bits_per_key");
}

static const char *memory_values(const json_t *document, const json_t *cell,
                                 double v[FB_ROW_VALUES])
{
    (void)document;
    v[0] = fb_json_num(cell, "reads.io");
    v[1] = fb_json_num(cell, "reads.io_ci95.low");
    v[2] = fb_json_num(cell, "reads.io_ci95.high");
    v[3] = fb_json_num(cell, "expectation.data_blocks");
    v[4] = absent_of(cell);
    return fb_json_str(cell, "tree.style");
}

static const struct fb_row_figure memory = {
    .header = "design\tallocation\tbits_per_key\tio\tlow\thigh\texpected\tabsent\tstyle",
    .free_members = {"bits_per_key", "fpr", "allocation"},
    .line = "params.allocation",
    .distance = from_absent,
    .x = memory_of,
    .values = memory_values,
    .n_values = 5,
};

bool fb_lsm_plot_memory(const json_t *documents, FILE *file)
{
    return fb_rows_write(documents, &memory, file);
}

/* Capacity 0 is no cache, and has no place on a logarithmic axis. */
static double cache_of(const json_t *cell)
{
    double bytes = fb_json_num(cell, "params.cache_bytes");
    return bytes > 0 ? bytes : NAN;
}

static double from_usual_cached(const json_t *cell)
{
    return isfinite(cache_of(cell)) ? from_usual(cell) : NAN;
}

/* Of blocks wanted, the share that came from the cache; NaN where none was wanted. */
static double hit_ratio(double wanted, double read)
{
    return wanted > 0 ? 1 - read / wanted : NAN;
}

static const char *cache_values(const json_t *document, const json_t *cell, double v[FB_ROW_VALUES])
{
    const json_t *c = json_object_get(cell, "counts");
    double data = fb_json_num(c, "data_found") + fb_json_num(c, "data_false") +
                  fb_json_num(c, "data_tombstone");
    double read = fb_json_num(c, "read_found") + fb_json_num(c, "read_false") +
                  fb_json_num(c, "read_tombstone");
    (void)document;
    v[0] = hit_ratio(data, read);
    v[1] = hit_ratio(fb_json_num(c, "filter_blocks"), fb_json_num(c, "read_filter"));
    v[2] = hit_ratio(fb_json_num(c, "index_blocks"), fb_json_num(c, "read_index"));
    v[3] = fb_json_num(cell, "filter.bytes");
    return fb_json_str(cell, "tree.style");
}

static const struct fb_row_figure cache = {
    .header = "design\tresidency\tcache_bytes\tdata_hits\tfilter_hits\tindex_hits\tfilter_bytes\t"
              "style",
    .free_members = {"cache_bytes", "filter_residency"},
    .line = "params.filter_residency",
    .distance = from_usual_cached,
    .x = cache_of,
    .values = cache_values,
    .n_values = 4,
};

bool fb_lsm_plot_cache(const json_t *documents, FILE *file)
{
    return fb_rows_write(documents, &cache, file);
}

/* ---- Single queries ---- */

/* Those of the fastest lookup that has any. */
static const json_t *histograms_of(const json_t *cell)
{
    const json_t *best = NULL;
    double least = INFINITY;
    size_t i;
    json_t *lookup;
    json_array_foreach(json_object_get(cell, "lookups"), i, lookup)
    {
        const json_t *list = json_object_get(lookup, "histograms");
        double ns = fb_json_num(lookup, "time.median");
        if (json_array_size(list) && ns < least) {
            best = list;
            least = ns;
        }
    }
    return best;
}

static double from_usual_timed(const json_t *cell)
{
    return histograms_of(cell) ? from_usual(cell) : NAN;
}

/* The share of samples above each bin: from 1, where the least of them lies, down to 0. */
static void write_percentiles(FILE *file, const char *design, const json_t *histogram,
                              const char *device)
{
    const json_t *bins = json_object_get(histogram, "bins");
    const double n = fb_json_num(histogram, "count");
    double above = n;
    if (n > 0)
        fprintf(file, "%s\t%s\t1\t%.6g\t%s\n", design, fb_json_str(histogram, "kind"),
                fb_json_num(histogram, "min") * 1e-3, device);
    for (size_t i = 0; n > 0 && i < json_array_size(bins); i++) {
        const json_t *bin = json_array_get(bins, i);
        double low = json_number_value(json_array_get(bin, 0));
        double middle = (double)fb_histogram_middle(fb_histogram_bin((uint64_t)low));
        above -= json_number_value(json_array_get(bin, 1));
        fprintf(file, "%s\t%s\t%.6g\t%.6g\t%s\n", design, fb_json_str(histogram, "kind"), above / n,
                middle * 1e-3, device);
    }
}

static const struct fb_row_figure single = {
    .free_members = {NULL},
    .distance = from_usual_timed,
    .x = absent_of,
};

bool fb_lsm_plot_latency(const json_t *documents, FILE *file)
{
    size_t n;
    struct fb_row *rows = fb_rows(documents, &single, &n);
    fputs("design\tkind\tshare_above\tns\tdevice\n", file);
    for (size_t i = 0; rows && i < n; i++) {
        const json_t *device = json_array_get(json_object_get(rows[i].document, "devices"), 0);
        size_t h;
        json_t *histogram;
        json_array_foreach((json_t *)histograms_of(rows[i].cell), h, histogram)
            write_percentiles(file, rows[i].design, histogram, fb_json_str(device, "name"));
    }
    free(rows);
    return n > 0;
}

/*
 * The tables of the figures of trees: what a query costs against the share of absent keys, reads
 * against memory, hits of the block cache against its size, and how long single queries take.
 *
 * A figure shows one line (or some) a design over one axis. All else is held at the values of a
 * reference cell: the one nearest to what the figure prefers, of those the first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/filter.h"
#include "harness/histogram.h"
#include "harness/plot.h"
#include "harness/result.h"

enum { N_VALUES = 7 };

struct figure {
    const char *header;
    const char
        *free_members[4]; /* of "params", that may differ from the reference; ends with NULL */
    const char *line;     /* path of what tells lines of a design apart; NULL: one line */
    double (*distance)(const json_t *cell); /* from what the figure prefers; NaN: not shown */
    double (*x)(const json_t *cell);
    /* Values in the order of the header; `said` is its last column. */
    const char *(*values)(const json_t *document, const json_t *cell, double values[N_VALUES]);
    size_t n_values;
};

static double real_at(const json_t *object, const char *path)
{
    const json_t *value = fb_result_at(object, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static double number_or(double x, double otherwise)
{
    return isfinite(x) ? x : otherwise;
}

static bool is_control(const char *name)
{
    const struct fb_design *design = fb_design_find(name);
    return design && design->traits & FB_CONTROL;
}

static size_t place_of(const char *name)
{
    size_t i = 0;
    while (i < fb_n_designs() && strcmp(fb_design_at(i)->name, name))
        i++;
    return i;
}

/* ---- Choosing cells ---- */

struct row {
    const json_t *document, *cell;
    const char *design, *line;
    size_t place, order; /* of the design in the registry; of the line among those of the design */
    double x;
};

/* From 10 bits per key, or 1 %, split evenly. */
static double from_usual(const json_t *cell)
{
    double bits = fabs(real_at(cell, "params.bits_per_key") - 10);
    double rate = fabs(log2(real_at(cell, "params.fpr") / 0.01));
    bool uniform = !strcmp(fb_result_text(cell, "params.allocation"), "uniform");
    return number_or(bits, number_or(rate, 100)) + (uniform ? 0 : 0.001);
}

static const json_t *reference_of(const json_t *document, const char *design,
                                  const struct figure *figure)
{
    const json_t *best = NULL;
    double least = INFINITY;
    size_t i;
    json_t *cell;
    json_array_foreach(json_object_get(document, "cells"), i, cell)
    {
        double distance = figure->distance(cell);
        if (strcmp(fb_result_text(cell, "design"), design) || !(distance < least))
            continue;
        least = distance;
        best = cell;
    }
    return best;
}

static bool is_free(const struct figure *figure, const char *member)
{
    for (const char *const *name = figure->free_members; *name; name++)
        if (!strncmp(member, *name, strlen(*name))) /* "fpr_reason" goes with "fpr" */
            return true;
    return false;
}

static bool alike(const json_t *cell, const json_t *reference, const struct figure *figure)
{
    static const char *const same[] = {"design", "keys", "n", "tree.style", "tree.runs"};
    const char *name;
    json_t *value;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!json_equal(fb_result_at(cell, same[i]), fb_result_at(reference, same[i])))
            return false;
    json_object_foreach(json_object_get((json_t *)reference, "params"), name, value)
    {
        if (!is_free(figure, name) &&
            !json_equal(value, json_object_get(json_object_get(cell, "params"), name)))
            return false;
    }
    return true;
}

static int by_line(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    int order = strcmp(a->design, b->design);
    if (order)
        return order;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->x > b->x) - (a->x < b->x);
}

/* The rows of one design in a document: a value of x once a line. Their number. */
static size_t rows_in(const json_t *document, const char *design, const struct figure *figure,
                      struct row *rows)
{
    const json_t *reference = reference_of(document, design, figure);
    size_t i, n = 0, lines = 0;
    json_t *cell;
    json_array_foreach(json_object_get(document, "cells"), i, cell)
    {
        const char *line = figure->line ? fb_result_text(cell, figure->line) : "";
        struct row row = {document, cell, design, line, place_of(design), lines, figure->x(cell)};
        bool again = false;
        if (!reference || !isfinite(row.x) || isnan(figure->distance(cell)) ||
            !alike(cell, reference, figure))
            continue;
        for (size_t j = 0; j < n; j++)
            if (!strcmp(rows[j].line, line)) {
                row.order = rows[j].order;
                again = again || rows[j].x == row.x;
            }
        lines += row.order == lines;
        if (!again)
            rows[n++] = row;
    }
    return n;
}

/* Those of the document that has most of them, of equals the first. rows has room for two. */
static size_t add_design(const json_t *documents, const char *design, const struct figure *figure,
                         struct row *rows)
{
    size_t most = 0;
    for (size_t d = 0; d < json_array_size(documents); d++) {
        const json_t *document = json_array_get(documents, d);
        size_t n = strcmp(fb_result_text(document, "kind"), "lsm")
                       ? 0
                       : rows_in(document, design, figure, rows + most);
        if (n > most) {
            memmove(rows, rows + most, n * sizeof *rows);
            most = n;
        }
    }
    return most;
}

/* Rows of all designs, sorted; *n of them. NULL: out of memory. */
static struct row *gather(const json_t *documents, const struct figure *figure, size_t *n)
{
    size_t most = 0;
    *n = 0;
    for (size_t d = 0; d < json_array_size(documents); d++)
        most += json_array_size(json_object_get(json_array_get(documents, d), "cells"));
    struct row *rows = calloc(2 * most + 1, sizeof *rows);
    for (size_t d = 0; rows && d < json_array_size(documents); d++) {
        const json_t *document = json_array_get(documents, d);
        size_t i;
        json_t *cell;
        if (strcmp(fb_result_text(document, "kind"), "lsm"))
            continue;
        json_array_foreach(json_object_get(document, "cells"), i, cell)
        {
            const char *design = fb_result_text(cell, "design");
            bool seen = is_control(design);
            for (size_t j = 0; j < *n; j++)
                seen = seen || !strcmp(rows[j].design, design);
            if (!seen)
                *n += add_design(documents, design, figure, rows + *n);
        }
    }
    if (rows)
        qsort(rows, *n, sizeof *rows, by_line);
    return rows;
}

/* True where a line has two points. */
static bool write_figure(const json_t *documents, const struct figure *figure, FILE *file)
{
    size_t n;
    bool any = false;
    struct row *rows = gather(documents, figure, &n);
    fprintf(file, "%s\n", figure->header);
    for (size_t i = 0; rows && i < n; i++) {
        const struct row *r = &rows[i];
        double values[N_VALUES];
        const char *said = figure->values(r->document, r->cell, values);
        fprintf(file, "%s\t%s\t%.6g", r->design, *r->line ? r->line : "-", r->x);
        for (size_t v = 0; v < figure->n_values; v++)
            fprintf(file, "\t%.6g", values[v]);
        fprintf(file, "\t%s\n", said);
        any = any || (i && r[-1].order == r->order && !strcmp(r[-1].design, r->design));
    }
    free(rows);
    return any;
}

/* ---- The figures ---- */

static double absent_of(const json_t *cell)
{
    return real_at(cell, "params.absent");
}

/* The lookup with the least time; NULL: none was timed. */
static const json_t *fastest_of(const json_t *cell)
{
    const json_t *best = NULL;
    size_t i;
    json_t *lookup;
    json_array_foreach(json_object_get(cell, "lookups"), i, lookup)
    {
        double ns = real_at(lookup, "time.median");
        if (isfinite(ns) && !(best && real_at(best, "time.median") <= ns))
            best = lookup;
    }
    return best;
}

static const char *cost_values(const json_t *document, const json_t *cell, double v[N_VALUES])
{
    const json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    const json_t *lookup = fastest_of(cell);
    const char *name = fb_result_text(device, "name");
    const json_t *costs = json_object_get(lookup ? lookup : cell, "costs");
    const json_t *cost = json_object_get(costs, name);
    double read_ns = real_at(device, "read_ns"), io_ns = real_at(cost, "io_ns");
    double found = real_at(cell, "reads.by_cause.found"),
           tombstone = real_at(cell, "reads.by_cause.tombstone"),
           wasted = real_at(cell, "reads.by_cause.false");
    v[0] = number_or(real_at(lookup, "time.median"), 0);
    v[1] = (found + tombstone) * read_ns;
    v[2] = wasted * read_ns;
    v[3] = io_ns - v[1] - v[2];
    v[3] = v[3] > 1e-9 * io_ns ? v[3] : 0; /* sums round */
    v[4] = real_at(cost, "cost_ns");
    v[5] = real_at(cost, "low");
    v[6] = real_at(cost, "high");
    return name;
}

static const struct figure cost = {
    .header = "design\tline\tabsent\tcpu_ns\tdata_ns\twasted_ns\tother_ns\ttotal_ns\tlow\thigh\t"
              "device",
    .free_members = {"absent"},
    .distance = from_usual,
    .x = absent_of,
    .values = cost_values,
    .n_values = 7,
};

bool fb_plot_lsm_cost(const json_t *documents, FILE *file)
{
    return write_figure(documents, &cost, file);
}

/* As many absent keys as there are; sizes are what differs. */
static double from_absent(const json_t *cell)
{
    bool sized = json_is_string(fb_result_at(cell, "params.allocation"));
    return sized ? 1 - absent_of(cell) : NAN;
}

static double memory_of(const json_t *cell)
{
    return real_at(cell, "memory.bits_per_key");
}

static const char *memory_values(const json_t *document, const json_t *cell, double v[N_VALUES])
{
    (void)document;
    v[0] = real_at(cell, "reads.io");
    v[1] = real_at(cell, "reads.io_ci95.low");
    v[2] = real_at(cell, "reads.io_ci95.high");
    v[3] = real_at(cell, "expectation.data_blocks");
    v[4] = absent_of(cell);
    return fb_result_text(cell, "tree.style");
}

static const struct figure memory = {
    .header = "design\tallocation\tbits_per_key\tio\tlow\thigh\texpected\tabsent\tstyle",
    .free_members = {"bits_per_key", "fpr", "allocation"},
    .line = "params.allocation",
    .distance = from_absent,
    .x = memory_of,
    .values = memory_values,
    .n_values = 5,
};

bool fb_plot_lsm_memory(const json_t *documents, FILE *file)
{
    return write_figure(documents, &memory, file);
}

/* Capacity 0 is no cache, and has no place on a logarithmic axis. */
static double cache_of(const json_t *cell)
{
    double bytes = real_at(cell, "params.cache_bytes");
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

static const char *cache_values(const json_t *document, const json_t *cell, double v[N_VALUES])
{
    const json_t *c = json_object_get(cell, "counts");
    double data =
        real_at(c, "data_found") + real_at(c, "data_false") + real_at(c, "data_tombstone");
    double read =
        real_at(c, "read_found") + real_at(c, "read_false") + real_at(c, "read_tombstone");
    (void)document;
    v[0] = hit_ratio(data, read);
    v[1] = hit_ratio(real_at(c, "filter_blocks"), real_at(c, "read_filter"));
    v[2] = hit_ratio(real_at(c, "index_blocks"), real_at(c, "read_index"));
    v[3] = real_at(cell, "filter.bytes");
    return fb_result_text(cell, "tree.style");
}

static const struct figure cache = {
    .header = "design\tresidency\tcache_bytes\tdata_hits\tfilter_hits\tindex_hits\tfilter_bytes\t"
              "style",
    .free_members = {"cache_bytes", "filter_residency"},
    .line = "params.filter_residency",
    .distance = from_usual_cached,
    .x = cache_of,
    .values = cache_values,
    .n_values = 4,
};

bool fb_plot_lsm_cache(const json_t *documents, FILE *file)
{
    return write_figure(documents, &cache, file);
}

/* ---- Single queries ---- */

static const json_t *histograms_of(const json_t *cell)
{
    size_t i;
    json_t *lookup;
    json_array_foreach(json_object_get(cell, "lookups"), i, lookup)
    {
        const json_t *list = json_object_get(lookup, "histograms");
        if (json_array_size(list))
            return list;
    }
    return NULL;
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
    const double n = real_at(histogram, "count");
    double above = n;
    if (n > 0)
        fprintf(file, "%s\t%s\t1\t%.6g\t%s\n", design, fb_result_text(histogram, "kind"),
                real_at(histogram, "min") * 1e-3, device);
    for (size_t i = 0; n > 0 && i < json_array_size(bins); i++) {
        const json_t *bin = json_array_get(bins, i);
        double low = json_number_value(json_array_get(bin, 0));
        double middle = (double)fb_histogram_middle(fb_histogram_bin((uint64_t)low));
        above -= json_number_value(json_array_get(bin, 1));
        fprintf(file, "%s\t%s\t%.6g\t%.6g\t%s\n", design, fb_result_text(histogram, "kind"),
                above / n, middle * 1e-3, device);
    }
}

static const struct figure single = {
    .free_members = {NULL},
    .distance = from_usual_timed,
    .x = absent_of,
};

bool fb_plot_lsm_latency(const json_t *documents, FILE *file)
{
    size_t n;
    struct row *rows = gather(documents, &single, &n);
    fputs("design\tkind\tshare_above\tns\tdevice\n", file);
    for (size_t i = 0; rows && i < n; i++) {
        const json_t *device = json_array_get(json_object_get(rows[i].document, "devices"), 0);
        size_t h;
        json_t *histogram;
        json_array_foreach((json_t *)histograms_of(rows[i].cell), h, histogram)
            write_percentiles(file, rows[i].design, histogram, fb_result_text(device, "name"));
    }
    free(rows);
    return n > 0;
}

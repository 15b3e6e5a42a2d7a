/* The tables of the figures that show what a lookup costs: batches of absent keys. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/filter.h"
#include "filters/core/simulate.h"
#include "harness/plot.h"

static const char *const footprints[] = {"L1", "L2", "L3", "DRAM"};

enum { N_FOOTPRINTS = sizeof footprints / sizeof *footprints };

/* A design's fastest kernel at one footprint. Strings are the document's. */
struct point {
    const char *design, *kernel;
    size_t footprint, place; /* in footprints; of the design in the registry, behind yardsticks */
    size_t document;
    bool yardstick;
    double asked_bits, bytes, n, bits_per_key, ns, low, high, fpr;
};

struct points {
    struct point *at;
    size_t n;
};

static double number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));
    return value ? value : "";
}

/* The rate of the filter that was timed; NaN where this program would plan another one, and where
 * it would have to be simulated with more keys than a figure can wait for. */
static double predicted_fpr(const struct fb_design *design, const struct point *p)
{
    struct fb_params params = {.bits_per_key = p->asked_bits};
    struct fb_geometry geom;
    enum { QUERIES = 1000000, MOST_SIMULATED = 1 << 20 };
    uint64_t n = (uint64_t)p->n, events;
    bool derived;
    const char *why;
    if (fb_params_resolve(design, n, &params, &derived, &why) ||
        fb_design_plan(design, &params, n, &geom, &why) || (double)geom.n_bytes != p->bytes)
        return NAN;
    if (design->scheme != FB_SCHEME_ROTATE17) /* the others' formulas hold at these sizes */
        return design->fpr(&geom, n);
    if (n > MOST_SIMULATED ||
        fb_simulate_filter(design->scheme, n, geom.n_bits, geom.probes, QUERIES, 1, &events))
        return NAN;
    return (double)events / QUERIES;
}

/* False for cells that no figure shows. */
static bool take_cell(const json_t *cell, struct point *p)
{
    const json_t *filter = json_object_get(cell, "filter"), *time = json_object_get(cell, "time");
    const json_t *interval = json_object_get(time, "ci95");
    const char *footprint = text(cell, "footprint");
    p->design = text(cell, "design");
    p->kernel = text(cell, "isa");
    p->bytes = number(filter, "bytes");
    p->n = number(filter, "n_keys");
    p->bits_per_key = number(filter, "bits_per_key");
    p->ns = number(time, "median");
    p->low = number(interval, "low");
    p->high = number(interval, "high");
    p->fpr = NAN;
    p->yardstick = !strncmp(p->design, "touch-", 6);
    while (p->footprint < N_FOOTPRINTS && strcmp(footprints[p->footprint], footprint))
        p->footprint++;
    while (p->place < fb_n_designs() && strcmp(fb_design_at(p->place)->name, p->design))
        p->place++;
    const struct fb_design *design = p->place < fb_n_designs() ? fb_design_at(p->place) : NULL;
    if (strcmp(text(cell, "operation"), "batch") || number(cell, "hit_ratio") != 0 ||
        p->footprint == N_FOOTPRINTS || !(p->ns > 0) || !(p->n > 0) ||
        (!p->yardstick && design && (design->traits & FB_CONTROL)))
        return false;
    if (!p->yardstick && design)
        p->fpr = predicted_fpr(design, p);
    return true;
}

static bool same_filter(const struct point *a, const struct point *b)
{
    return !strcmp(a->design, b->design) && a->footprint == b->footprint &&
           a->asked_bits == b->asked_bits;
}

/* Within a document the fastest kernel stays, among documents the first. */
static void add_point(struct points *points, const struct point *p)
{
    for (size_t i = 0; i < points->n; i++) {
        struct point *at = &points->at[i];
        if (!same_filter(at, p))
            continue;
        if (at->document == p->document && p->ns < at->ns)
            *at = *p;
        return;
    }
    points->at[points->n++] = *p;
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

/* A line is a design's points in order; yardsticks first. */
static int by_design(const void *left, const void *right)
{
    const struct point *a = left, *b = right;
    int order = b->yardstick - a->yardstick;
    order = order ? order : compare((double)a->place, (double)b->place);
    order = order ? order : strcmp(a->design, b->design);
    order = order ? order : compare((double)a->footprint, (double)b->footprint);
    return order ? order : compare(a->asked_bits, b->asked_bits);
}

static struct points gather(const json_t *documents)
{
    struct points points = {0};
    size_t n = 0;
    for (size_t d = 0; d < json_array_size(documents); d++)
        n += json_array_size(json_object_get(json_array_get(documents, d), "cells"));
    points.at = malloc((n + 1) * sizeof *points.at);
    for (size_t d = 0; points.at && d < json_array_size(documents); d++) {
        const json_t *document = json_array_get(documents, d);
        const json_t *cells = json_object_get(document, "cells");
        if (strcmp(text(document, "kind"), "kernels"))
            continue;
        for (size_t i = 0; i < json_array_size(cells); i++) {
            struct point p = {.document = d,
                              .asked_bits =
                                  number(json_object_get(document, "experiment"), "bits_per_key")};
            if (take_cell(json_array_get(cells, i), &p))
                add_point(&points, &p);
        }
    }
    if (points.n)
        qsort(points.at, points.n, sizeof *points.at, by_design);
    return points;
}

static void write_point(FILE *file, const struct point *p, const char *kind)
{
    fprintf(file, "%s\t%s\t%s\t%zu\t%.0f\t%.0f\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%s\n", p->design,
            kind, footprints[p->footprint], p->footprint, p->bytes, p->n, p->bits_per_key, p->ns,
            p->low, p->high, p->fpr, p->kernel);
}

static void write_header(FILE *file)
{
    fputs("design\tkind\tfootprint\tplace\tbytes\tn_keys\tbits_per_key\tns\tlow\thigh\tfpr\tisa\n",
          file);
}

bool fb_plot_throughput(const json_t *documents, FILE *file)
{
    struct points points = gather(documents);
    double nearest = INFINITY;
    size_t least = N_FOOTPRINTS, most = 0;
    write_header(file);
    for (size_t i = 0; i < points.n; i++)
        nearest = fmin(nearest, fabs(points.at[i].asked_bits - 10));
    for (size_t i = 0; i < points.n; i++) {
        const struct point *p = &points.at[i];
        if (fabs(p->asked_bits - 10) > nearest)
            continue;
        write_point(file, p, p->yardstick ? "yardstick" : "design");
        if (!p->yardstick) {
            least = p->footprint < least ? p->footprint : least;
            most = p->footprint > most ? p->footprint : most;
        }
    }
    free(points.at);
    return least < most; /* one footprint makes no line */
}

/* ---- Cost against the rate ---- */

static int by_cost(const void *left, const void *right)
{
    const struct point *a = left, *b = right;
    int order = compare((double)a->footprint, (double)b->footprint);
    order = order ? order : compare(a->ns, b->ns);
    return order ? order : compare(a->fpr, b->fpr);
}

/* Designs' points first, then each footprint's front: those that no faster one beats in rate. */
bool fb_plot_cost_fpr(const json_t *documents, FILE *file)
{
    struct points points = gather(documents);
    size_t n = 0, footprint = N_FOOTPRINTS;
    double best = 1;
    write_header(file);
    for (size_t i = 0; i < points.n; i++)
        if (points.at[i].fpr > 0 && points.at[i].fpr < 1)
            points.at[n++] = points.at[i];
    for (size_t i = 0; i < n; i++)
        write_point(file, &points.at[i], "design");
    if (n)
        qsort(points.at, n, sizeof *points.at, by_cost);
    for (size_t i = 0; i < n; i++) {
        const struct point *p = &points.at[i];
        if (p->footprint != footprint)
            best = 1;
        footprint = p->footprint;
        if (p->fpr < best * 0.999) /* equal but for rounding is no better */
            write_point(file, p, "front");
        best = fmin(best, p->fpr);
    }
    free(points.at);
    return n > 0;
}

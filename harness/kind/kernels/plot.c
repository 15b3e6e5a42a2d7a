/* The tables of the figures that show what a lookup of an absent key costs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/filter.h"
#include "harness/kind/kernels/kernels.h"

static const char *const footprints[] = {"L1", "L2", "L3", "DRAM"};

enum { N_FOOTPRINTS = sizeof footprints / sizeof *footprints };

/* A design's fastest kernel at one footprint. Strings are the document's. */
struct point {
    const char *design, *kernel;
    size_t footprint, place; /* in footprints; of the design in the registry, behind yardsticks */
    size_t document;
    bool yardstick;
    /* asked: bits per key, or a rate below 1; 0 of yardsticks */
    double asked, bytes, n, bits_per_key, ns, low, high, fpr;
};

struct points {
    struct point *at;
    size_t n;
};

/* False for cells that no figure shows. */
static bool take_cell(const json_t *cell, const char *operation, struct point *p)
{
    const json_t *filter = json_object_get(cell, "filter"), *time = json_object_get(cell, "time");
    const json_t *interval = json_object_get(time, "ci95");
    const json_t *params = json_object_get(cell, "params");
    const char *footprint = fb_json_str(cell, "footprint");
    p->design = fb_json_str(cell, "design");
    p->kernel = fb_json_str(cell, "isa");
    p->bytes = fb_json_num(filter, "bytes");
    p->n = fb_json_num(filter, "n_keys");
    p->bits_per_key = fb_json_num(filter, "bits_per_key");
    p->ns = fb_json_num(time, "median");
    p->low = fb_json_num(interval, "low");
    p->high = fb_json_num(interval, "high");
    p->asked =
        fmax(fb_json_num(params, "bits_per_key"), fb_json_num(params, "fpr")); /* one is none */
    p->asked = isfinite(p->asked) ? p->asked : 0;
    p->fpr = fb_json_num(cell, "predicted_fpr");
    p->yardstick = !strncmp(p->design, "touch-", 6);
    while (p->footprint < N_FOOTPRINTS && strcmp(footprints[p->footprint], footprint))
        p->footprint++;
    while (p->place < fb_n_designs() && strcmp(fb_design_at(p->place)->name, p->design))
        p->place++;
    const struct fb_design *design = p->place < fb_n_designs() ? fb_design_at(p->place) : NULL;
    if (strcmp(fb_json_str(cell, "operation"), operation) || fb_json_num(cell, "hit_ratio") != 0 ||
        p->footprint == N_FOOTPRINTS || !(p->ns > 0) || !(p->n > 0) ||
        (!p->yardstick && design && (design->traits & FB_CONTROL)))
        return false;
    return true;
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static bool same_filter(const struct point *a, const struct point *b)
{
    return !strcmp(a->design, b->design) && a->footprint == b->footprint &&
           compare(a->asked, b->asked) == 0;
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

/* A line is a design's points in order; yardsticks first. */
static int by_design(const void *left, const void *right)
{
    const struct point *a = left, *b = right;
    int order = b->yardstick - a->yardstick;
    order = order ? order : compare((double)a->place, (double)b->place);
    order = order ? order : strcmp(a->design, b->design);
    order = order ? order : compare((double)a->footprint, (double)b->footprint);
    return order ? order : compare(a->bits_per_key, b->bits_per_key);
}

static struct points gather(const json_t *documents, const char *operation)
{
    struct points points = {0};
    size_t n = 0;
    for (size_t d = 0; d < json_array_size(documents); d++)
        n += json_array_size(json_object_get(json_array_get(documents, d), "cells"));
    points.at = malloc((n + 1) * sizeof *points.at);
    for (size_t d = 0; points.at && d < json_array_size(documents); d++) {
        const json_t *document = json_array_get(documents, d);
        const json_t *cells = json_object_get(document, "cells");
        if (strcmp(fb_json_str(document, "kind"), "kernels"))
            continue;
        for (size_t i = 0; i < json_array_size(cells); i++) {
            struct point p = {.document = d};
            if (take_cell(json_array_get(cells, i), operation, &p))
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

/* A line a design over the footprints, at the size nearest to 10 bits per key. */
static bool by_footprint(const json_t *documents, const char *operation, FILE *file)
{
    struct points points = gather(documents, operation);
    double nearest = INFINITY;
    size_t least = N_FOOTPRINTS, most = 0;
    write_header(file);
    for (size_t i = 0; i < points.n; i++)
        if (!points.at[i].yardstick)
            nearest = fmin(nearest, fabs(points.at[i].asked - 10));
    for (size_t i = 0; i < points.n; i++) {
        const struct point *p = &points.at[i];
        if (!p->yardstick && fabs(p->asked - 10) > nearest)
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

bool fb_kernels_plot_throughput(const json_t *documents, FILE *file)
{
    return by_footprint(documents, "batch", file);
}

bool fb_kernels_plot_chain(const json_t *documents, FILE *file)
{
    return by_footprint(documents, "chain", file);
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
bool fb_kernels_plot_cost_fpr(const json_t *documents, FILE *file)
{
    struct points points = gather(documents, "batch");
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

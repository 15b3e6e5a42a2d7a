/* The tables of the figures that show false-positive rates. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/filter.h"
#include "harness/kind/fpr/rates.h"

/* A measured cell; NaN where the document has null. Strings are the document's. */
struct point {
    const char *design, *keys;
    size_t place; /* of the design in the registry, or behind it */
    double n, asked_bits, asked_fpr, bits_per_key;
    double estimate, low, high, upper, theory;
    double events;
};

struct points {
    struct point *at;
    size_t n;
};

/* False for cells that no figure shows: controls, and filters sized for another number of keys. */
static bool take_cell(const json_t *cell, struct point *p)
{
    const json_t *params = json_object_get(cell, "params"), *fpr = json_object_get(cell, "fpr");
    /* Between filters, unless there are too few events for it. */
    bool few = json_is_number(json_object_get(fpr, "upper95"));
    const json_t *between = json_object_get(fpr, "t95");
    const json_t *interval =
        few || !json_is_object(between) ? json_object_get(fpr, "wilson95") : between;
    *p = (struct point){
        .design = fb_json_str(cell, "design"),
        .keys = fb_json_str(cell, "keys"),
        .n = fb_json_num(cell, "n"),
        .asked_bits = fb_json_num(params, "bits_per_key"),
        .asked_fpr = fb_json_num(params, "fpr"),
        .bits_per_key = fb_json_num(fpr, "bits_per_key"),
        .estimate = fb_json_num(fpr, "estimate"),
        .low = fb_json_num(interval, "low"),
        .high = fb_json_num(interval, "high"),
        .theory = fb_json_num(json_object_get(fpr, "model"), "value"),
        .events = fb_json_num(fpr, "events"),
    };
    p->upper = p->events == 0 ? fb_json_num(fpr, "upper95") : NAN;
    if (p->events == 0)
        p->estimate = NAN; /* a logarithmic axis has no 0: the bound stands for it */
    while (p->place < fb_n_designs() && strcmp(fb_design_at(p->place)->name, p->design))
        p->place++;
    bool control = p->place < fb_n_designs() && (fb_design_at(p->place)->traits & FB_CONTROL);
    return *p->design && !control && !(fb_json_num(params, "capacity_factor") != 1) &&
           isfinite(p->n) && isfinite(p->bits_per_key);
}

static struct points take_cells(const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    struct points points = {0};
    if (strcmp(fb_json_str(document, "kind"), "fpr"))
        return points;
    points.at = malloc((json_array_size(cells) + 1) * sizeof *points.at);
    for (size_t i = 0; points.at && i < json_array_size(cells); i++)
        points.n += take_cell(json_array_get(cells, i), &points.at[points.n]);
    return points;
}

/* ---- Which cells of a document belong to a sweep ---- */

enum { SWEEP = 3 }; /* values of a quantity that make it worth a curve */

typedef double quantity(const struct point *);

static double asked_bits(const struct point *p)
{
    return p->asked_bits;
}

static double asked_fpr(const struct point *p)
{
    return p->asked_fpr;
}

static double n_keys(const struct point *p)
{
    return p->n;
}

static double delivered_bits(const struct point *p)
{
    return p->bits_per_key;
}

static bool sweeps(const struct points *points, quantity *of)
{
    double seen[SWEEP];
    size_t n = 0;
    for (size_t i = 0; i < points->n && n < SWEEP; i++) {
        double x = of(&points->at[i]);
        size_t j = 0;
        while (j < n && seen[j] != x)
            j++;
        if (j == n && isfinite(x))
            seen[n++] = x;
    }
    return n == SWEEP;
}

/* Keeps the points whose quantity is nearest to `wanted`, and the first kind of keys. */
static void keep_nearest(struct points *points, quantity *of, double wanted)
{
    double least = DBL_MAX;
    size_t kept = 0;
    for (size_t i = 0; i < points->n; i++)
        least = fmin(least, fabs(of(&points->at[i]) - wanted));
    for (size_t i = 0; i < points->n; i++)
        if (fabs(of(&points->at[i]) - wanted) == least)
            points->at[kept++] = points->at[i];
    points->n = kept;
}

static void keep_first_keys(struct points *points)
{
    size_t kept = 0;
    for (size_t i = 0; i < points->n; i++)
        if (!strcmp(points->at[i].keys, points->at[0].keys))
            points->at[kept++] = points->at[i];
    points->n = kept;
}

/* ---- Tables ---- */

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

/* A curve is a design's points in order. */
static int by_design(const struct point *a, const struct point *b)
{
    int order = compare((double)a->place, (double)b->place);
    return order ? order : strcmp(a->design, b->design);
}

static int by_bits(const void *a, const void *b)
{
    int order = by_design(a, b);
    return order ? order : compare(delivered_bits(a), delivered_bits(b));
}

static int by_n(const void *a, const void *b)
{
    int order = by_design(a, b);
    return order ? order : compare(n_keys(a), n_keys(b));
}

/* The points of all documents that sweep a quantity; `slice` then leaves those of one curve. */
static struct points gather(const json_t *documents, quantity *swept,
                            void (*slice)(struct points *))
{
    struct points all = {0};
    for (size_t i = 0; i < json_array_size(documents); i++) {
        struct points some = take_cells(json_array_get(documents, i));
        if (sweeps(&some, swept)) {
            slice(&some);
            struct point *at = realloc(all.at, (all.n + some.n + 1) * sizeof *at);
            if (at) {
                memcpy(at + all.n, some.at, some.n * sizeof *at);
                all = (struct points){at, all.n + some.n};
            }
        }
        free(some.at);
    }
    return all;
}

static bool write_rates(struct points points, int (*order)(const void *, const void *), FILE *file)
{
    bool any = points.n > 0;
    if (any)
        qsort(points.at, points.n, sizeof *points.at, order);
    fputs("design\tkeys\tn_keys\tbits_per_key\tfpr\tlow\thigh\tupper\ttheory\tasked_bits\n", file);
    for (size_t i = 0; i < points.n; i++) {
        const struct point *p = &points.at[i];
        fprintf(file, "%s\t%s\t%.0f\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\n", p->design,
                p->keys, p->n, p->bits_per_key, p->estimate, p->low, p->high, p->upper, p->theory,
                p->asked_bits);
    }
    free(points.at);
    return any;
}

static void largest_n(struct points *points)
{
    keep_first_keys(points);
    keep_nearest(points, n_keys, (double)FB_MAX_KEYS);
}

static void ten_bits(struct points *points)
{
    keep_first_keys(points);
    keep_nearest(points, asked_bits, 10);
}

static bool write_fpr_bits(const json_t *documents, FILE *file)
{
    return write_rates(gather(documents, asked_bits, largest_n), by_bits, file);
}

static bool write_fpr_n(const json_t *documents, FILE *file)
{
    return write_rates(gather(documents, n_keys, ten_bits), by_n, file);
}

/* ---- Memory over the bound ---- */

static double split_256(double fpr)
{
    return fb_sbbf_bits(fpr, 256, 8);
}

static double split_512(double fpr)
{
    return fb_sbbf_bits(fpr, 512, 8);
}

/* Blocks rounded up to a power of two: by 2 / x for n uniform on x in [1, 2), on average 2 ln 2. */
static double split_512_pow2(double fpr)
{
    return fb_sbbf_bits(fpr, 512, 8) * 1.3862943611198906;
}

static const struct {
    const char *design;
    double (*bits)(double fpr);
} curves[] = {
    {"bloom-independent", fb_bloom_bits},
    {"sbbf-256", split_256},
    {"sbbf-512", split_512},
    {"sbbf-512-pow2", split_512_pow2},
};

static void write_overhead(FILE *file, const char *design, const char *kind, double fpr,
                           double bits)
{
    fprintf(file, "%s\t%s\t%.6g\t%.6g\t%.6g\n", design, kind, fpr, bits,
            bits / fb_bound_bits(fpr) - 1);
}

static bool write_overheads(const json_t *documents, FILE *file)
{
    enum { STEPS = 20, DECADES = 6, ENOUGH_EVENTS = 100 };
    struct points points = gather(documents, asked_fpr, largest_n);
    bool any = false;
    fputs("design\tkind\tfpr\tbits_per_key\toverhead\n", file);
    for (size_t c = 0; c < sizeof curves / sizeof *curves; c++)
        for (int i = STEPS * 3 / 10; i <= STEPS * DECADES; i++) {
            double fpr = pow(10, -(double)i / STEPS);
            write_overhead(file, curves[c].design, "theory", fpr, curves[c].bits(fpr));
        }
    if (points.n)
        qsort(points.at, points.n, sizeof *points.at, by_bits);
    for (size_t i = 0; i < points.n; i++) {
        const struct point *p = &points.at[i];
        if (p->events < ENOUGH_EVENTS || p->estimate >= 1)
            continue;
        double rate = p->low > p->asked_fpr ? p->estimate : p->asked_fpr;
        write_overhead(file, p->design, "measured", rate, p->bits_per_key);
        any = true;
    }
    free(points.at);
    return any;
}

const struct fb_figure fb_rates_figures[] = {
    {"fpr-bits", "false-positive rate against bits per key", write_fpr_bits},
    {"fpr-n", "false-positive rate against the number of keys", write_fpr_n},
    {"overhead", "memory above the information-theoretic bound", write_overheads},
    {0},
};

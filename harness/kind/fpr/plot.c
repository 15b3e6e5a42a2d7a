/* The tables of the figures that show false-positive rates. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "filters/core/filter.h"
#include "harness/document/cells.h"
#include "harness/document/points.h"
#include "harness/kind/fpr/rates.h"

/* ---- Points: cells, with their place, estimate, upper, low and high ---- */

/* NULL for cells that no figure shows: controls, filters sized for another number of keys, and
 * those of other probes than the design's. */
static json_t *point_of(const json_t *cell)
{
    const char *design = fb_json_str(cell, "design");
    /* Between filters, unless there are too few events for it. */
    bool few = isfinite(fb_json_num(cell, "fpr.upper95"));
    bool between = !few && json_is_object(fb_json_at(cell, "fpr.t95"));
    const json_t *interval = fb_json_at(cell, between ? "fpr.t95" : "fpr.wilson95");
    /* A logarithmic axis has no 0: the bound stands for it. */
    bool none = fb_json_uint(cell, "fpr.events") == 0;
    if (!*design || fb_is_control(design) || fb_json_num(cell, "params.capacity_factor") != 1 ||
        fb_json_at(cell, "params.k") || !isfinite(fb_json_num(cell, "n")) ||
        !isfinite(fb_json_num(cell, "fpr.bits_per_key")))
        return NULL;
    json_t *point = json_copy((json_t *)cell);
    json_object_set_new(point, "place", fb_json_int(fb_place_of(design)));
    json_object_set(point, none ? "upper" : "estimate",
                    (json_t *)fb_json_at(cell, none ? "fpr.upper95" : "fpr.estimate"));
    json_object_set(point, "interval", (json_t *)interval);
    return point;
}

static json_t *points_of(const json_t *document)
{
    const bool is_fpr = !strcmp(fb_json_str(document, "kind"), "fpr");
    json_t *points = json_array();
    FB_EACH(cell, is_fpr ? json_object_get(document, "cells") : NULL)
        json_array_append_new(points, point_of(cell));
    return points;
}

/* ---- Which cells of a document belong to a sweep ---- */

/* Whether the member at the path has as many values as make a curve worth drawing. */
static bool sweeps(const json_t *points, const char *path)
{
    enum { ENOUGH = 3 };
    double seen[ENOUGH];
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(points) && n < ENOUGH; i++) {
        double x = fb_json_num(json_array_get(points, i), path);
        size_t j = 0;
        while (j < n && seen[j] != x)
            j++;
        if (j == n && isfinite(x))
            seen[n++] = x;
    }
    return n == ENOUGH;
}

static json_t *with_keys(const json_t *points, const char *keys)
{
    json_t *those = json_array();
    FB_EACH(point, points)
        if (!strcmp(fb_json_str(point, "keys"), keys))
            json_array_append(those, point);
    return those;
}

/* The points of one kind of keys, of those whose points sweep the member: a user's own before the
 * first of the others, as in tables. None where no kind has a sweep. */
static json_t *of_one_kind(const json_t *points, const char *swept)
{
    json_t *those = with_keys(points, "file");
    const char *before = "file";
    for (size_t i = 0; i < json_array_size(points) && !sweeps(those, swept); i++) {
        const char *keys = fb_json_str(json_array_get(points, i), "keys");
        if (!strcmp(keys, before))
            continue;
        json_decref(those);
        those = with_keys(points, keys);
        before = keys;
    }
    if (!sweeps(those, swept))
        json_array_clear(those);
    return those;
}

/* Keeps the points whose member is nearest to `wanted`, and those of designs of one size. */
static void keep_nearest(json_t *points, const char *path, double wanted)
{
    double least = DBL_MAX;
    for (size_t i = 0; i < json_array_size(points); i++)
        least = fmin(least, fabs(fb_json_num(json_array_get(points, i), path) - wanted));
    for (size_t i = json_array_size(points); i-- > 0;)
        if (fabs(fb_json_num(json_array_get(points, i), path) - wanted) != least &&
            !fb_has_own_size(fb_json_str(json_array_get(points, i), "design"),
                             fb_json_at(json_array_get(points, i), "params")))
            json_array_remove(points, i);
}

/* The points of all documents that sweep one member, at the value of another that is nearest to
 * `wanted`. A curve is a design's points in order of `along`. */
static json_t *gather(const json_t *documents, const char *swept, const char *held, double wanted,
                      const char *along)
{
    const char *const order[] = {"place", "design", along, NULL};
    json_t *all = json_array();
    for (size_t i = 0; i < json_array_size(documents); i++) {
        json_auto_t *points = points_of(json_array_get(documents, i));
        json_auto_t *swept_points = of_one_kind(points, swept);
        keep_nearest(swept_points, held, wanted);
        json_array_extend(all, swept_points);
    }
    fb_points_sort(all, order);
    return all;
}

/* ---- Tables ---- */

static bool write_rates(json_t *points, FILE *file)
{
    static const struct fb_point_column columns[] = {
        {"design", "design", NULL},
        {"keys", "keys", NULL},
        {"n_keys", "n", "%.0f"},
        {"bits_per_key", "fpr.bits_per_key", NULL},
        {"fpr", "estimate", NULL},
        {"low", "interval.low", NULL},
        {"high", "interval.high", NULL},
        {"upper", "upper", NULL},
        {"theory", "fpr.model.value", NULL},
        {"asked_bits", "params.bits_per_key", NULL},
        {0},
    };
    bool any = json_array_size(points) > 0;
    fb_points_write(file, points, columns);
    json_decref(points);
    return any;
}

/* Of the largest number of one kind of keys. */
static bool write_fpr_bits(const json_t *documents, FILE *file)
{
    return write_rates(
        gather(documents, "params.bits_per_key", "n", (double)FB_MAX_KEYS, "fpr.bits_per_key"),
        file);
}

static bool write_fpr_n(const json_t *documents, FILE *file)
{
    return write_rates(gather(documents, "n", "params.bits_per_key", 10, "n"), file);
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

/* point: NULL for theory, which has no keys. */
static void write_overhead(FILE *file, const char *design, const json_t *point, double fpr,
                           double bits)
{
    fprintf(file, "%s\t%s\t%.6g\t%.6g\t%.6g\t%s\t%.0f\n", design, point ? "measured" : "theory",
            fpr, bits, bits / fb_bound_bits(fpr) - 1, point ? fb_json_str(point, "keys") : "-",
            point ? fb_json_num(point, "n") : NAN);
}

static bool write_overheads(const json_t *documents, FILE *file)
{
    enum { STEPS = 20, DECADES = 6, ENOUGH_EVENTS = 100 };
    json_auto_t *points =
        gather(documents, "params.fpr", "n", (double)FB_MAX_KEYS, "fpr.bits_per_key");
    bool any = false;
    fputs("design\tkind\tfpr\tbits_per_key\toverhead\tkeys\tn_keys\n", file);
    for (size_t c = 0; c < sizeof curves / sizeof *curves; c++)
        for (int i = STEPS * 3 / 10; i <= STEPS * DECADES; i++) {
            double fpr = pow(10, -(double)i / STEPS);
            write_overhead(file, curves[c].design, NULL, fpr, curves[c].bits(fpr));
        }
    FB_EACH(p, points) {
        double estimate = fb_json_num(p, "estimate"), asked = fb_json_num(p, "params.fpr");
        if (fb_json_uint(p, "fpr.events") < ENOUGH_EVENTS || estimate >= 1)
            continue;
        write_overhead(file, fb_json_str(p, "design"), p,
                       fb_json_num(p, "interval.low") > asked ? estimate : asked,
                       fb_json_num(p, "fpr.bits_per_key"));
        any = true;
    }
    return any;
}

/* ---- Cells ---- */

static void tell_cell(const json_t *document, const json_t *cell, json_t *rows)
{
    (void)document;
    json_t *between = (json_t *)fb_json_at(cell, "fpr.t95");
    double upper = fb_json_num(cell, "fpr.upper95"), rate = fb_json_num(cell, "fpr.estimate");
    const char *interval = json_is_object(between) ? "fpr.t95" : "fpr.wilson95";
    struct fb_cell_row row = {.value = 100 * rate,
                              .low = 0,
                              .high = 100 * upper,
                              .reference = 100 * fb_json_num(cell, "fpr.model.value")};
    if (!isfinite(upper)) {
        row.low = 100 * fb_json_num(fb_json_at(cell, interval), "low");
        row.high = 100 * fb_json_num(fb_json_at(cell, interval), "high");
    }
    fb_cells_add(rows, cell, &row);
}

static const struct fb_cells_figure rates = {"fpr", .tell = tell_cell};

const struct fb_figure fb_rates_figures[] = {
    {"fpr-bits", "false-positive rate against bits per key", write_fpr_bits, "n,keys",
     .needs = "a result of kind fpr with three sizes in bits per key: -b 8,10,12"},
    {"fpr-n", "false-positive rate against the number of keys", write_fpr_n,
     "params.bits_per_key,keys",
     .needs = "a result of kind fpr with three numbers of keys: -n 1e3,1e4,1e5"},
    {"overhead", "memory above the information-theoretic bound", write_overheads, "n,keys",
     .needs = "a result of kind fpr with three rates asked for: --fpr 0.1,0.01,0.001"},
    {"fpr-cells", "false-positive rate, a row for each cell", .cells = &rates,
     .needs = "a result of kind fpr", .rest = true},
    {0},
};

/* Procedures: bits per key of filters as they are built, against the size rules of the texts and
 * against each other; and beside the least that a filter of their rate takes. */
#include <math.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/cell.h"

enum { MOST_BUILT = 1000000, RIBBON_BLOCK = 128 };

/* ---- Rules ---- */

/* Slots of a binary fuse filter of three slots a key (Graf and Lemire 2022). */
static double fuse_slots(double n)
{
    const double segment =
        fmin(ldexp(1, (int)floor(fb_log(n) / fb_log(3.33) + 2.25)), ldexp(1, 18));
    const double room = rint(n * fmax(1.125, 0.875 + 0.25 * fb_log(1e6) / fb_log(n)));
    return fmax(ceil(room / segment), 3) * segment;
}

/* Slots of a xor filter: three equal parts of 32 + 1.23 n (Graf and Lemire 2020). */
static double xor_slots(double n)
{
    return 3 * floor((32 + floor(1.23 * n)) / 3);
}

/* A filter's size in theory and as it was built. */
struct size {
    double theory_bits, bits, theory_slots, slots;
    double rounding; /* share by which the first key moves the size */
};

static double slots_in(const struct fb_design *design, const struct fb_geometry *geom,
                       double slot_bits)
{
    for (size_t i = 0; design->own && design->own[i]; i++)
        if (!strcmp(design->own[i], "blocks"))
            return (double)geom->own[i] * RIBBON_BLOCK;
    return (double)geom->n_bits / slot_bits;
}

/* Of the rule: "fuse" or "xor", of slots of `slot_bits`; "rate", log2(1/f) / ln 2 bits per key;
 * "plan", what the design plans before it has seen a key. Filters of more than a million keys are
 * planned and not built. */
static struct size size_of(struct fb_bench *bench, const json_t *args)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    const double n = (double)recipe.n, asked = recipe.params.fpr;
    const double slot_bits = fb_arg_number(args, "slot_bits", 1);
    struct fb_geometry planned = {0}, built;
    struct size size = {0};
    if (fb_bench_plan(bench, recipe.design, recipe.n, &recipe.params, &planned))
        return size;
    built = planned;
    if (recipe.n <= MOST_BUILT) {
        struct fb_filter filter = fb_recipe_build(bench, &recipe, 0);
        built = filter.geom;
        fb_filter_close(&filter);
    }
    size.bits = (double)built.n_bits;
    size.slots = slots_in(recipe.design, &built, slot_bits);
    size.theory_slots = fb_arg_is(args, "rule", "fuse") ? fuse_slots(n)
                        : fb_arg_is(args, "rule", "xor")
                            ? xor_slots(n)
                            : slots_in(recipe.design, &planned, slot_bits);
    size.theory_bits = fb_arg_is(args, "rule", "rate")   ? n * fb_bloom_bits(asked)
                       : fb_arg_is(args, "rule", "plan") ? (double)planned.n_bits
                                                         : size.theory_slots * slot_bits;
    if (fb_arg_is(args, "rule", "plan"))
        size.rounding = RIBBON_BLOCK / fmax(1, (double)planned.n_bits);
    if (fb_arg_is(args, "rule", "rate")) /* a whole number of probes, and a thousandth of a bit */
        size.rounding = 0.01;
    return size;
}

/* ---- Bits per key ---- */

/* What a row reports: bits or slots per key; or beside a variant "over": their ratio, or by how
 * many percent it is less or more. *rounding: by which the two may differ. */
static struct fb_pair reported(struct fb_bench *bench, const json_t *args, double *rounding)
{
    const double n = (double)fb_arg_count(args, "n", 1000);
    const struct size own = size_of(bench, args);
    struct fb_pair pair = {own.theory_bits / n, own.bits / n};
    *rounding = own.rounding * pair.theory;
    if (fb_arg_is(args, "as", "slots")) {
        pair = (struct fb_pair){own.theory_slots / n, own.slots / n};
        *rounding = 0;
    }
    if (!json_object_get(args, "over"))
        return pair;
    json_t *over = fb_arg_over(args);
    const double other_n = (double)fb_arg_count(over, "n", 1000);
    const struct size other = size_of(bench, over);
    json_decref(over);
    pair.theory /= other.theory_bits / other_n;
    pair.measured /= other.bits / other_n;
    *rounding = (own.rounding + other.rounding) * pair.theory;
    const double sign = fb_arg_is(args, "as", "saving percent")   ? -100
                        : fb_arg_is(args, "as", "excess percent") ? 100
                                                                  : 0;
    if (sign == 0)
        return pair;
    *rounding *= 100;
    return (struct fb_pair){sign * (pair.theory - 1), sign * (pair.measured - 1)};
}

/* The least number of keys from which on, up to n_to, the filter is smaller than the variant's. */
static void least_keys(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    uint64_t n = fb_arg_count(args, "n_from", 1), last = fb_arg_count(args, "n_to", 0);
    struct fb_pair least = {(double)n, (double)n};
    json_t *one = json_deep_copy(args);
    for (; n <= last && !bench->err; n++) {
        json_object_set_new(one, "n", json_integer((json_int_t)n));
        json_t *over = fb_arg_over(one);
        const struct size own = size_of(bench, one), other = size_of(bench, over);
        json_decref(over);
        if (own.theory_bits >= other.theory_bits)
            least.theory = (double)n + 1;
        if (own.bits >= other.bits)
            least.measured = (double)n + 1;
    }
    json_decref(one);
    fb_find_within(out, least.theory, least.measured, 0.1 * least.theory);
}

/* Of several numbers of keys ("ns") or bits per key ("bits"): the first, the largest, the least, or
 * the one farthest from the number `from`. */
FB_PROCEDURE(bits_per_key)
{
    const bool bits = json_object_get(args, "bits"), list = bits || json_object_get(args, "ns");
    const double from = fb_arg_number(args, "from", 0);
    struct fb_pair chosen = {0};
    double tolerance = 0, best = -INFINITY;
    if (fb_arg_is(args, "as", "least keys")) {
        least_keys(bench, args, out);
        return;
    }
    json_t *one = json_deep_copy(args);
    const json_t *values = json_object_get(args, bits ? "bits" : "ns");
    for (size_t i = 0; i < (list ? json_array_size(values) : 1) && !bench->err; i++) {
        double rounding = 0;
        if (list)
            json_object_set(one, bits ? "bits_per_key" : "n", json_array_get(values, i));
        const struct fb_pair pair = reported(bench, one, &rounding);
        const double rank = fb_arg_is(args, "report", "largest")    ? pair.theory
                            : fb_arg_is(args, "report", "least")    ? -pair.theory
                            : fb_arg_is(args, "report", "farthest") ? fabs(pair.theory - from)
                                                                    : -(double)i;
        if (list)
            fb_find_remark(out, "%s%.4g at %.6g", i ? ", " : "", pair.measured,
                           json_number_value(json_array_get(values, i)));
        if (rank > best) {
            best = rank;
            chosen = pair;
            tolerance = rounding;
        }
    }
    json_decref(one);
    fb_find_within(out, chosen.theory, chosen.measured, tolerance + 1e-9 * fabs(chosen.theory));
}

/* ---- The bound ---- */

/* Bits per key over log2(1/f), or by how many percent they are more. */
static double over_bound(const json_t *args, double bits, double rate)
{
    const double ratio = rate > 0 ? bits / fb_bound_bits(rate) : 0;
    return fb_arg_is(args, "as", "overhead percent") ? 100 * (ratio - 1) : ratio;
}

/* The first of the cells, or the one of which theory says most; every cell is tested. */
FB_PROCEDURE(fpr_bound)
{
    const json_t *cells = json_object_get(args, "cells");
    const double n = (double)json_array_size(cells);
    double found[4] = {-INFINITY};
    size_t i;
    json_t *cell_args;
    out->p = 1;
    if (!json_array_size(cells))
        fb_bench_fail(bench, FB_EINVAL, "a bound takes cells");
    json_array_foreach(cells, i, cell_args) {
        const struct fb_cell cell = fb_arg_cell(bench, cell_args);
        const struct fb_rate r = fb_cell_rate(bench, &cell, out);
        const double bits = (double)r.geom.n_bits / (double)cell.fpr.n_keys;
        if (bench->err)
            return;
        const double theory = over_bound(args, bits, r.model);
        out->p = fmin(out->p, fmin(1, n * r.p));
        fb_find_remark(out, "%s%.4g at %.4g bits and %.3g keys", i ? ", " : "",
                       over_bound(args, bits, r.rate), bits, (double)cell.fpr.n_keys);
        if (i && !(fb_arg_is(args, "report", "largest") && theory > found[0]))
            continue;
        found[0] = theory;
        found[1] = over_bound(args, bits, r.rate);
        found[2] = over_bound(args, bits, r.low);
        found[3] = over_bound(args, bits, r.high);
    }
    fb_find_interval(out, found[0], found[1], found[2], found[3]);
}

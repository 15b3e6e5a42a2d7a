/* Procedures: false-positive rates, their ratios, and what they make a lookup cost. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/cell.h"
#include "workloads/core/rng.h"

/* What a row reports of a rate: it times `scale` (100: percent) plus `offset`, the percent
 * rejected, one in how many passes, or by how many percent of the rate a limit lies above it. */
static double reported(const json_t *args, double rate)
{
    double limit = fb_arg_number(args, "limit", 0);
    if (limit > 0)
        return 100 * (limit / rate - 1);
    if (fb_arg_is(args, "as", "rejected percent"))
        return 100 * (1 - rate);
    if (fb_arg_is(args, "as", "one in"))
        return 1 / rate;
    return fb_arg_number(args, "scale", 100) * rate + fb_arg_number(args, "offset", 0);
}

FB_PROCEDURE(fpr)
{
    struct fb_cell cell = fb_arg_cell(bench, args);
    struct fb_rate r = fb_cell_rate(bench, &cell, out);
    double a = reported(args, r.low), b = reported(args, r.high);
    fb_find_interval(out, reported(args, r.model), reported(args, r.rate), fmin(a, b), fmax(a, b));
    out->p = r.p;
}

/* A quotient of rates and how it compares with the quotient of their models. */
struct quotient {
    double value, low, high, theory, p;
};

static struct quotient quotient_of(const struct fb_rate *a, const struct fb_rate *b, double tails)
{
    double value = a->rate / b->rate, theory = a->model / b->model;
    double se = hypot(a->relative_se, b->relative_se);
    double spread = fb_exp(fb_normal_quantile(1 - FB_FIND_TAIL / tails) * se);
    double z = se > 0 ? (fb_log(value) - fb_log(theory)) / se : 0;
    return (struct quotient){value, value / spread, value * spread, theory,
                             fmin(1, tails * fb_p_normal(z))};
}

/* The limit of infinitely many keys, from the shape alone. */
static double limit_rate(const struct fb_cell *cell, const struct fb_rate *r)
{
    double bits = (double)r->geom.n_bits / (double)cell->fpr.n_keys;
    if (!r->geom.n_blocks)
        return fb_bloom_fpr_limit(bits, r->geom.probes);
    /* One bit per lane where the probes are fixed by the design, anywhere in the block elsewhere.
     */
    if (cell->fpr.design->traits & FB_FIXED_PROBES)
        return fb_sbbf_fpr_limit(bits, r->geom.block_bits, r->geom.probes);
    return fb_blocked_fpr_limit(bits, r->geom.block_bits, r->geom.probes);
}

/* What a cell's rate is divided by: a rate without error, or that of the cell with the members of
 * an object "over" laid over it. */
static struct fb_rate reference_of(struct fb_bench *bench, const json_t *args,
                                   const struct fb_cell *cell, const json_t *cell_args,
                                   const struct fb_rate *r, struct fb_finding *out)
{
    const json_t *over = json_object_get(args, "over");
    double known = 0;
    if (json_is_object(over)) {
        json_t *other_args = json_deep_copy(cell_args);
        json_object_update(other_args, (json_t *)over);
        struct fb_cell other = fb_arg_cell(bench, other_args);
        json_decref(other_args);
        return fb_cell_rate(bench, &other, out);
    }
    if (fb_arg_is(args, "over", "limit"))
        known = limit_rate(cell, r);
    else if (fb_arg_is(args, "over", "classic"))
        known =
            fb_bloom_fpr_limit((double)r->geom.n_bits / (double)cell->fpr.n_keys, r->geom.probes);
    else if (fb_arg_is(args, "over", "target"))
        known = cell->fpr.params.fpr;
    else if (fb_arg_is(args, "over", "model"))
        known = r->model;
    if (!(known > 0))
        fb_bench_fail(bench, FB_EINVAL, "no rate to divide by");
    return (struct fb_rate){.rate = known, .model = known, .p = 1};
}

/* Appends "0.82 % at 1e+05 keys" to the remark. */
static void remark_rate(struct fb_finding *out, const char *lead, const struct fb_cell *cell,
                        const struct fb_rate *r)
{
    fb_find_remark(out, "%s%.4g %% at %.3g keys", lead, 100 * r->rate, (double)cell->fpr.n_keys);
}

/* Cells that break the model's premise of well-mixed hash words: shown, and held against nothing.
 */
static void show_departures(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    size_t i;
    json_t *cell_args;
    json_array_foreach(json_object_get(args, "departures"), i, cell_args) {
        const char *hash = fb_arg_text(cell_args, "hash", NULL);
        struct fb_cell cell = fb_arg_cell(bench, cell_args);
        struct fb_rate r = fb_cell_rate(bench, &cell, NULL);
        fb_find_remark(out, "; but %s%s%s keys ", hash ? hash : "", hash ? ", " : "",
                       fb_arg_text(cell_args, "keys", ""));
        remark_rate(out, "", &cell, &r);
    }
}

/* Whether quotient a is reported rather than b: the larger by theory, or the one whose theory is
 * farther from 1; among equal theories the one farther from its theory. */
static bool is_chosen(const struct quotient *a, const struct quotient *b, bool largest)
{
    double x = fabs(fb_log(a->theory)), y = fabs(fb_log(b->theory));
    if (a->theory == b->theory)
        return fabs(fb_log(a->value / a->theory)) > fabs(fb_log(b->value / b->theory));
    return largest ? a->theory > b->theory : x > y;
}

/* Cells over a reference (limit, classic, target, model, or another rate): reports the quotient of
 * the first cell, the largest, or the one farthest from 1; every cell is tested. */
FB_PROCEDURE(fpr_over)
{
    const json_t *cells = json_object_get(args, "cells");
    bool measured = json_is_object(json_object_get(args, "over"));
    bool first = fb_arg_is(args, "report", "first"), largest = fb_arg_is(args, "report", "largest");
    double n = (double)json_array_size(cells);
    struct quotient chosen = {0};
    size_t i;
    json_t *cell_args;
    out->p = 1;
    json_array_foreach(cells, i, cell_args) {
        struct fb_cell cell = fb_arg_cell(bench, cell_args);
        struct fb_rate r = fb_cell_rate(bench, &cell, out);
        struct fb_rate reference = reference_of(bench, args, &cell, cell_args, &r, out);
        if (bench->err)
            return;
        struct quotient q = quotient_of(&r, &reference, first ? 1 : n);
        /* The cells' own tests count too: both may miss their models alike. */
        double p = fmin(r.p, reference.p) * (measured ? 2 * n : n);
        out->p = fmin(out->p, measured ? fmin(q.p, p) : p);
        if (!measured)
            remark_rate(out, i ? ", " : "", &cell, &r);
        if (i == 0 || (!first && is_chosen(&q, &chosen, largest))) {
            chosen = q;
            if (measured)
                snprintf(out->remark, sizeof out->remark, "%.4g %% against %.4g %%", 100 * r.rate,
                         100 * reference.rate);
        }
    }
    fb_find_interval(out, chosen.theory, chosen.value, chosen.low, chosen.high);
    show_departures(bench, args, out);
}

/* For independent probes: the rate of a built filter is fill^k, which needs no probes and so
 * settles a digit that counting cannot. The counted rate of the same cell tests the model as well.
 * The bits that keys set are its probes. */
FB_PROCEDURE(fpr_by_fill)
{
    const size_t n = fb_bench_times_work(bench, 30);
    struct fb_cell cell = fb_arg_cell(bench, args);
    struct fb_rate counted = fb_cell_rate(bench, &cell, out);
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_geometry geom = fb_recipe_plan(bench, &recipe);
    double *rates = fb_bench_alloc(bench, n, sizeof *rates);
    uint64_t *set = fb_bench_alloc(bench, n, sizeof *set);
    if (bench->err)
        goto end;
    const double theory = recipe.design->fpr(&geom, recipe.n);
    struct fb_mean mean = {.mean = theory,
                           .se = theory * fb_fill_noise(&geom, recipe.n) / sqrt((double)n)};
    for (size_t j = 0; j < n && !bench->err && bench->phase == FB_MEASURE; j++) {
        struct fb_filter filter = fb_recipe_build(bench, &recipe, 3 + j);
        set[j] = bench->err ? 0 : fb_bits_set(filter.bytes, filter.geom.n_bytes);
        fb_filter_close(&filter);
    }
    fb_bench_facts(bench, (struct fb_fact[]){{"bits_set", set, n}, {0}});
    for (size_t j = 0; j < n; j++)
        rates[j] = fb_pow((double)set[j] / (double)geom.n_bits, geom.probes);
    if (bench->phase != FB_PREDICT)
        mean = fb_mean_of(rates, n);
    double t = fb_t_quantile(1 - FB_FIND_TAIL, (unsigned)n - 1), half = t * mean.se;
    fb_find_interval(out, 100 * theory, 100 * mean.mean, 100 * (mean.mean - half),
                     100 * (mean.mean + half));
    fb_find_clip(out, 0, 100);
    double z = (mean.mean - theory) / mean.se * fb_find_z() / t;
    out->p = fmin(1, 2 * fmin(counted.p, fb_p_normal(z)));
    out->probes += n * recipe.n * geom.probes;
    fb_find_remark(out, "counted %.4g %% [%.4g, %.4g]", 100 * counted.rate, 100 * counted.low,
                   100 * counted.high);
end:
    free(rates);
    free(set);
}

/* Percent by which a read costs more at `bits_per_key` than at `most` bits: (1 - a) + a f reads. */
FB_PROCEDURE(regret)
{
    struct fb_cell cell = fb_arg_cell(bench, args);
    struct fb_rate here = fb_cell_rate(bench, &cell, out);
    cell.fpr.params.bits_per_key = fb_arg_number(args, "most", 0);
    struct fb_rate best = fb_cell_rate(bench, &cell, out);
    double a = fb_arg_number(args, "absent", 0.9), least = 1 - a + a * best.rate;
    fb_find_interval(out, 100 * ((1 - a + a * here.model) / (1 - a + a * best.model) - 1),
                     100 * ((1 - a + a * here.rate) / least - 1),
                     100 * ((1 - a + a * here.low) / least - 1),
                     100 * ((1 - a + a * here.high) / least - 1));
    out->p = here.p;
}

/* Mean bits that a key of k probes sets in a line, over all steps of a progression in it. */
static double mean_bits(unsigned line, unsigned k)
{
    double sum = 0;
    for (unsigned step = 0; step < line; step++) {
        const unsigned period = step ? line / (step & (~step + 1)) : 1;
        sum += period < k ? period : k;
    }
    return sum / line;
}

/* Percentage points that steps of zero add to the rate of a filter whose probes are h + i delta in
 * a line of a power of two of bits, delta = h rotated by 17: one key in as many, which asks one bit
 * alone, where probes without a pattern have the rate of blocks. */
FB_PROCEDURE(zero_steps)
{
    enum { ROTATION = 17, FILTERS = 10 };
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    const struct fb_geometry geom = fb_recipe_plan(bench, &recipe);
    const uint64_t probes = fb_arg_count(args, "probes", 100000) / FILTERS;
    uint64_t passed[FILTERS];
    double points[FILTERS];
    if (!bench->err && (!geom.n_blocks || geom.digest_words != 1 || !probes))
        fb_bench_fail(bench, FB_EINVAL, "filters of lines, and a probe for each of %d", FILTERS);
    if (bench->err)
        return;
    const double line = geom.block_bits, n = (double)recipe.n, each = (double)probes,
                 set = mean_bits(geom.block_bits, geom.probes) / line / (double)geom.n_blocks,
                 pass = 1 - fb_pow(1 - set, n),
                 plain = fb_blocked_fpr(recipe.n, geom.n_blocks, geom.block_bits, geom.probes);
    for (size_t j = 0; j < FILTERS; j++) {
        struct fb_filter filter = {0};
        passed[j] = bench->phase == FB_MEASURE ? 0 : (uint64_t)rint(pass * each);
        if (bench->phase == FB_MEASURE)
            filter = fb_recipe_build(bench, &recipe, 3 + j);
        for (uint64_t i = 0; filter.bytes && i < probes; i++) {
            const uint64_t word = fb_lo32(fb_stream_word(bench->root, j * probes + i)),
                           step = (uint64_t)(geom.block_bits - 1) << ROTATION;
            passed[j] += filter.kernel->query(&filter, &(uint64_t){word & ~step});
        }
        fb_filter_close(&filter);
    }
    fb_bench_facts(bench, (struct fb_fact[]){{"passed", passed, FILTERS}, {0}});
    for (size_t j = 0; j < FILTERS; j++) {
        points[j] = 100 * ((double)passed[j] / each - plain) / line;
        out->events += passed[j];
    }
    const struct fb_mean mean = fb_mean_of(points, FILTERS); /* predicted: without spread */
    const double theory = 100 * (pass - plain) / line,
                 half = fb_t_quantile(1 - FB_FIND_TAIL, FILTERS - 1) * mean.se;
    fb_find_interval(out, theory, mean.mean, mean.mean - half, mean.mean + half);
    out->p =
        bench->phase == FB_PREDICT ? 1 : fb_p_normal((mean.mean - theory) * fb_find_z() / half);
    out->probes = FILTERS * probes;
    fb_find_remark(out, "%.4g %% of keys whose step is zero pass",
                   100 * (double)out->events / (FILTERS * each));
}

/* Integers used as digests, unmixed: all choose block 0, whose every bit n keys set. */
FB_PROCEDURE(unmixed_integers)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_filter filter = fb_recipe_empty(bench, &recipe);
    if (bench->err)
        return;
    for (uint64_t i = 0; i < recipe.n; i++)
        filter.kernel->add_batch(&filter, &i, 1);
    for (uint64_t i = recipe.n; i < 2 * recipe.n; i++)
        out->events += filter.kernel->query(&filter, &i);
    unsigned lanes = filter.geom.probes, width = filter.geom.block_bits / lanes;
    double unset = fb_pow(1 - 1.0 / width, (double)recipe.n);
    fb_find_within(out, 100 * fb_pow(1 - unset, lanes),
                   100 * (double)out->events / (double)recipe.n, 0.1);
    out->probes = recipe.n;
    fb_filter_close(&filter);
}

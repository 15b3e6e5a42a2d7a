/* Procedures: rates that no kind counts: from the bits that are set, of probes without a step, of
 * keys that are no hashes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/procedure.h"
#include "harness/stats/stats.h"
#include "workloads/core/rng.h"

/* Relative standard deviation of the rate from one filter of n keys to another, as some are fuller
 * than others: k sd(rho) / rho, with the variance of the number of empty cells of an occupancy
 * problem, m e^-x (1 - (1 + x) e^-x), x = kn/m. */
static double fill_noise(const struct fb_geometry *geom, uint64_t n_keys)
{
    const double m = (double)geom->n_bits, k = geom->probes, x = k * (double)n_keys / m,
                 empty = fb_exp(-x);
    return k * sqrt(empty * (1 - (1 + x) * empty) / m) / (1 - empty);
}

/* For independent probes: the rate of a built filter is fill^k, which needs no probes and so
 * settles a digit that counting cannot. The bits that keys set are its probes. */
FB_PROCEDURE(fpr_by_fill)
{
    const size_t n = fb_bench_times_work(bench, 30), kept = bench->phase == FB_PREDICT ? 1 : n;
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_geometry geom = fb_recipe_plan(bench, &recipe);
    double *rates = fb_bench_alloc(bench, kept, sizeof *rates);
    uint64_t *set = fb_bench_alloc(bench, kept, sizeof *set);
    if (bench->err)
        goto end;
    const double theory = recipe.design->fpr(&geom, recipe.n);
    struct fb_mean mean = {.mean = theory,
                           .se = theory * fill_noise(&geom, recipe.n) / sqrt((double)n)};
    for (size_t j = 0; j < n && !bench->err && bench->phase == FB_MEASURE; j++) {
        struct fb_filter filter = fb_recipe_build(bench, &recipe, 3 + j);
        set[j] = bench->err ? 0 : fb_bits_set(filter.bytes, filter.geom.n_bytes);
        fb_filter_close(&filter);
    }
    fb_bench_facts(bench, (struct fb_fact[]){{"bits_set", set, n}, {0}});
    for (size_t j = 0; j < n && bench->phase != FB_PREDICT; j++)
        rates[j] = fb_pow((double)set[j] / (double)geom.n_bits, geom.probes);
    if (bench->phase != FB_PREDICT)
        mean = fb_mean_of(rates, n);
    double t = fb_t_quantile(1 - FB_FIND_TAIL, (unsigned)n - 1), half = t * mean.se;
    fb_find_interval(out, 100 * theory, 100 * mean.mean, 100 * (mean.mean - half),
                     100 * (mean.mean + half));
    fb_find_clip(out, 0, 100);
    out->p = fb_p_normal((mean.mean - theory) / mean.se * fb_find_z() / t);
    out->probes += n * recipe.n * geom.probes;
end:
    free(rates);
    free(set);
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

/* Procedures: bits per key for a rate, as abloom's tables have them, and the best number of probes
 * that stands behind them. No kind searches for a size. */
#include <math.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/procedure.h"

/* Keys at which sizes are read off a design's own rule: a block of 512 bits is then 5e-6 bits per
 * key. Nothing of that size is built. */
#define MANY_KEYS 100000000.0

/* Share by which a design's own prediction, which knows its finite number of blocks and the width
 * of its hash, may move the bits for a rate. A tenth of the last digit printed. */
#define ROUNDING 1e-4

/* ---- The best number of probes, any real number ---- */

/* Where f is least in [low, high], to 1e-7; f falls, then rises: ternary search. */
static double least_at(double (*f)(double k, double arg), double arg, double low, double high)
{
    while (high - low > 1e-7) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        bool left = f(a, arg) < f(b, arg);
        *(left ? &high : &low) = left ? b : a;
    }
    return (low + high) / 2;
}

/* Bits per key of a classic filter of rate `fpr` with k probes. */
static double classic_bits(double k, double fpr)
{
    return -k / fb_log1p(-fb_exp(fb_log(fpr) / k));
}

static double fewest_classic_bits(double fpr)
{
    return classic_bits(least_at(classic_bits, fpr, 0.1, 64), fpr);
}

/* Logarithm of the rate at so many bits per key. */
static double classic_rate(double k, double bits)
{
    return k * fb_log(-fb_expm1(-k / bits));
}

/* The k with the least rate, per bit per key; ln 2 in theory. */
FB_PROCEDURE(best_k_slope)
{
    double bits = fb_arg_number(args, "bits_per_key", 10);
    fb_find_within(out, FB_LN2, least_at(classic_rate, bits, 0.1, 3 * bits) / bits, 1e-6);
}

/* Bits per key per bit of log2(1/e): 1 / ln 2 against the best over k. */
FB_PROCEDURE(best_bits_slope)
{
    double fpr = fb_arg_number(args, "fpr", 0.01);
    fb_find_within(out, 1 / FB_LN2, fewest_classic_bits(fpr) / (-fb_log(fpr) / FB_LN2), 1e-9);
}

/* Fewest bits with a whole number of probes: formula against a search over the exact rate. */
FB_PROCEDURE(integer_k_bits)
{
    const uint64_t n = 1000000;
    double fpr = fb_arg_number(args, "fpr", 0), best = INFINITY;
    unsigned k_theory;
    for (unsigned k = 1; k <= 30; k++) {
        uint64_t low = 1, high = 100 * n;
        while (high - low > 1) {
            uint64_t mid = (low + high) / 2;
            *(fb_bloom_fpr(n, mid, k) > fpr ? &low : &high) = mid;
        }
        best = fmin(best, (double)high / (double)n);
    }
    fb_find_within(out, fb_bloom_bits_integer(fpr, &k_theory), best, 1e-4);
}

/* ---- abloom's tables ---- */

/* Average of allocated over needed blocks, needs uniform over one octave, by the design's own
 * rounding. */
static double pow2_factor(struct fb_bench *bench)
{
    enum { LOW = 1 << 18, STEP = 4 };
    struct fb_recipe recipe = {.design = fb_design_find("sbbf-512-pow2"),
                               .params.bits_per_key = 512};
    double sum = 0;
    for (recipe.n = LOW + 1; recipe.n < 2 * LOW; recipe.n += STEP)
        sum += (double)fb_recipe_plan(bench, &recipe).n_blocks / (double)recipe.n;
    return sum * STEP / LOW;
}

/* Fewest bits per key that the 256-bit design needs for a rate, from its own rate at many keys. */
static double fewest_bits_256(struct fb_bench *bench, double fpr)
{
    struct fb_recipe recipe = {.design = fb_design_find("sbbf-256"), .n = (uint64_t)MANY_KEYS};
    double low = 1, high = 100;
    while (high - low > 1e-7) {
        recipe.params.bits_per_key = (low + high) / 2;
        struct fb_geometry geom = fb_recipe_plan(bench, &recipe);
        if (bench->err)
            return high;
        bool more = recipe.design->fpr(&geom, recipe.n) > fpr;
        *(more ? &low : &high) = recipe.params.bits_per_key;
    }
    return high;
}

static double planned_bits_512(struct fb_bench *bench, double fpr)
{
    const struct fb_recipe recipe = {
        .design = fb_design_find("sbbf-512"), .params.fpr = fpr, .n = (uint64_t)MANY_KEYS};
    return (double)fb_recipe_plan(bench, &recipe).n_bits / MANY_KEYS;
}

/* Columns without a design: log2(1/e) twice, and the standard filter by the closed form and by
 * minimising over k. */
static struct fb_pair formula_bits(const char *column, double fpr)
{
    if (!strcmp(column, "std"))
        return (struct fb_pair){fb_bloom_bits(fpr), fewest_classic_bits(fpr)};
    return (struct fb_pair){fb_bound_bits(fpr), -fb_log(fpr) / FB_LN2};
}

/* Theory from the formulas, measured from the designs' own sizing. */
static struct fb_pair column_bits(struct fb_bench *bench, const char *column, double fpr)
{
    if (strncmp(column, "sbbf", 4) != 0 && strcmp(column, "pow2") != 0)
        return formula_bits(column, fpr);
    if (!strcmp(column, "sbbf256"))
        return (struct fb_pair){fb_sbbf_bits(fpr, 256, 8), fewest_bits_256(bench, fpr)};
    struct fb_pair bits = {fb_sbbf_bits(fpr, 512, 8), planned_bits_512(bench, fpr)};
    if (!strcmp(column, "pow2")) {
        bits.theory *= 2 * FB_LN2;
        bits.measured *= pow2_factor(bench);
    }
    return bits;
}

/* Percent by which a column is above another. */
static struct fb_pair overhead(struct fb_bench *bench, const char *column, const char *base,
                               double fpr)
{
    struct fb_pair bits = column_bits(bench, column, fpr), below = column_bits(bench, base, fpr);
    return (struct fb_pair){100 * (bits.theory / below.theory - 1),
                            100 * (bits.measured / below.measured - 1)};
}

/* One cell of the tables: arithmetic, as it is there. Whether filters of such sizes have the rate
 * is counted by rows on the formula. */
FB_PROCEDURE(bits_for_rate)
{
    const char *column = fb_arg_text(args, "column", "");
    double fpr = fb_arg_number(args, "fpr", 0);
    bool percent = fb_arg_is(args, "as", "overhead percent");
    struct fb_pair found =
        percent ? overhead(bench, column, "std", fpr) : column_bits(bench, column, fpr);
    double unit = percent ? 100 + found.theory : found.theory;
    fb_find_within(out, found.theory, found.measured, ROUNDING * unit);
}

FB_PROCEDURE(pow2_average)
{
    double factor = pow2_factor(bench);
    if (fb_arg_is(args, "as", "percent"))
        fb_find_within(out, 100 * (2 * FB_LN2 - 1), 100 * (factor - 1), 1e-2);
    else
        fb_find_within(out, 2 * FB_LN2, factor, 1e-4);
}

/* The range of rates, on a grid of 1 %, where 512-bit blocks cost at most 10 % more. */
static void remark_ten_percent(struct fb_finding *out)
{
    double low = 1, high = 0;
    for (double e = 0.3; e > 1e-6; e *= 0.99)
        if (fb_sbbf_bits(e, 512, 8) <= 1.1 * fb_bloom_bits(e)) {
            low = fmin(low, e);
            high = fmax(high, e);
        }
    fb_find_remark(out, "within 10 %% only from %.2g %% to %.2g %%", 100 * low, 100 * high);
}

/* Largest overhead of a column over another, SBBF-512 and the standard filter where none is named,
 * at a list of rates, percent. */
FB_PROCEDURE(overhead_range)
{
    const char *column = fb_arg_text(args, "column", "sbbf512"),
               *base = fb_arg_text(args, "base", "std");
    struct fb_pair most = {-INFINITY, 0}, least = {INFINITY, 0};
    FB_EACH(rate, json_object_get(args, "rates")) {
        struct fb_pair one = overhead(bench, column, base, json_number_value(rate));
        least = one.theory < least.theory ? one : least;
        most = one.theory > most.theory ? one : most;
    }
    fb_find_within(out, most.theory, most.measured, 5e-3);
    if (!strcmp(base, "std"))
        remark_ten_percent(out);
    else
        fb_find_remark(out, "from %.1f %% to %.1f %%", least.measured, most.measured);
}

/* fpr(bits(e)) = e, and more bits always give less. */
FB_PROCEDURE(sizing_round_trip)
{
    unsigned mismatches = 0;
    double last = 1;
    for (double e = 0.5; e > 1e-6; e *= 0.7)
        mismatches += fabs(fb_sbbf_fpr_limit(fb_sbbf_bits(e, 512, 8), 512, 8) / e - 1) > 1e-9;
    for (double bits = 0.5; bits < 60; bits *= 1.05) {
        double f = fb_sbbf_fpr_limit(bits, 512, 8);
        mismatches += f >= last;
        last = f;
    }
    fb_find_exact(out, 0, mismatches);
}

/* Procedures: bits for a rate (abloom's tables), power-of-two rounding, bytes of arrays and blocks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/procedure.h"

/* Keys at which sizes are read off a design's own rule: a block of 512 bits is then 5e-6 bits per
 * key. Nothing of that size is built. */
#define MANY_KEYS 100000000.0

/* Least of f over [low, high], f falling then rising: golden section. */
static double least(double (*f)(double x, double arg), double arg, double low, double high)
{
    const double g = (sqrt(5) - 1) / 2;
    double a = high - g * (high - low), b = low + g * (high - low);
    while (high - low > 1e-9) {
        if (f(a, arg) < f(b, arg))
            high = b;
        else
            low = a;
        a = high - g * (high - low);
        b = low + g * (high - low);
    }
    return f((low + high) / 2, arg);
}

/* Bits per key of a classic filter of rate `fpr` with k probes, k any real number. */
static double classic_bits(double k, double fpr)
{
    return -k / fb_log1p(-fb_exp(fb_log(fpr) / k));
}

/* Average of allocated over needed blocks, needs uniform over one octave, by the design's own
 * rounding. */
static enum fb_err pow2_factor(struct fb_bench *bench, double *out)
{
    enum { LOW = 1 << 18, STEP = 4 };
    const struct fb_design *design = fb_design_find("sbbf-512-pow2");
    const struct fb_params params = {.bits_per_key = 512};
    double sum = 0;
    if (!design)
        return fb_bench_fail(bench, FB_EINVAL, "no design 'sbbf-512-pow2'");
    for (uint64_t need = LOW + 1; need < 2 * LOW; need += STEP) {
        struct fb_geometry geom;
        const char *why;
        enum fb_err err = fb_design_plan(design, &params, need, &geom, &why);
        if (err)
            return fb_bench_fail(bench, err, "%s: %s", design->name, why);
        sum += (double)geom.n_blocks / (double)need;
    }
    *out = sum * STEP / LOW;
    return FB_OK;
}

/* Fewest bits per key that the 256-bit design needs for a rate, from its own rate at many keys. */
static enum fb_err fewest_bits_256(struct fb_bench *bench, double fpr, double *out)
{
    const struct fb_design *design = fb_design_find("sbbf-256");
    double low = 1, high = 100;
    if (!design)
        return fb_bench_fail(bench, FB_EINVAL, "no design 'sbbf-256'");
    while (high - low > 1e-7) {
        struct fb_params params = {.bits_per_key = (low + high) / 2};
        struct fb_geometry geom;
        const char *why;
        enum fb_err err = fb_design_plan(design, &params, (uint64_t)MANY_KEYS, &geom, &why);
        if (err)
            return fb_bench_fail(bench, err, "%s: %s", design->name, why);
        *(design->fpr(&geom, (uint64_t)MANY_KEYS) > fpr ? &low : &high) = params.bits_per_key;
    }
    *out = high;
    return FB_OK;
}

static enum fb_err planned_bits_512(struct fb_bench *bench, double fpr, double *out)
{
    const struct fb_design *design = fb_design_find("sbbf-512");
    const struct fb_params params = {.fpr = fpr};
    struct fb_geometry geom;
    const char *why = "no design 'sbbf-512'";
    enum fb_err err =
        design ? fb_design_plan(design, &params, (uint64_t)MANY_KEYS, &geom, &why) : FB_EINVAL;
    if (err)
        return fb_bench_fail(bench, err, "sbbf-512: %s", why);
    *out = (double)geom.n_bits / MANY_KEYS;
    return FB_OK;
}

/* A column of abloom's tables: theory from the formulas, measured from the designs' own sizing (or,
 * for the standard filter, by minimising over k instead of the closed form). */
static enum fb_err column_bits(struct fb_bench *bench, const char *column, double fpr,
                               double *theory, double *measured)
{
    double factor;
    enum fb_err err = FB_OK;
    if (!strcmp(column, "log2") || !strcmp(column, "theory")) {
        *theory = fb_bound_bits(fpr);
        *measured = -fb_log(fpr) / FB_LN2;
    } else if (!strcmp(column, "std")) {
        *theory = fb_bloom_bits(fpr);
        *measured = least(classic_bits, fpr, 0.1, 64);
    } else if (!strcmp(column, "sbbf256")) {
        *theory = fb_sbbf_bits(fpr, 256, 8);
        err = fewest_bits_256(bench, fpr, measured);
    } else {
        *theory = fb_sbbf_bits(fpr, 512, 8);
        err = planned_bits_512(bench, fpr, measured);
        if (!err && !strcmp(column, "pow2")) {
            err = pow2_factor(bench, &factor);
            *theory *= 2 * FB_LN2;
            *measured *= factor;
        }
    }
    return err;
}

/* One cell of the tables. With an experiment, a filter is built at the size that theory gives, and
 * must have the rate. */
/* Share by which a design's own prediction, which knows its finite number of blocks and the width
 * of its hash, may move the bits for a rate. A tenth of the last digit printed. */
#define ROUNDING 1e-4

static enum fb_err bits_for_rate(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    double fpr = fb_arg_number(args, "fpr", 0), theory, measured, std_theory, std_measured;
    const json_t *experiment = json_object_get(args, "experiment");
    enum fb_err err = column_bits(bench, fb_arg_text(args, "column", ""), fpr, &theory, &measured);
    if (!err)
        err = column_bits(bench, "std", fpr, &std_theory, &std_measured);
    if (err)
        return err;
    out->tolerance = ROUNDING * theory;
    if (fb_arg_is(args, "as", "overhead percent")) {
        fb_find_exact(out, 100 * (theory / std_theory - 1), 100 * (measured / std_measured - 1));
        out->tolerance = ROUNDING * 100 * theory / std_theory;
    } else {
        fb_find_exact(out, theory, measured);
    }
    if (experiment) {
        struct fb_rate r;
        unsigned block = fb_arg_is(args, "column", "sbbf256") ? 256 : 512;
        double bits = fb_sbbf_bits(fpr, block, 8);
        json_t *cell = json_deep_copy(experiment);
        json_object_set_new(cell, "bits_per_key", json_real(bits));
        err = fb_bench_rate(bench, cell, &r);
        json_decref(cell);
        if (err || bench->interrupted)
            return err;
        out->p = r.p;
        fb_find_counts(out, &r);
        snprintf(out->remark, sizeof out->remark,
                 "built at %.4f bits per key it has %.5g %% [%.5g, %.5g]", bits, 100 * r.rate,
                 100 * r.low, 100 * r.high);
    }
    return FB_OK;
}

static enum fb_err pow2_average(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    double factor;
    bool percent = fb_arg_is(args, "as", "percent");
    enum fb_err err = pow2_factor(bench, &factor);
    if (err)
        return err;
    fb_find_exact(out, percent ? 100 * (2 * FB_LN2 - 1) : 2 * FB_LN2,
                  percent ? 100 * (factor - 1) : factor);
    out->tolerance = percent ? 1e-2 : 1e-4;
    return FB_OK;
}

/* Ends of the range of rates, on a grid of 1 %, where 512-bit blocks cost at most 10 % more. */
static void within_ten_percent(double *low, double *high)
{
    *low = 1;
    *high = 0;
    for (double e = 0.3; e > 1e-6; e *= 0.99)
        if (fb_sbbf_bits(e, 512, 8) <= 1.1 * fb_bloom_bits(e)) {
            *low = fmin(*low, e);
            *high = fmax(*high, e);
        }
}

/* Least or largest overhead of SBBF-512 over the standard filter at a list of rates, percent. */
static enum fb_err overhead_range(struct fb_bench *bench, const json_t *args,
                                  struct fb_finding *out)
{
    const json_t *rates = json_object_get(args, "rates");
    bool largest = fb_arg_is(args, "report", "largest");
    double theory = NAN, measured = NAN;
    for (size_t i = 0; i < json_array_size(rates); i++) {
        double t, m, st, sm, e = json_number_value(json_array_get(rates, i));
        enum fb_err err = column_bits(bench, "sbbf512", e, &t, &m);
        if (!err)
            err = column_bits(bench, "std", e, &st, &sm);
        if (err)
            return err;
        t = 100 * (t / st - 1);
        m = 100 * (m / sm - 1);
        if (i == 0 || (largest ? t > theory : t < theory)) {
            theory = t;
            measured = m;
        }
    }
    fb_find_exact(out, theory, measured);
    out->tolerance = 5e-3;
    if (largest) {
        double low, high;
        within_ten_percent(&low, &high);
        snprintf(out->remark, sizeof out->remark, "within 10 %% only from %.2g %% to %.2g %%",
                 100 * low, 100 * high);
    }
    return FB_OK;
}

/* Fewest bits with a whole number of probes: formula against a search over the exact rate. */
static enum fb_err integer_k_bits(struct fb_bench *bench, const json_t *args,
                                  struct fb_finding *out)
{
    const uint64_t n = 1000000;
    double fpr = fb_arg_number(args, "fpr", 0), best = INFINITY;
    unsigned k_theory;
    (void)bench;
    for (unsigned k = 1; k <= 30; k++) {
        uint64_t low = 1, high = 100 * n;
        while (high - low > 1) {
            uint64_t mid = (low + high) / 2;
            *(fb_bloom_fpr(n, mid, k) > fpr ? &low : &high) = mid;
        }
        best = fmin(best, (double)high / (double)n);
    }
    fb_find_exact(out, fb_bloom_bits_integer(fpr, &k_theory), best);
    out->tolerance = 1e-4;
    return FB_OK;
}

/* Bits per key per bit of log2(1/e): 1 / ln 2 against the best over k. */
static enum fb_err best_bits_slope(struct fb_bench *bench, const json_t *args,
                                   struct fb_finding *out)
{
    double fpr = fb_arg_number(args, "fpr", 0.01);
    (void)bench;
    fb_find_exact(out, 1 / FB_LN2, least(classic_bits, fpr, 0.1, 64) / (-fb_log(fpr) / FB_LN2));
    out->tolerance = 1e-9;
    return FB_OK;
}

/* fpr(bits(e)) = e, and more bits always give less. */
static enum fb_err sizing_round_trip(struct fb_bench *bench, const json_t *args,
                                     struct fb_finding *out)
{
    unsigned mismatches = 0;
    double last = 1;
    (void)bench, (void)args;
    for (double e = 0.5; e > 1e-6; e *= 0.7)
        mismatches += fabs(fb_sbbf_fpr_limit(fb_sbbf_bits(e, 512, 8), 512, 8) / e - 1) > 1e-9;
    for (double bits = 0.5; bits < 60; bits *= 1.05) {
        double f = fb_sbbf_fpr_limit(bits, 512, 8);
        mismatches += f >= last;
        last = f;
    }
    fb_find_exact(out, 0, mismatches);
    return FB_OK;
}

/* Bytes that a rule of the text predicts. */
static double predicted_bytes(const json_t *args)
{
    double n = fb_arg_number(args, "n", 0), bits = fb_arg_number(args, "bits_per_key", 0);
    double fpr = fb_arg_number(args, "fpr", 0), blocks = 1;
    if (fb_arg_is(args, "rule", "bits"))
        return fb_arg_number(args, "header", 0) + ceil(n * bits / 8);
    if (fb_arg_is(args, "rule", "rate"))
        return n * fb_bloom_bits(fpr) / 8;
    while (blocks < n * fb_sbbf_bits(fpr, 512, 8) / 512)
        blocks *= 2;
    return blocks * 64;
}

/* Bytes of a built filter: its array, or its block in the native format. */
static enum fb_err filter_bytes(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_filter filter;
    double unit = fb_arg_number(args, "unit_bytes", 1), theory = predicted_bytes(args);
    uint64_t n = fb_arg_count(args, "n", 0);
    /* Ten million keys need not be inserted to see the size; an empty filter of that capacity has
     * it. */
    enum fb_err err = fb_bench_filter(bench, args, "design", n > 1000000 ? 0 : n, &filter);
    if (err)
        return err;
    uint64_t bytes = fb_arg_is(args, "part", "block") ? filter.design->formats->size(&filter)
                                                      : filter.geom.n_bytes;
    fb_find_exact(out, theory / unit, (double)bytes / unit);
    /* Sizes from a rate are real numbers rounded up to bytes, in single precision. */
    if (fb_arg_is(args, "rule", "rate"))
        out->tolerance = (1 + 1e-6 * theory) / unit;
    fb_filter_close(&filter);
    return FB_OK;
}

/* Bytes that more bits per key cost. */
static enum fb_err bytes_difference(struct fb_bench *bench, const json_t *args,
                                    struct fb_finding *out)
{
    uint64_t n = fb_arg_count(args, "n", 0), from = fb_arg_count(args, "from_bits", 0),
             to = fb_arg_count(args, "to_bits", 0), bytes[2] = {0};
    double unit = fb_arg_number(args, "unit_bytes", 1);
    enum fb_err err = FB_OK;
    for (int i = 0; i < 2 && !err; i++) {
        struct fb_filter filter = {0};
        json_t *one = json_copy((json_t *)args);
        json_object_set_new(one, "bits_per_key", json_integer((json_int_t)(i ? to : from)));
        err = fb_bench_filter(bench, one, "design", n, &filter);
        bytes[i] = filter.geom.n_bytes;
        fb_filter_close(&filter);
        json_decref(one);
    }
    if (!err)
        fb_find_exact(out, (double)(to - from) * (double)n / 8 / unit,
                      (double)(bytes[1] - bytes[0]) / unit);
    return err;
}

const struct fb_procedure fb_judge_sizes[] = {
    {"bits-for-rate", bits_for_rate},
    {"pow2-average", pow2_average},
    {"overhead-range", overhead_range},
    {"integer-k-bits", integer_k_bits},
    {"best-bits-slope", best_bits_slope},
    {"sizing-round-trip", sizing_round_trip},
    {"filter-bytes", filter_bytes},
    {"bytes-difference", bytes_difference},
    {0},
};

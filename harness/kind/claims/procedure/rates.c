/* Procedures: false-positive rates, their ratios, and false negatives. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/procedure.h"

/* Widens the interval to that of one run of so many probes, as a text reports it. */
static void of_one_run(struct fb_rate *r, double probes)
{
    double half = fb_find_z() * sqrt(r->rate * (1 - r->rate) / probes);
    r->low = fmax(0, r->rate - half);
    r->high = fmin(1, r->rate + half);
}

/* One rate in percent, or the share it rejects. */
static enum fb_err rate(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_rate r;
    enum fb_err err = fb_bench_rate(bench, args, &r);
    if (err || bench->interrupted)
        return err;
    if (fb_arg_count(args, "run", 0))
        of_one_run(&r, fb_arg_number(args, "run", 0));
    if (fb_arg_is(args, "as", "rejected percent"))
        fb_find_interval(out, 100 * (1 - r.model), 100 * (1 - r.rate), 100 * (1 - r.high),
                         100 * (1 - r.low));
    else
        fb_find_interval(out, 100 * r.model, 100 * r.rate, 100 * r.low, 100 * r.high);
    out->p = r.p;
    fb_find_counts(out, &r);
    return FB_OK;
}

/* How far a limit lies above the rate, in percent of the rate. */
static enum fb_err margin(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_rate r;
    double limit = fb_arg_number(args, "limit", 0);
    enum fb_err err = fb_bench_rate(bench, args, &r);
    if (err || bench->interrupted)
        return err;
    fb_find_interval(out, 100 * (limit / r.model - 1), 100 * (limit / r.rate - 1),
                     100 * (limit / r.high - 1), 100 * (limit / r.low - 1));
    out->p = r.p;
    fb_find_counts(out, &r);
    return FB_OK;
}

/* A quotient of rates and how it compares with the quotient of their models. */
struct quotient {
    double value, low, high, theory, p;
};

static struct quotient quotient_of(double value, double relative_se, double theory, double tails)
{
    double z999 = fb_normal_quantile(1 - FB_FIND_TAIL / tails), spread = fb_exp(z999 * relative_se);
    double z = relative_se > 0 ? (fb_log(value) - fb_log(theory)) / relative_se : 0;
    return (struct quotient){value, value / spread, value * spread, theory,
                             fmin(1, 2 * tails * fb_normal_tail(fabs(z)))};
}

/* The cell `key` of args at `bits` bits per key; 0: as it stands. */
static enum fb_err rate_at(struct fb_bench *bench, const json_t *args, const char *key, double bits,
                           struct fb_rate *out)
{
    json_t *cell = json_deep_copy(json_object_get(args, key));
    if (bits > 0)
        json_object_set_new(cell, "bits_per_key", json_real(bits));
    enum fb_err err = fb_bench_rate(bench, cell, out);
    json_decref(cell);
    return err;
}

/* Ratio of two cells; over a list of sizes, the largest. */
static enum fb_err ratio(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const json_t *sizes = json_object_get(args, "bits");
    size_t n = json_array_size(sizes) ? json_array_size(sizes) : 1;
    struct quotient worst = {.value = -1};
    double least_p = 1;
    for (size_t i = 0; i < n; i++) {
        struct fb_rate a, b;
        double bits = json_number_value(json_array_get(sizes, i));
        enum fb_err err = rate_at(bench, args, "a", bits, &a);
        if (!err && !bench->interrupted)
            err = rate_at(bench, args, "b", bits, &b);
        if (err || bench->interrupted)
            return err;
        fb_find_counts(out, &a);
        fb_find_counts(out, &b);
        struct quotient q = quotient_of(
            a.rate / b.rate, sqrt(a.relative_se * a.relative_se + b.relative_se * b.relative_se),
            a.model / b.model, (double)n);
        if (q.value > worst.value) {
            worst = q;
            snprintf(out->remark, sizeof out->remark, "%.4g %% against %.4g %%", 100 * a.rate,
                     100 * b.rate);
        }
        /* The cells' own tests count too: both may miss their models alike. */
        least_p = fmin(least_p, fmin(q.p, fmin(1, 2 * (double)n * fmin(a.p, b.p))));
    }
    bool excess = fb_arg_is(args, "as", "excess percent");
    double scale = excess ? 100 : 1, shift = excess ? 1 : 0;
    fb_find_interval(out, scale * (worst.theory - shift), scale * (worst.value - shift),
                     scale * (worst.low - shift), scale * (worst.high - shift));
    out->p = least_p;
    return FB_OK;
}

/* The limit of infinitely many keys, from the shape alone. */
static double limit_rate(const struct fb_design *design, const struct fb_rate *r)
{
    double bits = (double)r->geom.n_bits / (double)r->n_keys;
    /* One bit per lane where the probes are fixed by the design, anywhere in the block elsewhere.
     */
    if (!r->geom.n_blocks)
        return fb_bloom_fpr_limit(bits, r->geom.probes);
    if (design->traits & FB_FIXED_PROBES)
        return fb_sbbf_fpr_limit(bits, r->geom.block_bits, r->geom.probes);
    return fb_blocked_fpr_limit(bits, r->geom.block_bits, r->geom.probes);
}

static double reference_rate(const json_t *args, const json_t *cell, const struct fb_rate *r)
{
    const struct fb_design *design = fb_design_find(fb_arg_text(cell, "design", ""));
    if (fb_arg_is(args, "over", "limit"))
        return limit_rate(design, r);
    if (fb_arg_is(args, "over", "classic"))
        return fb_bloom_fpr_limit((double)r->geom.n_bits / (double)r->n_keys, r->geom.probes);
    if (fb_arg_is(args, "over", "target"))
        return r->target;
    return r->model;
}

/* Appends "0.82 % at 1e+05 keys" to the remark. */
static void remark_rate(struct fb_finding *out, const struct fb_rate *r, const char *lead)
{
    size_t used = strlen(out->remark);
    snprintf(out->remark + used, sizeof out->remark - used, "%s%.4g %% at %.3g keys",
             used ? lead : "", 100 * r->rate, (double)r->n_keys);
}

/* Cells that break the model's premise of well-mixed hash words: shown, and held against nothing.
 */
static enum fb_err show_departures(struct fb_bench *bench, const json_t *args,
                                   struct fb_finding *out)
{
    size_t i;
    json_t *cell;
    json_array_foreach(json_object_get(args, "departures"), i, cell)
    {
        struct fb_rate r;
        char lead[80];
        enum fb_err err = fb_bench_rate(bench, cell, &r);
        if (err || bench->interrupted)
            return err;
        snprintf(lead, sizeof lead, "; but %s%s%s keys ", fb_arg_text(cell, "hash", ""),
                 json_object_get(cell, "hash") ? ", " : "", fb_arg_text(cell, "keys", ""));
        remark_rate(out, &r, lead);
    }
    return FB_OK;
}

/* Cells over a reference (limit, classic, target or model): reports the first cell's quotient, the
 * largest, or the one farthest from its theory; every cell is tested. */
static enum fb_err over(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const json_t *cells = json_object_get(args, "cells");
    size_t n = json_array_size(cells);
    bool first = fb_arg_is(args, "report", "first"), largest = fb_arg_is(args, "report", "largest");
    struct quotient chosen = {0};
    double best = -1, least_p = 1;
    for (size_t i = 0; i < n; i++) {
        struct fb_rate r;
        const json_t *cell = json_array_get(cells, i);
        enum fb_err err = fb_bench_rate(bench, cell, &r);
        if (err || bench->interrupted)
            return err;
        fb_find_counts(out, &r);
        double reference = reference_rate(args, cell, &r);
        if (!(reference > 0))
            return fb_bench_fail(bench, FB_EINVAL, "no reference rate '%s'",
                                 fb_arg_text(args, "over", ""));
        struct quotient q = quotient_of(r.rate / reference, r.relative_se, r.model / reference,
                                        first ? 1 : (double)n);
        double rank = first     ? -(double)i
                      : largest ? q.value
                                : fabs(fb_log(q.value) - fb_log(q.theory));
        if (i == 0 || rank > best) {
            best = rank;
            chosen = q;
        }
        least_p = fmin(least_p, fmin(1, r.p * (double)n));
        remark_rate(out, &r, ", ");
    }
    fb_find_interval(out, chosen.theory, chosen.value, chosen.low, chosen.high);
    out->p = least_p;
    return show_departures(bench, args, out);
}

static double fill_of(const struct fb_filter *filter)
{
    uint64_t set = 0;
    for (uint64_t i = 0; i < filter->geom.n_bytes; i++)
        set += (uint64_t)__builtin_popcount(filter->bytes[i]);
    return (double)set / (double)filter->geom.n_bits;
}

/* For independent probes: the rate of a built filter is fill^k, which needs no probes and so
 * settles a digit that counting cannot. The counted rate of the same cell tests the model as well.
 */
static enum fb_err rate_by_fill(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    enum { FILTERS = 30 };
    struct fb_rate counted;
    const struct fb_design *design;
    const struct fb_params params = fb_arg_params(args);
    double rates[FILTERS], theory = 0;
    uint64_t n = fb_arg_count(args, "n", 0);
    enum fb_err err = fb_arg_design(bench, args, "design", &design);
    if (!err)
        err = fb_bench_rate(bench, args, &counted);
    for (unsigned j = 0; j < FILTERS && !err && !bench->interrupted; j++) {
        struct fb_keyset set = {0};
        struct fb_filter filter = {0};
        const char *why;
        err = fb_bench_keys(bench, 3 + j, 0, n, &set);
        if (!err)
            err = fb_filter_build(design, NULL, &params, &set.keys, &filter, &why);
        if (!err) {
            rates[j] = fb_pow(fill_of(&filter), filter.geom.probes);
            theory = design->fpr(&filter.geom, n);
        }
        fb_filter_close(&filter);
        fb_keyset_close(&set);
    }
    if (err || bench->interrupted)
        return err;
    struct fb_mean mean = fb_mean_of(rates, FILTERS);
    double t = fb_t_quantile(1 - FB_FIND_TAIL, FILTERS - 1), half = t * mean.se;
    fb_find_interval(out, 100 * theory, 100 * mean.mean, 100 * (mean.mean - half),
                     100 * (mean.mean + half));
    double z = (mean.mean - theory) / mean.se * fb_find_z() / t;
    out->p = fmin(1, 2 * fmin(counted.p, 2 * fb_normal_tail(fabs(z))));
    fb_find_counts(out, &counted);
    snprintf(out->remark, sizeof out->remark, "counted %.4g %% [%.4g, %.4g]", 100 * counted.rate,
             100 * counted.low, 100 * counted.high);
    return FB_OK;
}

/* Denials of a filter's own keys, and of the filter read back from its block. */
static enum fb_err denials(const struct fb_filter *filter, const struct fb_keys *keys,
                           uint64_t *denied)
{
    const struct fb_format *format = filter->design->formats;
    struct fb_filter copy = {0};
    const char *why;
    size_t n_maybe;
    uint8_t *maybe = malloc(keys->n + 1), *block = NULL;
    enum fb_err err = maybe ? fb_filter_query_keys(filter, keys, maybe, &n_maybe) : FB_ENOMEM;
    if (!err)
        *denied += keys->n - n_maybe;
    if (!err && format && format->read) {
        size_t size = (size_t)format->size(filter);
        block = malloc(size + 1);
        err = block ? FB_OK : FB_ENOMEM;
        if (!err) {
            format->write(filter, block);
            err = fb_filter_read(filter->design, format, block, size, &copy, &why);
        }
        if (!err)
            err = fb_filter_query_keys(&copy, keys, maybe, &n_maybe);
        if (!err)
            *denied += keys->n - n_maybe;
    }
    fb_filter_close(&copy);
    free(block);
    free(maybe);
    return err;
}

/* Keys denied by the named designs, or by every design of the registry but the controls. */
static enum fb_err false_negatives(struct fb_bench *bench, const json_t *args,
                                   struct fb_finding *out)
{
    const json_t *names = json_object_get(args, "designs");
    size_t n = json_array_size(names), total = n ? n : fb_n_designs();
    uint64_t denied = 0, n_keys = fb_arg_count(args, "n", 10000);
    struct fb_keyset set = {0};
    struct fb_params params = fb_arg_params(args);
    enum fb_err err = fb_bench_keys(bench, 0, 0, n_keys, &set);
    for (size_t i = 0; i < total && !err; i++) {
        struct fb_filter filter = {0};
        const char *why = NULL;
        const struct fb_design *design =
            n ? fb_design_find(json_string_value(json_array_get(names, i))) : fb_design_at(i);
        if (design && design->traits & FB_CONTROL)
            continue;
        err = design ? fb_filter_build(design, NULL, &params, &set.keys, &filter, &why) : FB_EINVAL;
        if (!err)
            err = denials(&filter, &set.keys, &denied);
        if (err)
            fb_bench_fail(bench, err, "%s: %s", design ? design->name : "no such design",
                          why ? why : fb_err_text(err));
        fb_filter_close(&filter);
    }
    fb_keyset_close(&set);
    fb_find_exact(out, 0, (double)denied);
    out->false_negatives = denied;
    return err;
}

/* Integers used as digests, unmixed: all choose block 0, whose every bit n keys set. */
static enum fb_err unmixed(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_filter filter = {0};
    const struct fb_design *design;
    struct fb_params params = fb_arg_params(args);
    const char *why = NULL;
    uint64_t n = fb_arg_count(args, "n", 1000);
    uint64_t *digests = malloc(2 * n * sizeof *digests);
    uint8_t *maybe = malloc(n);
    enum fb_err err = digests && maybe ? fb_arg_design(bench, args, "design", &design) : FB_ENOMEM;
    for (uint64_t i = 0; i < 2 * n && !err; i++)
        digests[i] = i;
    if (!err)
        err = fb_filter_build_digests(design, NULL, &params, digests, n, &filter, &why);
    if (!err) {
        unsigned lanes = filter.geom.probes, width = filter.geom.block_bits / lanes;
        double unset = fb_pow(1 - 1.0 / width, (double)n);
        size_t hits = filter.kernel->query_batch(&filter, digests + n, n, maybe);
        fb_find_exact(out, 100 * fb_pow(1 - unset, lanes), 100 * (double)hits / (double)n);
        out->tolerance = 0.1;
        out->events = hits;
        out->probes = n;
    }
    fb_filter_close(&filter);
    free(maybe);
    free(digests);
    return err;
}

const struct fb_procedure fb_judge_rates[] = {
    {"fpr", rate},
    {"fpr-by-fill", rate_by_fill},
    {"fpr-margin", margin},
    {"fpr-ratio", ratio},
    {"fpr-over", over},
    {"false-negatives", false_negatives},
    {"unmixed-integers", unmixed},
    {0},
};

/* Procedures: how keys spread over the blocks of a filter, and what that does to its rate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/procedure.h"

/* Block of a digest: the upper half mod the blocks, or scaled to them. */
static uint64_t block_by_mod(uint64_t digest, uint64_t n_blocks)
{
    return fb_hi32(digest) % n_blocks;
}

static uint64_t block_by_scale(uint64_t digest, uint64_t n_blocks)
{
    return (uint64_t)fb_hi32(digest) * n_blocks >> 32;
}

/* A filter of n keys and how many of them each of its blocks has, by their digests; *loads
 * [n_blocks] is malloc'd. */
static enum fb_err build_loads(struct fb_bench *bench, const json_t *args, const char *design_key,
                               uint64_t n, struct fb_filter *filter, uint32_t **loads)
{
    struct fb_keyset set = {0};
    *loads = NULL;
    enum fb_err err = fb_bench_filter(bench, args, design_key, n, filter);
    if (err)
        return err;
    uint64_t (*block_of_digest)(uint64_t, uint64_t) =
        strcmp(filter->design->name, "sbbf-256") ? block_by_mod : block_by_scale;
    *loads = calloc(filter->geom.n_blocks, sizeof **loads);
    err = *loads ? fb_bench_keys(bench, 0, 0, n, &set) : FB_ENOMEM;
    for (uint64_t i = 0; i < n && !err; i++) {
        uint64_t digest;
        filter->design->digest(fb_key_at(&set.keys, i), fb_key_len(&set.keys, i), 1, &digest);
        (*loads)[block_of_digest(digest, filter->geom.n_blocks)]++;
    }
    fb_keyset_close(&set);
    return err;
}

/* Two-sided p of the loads against a Poisson law, loads 0..BINS-1 and the rest; bins that expect
 * fewer than ten blocks are merged with the next. */
static double poisson_p(const uint32_t *loads, uint64_t n_blocks, double mean)
{
    enum { BINS = 512 };
    double counts[BINS + 1] = {0}, chi2 = 0, observed = 0, expected = 0, cumulated = 0;
    int used = 0;
    for (uint64_t b = 0; b < n_blocks; b++)
        counts[loads[b] < BINS ? loads[b] : BINS]++;
    double log_p = -mean;
    for (int i = 0; i <= BINS; i++) {
        double p = i < BINS ? fb_exp(log_p) : 1 - cumulated;
        double left = (1 - cumulated - p) * (double)n_blocks;
        cumulated += p;
        expected += p * (double)n_blocks;
        observed += counts[i];
        log_p += fb_log(mean) - fb_log(i + 1);
        if (expected >= 10 && (left >= 10 || i == BINS)) {
            chi2 += (observed - expected) * (observed - expected) / expected;
            observed = expected = 0;
            used++;
        }
    }
    if (expected > 1) {
        chi2 += (observed - expected) * (observed - expected) / expected;
        used++;
    }
    double tail = fb_chi2_tail(chi2, used - 1);
    return fmin(1, 2 * fmin(tail, 1 - tail));
}

/* Rate of one block, from the bits set in each lane. */
static double block_rate(const uint8_t *block, unsigned lanes, unsigned lane_bytes)
{
    double rate = 1;
    for (unsigned lane = 0; lane < lanes; lane++) {
        unsigned set = 0;
        for (unsigned i = 0; i < lane_bytes; i++)
            set += (unsigned)__builtin_popcount(block[lane * lane_bytes + i]);
        rate *= set / (8.0 * lane_bytes);
    }
    return rate;
}

/* Rate of a built filter, block by block, over the rate of an even load. */
static enum fb_err uneven_loads(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_filter filter;
    uint32_t *loads;
    uint64_t n = fb_arg_count(args, "n", 0);
    unsigned lanes = (unsigned)fb_arg_count(args, "lanes", 8);
    enum fb_err err = build_loads(bench, args, "design", n, &filter, &loads);
    if (!err) {
        const struct fb_geometry *geom = &filter.geom;
        unsigned lane_bits = geom->block_bits / lanes;
        double blocks = (double)geom->n_blocks, mean = (double)n / blocks, sum = 0, sum2 = 0;
        double even = fb_pow(1 - fb_pow(1 - 1.0 / lane_bits, mean), lanes);
        for (uint64_t b = 0; b < geom->n_blocks; b++) {
            const uint8_t *block = filter.bytes + b * geom->block_bits / 8;
            double rate = block_rate(block, lanes, lane_bits / 8) / even;
            sum += rate;
            sum2 += rate * rate;
        }
        double value = sum / blocks, se = sqrt((sum2 / blocks - value * value) / blocks);
        double theory = fb_sbbf_fpr(n, geom->n_blocks, geom->block_bits, lanes) / even;
        double loads_p = poisson_p(loads, geom->n_blocks, mean);
        fb_find_normal(out, theory, value, se);
        out->p = fmin(1, 2 * fmin(loads_p, 2 * fb_normal_tail(fabs(value - theory) / se)));
        snprintf(out->remark, sizeof out->remark, "loads of %.1f on average; as Poisson, p = %.2g",
                 mean, loads_p);
    }
    free(loads);
    fb_filter_close(&filter);
    return err;
}

/* Standard deviation over mean of the block loads. */
static enum fb_err relative_spread(struct fb_bench *bench, const json_t *args, const char *key,
                                   double *spread, double *theory)
{
    struct fb_filter filter;
    uint64_t n = fb_arg_count(args, "n", 0);
    uint32_t *loads;
    double sum2 = 0;
    enum fb_err err = build_loads(bench, args, key, n, &filter, &loads);
    if (!err) {
        double blocks = (double)filter.geom.n_blocks, mean = (double)n / blocks;
        for (uint64_t b = 0; b < filter.geom.n_blocks; b++)
            sum2 += (loads[b] - mean) * (loads[b] - mean);
        *spread = sqrt(sum2 / blocks) / mean;
        *theory = 1 / sqrt(mean);
    }
    free(loads);
    fb_filter_close(&filter);
    return err;
}

static enum fb_err load_spread(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    double a, b, theory_a, theory_b;
    enum fb_err err = relative_spread(bench, args, "a", &a, &theory_a);
    if (!err)
        err = relative_spread(bench, args, "b", &b, &theory_b);
    if (err)
        return err;
    fb_find_exact(out, theory_a / theory_b, a / b);
    out->tolerance = 0.02 * theory_a / theory_b;
    snprintf(out->remark, sizeof out->remark, "%.1f %% against %.1f %% of the mean load", 100 * a,
             100 * b);
    return FB_OK;
}

const struct fb_procedure fb_judge_loads[] = {
    {"block-loads", uneven_loads},
    {"load-spread", load_spread},
    {0},
};

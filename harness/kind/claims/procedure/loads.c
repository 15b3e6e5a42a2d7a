/* Procedures: how keys spread over the blocks of a filter, and what that does to its rate. No
 * kind looks into blocks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/procedure.h"

/* A filter of random keys and how many of them each of its blocks has, by their digests. */
struct loaded {
    struct fb_filter filter;
    double mean;     /* keys of a block */
    uint32_t *loads; /* [filter.geom.n_blocks] */
};

static void loaded_close(struct loaded *l)
{
    fb_filter_close(&l->filter);
    free(l->loads);
}

static struct loaded loaded_open(struct fb_bench *bench, const json_t *args)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct loaded l = {.filter = fb_recipe_build(bench, &recipe, 0)};
    uint64_t n_blocks = l.filter.geom.n_blocks;
    uint64_t *digests = fb_bench_alloc(bench, recipe.n, sizeof *digests);
    bool scaled = fb_arg_is(args, "design", "sbbf-256");
    l.mean = (double)recipe.n / (double)n_blocks;
    l.loads = fb_bench_alloc(bench, n_blocks, sizeof *l.loads);
    fb_bench_digests(bench, recipe.design, 1, 0, 0, recipe.n, digests);
    /* The upper half of a digest, mod the blocks or scaled to them. */
    for (uint64_t i = 0; i < recipe.n && !bench->err; i++) {
        uint64_t high = fb_hi32(digests[i]);
        l.loads[scaled ? high * n_blocks >> 32 : high % n_blocks]++;
    }
    free(digests);
    return l;
}

/* Two-sided p of the loads against a Poisson law, loads 0..BINS-1 and the rest; bins that expect
 * fewer than ten blocks are merged with the next. */
static double poisson_p(const struct loaded *l)
{
    enum { BINS = 512 };
    const uint64_t n_blocks = l->filter.geom.n_blocks;
    double counts[BINS + 1] = {0}, chi2 = 0, observed = 0, expected = 0, cumulated = 0;
    int used = 0;
    for (uint64_t b = 0; b < n_blocks; b++)
        counts[l->loads[b] < BINS ? l->loads[b] : BINS]++;
    double log_p = -l->mean;
    for (int i = 0; i <= BINS; i++) {
        double p = i < BINS ? fb_exp(log_p) : 1 - cumulated;
        double left = (1 - cumulated - p) * (double)n_blocks;
        cumulated += p;
        expected += p * (double)n_blocks;
        observed += counts[i];
        log_p += fb_log(l->mean) - fb_log(i + 1);
        if (i < BINS ? expected >= 10 && left >= 10 : expected > 1) {
            chi2 += (observed - expected) * (observed - expected) / expected;
            observed = expected = 0;
            used++;
        }
    }
    return fb_p_chi2(chi2, used - 1);
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
FB_PROCEDURE(block_loads)
{
    struct loaded l = loaded_open(bench, args);
    const struct fb_geometry *geom = &l.filter.geom;
    unsigned lanes = (unsigned)fb_arg_count(args, "lanes", 8), lane_bits = geom->block_bits / lanes;
    double blocks = (double)geom->n_blocks, sum = 0, sum2 = 0;
    double even = fb_pow(1 - fb_pow(1 - 1.0 / lane_bits, l.mean), lanes);
    if (!bench->err) {
        for (uint64_t b = 0; b < geom->n_blocks; b++) {
            const uint8_t *block = l.filter.bytes + b * geom->block_bits / 8;
            double rate = block_rate(block, lanes, lane_bits / 8) / even;
            sum += rate;
            sum2 += rate * rate;
        }
        double value = sum / blocks, se = sqrt((sum2 / blocks - value * value) / blocks);
        double theory =
            fb_sbbf_fpr(l.filter.n_keys, geom->n_blocks, geom->block_bits, lanes) / even;
        double loads_p = poisson_p(&l);
        fb_find_normal(out, theory, value, se);
        out->p = fmin(1, 2 * fmin(loads_p, fb_p_normal((value - theory) / se)));
        fb_find_remark(out, "loads of %.1f on average; as Poisson, p = %.2g", l.mean, loads_p);
    }
    loaded_close(&l);
}

/* Standard deviation over mean of the block loads: by Poisson's law, and found. */
struct spread {
    double theory, measured;
    double relative_se; /* 1 / sqrt(2 blocks): loads are many enough to be normal */
};

static struct spread spread_of(struct fb_bench *bench, const json_t *args)
{
    struct loaded l = loaded_open(bench, args);
    double sum2 = 0, blocks = (double)l.filter.geom.n_blocks;
    for (uint64_t b = 0; b < l.filter.geom.n_blocks && !bench->err; b++)
        sum2 += (l.loads[b] - l.mean) * (l.loads[b] - l.mean);
    loaded_close(&l);
    return (struct spread){1 / sqrt(l.mean), sqrt(sum2 / blocks) / l.mean, 1 / sqrt(2 * blocks)};
}

/* The spread over that of the variant "over". */
FB_PROCEDURE(load_spread)
{
    json_auto_t *over = fb_arg_over(args);
    struct spread a = spread_of(bench, args), b = spread_of(bench, over);
    const double ratio = a.measured / b.measured;
    fb_find_normal(out, a.theory / b.theory, ratio, ratio * hypot(a.relative_se, b.relative_se));
    out->tolerance = 0.02 * a.theory / b.theory;
    fb_find_remark(out, "%.1f %% against %.1f %% of the mean load", 100 * a.measured,
                   100 * b.measured);
}

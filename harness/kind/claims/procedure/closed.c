/* Procedures: figures that formulas alone give, each computed in two ways. No kind measures a
 * formula. */
#include <math.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/procedure.h"

/* Keys at which formulas of so many keys stand for their limits. */
#define MANY_KEYS 1000000.0

enum { MOST_PROBES = 30 };

/* ---- Rates ---- */

static double classic_rate(double bits, unsigned k, bool limit)
{
    return limit ? fb_bloom_fpr_limit(bits, k)
                 : fb_bloom_fpr((uint64_t)MANY_KEYS, (uint64_t)(bits * MANY_KEYS), k);
}

static double blocked_rate(double bits, unsigned block_bits, unsigned k, bool limit)
{
    const uint64_t blocks = (uint64_t)rint(bits * MANY_KEYS / block_bits);
    return limit ? fb_blocked_fpr_limit(bits, block_bits, k)
                 : fb_blocked_fpr((uint64_t)MANY_KEYS, blocks, block_bits, k);
}

/* Of a classic filter with the best number of probes, *k. Rates fall with k, then rise. */
static double best_rate_of(double bits, bool limit, unsigned *k)
{
    double best = 1;
    for (unsigned i = 1; i <= MOST_PROBES; i++) {
        const double rate = classic_rate(bits, i, limit);
        if (rate > best)
            break;
        best = rate;
        *k = i;
    }
    return best;
}

/* Percent of a classic filter with the best number of probes. */
FB_PROCEDURE(best_rate)
{
    const double bits = fb_arg_number(args, "bits_per_key", 10);
    unsigned k = 0;
    const double theory = 100 * best_rate_of(bits, true, &k);
    fb_find_within(out, theory, 100 * best_rate_of(bits, false, &k), 1e-4 * theory);
    fb_find_remark(out, "%u probes", k);
}

/* Percent of blocks with k probes anywhere in them. */
FB_PROCEDURE(blocked_rate)
{
    const double bits = fb_arg_number(args, "bits_per_key", 10);
    const unsigned block_bits = (unsigned)fb_arg_count(args, "block_bits", 512),
                   k = (unsigned)fb_arg_count(args, "k", 6);
    const double theory = 100 * blocked_rate(bits, block_bits, k, true);
    fb_find_within(out, theory, 100 * blocked_rate(bits, block_bits, k, false), 1e-3 * theory);
}

/* Of Putze, Sanders and Singler: a filter of c bits per key has round(c ln 2) probes... */
static unsigned probes_of(double bits)
{
    return (unsigned)rint(bits * FB_LN2);
}

/* ... and its rate is a mixture of (1 - (1 - 1/B)^(ki))^k over the loads i of its blocks of B bits:
 * of a Poisson variable in the limit, of a binomial one at many keys. */
static double mixture_rate(double bits, double block_bits, bool limit)
{
    const double load = block_bits / bits, q = load / MANY_KEYS, k = probes_of(bits);
    double sum = 0, p = fb_exp(limit ? -load : MANY_KEYS * fb_log1p(-q));
    for (double i = 0; i < 20 * load + 100; i++) {
        sum += p * fb_pow(-fb_expm1(k * i * fb_log1p(-1 / block_bits)), k);
        p *= limit ? load / (i + 1) : (MANY_KEYS - i) / (i + 1) * q / (1 - q);
    }
    return sum;
}

static double fewest_blocked_bits(double classic, double block_bits, bool limit)
{
    const double rate = classic_rate(classic, probes_of(classic), limit);
    double bits = ceil(classic);
    while (bits < 8 * classic && mixture_rate(bits, block_bits, limit) > rate)
        bits++;
    return bits;
}

/* Fewest whole bits per key with which blocks reach the rate of a classic filter of so many. */
FB_PROCEDURE(blocked_bits)
{
    const double classic = fb_arg_number(args, "bits_per_key", 10);
    const double block_bits = fb_arg_number(args, "block_bits", 512);
    fb_find_exact(out, fewest_blocked_bits(classic, block_bits, true),
                  fewest_blocked_bits(classic, block_bits, false));
}

/* Keys at which hashes of 32 bits collide as often as the design's filter errs by itself. */
FB_PROCEDURE(hash_inflection)
{
    enum { HASH_BITS = 32 };
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    const double bits = recipe.params.bits_per_key;
    double low = 1, high = 0x1p32;
    struct fb_geometry geom = {0};
    while (high - low > 1 && !bench->err) {
        recipe.n = (uint64_t)((low + high) / 2);
        geom = fb_recipe_plan(bench, &recipe);
        const bool more = !bench->err && fb_hash_collision(recipe.n, HASH_BITS) >=
                                             recipe.design->fpr(&geom, recipe.n);
        *(more ? &high : &low) = (double)recipe.n;
    }
    if (bench->err)
        return;
    const double rate = fb_blocked_fpr_limit(bits, geom.block_bits, geom.probes);
    const double theory = -fb_log1p(-rate) * 0x1p32;
    fb_find_within(out, theory, high, 1e-3 * theory);
}

/* ---- Sizes ---- */

/* Percent that columns + 1 - s of them, of which the share s has a column less, are above the bound
 * of their rate 2^-(columns + 1) (1 + s). */
static double mixture_excess(double columns, double s)
{
    return 100 * ((columns + 1 - s) / (columns + 1 - fb_log1p(s) / FB_LN2) - 1);
}

/* The largest excess at rates from rate_to to rate_from: at the share where it is largest, or at
 * the first rate; and on a grid of rates. */
FB_PROCEDURE(mixed_columns)
{
    const double from = fb_arg_number(args, "rate_from", 0.5),
                 to = fb_arg_number(args, "rate_to", 0.001);
    double theory = 0, measured = 0;
    for (double c = floor(-fb_log(from) / FB_LN2); ldexp(1, -(int)c) > to; c++) {
        const double most = fmin(1, ldexp(from, (int)c + 1) - 1);
        double low = 0, high = most;
        while (high - low > 1e-9) {
            const double a = low + (high - low) / 3, b = high - (high - low) / 3;
            *(mixture_excess(c, a) < mixture_excess(c, b) ? &low : &high) =
                mixture_excess(c, a) < mixture_excess(c, b) ? a : b;
        }
        theory = fmax(theory, mixture_excess(c, low));
    }
    for (double rate = from; rate >= to; rate *= 0.9999) {
        const double bits = -fb_log(rate) / FB_LN2, c = floor(bits);
        const double s = ldexp(rate, (int)c + 1) - 1;
        measured = fmax(measured, 100 * ((c + 1 - s) / bits - 1));
    }
    fb_find_within(out, theory, measured, 1e-3);
}

/* The rate, in percent, below which (log2(1/f) + metadata_bits) / load is less than what a classic
 * filter takes. */
FB_PROCEDURE(cuckoo_crossing)
{
    const double metadata = fb_arg_number(args, "metadata_bits", 3),
                 load = fb_arg_number(args, "load", 0.95);
    double low = 1e-9, high = 0.9;
    while (high / low > 1 + 1e-12) {
        const double rate = sqrt(low * high);
        const bool less = (fb_bound_bits(rate) + metadata) / load < fb_bloom_bits(rate);
        *(less ? &low : &high) = rate;
    }
    const double bits = metadata / load / (1 / FB_LN2 - 1 / load);
    const double theory = 100 * fb_exp(-bits * FB_LN2);
    fb_find_within(out, theory, 100 * low, 1e-6 * theory);
}

/* Bits that each of the sorted entries of a bucket saves: of so many bits, all multisets of them
 * numbered in whole bits. Their number is a binomial coefficient, or counted value by value. */
FB_PROCEDURE(sorted_bucket_bits)
{
    enum { MOST = 16 };
    const uint64_t entries = fb_arg_count(args, "entries", 4), bits = fb_arg_count(args, "bits", 4);
    double binomial = 1, ways[MOST + 1] = {1};
    if (entries < 1 || entries > MOST || bits > MOST) {
        fb_bench_fail(bench, FB_EINVAL, "1 to 16 entries, of at most 16 bits");
        return;
    }
    const double values = ldexp(1, (int)bits);
    for (uint64_t i = 1; i <= entries; i++)
        binomial = binomial * (values - 1 + (double)i) / (double)i;
    for (double value = 0; value < values; value++)
        for (uint64_t i = 1; i <= entries; i++)
            ways[i] += ways[i - 1];
    const double all = (double)(entries * bits), n = (double)entries;
    fb_find_exact(out, (all - ceil(fb_log(rint(binomial)) / FB_LN2)) / n,
                  (all - ceil(fb_log(ways[entries]) / FB_LN2)) / n);
}

/* P(X >= count) of a Poisson variable of mean ln 2: a counter of a classic filter with the best
 * number of probes. By the series of the incomplete gamma function, and term by term. */
FB_PROCEDURE(counter_overflow)
{
    enum { TERMS = 60 };
    const uint64_t count = fb_arg_count(args, "count", 16);
    double log_term = -FB_LN2, series = 0, part = 1, sum = 0;
    for (uint64_t i = 1; i <= count; i++)
        log_term += fb_log(FB_LN2 / (double)i);
    for (uint64_t i = 0; i < TERMS; i++) {
        series += part;
        part *= FB_LN2 / (double)(count + 1 + i);
    }
    double term = 0.5; /* e^-ln 2 */
    for (uint64_t i = 1; i <= count + TERMS; i++) {
        term *= FB_LN2 / (double)i;
        sum += i >= count ? term : 0;
    }
    const double theory = fb_exp(log_term) * series;
    fb_find_within(out, theory, sum, 1e-9 * theory);
}

/* The least load, in percent, of tables of a power of two of buckets that double above most_load.
 */
FB_PROCEDURE(pow2_load)
{
    enum { OCTAVE = 1 << 16 };
    const double most = fb_arg_number(args, "most_load", 0.96),
                 entries = fb_arg_number(args, "entries", 4);
    double least = 1;
    for (double n = OCTAVE; n < 2 * OCTAVE; n++) {
        double slots = entries;
        while (n > most * slots)
            slots *= 2;
        least = fmin(least, n / slots);
    }
    fb_find_within(out, 100 * most / 2, 100 * least, 0.01);
}

/* ---- Trees ---- */

/* Rates of Monkey's levels follow from that of the last: it, and a ratio-th of it for each level
 * before. Their sum, and the bits of a key in the mean over all; rates above 1 take none. */
static double monkey_bits(double last, double ratio, uint64_t levels, double *sum)
{
    double bits = 0, keys = 0, share = 1, rate = last;
    *sum = 0;
    for (uint64_t i = 0; i < levels; i++, share /= ratio, rate /= ratio) {
        bits += share * fb_bloom_bits(fmin(rate, 1 - 1e-15));
        keys += share;
        *sum += fmin(rate, 1);
    }
    return bits / keys;
}

/* Percent of the false reads that Monkey's split of the same bits spares a tree of levels that grow
 * by the ratio: in closed form, where no rate is above 1, and by bisection. */
static struct fb_pair monkey_spares(double bits, double ratio, uint64_t levels)
{
    const double uniform = (double)levels * fb_exp(-bits * FB_LN2 * FB_LN2);
    double below = 0, keys = 0, share = 1, low = 1e-12, high = 1, sum = 0;
    for (uint64_t i = 0; i < levels; i++, share /= ratio) {
        below += share * (double)i;
        keys += share;
    }
    const double last = fb_exp(-bits * FB_LN2 * FB_LN2 + fb_log(ratio) * below / keys);
    const double closed = last * (1 - fb_pow(1 / ratio, (double)levels)) / (1 - 1 / ratio);
    while (high / low > 1 + 1e-12) {
        const double rate = sqrt(low * high);
        *(monkey_bits(rate, ratio, levels, &sum) > bits ? &low : &high) = rate;
    }
    return (struct fb_pair){100 * (1 - closed / uniform), 100 * (1 - sum / uniform)};
}

/* Of several numbers of levels the one farthest from the number `from`. */
FB_PROCEDURE(monkey_gain)
{
    const double from = fb_arg_number(args, "from", 0);
    struct fb_pair chosen = {from, from};
    FB_EACH_AT(i, levels, json_object_get(args, "levels")) {
        const struct fb_pair one =
            monkey_spares(fb_arg_number(args, "bits_per_key", 10), fb_arg_number(args, "ratio", 10),
                          (uint64_t)json_integer_value(levels));
        if (fabs(one.theory - from) > fabs(chosen.theory - from))
            chosen = one;
        fb_find_remark(out, "%s%.3g %% at %lld levels", i ? ", " : "", one.measured,
                       (long long)json_integer_value(levels));
    }
    fb_find_within(out, chosen.theory, chosen.measured, 1e-6);
}

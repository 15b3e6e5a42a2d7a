/* Procedures: rules for k, identities between formulas, and arithmetic on printed numbers. */
#include <math.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/table.h"

enum { MOST_PROBES = 64 };

/* The rules in whole numbers, where the designs compute in doubles; all of them clamp. */
static uint64_t rule_probes(const char *rule, uint64_t bits)
{
    uint64_t k = !strcmp(rule, "ceil 0.693 b") ? (693 * bits + 999) / 1000 : 69 * bits / 100;
    return k < 1 ? 1 : k > 30 ? 30 : k;
}

/* Probes with the least rate at b bits per key. */
static unsigned best_probes(double bits)
{
    unsigned best = 1;
    for (unsigned k = 2; k <= MOST_PROBES; k++)
        if (fb_bloom_fpr_limit(bits, k) < fb_bloom_fpr_limit(bits, best))
            best = k;
    return best;
}

/* Least and most of some numbers of probes. */
struct range {
    double least, most;
};

static void include(struct range *range, uint64_t k)
{
    range->least = fmin(range->least, (double)k);
    range->most = fmax(range->most, (double)k);
}

/* k of a rule of the text against the design's own, from bits_per_key (1 where absent) to bits_to.
 * Reports the least k; as "range", the least and the most; as "off", how many settings have
 * another k than the best one. Every setting must follow the rule. */
static void k_rule(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct range rule = {INFINITY, 0}, own = {INFINITY, 0};
    uint64_t bits = fb_arg_count(args, "bits_per_key", 1),
             bits_to = fb_arg_count(args, "bits_to", bits);
    unsigned off_rule = 0, off_own = 0;
    bool followed = true;
    for (; bits <= bits_to; bits++) {
        recipe.params.bits_per_key = (double)bits;
        uint64_t best = best_probes((double)bits), k = fb_recipe_plan(bench, &recipe).probes,
                 ruled = rule_probes(fb_arg_text(args, "rule", ""), bits);
        include(&rule, ruled);
        include(&own, k);
        off_rule += ruled != best;
        off_own += k != best;
        followed &= k == ruled;
    }
    if (fb_arg_is(args, "as", "off"))
        fb_find_exact(out, off_rule, off_own);
    else
        fb_find_exact(out, rule.least, own.least);
    if (fb_arg_is(args, "as", "range"))
        fb_find_exact(out, rule.most, own.most);
    fb_find_require(out, followed);
}

/* The whole number of probes nearest to b ln 2 against the one with the least rate. */
static void best_k(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    double fpr = fb_arg_number(args, "fpr", 0), bits = fb_arg_number(args, "bits_per_key", 0);
    (void)bench;
    if (fpr > 0)
        bits = fb_bloom_bits(fpr);
    fb_find_exact(out, rint(bits * FB_LN2), best_probes(bits));
}

/* The four formulas of the fjall article, as printed there. */
static double printed_n(double m, double k, double p)
{
    return ceil(m / (-k / fb_log(1 - fb_exp(fb_log(p) / k))));
}

static double printed_p(double m, double n, double k)
{
    return fb_pow(1 - fb_exp(-k / (m / n)), k);
}

static double printed_m(double n, double p)
{
    return ceil(n * fb_log(p) / fb_log(1 / fb_pow(2, FB_LN2)));
}

static double printed_k(double m, double n)
{
    return rint(m / n * FB_LN2);
}

/* Points of a grid at which a formula of the article misses the identity it stands for. */
static void fjall_formula(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const char *which = fb_arg_text(args, "which", "");
    unsigned misses = 0;
    (void)bench;
    for (double n = 1000; n <= 1e7; n *= 10)
        for (double p = 0.2; p > 1e-7; p /= 3) {
            double m = printed_m(n, p), k = printed_k(m, n), rate = printed_p(m, n, k);
            if (!strcmp(which, "n"))
                misses += fabs(printed_n(m, k, rate) - n) > 1;
            else if (!strcmp(which, "p"))
                misses += fabs(rate / fb_bloom_fpr_limit(m / n, (unsigned)k) - 1) > 1e-9;
            else if (!strcmp(which, "m"))
                misses += fabs(m - n * fb_bloom_bits(p)) > 1;
            else
                misses +=
                    k != best_probes(m / n) && fabs(m / n * FB_LN2 - best_probes(m / n)) > 0.6;
        }
    fb_find_exact(out, 0, misses);
}

/* (a / b - 1) in percent of two printed numbers, theory in whole digits. */
static void relative_error(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    double a = NAN, b = NAN, half;
    if (!fb_printed_number(fb_arg_text(args, "measured", ""), &a, &half) ||
        !fb_printed_number(fb_arg_text(args, "expected", ""), &b, &half))
        fb_bench_fail(bench, FB_EINVAL, "two printed numbers are needed");
    fb_find_within(out, 100 * (rint(a * 1e4) - rint(b * 1e4)) / rint(b * 1e4), 100 * (a / b - 1),
                   1e-9);
}

/* Distance of two printed bit numbers in bytes: from the bits, and between the bytes they lie in.
 */
static void bit_distance(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    double from = fb_arg_number(args, "from", 0), to = fb_arg_number(args, "to", 0),
           unit = fb_arg_number(args, "unit_bytes", 1);
    (void)bench;
    fb_find_within(out, fabs(from - to) / 8 / unit, fabs(floor(from / 8) - floor(to / 8)) / unit,
                   1 / unit);
}

/* floor(2^32 / phi): in doubles, and as the largest x with x (x + 2^32) <= 2^64. */
static void golden_ratio(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    uint64_t low = 0, high = UINT64_C(1) << 32;
    (void)bench, (void)args;
    while (high - low > 1) {
        uint64_t x = low + (high - low) / 2;
        *((fb_u128)x * (x + (UINT64_C(1) << 32)) <= (fb_u128)1 << 64 ? &low : &high) = x;
    }
    fb_find_exact(out, floor(4294967296.0 / ((1 + sqrt(5)) / 2)), (double)low);
}

/* A filter small enough for paper: keys as lists of positions. */
static bool covered(const uint8_t *bits, const json_t *positions)
{
    size_t i;
    json_t *position;
    json_array_foreach(positions, i, position)
    {
        if (!fb_bit_lsb(bits, (uint64_t)json_integer_value(position)))
            return false;
    }
    return true;
}

static void toy_filter(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    uint8_t bits[8] = {0};
    uint64_t set = 0, n_bits = fb_arg_count(args, "bits", 16);
    size_t i, j;
    json_t *key, *position;
    bool right = true;
    if (!n_bits || n_bits > 64) {
        fb_bench_fail(bench, FB_EINVAL, "1 to 64 bits");
        return;
    }
    json_array_foreach(json_object_get(args, "insert"), i, key)
    {
        json_array_foreach(key, j, position)
        {
            uint64_t at = (uint64_t)json_integer_value(position) % n_bits;
            fb_set_bit_lsb(bits, at);
            set |= UINT64_C(1) << at;
        }
    }
    json_array_foreach(json_object_get(args, "insert"), i, key) right &= covered(bits, key);
    json_array_foreach(json_object_get(args, "absent"), i, key) right &= !covered(bits, key);
    json_array_foreach(json_object_get(args, "collide"), i, key) right &= covered(bits, key);
    for (uint64_t bit = 0, at = 0; bit < n_bits; bit++)
        if (set >> bit & 1 && out->n < FB_CLAIM_VALUES) {
            while (at < n_bits && !fb_bit_lsb(bits, at))
                at++;
            fb_find_exact(out, (double)bit, (double)at++);
        }
    fb_find_require(out, right);
}

const struct fb_procedure fb_formula_procedures[] = {
    {"k-rule", k_rule, FB_COUNTED},
    {"best-k", best_k, FB_COUNTED},
    {"fjall-formula", fjall_formula, FB_COUNTED},
    {"relative-error", relative_error, FB_COUNTED},
    {"bit-distance", bit_distance, FB_COUNTED},
    {"golden-ratio", golden_ratio, FB_COUNTED},
    {"toy-filter", toy_filter, FB_COUNTED},
    {0},
};

/* Procedures: rules for k, identities between formulas, and arithmetic on printed numbers. No
 * kind measures arithmetic. */
#include <math.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/procedure.h"

enum { MOST_PROBES = 64 };

/* The rules in whole numbers, where the designs compute in doubles; all of them clamp. */
static double rule_probes(const char *rule, uint64_t bits)
{
    uint64_t k = !strcmp(rule, "ceil 0.693 b") ? (693 * bits + 999) / 1000 : 69 * bits / 100;
    return fmin(fmax((double)k, 1), 30);
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

/* k of a rule of the text against the design's own, from bits_per_key (1 where absent) to bits_to.
 * Reports the least k; as "range", the least and the most; as "off", how many settings have
 * another k than the best one. Every setting must follow the rule. */
FB_PROCEDURE(k_rule)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_pair least = {INFINITY, INFINITY}, most = {0, 0};
    uint64_t bits = fb_arg_count(args, "bits_per_key", 1),
             bits_to = fb_arg_count(args, "bits_to", bits);
    unsigned off_rule = 0, off_own = 0;
    bool followed = true;
    for (; bits <= bits_to; bits++) {
        recipe.params.bits_per_key = (double)bits;
        double rule = rule_probes(fb_arg_text(args, "rule", ""), bits);
        double own = fb_recipe_plan(bench, &recipe).probes, best = best_probes((double)bits);
        least = (struct fb_pair){fmin(least.theory, rule), fmin(least.measured, own)};
        most = (struct fb_pair){fmax(most.theory, rule), fmax(most.measured, own)};
        off_rule += rule != best;
        off_own += own != best;
        followed &= own == rule;
    }
    if (fb_arg_is(args, "as", "off"))
        fb_find_exact(out, off_rule, off_own);
    else
        fb_find_exact(out, least.theory, least.measured);
    if (fb_arg_is(args, "as", "range"))
        fb_find_exact(out, most.theory, most.measured);
    fb_find_require(out, followed);
}

/* The whole number of probes nearest to b ln 2 against the one with the least rate. */
FB_PROCEDURE(best_k)
{
    double fpr = fb_arg_number(args, "fpr", 0), bits = fb_arg_number(args, "bits_per_key", 0);
    if (fpr > 0)
        bits = fb_bloom_bits(fpr);
    fb_find_exact(out, rint(bits * FB_LN2), best_probes(bits));
}

/* Points of a grid at which one of the four formulas of the fjall article, as printed there, misses
 * the identity it stands for. */
FB_PROCEDURE(fjall_formula)
{
    unsigned misses = 0;
    for (double n = 1000; n <= 1e7; n *= 10)
        for (double p = 0.2; p > 1e-7; p /= 3) {
            double m = ceil(n * fb_log(p) / fb_log(1 / fb_pow(2, FB_LN2)));
            double k = rint(m / n * FB_LN2), best = best_probes(m / n);
            double rate = fb_pow(1 - fb_exp(-k / (m / n)), k);
            double keys = ceil(m / (-k / fb_log(1 - fb_exp(fb_log(rate) / k))));
            if (fb_arg_is(args, "which", "n"))
                misses += fabs(keys - n) > 1;
            else if (fb_arg_is(args, "which", "p"))
                misses += fabs(rate / fb_bloom_fpr_limit(m / n, (unsigned)k) - 1) > 1e-9;
            else if (fb_arg_is(args, "which", "m"))
                misses += fabs(m - n * fb_bloom_bits(p)) > 1;
            else
                misses += k != best && fabs(m / n * FB_LN2 - best) > 0.6;
        }
    fb_find_exact(out, 0, misses);
}

/* Distance of two printed bit numbers in bytes: from the bits, and between the bytes they lie in.
 */
FB_PROCEDURE(bit_distance)
{
    double from = fb_arg_number(args, "from", 0), to = fb_arg_number(args, "to", 0),
           unit = fb_arg_number(args, "unit_bytes", 1);
    fb_find_within(out, fabs(from - to) / 8 / unit, fabs(floor(from / 8) - floor(to / 8)) / unit,
                   1 / unit);
}

/* floor(2^32 / phi): in doubles, and as the largest x with x (x + 2^32) <= 2^64. */
FB_PROCEDURE(golden_ratio)
{
    uint64_t low = 0, high = UINT64_C(1) << 32;
    while (high - low > 1) {
        uint64_t x = low + (high - low) / 2;
        *((fb_u128)x * (x + (UINT64_C(1) << 32)) <= (fb_u128)1 << 64 ? &low : &high) = x;
    }
    fb_find_exact(out, floor(4294967296.0 / ((1 + sqrt(5)) / 2)), (double)low);
}

/* The bits of a key that is given as a list of them, all below 64. */
static uint64_t mask_of(const json_t *positions)
{
    uint64_t mask = 0;
    FB_EACH(position, positions)
        mask |= UINT64_C(1) << json_integer_value(position);
    return mask;
}

/* A filter small enough for paper: the bits that its keys set; it has all keys of "insert" and of
 * "collide", and none of "absent". */
FB_PROCEDURE(toy_filter)
{
    const json_t *insert = json_object_get(args, "insert");
    uint8_t bytes[8] = {0};
    uint64_t set = 0;
    bool right = true;
    FB_EACH(key, insert) {
        FB_EACH(position, key)
            fb_set_bit_lsb(bytes, (uint64_t)json_integer_value(position));
        set |= mask_of(key);
    }
    const uint64_t unset = ~fb_le64(bytes);
    FB_EACH(key, insert)
        right &= !(mask_of(key) & unset);
    FB_EACH(key, json_object_get(args, "collide"))
        right &= !(mask_of(key) & unset);
    FB_EACH(key, json_object_get(args, "absent"))
        right &= (mask_of(key) & unset) != 0;
    for (uint64_t bit = 0, at = 0; bit < 64; bit++)
        if (set >> bit & 1) {
            while (at < 64 && !fb_bit_lsb(bytes, at))
                at++;
            fb_find_exact(out, (double)bit, (double)at++);
        }
    fb_find_require(out, right);
}

/* Procedures: bytes of filters and of their blocks, against the rules of the texts. */
#include <math.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/procedure.h"

/* Bytes that a rule predicts: of so many bits per key, at least `minimum` of them, between header
 * and trailer; of a rate; or of the next power of two of 512-bit blocks. */
static double predicted_bytes(const json_t *args, const struct fb_recipe *recipe)
{
    double n = (double)recipe->n, bits = n * recipe->params.bits_per_key, blocks = 1;
    double around = fb_arg_number(args, "header", 0) + fb_arg_number(args, "trailer", 0);
    if (fb_arg_is(args, "rule", "bits"))
        return around + ceil(fmax(fb_arg_number(args, "minimum", 0), bits) / 8);
    if (fb_arg_is(args, "rule", "rate"))
        return n * fb_bloom_bits(recipe->params.fpr) / 8;
    while (blocks < n * fb_sbbf_bits(recipe->params.fpr, 512, 8) / 512)
        blocks *= 2;
    return blocks * 64;
}

/* Of the array, or of the block in the native format. */
static double found_bytes(const json_t *args, const struct fb_filter *filter)
{
    bool block = filter->design && fb_arg_is(args, "part", "block");
    return (double)(block ? filter->design->formats->size(filter) : filter->geom.n_bytes);
}

static struct fb_pair bytes_of(struct fb_bench *bench, const json_t *args)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    /* Ten million keys need not be inserted to see the size; an empty filter of that capacity has
     * it. */
    struct fb_filter filter =
        recipe.n > 1000000 ? fb_recipe_empty(bench, &recipe) : fb_recipe_build(bench, &recipe, 0);
    struct fb_pair bytes = {predicted_bytes(args, &recipe), found_bytes(args, &filter)};
    fb_filter_close(&filter);
    return bytes;
}

/* Bytes of a built filter, or what the variant "over" takes more. */
FB_PROCEDURE(filter_bytes)
{
    double unit = fb_arg_number(args, "unit_bytes", 1), tolerance = 0;
    struct fb_pair found = bytes_of(bench, args);
    /* Sizes from a rate are real numbers rounded up to bytes, in single precision. */
    if (fb_arg_is(args, "rule", "rate"))
        tolerance = (1 + 1e-6 * found.theory) / unit;
    if (json_object_get(args, "over")) {
        json_t *over = fb_arg_over(args);
        struct fb_pair more = bytes_of(bench, over);
        found = (struct fb_pair){more.theory - found.theory, more.measured - found.measured};
        tolerance = 0;
        json_decref(over);
    }
    fb_find_within(out, found.theory / unit, found.measured / unit, tolerance);
}

/* Sizes that break the rule, over n = 1.. and several bits per key, none of them filled; or, as
 * "least bits", the least number of bits of them, where none breaks it. */
FB_PROCEDURE(size_rule)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_pair least = {INFINITY, INFINITY};
    uint64_t keys_to = fb_arg_count(args, "keys_to", 100);
    unsigned misses = 0;
    size_t i;
    json_t *bits;
    json_array_foreach(json_object_get(args, "bits"), i, bits) {
        recipe.params.bits_per_key = json_number_value(bits);
        for (recipe.n = 1; recipe.n <= keys_to; recipe.n++) {
            struct fb_filter filter = fb_recipe_empty(bench, &recipe);
            double rule = predicted_bytes(args, &recipe), found = found_bytes(args, &filter);
            misses += found != rule;
            least = (struct fb_pair){fmin(least.theory, rule), fmin(least.measured, found)};
            fb_filter_close(&filter);
        }
    }
    if (fb_arg_is(args, "as", "least bits")) {
        fb_find_exact(out, 8 * least.theory, 8 * least.measured);
        fb_find_require(out, !misses);
    } else {
        fb_find_exact(out, 0, misses);
    }
}

/* Sizes, over rates and numbers of keys, whose blocks are not the power of two that the formula of
 * the Parquet format, -8 n / ln(1 - e^(1/8)) bits, rounds up to. */
FB_PROCEDURE(rounded_blocks)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    const double keys_to = fb_arg_number(args, "keys_to", 1e6);
    unsigned off = 0, n = 0;
    size_t i;
    json_t *rate;
    json_array_foreach(json_object_get(args, "rates"), i, rate) {
        recipe.params.fpr = json_number_value(rate);
        for (double keys = 100; keys <= keys_to && !bench->err; keys *= 1.1, n++) {
            recipe.n = (uint64_t)keys;
            const struct fb_geometry geom = fb_recipe_plan(bench, &recipe);
            const double bits =
                -8 * (double)recipe.n / fb_log1p(-fb_pow(recipe.params.fpr, 1.0 / 8));
            uint64_t blocks = 1;
            while ((double)(blocks * geom.block_bits) < floor(bits))
                blocks *= 2;
            off += geom.n_blocks != blocks;
        }
    }
    fb_find_exact(out, 0, off);
    fb_find_remark(out, "%u sizes", n);
}

/* Procedures: bytes of filters and of their blocks, against the rules of the texts. */
#include <math.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/finding.h"
#include "harness/kind/claims/procedure/recipe.h"
#include "harness/kind/claims/procedure/table.h"
#include "workloads/core/rng.h"

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
    return (double)(fb_arg_is(args, "part", "block") ? filter->design->formats->size(filter)
                                                     : filter->geom.n_bytes);
}

static enum fb_err built_bytes(struct fb_bench *bench, const json_t *args, double *theory,
                               double *measured)
{
    struct fb_recipe recipe;
    struct fb_filter filter;
    enum fb_err err = fb_recipe_read(bench, args, &recipe);
    if (err)
        return err;
    /* Ten million keys need not be inserted to see the size; an empty filter of that capacity has
     * it. */
    err = recipe.n > 1000000 ? fb_recipe_empty(bench, &recipe, &filter)
                             : fb_recipe_build(bench, &recipe, 0, &filter);
    if (err)
        return err;
    *theory = predicted_bytes(args, &recipe);
    *measured = found_bytes(args, &filter);
    fb_filter_close(&filter);
    return FB_OK;
}

/* Bytes of a built filter, or what the variant "over" takes more. */
static enum fb_err filter_bytes(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    double unit = fb_arg_number(args, "unit_bytes", 1), theory, measured;
    enum fb_err err = built_bytes(bench, args, &theory, &measured);
    if (!err && json_object_get(args, "over")) {
        double less = theory, less_measured = measured;
        json_t *over = fb_arg_over(args);
        err = built_bytes(bench, over, &theory, &measured);
        theory -= less;
        measured -= less_measured;
        json_decref(over);
    }
    if (err)
        return err;
    /* Sizes from a rate are real numbers rounded up to bytes, in single precision. */
    fb_find_within(out, theory / unit, measured / unit,
                   fb_arg_is(args, "rule", "rate") ? (1 + 1e-6 * theory) / unit : 0);
    return FB_OK;
}

/* Sizes that break the rule, over n = 1.. and several bits per key, none of them filled; or, as
 * "least bits", the least number of bits of them, where none breaks it. */
static enum fb_err size_rule(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_recipe recipe;
    double least = INFINITY, least_rule = INFINITY;
    uint64_t keys_to = fb_arg_count(args, "keys_to", 100), misses = 0;
    size_t i;
    json_t *bits;
    enum fb_err err = fb_recipe_read(bench, args, &recipe);
    json_array_foreach(json_object_get(args, "bits"), i, bits)
    {
        recipe.params.bits_per_key = json_number_value(bits);
        for (recipe.n = 1; recipe.n <= keys_to && !err; recipe.n++) {
            struct fb_filter filter;
            err = fb_recipe_empty(bench, &recipe, &filter);
            if (err)
                break;
            double rule = predicted_bytes(args, &recipe), found = found_bytes(args, &filter);
            misses += found != rule;
            least = fmin(least, found);
            least_rule = fmin(least_rule, rule);
            fb_filter_close(&filter);
        }
    }
    if (fb_arg_is(args, "as", "least bits")) {
        fb_find_exact(out, 8 * least_rule, 8 * least);
        fb_find_require(out, !misses);
    } else {
        fb_find_exact(out, 0, (double)misses);
    }
    return err;
}

/* Bytes by which filters of short and of long keys differ. */
static enum fb_err key_length_bytes(struct fb_bench *bench, const json_t *args,
                                    struct fb_finding *out)
{
    struct fb_recipe recipe;
    double least = INFINITY, most = 0;
    size_t i;
    json_t *format;
    enum fb_err err = fb_recipe_read(bench, args, &recipe);
    json_array_foreach(json_object_get(args, "formats"), i, format)
    {
        struct fb_keygen keygen;
        struct fb_keyset set = {0};
        struct fb_filter filter = {0};
        const char *why;
        if (!err && !fb_keygen_parse(json_string_value(format), &keygen, &why))
            err = fb_bench_fail(bench, FB_EINVAL, "%s", why);
        if (!err)
            err = fb_keyset_generate(&keygen, fb_stream_key(bench->root, FB_DOMAIN_KEYS, 0), 0,
                                     recipe.n, &set);
        if (!err)
            err = fb_recipe_build_of(bench, &recipe, &set.keys, &filter);
        least = fmin(least, (double)filter.geom.n_bytes);
        most = fmax(most, (double)filter.geom.n_bytes);
        fb_filter_close(&filter);
        fb_keyset_close(&set);
    }
    fb_find_exact(out, 0, most - least);
    return err;
}

const struct fb_procedure fb_bytes_procedures[] = {
    {"filter-bytes", filter_bytes, FB_COUNTED},
    {"size-rule", size_rule, FB_COUNTED},
    {"key-length-bytes", key_length_bytes, FB_COUNTED},
    {0},
};

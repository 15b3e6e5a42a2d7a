/* Procedures: sizes of more filters, or of more keys, than anybody wants to build: as they are
 * planned. */
#include <math.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/procedure.h"

enum { RIBBON_BLOCK = 128 };

/* Bits per key, or as "slots" those of Ribbon. */
static double planned(struct fb_bench *bench, const json_t *args, bool slots)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    const struct fb_geometry geom = fb_recipe_plan(bench, &recipe);
    const char *const *own = bench->err ? NULL : recipe.design->own;
    double units = (double)geom.n_bits;
    for (size_t i = 0; slots && own && own[i]; i++)
        if (!strcmp(own[i], "blocks"))
            units = (double)geom.own[i] * RIBBON_BLOCK;
    return units / (double)recipe.n;
}

/* Of the numbers of keys `ns`, or of one, the size farthest from the number `from`; beside a
 * variant "over" by how many percent it is less. */
FB_PROCEDURE(planned_size)
{
    const json_t *ns = json_object_get(args, "ns"), *over = json_object_get(args, "over");
    const double from = fb_arg_number(args, "from", 0);
    double farthest = from;
    json_auto_t *one = json_deep_copy(args);
    for (size_t i = 0; (i == 0 || i < json_array_size(ns)) && !bench->err; i++) {
        if (ns)
            json_object_set(one, "n", json_array_get(ns, i));
        double size = planned(bench, one, fb_arg_is(args, "as", "slots"));
        if (over) {
            json_auto_t *other = fb_arg_over(one);
            size = 100 * (1 - size / planned(bench, other, false));
        }
        if (fabs(size - from) > fabs(farthest - from))
            farthest = size;
    }
    fb_find_exact(out, farthest, farthest);
}

/* The least number of keys from which on, up to n_to, the filter is smaller than the variant's. */
FB_PROCEDURE(least_keys)
{
    const uint64_t last = fb_arg_count(args, "n_to", 0);
    uint64_t n = fb_arg_count(args, "n_from", 1), least = n;
    json_auto_t *one = json_deep_copy(args);
    for (; n <= last && !bench->err; n++) {
        json_object_set_new(one, "n", json_integer((json_int_t)n));
        json_auto_t *over = fb_arg_over(one);
        if (planned(bench, one, false) >= planned(bench, over, false))
            least = n + 1;
    }
    fb_find_exact(out, (double)least, (double)least);
}

/* Blocks in the native format, over n = 1.. and several bits per key, that have not ceil(n b / 8)
 * bytes, at least 8, and one more; none of them is filled. */
FB_PROCEDURE(size_rule)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    const uint64_t keys_to = fb_arg_count(args, "keys_to", 100);
    unsigned misses = 0;
    FB_EACH(bits, json_object_get(args, "bits")) {
        recipe.params.bits_per_key = json_number_value(bits);
        for (recipe.n = 1; recipe.n <= keys_to && !bench->err; recipe.n++) {
            struct fb_filter filter = fb_recipe_empty(bench, &recipe);
            const double bytes =
                fmax(8, ceil((double)recipe.n * recipe.params.bits_per_key / 8)) + 1;
            misses += bench->err || (double)filter.design->formats->size(&filter) != bytes;
            fb_filter_close(&filter);
        }
    }
    fb_find_exact(out, 0, misses);
}

/* Sizes, over rates and numbers of keys, whose blocks are not the power of two that the formula of
 * the Parquet format, -8 n / ln(1 - e^(1/8)) bits, rounds up to. */
FB_PROCEDURE(rounded_blocks)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    const double keys_to = fb_arg_number(args, "keys_to", 1e6);
    unsigned off = 0, n = 0;
    FB_EACH(rate, json_object_get(args, "rates")) {
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

#include "harness/kind/claims/procedure/recipe.h"

#include <string.h>

enum fb_err fb_recipe_read(struct fb_bench *bench, const json_t *args, struct fb_recipe *out)
{
    out->params = fb_arg_params(args);
    out->n = fb_arg_count(args, "n", 1000);
    return fb_arg_design(bench, args, "design", &out->design);
}

static enum fb_err fail(struct fb_bench *bench, const struct fb_recipe *recipe, enum fb_err err,
                        const char *why)
{
    return fb_bench_fail(bench, err, "%s: %s", recipe->design->name, why ? why : fb_err_text(err));
}

enum fb_err fb_recipe_plan(struct fb_bench *bench, const struct fb_recipe *recipe,
                           struct fb_geometry *out)
{
    const char *why = NULL;
    memset(out, 0, sizeof *out);
    enum fb_err err = fb_design_plan(recipe->design, &recipe->params, recipe->n, out, &why);
    return err ? fail(bench, recipe, err, why) : FB_OK;
}

enum fb_err fb_recipe_build_of(struct fb_bench *bench, const struct fb_recipe *recipe,
                               const struct fb_keys *keys, struct fb_filter *out)
{
    const char *why = NULL;
    enum fb_err err = fb_filter_build(recipe->design, NULL, &recipe->params, keys, out, &why);
    return err ? fail(bench, recipe, err, why) : FB_OK;
}

enum fb_err fb_recipe_empty(struct fb_bench *bench, const struct fb_recipe *recipe,
                            struct fb_filter *out)
{
    static const uint64_t offset[1] = {0};
    struct fb_recipe sized = *recipe;
    sized.params.capacity = recipe->n;
    return fb_recipe_build_of(bench, &sized, &(struct fb_keys){.offset = offset}, out);
}

enum fb_err fb_recipe_build(struct fb_bench *bench, const struct fb_recipe *recipe, uint64_t stream,
                            struct fb_filter *out)
{
    struct fb_keyset set = {0};
    memset(out, 0, sizeof *out);
    enum fb_err err = fb_bench_keys(bench, stream, 0, recipe->n, &set);
    if (!err)
        err = fb_recipe_build_of(bench, recipe, &set.keys, out);
    fb_keyset_close(&set);
    return err;
}

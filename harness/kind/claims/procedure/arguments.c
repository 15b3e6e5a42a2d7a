#include "harness/kind/claims/procedure/procedure.h"

#include <stdlib.h>
#include <string.h>

double fb_arg_number(const json_t *args, const char *key, double otherwise)
{
    const json_t *value = json_object_get(args, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

uint64_t fb_arg_count(const json_t *args, const char *key, uint64_t otherwise)
{
    const json_t *value = json_object_get(args, key);
    return json_is_integer(value) ? (uint64_t)json_integer_value(value) : otherwise;
}

const char *fb_arg_text(const json_t *args, const char *key, const char *otherwise)
{
    const char *value = json_string_value(json_object_get(args, key));
    return value ? value : otherwise;
}

uint64_t fb_arg_hex(const json_t *args, const char *key)
{
    return strtoull(fb_arg_text(args, key, "0"), NULL, 16);
}

bool fb_arg_is(const json_t *args, const char *key, const char *text)
{
    return !strcmp(fb_arg_text(args, key, ""), text);
}

const struct fb_design *fb_arg_design(struct fb_bench *bench, const json_t *args)
{
    const char *name = fb_arg_text(args, "design", "");
    const struct fb_design *design = fb_design_find(name);
    fb_bench_check(bench, design ? FB_OK : FB_EINVAL, name, "no such design");
    return design;
}

struct fb_params fb_arg_params(const json_t *args)
{
    return (struct fb_params){.bits_per_key = fb_arg_number(args, "bits_per_key", 0),
                              .fpr = fb_arg_number(args, "fpr", 0),
                              .probes = (uint32_t)fb_arg_count(args, "k", 0)};
}

json_t *fb_arg_over(const json_t *args)
{
    json_t *over = json_deep_copy(args);
    json_object_update_recursive(over, json_object_get(args, "over"));
    return over;
}

struct fb_recipe fb_arg_recipe(struct fb_bench *bench, const json_t *args)
{
    return (struct fb_recipe){fb_arg_design(bench, args), fb_arg_params(args),
                              fb_arg_count(args, "n", 1000), fb_arg_text(args, "keys", "random")};
}

/* Whether there is something to plan. */
static bool designed(struct fb_bench *bench, const struct fb_recipe *recipe)
{
    if (!recipe->design)
        fb_bench_fail(bench, FB_EINVAL, "no such design");
    return !bench->err;
}

struct fb_geometry fb_recipe_plan(struct fb_bench *bench, const struct fb_recipe *recipe)
{
    struct fb_geometry geom = {0};
    const char *why = NULL;
    if (designed(bench, recipe)) {
        enum fb_err err = fb_design_plan(recipe->design, &recipe->params, recipe->n, &geom, &why);
        fb_bench_check(bench, err, recipe->design->name, why);
    }
    return geom;
}

static struct fb_filter build_of(struct fb_bench *bench, const struct fb_recipe *recipe,
                                 const struct fb_keys *keys)
{
    struct fb_filter filter = {0};
    const char *why = NULL;
    if (designed(bench, recipe)) {
        enum fb_err err =
            fb_filter_build(recipe->design, NULL, &recipe->params, keys, &filter, &why);
        fb_bench_check(bench, err, recipe->design->name, why);
    }
    return filter;
}

struct fb_filter fb_recipe_empty(struct fb_bench *bench, const struct fb_recipe *recipe)
{
    static const uint64_t offset[1] = {0};
    const struct fb_keys none = {.offset = offset};
    struct fb_recipe sized = *recipe;
    sized.params.capacity = recipe->n;
    return build_of(bench, &sized, &none);
}

struct fb_filter fb_recipe_build(struct fb_bench *bench, const struct fb_recipe *recipe,
                                 uint64_t stream)
{
    struct fb_keyset set = fb_bench_keys(bench, recipe->keys, stream, 0, recipe->n);
    struct fb_filter filter = build_of(bench, recipe, &set.keys);
    fb_keyset_close(&set);
    return filter;
}

/* Procedures: answers that every design must give, asked of built filters. */
#include <stdlib.h>

#include "harness/kind/claims/procedure/recipe.h"
#include "harness/kind/claims/procedure/table.h"

/* Denials of keys by a filter that holds them, and by the filter read back from its block. */
static enum fb_err denials(const struct fb_filter *filter, const struct fb_keys *keys,
                           uint8_t *maybe, uint64_t *denied)
{
    const struct fb_format *format = filter->design->formats;
    struct fb_filter copy = {0};
    const char *why;
    size_t n_maybe;
    enum fb_err err = fb_filter_query_keys(filter, keys, maybe, &n_maybe);
    *denied += keys->n - n_maybe;
    if (err || !format || !format->read)
        return err;
    size_t size = (size_t)format->size(filter);
    uint8_t *block = malloc(size + 1);
    err = block ? FB_OK : FB_ENOMEM;
    if (!err) {
        format->write(filter, block);
        err = fb_filter_read(filter->design, format, block, size, &copy, &why);
    }
    if (!err)
        err = fb_filter_query_keys(&copy, keys, maybe, &n_maybe);
    *denied += keys->n - n_maybe;
    fb_filter_close(&copy);
    free(block);
    return err;
}

/* Keys that are answered otherwise by digest than by key. */
static enum fb_err contradictions(const struct fb_filter *filter, const struct fb_keys *keys,
                                  uint8_t *maybe, uint64_t *misses)
{
    size_t n_maybe;
    enum fb_err err = fb_filter_query_keys(filter, keys, maybe, &n_maybe);
    for (size_t i = 0; i < keys->n && !err; i++) {
        uint64_t digest[FB_MAX_PROBES];
        filter->design->digest(fb_key_at(keys, i), fb_key_len(keys, i), filter->geom.digest_words,
                               digest);
        *misses += filter->kernel->query(filter, digest) != maybe[i];
    }
    return err;
}

/* Keys first .. first + n_asked - 1 asked of filters of n keys, of the named designs or of every
 * design of the registry but the controls. */
static enum fb_err ask(struct fb_bench *bench, const json_t *args, uint64_t first, uint64_t n_asked,
                       enum fb_err (*wrong_of)(const struct fb_filter *, const struct fb_keys *,
                                               uint8_t *maybe, uint64_t *wrong),
                       struct fb_finding *out)
{
    const json_t *names = json_object_get(args, "designs");
    size_t n = json_array_size(names), total = n ? n : fb_n_designs();
    struct fb_recipe recipe = {.params = fb_arg_params(args), .n = fb_arg_count(args, "n", 10000)};
    struct fb_keyset asked = {0};
    uint8_t *maybe = malloc(n_asked);
    uint64_t wrong = 0;
    enum fb_err err = maybe ? fb_bench_keys(bench, 0, first, n_asked, &asked) : FB_ENOMEM;
    for (size_t i = 0; i < total && !err; i++) {
        struct fb_filter filter;
        const char *name = n ? json_string_value(json_array_get(names, i)) : fb_design_at(i)->name;
        recipe.design = fb_design_find(name);
        if (!recipe.design)
            err = fb_bench_fail(bench, FB_EINVAL, "no design '%s'", name);
        if (err || recipe.design->traits & FB_CONTROL)
            continue;
        err = fb_recipe_build(bench, &recipe, 0, &filter);
        if (!err)
            err = wrong_of(&filter, &asked.keys, maybe, &wrong);
        fb_filter_close(&filter);
    }
    fb_keyset_close(&asked);
    free(maybe);
    fb_find_exact(out, 0, (double)wrong);
    return err;
}

static enum fb_err false_negatives(struct fb_bench *bench, const json_t *args,
                                   struct fb_finding *out)
{
    enum fb_err err = ask(bench, args, 0, fb_arg_count(args, "n", 10000), denials, out);
    out->false_negatives = (uint64_t)out->measured[0];
    return err;
}

/* Half of n is among the keys asked. */
static enum fb_err digest_contract(struct fb_bench *bench, const json_t *args,
                                   struct fb_finding *out)
{
    return ask(bench, args, fb_arg_count(args, "n", 10000) / 2, fb_arg_count(args, "probes", 1000),
               contradictions, out);
}

const struct fb_procedure fb_answer_procedures[] = {
    {"false-negatives", false_negatives, FB_COUNTED},
    {"digest-contract", digest_contract, FB_COUNTED},
    {0},
};

/* Procedures: answers that every design must give, asked of built filters. Kinds count answers,
 * and keep none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/filter/bits_taken.h"
#include "harness/kind/claims/procedure/procedure.h"

/* Denials of keys by a filter that holds them. */
static uint64_t denied(struct fb_bench *bench, const struct fb_filter *filter,
                       const struct fb_keys *keys, uint8_t *maybe)
{
    size_t n_maybe = 0;
    if (!bench->err)
        fb_bench_check(bench, fb_filter_query_keys(filter, keys, maybe, &n_maybe),
                       filter->design->name, NULL);
    return keys->n - n_maybe;
}

/* The same, and by the filter read back from its block. */
static uint64_t denials(struct fb_bench *bench, const struct fb_filter *filter,
                        const struct fb_keys *keys, uint8_t *maybe)
{
    const struct fb_format *format = filter->design->formats;
    struct fb_filter copy = {0};
    const char *why = NULL;
    uint64_t n = denied(bench, filter, keys, maybe);
    if (!format || !format->read)
        return n;
    size_t size = (size_t)format->size(filter);
    uint8_t *block = fb_bench_alloc(bench, size, 1);
    if (block) {
        enum fb_err err = fb_filter_write(filter, format, block, &why);
        if (!err)
            err = fb_filter_read(filter->design, format, block, size, &copy, &why);
        fb_bench_check(bench, err, filter->design->name, why);
        n += denied(bench, &copy, keys, maybe);
    }
    fb_filter_close(&copy);
    free(block);
    return n;
}

/* Keys that are answered otherwise by digest than by key. */
static uint64_t contradictions(struct fb_bench *bench, const struct fb_filter *filter,
                               const struct fb_keys *keys, uint8_t *maybe)
{
    uint64_t n = 0;
    denied(bench, filter, keys, maybe);
    for (size_t i = 0; i < keys->n && !bench->err; i++) {
        uint64_t digest[FB_MAX_PROBES];
        filter->design->digest(fb_key_at(keys, i), fb_key_len(keys, i), filter->geom.digest_words,
                               digest);
        n += filter->kernel->query(filter, digest) != maybe[i];
    }
    return n;
}

/* Wrong answers to keys first .. first + n_asked - 1, by filters of n keys of the named designs, or
 * of every design of the registry but the controls; with more bits per key where it takes more. */
static uint64_t wrong_answers(struct fb_bench *bench, const json_t *args, uint64_t first,
                              uint64_t n_asked,
                              uint64_t (*wrong)(struct fb_bench *, const struct fb_filter *,
                                                const struct fb_keys *, uint8_t *maybe))
{
    const json_t *names = json_object_get(args, "designs");
    size_t n = json_array_size(names), total = n ? n : fb_n_designs();
    struct fb_recipe recipe = {
        .params = fb_arg_params(args), .n = fb_arg_count(args, "n", 10000), .keys = "random"};
    struct fb_keyset asked = fb_bench_keys(bench, "random", 0, first, n_asked);
    uint8_t *maybe = fb_bench_alloc(bench, n_asked, 1);
    const double bits = recipe.params.bits_per_key;
    uint64_t found = 0;
    for (size_t i = 0; i < total && !bench->err; i++) {
        const char *name = n ? json_string_value(json_array_get(names, i)) : fb_design_at(i)->name;
        recipe.design = fb_design_find(name);
        fb_bench_check(bench, recipe.design ? FB_OK : FB_EINVAL, name, "no such design");
        if (bench->err || recipe.design->traits & FB_CONTROL)
            continue;
        recipe.params.bits_per_key = fb_bits_taken(recipe.design, bits);
        struct fb_filter filter = fb_recipe_build(bench, &recipe, 0);
        if (!bench->err)
            found += wrong(bench, &filter, &asked.keys, maybe);
        fb_filter_close(&filter);
    }
    fb_keyset_close(&asked);
    free(maybe);
    return found;
}

FB_PROCEDURE(false_negatives)
{
    out->false_negatives = wrong_answers(bench, args, 0, fb_arg_count(args, "n", 10000), denials);
    fb_find_exact(out, 0, (double)out->false_negatives);
}

/* Half of n is among the keys asked. */
FB_PROCEDURE(digest_contract)
{
    uint64_t first = fb_arg_count(args, "n", 10000) / 2, n = fb_arg_count(args, "probes", 1000);
    fb_find_exact(out, 0, (double)wrong_answers(bench, args, first, n, contradictions));
}

/* Keys, of those that a filter holds besides the first, that it denies once the bits of the first
 * are cleared: at least one probe of theirs shares a bit with it. Theory takes probes for
 * independent: a key is denied but for the chance that none of its k is among the k cleared of m.
 */
FB_PROCEDURE(cleared_key)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_filter filter = fb_recipe_build(bench, &recipe, 0);
    struct fb_filter alone = fb_recipe_empty(bench, &recipe);
    const uint64_t rounds = fb_arg_count(args, "rounds", 100), others = recipe.n - 1;
    uint64_t *digests = fb_bench_alloc(bench, recipe.n * filter.geom.digest_words, sizeof *digests);
    uint8_t *before = fb_bench_alloc(bench, filter.geom.n_bytes, 1);
    const size_t words = filter.geom.digest_words;
    const double k = filter.geom.probes, m = (double)filter.geom.n_bits,
                 n = (double)rounds * (double)others, hit = -fb_expm1(k * fb_log1p(-k / m));
    uint64_t denied_keys = 0;
    if (!bench->err && (!filter.kernel->add_batch || rounds > recipe.n || others < 1))
        fb_bench_fail(bench, FB_EINVAL, "as many keys as rounds, two at least, added one by one");
    fb_bench_digests(bench, recipe.design, (unsigned)words, 0, 0, recipe.n, digests);
    if (!bench->err)
        memcpy(before, filter.bytes, filter.geom.n_bytes);
    for (uint64_t r = 0; r < rounds && !bench->err && bench->phase == FB_MEASURE; r++) {
        memset(alone.bytes, 0, alone.geom.n_bytes);
        alone.kernel->add_batch(&alone, digests + r * words, 1);
        for (uint64_t b = 0; b < filter.geom.n_bytes; b++)
            filter.bytes[b] = before[b] & (uint8_t)~alone.bytes[b];
        for (uint64_t i = 0; i < recipe.n; i++)
            denied_keys += i != r && !filter.kernel->query(&filter, digests + i * words);
    }
    fb_bench_facts(bench, (struct fb_fact[]){FB_FACT("denied", &denied_keys), {0}});
    const double x = bench->phase == FB_PREDICT ? n * hit : (double)denied_keys;
    const double each = (double)others, scale = each / n;
    fb_find_normal(out, each * hit, x * scale, sqrt(fmax(x, 1)) * scale);
    out->p = fb_p_normal((x - n * hit) / sqrt(n * hit));
    out->events = denied_keys;
    out->probes = (uint64_t)n;
    fb_find_remark(out, "clearing one of %llu keys denies %.3g others",
                   (unsigned long long)recipe.n, x * scale);
    fb_filter_close(&filter);
    fb_filter_close(&alone);
    free(digests);
    free(before);
}

/*
 * Procedures: filters over the prefixes of keys, beside filters over whole keys.
 *
 *     keys        a format; tables of n keys each, drawn at random from one key space
 *     prefix      as prefix.h says
 *     design, bits_per_key   of both filters, by the entries of each
 */
#include <math.h>
#include <stdlib.h>

#include "harness/kind/claims/procedure/table.h"
#include "harness/tree/prefix.h"
#include "workloads/core/keyspace.h"

struct prefix_args {
    struct fb_recipe recipe; /* of a table */
    struct fb_keyspace space;
    struct fb_prefix prefix;
    size_t tables;
};

static struct prefix_args read_args(struct fb_bench *bench, const json_t *args)
{
    struct prefix_args a = {.recipe = fb_arg_recipe(bench, args),
                            .tables = fb_arg_count(args, "tables", 1)};
    struct fb_keygen keygen;
    const char *why;
    if (!fb_keygen_parse(fb_arg_text(args, "keys", "norad"), &keygen, &why) ||
        !fb_prefix_parse(fb_arg_text(args, "prefix", "none"), false, &a.prefix, &why))
        fb_bench_fail(bench, FB_EINVAL, "%s", why);
    if (!a.recipe.n || !a.tables)
        fb_bench_fail(bench, FB_EINVAL, "a table and a key are needed");
    if (!bench->err)
        fb_keyspace_generate(&keygen, FB_ORDER_SHUFFLE, a.recipe.n * a.tables, bench->root,
                             &a.space);
    return a;
}

/* Keys of n arrivals from `first` on. */
static struct fb_keyset arrivals(struct fb_bench *bench, const struct fb_keyspace *space,
                                 uint64_t first, size_t n)
{
    struct fb_keyset keys = {0};
    uint8_t *key = fb_bench_alloc(bench, space->max_len, 1);
    if (!bench->err)
        fb_bench_check(bench, fb_keyset_alloc(n, n * space->max_len, false, &keys), "keys", NULL);
    for (size_t i = 0; i < n && !bench->err; i++) {
        size_t len = fb_keyspace_write(space, fb_keyspace_index(space, first + i), key);
        fb_keyset_push(&keys, key, len, FB_KEY_BYTES);
    }
    free(key);
    return keys;
}

/* What scans that start at the keys ask for, one after the other. */
static struct fb_keyset seeks(struct fb_bench *bench, const struct fb_prefix *prefix,
                              const struct fb_keys *keys)
{
    struct fb_keyset asked = {0};
    size_t len;
    if (!bench->err)
        fb_bench_check(bench, fb_keyset_alloc(keys->n, keys->n * prefix->len, false, &asked),
                       "keys", NULL);
    for (size_t i = 0; i < keys->n && !bench->err; i++)
        if (fb_prefix_seek(prefix, fb_key_len(keys, i), &len))
            fb_keyset_push(&asked, fb_key_at(keys, i), len, FB_KEY_BYTES);
    return asked;
}

struct table {
    struct fb_filter whole, prefix;
    struct fb_filter held; /* of the prefixes too, without false positives */
};

static void table_close(struct table *t)
{
    fb_filter_close(&t->whole);
    fb_filter_close(&t->prefix);
    fb_filter_close(&t->held);
}

/* Of the prefixes of keys. */
static struct fb_filter prefix_filter(struct fb_bench *bench, const struct prefix_args *a,
                                      const struct fb_design *design, const struct fb_keys *keys)
{
    struct fb_filter filter = {0};
    const char *why = NULL;
    if (bench->err)
        return filter;
    enum fb_err err =
        fb_prefix_filter(&a->prefix, design, NULL, &a->recipe.params, keys, &filter, &why);
    fb_bench_check(bench, err, design->name, why);
    if (!filter.design)
        fb_bench_fail(bench, FB_EINVAL, "no key has such a prefix");
    return filter;
}

static struct table table_open(struct fb_bench *bench, const struct prefix_args *a, size_t number)
{
    struct fb_keyset drawn = arrivals(bench, &a->space, number * a->recipe.n, a->recipe.n);
    struct fb_keyset keys = {0};
    size_t repeats;
    if (!bench->err)
        fb_bench_check(bench, fb_keyset_sorted(&drawn.keys, &keys, &repeats), "keys", NULL);
    struct table t = {.whole = fb_recipe_build_of(bench, &a->recipe, &keys.keys),
                      .prefix = prefix_filter(bench, a, a->recipe.design, &keys.keys),
                      .held = prefix_filter(bench, a, fb_design_find("exact"), &keys.keys)};
    fb_keyset_close(&drawn);
    fb_keyset_close(&keys);
    return t;
}

/* The rate that the design's formula gives a filter. */
static double model(const struct fb_filter *filter)
{
    return filter->design ? filter->design->fpr(&filter->geom, filter->n_keys) : 0;
}

/* How many of the keys pass. */
static double ask(struct fb_bench *bench, const struct fb_filter *filter,
                  const struct fb_keys *keys)
{
    uint8_t *maybe = fb_bench_alloc(bench, keys->n, 1);
    size_t passed = 0;
    if (maybe)
        fb_bench_check(bench, fb_filter_query_keys(filter, keys, maybe, &passed),
                       filter->design->name, NULL);
    free(maybe);
    return (double)passed;
}

/* Pass rate of absent keys: by prefix over by whole key. Theory: keys whose prefix is held pass,
 * the others as the filter's own rate has it. */
static void prefix_pass(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct prefix_args a = read_args(bench, args);
    struct table t = table_open(bench, &a, 0);
    size_t n = a.recipe.n * a.tables;
    struct fb_keyset absent = arrivals(bench, &a.space, n, n),
                     asked = seeks(bench, &a.prefix, &absent.keys);
    double n_whole = (double)n, n_prefix = (double)asked.keys.n;
    double whole = ask(bench, &t.whole, &absent.keys), prefix = ask(bench, &t.prefix, &asked.keys),
           share = ask(bench, &t.held, &asked.keys) / n_prefix;
    double theory = (share + (1 - share) * model(&t.prefix)) / model(&t.whole);
    double measured = prefix / n_prefix / (whole / n_whole);
    double se = measured / sqrt(fmax(whole, 1));
    fb_find_normal(out, theory, measured, se);
    /* Two in a hundred more, as one filter is fuller than another. */
    out->tolerance = fb_find_z() * se + 0.02 * theory;
    out->probes = n + asked.keys.n;
    out->events = (uint64_t)(whole + prefix);
    fb_find_remark(out,
                   "%.3g %% of absent keys pass by prefix, %.3g %% by whole key; the prefix filter "
                   "has %llu entries",
                   100 * prefix / n_prefix, 100 * whole / n_whole,
                   (unsigned long long)t.prefix.n_keys);
    fb_keyset_close(&absent);
    fb_keyset_close(&asked);
    table_close(&t);
}

/* Every prefix that any table could hold, each once: those of all tables and of as many absent
 * keys. */
static struct fb_keyset every_prefix(struct fb_bench *bench, const struct prefix_args *a)
{
    struct fb_keyset keys = arrivals(bench, &a->space, 0, 2 * a->recipe.n * a->tables),
                     asked = seeks(bench, &a->prefix, &keys.keys), prefixes = {0};
    size_t repeats;
    if (!bench->err)
        fb_bench_check(bench, fb_keyset_distinct(&asked.keys, &prefixes, &repeats), "keys", NULL);
    fb_keyset_close(&keys);
    fb_keyset_close(&asked);
    return prefixes;
}

/* Percent of (table, prefix) pairs whose filter says no. */
static void prefix_skip(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct prefix_args a = read_args(bench, args);
    struct fb_keyset prefixes = every_prefix(bench, &a);
    double n_passed = 0, n_held = 0, f = 0, tables = (double)a.tables;
    for (size_t i = 0; i < a.tables && !bench->err; i++) {
        struct table t = table_open(bench, &a, i);
        n_held += ask(bench, &t.held, &prefixes.keys);
        n_passed += ask(bench, &t.prefix, &prefixes.keys);
        f += model(&t.prefix) / tables;
        table_close(&t);
    }
    double pairs = (double)prefixes.keys.n * tables;
    double theory = 100 * (pairs - n_held) * (1 - f) / pairs;
    double skipped = 100 * (pairs - n_passed) / pairs;
    double wide = 100 * (fb_find_z() * sqrt(n_passed - n_held + 1) + 1) / pairs;
    fb_find_interval(out, theory, skipped, fmax(0, skipped - wide), skipped + wide);
    out->tolerance = 3 * wide;
    out->probes = (uint64_t)pairs;
    fb_find_remark(out,
                   "%zu prefixes; a table holds %.4g of them, so a scan of one finds it in %.4g %% "
                   "of the tables",
                   prefixes.keys.n, n_held / tables, 100 * n_held / pairs);
    fb_keyset_close(&prefixes);
}

const struct fb_procedure fb_prefix_procedures[] = {
    {"prefix-pass", prefix_pass, FB_COUNTED},
    {"prefix-skip", prefix_skip, FB_COUNTED},
    {0},
};

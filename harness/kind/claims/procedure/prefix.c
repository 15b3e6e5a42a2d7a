/*
 * Procedures: filters over the prefixes of keys, beside filters over whole keys.
 *
 *     keys        a format; tables of n keys each, drawn at random from one key space
 *     prefix      as prefix.h says
 *     design, bits_per_key   of both filters, by the entries of each
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/claims/procedure/finding.h"
#include "harness/kind/claims/procedure/recipe.h"
#include "harness/kind/claims/procedure/table.h"
#include "harness/tree/prefix.h"
#include "workloads/core/keyspace.h"

struct prefix_args {
    struct fb_recipe recipe; /* of a table */
    struct fb_keyspace space;
    struct fb_prefix prefix;
    size_t tables;
};

static enum fb_err read_args(struct fb_bench *bench, const json_t *args, struct prefix_args *out)
{
    struct fb_keygen keygen;
    const char *why;
    enum fb_err err = fb_recipe_read(bench, args, &out->recipe);
    if (err)
        return err;
    if (!fb_keygen_parse(fb_arg_text(args, "keys", "norad"), &keygen, &why) ||
        !fb_prefix_parse(fb_arg_text(args, "prefix", "none"), false, &out->prefix, &why))
        return fb_bench_fail(bench, FB_EINVAL, "%s", why);
    out->tables = fb_arg_count(args, "tables", 1);
    if (!out->recipe.n || !out->tables)
        return fb_bench_fail(bench, FB_EINVAL, "a table and a key are needed");
    fb_keyspace_generate(&keygen, FB_ORDER_SHUFFLE, out->recipe.n * out->tables, bench->root,
                         &out->space);
    return FB_OK;
}

/* Keys of n arrivals from `first` on. */
static enum fb_err arrivals(const struct fb_keyspace *space, uint64_t first, size_t n,
                            struct fb_keyset *out)
{
    uint8_t key[256];
    if (space->max_len > sizeof key)
        return FB_EINVAL;
    enum fb_err err = fb_keyset_alloc(n, n * space->max_len, false, out);
    for (size_t i = 0; i < n && !err; i++) {
        size_t len = fb_keyspace_write(space, fb_keyspace_index(space, first + i), key);
        fb_keyset_push(out, key, len, FB_KEY_BYTES);
    }
    return err;
}

/* What scans that start at the keys ask for, one after the other. */
static enum fb_err seeks(const struct fb_prefix *prefix, const struct fb_keys *keys,
                         struct fb_keyset *out)
{
    size_t len;
    enum fb_err err = fb_keyset_alloc(keys->n, keys->n * prefix->len, false, out);
    for (size_t i = 0; i < keys->n && !err; i++)
        if (fb_prefix_seek(prefix, fb_key_len(keys, i), &len))
            fb_keyset_push(out, fb_key_at(keys, i), len, FB_KEY_BYTES);
    return err;
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

static enum fb_err table_open(struct fb_bench *bench, const struct prefix_args *a, size_t number,
                              struct table *t)
{
    const char *why = NULL;
    const struct fb_params *params = &a->recipe.params;
    struct fb_keyset drawn = {0}, keys = {0};
    size_t repeats;
    memset(t, 0, sizeof *t);
    enum fb_err err = arrivals(&a->space, number * a->recipe.n, a->recipe.n, &drawn);
    if (!err)
        err = fb_keyset_sorted(&drawn.keys, &keys, &repeats);
    if (!err)
        err = fb_filter_build(a->recipe.design, NULL, params, &keys.keys, &t->whole, &why);
    if (!err)
        err = fb_prefix_filter(&a->prefix, a->recipe.design, NULL, params, &keys.keys, &t->prefix,
                               &why);
    if (!err)
        err = fb_prefix_filter(&a->prefix, fb_design_find("exact"), NULL, params, &keys.keys,
                               &t->held, &why);
    if (!err && !t->held.design) {
        why = "no key has such a prefix";
        err = FB_EINVAL;
    }
    fb_keyset_close(&drawn);
    fb_keyset_close(&keys);
    return err ? fb_bench_fail(bench, err, "%s", why ? why : fb_err_text(err)) : FB_OK;
}

/* The rate that the design's formula gives a filter. */
static double model(const struct fb_filter *filter)
{
    return filter->design->fpr(&filter->geom, filter->n_keys);
}

static enum fb_err ask(const struct fb_filter *filter, const struct fb_keys *keys, size_t *passed)
{
    uint8_t *maybe = malloc(keys->n + 1);
    enum fb_err err = maybe ? fb_filter_query_keys(filter, keys, maybe, passed) : FB_ENOMEM;
    free(maybe);
    return err;
}

/* Pass rate of absent keys: by prefix over by whole key. Theory: keys whose prefix is held pass,
 * the others as the filter's own rate has it. */
static enum fb_err prefix_pass(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct prefix_args a;
    struct table t;
    struct fb_keyset absent = {0}, asked = {0};
    size_t whole = 0, prefix = 0, held = 0;
    enum fb_err err = read_args(bench, args, &a);
    if (err)
        return err;
    size_t n = a.recipe.n * a.tables;
    err = table_open(bench, &a, 0, &t);
    if (!err)
        err = arrivals(&a.space, n, n, &absent);
    if (!err)
        err = seeks(&a.prefix, &absent.keys, &asked);
    if (!err)
        err = ask(&t.whole, &absent.keys, &whole);
    if (!err)
        err = ask(&t.prefix, &asked.keys, &prefix);
    if (!err)
        err = ask(&t.held, &asked.keys, &held);
    if (!err) {
        double n_whole = (double)n, n_prefix = (double)asked.keys.n;
        double share = (double)held / n_prefix;
        double theory = (share + (1 - share) * model(&t.prefix)) / model(&t.whole);
        double measured = (double)prefix / n_prefix / ((double)whole / n_whole);
        double se = measured / sqrt((double)(whole ? whole : 1));
        fb_find_normal(out, theory, measured, se);
        /* Two in a hundred more, as one filter is fuller than another. */
        out->tolerance = fb_find_z() * se + 0.02 * theory;
        out->probes = n + asked.keys.n;
        out->events = whole + prefix;
        fb_find_remark(out,
                       "%.3g %% of absent keys pass by prefix, %.3g %% by whole key; the prefix "
                       "filter has %llu entries",
                       100 * (double)prefix / n_prefix, 100 * (double)whole / n_whole,
                       (unsigned long long)t.prefix.n_keys);
    }
    fb_keyset_close(&absent);
    fb_keyset_close(&asked);
    table_close(&t);
    return err;
}

/* Every prefix that any table could hold, each once: those of all tables and of as many absent
 * keys. */
static enum fb_err every_prefix(const struct prefix_args *a, struct fb_keyset *out)
{
    struct fb_keyset keys = {0}, asked = {0};
    size_t repeats;
    enum fb_err err = arrivals(&a->space, 0, 2 * a->recipe.n * a->tables, &keys);
    if (!err)
        err = seeks(&a->prefix, &keys.keys, &asked);
    if (!err)
        err = fb_keyset_distinct(&asked.keys, out, &repeats);
    fb_keyset_close(&keys);
    fb_keyset_close(&asked);
    return err;
}

/* Percent of (table, prefix) pairs whose filter says no. */
static enum fb_err prefix_skip(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct prefix_args a;
    struct fb_keyset prefixes = {0};
    size_t n_passed = 0, n_held = 0;
    double f = 0;
    enum fb_err err = read_args(bench, args, &a);
    if (!err)
        err = every_prefix(&a, &prefixes);
    for (size_t i = 0; !err && i < a.tables; i++) {
        struct table t;
        size_t passed = 0, held = 0;
        err = table_open(bench, &a, i, &t);
        if (!err)
            err = ask(&t.held, &prefixes.keys, &held);
        if (!err)
            err = ask(&t.prefix, &prefixes.keys, &passed);
        n_held += held;
        n_passed += passed;
        if (!err)
            f += model(&t.prefix) / (double)a.tables;
        table_close(&t);
    }
    if (!err) {
        double pairs = (double)prefixes.keys.n * (double)a.tables;
        double theory = 100 * (pairs - (double)n_held) * (1 - f) / pairs;
        double skipped = 100 * (pairs - (double)n_passed) / pairs;
        double wide = 100 * (fb_find_z() * sqrt((double)(n_passed - n_held) + 1) + 1) / pairs;
        fb_find_interval(out, theory, skipped, fmax(0, skipped - wide), skipped + wide);
        out->tolerance = 3 * wide;
        out->probes = (uint64_t)pairs;
        fb_find_remark(out,
                       "%zu prefixes; a table holds %.4g of them, so a scan of one finds it in "
                       "%.4g %% of the tables",
                       prefixes.keys.n, (double)n_held / (double)a.tables,
                       100 * (double)n_held / pairs);
    }
    fb_keyset_close(&prefixes);
    return err;
}

const struct fb_procedure fb_prefix_procedures[] = {
    {"prefix-pass", prefix_pass, FB_COUNTED},
    {"prefix-skip", prefix_skip, FB_COUNTED},
    {0},
};

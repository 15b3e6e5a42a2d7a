/*
 * Procedures: filters over the prefixes of keys, fixed length, beside filters over whole keys.
 *
 *     keys        a format; tables of n keys each, drawn at random from one key space
 *     prefix      bytes
 *     design, bits_per_key   of both filters, by the entries of each
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge.h"
#include "workloads/core/keyspace.h"

enum { MOST_PREFIX = 16 };

struct table {
    struct fb_keyset keys, prefixes; /* prefixes: distinct */
    struct fb_filter whole, prefix;
};

static void table_close(struct table *t)
{
    fb_keyset_close(&t->keys);
    fb_keyset_close(&t->prefixes);
    fb_filter_close(&t->whole);
    fb_filter_close(&t->prefix);
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

static enum fb_err prefixes_of(const struct fb_keys *keys, size_t len, struct fb_keyset *out)
{
    struct fb_keyset all;
    size_t dropped;
    enum fb_err err = fb_keyset_alloc(keys->n, keys->n * len, false, &all);
    for (size_t i = 0; i < keys->n && !err; i++) {
        size_t n = fb_key_len(keys, i) < len ? fb_key_len(keys, i) : len;
        fb_keyset_push(&all, fb_key_at(keys, i), n, FB_KEY_BYTES);
    }
    if (!err)
        err = fb_keyset_distinct(&all.keys, out, &dropped);
    fb_keyset_close(&all);
    return err;
}

struct prefix_args {
    const struct fb_design *design;
    struct fb_params params;
    struct fb_keyspace space;
    size_t n, tables, prefix;
};

static enum fb_err read_args(struct fb_bench *bench, const json_t *args, struct prefix_args *out)
{
    struct fb_keygen keygen;
    const char *why;
    enum fb_err err = fb_arg_design(bench, args, "design", &out->design);
    if (err)
        return err;
    if (!fb_keygen_parse(fb_arg_text(args, "keys", "norad"), &keygen, &why))
        return fb_bench_fail(bench, FB_EINVAL, "%s", why);
    out->params = fb_arg_params(args);
    out->n = fb_arg_count(args, "n", 10000);
    out->tables = fb_arg_count(args, "tables", 1);
    out->prefix = fb_arg_count(args, "prefix", 3);
    if (out->prefix < 1 || out->prefix > MOST_PREFIX || !out->n || !out->tables)
        return fb_bench_fail(bench, FB_EINVAL, "prefixes have 1 to %d bytes", MOST_PREFIX);
    fb_keyspace_generate(&keygen, FB_ORDER_SHUFFLE, out->n * out->tables, bench->root, &out->space);
    return FB_OK;
}

static enum fb_err table_open(struct fb_bench *bench, const struct prefix_args *a, size_t number,
                              struct table *t)
{
    const char *why = NULL;
    memset(t, 0, sizeof *t);
    enum fb_err err = arrivals(&a->space, number * a->n, a->n, &t->keys);
    if (!err)
        err = prefixes_of(&t->keys.keys, a->prefix, &t->prefixes);
    if (!err)
        err = fb_filter_build(a->design, NULL, &a->params, &t->keys.keys, &t->whole, &why);
    if (!err)
        err = fb_filter_build(a->design, NULL, &a->params, &t->prefixes.keys, &t->prefix, &why);
    return err ? fb_bench_fail(bench, err, "%s", why ? why : fb_err_text(err)) : FB_OK;
}

static enum fb_err ask(const struct fb_filter *filter, const struct fb_keys *keys, size_t *passed)
{
    uint8_t *maybe = malloc(keys->n + 1);
    enum fb_err err = maybe ? fb_filter_query_keys(filter, keys, maybe, passed) : FB_ENOMEM;
    free(maybe);
    return err;
}

/* Of distinct prefixes, those that the table holds. */
static enum fb_err held(const struct table *t, const struct fb_keyset *asked, size_t *n)
{
    struct fb_keyset both, distinct = {0};
    size_t dropped = 0;
    const struct fb_keys *parts[2] = {&t->prefixes.keys, &asked->keys};
    uint64_t bytes = parts[0]->offset[parts[0]->n] + parts[1]->offset[parts[1]->n];
    enum fb_err err = fb_keyset_alloc(parts[0]->n + parts[1]->n, bytes, false, &both);
    for (size_t p = 0; p < 2 && !err; p++)
        for (size_t i = 0; i < parts[p]->n; i++)
            fb_keyset_push(&both, fb_key_at(parts[p], i), fb_key_len(parts[p], i), FB_KEY_BYTES);
    if (!err)
        err = fb_keyset_distinct(&both.keys, &distinct, &dropped);
    fb_keyset_close(&both);
    fb_keyset_close(&distinct);
    *n = dropped;
    return err;
}

/* Pass rate of absent keys: by prefix over by whole key. Theory: keys whose prefix is held pass,
 * the others as the filter's own rate has it. */
static enum fb_err prefix_pass(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct prefix_args a;
    struct table t = {0};
    struct fb_keyset absent = {0}, prefixes = {0};
    size_t whole = 0, prefix = 0, n_held = 0, n;
    enum fb_err err = read_args(bench, args, &a);
    if (err)
        return err;
    n = a.n * a.tables;
    err = table_open(bench, &a, 0, &t);
    if (!err)
        err = arrivals(&a.space, n, n, &absent);
    if (!err)
        err = ask(&t.whole, &absent.keys, &whole);
    /* Keys that share a prefix are asked once each: rates are those of keys, so ask key by key. */
    if (!err)
        err = fb_keyset_alloc(n, n * a.prefix, false, &prefixes);
    for (size_t i = 0; i < n && !err; i++)
        fb_keyset_push(&prefixes, fb_key_at(&absent.keys, i), a.prefix, FB_KEY_BYTES);
    if (!err)
        err = ask(&t.prefix, &prefixes.keys, &prefix);
    if (!err) {
        struct fb_keyset distinct = {0};
        size_t dropped;
        err = fb_keyset_distinct(&prefixes.keys, &distinct, &dropped);
        if (!err)
            err = held(&t, &distinct, &n_held);
        double share = (double)n_held / (double)(distinct.keys.n ? distinct.keys.n : 1);
        double f = a.design->fpr(&t.whole.geom, t.whole.n_keys),
               f_prefix = a.design->fpr(&t.prefix.geom, t.prefix.n_keys);
        double theory = (share + (1 - share) * f_prefix) / f;
        double measured = (double)prefix / (double)whole;
        double wide = 3.29 * measured / sqrt((double)(whole ? whole : 1));
        fb_find_interval(out, theory, measured, measured - wide, measured + wide);
        out->tolerance = wide + 0.02 * theory;
        out->probes = 2 * n;
        out->events = whole + prefix;
        snprintf(out->remark, sizeof out->remark,
                 "%.3g %% of absent keys pass by prefix, %.3g %% by whole key; the prefix filter "
                 "has %zu entries",
                 100 * (double)prefix / (double)n, 100 * (double)whole / (double)n,
                 t.prefixes.keys.n);
        fb_keyset_close(&distinct);
    }
    fb_keyset_close(&absent);
    fb_keyset_close(&prefixes);
    table_close(&t);
    return err;
}

/* Every prefix that any table could hold, each once: those of all tables and of as many absent
 * keys. Percent of (table, prefix) pairs whose filter says no. */
static enum fb_err prefix_skip(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct prefix_args a;
    struct fb_keyset universe = {0}, prefixes = {0};
    size_t skipped = 0, n_held = 0, false_positives = 0;
    double f = 0;
    enum fb_err err = read_args(bench, args, &a);
    if (err)
        return err;
    err = arrivals(&a.space, 0, 2 * a.n * a.tables, &universe);
    if (!err)
        err = prefixes_of(&universe.keys, a.prefix, &prefixes);
    for (size_t i = 0; i < a.tables && !err; i++) {
        struct table t;
        size_t passed = 0, here = 0;
        err = table_open(bench, &a, i, &t);
        if (!err)
            err = held(&t, &prefixes, &here);
        if (!err)
            err = ask(&t.prefix, &prefixes.keys, &passed);
        n_held += here;
        false_positives += passed - here;
        skipped += prefixes.keys.n - passed;
        if (!err)
            f += a.design->fpr(&t.prefix.geom, t.prefix.n_keys) / (double)a.tables;
        table_close(&t);
    }
    if (!err) {
        double pairs = (double)prefixes.keys.n * (double)a.tables;
        double absent = pairs - (double)n_held, theory = 100 * absent * (1 - f) / pairs;
        double wide = 100 * (3.29 * sqrt((double)false_positives + 1) + 1) / pairs;
        fb_find_interval(out, theory, 100 * (double)skipped / pairs,
                         fmax(0, 100 * (double)skipped / pairs - wide),
                         100 * (double)skipped / pairs + wide);
        out->tolerance = 3 * wide;
        out->probes = (uint64_t)pairs;
        snprintf(out->remark, sizeof out->remark,
                 "%zu prefixes; a table holds %.4g of them, so a scan of one finds it in %.4g %% "
                 "of the tables",
                 prefixes.keys.n, (double)n_held / (double)a.tables, 100 * (double)n_held / pairs);
    }
    fb_keyset_close(&universe);
    fb_keyset_close(&prefixes);
    return err;
}

const struct fb_procedure fb_judge_prefix[] = {
    {"prefix-pass", prefix_pass}, {"prefix-skip", prefix_skip}, {0}};

/*
 * Procedures: filters over the prefixes of keys, beside filters over whole keys. Theory counts the
 * keys of the whole space by their prefix; a table is a random part of the space. No table is asked
 * for it.
 *
 *     keys        a format; tables of n keys each, drawn at random from one key space
 *     prefix      as prefix.h says
 *     design, bits_per_key   of both filters, by the entries of each
 */
#include <math.h>
#include <stdlib.h>

#include "harness/kind/claims/procedure/procedure.h"
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
    if (a.prefix.len > sizeof(uint64_t))
        fb_bench_fail(bench, FB_EINVAL, "prefixes have at most 8 bytes");
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

/* ---- Theory ---- */

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* P(none of c given keys is among n of N drawn without repetition). 10 of 1000 miss 100 given ones
 * with 0.35. */
static double all_missed(double c, double n, double N)
{
    double p = 1;
    for (double i = 0; i < c; i++)
        p *= fmax(0, 1 - n / (N - i));
    return p;
}

/* The prefixes as numbers, ascending. */
static uint64_t *numbers_of(struct fb_bench *bench, const struct fb_keys *prefixes)
{
    uint64_t *number = fb_bench_alloc(bench, prefixes->n, sizeof *number);
    for (size_t i = 0; number && i < prefixes->n; i++)
        for (size_t b = 0; b < fb_key_len(prefixes, i); b++)
            number[i] = number[i] << 8 | fb_key_at(prefixes, i)[b];
    if (number)
        qsort(number, prefixes->n, sizeof *number, by_number);
    return number;
}

static struct fb_prefix_theory count_theory(struct fb_bench *bench, const struct prefix_args *a,
                                            const struct fb_keys *prefixes)
{
    struct fb_prefix_theory t = {0};
    const double N = (double)a->space.size, n = (double)a->recipe.n, asked = (double)prefixes->n;
    uint64_t *number = numbers_of(bench, prefixes);
    for (size_t i = 0, c = 0; number && i < prefixes->n; i += c) {
        for (c = 1; i + c < prefixes->n && number[i + c] == number[i];)
            c++;
        const double others = (double)c - 1;
        t.n_prefixes++;
        t.held += 1 - all_missed(others + 1, n, N);
        t.share += (others + 1) / asked * (1 - all_missed(others, n, N - 1));
    }
    free(number);
    struct fb_recipe held = a->recipe;
    held.n = (uint64_t)rint(t.held);
    const struct fb_geometry whole = fb_recipe_plan(bench, &a->recipe),
                             prefix = fb_recipe_plan(bench, &held);
    if (!bench->err) {
        t.whole = a->recipe.design->fpr(&whole, a->recipe.n);
        t.prefix = a->recipe.design->fpr(&prefix, held.n);
    }
    return t;
}

/* The prefix of every key of the space: of the keys of all tables, and of as many absent keys. */
static struct fb_keyset every_prefix(struct fb_bench *bench, const struct prefix_args *a)
{
    struct fb_keyset keys = arrivals(bench, &a->space, 0, a->space.size),
                     asked = seeks(bench, &a->prefix, &keys.keys);
    fb_keyset_close(&keys);
    return asked;
}

/* The theory of the row of these arguments. */
static struct fb_prefix_theory theory_of(struct fb_bench *bench, const json_t *args,
                                         const struct prefix_args *a)
{
    if (bench->prefixes.args != args) {
        struct fb_keyset prefixes = every_prefix(bench, a);
        bench->prefixes = count_theory(bench, a, &prefixes.keys);
        bench->prefixes.args = bench->err ? NULL : args;
        fb_keyset_close(&prefixes);
    }
    return bench->prefixes;
}

/* ---- Tables ---- */

struct table {
    struct fb_filter whole, prefix;
};

static void table_close(struct table *t)
{
    fb_filter_close(&t->whole);
    fb_filter_close(&t->prefix);
}

/* Of the prefixes of keys. */
static struct fb_filter prefix_filter(struct fb_bench *bench, const struct prefix_args *a,
                                      const struct fb_keys *keys)
{
    const struct fb_design *design = a->recipe.design;
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
                      .prefix = prefix_filter(bench, a, &keys.keys)};
    fb_keyset_close(&drawn);
    fb_keyset_close(&keys);
    return t;
}

/* What absent keys of one table came to. */
struct passed {
    uint64_t asked, by_whole, by_prefix, entries; /* asked by prefix; entries of its filter */
};

static void count_passed(struct fb_bench *bench, const struct prefix_args *a, uint64_t n,
                         struct passed *out)
{
    struct table table = table_open(bench, a, 0);
    struct fb_keyset absent = arrivals(bench, &a->space, n, n),
                     asked = seeks(bench, &a->prefix, &absent.keys);
    *out = (struct passed){asked.keys.n, fb_bench_ask(bench, &table.whole, &absent.keys),
                           fb_bench_ask(bench, &table.prefix, &asked.keys), table.prefix.n_keys};
    fb_keyset_close(&absent);
    fb_keyset_close(&asked);
    table_close(&table);
}

/* Pass rate of absent keys: by prefix over by whole key. Theory: keys whose prefix is held pass,
 * the others as the filter's own rate has it. */
FB_PROCEDURE(prefix_pass)
{
    struct prefix_args a = read_args(bench, args);
    const struct fb_prefix_theory t = theory_of(bench, args, &a);
    const uint64_t n_keys = a.recipe.n * a.tables;
    const double n = (double)n_keys, by_prefix = t.share + (1 - t.share) * t.prefix;
    double n_prefix = n, whole = n * t.whole, prefix = n * by_prefix;
    struct passed passed = {0};
    if (bench->phase == FB_MEASURE)
        count_passed(bench, &a, n_keys, &passed);
    fb_bench_facts(bench, (struct fb_fact[]){FB_FACT("asked_by_prefix", &passed.asked),
                                             FB_FACT("passed_by_whole", &passed.by_whole),
                                             FB_FACT("passed_by_prefix", &passed.by_prefix),
                                             FB_FACT("prefix_entries", &passed.entries),
                                             {0}});
    if (bench->phase != FB_PREDICT) {
        n_prefix = (double)passed.asked;
        whole = (double)passed.by_whole;
        prefix = (double)passed.by_prefix;
        out->probes = n_keys + passed.asked;
        out->events = passed.by_whole + passed.by_prefix;
        fb_find_remark(out,
                       "%.3g %% of absent keys pass by prefix, %.3g %% by whole key; the prefix "
                       "filter has %llu entries",
                       100 * prefix / n_prefix, 100 * whole / n,
                       (unsigned long long)passed.entries);
    }
    double theory = by_prefix / t.whole, measured = prefix / n_prefix / (whole / n);
    double se = measured / sqrt(fmax(whole, 1));
    fb_find_normal(out, theory, measured, se);
    /* Two in a hundred more, as one filter is fuller than another. */
    out->tolerance = fb_find_z() * se + 0.02 * theory;
}

/* Pairs of a table and a prefix whose filter says maybe. */
static uint64_t count_held(struct fb_bench *bench, const struct prefix_args *a)
{
    struct fb_keyset every = every_prefix(bench, a), prefixes = {0};
    uint64_t passed = 0;
    size_t repeats;
    if (!bench->err)
        fb_bench_check(bench, fb_keyset_distinct(&every.keys, &prefixes, &repeats), "keys", NULL);
    for (size_t i = 0; i < a->tables && !bench->err; i++) {
        struct table table = table_open(bench, a, i);
        passed += fb_bench_ask(bench, &table.prefix, &prefixes.keys);
        table_close(&table);
    }
    fb_keyset_close(&every);
    fb_keyset_close(&prefixes);
    return passed;
}

/* Percent of (table, prefix) pairs whose filter says no. */
FB_PROCEDURE(prefix_skip)
{
    struct prefix_args a = read_args(bench, args);
    const struct fb_prefix_theory t = theory_of(bench, args, &a);
    const double pairs = t.n_prefixes * (double)a.tables;
    const double expected = (t.n_prefixes - t.held) * (double)a.tables * (1 - t.prefix);
    uint64_t passed = 0;
    if (bench->phase == FB_MEASURE)
        passed = count_held(bench, &a);
    fb_bench_facts(bench, (struct fb_fact[]){FB_FACT("passed", &passed), {0}});
    if (bench->phase != FB_PREDICT)
        out->probes = (uint64_t)pairs;
    const double skipped = bench->phase == FB_PREDICT ? expected : pairs - (double)passed;
    double theory = 100 * expected / pairs, measured = 100 * skipped / pairs;
    double wide = 100 * (fb_find_z() * sqrt(expected + 1) + 1) / pairs;
    fb_find_interval(out, theory, measured, measured - wide, measured + wide);
    fb_find_clip(out, 0, 100);
    out->tolerance = 3 * wide;
    fb_find_remark(
        out,
        "%.0f prefixes; a table holds %.4g of them, so a scan of one finds it in %.4g %% "
        "of the tables",
        t.n_prefixes, t.held, 100 * t.held / t.n_prefixes);
}

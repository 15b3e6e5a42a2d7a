#include "harness/kind/claims/procedure/cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Most probes of a row, and most keys of a filter. */
static const struct {
    uint64_t probes, keys;
} caps[] = {
    [FB_QUICK] = {500000, 300000},
    [FB_DEFAULT] = {10000000, 1000000},
    [FB_FULL] = {UINT64_MAX, UINT64_MAX},
};

/*
 * Key sets: the first gives the rate. A full run also holds each of the others against the model,
 * on its own: pooled, a hash that one set defeats would hide in the others. They do not depend on
 * the root, so a second root has nothing to repeat there.
 */
static const char *const key_sets[] = {"random", "sequential", "dec6"};
enum { N_KEY_SETS = sizeof key_sets / sizeof *key_sets };
#define STRUCTURED_PROBES UINT64_C(10000000)

struct fb_counted_cell {
    struct fb_fpr_cell cell;
    struct fb_rate_counts counts;
};

/* Under one root. */
static bool same(const struct fb_fpr_cell *x, const struct fb_fpr_cell *y)
{
    return x->design == y->design && x->hash == y->hash && x->keygen == y->keygen &&
           x->n_keys == y->n_keys && x->filters == y->filters &&
           x->probes_per_filter == y->probes_per_filter &&
           x->params.bits_per_key == y->params.bits_per_key && x->params.fpr == y->params.fpr &&
           x->params.probes == y->params.probes;
}

static struct fb_rate_counts count(struct fb_bench *bench, const struct fb_fpr_cell *cell)
{
    struct fb_rate_counts out = {0};
    struct fb_fpr_counts counts = {0};
    const char *why = NULL;
    bool complete = false;
    if (bench->err)
        return out;
    enum fb_err err = fb_fpr_measure(cell, bench->threads, &counts, &complete, &why);
    fb_bench_check(bench, err, cell->design->name, why);
    if (!err && !complete)
        fb_bench_interrupt(bench);
    for (size_t i = 0; complete && i < counts.filters; i++) {
        out.events += counts.events[i];
        out.squares += counts.events[i] * counts.events[i];
    }
    out.false_negatives = counts.false_negatives;
    out.model_events = counts.model_events;
    out.model_squares = counts.model_squares;
    fb_fpr_counts_close(&counts);
    return out;
}

static const struct fb_counted_cell *find(const struct fb_bench *bench,
                                          const struct fb_fpr_cell *cell)
{
    for (size_t i = 0; i < bench->n_cells; i++)
        if (same(&bench->cells[i].cell, cell))
            return &bench->cells[i];
    return NULL;
}

/* Counted before, counted here, or a document's, which must say the same of a cell wherever it has
 * it. */
static struct fb_rate known_or_counted(struct fb_bench *bench, const struct fb_fpr_cell *cell)
{
    const struct fb_counted_cell *known = find(bench, cell);
    struct fb_rate_counts counts = known                        ? known->counts
                                   : bench->phase == FB_MEASURE ? count(bench, cell)
                                                                : (struct fb_rate_counts){0};
    fb_bench_facts(bench, (struct fb_fact[]){FB_FACT("events", &counts.events),
                                             FB_FACT("squares", &counts.squares),
                                             FB_FACT("false_negatives", &counts.false_negatives),
                                             FB_FACT("model_events", &counts.model_events),
                                             FB_FACT("model_squares", &counts.model_squares),
                                             {0}});
    if (known && memcmp(&counts, &known->counts, sizeof counts) != 0)
        fb_bench_fail(bench, FB_EINVAL, "facts: another row counted other events of this cell");
    if (!known && !bench->err) {
        struct fb_counted_cell *grown = realloc(bench->cells, (bench->n_cells + 1) * sizeof *grown);
        fb_bench_check(bench, grown ? FB_OK : FB_ENOMEM, "cells", NULL);
        if (grown) {
            bench->cells = grown;
            grown[bench->n_cells++] = (struct fb_counted_cell){*cell, counts};
        }
    }
    return fb_cell_judge(bench, cell, &counts);
}

/* Holds the structured key sets against the model too: their p and false negatives join the cell's,
 * the rate stays that of random keys. */
static void test_structured(struct fb_bench *bench, struct fb_fpr_cell cell, struct fb_rate *out)
{
    uint64_t most = STRUCTURED_PROBES / cell.filters;
    if (cell.probes_per_filter > most)
        cell.probes_per_filter = most;
    double least = out->p;
    for (size_t i = 1; i < N_KEY_SETS; i++) {
        cell.keygen = fb_keygen_find(key_sets[i]);
        struct fb_rate one = known_or_counted(bench, &cell);
        least = fmin(least, one.p);
        out->false_negatives += one.false_negatives;
    }
    out->p = fmin(1, N_KEY_SETS * least);
}

struct fb_cell fb_arg_cell(struct fb_bench *bench, const json_t *args)
{
    const char *hash = fb_arg_text(args, "hash", NULL), *keys = fb_arg_text(args, "keys", NULL);
    uint64_t asked = fb_arg_count(args, "probes", 1000000), wanted = fb_arg_count(args, "n", 0);
    const bool whole = json_is_true(json_object_get(args, "whole"));
    uint64_t most = caps[bench->effort].probes,
             most_keys = whole ? UINT64_MAX : caps[bench->effort].keys;
    uint64_t filters = fb_arg_count(args, "filters", 10);
    const size_t all_filters = (size_t)fb_bench_times_work(bench, filters);
    struct fb_cell cell = {
        .fpr = {.design = fb_arg_design(bench, args),
                .params = fb_arg_params(args),
                .hash = hash ? fb_hash_find(hash) : NULL,
                .keygen = fb_keygen_find(keys ? keys : key_sets[0]),
                .n_keys = wanted < most_keys ? wanted : most_keys,
                .filters = all_filters,
                .probes_per_filter = filters ? (asked < most ? asked : most) / filters : 0,
                .root = bench->root},
        .every_key_set = !keys,
        .keys_asked = wanted};
    const uint64_t spent = fb_bench_times_work(bench, asked < most ? asked : most);
    cell.probes_missing = spent < asked ? asked - spent : 0;
    if (hash && !cell.fpr.hash)
        fb_bench_fail(bench, FB_EINVAL, "no hash '%s'", hash);
    if (!cell.fpr.keygen)
        fb_bench_fail(bench, FB_EINVAL, "no keys '%s'", keys);
    if (!cell.fpr.n_keys || !cell.fpr.probes_per_filter)
        fb_bench_fail(bench, FB_EINVAL, "a cell needs n and a probe per filter");
    return cell;
}

struct fb_rate fb_cell_rate(struct fb_bench *bench, const struct fb_cell *cell,
                            struct fb_finding *found)
{
    struct fb_rate rate = bench->phase == FB_PREDICT ? fb_cell_predict(bench, &cell->fpr)
                                                     : known_or_counted(bench, &cell->fpr);
    if (cell->every_key_set && bench->effort == FB_FULL && !bench->repeat &&
        bench->phase != FB_PREDICT)
        test_structured(bench, cell->fpr, &rate);
    if (found) {
        found->events += rate.events;
        found->probes += rate.probes;
        found->built += cell->fpr.filters * cell->fpr.n_keys;
        found->false_negatives += rate.false_negatives;
        found->simulated |= rate.simulated;
        found->theory_error = fmax(found->theory_error, rate.model_error);
        found->probes_missing += cell->probes_missing;
        if (cell->fpr.n_keys < cell->keys_asked && cell->keys_asked > found->keys_asked) {
            found->keys = cell->fpr.n_keys;
            found->keys_asked = cell->keys_asked;
        }
    }
    return rate;
}

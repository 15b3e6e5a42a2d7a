/* One measured rate, and the cells measured before: rows that share a cell measure it once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "harness/kind/claims/procedure/procedure.h"

/* Below this many events the normal approximation gives way to exact Poisson tails. */
enum { FEW_EVENTS = 100 };

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

struct fb_bench_cell {
    char *key; /* the arguments, canonical */
    struct fb_rate rate;
};

void fb_bench_close(struct fb_bench *bench)
{
    for (size_t i = 0; i < bench->n_cells; i++)
        free(bench->cells[i].key);
    free(bench->cells);
    bench->cells = NULL;
    bench->n_cells = 0;
}

/* P(X <= x), P(X >= x) of a Poisson variable: chi-square tails. */
static double poisson_at_most(uint64_t x, double mean)
{
    return fb_chi2_tail(2 * mean, 2 * ((double)x + 1));
}

static double poisson_at_least(uint64_t x, double mean)
{
    return x ? 1 - fb_chi2_tail(2 * mean, 2 * (double)x) : 1;
}

/* Mean at which x events are just unlikely enough, by bisection. */
static double poisson_bound(uint64_t x, bool upper)
{
    double low = 0, high = 4 * (double)x + 50;
    for (int i = 0; i < 100; i++) {
        double mid = (low + high) / 2;
        bool raise = upper ? poisson_at_most(x, mid) > FB_FIND_TAIL
                           : poisson_at_least(x, mid) < FB_FIND_TAIL;
        *(raise ? &low : &high) = mid;
    }
    return (low + high) / 2;
}

static void judge_rate(const struct fb_fpr_summary *s, size_t filters, struct fb_rate *out)
{
    double n = (double)s->probes, x = (double)s->events, f = x / n, model = s->model;
    double spread = filters > 1 ? s->sd_filters / sqrt((double)filters) : 0;
    double binomial = sqrt(fmax(model * (1 - model), f * (1 - f)) / n);
    double se = fmax(binomial, spread);
    /* Where the spread over filters decides, its own uncertainty widens the interval. */
    double z999 =
        spread > binomial ? fb_t_quantile(1 - FB_FIND_TAIL, (unsigned)filters - 1) : fb_find_z();
    out->rate = f;
    out->model = model;
    out->events = s->events;
    out->probes = s->probes;
    if (s->events < FEW_EVENTS) {
        double mean = model * n;
        out->low = s->events ? poisson_bound(s->events, false) / n : 0;
        out->high = poisson_bound(s->events, true) / n;
        out->p =
            fmin(1, 2 * fmin(poisson_at_most(s->events, mean), poisson_at_least(s->events, mean)));
        se = sqrt(fmax(x, 1)) / n;
    } else {
        double z = (f - model) / sqrt(se * se + s->model_se * s->model_se);
        out->low = fmax(0, f - z999 * se);
        out->high = fmin(1, f + z999 * se);
        out->p = f == model ? 1 : fmin(1, 2 * fb_normal_tail(fabs(z) * fb_find_z() / z999));
    }
    out->relative_se = sqrt((f > 0 ? se * se / (f * f) : 0) +
                            (model > 0 ? s->model_se * s->model_se / (model * model) : 0));
}

static enum fb_err measure(struct fb_bench *bench, const struct fb_fpr_cell *cell,
                           struct fb_rate *out)
{
    struct fb_fpr_counts counts = {0};
    struct fb_fpr_summary summary;
    const char *why = NULL;
    bool complete;
    enum fb_err err = fb_fpr_measure(cell, bench->threads, &counts, &complete, &why);
    if (err)
        return fb_bench_fail(bench, err, "%s: %s", cell->design->name,
                             why ? why : fb_err_text(err));
    if (complete) {
        fb_fpr_summarise(cell, &counts, &summary);
        judge_rate(&summary, counts.filters, out);
        out->false_negatives = counts.false_negatives;
        out->geom = counts.geom;
        out->simulated = counts.model_probes > 0;
        out->model_error = summary.model > 0 ? summary.model_se / summary.model : 0;
    } else {
        bench->interrupted = true;
    }
    fb_fpr_counts_close(&counts);
    return FB_OK;
}

/* Holds the structured key sets against the model too: their p and false negatives join the cell's,
 * the rate stays that of random keys. */
static enum fb_err test_structured(struct fb_bench *bench, struct fb_fpr_cell cell,
                                   struct fb_rate *out)
{
    enum fb_err err = FB_OK;
    uint64_t most = STRUCTURED_PROBES / cell.filters;
    if (cell.probes_per_filter > most)
        cell.probes_per_filter = most;
    double least = out->p;
    for (size_t i = 1; i < N_KEY_SETS && !err && !bench->interrupted; i++) {
        struct fb_rate one = {.p = 1};
        cell.keygen = fb_keygen_find(key_sets[i]);
        err = measure(bench, &cell, &one);
        least = fmin(least, one.p);
        out->false_negatives += one.false_negatives;
    }
    out->p = fmin(1, N_KEY_SETS * least);
    return err;
}

static enum fb_err measure_sets(struct fb_bench *bench, const json_t *args, struct fb_rate *out)
{
    struct fb_fpr_cell cell = {.params = fb_arg_params(args), .root = bench->root};
    const char *hash = fb_arg_text(args, "hash", NULL), *keys = fb_arg_text(args, "keys", NULL);
    uint64_t asked = fb_arg_count(args, "probes", 1000000), wanted = fb_arg_count(args, "n", 0);
    enum fb_err err = fb_arg_design(bench, args, "design", &cell.design);
    if (err)
        return err;
    if (hash && !(cell.hash = fb_hash_find(hash)))
        return fb_bench_fail(bench, FB_EINVAL, "no hash '%s'", hash);
    struct fb_keygen keygen;
    const char *why;
    cell.keygen = &keygen;
    if (!fb_keygen_parse(keys ? keys : key_sets[0], &keygen, &why))
        return fb_bench_fail(bench, FB_EINVAL, "no keys '%s'; %s", keys, why);
    uint64_t probes = asked < caps[bench->effort].probes ? asked : caps[bench->effort].probes;
    cell.n_keys = wanted < caps[bench->effort].keys ? wanted : caps[bench->effort].keys;
    cell.filters = (size_t)fb_arg_count(args, "filters", 10);
    cell.probes_per_filter = probes / cell.filters;
    *out = (struct fb_rate){0};
    if (!cell.n_keys || !cell.probes_per_filter)
        return fb_bench_fail(bench, FB_EINVAL, "a cell needs n and a probe per filter");
    err = measure(bench, &cell, out);
    if (!err && !bench->interrupted && !keys && bench->effort == FB_FULL && !bench->repeat)
        err = test_structured(bench, cell, out);
    out->n_keys = cell.n_keys;
    out->target = cell.params.fpr;
    out->wide = probes < asked || cell.n_keys < wanted;
    return err;
}

/* The arguments that make the cell, in one order. */
static char *cell_key(const json_t *args)
{
    static const char *const parts[] = {"design", "n",    "bits_per_key", "fpr",    "k",
                                        "hash",   "keys", "probes",       "filters"};
    json_t *cell = json_object();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (json_object_get(args, parts[i]))
            json_object_set(cell, parts[i], json_object_get(args, parts[i]));
    char *key = json_dumps(cell, JSON_COMPACT);
    json_decref(cell);
    return key;
}

enum fb_err fb_bench_rate(struct fb_bench *bench, const json_t *args, struct fb_rate *out)
{
    char *key = cell_key(args);
    struct fb_bench_cell *grown = NULL;
    enum fb_err err = key ? FB_OK : FB_ENOMEM;
    for (size_t i = 0; i < bench->n_cells && key; i++)
        if (!strcmp(bench->cells[i].key, key)) {
            *out = bench->cells[i].rate;
            free(key);
            return FB_OK;
        }
    if (!err)
        err = measure_sets(bench, args, out);
    if (!err && !bench->interrupted) {
        grown = realloc(bench->cells, (bench->n_cells + 1) * sizeof *grown);
        err = grown ? FB_OK : FB_ENOMEM;
    }
    if (grown) {
        bench->cells = grown;
        grown[bench->n_cells++] = (struct fb_bench_cell){key, *out};
    } else {
        free(key);
    }
    return err;
}

void fb_find_counts(struct fb_finding *found, const struct fb_rate *rate)
{
    found->events += rate->events;
    found->probes += rate->probes;
    found->false_negatives += rate->false_negatives;
    found->simulated |= rate->simulated;
    found->theory_error = fmax(found->theory_error, rate->model_error);
    found->wide |= rate->wide;
}

/*
 * Procedures: the time of walks over overlapping segments, hashing once or again for each. Ratios
 * of candidates of the same rounds; nanoseconds are printed beside the machine.
 *
 *     segments, n      filters of a walk and keys of each
 *     design, bits_per_key
 *     walks            [{lookup, key_len}], 1 to 4 of them, all keys absent
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/claims/procedure/table.h"
#include "harness/tree/walk_timing.h"

enum { MOST_WALKS = 4, PROCESSES = 10, ROUNDS = 3 };

/* The tree of one key length; lookups of the same length share it. */
struct grove {
    uint64_t key_len;
    struct fb_keyspace space;
    struct fb_tree tree;
    struct fb_forest forest;
    struct fb_queries queries;
};

struct walks {
    size_t n, n_groves;
    struct grove grove[MOST_WALKS];
    struct fb_walk_candidate candidate[MOST_WALKS];
    struct fb_walk_estimate estimate[MOST_WALKS];
    const char *name[MOST_WALKS];
    uint64_t key_len[MOST_WALKS];
};

static enum fb_err plant(struct fb_bench *bench, const json_t *args, struct grove *g)
{
    const struct fb_query_spec spec = {.absent = 1, .recent_ratio = 10, .repeat_keys = 1};
    const uint64_t segments = fb_arg_count(args, "segments", 24),
                   keys = fb_arg_count(args, "n", 20000);
    struct fb_tree_shape shape = {.style = FB_FLAT,
                                  .n_keys = segments * keys,
                                  .key_bytes = (double)g->key_len,
                                  .segment_bytes = keys * g->key_len,
                                  .n_runs = (unsigned)segments,
                                  .ratio = 10,
                                  .fill = 1,
                                  .scale = 1};
    char format[32];
    struct fb_keygen keygen;
    const struct fb_design *design = fb_arg_design(bench, args);
    const char *why = NULL;
    bool complete = true;
    snprintf(format, sizeof format, "bin:%llu", (unsigned long long)g->key_len);
    if (bench->err)
        return bench->err;
    if (!fb_keygen_parse(format, &keygen, &why))
        return fb_bench_fail(bench, FB_EINVAL, "%s: %s", format, why);
    fb_keyspace_generate(&keygen, FB_ORDER_SHUFFLE, shape.n_keys, bench->root, &g->space);
    struct fb_params *params = calloc(segments, sizeof *params);
    for (size_t r = 0; params && r < segments; r++)
        params[r] = fb_arg_params(args);
    const struct fb_forest_spec forest = {.design = design,
                                          .params = params,
                                          .window_bytes = UINT64_C(1) << 26,
                                          .n_threads = bench->threads};
    enum fb_err err =
        params ? fb_tree_make(&shape, &g->space, UINT64_C(1) << 24, &g->tree, &why) : FB_ENOMEM;
    if (!err)
        err = fb_forest_build(&forest, &g->tree, &g->forest, &complete, &why);
    if (!err)
        err = fb_queries_init(&spec, &g->tree, bench->root, &g->queries, &why);
    free(params);
    if (!complete)
        fb_bench_interrupt(bench);
    return fb_bench_check(bench, err, "walks", why);
}

static void walks_close(struct walks *w)
{
    for (size_t i = 0; i < w->n_groves; i++) {
        fb_queries_close(&w->grove[i].queries);
        fb_forest_close(&w->grove[i].forest);
        fb_tree_close(&w->grove[i].tree);
    }
    free(w);
}

static enum fb_err add(struct fb_bench *bench, const json_t *args, const json_t *walk,
                       struct walks *w)
{
    struct fb_walk_candidate *c = &w->candidate[w->n];
    struct grove *g = w->grove;
    enum fb_err err = FB_OK;
    w->key_len[w->n] = fb_arg_count(walk, "key_len", 40);
    w->name[w->n] = fb_arg_text(walk, "lookup", "");
    c->lookup = fb_lookup_find(w->name[w->n]);
    if (!c->lookup)
        return fb_bench_fail(bench, FB_EINVAL, "no lookup '%.40s'", w->name[w->n]);
    while (g < w->grove + w->n_groves && g->key_len != w->key_len[w->n])
        g++;
    if (g == w->grove + w->n_groves) {
        g->key_len = w->key_len[w->n];
        w->n_groves++;
        err = plant(bench, args, g);
    }
    if (err)
        return err;
    c->forest = &g->forest;
    c->queries = &g->queries;
    c->kernel = fb_lookup_kernel(c->lookup, g->forest.design, FB_ISA_NONE);
    c->compared_to = w->n / 2 * 2; /* the pairs of the list */
    w->n++;
    return FB_OK;
}

static enum fb_err measure(struct fb_bench *bench, const json_t *args, struct walks **out)
{
    const json_t *list = json_object_get(args, "walks");
    const struct fb_walk_options options = {.rounds = ROUNDS,
                                            .min_processes = PROCESSES,
                                            .max_processes = PROCESSES,
                                            .budget_s = 60,
                                            .seed = bench->root,
                                            .cpu = -1};
    struct walks *w = *out = calloc(1, sizeof *w);
    double *samples = NULL;
    size_t processes;
    bool complete = true;
    enum fb_err err = w ? FB_OK : FB_ENOMEM;
    if (!err && (!json_array_size(list) || json_array_size(list) > MOST_WALKS))
        err = fb_bench_fail(bench, FB_EINVAL, "1 to %d walks are measured together", MOST_WALKS);
    for (size_t i = 0; i < json_array_size(list) && !err; i++)
        err = add(bench, args, json_array_get(list, i), w);
    if (!err)
        err = fb_walks_measure(w->candidate, w->n, &options, w->estimate, &samples, &processes,
                               &complete);
    if (!err && !complete)
        fb_bench_interrupt(bench);
    free(samples);
    return fb_bench_check(bench, err, "walks", NULL);
}

static void remark(const struct walks *w, struct fb_finding *out)
{
    for (size_t i = 0; i < w->n; i++)
        fb_find_remark(out, "%s%s of %llu B %.3g ns", i ? ", " : "", w->name[i],
                       (unsigned long long)w->key_len[i], w->estimate[i].ns);
}

static void find(struct fb_bench *bench, const json_t *args, struct fb_finding *out,
                 void (*of)(const struct fb_walk_estimate *, const json_t *, struct fb_finding *))
{
    struct walks *w = NULL;
    if (!measure(bench, args, &w)) {
        of(w->estimate, args, out);
        remark(w, out);
    }
    if (w)
        walks_close(w);
}

/* The second walk over the first. */
static void of_ratio(const struct fb_walk_estimate *e, const json_t *args, struct fb_finding *out)
{
    (void)args;
    fb_find_interval(out, NAN, e[1].ratio, e[1].ratio99.low, e[1].ratio99.high);
    out->level = 0.99;
}

/* The ratio of the second pair over that of the first; its interval from both, so wider than 99 %.
 */
static void of_gains(const struct fb_walk_estimate *e, const json_t *args, struct fb_finding *out)
{
    (void)args;
    fb_find_interval(out, NAN, e[3].ratio / e[1].ratio, e[3].ratio99.low / e[1].ratio99.high,
                     e[3].ratio99.high / e[1].ratio99.low);
    out->level = 0.99;
}

/* The first walk in `unit_ns` nanoseconds. */
static void find_time(double ns, struct fb_interval within, double level, const json_t *args,
                      struct fb_finding *out)
{
    double unit = fb_arg_number(args, "unit_ns", 1);
    fb_find_interval(out, NAN, ns / unit, within.low / unit, within.high / unit);
    out->level = level;
}

static void of_time(const struct fb_walk_estimate *e, const json_t *args, struct fb_finding *out)
{
    find_time(e[0].ns, e[0].ns95, 0.95, args, out);
}

/* Judged by its 99 % interval. */
static void of_judged_time(const struct fb_walk_estimate *e, const json_t *args,
                           struct fb_finding *out)
{
    find_time(e[0].ns, e[0].ns99, 0.99, args, out);
}

static void walk_time_ratio(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    find(bench, args, out, of_ratio);
}

static void walk_time_gains(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    find(bench, args, out, of_gains);
}

static void walk_time(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    find(bench, args, out, of_time);
}

static void walk_time_judged(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    find(bench, args, out, of_judged_time);
}

const struct fb_procedure fb_walk_time_procedures[] = {
    {"walk-time-ratio", walk_time_ratio, FB_TIMED},
    {"walk-time-gains", walk_time_gains, FB_TIMED},
    {"walk-time-judged", walk_time_judged, FB_TIMED},
    {"walk-time", walk_time, FB_MACHINE_ONLY},
    {0},
};

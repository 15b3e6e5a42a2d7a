/* Running an experiment of kind "lsm": trees, filters on them, queries counted, lookups timed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "filters/core/bits.h"
#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/progress.h"
#include "harness/kind/lsm/standing.h"
#include "harness/measure/noise.h"
#include "harness/stats/serial.h"

/* A second of timing, as many units of progress. */
#define UNITS_PER_S 5e6

/* Where the time went, seconds. */
struct spent {
    double tree, build, count, timing;
    uint64_t keys, queries; /* built and counted */
};

struct running {
    const struct fb_lsm *e;
    unsigned n_threads;
    json_t *document;
    const struct fb_lsm_cell *cells;
    size_t n_cells, n_candidates; /* candidates of all timing */
    struct fb_progress progress;
    struct spent spent;
    size_t n_batches; /* of timing, so far */
    int cpu;
    /* Of the tree at hand. */
    struct fb_lsm_standing standing;
    const struct fb_forest *forest;       /* the latest of the filter at hand; NULL: none yet */
    struct fb_params params[FB_MAX_RUNS]; /* that it was built for */
    json_t *unscaled;                     /* of its cells, owned */
};

static void skip_readings(struct running *r, const struct fb_lsm_cell *first, const char *why)
{
    for (size_t i = 0; i < r->e->n_readings; i++)
        json_array_append_new(json_object_get(r->document, "skipped"),
                              json_pack("{s:s, s:s}", "id", first[i].id, "why", why));
}

/* An error that keeps the readings of a stream from being counted. They are skipped if there is no
 * such filter or stream; else the run ends. */
static enum fb_exit give_up(struct running *r, const struct fb_lsm_cell *first, enum fb_err err,
                            const char *why)
{
    if (!fb_err_refuses(err))
        return fb_fail(first->id, err, why);
    skip_readings(r, first, why ? why : fb_err_text(err));
    return FB_EXIT_OK;
}

/* ---- Counting ---- */

static enum fb_exit check_counts(struct running *r, const struct fb_lsm_cell *cell,
                                 const struct fb_read_counts *c)
{
    if (!c->false_negatives || r->forest->design->traits & FB_FALSE_NEGATIVES)
        return FB_EXIT_OK;
    fb_result_warn(r->document, "false-negative", cell->id, "%s: %llu false negatives", cell->id,
                   (unsigned long long)c->false_negatives);
    fb_error("%s: %llu false negatives among %llu queries for present keys; the run ends here",
             cell->id, (unsigned long long)c->false_negatives, (unsigned long long)c->present);
    return FB_EXIT_CORRECTNESS;
}

/* The scans are those of all readings; why: there are none. */
static enum fb_exit count_cell(struct running *r, const struct fb_lsm_cell *cell, struct fb_ask ask,
                               json_t *scans, const char *why)
{
    const struct fb_lsm *e = r->e;
    const struct fb_lsm_reading *reading = &e->readings[cell->reading];
    const struct fb_tree_shape *shape = &r->standing.shape;
    struct fb_read_spec spec = e->reading;
    struct fb_read_counts counts;
    bool complete;
    spec.cache_bytes = reading->cache_bytes;
    spec.filters = reading->filters;
    spec.memtables = &r->standing.memtables;
    spec.policy = reading->cache_bytes ? spec.policy : FB_CACHE_NONE;
    spec.entry_bytes = fb_tree_entry_bytes(shape);
    if (spec.index_entry_bytes == 0)
        spec.index_entry_bytes = shape->key_bytes + 8;
    ask.first = spec.policy == FB_CACHE_NONE ? 0 : e->warm;
    ask.n = e->n_queries;
    double started = fb_seconds();
    fb_progress_add(&r->progress, 0, cell->id);
    enum fb_err err = fb_read_path_count(&ask, &spec, &counts, &complete);
    enum fb_exit code = err        ? fb_fail(cell->id, err, NULL)
                        : complete ? FB_EXIT_OK
                                   : FB_EXIT_INTERRUPTED;
    r->spent.count += fb_seconds() - started;
    r->spent.queries += ask.first + ask.n;
    if (!code) {
        const double *in_range = r->standing.in_range + cell->stream * r->standing.tree->n_runs;
        json_t *j = fb_lsm_cell_json(e, cell, &ask, r->params, in_range, &counts);
        json_object_set(j, "unscaled", r->unscaled);
        json_object_set_new(j, "build", fb_lsm_build_json(r->forest, shape->key_bytes));
        if (scans)
            fb_json_known(j, "scans", json_is_null(scans) ? NULL : json_incref(scans), why);
        json_array_append_new(json_object_get(r->document, "cells"), j);
        code = check_counts(r, cell, &counts);
    }
    fb_read_counts_close(&counts);
    return code;
}

/* ---- Filters ---- */

static bool same_params(const struct fb_params *a, const struct fb_params *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].bits_per_key != b[i].bits_per_key || a[i].fpr != b[i].fpr)
            return false;
    return true;
}

/* The forest of `params`: the one at hand if it is that. */
static enum fb_err obtain(struct running *r, const struct fb_lsm_cell *cell,
                          const struct fb_params *params, bool *complete, const char **why)
{
    const struct fb_lsm_filter *filter = &r->e->filters[cell->filter];
    const struct fb_tree *tree = r->standing.tree;
    struct fb_lsm_timed *timed = &r->standing.timed;
    *complete = true;
    if (r->forest && same_params(r->params, params, tree->n_runs))
        return FB_OK;
    struct fb_forest *forest = &timed->forests[timed->n_forests++];
    const struct fb_forest_spec spec = {.design = filter->design,
                                        .hash = filter->hash,
                                        .params = params,
                                        .prefix = &filter->prefix,
                                        .window_bytes = FB_LSM_WINDOW_BYTES,
                                        .n_threads = r->n_threads,
                                        .progress = &r->progress};
    double started = fb_seconds();
    fb_progress_add(&r->progress, 0, cell->id);
    enum fb_err err = fb_forest_build(&spec, tree, forest, complete, why);
    r->spent.build += fb_seconds() - started;
    r->spent.keys += tree->n_keys;
    r->forest = !err && *complete ? forest : NULL;
    memcpy(r->params, params, tree->n_runs * sizeof *params);
    json_decref(r->unscaled);
    r->unscaled = NULL;
    if (r->forest)
        err = fb_lsm_unscaled(r->e, cell, tree, params, r->n_threads, &r->unscaled, complete, why);
    return err;
}

/* All readings of one filter and one stream: cells first .. first + n_readings - 1. */
static enum fb_exit run_stream(struct running *r, const struct fb_lsm_cell *first)
{
    const struct fb_lsm *e = r->e;
    struct fb_lsm_standing *s = &r->standing;
    struct fb_ask ask = {.queries = &s->queries[first->stream],
                         .n = e->n_scans,
                         .n_threads = r->n_threads,
                         .progress = &r->progress};
    struct fb_params params[FB_MAX_RUNS];
    double share[FB_MAX_RUNS];
    const char *why = NULL;
    bool complete = true;
    if (!ask.queries->tree) {
        skip_readings(r, first, "the tree cannot serve these queries");
        return FB_EXIT_OK;
    }
    fb_queries_shares(ask.queries, share);
    enum fb_err err = fb_lsm_params(e, &e->filters[first->filter], s->tree,
                                    ask.queries->spec.absent, share, params, &why);
    if (!err)
        err = obtain(r, first, params, &complete, &why);
    if (!err && complete && e->streams[first->stream].kind == FB_ADVERSARIAL)
        err = fb_lsm_adversary(e, first, r->forest, s, &ask.queries, &why);
    if (err)
        return give_up(r, first, err, why);
    if (!complete)
        return FB_EXIT_INTERRUPTED;
    const json_t *cells = json_object_get(r->document, "cells");
    size_t first_json = json_array_size(cells);
    json_t *scans;
    double started = fb_seconds();
    ask.forest = r->forest;
    enum fb_exit code = fb_lsm_scans(e, first->id, &ask, r->document, &scans, &why);
    r->spent.count += fb_seconds() - started;
    for (size_t i = 0; i < e->n_readings && !code; i++)
        code = count_cell(r, first + i, ask, scans, why);
    json_decref(scans);
    for (size_t i = first_json; s->traced.n_gets && i < json_array_size(cells); i++)
        json_object_set_new(json_object_get(json_array_get(cells, i), "tree"), "trace",
                            fb_lsm_traced_json(&s->traced));
    /* Lookups hash keys: they can ask all filters but those of prefixes alone. */
    if (!code && e->timed && r->forest->prefix.whole_key)
        s->timed.entries[s->timed.n++] =
            (struct fb_lsm_entry){r->forest, ask.queries, first_json, e->n_readings};
    return code;
}

/* ---- Timing ---- */

/* A batch of timing, as the bar of progress has it: seconds that it takes in all and that are
 * shown. The fewest processes may take longer than the budget. */
struct batch {
    struct fb_progress *progress;
    const char *what;
    size_t least;
    double started_s, whole_s, shown_s;
};

static void show_time(struct batch *b, double whole_s, double shown_s)
{
    b->progress->total += (uint64_t)((int64_t)((whole_s - b->whole_s) * UNITS_PER_S));
    fb_progress_add(b->progress, (uint64_t)((shown_s - b->shown_s) * UNITS_PER_S), b->what);
    b->whole_s = whole_s;
    b->shown_s = shown_s;
}

/* After a process: the least that are still to come take as long each. */
static void on_process(void *arg, const struct fb_group *group)
{
    struct batch *b = arg;
    const double spent_s = fb_seconds() - b->started_s;
    const double least_s = spent_s / (double)fb_group_processes(group) * (double)b->least;
    show_time(b, fmax(b->whole_s, least_s), spent_s);
}

/* Times what stands. */
static enum fb_exit time_all(struct running *r)
{
    const struct fb_lsm_timed *timed = &r->standing.timed;
    struct fb_group_options options = r->e->options;
    size_t n = timed->n * (r->e->n_lookups + 1);
    if (!timed->n)
        return FB_EXIT_OK;
    options.cpu = r->cpu;
    if (options.min_processes < FB_MEMORY_LEAST)
        options.min_processes = fb_min_u64(options.max_processes, FB_MEMORY_LEAST);
    options.budget_s *= (double)n / (double)(r->n_candidates + 1);
    char what[80];
    snprintf(what, sizeof what, "timing %zu lookups", n);
    struct batch batch = {.progress = &r->progress,
                          .what = what,
                          .least = options.min_processes,
                          .started_s = fb_seconds(),
                          .whole_s = options.budget_s};
    const struct fb_group_watch watch = {.arg = &batch, .progress = on_process};
    fb_progress_add(&r->progress, 0, what);
    enum fb_exit code =
        fb_lsm_timed_measure(timed, r->e, &options, &watch, r->n_batches++, r->document);
    const double spent_s = fb_seconds() - batch.started_s;
    r->spent.timing += spent_s;
    show_time(&batch, spent_s, spent_s);
    return code;
}

/* ---- Trees ---- */

static void drop_forests(struct running *r)
{
    fb_lsm_timed_drop(&r->standing.timed);
    r->forest = NULL;
}

static enum fb_exit run_tree(struct running *r, const struct fb_lsm_cell *first)
{
    const struct fb_lsm *e = r->e;
    struct fb_lsm_standing *s = &r->standing;
    double started = fb_seconds();
    fb_progress_add(&r->progress, 0, first->id);
    enum fb_exit code = fb_lsm_stand_up(e, first, r->document, s);
    r->spent.tree += fb_seconds() - started;
    for (size_t i = 0; i < e->n_filters * e->n_streams && !code; i++) {
        const struct fb_lsm_cell *cell = first + i * e->n_readings;
        struct fb_lsm_demand demand;
        struct fb_problem problem;
        if (cell->stream == 0)
            r->forest = NULL;
        if (cell->stream == 0 && !e->timed)
            drop_forests(r);
        if (!fb_lsm_demand(e, cell, &demand, &problem)) {
            skip_readings(r, cell, problem.text);
            continue;
        }
        if (fb_lsm_timed_bytes(&s->timed) + demand.memory_bytes > fb_memory_limit()) {
            code = time_all(r);
            drop_forests(r);
        }
        if (!code)
            code = run_stream(r, cell);
        if (!code && fb_interrupted())
            code = FB_EXIT_INTERRUPTED;
    }
    if (!code)
        code = time_all(r);
    fb_lsm_tear_down(s);
    return code;
}

/* ---- The document ---- */

static void describe_resources(const struct spent *spent, json_t *document)
{
    static const char *const unknown = "the system does not say";
    struct rusage own, children;
    bool known = !getrusage(RUSAGE_SELF, &own) && !getrusage(RUSAGE_CHILDREN, &children);
    json_t *j =
        json_pack("{s:f, s:f, s:f, s:f, s:o, s:o}", "tree_s", spent->tree, "build_s", spent->build,
                  "count_s", spent->count, "timing_s", spent->timing, "keys_built",
                  fb_json_int(spent->keys), "queries_counted", fb_json_int(spent->queries));
    fb_json_known(j, "peak_bytes", known ? fb_json_int((uint64_t)own.ru_maxrss * 1024) : NULL,
                  unknown);
    fb_json_known(j, "peak_child_bytes",
                  known ? fb_json_int((uint64_t)children.ru_maxrss * 1024) : NULL, unknown);
    json_object_set_new(document, "resources", j);
}

/* ---- Everything ---- */

/* What all cells take, in units of progress. */
static uint64_t survey(struct running *r)
{
    const struct fb_lsm *e = r->e;
    uint64_t units = e->timed ? (uint64_t)(e->options.budget_s * UNITS_PER_S) : 0;
    for (size_t i = 0; i < r->n_cells; i++) {
        const struct fb_lsm_cell *cell = &r->cells[i];
        struct fb_lsm_demand demand;
        struct fb_problem problem;
        if (!fb_lsm_demand(e, cell, &demand, &problem))
            continue;
        units += e->n_queries + (e->readings[cell->reading].cache_bytes ? e->warm : 0);
        units += cell->reading == 0 ? e->n_scans : 0;
        if (cell->reading == 0) {
            r->n_candidates += e->n_lookups + 1;
            units += cell->stream == 0 ? demand.n_keys : 0;
        }
    }
    return units;
}

enum fb_exit fb_lsm_run(const struct fb_lsm *e, unsigned n_threads, json_t *document)
{
    struct running r = {.e = e, .n_threads = n_threads, .document = document};
    struct fb_lsm_cell *cells = fb_lsm_cells(e, &r.n_cells);
    struct fb_noise before, after;
    enum fb_exit code = FB_EXIT_OK;
    if (!cells)
        return fb_fail(e->name, FB_ENOMEM, NULL);
    r.cells = cells;
    uint64_t units = survey(&r);
    json_object_set_new(document, "devices", fb_lsm_devices(e));
    r.cpu = e->options.cpu;
    if (e->timed && r.cpu == FB_CPU_AUTO)
        r.cpu = fb_idlest_cpu();
    fb_noise_read(&before);
    fb_progress_start(&r.progress, "run", units);
    size_t per_tree = e->n_filters * e->n_streams * e->n_readings;
    for (size_t t = 0; t < e->n_trees && !code; t++)
        code = run_tree(&r, cells + t * per_tree);
    fb_progress_end(&r.progress);
    fb_noise_read(&after);
    if (e->timed)
        json_object_set_new(document, "timing",
                            fb_lsm_timing_json(r.cpu, fb_noise_json(&before, &after)));
    describe_resources(&r.spent, document);
    const json_t *none = json_array_get(json_object_get(document, "skipped"), 0);
    if (!code && !json_array_size(json_object_get(document, "cells"))) {
        fb_error("%s: no cell can be counted: %s: %s", e->name, fb_json_str(none, "id"),
                 fb_json_str(none, "why"));
        code = FB_EXIT_USAGE;
    }
    json_decref(r.unscaled);
    free(cells);
    return code;
}

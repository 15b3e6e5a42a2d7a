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
#include "harness/kind/lsm/share.h"
#include "harness/kind/lsm/standing.h"
#include "harness/measure/noise.h"
#include "harness/stats/serial.h"

/* A second of timing, as many units of progress. */
#define UNITS_PER_S 5e6

/* Where the time went, seconds. */
struct spent {
    double tree, build, count, timing;
    uint64_t keys, queries; /* built and counted */
    uint64_t windows;       /* of filters that passed */
};

struct running {
    const struct fb_lsm *e;
    unsigned n_threads;
    json_t *document;
    const struct fb_lsm_cell *cells;
    size_t n_candidates; /* of all timing */
    struct fb_lsm_steps steps;
    struct fb_progress progress;
    struct spent spent;
    int cpu;
    /* Of the tree at hand. */
    struct fb_lsm_standing standing;
    size_t filter;                        /* at hand */
    const struct fb_forest *forest;       /* the latest of it; NULL: none yet */
    struct fb_params params[FB_MAX_RUNS]; /* that it was built for */
    struct fb_answers answers;            /* of its filters, where they have passed */
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

/* The scans of a forest and a stream: readings of the same share have the same. */
struct scanned {
    bool known;
    uint64_t first, end;
    json_t *json;    /* owned; JSON null: there are none */
    const char *why; /* there are none */
};

static enum fb_exit scan(struct running *r, const char *id, struct fb_ask ask,
                         const struct fb_lsm_share *share, struct scanned *scans)
{
    const bool same = scans->first == share->first_scan && scans->end == share->end_scan;
    if (scans->known && (same || !scans->json || json_is_null(scans->json)))
        return FB_EXIT_OK;
    json_decref(scans->json);
    *scans = (struct scanned){.known = true, .first = share->first_scan, .end = share->end_scan};
    ask.first = share->first_scan;
    ask.n = share->end_scan - share->first_scan;
    double started = fb_seconds();
    enum fb_exit code = fb_lsm_scans(r->e, id, &ask, r->document, &scans->json, &scans->why);
    r->spent.count += fb_seconds() - started;
    return code;
}

static void add_cell(struct running *r, const struct fb_lsm_share *share, json_t *cell)
{
    json_t *list = json_object_get(r->document, share->part ? "fragments" : "cells");
    json_array_append_new(list, share->part ? fb_lsm_fragment(share, cell) : cell);
}

static enum fb_exit count_cell(struct running *r, const struct fb_lsm_cell *cell, struct fb_ask ask,
                               const struct fb_lsm_share *share, const struct scanned *scans)
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
    ask.first = share->first + (spec.policy == FB_CACHE_NONE ? 0 : e->warm);
    ask.n = share->end - share->first;
    double started = fb_seconds();
    fb_progress_add(&r->progress, 0, cell->id);
    enum fb_err err = fb_read_path_count(&ask, &spec, &counts, &complete);
    enum fb_exit code = err        ? fb_fail(cell->id, err, NULL)
                        : complete ? FB_EXIT_OK
                                   : FB_EXIT_INTERRUPTED;
    r->spent.count += fb_seconds() - started;
    r->spent.queries += ask.n + (spec.policy == FB_CACHE_NONE ? 0 : e->warm);
    if (!code) {
        const double *in_range = r->standing.in_range + cell->stream * r->standing.tree->n_runs;
        json_t *j = fb_lsm_cell_json(e, cell, &ask, r->params, in_range, &counts);
        json_object_set(j, "unscaled", r->unscaled);
        json_object_set_new(j, "build", fb_lsm_build_json(r->forest, shape->key_bytes));
        if (scans->json)
            fb_json_known(j, "scans", json_is_null(scans->json) ? NULL : json_incref(scans->json),
                          scans->why);
        if (r->standing.traced.n_gets)
            json_object_set_new(json_object_get(j, "tree"), "trace",
                                fb_lsm_traced_json(&r->standing.traced));
        add_cell(r, share, j);
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
    struct fb_lsm_demand demand;
    struct fb_problem problem;
    enum fb_err err = FB_OK;
    const bool pass = fb_lsm_demand(r->e, cell, &demand, &problem) && demand.window_bytes;
    *complete = true;
    if (r->forest && !pass && same_params(r->params, params, tree->n_runs))
        return FB_OK;
    fb_answers_close(&r->answers);
    if (pass)
        err = fb_answers_open(&r->standing.queries[cell->stream], r->e->warm + r->e->n_queries,
                              r->n_threads, &r->answers);
    if (err)
        return err;
    struct fb_forest *forest = &timed->forests[timed->n_forests++];
    const struct fb_forest_spec spec = {.design = filter->design,
                                        .hash = filter->hash,
                                        .params = params,
                                        .prefix = &filter->prefix,
                                        .window_bytes =
                                            pass ? demand.window_bytes : FB_LSM_WINDOW_BYTES,
                                        .visit = pass ? fb_answers_note : NULL,
                                        .visitor = &r->answers,
                                        .n_threads = r->n_threads,
                                        .progress = &r->progress};
    double started = fb_seconds();
    fb_progress_add(&r->progress, 0, cell->id);
    err = fb_forest_build(&spec, tree, forest, complete, why);
    r->spent.build += fb_seconds() - started;
    r->spent.keys += tree->n_keys;
    r->spent.windows += r->answers.n_windows;
    r->forest = !err && *complete ? forest : NULL;
    memcpy(r->params, params, tree->n_runs * sizeof *params);
    json_decref(r->unscaled);
    r->unscaled = NULL;
    if (r->forest)
        err = fb_lsm_unscaled(r->e, cell, tree, params, r->n_threads, &r->unscaled, complete, why);
    return err;
}

/* Those of the readings that are this run's. */
static enum fb_exit count_readings(struct running *r, const struct fb_lsm_cell *first,
                                   struct fb_ask ask)
{
    struct scanned scans = {0};
    enum fb_exit code = FB_EXIT_OK;
    for (const struct fb_lsm_cell *c = first; c < first + r->e->n_readings && !code; c++) {
        const struct fb_lsm_share share =
            fb_lsm_share(r->e, r->steps.work->shard, c, (size_t)(c - r->cells));
        if (share.any)
            code = scan(r, first->id, ask, &share, &scans);
        if (share.any && !code)
            code = count_cell(r, c, ask, &share, &scans);
    }
    json_decref(scans.json);
    return code;
}

/* All readings of one filter and one stream: cells first .. first + n_readings - 1. */
static enum fb_exit run_stream(struct running *r, const struct fb_lsm_cell *first)
{
    const struct fb_lsm *e = r->e;
    struct fb_lsm_standing *s = &r->standing;
    struct fb_ask ask = {
        .queries = &s->queries[first->stream], .n_threads = r->n_threads, .progress = &r->progress};
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
    const size_t first_json = json_array_size(json_object_get(r->document, "cells"));
    ask.forest = r->forest;
    ask.answers = r->answers.bits ? &r->answers : NULL;
    if (ask.answers && e->timed)
        fb_result_warn(r->document, "windows", first->id,
                       "%s: not timed: the filters were built and asked in %llu windows of memory",
                       first->id, (unsigned long long)r->answers.n_windows);
    const enum fb_exit code = count_readings(r, first, ask);
    /* Lookups hash keys: they can ask all filters but those of prefixes alone. */
    if (!code && e->timed && r->forest->prefix.whole_key && !ask.answers)
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
        fb_lsm_timed_measure(timed, r->e, &options, &watch, r->steps.n_batches++, r->document);
    const double spent_s = fb_seconds() - batch.started_s;
    r->spent.timing += spent_s;
    show_time(&batch, spent_s, spent_s);
    return code;
}

/* ---- Trees ---- */

/* What filter and stream number i take, in units of progress. */
static uint64_t units_of(const struct running *r, size_t i)
{
    const struct fb_lsm *e = r->e;
    const struct fb_lsm_cell *first = &r->cells[i * e->n_readings];
    struct fb_lsm_demand demand;
    struct fb_problem problem;
    if (!fb_lsm_steps_has(&r->steps, i) || !fb_lsm_demand(e, first, &demand, &problem))
        return 0;
    const double timing_s = e->options.budget_s * (double)(e->n_lookups + 1);
    uint64_t units = first->stream == 0 || demand.window_bytes ? demand.n_keys : 0;
    units += e->timed ? (uint64_t)(timing_s / (double)r->n_candidates * UNITS_PER_S) : 0;
    for (const struct fb_lsm_cell *c = first; c < first + e->n_readings; c++) {
        const struct fb_lsm_share share =
            fb_lsm_share(e, r->steps.work->shard, c, (size_t)(c - r->cells));
        units += share.end - share.first + (e->readings[c->reading].cache_bytes ? e->warm : 0);
        units += c == first ? share.end_scan - share.first_scan : 0;
    }
    return units;
}

static void drop_forests(struct running *r)
{
    fb_lsm_timed_drop(&r->standing.timed);
    r->forest = NULL;
}

static bool is_full(const struct running *r, const struct fb_lsm_demand *demand)
{
    return fb_lsm_timed_bytes(&r->standing.timed) + demand->memory_bytes > fb_memory_limit();
}

/* The filters that stand are timed first where there is no room for more. */
static enum fb_exit run_group(struct running *r, const struct fb_lsm_cell *first)
{
    const bool next = r->filter != first->filter;
    struct fb_lsm_demand demand;
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_OK;
    r->filter = first->filter;
    if (next)
        r->forest = NULL;
    if (next && !r->e->timed)
        drop_forests(r);
    if (next && fb_lsm_begins_group(r->e, first->filter))
        r->standing.n_earlier = r->standing.n_adversaries;
    if (!fb_lsm_demand(r->e, first, &demand, &problem)) {
        skip_readings(r, first, problem.text);
        return FB_EXIT_OK;
    }
    if (is_full(r, &demand)) {
        code = time_all(r);
        drop_forests(r);
    }
    if (!code)
        code = run_stream(r, first);
    return !code && fb_interrupted() ? FB_EXIT_INTERRUPTED : code;
}

/* Whether the step ends before filter and stream i. */
static bool ends_before(const struct running *r, size_t i)
{
    struct fb_lsm_demand demand;
    struct fb_problem problem;
    if (!fb_lsm_steps_may_begin(&r->steps, i))
        return false;
    return !r->e->timed ||
           (fb_lsm_demand(r->e, &r->cells[i * r->e->n_readings], &demand, &problem) &&
            is_full(r, &demand));
}

/* The step that begins at *i, of the tree that ends at `end`; *i is then behind it. */
static enum fb_exit run_step(struct running *r, size_t *i, size_t end)
{
    const struct fb_lsm_cell *first = &r->cells[*i * r->e->n_readings];
    const size_t begun = *i;
    enum fb_exit code = FB_EXIT_OK;
    if (fb_lsm_steps_recall(&r->steps, i, &code)) {
        for (size_t j = begun; j < *i; j++)
            fb_progress_add(&r->progress, units_of(r, j), first->id);
        return code;
    }
    if (!r->standing.tree) {
        double started = fb_seconds();
        fb_progress_add(&r->progress, 0, first->id);
        code = fb_lsm_stand_up(r->e, first - begun % r->steps.per_tree * r->e->n_readings,
                               r->document, &r->standing);
        r->spent.tree += fb_seconds() - started;
    }
    do {
        if (!code && fb_lsm_steps_has(&r->steps, *i))
            code = run_group(r, &r->cells[*i * r->e->n_readings]);
        ++*i;
    } while (!code && *i < end && !ends_before(r, *i));
    if (!code)
        code = time_all(r);
    if (r->e->timed)
        drop_forests(r);
    return code ? code : fb_lsm_steps_keep(&r->steps, begun, *i);
}

static enum fb_exit run_tree(struct running *r, size_t tree)
{
    const size_t end = (tree + 1) * r->steps.per_tree;
    enum fb_exit code = FB_EXIT_OK;
    r->filter = r->e->n_filters; /* none */
    for (size_t i = tree * r->steps.per_tree; i < end && !code;) {
        if (fb_lsm_steps_has(&r->steps, i))
            code = run_step(r, &i, end);
        else
            i++;
    }
    fb_answers_close(&r->answers);
    fb_lsm_tear_down(&r->standing);
    r->forest = NULL;
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
    json_object_set_new(j, "windows", fb_json_int(spent->windows));
    fb_json_known(j, "peak_bytes", known ? fb_json_int((uint64_t)own.ru_maxrss * 1024) : NULL,
                  unknown);
    fb_json_known(j, "peak_child_bytes",
                  known ? fb_json_int((uint64_t)children.ru_maxrss * 1024) : NULL, unknown);
    json_object_set_new(document, "resources", j);
}

/* ---- Everything ---- */

/* Of all candidates of timing, in all shards; and all units of progress. */
static uint64_t survey(struct running *r)
{
    const size_t n = r->e->n_trees * r->steps.per_tree;
    struct fb_lsm_demand demand;
    struct fb_problem problem;
    uint64_t units = 0;
    for (size_t i = 0; i < n; i++)
        if (fb_lsm_demand(r->e, &r->cells[i * r->e->n_readings], &demand, &problem))
            r->n_candidates += r->e->n_lookups + 1;
    for (size_t i = 0; i < n; i++)
        units += units_of(r, i);
    return units;
}

enum fb_exit fb_lsm_run(const struct fb_lsm *e, unsigned n_threads, struct fb_work *work)
{
    json_t *document = work->document;
    struct running r = {.e = e, .n_threads = n_threads, .document = document};
    size_t n_cells;
    struct fb_lsm_cell *cells = fb_lsm_cells(e, &n_cells);
    struct fb_noise before, after;
    if (!cells)
        return fb_fail(e->name, FB_ENOMEM, NULL);
    r.cells = cells;
    enum fb_exit code = fb_lsm_steps_open(e, work, cells, &r.steps);
    uint64_t units = survey(&r);
    json_object_set_new(document, "devices", fb_lsm_devices(e));
    r.cpu = e->options.cpu;
    if (e->timed && r.cpu == FB_CPU_AUTO)
        r.cpu = fb_idlest_cpu();
    fb_noise_read(&before);
    fb_progress_start(&r.progress, "run", units);
    for (size_t t = 0; t < e->n_trees && !code; t++)
        code = run_tree(&r, t);
    fb_progress_end(&r.progress);
    fb_noise_read(&after);
    if (e->timed)
        json_object_set_new(document, "timing",
                            fb_lsm_timing_json(r.cpu, fb_noise_json(&before, &after)));
    describe_resources(&r.spent, document);
    const json_t *none = json_array_get(json_object_get(document, "skipped"), 0);
    if (!code && work->shard.of == 1 && !json_array_size(json_object_get(document, "cells"))) {
        fb_error("%s: no cell can be counted: %s: %s", e->name, fb_json_str(none, "id"),
                 fb_json_str(none, "why"));
        code = FB_EXIT_USAGE;
    }
    json_decref(r.unscaled);
    free(cells);
    return code;
}

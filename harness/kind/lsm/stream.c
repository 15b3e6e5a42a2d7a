/* Filters of a tree, and the queries of one stream counted. */
#include <string.h>

#include "harness/base/message.h"
#include "harness/kind/lsm/run.h"
#include "harness/measure/clock.h"

void fb_lsm_skip(struct fb_lsm_running *r, const struct fb_lsm_cell *first, const char *why)
{
    for (size_t i = 0; i < r->e->n_readings; i++)
        json_array_append_new(json_object_get(r->document, "skipped"),
                              json_pack("{s:s, s:s}", "id", first[i].id, "why", why));
}

/* Answers an error that keeps the readings of a stream from being counted. Where no such filter or
 * stream can exist, it adds them to "skipped" and answers FB_EXIT_OK, so that the run goes on. Else
 * it reports the error and answers its exit code. */
static enum fb_exit skip_or_fail(struct fb_lsm_running *r, const struct fb_lsm_cell *first,
                                 enum fb_err err, const char *why)
{
    if (!fb_err_refuses(err))
        return fb_fail(first->id, err, why);
    fb_lsm_skip(r, first, why ? why : fb_err_text(err));
    return FB_EXIT_OK;
}

/* ---- Scans ---- */

/* *n_missed: false negatives. *out is NULL after an error and when interrupted. */
static enum fb_err count_scans(const struct fb_lsm *e, const struct fb_ask *ask, json_t **out,
                               uint64_t *n_missed, bool *complete, const char **why)
{
    bool held = ask->forest->prefix.kind != FB_PREFIX_NONE;
    const struct fb_prefix *prefixes = held ? &ask->forest->prefix : e->scan_prefixes;
    enum fb_err err = FB_OK;
    *out = json_array();
    for (size_t i = 0; !err && *complete && i < (held ? 1 : e->n_scan_prefixes); i++) {
        struct fb_scan_counts counts;
        err = fb_prefix_path_count(ask, &prefixes[i], &counts, complete, why);
        *n_missed += counts.false_negatives;
        if (!err)
            json_array_append_new(*out, fb_lsm_scan_json(prefixes[i].text, &counts));
    }
    if (err || !*complete) {
        json_decref(*out);
        *out = NULL;
    }
    return err;
}

/*
 * Counts the scans for the cells of one forest and one stream, which are called `id`. *scans is
 * owned by the caller. It is NULL where the experiment asks for none, and JSON null, with *why and
 * a warning in the document, where the tree can have none. Else it is [{prefix, counts...}], one
 * for each prefix that is scanned for. A false negative is FB_EXIT_CORRECTNESS, with a line on
 * stderr.
 */
static enum fb_exit scan_all(const struct fb_lsm *e, const char *id, const struct fb_ask *ask,
                             json_t *document, json_t **scans, const char **why)
{
    bool complete = true;
    uint64_t missed = 0;
    *scans = NULL;
    *why = NULL;
    if (!e->n_scans)
        return FB_EXIT_OK;
    enum fb_err err = count_scans(e, ask, scans, &missed, &complete, why);
    if (fb_err_refuses(err)) {
        *why = *why ? *why : fb_err_text(err);
        fb_result_warn(document, "scans", id, "%s: no scans: %s", id, *why);
        *scans = json_null();
        return FB_EXIT_OK;
    }
    if (err)
        return fb_fail(id, err, *why);
    if (!complete)
        return FB_EXIT_INTERRUPTED;
    if (!missed || ask->forest->design->traits & FB_FALSE_NEGATIVES)
        return FB_EXIT_OK;
    fb_error("%s: %llu prefixes denied that are there; the run ends here", id,
             (unsigned long long)missed);
    return FB_EXIT_CORRECTNESS;
}

/* ---- Counting ---- */

static enum fb_exit check_counts(struct fb_lsm_running *r, const struct fb_lsm_cell *cell,
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

static enum fb_exit scan(struct fb_lsm_running *r, const char *id, struct fb_ask ask,
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
    enum fb_exit code = scan_all(r->e, id, &ask, r->document, &scans->json, &scans->why);
    r->spent.count += fb_seconds() - started;
    return code;
}

static void add_cell(struct fb_lsm_running *r, const struct fb_lsm_share *share, json_t *cell)
{
    json_t *list = json_object_get(r->document, share->part ? "fragments" : "cells");
    json_array_append_new(list, share->part ? fb_lsm_fragment(share, cell) : cell);
}

static enum fb_exit count_cell(struct fb_lsm_running *r, const struct fb_lsm_cell *cell,
                               struct fb_ask ask, const struct fb_lsm_share *share,
                               const struct scanned *scans)
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
static enum fb_err obtain(struct fb_lsm_running *r, const struct fb_lsm_cell *cell,
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
static enum fb_exit count_readings(struct fb_lsm_running *r, const struct fb_lsm_cell *first,
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

enum fb_exit fb_lsm_run_stream(struct fb_lsm_running *r, const struct fb_lsm_cell *first)
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
        fb_lsm_skip(r, first, "the tree cannot serve these queries");
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
        return skip_or_fail(r, first, err, why);
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

/* Running an experiment of kind "lsm": trees, filters on them, queries counted, lookups timed. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/progress.h"
#include "harness/kind/lsm/adversary.h"
#include "harness/kind/lsm/standing.h"
#include "harness/measure/noise.h"

/* Digests held while filters are built: a run of more is gone through again. */
#define WINDOW_BYTES (UINT64_C(2) << 30)

/* A second of timing, as many units of progress. */
#define UNITS_PER_S 5e6

/* Where the time went, seconds. */
struct spent {
    double tree, build, count, timing;
    uint64_t keys, queries; /* built and counted */
};

struct running {
    const struct fb_lsm *e;
    const struct fb_keys *file;
    unsigned n_threads;
    json_t *document;
    const struct fb_lsm_cell *cells;
    size_t n_cells, n_candidates; /* candidates of all timing */
    struct fb_progress progress;
    struct spent spent;
    int cpu;
};

static void skip(struct running *r, const struct fb_lsm_cell *cell, const char *why)
{
    json_array_append_new(json_object_get(r->document, "skipped"),
                          json_pack("{s:s, s:s}", "id", cell->id, "why", why));
}

static void skip_readings(struct running *r, const struct fb_lsm_cell *first, const char *why)
{
    for (size_t i = 0; i < r->e->n_readings; i++)
        skip(r, first + i, why);
}

static enum fb_exit fail(const struct fb_lsm_cell *cell, enum fb_err err, const char *why)
{
    return fb_fail(cell->id, err, why);
}

/* ---- Counting ---- */

static enum fb_exit check_counts(struct running *r, const struct fb_lsm_cell *cell,
                                 const struct fb_forest *forest, const struct fb_read_counts *c)
{
    if (!c->false_negatives || forest->design->traits & FB_FALSE_NEGATIVES)
        return FB_EXIT_OK;
    fb_result_warn(r->document, "false-negative", cell->id, "%s: %llu false negatives", cell->id,
                   (unsigned long long)c->false_negatives);
    fb_error("%s: %llu false negatives among %llu queries for present keys; the run ends here",
             cell->id, (unsigned long long)c->false_negatives, (unsigned long long)c->present);
    return FB_EXIT_CORRECTNESS;
}

static enum fb_exit count_cell(struct running *r, const struct fb_lsm_standing *s,
                               const struct fb_lsm_cell *cell, const struct fb_forest *forest,
                               const struct fb_params *params, const struct fb_queries *queries,
                               json_t *scans, const char *why)
{
    const struct fb_lsm *e = r->e;
    const struct fb_lsm_reading *reading = &e->readings[cell->reading];
    struct fb_tree_shape shape;
    struct fb_problem problem;
    struct fb_read_counts counts = {0};
    struct fb_read_spec spec = e->reading;
    bool complete = false;
    if (!fb_lsm_shape(e, cell->tree, r->file, &shape, &problem))
        return fail(cell, FB_EINVAL, problem.text);
    spec.cache_bytes = reading->cache_bytes;
    spec.filters = reading->filters;
    spec.memtables = &s->memtables;
    spec.policy = reading->cache_bytes ? spec.policy : FB_CACHE_NONE;
    spec.entry_bytes = shape.key_bytes + shape.value_bytes + shape.entry_overhead;
    if (spec.index_entry_bytes == 0)
        spec.index_entry_bytes = shape.key_bytes + 8;
    const struct fb_ask ask = {.forest = forest,
                               .queries = queries,
                               .first = spec.policy == FB_CACHE_NONE ? 0 : e->warm,
                               .n = e->n_queries,
                               .n_threads = r->n_threads,
                               .progress = &r->progress};
    double started = fb_seconds();
    fb_progress_add(&r->progress, 0, cell->id);
    enum fb_err err = fb_read_path_count(&ask, &spec, &counts, &complete);
    enum fb_exit code = FB_EXIT_OK;
    r->spent.count += fb_seconds() - started;
    r->spent.queries += ask.first + ask.n;
    if (err) {
        code = fail(cell, err, NULL);
    } else if (!complete) {
        code = FB_EXIT_INTERRUPTED;
    } else {
        json_t *j = fb_lsm_cell_json(e, cell, forest, params, queries, &counts);
        if (scans)
            fb_json_known(j, "scans", json_is_null(scans) ? NULL : json_incref(scans), why);
        json_array_append_new(json_object_get(r->document, "cells"), j);
        code = check_counts(r, cell, forest, &counts);
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

/* A forest, and what it was built for. */
struct built {
    struct fb_forest *forest; /* NULL: none yet; owned by timed */
    struct fb_params *params; /* [n_runs] */
};

/* The forest of `params`: the one at hand if it is that. *skipped: there is none, and its cells
 * are in the document's list. */
static enum fb_exit obtain(struct running *r, struct fb_lsm_standing *s,
                           const struct fb_lsm_cell *cell, const struct fb_params *params,
                           struct built *at, bool *skipped)
{
    const struct fb_lsm_filter *filter = &r->e->filters[cell->filter];
    const char *why = NULL;
    bool complete = false;
    *skipped = false;
    if (at->forest && same_params(at->params, params, s->tree->n_runs))
        return FB_EXIT_OK;
    at->forest = NULL;
    struct fb_forest *forest = fb_lsm_timed_forest(&s->timed);
    if (!forest)
        return fail(cell, FB_ENOMEM, NULL);
    const struct fb_forest_spec spec = {.design = filter->design,
                                        .hash = filter->hash,
                                        .params = params,
                                        .prefix = &filter->prefix,
                                        .window_bytes = WINDOW_BYTES,
                                        .n_threads = r->n_threads,
                                        .progress = &r->progress};
    double started = fb_seconds();
    fb_progress_add(&r->progress, 0, cell->id);
    enum fb_err err = fb_forest_build(&spec, s->tree, forest, &complete, &why);
    r->spent.build += fb_seconds() - started;
    r->spent.keys += s->tree->n_keys;
    if (err == FB_EINVAL || err == FB_EUNSUPPORTED) {
        skip_readings(r, cell, why ? why : fb_err_text(err));
        *skipped = true;
        return FB_EXIT_OK;
    }
    if (err)
        return fail(cell, err, why);
    if (!complete)
        return FB_EXIT_INTERRUPTED;
    memcpy(at->params, params, s->tree->n_runs * sizeof *params);
    at->forest = forest;
    return FB_EXIT_OK;
}

/* *out NULL: there are no such queries, and the cells are in the document's list. */
static enum fb_exit make_adversary(struct running *r, struct fb_lsm_standing *s,
                                   const struct fb_lsm_cell *cell, const struct fb_forest *forest,
                                   const struct fb_queries **out)
{
    const char *why;
    enum fb_err err = fb_lsm_adversary_queries(r->e, cell, forest, &s->timed, out, &why);
    if (err == FB_EINVAL) {
        skip_readings(r, cell, why ? why : fb_err_text(err));
        return FB_EXIT_OK;
    }
    return err ? fail(cell, err, why) : FB_EXIT_OK;
}

/* All readings of one filter and one stream: cells first .. first + n_readings - 1. */
static enum fb_exit run_stream(struct running *r, struct fb_lsm_standing *s,
                               const struct fb_lsm_cell *first, struct fb_params *params,
                               struct built *at)
{
    const struct fb_lsm *e = r->e;
    const struct fb_queries *queries = &s->queries[first->stream];
    const char *why = NULL;
    bool skipped = false;
    if (!queries->tree) {
        skip_readings(r, first, "the tree cannot serve these queries");
        return FB_EXIT_OK;
    }
    double share[FB_MAX_RUNS];
    fb_queries_shares(queries, share);
    enum fb_err err = fb_lsm_params(e, &e->filters[first->filter], s->tree, queries->spec.absent,
                                    share, params, &why);
    if (err == FB_EINVAL || err == FB_EUNSUPPORTED) {
        skip_readings(r, first, why ? why : fb_err_text(err));
        return FB_EXIT_OK;
    }
    if (err)
        return fail(first, err, why);
    enum fb_exit code = obtain(r, s, first, params, at, &skipped);
    if (code || skipped)
        return code;
    if (e->streams[first->stream].kind == FB_ADVERSARIAL)
        code = make_adversary(r, s, first, at->forest, &queries);
    if (code || !queries)
        return code;
    const json_t *cells = json_object_get(r->document, "cells");
    size_t first_json = json_array_size(cells);
    json_t *scans;
    double started = fb_seconds();
    code = fb_lsm_scans(e, first->id, at->forest, queries, r->n_threads, &r->progress, r->document,
                        &scans, &why);
    r->spent.count += fb_seconds() - started;
    for (size_t i = 0; i < e->n_readings && !code; i++)
        code = count_cell(r, s, first + i, at->forest, params, queries, scans, why);
    json_decref(scans);
    for (size_t i = first_json; s->traced.n_gets && i < json_array_size(cells); i++)
        json_object_set_new(json_object_get(json_array_get(cells, i), "tree"), "trace",
                            fb_lsm_traced_json(&s->traced));
    /* Lookups hash keys: they can ask all filters but those of prefixes alone. */
    if (!code && e->timed && at->forest->prefix.whole_key &&
        !fb_lsm_timed_add(&s->timed, at->forest, queries, first_json, e->n_readings))
        code = fail(first, FB_ENOMEM, NULL);
    return code;
}

/* ---- Timing ---- */

static enum fb_exit time_all(struct running *r, struct fb_lsm_standing *s)
{
    struct fb_walk_options options = r->e->options;
    size_t n = s->timed.n * (r->e->n_lookups + 1);
    if (!s->timed.n)
        return FB_EXIT_OK;
    options.cpu = r->cpu;
    options.budget_s *= (double)n / (double)(r->n_candidates + 1);
    double started = fb_seconds();
    char what[80];
    snprintf(what, sizeof what, "timing %zu lookups", n);
    fb_progress_add(&r->progress, 0, what);
    enum fb_exit code = fb_lsm_timed_measure(&s->timed, r->e, &options, r->document);
    r->spent.timing += fb_seconds() - started;
    fb_progress_add(&r->progress, (uint64_t)(options.budget_s * UNITS_PER_S), what);
    return code;
}

/* ---- Trees ---- */

static enum fb_exit run_tree(struct running *r, const struct fb_lsm_cell *first)
{
    const struct fb_lsm *e = r->e;
    struct fb_lsm_standing s = {0};
    struct built at = {0};
    struct fb_params params[FB_MAX_RUNS];
    double started = fb_seconds();
    fb_progress_add(&r->progress, 0, first->id);
    enum fb_exit code = fb_lsm_stand_up(e, first, r->file, r->document, &s);
    r->spent.tree += fb_seconds() - started;
    at.params = calloc(FB_MAX_RUNS, sizeof *at.params);
    if (!code && !at.params)
        code = fail(first, FB_ENOMEM, NULL);
    for (size_t f = 0; f < e->n_filters && !code; f++) {
        at.forest = NULL;
        if (!e->timed)
            fb_lsm_timed_drop(&s.timed);
        for (size_t i = 0; i < e->n_streams && !code; i++) {
            const struct fb_lsm_cell *cell = first + (f * e->n_streams + i) * e->n_readings;
            struct fb_lsm_demand demand;
            struct fb_problem problem;
            if (!fb_lsm_demand(e, cell, r->file, &demand, &problem)) {
                skip_readings(r, cell, problem.text);
                continue;
            }
            if (fb_lsm_timed_bytes(&s.timed) + demand.memory_bytes > fb_memory_limit()) {
                code = time_all(r, &s);
                fb_lsm_timed_drop(&s.timed);
                at.forest = NULL;
            }
            if (!code)
                code = run_stream(r, &s, cell, params, &at);
            if (!code && fb_interrupted())
                code = FB_EXIT_INTERRUPTED;
        }
    }
    if (!code)
        code = time_all(r, &s);
    free(at.params);
    fb_lsm_tear_down(&s);
    return code;
}

/* ---- The document ---- */

static void describe_resources(const struct spent *spent, json_t *document)
{
    struct rusage own, children;
    bool known = !getrusage(RUSAGE_SELF, &own) && !getrusage(RUSAGE_CHILDREN, &children);
    json_t *j = json_object();
    fb_json_known(j, "peak_bytes", known ? fb_json_int((uint64_t)own.ru_maxrss * 1024) : NULL,
                  "the system does not say");
    fb_json_known(j, "peak_child_bytes",
                  known ? fb_json_int((uint64_t)children.ru_maxrss * 1024) : NULL,
                  "the system does not say");
    json_object_set_new(j, "tree_s", json_real(spent->tree));
    json_object_set_new(j, "build_s", json_real(spent->build));
    json_object_set_new(j, "count_s", json_real(spent->count));
    json_object_set_new(j, "timing_s", json_real(spent->timing));
    json_object_set_new(j, "keys_built", fb_json_int(spent->keys));
    json_object_set_new(j, "queries_counted", fb_json_int(spent->queries));
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
        if (!fb_lsm_demand(e, cell, r->file, &demand, &problem))
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

enum fb_exit fb_lsm_run(const struct fb_lsm *e, const struct fb_keys *file, unsigned n_threads,
                        json_t *document)
{
    struct running r = {.e = e, .file = file, .n_threads = n_threads, .document = document};
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
                            fb_lsm_timing_json(e, r.cpu, fb_noise_json(&before, &after)));
    describe_resources(&r.spent, document);
    const json_t *none = json_array_get(json_object_get(document, "skipped"), 0);
    if (!code && !json_array_size(json_object_get(document, "cells"))) {
        fb_error("%s: no cell can be counted: %s: %s", e->name, fb_json_str(none, "id"),
                 fb_json_str(none, "why"));
        code = FB_EXIT_USAGE;
    }
    free(cells);
    return code;
}

/*
 * Running an experiment of kind "lsm". The pairs of a filter and a stream are numbered through all
 * trees. A run goes through them in steps: a step is a row of such pairs that one record of the
 * journal keeps, so that a run which is interrupted goes on at the next step.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/kind/lsm/run.h"
#include "harness/measure/noise.h"

/* ---- Where steps begin ---- */

/* Whether this run, or its shard, has anything to do for pair number i. */
static bool has_work(const struct fb_lsm_steps *s, size_t i)
{
    for (size_t r = 0; r < s->e->n_readings; r++) {
        const size_t number = i * s->e->n_readings + r;
        if (fb_lsm_share(s->e, s->work->shard, &s->cells[number], number).any)
            return true;
    }
    return false;
}

/* Whether a step may begin at pair i: nothing that was built for an earlier pair is needed. */
static bool may_begin(const struct fb_lsm_steps *s, size_t i)
{
    const struct fb_lsm_cell *cell = &s->cells[i * s->e->n_readings];
    const bool begins = fb_lsm_begins_group(s->e, cell->filter);
    const bool ends =
        cell->filter + 1 == s->e->n_filters || fb_lsm_begins_group(s->e, cell->filter + 1);
    return begins && (ends || cell->stream == 0);
}

/* Tells the journal how many steps there are. FB_EXIT_IO as fb_journal_expect. */
static enum fb_exit open_steps(const struct fb_lsm *e, struct fb_work *work,
                               const struct fb_lsm_cell *cells, struct fb_lsm_steps *s)
{
    const size_t per_tree = e->n_filters * e->n_streams;
    bool open = false; /* a step has begun, which has something to do */
    *s = (struct fb_lsm_steps){.e = e, .work = work, .cells = cells, .per_tree = per_tree};
    for (size_t i = 0; i < e->n_trees * per_tree; i++) {
        const bool begins = e->timed ? i % per_tree == 0 : may_begin(s, i);
        open = open && !begins;
        if (!open && has_work(s, i)) {
            s->n++;
            open = true;
        }
    }
    s->n += e->device_folder != NULL;
    return fb_journal_expect(work->journal, s->n);
}

/* ---- Recalling and keeping ---- */

static size_t n_rows(const json_t *document)
{
    return json_array_size(json_object_get(document, "cells")) +
           json_array_size(json_object_get(document, "skipped"));
}

/*
 * The number of the pair behind the step that began at pair `begun` and added n_rows rows to the
 * document. Steps without times end where the next one may begin. A step with times ends early if
 * memory is full, so only its rows tell how far it went.
 */
static size_t end_of_step(const struct fb_lsm_steps *s, size_t begun, size_t n_rows)
{
    const size_t end = begun - begun % s->per_tree + s->per_tree;
    size_t i = begun, done = 0;
    do {
        done += has_work(s, i) ? s->e->n_readings : 0;
        i++;
    } while (i < end && (s->e->timed ? done < n_rows : !may_begin(s, i)));
    return i;
}

/* Corrects the number of steps in the journal: a timed step that ended before its tree leaves one
 * more step to do. */
static enum fb_exit expect_rest(struct fb_lsm_steps *s, size_t end)
{
    bool more = false;
    for (size_t i = end; s->e->timed && i % s->per_tree; i++)
        more = more || has_work(s, i);
    s->n += more;
    return fb_journal_expect(s->work->journal, s->n);
}

/* Sets the number of the next batch of timing, which goes on behind the cells from the journal. */
static void count_batches(struct fb_lsm_steps *s)
{
    const json_t *cells = json_object_get(s->work->document, "cells");
    FB_EACH(cell, cells) {
        const json_t *batch = fb_json_at(cell, "timed.batch");
        if (batch)
            s->n_batches = (size_t)json_integer_value(batch) + 1;
    }
}

/* Takes the step that begins at *i from the journal, and sets *i to its end. False: the journal
 * does not have it. */
static bool recall_step(struct fb_lsm_steps *s, size_t *i, enum fb_exit *code)
{
    const json_t *document = s->work->document;
    const size_t before = n_rows(document);
    if (!fb_work_recall(s->work, s->cells[*i * s->e->n_readings].id))
        return false;
    *i = end_of_step(s, *i, n_rows(document) - before);
    count_batches(s);
    *code = expect_rest(s, *i);
    return true;
}

/* A tree that is made again, for its next step, repeats its warnings. Keeps the first of each. */
static void drop_repeated_warnings(const struct fb_work *work)
{
    json_t *warnings = json_object_get(work->document, "warnings");
    for (size_t i = json_array_size(warnings); i-- > 1;) {
        size_t j = 0;
        while (j < i && !json_equal(json_array_get(warnings, i), json_array_get(warnings, j)))
            j++;
        if (j < i)
            json_array_remove(warnings, i);
    }
}

/* Keeps the step from begun to end - 1. Codes as fb_work_keep. */
static enum fb_exit keep_step(struct fb_lsm_steps *s, size_t begun, size_t end)
{
    drop_repeated_warnings(s->work);
    const enum fb_exit code = expect_rest(s, end);
    return code ? code : fb_work_keep(s->work, s->cells[begun * s->e->n_readings].id);
}

/* ---- The device ---- */

enum fb_exit fb_lsm_steps_device(struct fb_lsm *e, struct fb_work *work)
{
    static const char step[] = "device";
    json_t *warnings = json_object_get(work->document, "warnings");
    if (!e->device_folder)
        return FB_EXIT_OK;
    if (fb_work_recall(work, step))
        return fb_lsm_take_device(e, fb_journal_find(work->journal, step))
                   ? FB_EXIT_OK
                   : fb_fail(e->name, FB_EINVAL, "the journal's device is not that measured");
    const size_t before = json_array_size(warnings);
    enum fb_exit code = fb_lsm_measure_device(e, work->document);
    if (code)
        return code;
    json_auto_t *record = json_pack("{s:o, s:[]}", "devices", fb_lsm_devices(e), "warnings");
    for (size_t i = before; i < json_array_size(warnings); i++)
        json_array_append(json_object_get(record, "warnings"), json_array_get(warnings, i));
    code = fb_journal_add(work->journal, step, record);
    return code;
}

/* ---- Trees ---- */

/* What filter and stream number i take, in units of progress. */
static uint64_t units_of(const struct fb_lsm_running *r, size_t i)
{
    const struct fb_lsm *e = r->e;
    const struct fb_lsm_cell *first = &r->cells[i * e->n_readings];
    struct fb_lsm_demand demand;
    struct fb_problem problem;
    if (!has_work(&r->steps, i) || !fb_lsm_demand(e, first, &demand, &problem))
        return 0;
    uint64_t units = first->stream == 0 || demand.window_bytes ? demand.n_keys : 0;
    units += i % r->steps.per_tree ? 0 : demand.n_keys / 2; /* the tree */
    for (const struct fb_lsm_cell *c = first; c < first + e->n_readings; c++) {
        const struct fb_lsm_share share =
            fb_lsm_share(e, r->steps.work->shard, c, (size_t)(c - r->cells));
        units += FB_QUERY_UNITS *
                 (share.end - share.first + (e->readings[c->reading].cache_bytes ? e->warm : 0));
        units += c == first ? share.end_scan - share.first_scan : 0;
    }
    return units;
}

/* What its lookups are timed for. */
static double seconds_of(const struct fb_lsm_running *r, size_t i)
{
    return r->e->timed && units_of(r, i)
               ? fb_lsm_likely_s(&r->e->options, r->e->n_lookups + 1, r->n_candidates)
               : 0;
}

static void drop_forests(struct fb_lsm_running *r)
{
    fb_lsm_timed_drop(&r->standing.timed);
    r->forest = NULL;
}

static bool is_full(const struct fb_lsm_running *r, const struct fb_lsm_demand *demand)
{
    return fb_lsm_timed_bytes(&r->standing.timed) + demand->memory_bytes > fb_memory_limit();
}

/* The filters that stand are timed first where there is no room for more. */
static enum fb_exit run_group(struct fb_lsm_running *r, const struct fb_lsm_cell *first)
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
        fb_lsm_skip(r, first, problem.text);
        return FB_EXIT_OK;
    }
    if (is_full(r, &demand)) {
        code = fb_lsm_run_batch(r);
        drop_forests(r);
    }
    if (!code)
        code = fb_lsm_run_stream(r, first);
    return !code && fb_interrupted() ? FB_EXIT_INTERRUPTED : code;
}

/* Whether the step ends before filter and stream i. */
static bool ends_before(const struct fb_lsm_running *r, size_t i)
{
    struct fb_lsm_demand demand;
    struct fb_problem problem;
    if (!may_begin(&r->steps, i))
        return false;
    return !r->e->timed ||
           (fb_lsm_demand(r->e, &r->cells[i * r->e->n_readings], &demand, &problem) &&
            is_full(r, &demand));
}

/* The step that begins at *i, of the tree that ends at `end`; *i is then behind it. */
static enum fb_exit run_step(struct fb_lsm_running *r, size_t *i, size_t end)
{
    const struct fb_lsm_cell *first = &r->cells[*i * r->e->n_readings];
    const size_t begun = *i;
    enum fb_exit code = FB_EXIT_OK;
    if (recall_step(&r->steps, i, &code)) {
        for (size_t j = begun; j < *i; j++) {
            r->progress.total -= units_of(r, j);
            r->progress.known_s -= seconds_of(r, j);
        }
        return code;
    }
    if (!r->standing.tree) {
        double started = fb_seconds();
        fb_progress_add(&r->progress, 0, first->id);
        code = fb_lsm_stand_up(r->e, first - begun % r->steps.per_tree * r->e->n_readings,
                               r->document, &r->standing);
        r->spent.tree += fb_seconds() - started;
        if (!code)
            fb_progress_add(&r->progress, r->standing.tree->space->n_present / 2, first->id);
    }
    do {
        if (!code && has_work(&r->steps, *i))
            code = run_group(r, &r->cells[*i * r->e->n_readings]);
        ++*i;
    } while (!code && *i < end && !ends_before(r, *i));
    if (!code)
        code = fb_lsm_run_batch(r);
    if (r->e->timed)
        drop_forests(r);
    return code ? code : keep_step(&r->steps, begun, *i);
}

static enum fb_exit run_tree(struct fb_lsm_running *r, size_t tree)
{
    const size_t end = (tree + 1) * r->steps.per_tree;
    enum fb_exit code = FB_EXIT_OK;
    r->filter = r->e->n_filters; /* none */
    for (size_t i = tree * r->steps.per_tree; i < end && !code;) {
        if (has_work(&r->steps, i))
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

static void describe_resources(const struct fb_lsm_spent *spent, json_t *document)
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

/* Of all candidates of timing, in all shards; and all that the bar of progress goes through. */
static void survey(struct fb_lsm_running *r)
{
    const size_t n = r->e->n_trees * r->steps.per_tree;
    struct fb_lsm_demand demand;
    struct fb_problem problem;
    fb_progress_start(&r->progress, "run", 0);
    for (size_t i = 0; i < n; i++)
        if (fb_lsm_demand(r->e, &r->cells[i * r->e->n_readings], &demand, &problem))
            r->n_candidates += r->e->n_lookups + 1;
    for (size_t i = 0; i < n; i++) {
        r->progress.total += units_of(r, i);
        r->progress.known_s += seconds_of(r, i);
    }
}

enum fb_exit fb_lsm_run(const struct fb_lsm *e, unsigned n_threads, struct fb_work *work)
{
    json_t *document = work->document;
    struct fb_lsm_running r = {.e = e, .n_threads = n_threads, .document = document};
    size_t n_cells;
    struct fb_lsm_cell *cells = fb_lsm_cells(e, &n_cells);
    struct fb_noise before, after;
    if (!cells)
        return fb_fail(e->name, FB_ENOMEM, NULL);
    r.cells = cells;
    enum fb_exit code = open_steps(e, work, cells, &r.steps);
    json_object_set_new(document, "devices", fb_lsm_devices(e));
    r.cpu = e->options.cpu;
    if (e->timed && r.cpu == FB_CPU_AUTO)
        r.cpu = fb_idlest_cpu();
    fb_noise_read(&before);
    survey(&r);
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

#include "harness/document/merge.h"

#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/message.h"
#include "harness/document/compare.h"
#include "harness/document/counted.h"
#include "harness/document/points.h"

/* ---- The runs ---- */

/* Each run once, in order: an object by the hash of its content. */
static json_t *sort_runs(const json_t *by_hash)
{
    static const char *const order[] = {"machine", "started", "hash", NULL};
    json_auto_t *places = json_array();
    json_t *sorted = json_object();
    FB_EACH_MEMBER(hash, document, by_hash) {
        char machine[17];
        fb_machine_key_of(json_object_get(document, "machine"), machine);
        json_array_append_new(places,
                              json_pack("{s:s, s:s, s:s}", "machine", machine, "started",
                                        fb_json_str(document, "run.started"), "hash", hash));
    }
    fb_points_sort(places, order);
    FB_EACH(place, places) {
        const char *hash = fb_json_str(place, "hash");
        json_object_set(sorted, hash, json_object_get(by_hash, hash));
    }
    return sorted;
}

/* ---- What can be merged ---- */

static enum fb_exit refuse_run(const char *name, const char *why)
{
    fb_error("merge: %s: %s", name, why);
    return FB_EXIT_NOT_COMPARABLE;
}

/* Whether the run belongs to the first one of all. */
static enum fb_exit check_run(const char *name, const json_t *first, const json_t *run)
{
    static const char *const experiment[] = {"kind", "experiment_hash", "run.seed_root", NULL};
    struct fb_shard shard, other;
    const char *ours = fb_json_str(first, "key_file.xxh3_128");
    if (!fb_json_same(first, run, experiment))
        return refuse_run(name, "of another experiment than the first result; `filterbench report` "
                                "shows both on one page");
    if (strcmp(ours, fb_json_str(run, "key_file.xxh3_128")) != 0)
        return refuse_run(name, "of another file of keys than the first result");
    if (!fb_shard_read(run, &shard) || !fb_shard_read(first, &other))
        return refuse_run(name, "run.shard: give an index and a number of shards");
    if (!json_is_true(fb_json_at(run, "run.complete")))
        return refuse_run(name, "its run did not finish; run it again with --resume first");
    return FB_EXIT_OK;
}

/* The runs in all documents, by hash; wholes: documents with the cells of those that have none. */
static enum fb_exit gather(const json_t *const *documents, const char *const *names, size_t n,
                           json_t *by_hash, json_t *wholes, unsigned *of)
{
    enum fb_exit code = FB_EXIT_OK;
    json_t *first = NULL;
    *of = 0;
    for (size_t i = 0; i < n && !code; i++) {
        json_t *here = json_object();
        fb_counted_recall(documents[i], here, wholes);
        json_t *runs = fb_runs_within(documents[i]);
        FB_EACH(run, runs)
            json_object_set(here, fb_json_str(run, "content_xxh3_128"), run);
        json_decref(runs);
        FB_EACH_MEMBER(hash, run, here) {
            struct fb_shard shard;
            first = first ? first : json_incref(run);
            code = code ? code : check_run(names[i], first, run);
            if (code || !fb_shard_read(run, &shard))
                break;
            if (shard.of > 1 && *of && *of != shard.of)
                code = refuse_run(names[i], "a shard of another split than one before it");
            *of = shard.of > 1 ? shard.of : *of;
            json_object_set(by_hash, hash, run);
        }
        json_decref(here);
    }
    json_decref(first);
    return code;
}

/* ---- Runs against each other ---- */

/* Holds the cells of a run against those known from runs before it, and adds those that are new. */
static enum fb_exit check_cells(json_t *known, const json_t *run, const char *unit)
{
    struct fb_problem why;
    enum fb_exit code = FB_EXIT_OK;
    json_t *counts = fb_counts(run);
    if (!fb_comparable(known, counts, &why)) {
        fb_error("merge: %s", why.text);
        code = FB_EXIT_NOT_COMPARABLE;
    } else {
        json_t *report = fb_compare(known, counts);
        json_object_set_new(report, "missing", json_array()); /* cells of other shards */
        code = fb_compare_judge("merge", report, unit);
        json_decref(report);
    }
    json_t *there = fb_result_by_id(known);
    FB_EACH(cell, json_object_get(counts, "cells"))
        if (!json_object_get(there, fb_json_str(cell, "id")))
            json_array_append(json_object_get(known, "cells"), cell);
    json_decref(there);
    json_decref(counts);
    return code;
}

/* The fragments of a run against those of an earlier run of the same shard. */
static enum fb_exit check_fragments(const json_t *earlier, const json_t *run)
{
    const json_t *ours = json_object_get(earlier, "fragments");
    const json_t *theirs = json_object_get(run, "fragments");
    if (fb_counted_same(earlier, run)) /* none: both are of the whole */
        return FB_EXIT_OK;
    size_t i = 0;
    while (ours && theirs && json_equal(json_array_get(ours, i), json_array_get(theirs, i)))
        i++;
    const json_t *which = i < json_array_size(ours) ? ours : theirs;
    const char *id = ours && theirs ? fb_json_str(json_array_get(which, i), "id") : "";
    fb_error("merge: %s%stwo runs of shard %llu of %llu have not counted the same", id,
             *id ? ": " : "", (unsigned long long)fb_json_uint(run, "run.shard.index"),
             (unsigned long long)fb_json_uint(run, "run.shard.of"));
    return FB_EXIT_CORRECTNESS;
}

/* Holds the exact facts of runs, documents in their order, against each other: cells that two have,
 * and fragments of one shard. FB_EXIT_NOT_COMPARABLE or FB_EXIT_CORRECTNESS with a line on stderr.
 */
static enum fb_exit check_runs(const struct fb_kind *kind, const json_t *runs)
{
    json_auto_t *known = json_object(), *shards = json_object(); /* by machine; by number */
    enum fb_exit code = FB_EXIT_OK;
    FB_EACH(run, runs) {
        char machine[17] = "", shard[24];
        if (kind->sharing->of_machine)
            fb_machine_key_of(json_object_get(run, "machine"), machine);
        snprintf(shard, sizeof shard, "%llu",
                 (unsigned long long)fb_json_uint(run, "run.shard.index"));
        const json_t *earlier = json_object_get(shards, shard);
        if (!code && earlier)
            code = check_fragments(earlier, run);
        else if (!earlier)
            json_object_set(shards, shard, run);
        json_t *counts = json_object_get(known, machine);
        if (!code && counts)
            code = check_cells(counts, run, kind->unit);
        else if (!counts)
            json_object_set_new(known, machine, fb_counts(run));
    }
    return code;
}

/* ---- Cells ---- */

/* The fragments of all runs: by id, by shard number, of each the first. */
static json_t *index_fragments(const json_t *runs)
{
    json_t *by_id = json_object();
    FB_EACH(run, runs) {
        struct fb_shard shard;
        char number[24];
        (void)fb_shard_read(run, &shard);
        snprintf(number, sizeof number, "%u", shard.index);
        FB_EACH(fragment, json_object_get(run, "fragments")) {
            const char *id = fb_json_str(fragment, "id");
            if (!json_object_get(by_id, id))
                json_object_set_new(by_id, id, json_object());
            json_t *of_cell = json_object_get(by_id, id);
            if (!json_object_get(of_cell, number))
                json_object_set(of_cell, number, fragment);
        }
    }
    return by_id;
}

/* Those of one cell in the order of their blocks. */
static json_t *in_order(const json_t *of_cell, size_t cell, unsigned of)
{
    json_t *list = json_array();
    for (unsigned stretch = 0; of_cell && stretch < of; stretch++) {
        char number[24];
        snprintf(number, sizeof number, "%u", (unsigned)((stretch + cell) % of));
        json_array_append(list, json_object_get(of_cell, number));
    }
    return list;
}

static enum fb_exit contradict(const char *id, const char *why)
{
    fb_error("merge: %s: %s", id, why);
    return FB_EXIT_CORRECTNESS;
}

/* The cell of all its fragments, or NULL. */
static enum fb_exit put_together(const struct fb_opened *e, size_t number, const char *id,
                                 const json_t *fragments, bool partial, const json_t *whole,
                                 json_t **cell)
{
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_OK;
    fb_refuse(&problem, "%s", fb_err_text(FB_ENOMEM));
    *cell = NULL;
    if (json_array_size(fragments) &&
        !e->kind->sharing->unite(e->self, number, fragments, partial, cell, &problem))
        code = contradict(id, problem.text);
    if (!code && whole && *cell) {
        json_auto_t *ours = e->kind->exact(whole), *theirs = e->kind->exact(*cell);
        const char *where = NULL;
        if (!fb_json_agree(ours, theirs, &where))
            code = contradict(id, "its shards together have not counted what another run has");
    }
    return code;
}

/*
 * Adds to "cells" and "skipped" of `merged` those of the runs, in the order of ids; cells of which
 * all fragments are there are put together. *missing: how many cells are not there; *first: the id
 * of the first of them, of ids. FB_EXIT_CORRECTNESS with a line on stderr where fragments
 * contradict each other or a whole cell.
 */
static enum fb_exit unite(const struct fb_opened *e, const json_t *runs, const json_t *ids,
                          bool partial, json_t *merged, size_t *missing, const char **first)
{
    json_auto_t *cells = fb_result_rows(runs, "cells"), *skipped = fb_result_rows(runs, "skipped");
    json_auto_t *fragments = index_fragments(runs);
    const unsigned of = (unsigned)fb_json_uint(merged, "merged.shards.of");
    enum fb_exit code = FB_EXIT_OK;
    size_t number = 0;
    *missing = 0;
    FB_EACH_MEMBER(id, known, ids) {
        json_t *cell = json_object_get(cells, id), *skip = json_object_get(skipped, id),
               *united = NULL;
        json_t *parts = in_order(json_object_get(fragments, id), number, of);
        code = code ? code : put_together(e, number++, id, parts, partial && !cell, cell, &united);
        json_decref(parts);
        if (united && json_object_get(united, "why"))
            skip = skip ? skip : united;
        else if (!cell)
            cell = united;
        if (!code && cell && skip)
            code = contradict(id, "one run has measured it, another has skipped it");
        json_array_append_new(json_object_get(merged, cell ? "cells" : "skipped"),
                              json_deep_copy(cell ? cell : skip)); /* derive() is to change it */
        if (!cell && !skip && !(*missing)++)
            *first = id;
        json_decref(united);
    }
    return code;
}

/* ---- The document ---- */

/* What all runs have there, or null. */
static void set_common(json_t *merged, const char *name, const json_t *runs)
{
    json_t *common = json_object_get(json_array_get(runs, 0), name);
    FB_EACH(run, runs)
        if (common && !json_equal(common, json_object_get(run, name)))
            common = NULL;
    fb_json_known(merged, name, json_incref(common), "the runs differ: see parts");
}

static json_t *shards_of(const json_t *runs, unsigned of, size_t *n_there)
{
    json_t *there = json_array();
    *n_there = 0;
    for (unsigned s = 1; s <= of; s++) {
        bool found = false;
        FB_EACH(run, runs)
            found = found || fb_json_uint(run, "run.shard.index") == s;
        if (found)
            json_array_append_new(there, json_integer(s));
    }
    *n_there = json_array_size(there);
    if (of)
        return json_pack("{s:i, s:o}", "of", (int)of, "there", there);
    json_decref(there);
    return NULL;
}

/* Whether one run is of the whole experiment. */
static bool any_whole(const json_t *runs)
{
    FB_EACH(run, runs)
        if (!fb_json_at(run, "run.shard"))
            return true;
    return false;
}

static json_t *about_runs(const json_t *runs, unsigned of, bool side_by_side, bool *all)
{
    char key[17], last[17] = "";
    const char *started = "";
    double elapsed_s = 0;
    json_int_t machines = 0;
    size_t n_there;
    FB_EACH(run, runs) {
        const char *its = fb_json_str(run, "run.started");
        fb_machine_key_of(json_object_get(run, "machine"), key);
        machines += strcmp(key, last) != 0;
        memcpy(last, key, sizeof key);
        started = !*started || strcmp(its, started) < 0 ? its : started;
        elapsed_s += fb_json_num(run, "run.elapsed_s");
    }
    json_t *merged = json_pack("{s:o, s:I, s:b}", "runs", fb_json_int(json_array_size(runs)),
                               "machines", machines, "side_by_side", side_by_side);
    fb_json_known(merged, "shards", shards_of(runs, of, &n_there), "the runs are no shards");
    *all = any_whole(runs) || n_there == of;
    json_t *about = json_pack("{s:s, s:f, s:b, s:[ss], s:O}", "started", started, "elapsed_s",
                              elapsed_s, "complete", 0, "argv", "filterbench", "merge", "seed_root",
                              fb_json_at(json_array_get(runs, 0), "run.seed_root"));
    json_t *plugins = (json_t *)fb_json_at(json_array_get(runs, 0), "run.plugins");
    if (plugins)
        json_object_set(about, "plugins", plugins);
    return json_pack("{s:o, s:o}", "run", about, "merged", merged);
}

/* Members of the first run that has each. */
static void take_beside(const json_t *runs, const char *const *names, json_t *merged)
{
    for (; names && *names; names++) {
        for (size_t i = 0; i < json_array_size(runs) && !json_object_get(merged, *names); i++)
            if (json_object_get(json_array_get(runs, i), *names))
                json_object_set(merged, *names, json_object_get(json_array_get(runs, i), *names));
    }
}

/* Each warning of the runs once. */
static void take_warnings(const json_t *runs, json_t *merged)
{
    json_t *all = json_object_get(merged, "warnings");
    FB_EACH(run, runs) {
        FB_EACH(warning, json_object_get(run, "warnings"))
            if (!fb_json_has(all, warning))
                json_array_append(all, warning);
    }
}

static json_t *begin(const json_t *parts, const json_t *runs, json_t *about)
{
    static const char *const common[] = {"tool", "machine", "build", NULL};
    static const char *const first[] = {
        "$schema",  "schema",          "kind", "experiment", "experiment_hash",
        "key_file", "key_file_reason", NULL};
    json_t *merged = json_object();
    take_beside(runs, first, merged);
    json_object_update_new(merged, about);
    for (size_t i = 0; common[i]; i++)
        set_common(merged, common[i], runs);
    json_object_set_new(merged, "cells", json_array());
    json_object_set_new(merged, "skipped", json_array());
    json_object_set_new(merged, "warnings", json_array());
    take_warnings(runs, merged);
    json_object_set(merged, "parts", (json_t *)parts);
    return merged;
}

/* The warnings of what was derived, beside those of the runs. */
static void warn(const struct fb_kind *kind, json_t *merged)
{
    json_auto_t *of_runs = json_incref(json_object_get(merged, "warnings"));
    json_object_set_new(merged, "warnings", json_array());
    if (kind->warn)
        kind->warn(merged);
    json_auto_t *both = json_pack("[{s:O}, {s:O}]", "warnings", of_runs, "warnings",
                                  json_object_get(merged, "warnings"));
    json_object_set_new(merged, "warnings", json_array());
    take_warnings(both, merged);
}

/* The cells of all runs, and what follows from them. */
static enum fb_exit fill(const struct fb_opened *e, const json_t *runs, bool all, bool partial,
                         json_t *merged)
{
    const struct fb_sharing *sharing = e->kind->sharing;
    struct fb_problem problem;
    size_t missing = 0;
    const char *first = "";
    fb_refuse(&problem, "%s", fb_err_text(FB_ENOMEM));
    take_beside(runs, sharing->beside, merged);
    json_t *ids = e->kind->ids(e->self, merged, &problem);
    enum fb_exit code = FB_EXIT_CORRECTNESS;
    if (ids)
        code = unite(e, runs, ids, partial, merged, &missing, &first);
    else
        fb_error("merge: %s", problem.text);
    if (!code && all && missing) {
        fb_error("merge: %s: no run has it", first);
        code = FB_EXIT_CORRECTNESS;
    }
    if (!code && !e->kind->derive(e->self, merged, &problem)) {
        fb_error("merge: %s", problem.text);
        code = FB_EXIT_CORRECTNESS;
    }
    if (!code)
        warn(e->kind, merged);
    json_decref(ids);
    return code;
}

enum fb_exit fb_merge(const json_t *const *documents, const char *const *names, size_t n,
                      bool partial, json_t **merged)
{
    struct fb_opened e = {0};
    struct fb_problem problem;
    unsigned of;
    bool all = false;
    json_t *by_hash = json_object(), *wholes = json_array(), *parts = NULL, *runs = NULL;
    *merged = NULL;
    enum fb_exit code = gather(documents, names, n, by_hash, wholes, &of);
    if (!code) {
        parts = sort_runs(by_hash);
        json_t *whole = json_pack("{s:{}, s:O}", "merged", "parts", parts);
        runs = fb_runs_within(whole);
        json_decref(whole);
        if (!fb_kind_open(json_object_get(json_array_get(runs, 0), "experiment"), &e, &problem)) {
            fb_error("merge: %s", problem.text);
            code = FB_EXIT_USAGE;
        } else if (!e.kind->sharing) {
            fb_error("merge: results of kind %s are one measurement each", e.kind->name);
            code = FB_EXIT_USAGE;
        }
    }
    json_t *about = code ? NULL : about_runs(runs, of, fb_is_timed(&e), &all);
    *merged = code ? NULL : begin(parts, runs, about);
    json_array_extend(runs, wholes);
    if (!code)
        code = check_runs(e.kind, runs);
    if (!code) {
        if (!fb_is_timed(&e))
            code = fill(&e, runs, all, partial, *merged);
        if (!fb_is_timed(&e) && json_array_size(fb_json_at(*merged, "merged.shards.there")) == of)
            fb_counted_keep(*merged);
        fb_result_finish(*merged, fb_json_num(*merged, "run.elapsed_s"), all);
    }
    if (code) {
        json_decref(*merged);
        *merged = NULL;
    }
    fb_kind_close(&e);
    json_decref(runs);
    json_decref(parts);
    json_decref(wholes);
    json_decref(by_hash);
    return code;
}

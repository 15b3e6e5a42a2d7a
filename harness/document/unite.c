#include "harness/document/unite.h"

#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/message.h"
#include "harness/document/compare.h"

/* ---- Runs against each other ---- */

/* Holds the cells of a run against those known from runs before it, and adds those that are new. */
static enum fb_exit check_cells(json_t *known, const json_t *run, const char *unit)
{
    struct fb_problem why;
    enum fb_exit code = FB_EXIT_OK;
    json_t *counts = fb_counts(run), *cell;
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
    size_t i;
    json_array_foreach(json_object_get(counts, "cells"), i, cell)
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
    if ((!ours && !theirs) || json_equal(ours, theirs)) /* none: both are of the whole */
        return FB_EXIT_OK;
    size_t i = 0;
    while (json_equal(json_array_get(ours, i), json_array_get(theirs, i)))
        i++;
    const json_t *which = i < json_array_size(ours) ? ours : theirs;
    fb_error("merge: %s: two runs of shard %llu of %llu have not counted the same",
             fb_json_str(json_array_get(which, i), "id"),
             (unsigned long long)fb_json_uint(run, "run.shard.index"),
             (unsigned long long)fb_json_uint(run, "run.shard.of"));
    return FB_EXIT_CORRECTNESS;
}

enum fb_exit fb_unite_check(const struct fb_kind *kind, const json_t *runs)
{
    json_t *known = json_object(), *shards = json_object(), *run; /* by machine; by number */
    enum fb_exit code = FB_EXIT_OK;
    size_t i;
    json_array_foreach((json_t *)runs, i, run) {
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
    json_decref(known);
    json_decref(shards);
    return code;
}

/* ---- Cells ---- */

/* The fragments of all runs: by id, by shard number, of each the first. */
static json_t *index_fragments(const json_t *runs)
{
    json_t *by_id = json_object(), *run, *fragment;
    size_t r, i;
    json_array_foreach((json_t *)runs, r, run) {
        struct fb_shard shard;
        char number[24];
        (void)fb_shard_read(run, &shard);
        snprintf(number, sizeof number, "%u", shard.index);
        json_array_foreach(json_object_get(run, "fragments"), i, fragment) {
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

/* The rows of a list of all runs by id, of each the first. */
static json_t *index_rows(const json_t *runs, const char *list)
{
    json_t *by_id = json_object(), *row;
    size_t r, i;
    json_t *run;
    json_array_foreach((json_t *)runs, r, run) {
        json_array_foreach(json_object_get(run, list), i, row) {
            const char *id = fb_json_str(row, "id");
            if (!json_object_get(by_id, id))
                json_object_set(by_id, id, row);
        }
    }
    return by_id;
}

static enum fb_exit contradict(const char *id, const char *why)
{
    fb_error("merge: %s: %s", id, why);
    return FB_EXIT_CORRECTNESS;
}

/* The cell of all its fragments, or NULL. */
static enum fb_exit put_together(const struct fb_opened *e, size_t number, const char *id,
                                 const json_t *fragments, const json_t *whole, json_t **cell)
{
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_OK;
    fb_refuse(&problem, "%s", fb_err_text(FB_ENOMEM));
    *cell = NULL;
    if (json_array_size(fragments) &&
        !e->kind->sharing->unite(e->self, number, fragments, cell, &problem))
        code = contradict(id, problem.text);
    if (!code && whole && *cell) {
        json_t *ours = e->kind->exact(whole), *theirs = e->kind->exact(*cell);
        const char *where = NULL;
        if (!fb_json_agree(ours, theirs, &where))
            code = contradict(id, "its shards together have not counted what another run has");
        json_decref(ours);
        json_decref(theirs);
    }
    return code;
}

enum fb_exit fb_unite(const struct fb_opened *e, const json_t *runs, const json_t *ids,
                      json_t *merged, size_t *missing, const char **first)
{
    json_t *cells = index_rows(runs, "cells"), *skipped = index_rows(runs, "skipped"), *known;
    json_t *fragments = index_fragments(runs);
    const unsigned of = (unsigned)fb_json_uint(merged, "merged.shards.of");
    enum fb_exit code = FB_EXIT_OK;
    const char *id;
    size_t number = 0;
    *missing = 0;
    json_object_foreach((json_t *)ids, id, known) {
        json_t *cell = json_object_get(cells, id), *skip = json_object_get(skipped, id),
               *united = NULL;
        json_t *parts = in_order(json_object_get(fragments, id), number, of);
        code = code ? code : put_together(e, number++, id, parts, cell, &united);
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
    json_decref(fragments);
    json_decref(cells);
    json_decref(skipped);
    return code;
}

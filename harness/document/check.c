#include "harness/document/check.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/message.h"
#include "harness/base/screen.h"
#include "harness/document/compare.h"
#include "harness/document/members.h"
#include "harness/document/merge.h"

static enum fb_exit wrong(const char *path, const char *what, const char *why)
{
    fb_error("%s: %.600s: %s", path, what, why);
    return FB_EXIT_CORRECTNESS;
}

/* The plugins of a document that are not all there: their designs are unknown without them. */
static void tell_plugins(const json_t *json)
{
    FB_EACH(plugin, fb_json_at(json, "run.plugins")) {
        bool known = true;
        FB_EACH(name, json_object_get(plugin, "designs"))
            known = known && json_is_string(name) && fb_design_find(json_string_value(name));
        if (!known)
            fb_note("it was made with the plugin %s (%s, %s); give that file with --plugin",
                    fb_json_str(plugin, "path"), fb_json_str(plugin, "name"),
                    fb_json_str(plugin, "revision"));
    }
}

static enum fb_exit open_experiment(const char *path, const json_t *json, struct fb_opened *e)
{
    struct fb_problem problem;
    const json_t *experiment = json_object_get(json, "experiment");
    memset(e, 0, sizeof *e);
    if (!fb_kind_open(experiment, e, &problem)) {
        fb_error("%s: experiment: %s", path, problem.text);
        tell_plugins(json);
        return FB_EXIT_USAGE;
    }
    if (strcmp(fb_json_str(json, "kind"), e->kind->name) != 0)
        fb_error("%s: kind is not that of the experiment (%s); the file was changed after it was "
                 "written",
                 path, e->kind->name);
    else if (strcmp(fb_json_str(json, "experiment_hash"), e->hash_hex) != 0)
        fb_error("%s: experiment_hash is not that of the experiment (%s); the file was changed "
                 "after it was written, so measure again",
                 path, e->hash_hex);
    else
        return FB_EXIT_OK;
    return FB_EXIT_CORRECTNESS;
}

enum fb_exit fb_document_check_experiment(const char *path, const json_t *json)
{
    struct fb_opened e = {0};
    enum fb_exit code = FB_EXIT_OK;
    if (json_object_get(json, "experiment"))
        code = open_experiment(path, json, &e);
    fb_kind_close(&e);
    return code;
}

/* ---- Each cell once ---- */

/* Marks the rows of `name` as seen. `measured`: whether they are cells. */
static enum fb_exit take_rows(const char *path, const json_t *document, const char *name,
                              bool measured, const json_t *ids, json_t *seen)
{
    FB_EACH(row, json_object_get(document, name)) {
        const char *id = json_string_value(json_object_get(row, "id"));
        const json_t *expected = id ? json_object_get(ids, id) : NULL;
        if (!expected)
            return wrong(path, id ? id : "a cell without id", "the experiment has no such cell");
        if (json_object_get(seen, id))
            return wrong(path, id, "it is there twice");
        if (measured && json_is_false(expected))
            return wrong(path, id, "measured, though it cannot be");
        if (!measured && json_is_true(expected))
            return wrong(path, id, "skipped, though it can be measured");
        json_object_set_new(seen, id, json_true());
    }
    return FB_EXIT_OK;
}

static enum fb_exit check_ids(const char *path, const json_t *document, const json_t *ids)
{
    json_t *seen = json_object();
    const bool complete = json_is_true(fb_json_at(document, "run.complete")) &&
                          !fb_json_at(document, "run.shard"); /* others have the rest */
    enum fb_exit code = take_rows(path, document, "cells", true, ids, seen);
    if (!code)
        code = take_rows(path, document, "skipped", false, ids, seen);
    FB_EACH_MEMBER(id, expected, ids) {
        if (!code && complete && !json_object_get(seen, id))
            code = wrong(path, id, "the cell is missing, so the result is incomplete");
    }
    json_decref(seen);
    return code;
}

/* ---- Shards and merged documents ---- */

/* A shard's fragment of cell `number`, NULL where none is written; `whole`: of a run that ended. */
static enum fb_exit check_fragment(const char *path, const struct fb_opened *e, const char *id,
                                   size_t number, struct fb_shard shard, const json_t *fragment,
                                   bool whole)
{
    const struct fb_sharing *sharing = e->kind->sharing;
    struct fb_problem problem;
    const char *where = NULL;
    json_auto_t *cell = NULL, *alone = json_pack("[O*]", (json_t *)fragment);
    json_auto_t *stretch = shard.of > 1 ? sharing->stretch(e->self, number, shard) : NULL;
    bool fits = stretch ? fragment || !whole : !fragment;
    fb_refuse(&problem, stretch ? "its fragment is missing" : "the shard has no part of it");
    if (fits && fragment)
        fits = fb_json_agree(stretch, fragment, &where)
                   ? sharing->unite(e->self, number, alone, false, &cell, &problem)
                   : fb_refuse(&problem, "%s: it is not what the shard has of the cell",
                               where ? where : "a member");
    return fits ? FB_EXIT_OK : wrong(path, id, problem.text);
}

/* Takes the ids, each of which is its number. */
static enum fb_exit check_fragments(const char *path, const struct fb_opened *e,
                                    const json_t *document, const json_t *ids)
{
    const struct fb_sharing *sharing = e->kind->sharing;
    const bool complete = json_is_true(fb_json_at(document, "run.complete"));
    struct fb_shard shard;
    enum fb_exit code = FB_EXIT_OK;
    if (!fb_shard_read(document, &shard))
        return wrong(path, "run.shard", "give an index and a number of shards");
    json_t *alone = json_pack("[O]", (json_t *)document);
    json_t *fragments = fb_result_rows(alone, "fragments");
    json_t *skipped = fb_result_rows(alone, "skipped");
    if (json_object_size(fragments) != json_array_size(json_object_get(document, "fragments")))
        code = wrong(path, "fragments", "one is there twice");
    FB_EACH_MEMBER(id, number, ids) {
        const json_t *fragment = json_object_get(fragments, id);
        if (!code && sharing && sharing->unite)
            code = check_fragment(path, e, id, (size_t)json_integer_value(number), shard, fragment,
                                  complete && !json_object_get(skipped, id));
        json_object_del(fragments, id);
    }
    FB_EACH_MEMBER(id, number, fragments)
        code =
            code ? code : wrong(path, id, "the experiment has no such cell, or does not split it");
    json_decref(alone);
    json_decref(fragments);
    json_decref(skipped);
    return code;
}

/* Merges the runs of a merged document again. */
static enum fb_exit check_merged(const char *path, const json_t *document)
{
    const char *within = path, *where = NULL;
    json_t *again;
    enum fb_exit code = fb_merge(&document, &within, 1, false, &again);
    if (!code &&
        (!fb_json_agree(again, document, &where) || !fb_json_agree(document, again, &where)))
        code = wrong(path, where ? where : "a member", "it is not what merging its parts gives");
    json_decref(again);
    return code;
}

/* ---- What follows from what ---- */

/* Takes the ids, each of which is its number. */
static enum fb_exit check_facts(const char *path, const struct fb_opened *e, const json_t *document,
                                const json_t *ids)
{
    const char *id;
    json_t *number;
    FB_EACH(cell, json_object_get(document, "cells")) {
        id = fb_json_str(cell, "id");
        number = json_object_get(ids, id);
        const char *why =
            e->kind->contradiction
                ? e->kind->contradiction(e->self, (size_t)json_integer_value(number), cell)
                : NULL;
        if (why)
            return wrong(path, id, why);
    }
    return FB_EXIT_OK;
}

static enum fb_exit differs(const char *path, const char *id, const char *where)
{
    fb_error("%s: %.600s%s%s is not what the facts give", path, id, *id ? ": " : "",
             where ? where : "a member");
    return FB_EXIT_CORRECTNESS;
}

/* Whether each warning that follows from the document is in it. */
static bool has_warnings(const struct fb_kind *kind, json_t *derived, const json_t *written)
{
    bool all = true;
    json_object_set_new(derived, "warnings", json_array());
    if (kind->warn)
        kind->warn(derived);
    fb_result_warn_tuning(derived);
    FB_EACH(warning, json_object_get(derived, "warnings"))
        all = all && fb_json_has(written, warning);
    return all;
}

static enum fb_exit compare(const char *path, const struct fb_opened *e, json_t *derived,
                            const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    const char *where = NULL;
    FB_EACH_AT(i, cell, json_object_get(derived, "cells")) {
        const json_t *written = json_array_get(cells, i);
        if (!fb_json_agree(cell, written, &where) || !fb_json_agree(written, cell, &where))
            return differs(path, fb_json_str(written, "id"), where);
    }
    FB_EACH_MEMBER(name, member, derived) {
        char whole[160];
        where = NULL;
        if (fb_json_agree(member, json_object_get(document, name), &where))
            continue;
        snprintf(whole, sizeof whole, "%s%s%s", name, where ? "." : "", where ? where : "");
        return differs(path, "", whole);
    }
    return has_warnings(e->kind, derived, json_object_get(document, "warnings"))
               ? FB_EXIT_OK
               : wrong(path, "warnings", "one that follows from the facts is not there");
}

static enum fb_exit check_derived(const char *path, const struct fb_opened *e,
                                  const json_t *document)
{
    struct fb_problem problem;
    fb_refuse(&problem, "%s", fb_err_text(FB_ENOMEM));
    json_auto_t *derived = json_deep_copy(document);
    enum fb_exit code = FB_EXIT_CORRECTNESS;
    if (e->kind->derive(e->self, derived, &problem))
        code = compare(path, e, derived, document);
    else
        fb_error("%s: %s", path, problem.text);
    return code;
}

/* Documents that a document rests on, by name. */
static enum fb_exit check_parts(const char *path, const json_t *document, const char *of)
{
    enum fb_exit code = FB_EXIT_OK;
    FB_EACH_MEMBER(name, part, json_object_get(document, of)) {
        char within[240];
        snprintf(within, sizeof within, "%.120s: %s.%.100s", path, of, name);
        code = code ? code : fb_document_validate(within, part);
    }
    return code;
}

/* Each id becomes its number. */
static void number_ids(json_t *ids)
{
    json_int_t n = 0;
    FB_EACH_MEMBER(id, number, ids)
        json_object_set_new(ids, id, json_integer(n++));
}

/* Whether each cell is there once or skipped, and what follows from others is what stands there. */
static enum fb_exit check_document(const char *path, const json_t *document)
{
    struct fb_opened e;
    struct fb_problem problem;
    enum fb_exit code = open_experiment(path, document, &e);
    if (!code)
        code = check_parts(path, document, "parts");
    if (!code)
        code = check_parts(path, document, "results");
    if (!code && strtoull(fb_json_str(document, "run.seed_root"), NULL, 16) !=
                     strtoull(fb_json_str(e.resolved, "seed"), NULL, 16))
        code = wrong(path, "run.seed_root", "it is not the seed of the experiment");
    if (!code && fb_is_merged(document))
        code = check_merged(path, document);
    if (code || fb_is_side_by_side(document)) {
        fb_kind_close(&e);
        return code;
    }
    fb_refuse(&problem, "%s", fb_err_text(FB_ENOMEM));
    json_t *ids = code ? NULL : e.kind->ids(e.self, document, &problem);
    if (ids)
        code = check_ids(path, document, ids);
    else if (!code)
        code = wrong(path, fb_json_str(document, "kind"), problem.text);
    number_ids(ids);
    if (!code)
        code = check_fragments(path, &e, document, ids);
    if (!code)
        code = check_facts(path, &e, document, ids);
    if (!code)
        code = check_derived(path, &e, document);
    json_decref(ids);
    fb_kind_close(&e);
    return code;
}

enum fb_exit fb_document_check_shape(const char *path, const json_t *document)
{
    const char *why = fb_shape_wrong(document), *writer = fb_json_str(document, "tool.git");
    json_auto_t *tool = fb_environment_tool();
    const char *ours = fb_json_str(tool, "git");
    if (why && *writer && strcmp(writer, ours) != 0)
        fb_error("%s: %s (filterbench %.40s wrote it, and this is %s)", path, why, writer,
                 *ours ? ours : "another");
    else if (why)
        fb_error("%s: %s", path, why);
    return why ? FB_EXIT_CORRECTNESS : FB_EXIT_OK;
}

enum fb_exit fb_document_trust(const char *path, bool unchecked, json_t *document)
{
    if (!unchecked) {
        enum fb_exit code = fb_document_check_shape(path, document);
        code = code ? code : fb_document_check_experiment(path, document);
        if (fb_screen_is_verbose() && !code)
            fb_note("%s: its shape, limits and hash are right; `filterbench validate` also derives "
                    "its numbers again",
                    path);
        return code ? code : fb_result_check_content(path, document);
    }
    if (!json_is_array(json_object_get(document, "warnings")))
        json_object_set_new(document, "warnings", json_array());
    json_array_insert_new(json_object_get(document, "warnings"), 0,
                          json_pack("{s:s, s:n, s:s}", "code", "unchecked", "cell", "detail",
                                    "this result was not checked (--unchecked)"));
    fb_note("%s: it was not checked, as --unchecked asks", path);
    return FB_EXIT_OK;
}

enum fb_exit fb_documents_load(int n, char **paths, bool unchecked, json_t *documents,
                               json_t *names)
{
    enum fb_exit code = FB_EXIT_OK;
    for (int i = 0; i < n && !code; i++) {
        json_t *document;
        code = fb_result_load(paths[i], &document);
        code = code ? code : fb_document_trust(paths[i], unchecked, document);
        json_t *within = fb_documents_within(document);
        const size_t n_runs = json_array_size(within);
        json_array_extend(documents, within);
        for (size_t r = 0; r < n_runs; r++)
            json_array_append_new(names, n_runs == 1
                                             ? fb_json_text(paths[i])
                                             : json_sprintf("%s, run %zu", paths[i], r + 1));
        json_decref(within);
        json_decref(document);
    }
    return code;
}

enum fb_exit fb_document_validate(const char *path, const json_t *document)
{
    enum fb_exit code = fb_document_check_shape(path, document);
    code = code ? code : check_document(path, document);
    return code ? code : fb_result_check_content(path, document);
}

/* ---- Counts ---- */

static bool is_counts(const json_t *json)
{
    return json_is_string(json_object_get(json, "kind")) &&
           json_is_array(json_object_get(json, "cells")) && !json_object_get(json, "schema");
}

enum fb_exit fb_counts_load(const char *path, json_t **document, json_t **counts)
{
    *document = *counts = NULL;
    enum fb_exit code = fb_json_load(path, counts);
    if (!code && is_counts(*counts)) {
        fb_result_rename(*counts);
    } else if (!code) {
        json_decref(*counts);
        *counts = NULL;
        code = fb_result_load_facts(path, document);
        if (!code)
            *counts = fb_counts(*document);
    }
    return code ? code : fb_document_check_experiment(path, *counts);
}

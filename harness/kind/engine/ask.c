/* One database of an engine, asked: Gets, and what our filters predict of each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/engine/scratch.h"
#include "harness/kind/engine/gets.h"

enum { MORE = 8 }; /* times as many absent keys are predicted as are asked for, at most */

/* ---- Facts as JSON ---- */

static json_t *counts_json(const struct fb_get_counts *c, bool observed)
{
    /* The members behind the hash are told by the engine alone, the last by engines with a cache.
     */
    enum { HASH = 6, PREDICTED };
    const struct fb_engine_counts *e = &c->engine;
    const uint64_t squares = e->data_reads == FB_ENGINE_UNKNOWN ? e->data_reads : c->read_squares;
    const struct {
        const char *name;
        uint64_t count;
    } members[] = {{"gets", e->gets},
                   {"found", e->found},
                   {"checks", e->checks},
                   {"negatives", e->negatives},
                   {"data_reads", e->data_reads},
                   {"read_squares", squares},
                   {"read_hash", e->read_hash},
                   {"index_reads", e->index_reads},
                   {"filter_reads", e->filter_reads},
                   {"other_reads", e->other_reads},
                   {"data_hits", e->data_hits},
                   {"index_hits", e->index_hits},
                   {"filter_hits", e->filter_hits}};
    const size_t n = observed ? sizeof members / sizeof *members : PREDICTED;
    json_t *json = json_object();
    for (size_t i = 0; i < n; i++)
        fb_json_known(json, members[i].name,
                      members[i].count == FB_ENGINE_UNKNOWN ? NULL
                      : i == HASH                           ? fb_json_word(members[i].count)
                                                            : fb_json_int(members[i].count),
                      i == HASH ? "the engine does not tell which blocks it read"
                                : "the engine does not tell");
    if (observed)
        return json;
    json_t *bins = json_array();
    for (uint64_t i = 0, told = 0; told < e->gets; told += c->read_bins[i++])
        json_array_append_new(bins, fb_json_int(c->read_bins[i]));
    json_object_set_new(json, "cold_checks", json_real((double)c->cold_checks / FB_COLD));
    json_object_set_new(json, "cold_reads", json_real((double)c->cold_reads / FB_COLD));
    json_object_set_new(json, "read_bins", bins);
    return json;
}

static json_t *levels_json(const struct fb_tables *t)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < t->n_files;) {
        const unsigned level = t->files[i].about.level;
        uint64_t tables = 0, entries = 0, bytes = 0, filter_bytes = 0;
        for (; i < t->n_files && t->files[i].about.level == level; i++) {
            const struct fb_engine_table *about = &t->files[i].about;
            tables++;
            entries += about->entries;
            bytes += about->file_bytes;
            filter_bytes += about->filter_bytes;
        }
        json_array_append_new(levels, json_pack("{s:i, s:o, s:o, s:o, s:o}", "level", (int)level,
                                                "tables", fb_json_int(tables), "entries",
                                                fb_json_int(entries), "bytes", fb_json_int(bytes),
                                                "filter_bytes", fb_json_int(filter_bytes)));
    }
    return levels;
}

/* ---- Gets ---- */

/* What was counted between two times; the hash is of all that was read until the second. */
static struct fb_engine_counts since(const struct fb_engine_counts *before,
                                     const struct fb_engine_counts *after)
{
    struct fb_engine_counts counts = *after;
    const uint64_t *from = (const uint64_t *)before;
    uint64_t *count = (uint64_t *)&counts;
    for (size_t i = 0; i < sizeof counts / sizeof *count; i++)
        count[i] -= count[i] == FB_ENGINE_UNKNOWN ? 0 : from[i];
    counts.read_hash = after->read_hash;
    return counts;
}

/* What a Get does, by counts of before and of after it. */
static struct fb_gets_work work_of(const struct fb_get_counts *before,
                                   const struct fb_get_counts *after)
{
    const uint64_t checks = after->engine.checks - before->engine.checks;
    const uint64_t reads = after->engine.data_reads - before->engine.data_reads;
    return (struct fb_gets_work){
        .checks = (uint8_t)fb_min_u64(checks, UINT8_MAX),
        .reads = (uint8_t)fb_min_u64(reads, FB_GETS_MOST_READS),
        .cold_checks = (uint16_t)fb_min_u64(after->cold_checks - before->cold_checks, UINT16_MAX),
        .cold_reads = (uint16_t)fb_min_u64(after->cold_reads - before->cold_reads, UINT16_MAX)};
}

static struct fb_gets_work predict_one(const struct fb_asking *a, struct fb_prediction *p,
                                       size_t len)
{
    struct fb_get_counts none = {0}, one = none;
    fb_prediction_get(p, a->key, len, &one);
    return work_of(&none, &one);
}

/* What absent keys would do that the stream does not ask for. */
static void predict_more(struct fb_asking *a, struct fb_prediction *p)
{
    const struct fb_permutation order = fb_asking_order(a, true);
    for (uint64_t i = a->g->queries; i < a->n_work[true]; i++)
        a->work[true][i] = predict_one(a, p, fb_asking_key(a, &order, true, i, a->key));
    a->beyond = predict_one(a, p, fb_asking_beyond(0, a->key));
}

/* All Gets of a stream, counted, and the prediction of each. */
static enum fb_exit ask_stream(struct fb_asking *a, struct fb_prediction *p, bool absent,
                               json_t *cell)
{
    const struct fb_engine_driver *driver = a->g->driver;
    const struct fb_permutation order = fb_asking_order(a, absent);
    struct fb_engine_counts before, last, after;
    struct fb_get_counts observed = {0}, predicted = {0};
    const char *name = absent ? "absent" : "present";
    uint64_t differ = 0;
    enum fb_exit code = FB_EXIT_OK;
    driver->counts(a->db, &before);
    last = before;
    for (uint64_t i = 0; i < a->g->queries && !code; i++) {
        const size_t len = fb_asking_key(a, &order, absent, i, a->key);
        code = fb_asking_check(a, absent, i, driver->get(a->db, a->key, len, &a->why));
        driver->counts(a->db, &after);
        const struct fb_engine_counts counts = since(&last, &after);
        const uint64_t reads = counts.data_reads + counts.data_hits;
        const struct fb_get_counts before_it = predicted;
        const unsigned expected = fb_prediction_get(p, a->key, len, &predicted);
        differ += reads != expected;
        a->work[absent][i] = work_of(&before_it, &predicted);
        observed.read_squares += reads * reads;
        last = after;
        if (!code && !(i & 255) && fb_interrupted())
            code = FB_EXIT_INTERRUPTED;
    }
    if (code)
        return code;
    observed.engine = since(&before, &last);
    observed.engine.data_reads += observed.engine.data_hits; /* a document has them together */
    json_object_set_new(json_object_get(cell, "observed"), name, counts_json(&observed, true));
    json_object_set_new(json_object_get(cell, "predicted"), name, counts_json(&predicted, false));
    fb_json_known(json_object_get(cell, "differ"), name,
                  last.data_reads == FB_ENGINE_UNKNOWN ? NULL : fb_json_int(differ),
                  "the engine does not tell");
    return FB_EXIT_OK;
}

/* Opens every table and reads every filter and data block; p: predicted as well, or NULL. */
static enum fb_exit touch(struct fb_asking *a, struct fb_prediction *p)
{
    const struct fb_keys keys = fb_key_list_part(&a->firsts, 0, a->firsts.n);
    struct fb_get_counts uncounted = {0};
    for (size_t i = 0; i < keys.n; i++) {
        const void *key = fb_key_at(&keys, i);
        const size_t len = fb_key_len(&keys, i);
        if (a->g->driver->get(a->db, key, len, &a->why) == FB_ENGINE_FAILED)
            return fb_asking_fail(a);
        if (p)
            fb_prediction_get(p, key, len, &uncounted);
    }
    return FB_EXIT_OK;
}

/* The first key of each table, and of each data block. */
static bool list_firsts(const struct fb_tables *tables, struct fb_key_list *out)
{
    bool done = true;
    for (size_t i = 0; done && i < tables->n_files + tables->n_blocks; i++) {
        const size_t number = i < tables->n_files ? tables->files[i].first_key
                                                  : tables->blocks[i - tables->n_files].first_key;
        const struct fb_keys key = fb_key_list_part(&tables->keys, number, 1);
        done = fb_key_list_add(out, fb_key_at(&key, 0), fb_key_len(&key, 0));
    }
    return done;
}

/* "by_table": the absent keys once more, of filters as if each table had one. */
static enum fb_exit ask_by_table(const struct fb_asking *a, const struct fb_tables *tables,
                                 json_t *cell)
{
    const struct fb_params params = fb_gets_params(a->cell);
    const struct fb_permutation order = fb_asking_order(a, true);
    struct fb_get_counts counts = {0};
    struct fb_prediction p;
    const char *why = NULL;
    if (!tables->files->about.by_blocks) {
        fb_json_known(cell, "by_table", NULL, "its tables have one filter each");
        return FB_EXIT_OK;
    }
    const enum fb_err err = fb_prediction_open(tables, a->cell->design, &params, true, &p, &why);
    for (uint64_t i = 0; i < a->g->queries && !err; i++)
        fb_prediction_get(&p, a->key, fb_asking_key(a, &order, true, i, a->key), &counts);
    fb_prediction_close(&p);
    if (err && !fb_err_refuses(err))
        return fb_fail(a->cell->id, err, why);
    fb_json_known(cell, "by_table", err ? NULL : counts_json(&counts, false),
                  why ? why : fb_err_text(err));
    return FB_EXIT_OK;
}

/* "settings", "name = value" one behind the other. */
static void tell_settings(const struct fb_asking *a, json_t *cell)
{
    char *lines = a->g->driver->settings(a->db), text[4000] = "";
    size_t len = 0;
    for (const char *line = lines; line && *line; line += strcspn(line, "\n"), line += *line != 0) {
        const int n = snprintf(text + len, sizeof text - len, "%s%.*s", len ? "; " : "",
                               (int)strcspn(line, "\n"), line);
        len = fb_min_u64(len + (size_t)n, sizeof text - 1);
    }
    fb_json_known(cell, "settings", lines ? fb_json_text(text) : NULL, "the engine does not tell");
    free(lines);
}

/* What is counted, of the database that is open; *before: its tables. */
static enum fb_exit count_all(struct fb_asking *a, const struct fb_tables *before, json_t *cell)
{
    const struct fb_params params = fb_gets_params(a->cell);
    const struct fb_engine_driver *driver = a->g->driver;
    struct fb_prediction p;
    struct fb_tables after = {0};
    const char *why = NULL;
    const enum fb_err err = fb_prediction_open(before, a->cell->design, &params, false, &p, &why);
    enum fb_exit code = err ? fb_fail(a->cell->id, err, why) : touch(a, &p);
    json_object_set_new(cell, "tree", levels_json(before));
    json_object_set_new(cell, "filters", fb_json_int(p.n_filters));
    json_object_set_new(cell, "filter_bytes", fb_json_int(p.filter_bytes));
    static const char *const both[] = {"observed", "predicted", "differ"};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        json_object_set_new(cell, both[i], json_object());
    if (!code)
        code = ask_stream(a, &p, true, cell);
    if (!code)
        code = ask_stream(a, &p, false, cell);
    if (!code)
        predict_more(a, &p);
    if (!code)
        code = ask_by_table(a, before, cell);
    if (!code && !fb_tables_read(driver, a->db, &after, &a->why))
        code = fb_asking_fail(a);
    if (!code && !fb_tables_same(before, &after)) {
        fb_error("%s: its tables changed while it was asked", a->cell->id);
        code = FB_EXIT_CORRECTNESS;
    }
    tell_settings(a, cell);
    fb_tables_close(&after);
    fb_prediction_close(&p);
    return code;
}

/* The database opened anew: counted, or to be timed. */
static enum fb_exit open_asked(struct fb_asking *a, bool counted)
{
    const struct fb_engine_options options =
        fb_gets_options(a->g, a->cell, a->folder, counted, &a->policy);
    a->db = a->g->driver->open(&options, false, &a->why);
    return a->db ? FB_EXIT_OK : fb_asking_fail(a);
}

static enum fb_exit close_asked(struct fb_asking *a, enum fb_exit code)
{
    if (a->db && !a->g->driver->close(a->db, &a->why) && !code)
        code = fb_asking_fail(a);
    if (!code && a->policy.err)
        code = fb_fail(a->cell->id, a->policy.err, a->policy.why);
    fb_policy_close(&a->policy);
    a->db = NULL;
    return code;
}

/* In a copy, since tables move. */
static enum fb_exit seek(struct fb_asking *a, const struct fb_tables *tables)
{
    char copy[sizeof a->folder + 8];
    snprintf(copy, sizeof copy, "%s-live", a->folder);
    enum fb_exit code = fb_folder_copy(a->folder, copy);
    if (!code)
        code = fb_gets_seek(a, copy, tables, a->json);
    const enum fb_exit removed = fb_folder_remove(copy);
    return code ? code : removed;
}

static enum fb_exit count(struct fb_asking *a)
{
    struct fb_tables tables = {0};
    enum fb_exit code = open_asked(a, true);
    if (!code && !fb_tables_read(a->g->driver, a->db, &tables, &a->why))
        code = fb_asking_fail(a);
    if (!code && !list_firsts(&tables, &a->firsts))
        code = fb_fail(a->cell->id, FB_ENOMEM, NULL);
    if (!code)
        code = count_all(a, &tables, a->json);
    code = close_asked(a, code);
    if (!code && a->g->live)
        code = seek(a, &tables);
    fb_tables_close(&tables);
    return code;
}

enum fb_exit fb_asking_open(const struct fb_gets *g, const struct fb_gets_cell *cell,
                            const char *folder, json_t *json, struct fb_asking **out)
{
    const uint64_t absent = g->space.size - g->space.n_present;
    const uint64_t more = fb_max_u64(g->queries, fb_min_u64(absent, MORE * g->queries));
    struct fb_asking *a = *out = calloc(1, sizeof *a);
    if (!a)
        return fb_fail(cell->id, FB_ENOMEM, NULL);
    a->g = g;
    a->cell = cell;
    a->json = json_incref(json);
    a->key = malloc(g->space.max_len + FB_GETS_BEYOND);
    a->n_work[false] = g->queries;
    a->n_work[true] = more;
    for (int i = 0; i < 2; i++)
        a->work[i] = calloc(a->n_work[i], sizeof *a->work[i]);
    if (!a->key || !a->work[0] || !a->work[1] ||
        snprintf(a->folder, sizeof a->folder, "%s", folder) >= (int)sizeof a->folder)
        return fb_fail(cell->id, FB_ENOMEM, NULL);
    enum fb_exit code = count(a);
    return code ? code : fb_timing_open(a, &a->timing);
}

enum fb_exit fb_asking_visit(struct fb_asking *a, bool last)
{
    enum fb_exit code = open_asked(a, false);
    if (!code)
        code = touch(a, NULL);
    if (!code)
        code = fb_timing_visit(a->timing, a);
    if (!code && last) {
        fb_timing_tell(a->timing, a->json);
        code = fb_gets_time_singly(a, a->json);
    }
    return close_asked(a, code);
}

void fb_asking_close(struct fb_asking *a)
{
    if (!a)
        return;
    fb_timing_close(a->timing);
    fb_key_list_close(&a->firsts);
    json_decref(a->json);
    free(a->work[0]);
    free(a->work[1]);
    free(a->key);
    free(a);
}

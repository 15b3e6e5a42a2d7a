/* One database of an engine, asked: Gets, and what our filters predict of each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/engine/predict.h"
#include "harness/kind/engine/gets.h"
#include "harness/measure/latency.h"
#include "workloads/core/rng.h"

/* What stands while one cell is asked. */
struct asking {
    const struct fb_gets *g;
    const struct fb_gets_cell *cell;
    void *db;
    struct fb_prediction prediction;
    struct fb_policy policy;
    struct fb_histogram histogram;
    uint8_t *key;    /* [max_len + 1] */
    uint16_t *reads; /* [queries] data blocks that each Get read */
    struct fb_engine_why why;
};

static enum fb_exit fail(const struct asking *a)
{
    fb_error("%s: %s", a->cell->id, a->why.text);
    return FB_EXIT_IO;
}

/* ---- Facts as JSON ---- */

static json_t *counts_json(const struct fb_get_counts *c, bool observed)
{
    enum { HASH = 6, PREDICTED }; /* the members behind it are told by the engine alone */
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
                   {"other_reads", e->other_reads}};
    const size_t n = observed ? sizeof members / sizeof *members : PREDICTED;
    json_t *json = json_object();
    for (size_t i = 0; i < n; i++)
        fb_json_known(json, members[i].name,
                      members[i].count == FB_ENGINE_UNKNOWN ? NULL
                      : i == HASH                           ? fb_json_word(members[i].count)
                                                            : fb_json_int(members[i].count),
                      i == HASH ? "the engine does not tell which blocks it read"
                                : "the engine does not tell");
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

/* Query i of a stream: each key once before any comes again. */
static size_t key_of(const struct asking *a, const struct fb_permutation *order, bool absent,
                     uint64_t i)
{
    const struct fb_keyspace *s = &a->g->space;
    const uint64_t arrival = fb_permute(order, i % order->n) + (absent ? s->n_present : 0);
    return fb_keyspace_write(s, fb_keyspace_index(s, arrival), a->key);
}

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

/* The order in which a stream asks for keys. */
static struct fb_permutation order_of(const struct asking *a, bool absent)
{
    const struct fb_keyspace *s = &a->g->space;
    struct fb_permutation order;
    fb_permutation_init(&order, absent ? s->size - s->n_present : s->n_present,
                        fb_stream_key(a->g->seed, FB_DOMAIN_QUERIES, absent));
    return order;
}

static enum fb_exit get(struct asking *a, bool absent, uint64_t i, size_t len, uint64_t *spent_ns)
{
    const struct fb_clock *clock = &fb_system_clock;
    const uint64_t start = clock->wall_ns(clock->self);
    const enum fb_engine_answer answer = a->g->driver->get(a->db, a->key, len, &a->why);
    const uint64_t ns = clock->wall_ns(clock->self) - start;
    fb_histogram_add(&a->histogram, 1000 * ns, 1);
    *spent_ns += ns;
    if (answer == FB_ENGINE_FAILED)
        return fail(a);
    if ((answer == FB_ENGINE_FOUND) != absent)
        return FB_EXIT_OK;
    fb_error("%s: query %llu, of %s key, was %s", a->cell->id, (unsigned long long)i,
             absent ? "an absent" : "a present", absent ? "found" : "not found");
    return FB_EXIT_CORRECTNESS;
}

/* All Gets of a stream, then the predictions of all: neither has the other's data in its caches. */
static enum fb_exit ask_stream(struct asking *a, bool absent, json_t *cell)
{
    const struct fb_engine_driver *driver = a->g->driver;
    const struct fb_permutation order = order_of(a, absent);
    struct fb_engine_counts before, last, after;
    struct fb_get_counts observed = {0}, predicted = {0};
    const char *name = absent ? "absent" : "present";
    uint64_t differ = 0, spent_ns = 0;
    enum fb_exit code = FB_EXIT_OK;
    memset(&a->histogram, 0, sizeof a->histogram);
    driver->counts(a->db, &before);
    last = before;
    for (uint64_t i = 0; i < a->g->queries && !code; i++) {
        code = get(a, absent, i, key_of(a, &order, absent, i), &spent_ns);
        driver->counts(a->db, &after);
        const uint64_t reads = since(&last, &after).data_reads;
        a->reads[i] = reads < UINT16_MAX ? (uint16_t)reads : UINT16_MAX;
        observed.read_squares += reads * reads;
        last = after;
        if (!code && !(i & 255) && fb_interrupted())
            code = FB_EXIT_INTERRUPTED;
    }
    for (uint64_t i = 0; i < a->g->queries && !code; i++)
        differ += a->reads[i] != fb_prediction_get(&a->prediction, a->key,
                                                   key_of(a, &order, absent, i), &predicted);
    if (code)
        return code;
    observed.engine = since(&before, &last);
    json_object_set_new(json_object_get(cell, "observed"), name, counts_json(&observed, true));
    json_object_set_new(json_object_get(cell, "predicted"), name, counts_json(&predicted, false));
    fb_json_known(json_object_get(cell, "differ"), name,
                  last.data_reads == FB_ENGINE_UNKNOWN ? NULL : fb_json_int(differ),
                  "the engine does not tell");
    json_object_set_new(json_object_get(cell, "times"), name,
                        json_pack("{s:o}", "spent_ns", fb_json_int(spent_ns)));
    json_array_append_new(json_object_get(cell, "histograms"),
                          fb_latency_json(&a->histogram, absent ? "get_absent" : "get_present", 0));
    return FB_EXIT_OK;
}

static enum fb_exit touch_key(struct asking *a, const struct fb_tables *tables, size_t number)
{
    const struct fb_keys key = fb_key_list_part(&tables->keys, number, 1);
    struct fb_get_counts uncounted = {0};
    const size_t len = fb_key_len(&key, 0);
    if (a->g->driver->get(a->db, fb_key_at(&key, 0), len, &a->why) == FB_ENGINE_FAILED)
        return fail(a);
    fb_prediction_get(&a->prediction, fb_key_at(&key, 0), len, &uncounted);
    return FB_EXIT_OK;
}

/* Opens every table and reads every filter: the first key of each table, and of each data block, is
 * asked for. */
static enum fb_exit touch(struct asking *a, const struct fb_tables *tables)
{
    enum fb_exit code = FB_EXIT_OK;
    for (size_t i = 0; i < tables->n_files && !code; i++)
        code = touch_key(a, tables, tables->files[i].first_key);
    for (size_t i = 0; i < tables->n_blocks && !code; i++)
        code = touch_key(a, tables, tables->blocks[i].first_key);
    return code;
}

/* "by_table": the absent keys once more, of filters as if each table had one. */
static enum fb_exit ask_by_table(const struct asking *a, const struct fb_tables *tables,
                                 json_t *cell)
{
    const struct fb_params params = fb_gets_params(a->cell);
    const struct fb_permutation order = order_of(a, true);
    struct fb_get_counts counts = {0};
    struct fb_prediction p;
    const char *why = NULL;
    if (!tables->files->about.by_blocks) {
        fb_json_known(cell, "by_table", NULL, "its tables have one filter each");
        return FB_EXIT_OK;
    }
    const enum fb_err err = fb_prediction_open(tables, a->cell->design, &params, true, &p, &why);
    for (uint64_t i = 0; i < a->g->queries && !err; i++)
        fb_prediction_get(&p, a->key, key_of(a, &order, true, i), &counts);
    fb_prediction_close(&p);
    if (err && !fb_err_refuses(err))
        return fb_fail(a->cell->id, err, why);
    fb_json_known(cell, "by_table", err ? NULL : counts_json(&counts, false),
                  why ? why : fb_err_text(err));
    return FB_EXIT_OK;
}

/* "settings", "name = value" one behind the other. */
static void tell_settings(const struct asking *a, json_t *cell)
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

static enum fb_exit ask_all(struct asking *a, const struct fb_tables *before, json_t *cell)
{
    const struct fb_params params = fb_gets_params(a->cell);
    const struct fb_engine_driver *driver = a->g->driver;
    struct fb_tables after = {0};
    const char *why = NULL;
    const enum fb_err err =
        fb_prediction_open(before, a->cell->design, &params, false, &a->prediction, &why);
    enum fb_exit code = err ? fb_fail(a->cell->id, err, why) : touch(a, before);
    json_object_set_new(cell, "tree", levels_json(before));
    json_object_set_new(cell, "filters", fb_json_int(a->prediction.n_filters));
    json_object_set_new(cell, "filter_bytes", fb_json_int(a->prediction.filter_bytes));
    static const char *const both[] = {"observed", "predicted", "differ", "times"};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        json_object_set_new(cell, both[i], json_object());
    json_object_set_new(cell, "histograms", json_array());
    if (!code)
        code = ask_stream(a, true, cell);
    if (!code)
        code = ask_stream(a, false, cell);
    if (!code)
        code = ask_by_table(a, before, cell);
    if (!code && !fb_tables_read(driver, a->db, &after, &a->why))
        code = fail(a);
    if (!code && !fb_tables_same(before, &after)) {
        fb_error("%s: its tables changed while it was asked", a->cell->id);
        code = FB_EXIT_CORRECTNESS;
    }
    if (!code && a->policy.err)
        code = fb_fail(a->cell->id, a->policy.err, a->policy.why);
    tell_settings(a, cell);
    fb_tables_close(&after);
    fb_prediction_close(&a->prediction);
    return code;
}

enum fb_exit fb_gets_ask(const struct fb_gets *g, const struct fb_gets_cell *c, const char *folder,
                         json_t *cell)
{
    struct asking *a = calloc(1, sizeof *a);
    uint8_t *key = malloc(g->space.max_len + 1);
    uint16_t *reads = malloc(g->queries * sizeof *reads);
    struct fb_tables tables = {0};
    enum fb_exit code = a && key && reads ? FB_EXIT_OK : fb_fail(c->id, FB_ENOMEM, NULL);
    if (code)
        goto done;
    *a = (struct asking){.g = g, .cell = c, .key = key, .reads = reads};
    const struct fb_engine_options options = fb_gets_options(g, c, folder, &a->policy);
    a->db = g->driver->open(&options, false, &a->why);
    if (!a->db)
        code = fail(a);
    if (!code && !fb_tables_read(g->driver, a->db, &tables, &a->why))
        code = fail(a);
    if (!code)
        code = ask_all(a, &tables, cell);
    if (a->db && !g->driver->close(a->db, &a->why) && !code)
        code = fail(a);
    fb_policy_close(&a->policy);
done:
    fb_tables_close(&tables);
    free(reads);
    free(key);
    free(a);
    return code;
}

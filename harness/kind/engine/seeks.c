/*
 * A database whose tables move while it is asked. LevelDB gives each table a number of seeks, its
 * bytes over 16 KiB and 100 at least. A Get that consults two tables charges the first, and a table
 * without seeks moves down: the tree becomes flat by being read. Source: google/leveldb
 * db/version_set.cc (allowed_seeks, UpdateStats).
 */
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/engine/predict.h"
#include "harness/kind/engine/gets.h"

enum {
    WINDOW = 10000,     /* Gets */
    SEEK_BYTES = 16384, /* of a table, for each of its seeks */
};

static uint64_t reads_so_far(const struct fb_asking *a)
{
    struct fb_engine_counts c;
    a->g->driver->counts(a->db, &c);
    return c.data_reads + c.data_hits;
}

/* All absent keys in their order, the reads of each window. */
static enum fb_exit ask_windows(struct fb_asking *a, json_t *windows)
{
    const struct fb_permutation order = fb_asking_order(a, true);
    enum fb_exit code = FB_EXIT_OK;
    for (uint64_t i = 0; i < a->g->queries && !code;) {
        const uint64_t end = fb_min_u64(a->g->queries, i + WINDOW), before = reads_so_far(a);
        const uint64_t gets = end - i;
        uint64_t loaded = 0;
        for (; i < end && !code; i++) {
            const size_t len = fb_asking_key(a, &order, true, i, a->key);
            loaded += a->work[true][i].reads;
            code = fb_asking_check(a, true, i, a->g->driver->get(a->db, a->key, len, &a->why));
        }
        json_array_append_new(windows, json_pack("{s:o, s:o, s:o}", "gets", fb_json_int(gets),
                                                 "reads", fb_json_int(reads_so_far(a) - before),
                                                 "loaded", fb_json_int(loaded)));
        if (!code && fb_interrupted())
            code = FB_EXIT_INTERRUPTED;
    }
    return code;
}

/* What the same Gets would read of a tree of one level, which the database becomes here. */
static enum fb_exit predict_flat(struct fb_asking *a, json_t *seeks)
{
    const struct fb_params params = fb_gets_params(a->cell);
    const struct fb_permutation order = fb_asking_order(a, true);
    struct fb_tables tables = {0};
    struct fb_prediction p = {0};
    struct fb_get_counts flat = {0};
    const json_t *windows = json_object_get(seeks, "windows");
    uint64_t reads = 0;
    const char *why = NULL;
    enum fb_exit code = FB_EXIT_OK;
    if (!a->g->driver->rest(a->db, true, &a->why) ||
        !fb_tables_read(a->g->driver, a->db, &tables, &a->why))
        code = fb_asking_fail(a);
    const enum fb_err err =
        code ? FB_OK : fb_prediction_open(&tables, a->cell->design, &params, false, &p, &why);
    if (err)
        code = fb_fail(a->cell->id, err, why);
    for (uint64_t i = 0; i < a->g->queries && !code; i++) {
        reads += fb_prediction_get(&p, a->key, fb_asking_key(a, &order, true, i, a->key), &flat);
        if (i + 1 == a->g->queries || !((i + 1) % WINDOW)) {
            json_object_set_new(json_array_get(windows, i / WINDOW), "flat", fb_json_int(reads));
            reads = 0;
        }
    }
    json_object_set_new(seeks, "flat_reads", fb_json_int(flat.engine.data_reads));
    fb_prediction_close(&p);
    fb_tables_close(&tables);
    return code;
}

/* Gets, at least, until the tree is flat: all tables above the last level have to move. */
static uint64_t flat_after(const struct fb_tables *tables)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < tables->n_files; i++)
        if (tables->files[i].about.level < tables->files[tables->n_files - 1].about.level)
            bytes += tables->files[i].about.file_bytes;
    return bytes / SEEK_BYTES;
}

enum fb_exit fb_gets_seek(struct fb_asking *a, const char *folder, const struct fb_tables *tables,
                          json_t *cell)
{
    struct fb_engine_options options = fb_gets_options(a->g, a->cell, folder, true, &a->policy);
    json_t *windows = json_array(), *seeks = json_pack("{s:o}", "windows", windows);
    options.live = true;
    json_object_set_new(seeks, "flat_after", fb_json_int(flat_after(tables)));
    json_object_set_new(cell, "seeks", seeks);
    a->db = a->g->driver->open(&options, false, &a->why);
    enum fb_exit code = a->db ? ask_windows(a, windows) : fb_asking_fail(a);
    if (!code)
        code = predict_flat(a, seeks);
    if (a->db && !a->g->driver->close(a->db, &a->why) && !code)
        code = fb_asking_fail(a);
    fb_policy_close(&a->policy);
    a->db = NULL;
    return code;
}

/*
 * Experiments of kind "engine", run: databases are loaded, and asked in copies. Cells are counted
 * one by one, and then visited in turn, since a machine that others share is slow for minutes.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/progress.h"
#include "harness/document/io_profile.h"
#include "harness/engine/scratch.h"
#include "harness/kind/engine/gets.h"
#include "harness/tree/read_path.h"
#include "workloads/core/rng.h"

enum {
    PATH = 4000,
    BATCH = 128,   /* keys that are put at a time */
    ONE_BASE = 24, /* cells that ask one database, at most: ways of keeping filters and of reading,
                      as the engine's own filter and as a policy */
    TOGETHER = 72, /* cells that are visited in turn, at most */
};

struct running {
    const struct fb_gets *g;
    struct fb_scratch scratch;
    struct fb_progress progress;
    struct fb_engine_why why;
    char database[PATH];               /* of the cell `loaded` */
    const struct fb_gets_cell *loaded; /* NULL: no database stands */
    unsigned n_folders;
    struct fb_asking *asked[TOGETHER]; /* [n_asked] visited in turn, owned; NULL: no memory */
    size_t n_asked;
};

static enum fb_exit fail(const struct running *r, const char *id)
{
    fb_error("%s: %s", id, r->why.text);
    return FB_EXIT_IO;
}

/* ---- Loading ---- */

/* Values that do not compress. */
static void fill(uint8_t *bytes, size_t n, uint64_t stream, uint64_t first)
{
    for (size_t i = 0; i < n; i += 8) {
        const uint64_t word = fb_stream_word(stream, first + i);
        memcpy(bytes + i, &word, n - i < 8 ? n - i : 8);
    }
}

static enum fb_exit put_all(struct running *r, const char *id, void *db)
{
    const struct fb_gets *g = r->g;
    const uint64_t stream = fb_stream_key(g->seed, FB_DOMAIN_TRIAL, 0);
    uint8_t *values = malloc(BATCH * g->value_bytes + 1);
    enum fb_exit code = values ? FB_EXIT_OK : fb_fail(id, FB_ENOMEM, NULL);
    for (uint64_t first = 0; first < g->space.n_present && !code; first += BATCH) {
        const size_t n = (size_t)fb_min_u64(BATCH, g->space.n_present - first);
        uint64_t index[BATCH];
        struct fb_keyset keys;
        fb_keyspace_indices(&g->space, first, n, index);
        const enum fb_err err = fb_keyspace_keys(&g->space, index, n, &keys);
        if (err) {
            code = fb_fail(id, err, NULL);
            break;
        }
        fill(values, n * g->value_bytes, stream, first * g->value_bytes);
        if (!g->driver->put(db, &keys.keys, values, g->value_bytes, &r->why))
            code = fail(r, id);
        fb_keyset_close(&keys);
        fb_progress_add(&r->progress, n, id);
        if (!code && fb_interrupted())
            code = FB_EXIT_INTERRUPTED;
    }
    free(values);
    return code;
}

static enum fb_exit drop_database(struct running *r)
{
    const bool any = r->loaded != NULL;
    r->loaded = NULL;
    return any && !r->scratch.keep ? fb_folder_remove(r->database) : FB_EXIT_OK;
}

static void skip(json_t *document, const char *id, const char *why)
{
    json_array_append_new(json_object_get(document, "skipped"),
                          json_pack("{s:s, s:s}", "id", id, "why", why));
}

/* A database with the cell's filters, at rest. *refused: there are no such filters of some of its
 * keys; the cell is skipped. */
static enum fb_exit load(struct running *r, const struct fb_gets_cell *cell, json_t *document,
                         bool *refused)
{
    const struct fb_gets *g = r->g;
    struct fb_policy policy;
    char name[32];
    enum fb_exit code = drop_database(r);
    snprintf(name, sizeof name, "db-%u", ++r->n_folders);
    if (!code)
        code = fb_scratch_folder(&r->scratch, name, r->database, sizeof r->database);
    if (code)
        return code;
    r->loaded = cell;
    const struct fb_engine_options options = fb_gets_options(g, cell, r->database, false, &policy);
    void *db = g->driver->open(&options, true, &r->why);
    code = db ? put_all(r, cell->id, db) : fail(r, cell->id);
    if (!code && !g->driver->rest(db, g->whole, &r->why))
        code = fail(r, cell->id);
    if (db && !g->driver->close(db, &r->why) && !code)
        code = fail(r, cell->id);
    *refused = fb_err_refuses(policy.err);
    if (!code && *refused)
        skip(document, cell->id, policy.why ? policy.why : fb_err_text(policy.err));
    else if (!code && policy.err)
        code = fb_fail(cell->id, policy.err, policy.why);
    fb_policy_close(&policy);
    return code;
}

/* ---- Cells ---- */

/* Whether a database that was made for `loaded` has the filters of the cell, as the engine would
 * find them. */
static bool serves(const struct fb_gets_cell *loaded, const struct fb_gets_cell *cell)
{
    if (!loaded || loaded->bits_per_key != cell->bits_per_key ||
        (loaded->residency == FB_ENGINE_PARTITIONED) != (cell->residency == FB_ENGINE_PARTITIONED))
        return false;
    const struct fb_engine_filter *name = cell->own ? cell->own : cell->as;
    return name ? loaded->own == name : !loaded->own && loaded->design == cell->design;
}

static json_t *begin_cell(const struct fb_gets_cell *cell, const struct fb_gets_cell *loaded)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:f, s:s, s:s, s:s}", "id", cell->id, "filter",
                     cell->own ? cell->own->name : cell->design->name, "design", cell->design->name,
                     "own", cell->own != NULL, "bits_per_key", cell->bits_per_key, "residency",
                     fb_residencies[cell->residency].name, "reads", fb_gets_reads[cell->read].name,
                     "database", loaded->id);
}

/* Of Gets of which a share is for absent keys. */
static json_t *foretell_stream(const json_t *profile, const json_t *cell, double absent)
{
    const struct fb_cost_work a = fb_cost_work_of(cell, "absent"),
                              p = fb_cost_work_of(cell, "present");
    struct fb_io_gets gets = {.work = fb_cost_work_mix(&p, &a, absent),
                              .filter = fb_json_str(cell, "filter"),
                              .design = fb_json_str(cell, "design"),
                              .residency = fb_json_str(cell, "residency"),
                              .reads = fb_json_str(cell, "reads")};
    const json_t *counts =
        json_object_get(json_object_get(cell, "predicted"), absent < 1 ? "present" : "absent");
    struct fb_histogram *h = malloc(sizeof *h);
    struct fb_cost cost;
    json_t *json = fb_io_profile_get(profile, &gets, &cost) ? fb_cost_json(cost) : NULL;
    const bool singly = absent <= 0 || absent >= 1;
    const bool known = singly && h && json &&
                       fb_io_profile_times(profile, &gets, json_object_get(counts, "read_bins"), h);
    for (unsigned i = 0; i < 2 && json && singly; i++)
        fb_json_known(json, i ? "p99" : "p50",
                      known ? fb_json_int(fb_histogram_quantile(h, i ? 0.99 : 0.5)) : NULL,
                      "the profile does not tell of single Gets");
    free(h);
    return json;
}

/* "foretold": what the profile says of a cell whose reads are predicted. */
static void foretell(const struct fb_gets *g, json_t *cell)
{
    const bool small = !g->cache_fits && strcmp(fb_json_str(cell, "residency"), "pinned") != 0;
    json_t *absent = small ? NULL : foretell_stream(g->profile, cell, 1);
    fb_json_known(cell, "foretold",
                  absent ? json_pack("{s:o, s:o, s:o}", "absent", absent, "present",
                                     foretell_stream(g->profile, cell, 0), "mixed",
                                     foretell_stream(g->profile, cell, g->absent))
                         : NULL,
                  small ? "the cache is smaller than its filters, which a profile does not model"
                        : "the profile of --io has no such filters, read in this way");
}

/* ---- Cells in turn ---- */

/* How many cells from `first` on are visited in turn: as many as have their databases in half of
 * the memory, where the page cache has them. *n_databases: that stand then. */
static size_t together(const struct fb_gets *g, size_t first, uint64_t *n_databases)
{
    const uint64_t most = fb_max_u64(1, fb_memory_limit() / fb_gets_database_bytes(g));
    const struct fb_gets_cell *base = NULL;
    size_t n = 0;
    for (*n_databases = 0; first + n < g->n_cells; n++) {
        const struct fb_gets_cell *cell = &g->cells[first + n];
        if (cell->why || serves(base, cell))
            continue;
        if (*n_databases == most || n > TOGETHER - ONE_BASE)
            break;
        base = cell;
        ++*n_databases;
    }
    return n;
}

/* What stands at one time: the databases of cells in turn, one more that is loaded meanwhile, and
 * the tables that a compaction of it writes before it drops the old ones. */
static uint64_t disk_bytes(const struct fb_gets *g)
{
    uint64_t most = 0, n_databases;
    for (size_t first = 0; first < g->n_cells; most = fb_max_u64(most, n_databases))
        first += together(g, first, &n_databases);
    return (most + 2) * fb_gets_database_bytes(g);
}

/* Counts what is asked of the database that was made for cell `base`, which may be the cell itself.
 */
static enum fb_exit count_cell(struct running *r, const struct fb_gets_cell *cell,
                               const struct fb_gets_cell *base, struct fb_work *work)
{
    char copy[PATH + 32];
    bool refused = false;
    enum fb_exit code = r->loaded == base ? FB_EXIT_OK : load(r, base, work->document, &refused);
    if (code || refused)
        return code ? code : fb_work_keep(work, cell->id);
    snprintf(copy, sizeof copy, "%s/asked-%u", r->scratch.path, ++r->n_folders);
    json_auto_t *json = begin_cell(cell, r->loaded);
    code = fb_folder_copy(r->database, copy);
    if (!code)
        code = fb_asking_open(r->g, cell, copy, json, &r->asked[r->n_asked++]);
    fb_progress_add(&r->progress, r->g->queries, cell->id);
    return code;
}

/* Counts cells first .. first + n - 1 that the journal does not have, then visits them in turn. */
static enum fb_exit run_together(struct running *r, size_t first, size_t n, struct fb_work *work)
{
    const struct fb_gets *g = r->g;
    const struct fb_gets_cell *base = NULL; /* for which the database at hand would be made */
    enum fb_exit code = FB_EXIT_OK;
    for (size_t i = first; i < first + n && !code; i++) {
        const struct fb_gets_cell *cell = &g->cells[i];
        if (cell->why) {
            skip(work->document, cell->id, cell->why);
            continue;
        }
        base = serves(base, cell) ? base : cell;
        if (!fb_work_recall(work, cell->id))
            code = count_cell(r, cell, base, work);
    }
    if (!code)
        code = drop_database(r);
    for (unsigned visit = 1; visit <= FB_GETS_VISITS; visit++)
        for (size_t i = 0; i < r->n_asked && !code; i++) {
            code = fb_asking_visit(r->asked[i], visit == FB_GETS_VISITS);
            fb_progress_add(&r->progress, g->queries, r->asked[i]->cell->id);
        }
    for (size_t i = 0; i < r->n_asked && !code; i++) {
        (void)fb_work_recall(work, r->asked[i]->cell->id); /* it begins here */
        json_array_append(json_object_get(work->document, "cells"), r->asked[i]->json);
        code = fb_work_keep(work, r->asked[i]->cell->id);
    }
    while (r->n_asked) {
        struct fb_asking *a = r->asked[--r->n_asked];
        const enum fb_exit removed = a ? fb_folder_remove(a->folder) : FB_EXIT_OK;
        code = code ? code : removed;
        fb_asking_close(a);
    }
    return code;
}

enum fb_exit fb_gets_run(void *self, const struct fb_run_options *o, struct fb_work *work,
                         json_t *document)
{
    const struct fb_gets *g = self;
    struct running *r = calloc(1, sizeof *r);
    uint64_t n_asked = 0, n_databases;
    enum fb_exit code = r ? FB_EXIT_OK : fb_fail(o->name, FB_ENOMEM, NULL);
    for (size_t i = 0; i < g->n_cells; i++)
        n_asked += !g->cells[i].why;
    if (!code)
        code = fb_journal_expect(work->journal, n_asked);
    if (!code && n_asked)
        code = fb_scratch_open(o->folder, disk_bytes(g), o->keep, &r->scratch);
    if (code) {
        free(r);
        return code;
    }
    r->g = g;
    json_object_set_new(document, "engine",
                        json_pack("{s:s, s:s, s:I}", "name", g->driver->name, "version",
                                  g->driver->version, "n", (json_int_t)g->space.n_present));
    if (g->profile)
        json_object_set_new(document, "profile", fb_io_profile_about(g->profile));
    fb_progress_start(&r->progress, "engine",
                      n_asked * (g->space.n_present + (1 + FB_GETS_VISITS) * g->queries));
    for (size_t first = 0, n; first < g->n_cells && !code; first += n) {
        n = together(g, first, &n_databases);
        code = run_together(r, first, n, work);
    }
    /* Those of a run that was continued as well: all by one profile. */
    FB_EACH(done, json_object_get(document, "cells")) {
        if (g->profile)
            foretell(g, done);
    }
    fb_progress_end(&r->progress);
    fb_scratch_close(&r->scratch);
    free(r);
    const json_t *first = json_array_get(json_object_get(document, "skipped"), 0);
    if (!code && !json_array_size(json_object_get(document, "cells"))) {
        fb_error("%s: %s: %s", o->name, fb_json_str(first, "id"), fb_json_str(first, "why"));
        code = FB_EXIT_USAGE;
    }
    return code;
}

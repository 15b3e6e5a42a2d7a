/* Kind "engine" of experiments. */
#include <math.h>
#include <string.h>

#include "harness/document/cells.h"
#include "harness/kind/engine/gets.h"

static void prepare(json_t *given, const struct fb_run_options *o)
{
    if (o->keys)
        json_object_set_new(given, "keys", json_string("file"));
}

static const json_t *open(void *self, const json_t *given, struct fb_problem *problem)
{
    struct fb_gets *g = self;
    return fb_gets_resolve(given, g, problem) ? g->document : NULL;
}

static json_t *plan(const void *self)
{
    const struct fb_gets *g = self;
    json_t *rows = json_array();
    for (size_t i = 0; i < g->n_cells; i++)
        json_array_append_new(
            rows, json_pack("{s:s, s:s?}", "id", g->cells[i].id, "why_not", g->cells[i].why));
    return rows;
}

/* Which filters an engine has itself is known where the engine is. */
static json_t *ids(void *self, const json_t *document, struct fb_problem *problem)
{
    (void)self, (void)problem;
    return fb_ids_written(document);
}

static const char *contradiction(void *self, size_t number, const json_t *cell)
{
    const struct fb_gets *g = self;
    const char *filter = fb_json_str(cell, "filter"), *design = fb_json_str(cell, "design");
    char id[FB_GETS_ID];
    (void)number;
    if (!fb_json_lists(json_object_get(g->document, "designs"), design))
        return "design: the experiment does not ask for it";
    const char *residency = fb_json_str(cell, "residency"), *reads = fb_json_str(cell, "reads");
    fb_gets_name(fb_design_find(design), filter, fb_json_num(cell, "bits_per_key"),
                 *residency ? residency : "pinned", *reads ? reads : "page-cache", id);
    if (strcmp(id, fb_json_str(cell, "id")) != 0)
        return "id: it is not that of its filter and size";
    return json_is_true(json_object_get(cell, "own")) == !strcmp(filter, design)
               ? "own: filters of the engine have other names than our designs"
               : NULL;
}

static json_t *exact(const json_t *cell)
{
    static const char *const members[] = {
        "id",      "filter",       "design",   "own",       "bits_per_key", "database", "tree",
        "filters", "filter_bytes", "observed", "predicted", "differ",       "by_table", NULL};
    static const char *const counted[] = {"gets",       "found",        "checks",    "negatives",
                                          "data_reads", "read_squares", "read_hash", NULL};
    json_t *facts = fb_json_members(cell, members), *observed = json_object();
    /* What is in a block cache depends on its shards, which are drawn in each process. */
    FB_EACH_MEMBER(stream, counts, json_object_get(cell, "observed"))
        json_object_set_new(observed, stream, fb_json_members(counts, counted));
    json_object_set_new(facts, "observed", observed);
    return facts;
}

/* Data blocks read per absent Get; the cross is what was predicted. */
static const struct fb_cells_figure blocks_read = {
    "engine", .value = "rates.absent.observed.reads",
    .low = "rates.absent.observed.reads_interval.low",
    .high = "rates.absent.observed.reads_interval.high",
    .reference = "rates.absent.predicted.reads"};

/* What a Get of each stream takes, in us; the cross is what a profile foretold. */
static void tell_times(const json_t *document, const json_t *cell, json_t *rows)
{
    (void)document;
    const json_t *told = json_object_get(cell, "foretold");
    FB_EACH_MEMBER(name, stream, told) {
        const json_t *ns =
            json_object_get(json_object_get(json_object_get(cell, "rates"), name), "ns");
        fb_cells_add(rows, cell,
                     &(struct fb_cell_row){.more = name,
                                           .value = fb_json_num(ns, "value") / 1e3,
                                           .low = fb_json_num(ns, "low") / 1e3,
                                           .high = fb_json_num(ns, "high") / 1e3,
                                           .reference = fb_json_num(stream, "value") / 1e3});
    }
}

static const struct fb_cells_figure times = {"engine", .tell = tell_times};

static const struct fb_figure figures[] = {
    {"engine-cells", "data blocks that an engine reads per absent Get, a row for each cell",
     .cells = &blocks_read, .needs = "a result of kind engine"},
    {"engine-times", "what a Get of an engine takes, and what a profile foretold", .cells = &times,
     .needs = "a result of kind engine that was run with --io FILE"},
    {0},
};

/* Share of data blocks in a cache that is not meant to have them: of 1M keys and 8 MiB 0.06. */
#define MANY_HITS 0.2

static void warn(json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    size_t busy = 0;
    double most = 0, hits = 0;
    FB_EACH(cell, cells) {
        const char *id = fb_json_str(cell, "id");
        const double share = fb_json_num(cell, "rounds.slowest_share"),
                     reads = fb_json_num(cell, "observed.present.data_reads");
        busy += share > FB_GETS_QUIET;
        most = share > most ? share : most;
        if (strcmp(fb_json_str(cell, "reads"), "block-cache") != 0 && reads > 0)
            hits = fmax(hits, fb_json_num(cell, "observed.present.data_hits") / reads);
        if (*fb_json_str(cell, "foretold_reason"))
            fb_result_warn(document, "not-foretold", id, "%s: %s", id,
                           fb_json_str(cell, "foretold_reason"));
    }
    if (busy)
        fb_result_warn(
            document, "busy", NULL,
            "the machine was busy while %zu of %zu cells were timed: work that is always "
            "the same took up to %.2f times what it takes where the machine is quiet, "
            "and Gets may have as well",
            busy, json_array_size(cells), most);
    if (hits > MANY_HITS)
        fb_result_warn(
            document, "block-cache", NULL,
            "up to %.0f %% of the data blocks were in the block cache (cache_bytes), so a "
            "read looks cheaper than it is; give more keys, -n 1M",
            100 * hits);
}

static const char *const options[] = {"keys", "keys-format", "versus", NULL};

const struct fb_kind fb_kind_engine = {
    .name = "engine",
    .summary = "Gets of a storage engine itself, LevelDB or RocksDB, against what is predicted",
    .unit = "cells",
    .fields = fb_gets_fields,
    .options = options,
    .prepare = prepare,
    .self_bytes = sizeof(struct fb_gets),
    .open = open,
    .close = fb_gets_close,
    .load = fb_gets_load,
    .plan = plan,
    .run = fb_gets_run,
    .ids = ids,
    .contradiction = contradiction,
    .derive = fb_gets_derive,
    .warn = warn,
    .exact = exact,
    .card = fb_gets_card,
    .versus = &fb_gets_versus,
    .table = fb_gets_table,
    .figures = figures,
};

/* Kind "engine" of experiments. */
#include <string.h>

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

static void close(void *self)
{
    fb_gets_close(self);
}

static enum fb_exit load(void *self, const struct fb_run_options *o, json_t **about)
{
    return fb_gets_load(self, o, about);
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

static enum fb_exit run(void *self, const struct fb_run_options *o, json_t *document)
{
    return fb_gets_run(self, o, document);
}

/* Which filters an engine has itself is known where the engine is. */
static json_t *ids(void *self, const json_t *document, struct fb_problem *problem)
{
    (void)self, (void)problem;
    return fb_ids_written(document);
}

/* A present key that was not found, or more Gets than were asked. */
static const char *contradiction(void *self, size_t number, const json_t *cell)
{
    static const char *const streams[] = {"absent", "present"}, *const by[] = {"observed",
                                                                               "predicted"};
    const struct fb_gets *g = self;
    (void)number;
    if (!fb_json_lists(json_object_get(g->document, "designs"), fb_json_str(cell, "design")))
        return "design: the experiment does not ask for it";
    for (size_t i = 0; i < 4; i++) {
        const json_t *counts = json_object_get(json_object_get(cell, by[i / 2]), streams[i % 2]);
        if (fb_json_uint(counts, "gets") != g->queries)
            return "gets: not as many as the experiment asks for";
        if (fb_json_uint(counts, "found") != (i % 2 ? g->queries : 0))
            return "found: all present keys and no absent one are";
    }
    return NULL;
}

static bool derive(void *self, json_t *document, struct fb_problem *problem)
{
    (void)self;
    return fb_gets_derive(document, problem);
}

static json_t *exact(const json_t *cell)
{
    static const char *const members[] = {
        "id",      "filter",       "design",   "own",       "bits_per_key", "database", "tree",
        "filters", "filter_bytes", "observed", "predicted", "differ",       "by_table", NULL};
    return fb_json_members(cell, members);
}

static const char *const options[] = {"keys", "keys-format", NULL};
static const char *const plan_columns[] = {"id", "why_not", NULL};

const struct fb_kind fb_kind_engine = {
    .name = "engine",
    .summary = "Gets of a storage engine itself, LevelDB or RocksDB, against what is predicted",
    .unit = "cells",
    .fields = fb_gets_fields,
    .options = options,
    .prepare = prepare,
    .self_bytes = sizeof(struct fb_gets),
    .open = open,
    .close = close,
    .load = load,
    .plan = plan,
    .plan_columns = plan_columns,
    .run = run,
    .ids = ids,
    .contradiction = contradiction,
    .derive = derive,
    .exact = exact,
    .table = fb_gets_table,
};

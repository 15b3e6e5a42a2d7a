/* Kind "lsm" of experiments. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/document/user_keys.h"
#include "harness/kind/lsm/report/report.h"
#include "harness/kind/lsm/run.h"

enum { CI_DEVICE_BYTES = 16 << 20 };

struct self {
    struct fb_lsm experiment;
    struct fb_user_keys user;  /* zeroed without a file of keys */
    struct fb_lsm_trace trace; /* zeroed without a trace */
    struct fb_lsm_cell *cells; /* [n_cells], once ids is asked */
    size_t n_cells;
    struct fb_lsm_facts facts;
};

/* With a file, half of its keys are those of the tree. Its segments have the size that the
 * experiment gives them at scale 1; how many levels there are follows, and in a universal tree how
 * many runs. A trace says what is asked as well. Where there is no short form, null is left for the
 * field to refuse. */
static void prepare(json_t *given, const struct fb_run_options *o)
{
    struct fb_problem problem;
    if (o->ci && !fb_lsm_ci(given, &problem))
        json_object_set_new(given, "ci", json_null());
    if (o->ci)
        json_object_set_new(given, "device_bytes", json_integer(CI_DEVICE_BYTES));
    if (o->histograms)
        json_object_set_new(given, "histograms", json_true());
    if (!o->keys && !o->trace)
        return;
    const char *style = fb_json_str(given, "style");
    json_object_set_new(given, "keys", json_string(o->trace ? "trace" : "file"));
    json_object_set_new(given, "n", json_integer(0));
    json_object_set_new(given, "scale", json_integer(1));
    if (o->keys)
        json_object_set_new(given, "levels", json_integer(0));
    if (o->keys && !strcmp(style, fb_styles[FB_UNIVERSAL].name))
        json_object_set_new(given, "runs", json_integer(0));
    if (o->trace)
        json_object_set_new(given, "absent", json_integer(0));
}

static const json_t *open(void *self, const json_t *given, struct fb_problem *problem)
{
    struct self *s = self;
    return fb_lsm_resolve(given, &s->experiment, problem) ? s->experiment.document : NULL;
}

static void close(void *self)
{
    struct self *s = self;
    fb_lsm_close(&s->experiment);
    fb_user_keys_close(&s->user);
    fb_lsm_trace_close(&s->trace);
    fb_tree_close(&s->facts.tree);
    free(s->cells);
}

/* ---- Before a run ---- */

/* False, with a line, where a file is given that no tree is made of. */
static bool uses_file(const struct fb_run_options *o, const struct fb_lsm *e)
{
    bool used = !o->keys && !o->trace;
    for (size_t i = 0; i < e->n_trees; i++)
        used = used || (o->trace ? e->trees[i].trace : e->trees[i].file);
    if (!used)
        fb_error("%s: keys: the experiment does not ask for the file of --%s; leave out keys, or "
                 "name \"%s\" there",
                 o->name, o->trace ? "trace" : "keys", o->trace ? "trace" : "file");
    return used;
}

/* False with *problem set where a tree cannot stand: a file is missing or too small, for one; or
 * where nothing of it fits into memory. */
static bool trees_stand(const struct fb_lsm *e, bool planned, struct fb_problem *problem)
{
    for (size_t i = 0; i < e->n_trees; i++) {
        struct fb_tree_shape shape;
        if (!fb_lsm_shape(e, i, &shape, problem))
            return false;
    }
    return planned || fb_lsm_fits(e, problem);
}

static enum fb_exit load(void *self, const struct fb_run_options *o, json_t **about)
{
    struct self *s = self;
    struct fb_problem problem;
    enum fb_exit code = uses_file(o, &s->experiment) ? FB_EXIT_OK : FB_EXIT_USAGE;
    if (!code && o->keys)
        code = fb_user_keys_load(o->keys, o->keys_format, FB_USER_KEYS_SORTED, &s->user);
    if (!code && o->trace)
        code = fb_lsm_trace_load(o->trace, o->trace_format, &s->trace);
    if (code)
        return code;
    *about = json_incref(o->trace ? s->trace.about : s->user.about);
    s->experiment.file = o->keys ? &s->user.distinct.keys : NULL;
    if (o->trace) {
        s->experiment.trace = &s->trace;
        s->experiment.n_queries = s->trace.gets;
    }
    s->experiment.filter_memory = o->memory;
    if (trees_stand(&s->experiment, o->dry_run, &problem))
        return FB_EXIT_OK;
    fb_error("%s: %s", o->keys ? o->keys : o->name, problem.text);
    return FB_EXIT_USAGE;
}

static json_t *plan(const void *self)
{
    const struct self *s = self;
    return fb_lsm_plan(&s->experiment);
}

static double piece(void *self, size_t row, double part, const struct fb_piece *how)
{
    const struct self *s = self;
    size_t n_cells;
    struct fb_lsm_cell *cells = fb_lsm_cells(&s->experiment, &n_cells);
    const double work = cells ? fb_lsm_piece(&s->experiment, &cells[row], part, how->n_threads) : 0;
    free(cells);
    return work;
}

static enum fb_exit run(void *self, const struct fb_run_options *o, struct fb_work *work,
                        json_t *document)
{
    struct self *s = self;
    enum fb_exit code = fb_lsm_steps_device(&s->experiment, work);
    if (code)
        json_object_del(document, "cells");
    return code ? code : fb_lsm_run(&s->experiment, (unsigned)o->threads, work);
}

/* ---- Of a document ---- */

static json_t *ids(void *self, const json_t *document, struct fb_problem *problem)
{
    struct self *s = self;
    if (!fb_lsm_take_device(&s->experiment, document)) {
        fb_refuse(problem, "devices: not those of the experiment");
        return NULL;
    }
    s->cells = fb_lsm_cells(&s->experiment, &s->n_cells);
    const json_t *skipped = json_object_get(document, "skipped");
    json_t *ids = s->cells ? json_object() : NULL;
    for (size_t i = 0; s->cells && i < s->n_cells; i++) {
        const bool needed = fb_json_find(skipped, "id", s->cells[i].id) &&
                            fb_lsm_is_countable(&s->experiment, &s->cells[i], &s->facts);
        json_object_set_new(ids, s->cells[i].id, needed ? json_true() : json_null());
    }
    return ids;
}

/* False negatives of a cell's queries and scans. */
static json_int_t missed_by(const json_t *cell)
{
    json_int_t missed = json_integer_value(fb_json_at(cell, "counts.false_negatives"));
    FB_EACH(scan, json_object_get(cell, "scans"))
        missed += json_integer_value(json_object_get(scan, "false_negatives"));
    return missed;
}

static const char *contradiction(void *self, size_t number, const json_t *cell)
{
    static char text[200];
    struct self *s = self;
    const struct fb_design *design = fb_design_find(fb_json_str(cell, "design"));
    const json_int_t missed = missed_by(cell);
    if (!design)
        return "design: give one that this filterbench has";
    if (missed && !(design->traits & FB_FALSE_NEGATIVES)) {
        snprintf(text, sizeof text, "%lld false negatives", (long long)missed);
        return text;
    }
    const char *wrong = fb_lsm_contradiction(&s->experiment, &s->cells[number], cell, &s->facts);
    snprintf(text, sizeof text, "%s does not fit the experiment or the other facts",
             wrong ? wrong : "");
    return wrong ? text : NULL;
}

/* Devices that a document may have: those of the experiment. What named ones take is as it was
 * assumed by the filterbench that wrote it. */
static bool may_have(const struct fb_lsm *e, const json_t *devices)
{
    json_auto_t *ours = fb_lsm_devices(e);
    const json_t *chosen = json_array_get(ours, 0);
    bool may = json_array_size(devices) > 0;
    FB_EACH_AT(i, device, devices) {
        const char *name = fb_json_str(device, "name");
        may = may && (i || !strcmp(name, e->device.name)) &&
              (fb_device_is_assumed(name)
                   ? fb_json_uint(device, "block_bytes") == fb_json_uint(chosen, "block_bytes") &&
                         !json_object_get(device, "about")
                   : !i && json_equal(device, chosen));
    }
    return may;
}

static bool derive(void *self, json_t *document, struct fb_problem *problem)
{
    const struct self *s = self;
    if (!may_have(&s->experiment, json_object_get(document, "devices")))
        json_object_set_new(document, "devices", fb_lsm_devices(&s->experiment));
    if (!fb_lsm_derive_times(document, problem))
        return false;
    FB_EACH(cell, json_object_get(document, "cells"))
        fb_lsm_derive(cell, document);
    return true;
}

static json_t *exact(const json_t *cell)
{
    static const char *const members[] = {"id",     "design", "keys",     "n",     "params", "tree",
                                          "filter", "runs",   "unscaled", "scans", "counts", NULL};
    return fb_json_members(cell, members);
}

/* ---- Shards ---- */

static const char *whole(const void *self)
{
    const struct fb_lsm *e = &((const struct self *)self)->experiment;
    if (e->timed)
        return "their lookups are timed beside each other; --set timed=false splits them";
    for (size_t i = 0; i < e->n_trees; i++)
        if (e->trees[i].trace)
            return "what a trace asks for is known only where it is";
    for (size_t i = 0; i < e->n_readings; i++)
        if (e->readings[i].cache_bytes)
            return "a block cache is warmed by the queries before; cells without one are split";
    return fb_lsm_has_adversary(e)
               ? "adversarial keys are found against whole filters; cells without are split"
               : NULL;
}

static bool unite(void *self, size_t number, const json_t *fragments, bool partial, json_t **cell,
                  struct fb_problem *problem)
{
    const struct self *s = self;
    FB_EACH(fragment, fragments) {
        const char *why = contradiction(self, number, json_object_get(fragment, "cell"));
        if (why)
            return fb_refuse(problem, "cell: %s", why);
    }
    return fb_lsm_unite(&s->experiment, &s->cells[number], fragments, partial, cell, problem);
}

static json_t *stretch(const void *self, size_t number, struct fb_shard shard)
{
    const struct self *s = self;
    const struct fb_lsm_share share =
        fb_lsm_share(&s->experiment, shard, &s->cells[number], number);
    return share.any && share.part ? fb_lsm_stretch(&share) : NULL;
}

static bool timed(const void *self)
{
    const struct self *s = self;
    return s->experiment.timed;
}

static const char *const beside[] = {"devices", NULL};
static const struct fb_sharing sharing = {
    .whole = whole, .unite = unite, .stretch = stretch, .timed = timed, .beside = beside};

static const char *const options[] = {
    "keys",       "keys-format", "trace",  "trace-format", "threads", "memory", "ci",
    "histograms", "io",          "device", "reads",        "versus",  NULL};
static const char *const plan_columns[] = {
    "id", "?keys", "?filter_keys", "?filter_bytes", "?seconds", "why_not", NULL};
static const struct fb_figure figures[] = {
    {"lsm-cost", "cost of a query against the share of absent keys", fb_lsm_plot_cost,
     "params.bits_per_key",
     .needs = "a result of kind lsm with two shares of absent keys: --absent 0,0.5,1"},
    {"lsm-memory", "reads of a query against memory, by split over levels", fb_lsm_plot_memory,
     "params.absent", .needs = "a result of kind lsm with two sizes of filters: -b 8,12"},
    {"lsm-cache", "hits of the block cache against its size", fb_lsm_plot_cache,
     "params.bits_per_key",
     .needs = "a result of kind lsm with two sizes of a block cache: --cache 1Mi,16Mi"},
    {"lsm-latency", "latency of single queries by percentile", fb_lsm_plot_latency,
     "params.bits_per_key",
     .needs = "a result of kind lsm that was timed and run with --histograms"},
    {"walk-segments", "cost of a query against runs, hashed once or for every filter",
     fb_lsm_plot_walk_segments, "",
     .needs = "a result of kind lsm with two numbers of runs, timed, all keys absent: --absent 1"},
    {"lsm-cells", "cost of a query, a row for each cell", .cells = &fb_lsm_cells_figure,
     .needs = "a result of kind lsm", .rest = true},
    {0},
};

const struct fb_kind fb_kind_lsm = {
    .name = "lsm",
    .example = "-d leveldb,sbbf-512-pow2 --io nvme",
    .summary = "reads and costs of lookups in the tree of a storage engine",
    .unit = "cells",
    .fields = fb_lsm_fields,
    .options = options,
    .prepare = prepare,
    .self_bytes = sizeof(struct self),
    .open = open,
    .close = close,
    .load = load,
    .plan = plan,
    .plan_columns = plan_columns,
    .piece = piece,
    .run = run,
    .ids = ids,
    .contradiction = contradiction,
    .derive = derive,
    .warn = fb_lsm_warn,
    .exact = exact,
    .card = fb_lsm_card,
    .versus = &fb_lsm_versus,
    .table = fb_lsm_table,
    .rows = fb_lsm_rows,
    .figures = figures,
    .sharing = &sharing,
};

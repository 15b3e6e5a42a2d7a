/* Kind "fpr" of experiments. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/document/user_keys.h"
#include "harness/kind/fpr/rates.h"

struct self {
    struct fb_rates experiment;
    struct fb_user_keys user; /* zeroed without a file */
    struct fb_rates_cell *cells;
    size_t n_cells;
    unsigned n_threads; /* of the run; 0: one per core */
};

/* A file of keys replaces the made ones, unless the experiment asks for it beside them. */
static void prepare(json_t *given, const struct fb_run_options *o)
{
    if (o->keys && !fb_json_lists(json_object_get(given, "keys"), "file"))
        json_object_set_new(given, "keys", json_pack("[s]", "file"));
}

static const json_t *open(void *self, const json_t *given, struct fb_problem *problem)
{
    struct self *s = self;
    return fb_rates_resolve(given, &s->experiment, problem) ? s->experiment.document : NULL;
}

static void close(void *self)
{
    struct self *s = self;
    fb_rates_close(&s->experiment);
    fb_user_keys_close(&s->user);
    free(s->cells);
}

static enum fb_exit load(void *self, const struct fb_run_options *o, json_t **about)
{
    struct self *s = self;
    bool asked = false;
    for (size_t i = 0; i < fb_rates_list(&s->experiment, "keys"); i++)
        asked = asked || !s->experiment.keygens[i].name;
    if (asked != (o->keys != NULL)) {
        fb_error(asked ? "%s: the experiment needs a file of keys; give --keys FILE"
                       : "%s: --set keys leaves out the file of --keys; add file to it, as in "
                         "--set keys=random,file",
                 o->name);
        return FB_EXIT_USAGE;
    }
    enum fb_exit code =
        asked ? fb_user_keys_load(o->keys, o->keys_format, FB_USER_KEYS_AS_GIVEN, &s->user)
              : FB_EXIT_OK;
    if (code)
        return code;
    for (size_t i = 0; asked && i < fb_rates_list(&s->experiment, "file_n"); i++) {
        const uint64_t n = (uint64_t)fb_rates_entry(&s->experiment, "file_n", i);
        const uint64_t distinct = s->user.distinct.keys.n;
        if (n >= distinct)
            fb_note("%s: you asked for %llu keys per filter, but the file has %llu distinct keys; "
                    "filters get %llu, and the others are looked up as absent keys",
                    fb_file_name(o->keys), (unsigned long long)n, (unsigned long long)distinct,
                    (unsigned long long)(distinct / 2));
    }
    *about = json_incref(s->user.about);
    s->n_threads = (unsigned)o->threads;
    s->cells = fb_rates_cells(&s->experiment, asked ? &s->user.distinct.keys : NULL, &s->n_cells);
    return s->cells ? FB_EXIT_OK : fb_fail(o->name, FB_ENOMEM, NULL);
}

static json_t *plan(const void *self)
{
    const struct self *s = self;
    json_t *rows = json_array();
    for (size_t i = 0; i < s->n_cells; i++) {
        const struct fb_rates_cell *cell = &s->cells[i];
        json_array_append_new(rows,
                              json_pack("{s:s, s:I, s:I, s:o, s:f, s:s?}", "id", cell->id,
                                        "filters", (json_int_t)cell->spec.filters, "probes_each",
                                        (json_int_t)cell->spec.probes_per_filter, "work",
                                        fb_json_int(fb_rates_work(cell)), "memory_bytes",
                                        fb_rates_memory(cell, s->n_threads), "why_not", cell->why));
    }
    return rows;
}

static enum fb_exit run(void *self, const struct fb_run_options *o, struct fb_work *work,
                        json_t *document)
{
    const struct self *s = self;
    return fb_rates_run(s->cells, s->n_cells, (unsigned)o->threads, work, document);
}

/* Of the keys of a file only the number is in a document. */
static json_t *ids(void *self, const json_t *document, struct fb_problem *problem)
{
    struct self *s = self;
    double given = fb_json_num(document, "key_file.given");
    double kept = given - fb_json_num(document, "key_file.dropped");
    struct fb_keys file = {.n = kept > 0 ? (size_t)kept : 0};
    (void)problem;
    s->cells = fb_rates_cells(&s->experiment, &file, &s->n_cells);
    json_t *ids = s->cells ? json_object() : NULL;
    for (size_t i = 0; ids && i < s->n_cells; i++) {
        const struct fb_rates_cell *cell = &s->cells[i];
        /* With keys of a file or another hash, building may refuse what can be planned. */
        bool sure = cell->spec.keygen && !cell->spec.hash;
        json_object_set_new(ids, cell->id,
                            cell->why ? json_false()
                            : sure    ? json_true()
                                      : json_null());
    }
    return ids;
}

static const char *contradiction(void *self, size_t number, const json_t *json)
{
    const struct self *s = self;
    return fb_rates_contradiction(&s->cells[number], json);
}

static bool derive(void *self, json_t *document, struct fb_problem *problem)
{
    const struct self *s = self;
    return fb_rates_derive(s->cells, s->n_cells, document, problem);
}

static json_t *exact(const json_t *cell)
{
    static const char *const members[] = {"id",      "design",   "keys",   "n", "params",
                                          "derived", "geometry", "counts", NULL};
    return fb_json_members(cell, members);
}

/* Fewer filters, but one for each thread, and then fewer keys and probes in each. */
static double piece(void *self, size_t row, double part, const struct fb_piece *how)
{
    const struct self *s = self;
    struct fb_rates_cell cell = s->cells[row];
    struct fb_fpr_cell *spec = &cell.spec;
    struct fb_fpr_counts counts;
    const char *why;
    bool complete;
    const double all = (double)spec->filters * part;
    const uint64_t of_shard = fb_divide_up(spec->filters, how->of);
    const uint64_t rounds = fb_max_u64((uint64_t)all / how->n_threads, 1);
    spec->filters = fb_min_u64(of_shard, rounds * how->n_threads);
    const double rest = fmin(all / (double)spec->filters, 1);
    spec->n_keys = fb_max_u64((uint64_t)((double)spec->n_keys * rest), 1);
    spec->probes_per_filter = fb_max_u64((uint64_t)((double)spec->probes_per_filter * rest), 1);
    spec->params.capacity = (uint64_t)((double)spec->params.capacity * rest);
    spec->precision = 0;
    if (fb_fpr_measure(spec, how->n_threads, &counts, &complete, &why))
        return 0;
    fb_fpr_counts_close(&counts);
    return (double)fb_rates_work(&cell);
}

/* ---- Shards ---- */

static const char *refused(const void *self)
{
    const struct self *s = self;
    return s->experiment.asked.precision > 0 ? "with a precision the number of probes follows from "
                                               "what is found; give --precision "
                                               "0 and --filters and --probes as many as it takes"
                                             : NULL;
}

static bool unite(void *self, size_t number, const json_t *fragments, bool partial, json_t **cell,
                  struct fb_problem *problem)
{
    const struct self *s = self;
    return fb_rates_unite(&s->cells[number], fragments, partial, cell, problem);
}

static json_t *stretch(const void *self, size_t number, struct fb_shard shard)
{
    const struct self *s = self;
    return fb_rates_stretch(&s->cells[number], number, shard);
}

static const struct fb_sharing sharing = {.refused = refused, .unite = unite, .stretch = stretch};

static const char *const options[] = {"keys", "keys-format", "threads", "versus", NULL};
static const char *const plan_columns[] = {"id", "?filters", "?probes_each", "why_not", NULL};

const struct fb_kind fb_kind_fpr = {
    .name = "fpr",
    .example = "-d nori,leveldb -b 8,10 -n 100k",
    .summary = "false-positive rates and sizes of single filters",
    .unit = "cells",
    .fields = fb_rates_fields,
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
    .warn = fb_rates_warn,
    .exact = exact,
    .versus = &fb_rates_versus,
    .table = fb_rates_table,
    .figures = fb_rates_figures,
    .sharing = &sharing,
};

/* Kind "kernels" of experiments. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/kind/kernels/kernels.h"

struct self {
    struct fb_kernels experiment;
    struct fb_kernels_grid grid; /* of the document's machine, once ids is asked */
    json_t **of_filter;          /* [grid.job.n_filters] a cell of each filter, borrowed */
};

/* What is larger than most_bytes takes longer to build. */
static const char quick[] =
    "{\"footprints\": [\"L1\", \"L2\", \"L3\"], \"most_bytes\": 8000000, \"rounds\": 1,"
    " \"min_processes\": 6, \"max_processes\": 6, \"budget\": 15}";
static const char full[] =
    "{\"footprints\": [\"all\"], \"operations\": [\"batch\", \"each\", \"branch\", \"chain\","
    " \"insert\", \"remove\", \"build\"], \"isas\": [\"all\"],"
    " \"styles\": [\"all\"], \"hit_ratios\": [0, 0.02, 0.5, 0.98, 1], \"budget\": 900}";

static void prepare(json_t *given, const struct fb_run_options *o)
{
    if (o->quick || o->full)
        json_object_update_new(given, json_loads(o->quick ? quick : full, 0, NULL));
    if (o->histograms)
        json_object_set_new(given, "histograms", json_true());
}

static const json_t *open(void *self, const json_t *given, struct fb_problem *problem)
{
    struct self *s = self;
    return fb_kernels_resolve(given, &s->experiment, problem) ? s->experiment.document : NULL;
}

static void close(void *self)
{
    struct self *s = self;
    fb_kernels_close(&s->experiment);
    fb_kernels_grid_close(&s->grid);
    free(s->of_filter);
}

static enum fb_exit load(void *self, const struct fb_run_options *o, json_t **about)
{
    const struct self *s = self;
    struct fb_problem problem;
    (void)about;
    if (fb_kernels_can_run(&s->experiment, &problem))
        return FB_EXIT_OK;
    fb_error("%s: %s", o->name, problem.text);
    return FB_EXIT_USAGE;
}

static json_t *rows_of(const struct fb_kernels_grid *grid)
{
    return fb_plan_rows(*grid->id, grid->job.n_cells, sizeof *grid->id, grid->skipped);
}

/* Seconds of a cell in a process: keys and filters are made again (Zen 5 guest). */
static const double CELL_S = 0.03;

static json_t *plan(const void *self)
{
    const struct self *s = self;
    const struct fb_group_options *o = &s->experiment.options.group;
    struct fb_kernels_grid grid;
    struct fb_kernels_machine machine;
    fb_kernels_machine_detect(&machine);
    json_t *rows = fb_kernels_plan(&s->experiment, &machine, &grid) ? json_array() : rows_of(&grid);
    const double n = (double)grid.job.n_cells, least_s = CELL_S * (double)o->min_processes;
    FB_EACH(row, rows)
        json_object_set_new(row, "budget_s", json_real(fmax(least_s, s->experiment.budget_s / n)));
    fb_kernels_grid_close(&grid);
    return rows;
}

static enum fb_exit run(void *self, const struct fb_run_options *o, struct fb_work *work,
                        json_t *document)
{
    struct self *s = self;
    (void)o;
    s->experiment.shard = work->shard;
    return fb_kernels_run(&s->experiment, work, document);
}

/* Whether this build has kernels of each instruction set of the machine. */
static bool has_kernels(const struct fb_kernels_machine *machine)
{
    bool has[FB_N_ISAS] = {false};
    for (size_t d = 0; d < fb_n_designs(); d++)
        for (const struct fb_kernel *const *k = fb_design_at(d)->kernels; *k; k++)
            has[(*k)->isa] = true;
    for (int isa = 0; isa < FB_N_ISAS; isa++)
        if (machine->isa[isa] && !has[isa])
            return false;
    return true;
}

/* A run that was interrupted before it had a "timing", and one of a machine of another
 * architecture, cannot be planned. */
static json_t *ids(void *self, const json_t *document, struct fb_problem *problem)
{
    struct self *s = self;
    struct fb_kernels_machine machine;
    const json_t *timing = json_object_get(document, "timing");
    if (!timing && !json_is_true(fb_json_at(document, "run.complete")))
        return fb_ids_written(document);
    if (!fb_kernels_machine_read(timing, &machine)) {
        fb_refuse(problem, "timing: footprints, memory_bytes and isas do not say which machine");
        return NULL;
    }
    if (!has_kernels(&machine) || !fb_shard_read(document, &s->experiment.shard))
        return fb_ids_written(document);
    if (fb_kernels_plan(&s->experiment, &machine, &s->grid) ||
        !(s->of_filter = calloc(s->grid.job.n_filters + 1, sizeof *s->of_filter)))
        return NULL;
    json_auto_t *rows = rows_of(&s->grid);
    return fb_ids_planned(rows);
}

static const char *contradiction(void *self, size_t number, const json_t *cell)
{
    struct self *s = self;
    if (!s->of_filter)
        return NULL; /* not planned */
    json_t **same = &s->of_filter[s->grid.job.cells[number].filter];
    const char *why = fb_kernels_contradiction(&s->grid, number, *same, cell);
    *same = (json_t *)cell;
    return why;
}

static bool derive(void *self, json_t *document, struct fb_problem *problem)
{
    const struct self *s = self;
    return fb_kernels_derive(&s->experiment, document, problem);
}

static json_t *exact(const json_t *cell)
{
    static const char *const members[] = {"id",        "design", "params",    "isa",       "style",
                                          "operation", "runs",   "footprint", "hit_ratio", "load",
                                          "mixed",     "filter", "build",     NULL};
    return fb_json_members(cell, members);
}

static void exact_beside(const json_t *document, json_t *counts)
{
    json_object_set(counts, "footprints",
                    (json_t *)fb_json_at(document, "timing.footprints.filter_bytes"));
}

static const struct fb_sharing sharing = {
    .why_whole =
        "the cells of one design are timed together, and beside them the yardsticks in each "
        "shard",
    .always_timed = true,
    .of_machine = true};

static const char *const options[] = {"quick", "full", "histograms", "versus", NULL};
static const struct fb_costs_comparison times = {.name = "times",
                                                 .has_references = true,
                                                 .comparable = fb_same_machine,
                                                 .compare = fb_compare_times,
                                                 .print = fb_print_times};

const struct fb_kind fb_kind_kernels = {
    .name = "kernels",
    .example = "-d nori,leveldb --quick",
    .summary = "what a lookup and an insert cost, beside yardsticks of the same rounds",
    .unit = "cells",
    .fields = fb_kernels_fields,
    .options = options,
    .prepare = prepare,
    .self_bytes = sizeof(struct self),
    .open = open,
    .close = close,
    .load = load,
    .plan = plan,
    .run = run,
    .ids = ids,
    .contradiction = contradiction,
    .derive = derive,
    .warn = fb_kernels_warn,
    .exact = exact,
    .exact_beside = exact_beside,
    .versus = &fb_kernels_versus,
    .table = fb_kernels_table,
    .figures = fb_kernels_figures,
    .sharing = &sharing,
    .costs = &times,
};

/* Kind "icount" of experiments. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/document/cells.h"
#include "harness/filter/icount.h"
#include "harness/kind/icount/icount.h"

static json_t *plan(const void *self)
{
    const struct fb_icount_plan *p = self;
    return fb_plan_rows(*p->id, p->job.n_cells, sizeof *p->id, p->skipped);
}

/* ---- Running ---- */

static void add_cell(const struct fb_icount_plan *p, size_t i, const struct fb_icount *counted,
                     const char *why, json_t *cells)
{
    const struct fb_timing_cell *c = &p->job.cells[i];
    const enum fb_isa isa = fb_design_at(c->design)->kernels[c->kernel]->isa;
    char text[64];
    json_t *cell = json_object();
    if (!why) {
        snprintf(text, sizeof text, "%s does not run %s",
                 fb_cpu_has(isa) ? "callgrind" : "this machine", fb_isa_name(isa));
        why = text;
    }
    const bool is = counted->operations && counted->instructions;
    fb_icount_describe(p, i, cell);
    json_object_set_new(json_object_get(cell, "filter"), "checksum",
                        fb_json_word(p->job.filters[c->filter].checksum));
    fb_json_known(cell, "operations", is ? fb_json_int(counted->operations) : NULL, why);
    fb_json_known(cell, "instructions", is ? fb_json_int(counted->instructions) : NULL, why);
    json_array_append_new(cells, cell);
}

static enum fb_exit run(void *self, const struct fb_run_options *o, struct fb_work *work,
                        json_t *document)
{
    struct fb_icount_plan *p = self;
    char version[32];
    const char *why = NULL;
    if (!fb_icount_take(p, work->shard))
        return fb_fail(o->name, FB_ENOMEM, NULL);
    struct fb_icount *counted = calloc(p->job.n_cells + 1, sizeof *counted);
    enum fb_err err = counted ? FB_OK : FB_ENOMEM;
    json_object_set(document, "skipped", p->skipped);
    if (!err)
        err = fb_timing_build(&p->job, (unsigned)o->threads, NULL, &why);
    if (!err && !fb_interrupted())
        err = fb_timing_icount(&p->job, counted, version, &why);
    const bool cannot = err == FB_EUNSUPPORTED;
    err = cannot ? FB_OK : err;
    if (!err && !fb_interrupted()) {
        for (size_t i = 0; i < p->job.n_cells; i++)
            add_cell(p, i, &counted[i], why, json_object_get(document, "cells"));
        fb_json_known(
            document, "counter",
            cannot ? NULL : json_pack("{s:s, s:s}", "tool", "callgrind", "version", version), why);
    }
    free(counted);
    if (err)
        return fb_fail(o->name, err, why);
    return fb_work_end(work, fb_interrupted() ? FB_EXIT_INTERRUPTED : FB_EXIT_OK);
}

/* ---- Checking and deriving ---- */

static bool is_foreign(const json_t *document)
{
    json_auto_t *machine = fb_environment_machine();
    return strcmp(fb_json_str(machine, "arch"), fb_json_str(document, "machine.arch")) != 0;
}

static json_t *ids(void *self, const json_t *document, struct fb_problem *problem)
{
    struct fb_icount_plan *p = self;
    struct fb_shard shard;
    (void)problem;
    if (!fb_shard_read(document, &shard) || !fb_icount_take(p, shard))
        return NULL;
    p->foreign = is_foreign(document);
    if (p->foreign)
        return fb_ids_written(document);
    json_auto_t *rows = plan(p);
    return fb_ids_planned(rows);
}

static const char *contradiction(void *self, size_t number, const json_t *cell)
{
    const struct fb_icount_plan *p = self;
    if (p->foreign)
        return NULL;
    json_t *planned = json_deep_copy(cell);
    json_t *checksum = json_incref(json_object_get(json_object_get(cell, "filter"), "checksum"));
    fb_icount_describe(p, number, planned);
    json_object_set_new(json_object_get(planned, "filter"), "checksum", checksum);
    return fb_otherwise(planned, cell);
}

static bool derive(void *self, json_t *document, struct fb_problem *problem)
{
    (void)self, (void)problem;
    FB_EACH(cell, json_object_get(document, "cells"))
        fb_json_real(cell, "per_operation",
                     fb_json_num(cell, "instructions") / fb_json_num(cell, "operations"),
                     fb_json_str(cell, "instructions_reason"));
    return true;
}

static void warn(json_t *document)
{
    const char *why = fb_json_str(document, "counter_reason");
    if (*why)
        fb_result_warn(document, "not-counted", NULL, "no instructions: %s", why);
}

/* Instructions are the compiler's: compare.c. */
static json_t *exact(const json_t *cell)
{
    static const char *const members[] = {
        "id", "design", "isa", "style", "operation", "hit_ratio", "bits_per_key", "filter", NULL};
    return fb_json_members(cell, members);
}

/* Instructions are of one executable: runs stand side by side as those with times do. */
static const struct fb_sharing sharing = {
    .why_whole = "the cells of one design are counted in one run", .always_timed = true};

static const char *const options[] = {"threads", "versus", NULL};

static const struct fb_cells_figure per_operation = {"icount", .value = "per_operation"};
static const struct fb_figure figures[] = {
    {"icount-cells", "instructions of an operation, a row for each cell", .cells = &per_operation,
     .needs = "a result of kind icount that was counted", .rest = true},
    {0},
};

const struct fb_kind fb_kind_icount = {
    .name = "icount",
    .example = "-d nori,leveldb -n 1000",
    .summary = "instructions that a lookup and an insert take, counted under callgrind",
    .unit = "cells",
    .fields = fb_icount_fields,
    .options = options,
    .self_bytes = sizeof(struct fb_icount_plan),
    .open = fb_icount_open,
    .close = fb_icount_close,
    .plan = plan,
    .run = run,
    .ids = ids,
    .contradiction = contradiction,
    .derive = derive,
    .warn = warn,
    .exact = exact,
    .card = fb_icount_card,
    .versus = &fb_icount_versus,
    .table = fb_icount_table,
    .figures = figures,
    .costs = &fb_icount_comparison,
    .sharing = &sharing,
};

/* Running an experiment of kind "kernels" into a result document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/simulate.h"
#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/progress.h"
#include "harness/kind/kernels/kernels.h"
#include "harness/measure/counters.h"
#include "harness/measure/group_json.h"
#include "harness/measure/latency.h"
#include "harness/measure/noise.h"

/* ---- Progress: in shares of the time that is expected ---- */

enum { WHOLE = 1000000 };

struct watch {
    struct fb_progress progress;
    const struct fb_kernels *e;
    double started_s, measuring_s; /* when measuring began */
    size_t built, n_filters;
    struct fb_timer_quality timer;
};

static void on_built(void *arg, size_t filter)
{
    struct watch *w = arg;
    (void)filter;
    size_t built = __atomic_add_fetch(&w->built, 1, __ATOMIC_RELAXED);
    char what[80];
    snprintf(what, sizeof what, "built %zu of %zu filters", built, w->n_filters);
    fb_progress_add(&w->progress, 0, what);
}

static void on_process(void *arg, const struct fb_group *group)
{
    struct watch *w = arg;
    size_t done = fb_group_processes(group), needed = 0;
    for (size_t f = 0; f < FB_N_FOOTPRINTS; f++)
        if (group->parts[f].processes)
            needed += w->e->options.group.min_processes;
    double now = fb_seconds(), each = (now - w->measuring_s) / (double)done;
    double least = w->measuring_s - w->started_s + each * (double)needed;
    double expected = fmax(least, w->e->budget_s);
    char what[80], width[32] = "no interval yet";
    if (isfinite(group->half_width))
        snprintf(width, sizeof width, "widest +-%.1f %%", 100 * group->half_width);
    snprintf(what, sizeof what, "%zu processes, %s", done, width);
    w->progress.done = (uint64_t)(WHOLE * fmin(1, (now - w->started_s) / expected));
    fb_progress_add(&w->progress, 0, what);
}

/* ---- The document ---- */

static json_t *footprints_json(const struct fb_footprints *f)
{
    json_t *bytes = json_object();
    for (int i = 0; i < FB_N_FOOTPRINTS; i++)
        if (f->bytes[i])
            json_object_set_new(bytes, fb_footprint_name((enum fb_footprint)i),
                                fb_json_int(f->bytes[i]));
    json_t *j = fb_caches_json(&f->caches);
    json_object_set_new(j, "filter_bytes", bytes);
    return j;
}

json_t *fb_kernels_filter_json(const struct fb_timing_filter *f)
{
    json_t *j = json_pack("{s:o, s:o}", "bytes", fb_json_int(f->geom.n_bytes), "n_keys",
                          fb_json_int(f->n_keys));
    fb_json_real(j, "bits_per_key",
                 f->n_keys ? 8 * (double)f->geom.n_bytes / (double)f->n_keys : NAN,
                 "there are no keys");
    json_object_set_new(j, "probes", fb_json_int(f->geom.probes));
    json_object_set_new(j, "synthetic_fill", json_boolean(f->synthetic_fill));
    json_object_set_new(j, "checksum", fb_json_word(f->checksum));
    return j;
}

double fb_kernels_predict(const struct fb_timing_filter *f, const struct fb_design *design)
{
    enum { QUERIES = 1000000, MOST_SIMULATED = 1 << 20 };
    uint64_t events;
    if (design->scheme != FB_SCHEME_ROTATE17) /* the others' formulas hold at these sizes */
        return design->fpr(&f->geom, f->n_keys);
    if (f->n_keys > MOST_SIMULATED || fb_simulate_filter(design->scheme, f->n_keys, f->geom.n_bits,
                                                         f->geom.probes, QUERIES, 1, &events))
        return NAN;
    return (double)events / QUERIES;
}

static json_t *given(double x)
{
    return x > 0 ? json_real(x) : NULL;
}

/* "params" and "predicted_fpr"; those of a cell of the same filter are taken over. */
static void set_size(json_t *j, const struct fb_kernels_grid *grid, size_t i, const json_t *before)
{
    static const char *const control = "a control has no size", *const other =
                                                                    "sized the other way";
    const struct fb_timing_cell *cell = &grid->job.cells[i], *last = i ? cell - 1 : cell;
    const struct fb_design *design = fb_design_at(cell->design);
    bool sized = cell->bits_per_key > 0 || cell->fpr > 0;
    json_t *params = json_object();
    fb_json_known(params, "bits_per_key", given(cell->bits_per_key), sized ? other : control);
    fb_json_known(params, "fpr", given(cell->fpr), sized ? other : control);
    json_object_set_new(j, "params", params);
    if (i && last->filter == cell->filter && last->design == cell->design) {
        json_object_set(j, "predicted_fpr", json_object_get(before, "predicted_fpr"));
        json_t *reason = json_object_get(before, "predicted_fpr_reason");
        if (reason)
            json_object_set(j, "predicted_fpr_reason", reason);
        return;
    }
    fb_json_real(j, "predicted_fpr",
                 sized ? fb_kernels_predict(&grid->job.filters[cell->filter], design) : NAN,
                 sized ? "so many keys take too long to simulate" : control);
}

static json_t *cell_json(const struct fb_kernels_grid *grid, const struct fb_group *group, size_t i,
                         const json_t *before)
{
    const struct fb_timing_cell *cell = &grid->job.cells[i];
    const struct fb_design *design = fb_design_at(cell->design);
    const struct fb_kernel *kernel = design->kernels[cell->kernel];
    bool plain = cell->operation == FB_OP_PLAIN;
    json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "id", grid->id[i], "design",
                          design->name, "isa", plain ? "compiler" : fb_isa_name(kernel->isa),
                          "style", plain ? "loop" : kernel->style, "operation",
                          fb_operation_name((enum fb_operation)cell->operation), "footprint",
                          fb_footprint_name((enum fb_footprint)cell->footprint));
    fb_json_known(j, "hit_ratio",
                  cell->operation == FB_OP_INSERT ? NULL : json_real(cell->hit_ratio),
                  "inserts add keys that are in already");
    set_size(j, grid, i, before);
    json_object_set_new(j, "filter", fb_kernels_filter_json(&grid->job.filters[cell->filter]));
    json_object_set_new(j, "time", fb_kernels_time(group, grid->id, i));
    return j;
}

/* ---- Extra passes ---- */

static const char *const interrupted = "the run was interrupted before";

static json_t *counters_json(const struct fb_counters *c)
{
    json_t *j = json_object();
    for (int i = 0; i < FB_N_COUNTERS; i++)
        fb_json_real(j, fb_counter_names[i], c->per_op[i], "this processor does not count it");
    return j;
}

/* "counters" of every cell, per operation. */
static enum fb_err add_counters(const struct fb_timing_job *job, json_t *cells)
{
    char why[80] = "";
    int fd[FB_N_COUNTERS];
    struct fb_counters *counted = NULL;
    enum fb_err err = FB_OK;
    if (fb_counters_open(fd, why, sizeof why)) {
        counted = calloc(job->n_cells + 1, sizeof *counted);
        err = counted ? fb_timing_once(job, FB_TIME_COUNTERS, counted, sizeof *counted) : FB_ENOMEM;
    } else {
        fb_note("no hardware counters: %s", why);
    }
    fb_counters_close(fd);
    for (size_t i = 0; i < job->n_cells && !err; i++)
        fb_json_known(json_array_get(cells, i), "counters",
                      counted ? counters_json(&counted[i]) : NULL, why);
    free(counted);
    return err;
}

/* "histograms" of every cell. */
static enum fb_err add_histograms(const struct fb_timing_job *job, bool wanted, json_t *cells)
{
    struct fb_latency *latency = NULL;
    enum fb_err err = FB_OK;
    if (wanted) {
        latency = calloc(job->n_cells + 1, sizeof *latency);
        err = latency ? fb_timing_once(job, FB_TIME_LATENCY, latency, sizeof *latency) : FB_ENOMEM;
    }
    for (size_t i = 0; i < job->n_cells && !err; i++) {
        json_t *list = latency ? json_array() : NULL;
        for (int k = 0; list && k < FB_N_LATENCIES; k++)
            json_array_append_new(list, fb_latency_json(&latency[i], (enum fb_latency_kind)k,
                                                        job->options.group.quantum_ns));
        fb_json_known(json_array_get(cells, i), "histograms", list,
                      fb_interrupted() ? interrupted : "not asked for: run --histograms");
    }
    free(latency);
    return err;
}

/* "scaling" of the cells that ask batches for absent keys. */
static enum fb_err add_scaling(const struct fb_timing_job *job, bool wanted, json_t *cells)
{
    const struct fb_timing_options *o = &job->options;
    const size_t each = o->n_threads * FB_SCALING_ROUNDS;
    double *per_s = NULL;
    enum fb_err err = FB_OK;
    if (wanted) {
        per_s = calloc(job->n_cells * each + 1, sizeof *per_s);
        err = per_s ? fb_timing_once(job, FB_TIME_SCALING, per_s, each * sizeof *per_s) : FB_ENOMEM;
    }
    for (size_t i = 0; i < job->n_cells && !err; i++) {
        bool measured = per_s && per_s[i * each] > 0;
        fb_json_known(json_array_get(cells, i), "scaling",
                      measured ? fb_kernels_scaling(o, per_s + i * each) : NULL,
                      fb_interrupted() ? interrupted
                      : wanted         ? "measured of batches of absent keys only"
                                       : "not asked for: --set threads=cores");
    }
    free(per_s);
    return err;
}

/* ---- The run ---- */

static json_t *timing_json(const struct fb_kernels_grid *grid, const struct fb_group *group,
                           const struct watch *watch, json_t *noise)
{
    const struct fb_timing_options *o = &grid->job.options;
    json_t *j = json_pack("{s:{s:f, s:f}}", "timer", "overhead_ns", watch->timer.overhead_ns,
                          "quantum_ns", watch->timer.quantum_ns);
    json_object_set_new(j, "clock", json_string(group->cpu_clock ? "thread_cpu" : "wall"));
    json_object_set_new(j, "processes", fb_json_int(fb_group_processes(group)));
    json_object_set_new(j, "processes_executed", json_boolean(group->executed));
    json_object_set_new(j, "rounds", fb_json_int(group->rounds));
    json_object_set_new(j, "stopped", json_string(fb_stop_name(group->stopped)));
    json_object_set_new(j, "precision", json_real(o->group.precision));
    fb_json_real(j, "widest_half_width", group->half_width, "some ratio has no interval yet");
    json_object_set_new(j, "memory", fb_kernels_memory(group));
    json_object_set_new(j, "build_s", json_real(watch->measuring_s - watch->started_s));
    fb_json_known(j, "pinned_cpu", o->group.cpu >= 0 ? json_integer(o->group.cpu) : NULL,
                  "not pinned");
    json_object_set_new(j, "huge_pages_asked", json_boolean(o->huge_pages));
    json_object_set_new(j, "footprints", footprints_json(&grid->footprints));
    json_object_set_new(j, "settings", fb_noise_settings());
    fb_group_noise_json(group, noise);
    json_object_set_new(j, "noise", noise);
    return j;
}

static void warn(json_t *document, const struct fb_kernels_grid *grid, const struct fb_group *group)
{
    if (group->cpu_clock)
        fb_result_warn(document, "clock", NULL,
                       "over a tenth of the batches run were repeats: times are of the thread's "
                       "CPU, which does not see the hypervisor");
    if (grid->footprints.caches.assumed)
        fb_result_warn(document, "caches", NULL,
                       "the system does not name every cache: footprints are of assumed sizes");
    if (!isfinite(group->half_width))
        fb_result_warn(document, "processes", NULL,
                       "fewer than 6 processes of a footprint give no 95 %% interval");
    else if (group->stopped == FB_STOP_INTERRUPTED)
        fb_result_warn(document, "interrupted", NULL,
                       "interrupted; the widest interval is +-%.1f %%", 100 * group->half_width);
    else if (group->stopped != FB_STOP_PRECISION && grid->job.options.group.precision > 0)
        fb_result_warn(document, "precision", NULL,
                       "ended by its %s, not by precision; the widest interval is +-%.1f %%",
                       fb_stop_name(group->stopped), 100 * group->half_width);
}

static bool every_cell_measured(const struct fb_group *group)
{
    for (size_t i = 0; i < group->n_members; i++)
        if (!group->parts[group->members[i].part].processes)
            return false;
    return true;
}

static enum fb_exit measure(const struct fb_kernels *e, struct fb_kernels_grid *grid,
                            struct watch *watch, json_t *document)
{
    struct fb_group group = {0};
    const struct fb_group_watch looking = {.arg = watch, .progress = on_process};
    struct fb_noise before, after;
    const char *why = NULL;
    json_t *cells = json_object_get(document, "cells");
    enum fb_err err = fb_timing_build(&grid->job, 0, on_built, watch, &why);
    if (err || fb_interrupted())
        goto out;
    watch->measuring_s = fb_seconds();
    grid->job.options.group.budget_s = e->budget_s - (watch->measuring_s - watch->started_s);
    fb_noise_read(&before);
    err = fb_timing_run(&grid->job, &looking, &group);
    fb_noise_read(&after);
    if (err || !every_cell_measured(&group))
        goto out;
    for (size_t i = 0; i < grid->job.n_cells; i++)
        json_array_append_new(cells,
                              cell_json(grid, &group, i, json_array_get(cells, i - (i > 0))));
    json_object_set_new(document, "timing",
                        timing_json(grid, &group, watch, fb_noise_json(&before, &after)));
    warn(document, grid, &group);
    fb_progress_end(&watch->progress);
    err = add_counters(&grid->job, cells);
    if (!err)
        err = add_histograms(&grid->job, e->histograms && !fb_interrupted(), cells);
    if (!err)
        err = add_scaling(&grid->job, e->scaling && !fb_interrupted(), cells);
out:
    fb_progress_end(&watch->progress);
    fb_group_close(&group);
    if (fb_interrupted())
        return FB_EXIT_INTERRUPTED;
    return err ? fb_fail(e->name, err, why) : FB_EXIT_OK;
}

enum fb_exit fb_kernels_run(const struct fb_kernels *e, json_t *document)
{
    struct watch watch = {.e = e, .started_s = fb_seconds()};
    struct fb_kernels_grid grid;
    struct fb_footprints footprints;
    enum fb_exit code;
    fb_footprints_detect(&footprints);
    if (fb_kernels_plan(e, &footprints, fb_memory_limit(), &grid)) {
        code = fb_fail(e->name, FB_ENOMEM, NULL);
        goto out;
    }
    json_array_extend(json_object_get(document, "skipped"), grid.skipped);
    if (!grid.job.n_cells) {
        fb_error("%s: no cell can be measured", e->name);
        code = FB_EXIT_USAGE;
        goto out;
    }
    watch.n_filters = grid.job.n_filters;
    fb_progress_start(&watch.progress, "run", WHOLE);
    fb_progress_add(&watch.progress, 0, "timer and processor");
    watch.timer = fb_clock_quality(&fb_system_clock);
    grid.job.options.group.quantum_ns = watch.timer.quantum_ns;
    if (grid.job.options.group.cpu == FB_CPU_AUTO)
        grid.job.options.group.cpu = fb_idlest_cpu();
    code = measure(e, &grid, &watch, document);
out:
    fb_kernels_grid_close(&grid);
    return code;
}

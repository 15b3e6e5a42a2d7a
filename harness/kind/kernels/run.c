/* Running an experiment of kind "kernels" into a result document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/progress.h"
#include "harness/kind/kernels/kernels.h"
#include "harness/measure/counters.h"
#include "harness/measure/group_json.h"
#include "harness/measure/latency.h"
#include "harness/measure/noise.h"

struct watch {
    struct fb_turns turns; /* first: turns.h */
    struct fb_progress progress;
    const struct fb_kernels *e;
    double started_s, built_s, measuring_s; /* when filters stood, and when measuring began */
    json_t *yardsticks;                     /* of "timing" */
    struct fb_timer_quality timer;
};

static void on_process(void *arg, const struct fb_group *group)
{
    struct watch *w = arg;
    const struct fb_group_options *o = &w->e->options.group;
    const size_t done = fb_group_processes(group);
    const double before_s = w->measuring_s - w->started_s;
    w->progress.expected_s = before_s + fb_group_expected_s(group, o, w->e->budget_s - before_s);
    char what[80], width[32] = "no interval yet";
    if (isfinite(group->half_width))
        snprintf(width, sizeof width, "widest +-%.1f %%", 100 * group->half_width);
    snprintf(what, sizeof what, "%zu processes, %s", done, width);
    fb_progress_add(&w->progress, 0, what);
}

/* ---- The document ---- */

static json_t *measured_cell(const struct fb_kernels_grid *grid, const struct fb_group *group,
                             size_t i, const json_t *cells)
{
    const struct fb_timing_cell *cell = &grid->job.cells[i];
    bool same = i && cell[-1].filter == cell->filter && cell[-1].design == cell->design;
    json_t *j = fb_kernels_cell(grid, i, same ? json_array_get(cells, i - 1) : NULL);
    json_object_set_new(j, "time", fb_kernels_time(group, grid->id, i));
    return j;
}

/* ---- Extra passes ---- */

/* "build" of the cells that build filters. */
static enum fb_err add_builds(const struct fb_kernels_grid *grid, json_t *cells)
{
    for (size_t i = 0; i < grid->job.n_cells && !fb_interrupted(); i++) {
        json_t *build =
            fb_kernels_has_build(&grid->job.cells[i]) ? fb_kernels_build(grid, i) : json_null();
        if (!build)
            return FB_ENOMEM;
        if (json_is_object(build))
            json_object_set_new(json_array_get(cells, i), "build", build);
    }
    return FB_OK;
}

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
        err = counted ? fb_timing_once(job, FB_TIME_COUNTERS, NULL, counted, sizeof *counted)
                      : FB_ENOMEM;
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
        err = latency ? fb_timing_once(job, FB_TIME_LATENCY, NULL, latency, sizeof *latency)
                      : FB_ENOMEM;
    }
    for (size_t i = 0; i < job->n_cells && !err; i++) {
        const bool build = fb_operation_builds((enum fb_operation)job->cells[i].operation);
        json_t *list = latency && !build ? json_array() : NULL;
        for (int k = 0; list && k < FB_N_LATENCIES; k++)
            json_array_append_new(list, fb_latency_json(&latency[i].kind[k], fb_latency_names[k],
                                                        job->options.group.quantum_ns));
        fb_json_known(json_array_get(cells, i), "histograms", list,
                      build              ? "a build is no single operation"
                      : fb_interrupted() ? interrupted
                                         : "not asked for: run --histograms");
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
        err = per_s ? fb_timing_once(job, FB_TIME_SCALING, NULL, per_s, each * sizeof *per_s)
                    : FB_ENOMEM;
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

/* Of the budget, for the families of the yardsticks at most. */
static const double SCREENING = 0.1;

static json_t *timing_json(const struct fb_kernels_grid *grid, const struct fb_group *group,
                           const struct watch *watch, json_t *noise)
{
    const struct fb_timing_options *o = &grid->job.options;
    json_t *j = json_pack("{s:{s:f, s:f}}", "timer", "overhead_ns", watch->timer.overhead_ns,
                          "quantum_ns", watch->timer.quantum_ns);
    json_object_set_new(j, "processes_executed", json_boolean(group->executed));
    json_object_set_new(j, "stopped", json_string(fb_stop_name(group->stopped)));
    json_object_set_new(j, "build_s", json_real(watch->built_s - watch->started_s));
    fb_json_known(j, "pinned_cpu", o->group.cpu >= 0 ? json_integer(o->group.cpu) : NULL,
                  "not pinned");
    fb_kernels_machine_json(&grid->machine, j);
    json_object_set(j, "yardsticks", watch->yardsticks);
    json_object_set_new(j, "settings", fb_noise_settings());
    fb_group_noise_json(group, noise);
    json_object_set_new(j, "noise", noise);
    return j;
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
    struct fb_turns screening = {.journal = watch->turns.journal, .name = "yardsticks"};
    const struct fb_group_watch looking = {
        .arg = watch, .recall = fb_turns_recall, .keep = fb_turns_keep, .progress = on_process};
    struct fb_noise before, after;
    const char *why = NULL;
    enum fb_exit code = FB_EXIT_OK;
    json_t *cells = json_object_get(document, "cells");
    enum fb_err err = fb_timing_build(&grid->job, 0, &watch->progress, &why);
    if (err || fb_interrupted())
        goto out;
    watch->built_s = fb_seconds();
    fb_progress_add(&watch->progress, 0, "answers of mixed operations");
    err = fb_kernels_mix(grid);
    code = err ? FB_EXIT_OK : fb_kernels_mix_judge(grid, e->name);
    if (err || code || fb_interrupted())
        goto out;
    fb_progress_add(&watch->progress, 0, "the loops of the yardsticks");
    err = fb_kernels_screen(grid, e->budget_s * SCREENING, &screening, &watch->yardsticks);
    code = screening.code;
    if (err || fb_interrupted())
        goto out;
    watch->measuring_s = fb_seconds();
    grid->job.options.group.budget_s = e->budget_s - (watch->measuring_s - watch->started_s);
    fb_noise_read(&before);
    err = fb_timing_run(&grid->job, &looking, &group);
    code = watch->turns.code;
    fb_noise_read(&after);
    if (err || !every_cell_measured(&group))
        goto out;
    for (size_t i = 0; i < grid->job.n_cells; i++)
        json_array_append_new(cells, measured_cell(grid, &group, i, cells));
    json_object_set_new(document, "timing",
                        timing_json(grid, &group, watch, fb_noise_json(&before, &after)));
    fb_progress_end(&watch->progress);
    err = add_builds(grid, cells);
    if (!err)
        err = add_counters(&grid->job, cells);
    if (!err)
        err = add_histograms(&grid->job, e->histograms && !fb_interrupted(), cells);
    if (!err)
        err = add_scaling(&grid->job, e->scaling && !fb_interrupted(), cells);
out:
    fb_progress_end(&watch->progress);
    json_decref(watch->yardsticks);
    fb_group_close(&group);
    if (fb_interrupted())
        return FB_EXIT_INTERRUPTED;
    return err && !code ? fb_fail(e->name, err, why) : code;
}

enum fb_exit fb_kernels_run(const struct fb_kernels *e, struct fb_work *work, json_t *document)
{
    struct watch watch = {
        .e = e, .started_s = fb_seconds(), .turns = {.journal = work->journal, .name = "times"}};
    struct fb_kernels_grid grid;
    struct fb_kernels_machine machine;
    enum fb_exit code;
    fb_kernels_machine_detect(&machine);
    if (fb_kernels_plan(e, &machine, &grid)) {
        code = fb_fail(e->name, FB_ENOMEM, NULL);
        goto out;
    }
    json_array_extend(json_object_get(document, "skipped"), grid.skipped);
    fb_progress_start(&watch.progress, "run", 0);
    watch.progress.expected_s = e->budget_s;
    fb_progress_add(&watch.progress, 0, "timer and processor");
    watch.timer = fb_clock_quality(&fb_system_clock);
    grid.job.options.group.quantum_ns = watch.timer.quantum_ns;
    if (grid.job.options.group.cpu == FB_CPU_AUTO)
        grid.job.options.group.cpu = fb_idlest_cpu();
    code = fb_work_end(work, measure(e, &grid, &watch, document));
out:
    fb_kernels_grid_close(&grid);
    return code;
}

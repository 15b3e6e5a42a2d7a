/* Running a timing job: its processes, one after another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/parallel.h"
#include "harness/filter/timing.h"
#include "workloads/core/rng.h"

/* The job as a file that the processes inherit; -1: no memory. */
static int job_file(const struct fb_timing_job *job)
{
    size_t cells = job->n_cells * sizeof *job->cells,
           filters = job->n_filters * sizeof *job->filters;
    uint8_t *text = malloc(sizeof *job + cells + filters);
    if (!text)
        return -1;
    memcpy(text, job, sizeof *job);
    memcpy(text + sizeof *job, job->cells, cells);
    memcpy(text + sizeof *job + cells, job->filters, filters);
    int fd = fb_memory_file(text, sizeof *job + cells + filters);
    free(text);
    return fd;
}

static bool enough(void *arg, size_t done)
{
    (void)arg, (void)done;
    return false;
}

/* One process more. */
static enum fb_err run_one(const struct fb_timing_job *given, enum fb_timing_purpose purpose,
                           uint32_t footprint, uint64_t seed, void *out, size_t n_bytes,
                           struct fb_process_report *report)
{
    struct fb_timing_job job = *given;
    job.purpose = purpose;
    job.footprint = footprint;
    int job_fd = job_file(&job);
    if (job_fd < 0)
        return FB_ENOMEM;
    enum fb_err err =
        fb_processes_run(&fb_timing_child, 1, seed, job_fd, out, n_bytes, enough, NULL, report);
    close(job_fd);
    return err;
}

/* ---- Turns ---- */

struct turns {
    const struct fb_timing_job *job;
    struct fb_timing_result *result;
    double started_s;
    double spent_s[FB_N_FOOTPRINTS];
    bool ended[FB_N_FOOTPRINTS];
    enum fb_timing_stop why[FB_N_FOOTPRINTS]; /* where ended */
    struct fb_sample *row;                    /* what a process delivers: [rounds][n_cells] */
};

/* Whose turn it is; FB_N_FOOTPRINTS: nobody's. The sum of variances 1 / n of footprints whose
 * processes take s seconds each is least, in a given time, where n^2 s is the same for all
 * (Neyman's allocation): the smallest is next. */
static uint32_t next_turn(const struct turns *t)
{
    uint32_t next = FB_N_FOOTPRINTS;
    double least = INFINITY;
    for (uint32_t f = 0; f < FB_N_FOOTPRINTS; f++) {
        double so_far = (double)t->result->processes[f] * t->spent_s[f]; /* n^2 s */
        if (!t->ended[f] && so_far < least) {
            least = so_far;
            next = f;
        }
    }
    return next;
}

static enum fb_err take_turn(struct turns *t, uint32_t footprint)
{
    const struct fb_timing_job *job = t->job;
    struct fb_timing_result *result = t->result;
    const size_t n = job->n_cells, rounds = result->rounds, done = result->processes[footprint];
    const uint64_t seed = fb_stream_word(job->options.seed, fb_timing_processes(result));
    struct fb_process_report report;
    double started_s = fb_seconds();
    enum fb_err err = run_one(job, FB_TIME_SAMPLES, footprint, seed, t->row,
                              rounds * n * sizeof *t->row, &report);
    if (err || report.interrupted) {
        result->stopped = FB_STOP_INTERRUPTED;
        return err;
    }
    t->spent_s[footprint] += fb_seconds() - started_s;
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < n; i++)
            if (job->cells[i].footprint == footprint)
                result->samples[(done * rounds + r) * n + i] = t->row[r * n + i];
    result->processes[footprint]++;
    result->executed = report.executed;
    return FB_OK;
}

/*
 * Whether a footprint has enough, and why. Looks are taken at min_processes, twice and four times
 * that number only, so that stopping when the interval happens to be narrow cannot narrow it much.
 * The budget ends it before a process that would overrun it.
 */
static bool ends(const struct turns *t, uint32_t footprint, enum fb_timing_stop *why)
{
    const struct fb_timing_options *options = &t->job->options;
    size_t done = t->result->processes[footprint], least = options->min_processes;
    double each_s = t->spent_s[footprint] / (double)done;
    bool look = done == least || done == 2 * least || done == 4 * least;
    if (look && fb_timing_half_width(t->job, t->result, footprint) <= options->precision)
        *why = FB_STOP_PRECISION;
    else if (done >= options->max_processes)
        *why = FB_STOP_PROCESSES;
    else if (done >= least && fb_seconds() - t->started_s + each_s > options->budget_s)
        *why = FB_STOP_BUDGET;
    else
        return false;
    return true;
}

/* What ended as precise may be so no more, once other footprints have shown the noise's memory. */
static void open_again(struct turns *t)
{
    for (uint32_t f = 0; f < FB_N_FOOTPRINTS; f++)
        if (t->ended[f] && t->why[f] == FB_STOP_PRECISION && t->result->processes[f])
            t->ended[f] = fb_timing_half_width(t->job, t->result, f) <= t->job->options.precision;
}

/* Until all footprints have enough. result->stopped: why not all were precise. */
static enum fb_err
run_turns(struct turns *t, void (*progress)(void *arg, const struct fb_timing_result *), void *arg)
{
    struct fb_timing_result *result = t->result;
    uint32_t footprint;
    for (uint32_t f = 0; f < FB_N_FOOTPRINTS; f++)
        t->ended[f] = true;
    for (size_t i = 0; i < t->job->n_cells; i++)
        t->ended[t->job->cells[i].footprint] = false;
    while ((footprint = next_turn(t)) < FB_N_FOOTPRINTS) {
        enum fb_err err = take_turn(t, footprint);
        if (err || result->stopped == FB_STOP_INTERRUPTED)
            return err;
        fb_timing_estimates(t->job, result);
        if (progress)
            progress(arg, result);
        t->ended[footprint] = ends(t, footprint, &t->why[footprint]);
        open_again(t);
    }
    result->stopped = FB_STOP_PRECISION;
    for (uint32_t f = 0; f < FB_N_FOOTPRINTS; f++)
        if (t->why[f] != FB_STOP_PRECISION && result->stopped != FB_STOP_BUDGET)
            result->stopped = t->why[f];
    return FB_OK;
}

enum fb_err fb_timing_run(const struct fb_timing_job *job,
                          void (*progress)(void *arg, const struct fb_timing_result *), void *arg,
                          struct fb_timing_result *out)
{
    const struct fb_timing_options *options = &job->options;
    const size_t row = options->rounds * job->n_cells;
    struct turns turns = {.job = job, .result = out, .started_s = fb_seconds()};
    enum fb_err err = FB_ENOMEM;
    memset(out, 0, sizeof *out);
    out->rounds = options->rounds;
    out->n_cells = job->n_cells;
    out->samples = calloc(options->max_processes * row, sizeof *out->samples);
    out->estimate = calloc(job->n_cells, sizeof *out->estimate);
    turns.row = calloc(row, sizeof *turns.row);
    if (out->samples && out->estimate && turns.row)
        err = run_turns(&turns, progress, arg);
    free(turns.row);
    if (err)
        fb_timing_result_close(out);
    return err;
}

enum fb_err fb_timing_once(const struct fb_timing_job *job, enum fb_timing_purpose purpose,
                           void *out, size_t bytes_each)
{
    struct fb_process_report report;
    return run_one(job, purpose, FB_N_FOOTPRINTS, ~job->options.seed, out,
                   bytes_each * job->n_cells, &report);
}

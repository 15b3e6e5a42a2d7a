/* Cells of an experiment of kind "kernels": to JSON, and derived again from it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/document/fields.h"
#include "harness/kind/kernels/kernels.h"

enum part { WALL, CPU, RETRIES, FLAGS, N_PARTS };
static const char *const part_names[N_PARTS] = {"samples_ns", "samples_cpu_ns", "sample_retries",
                                                "sample_flags"};

/* [[a value per round] per process] */
static json_t *samples_json(const struct fb_timing_result *result, size_t cell, size_t n,
                            enum part part)
{
    json_t *processes = json_array();
    for (size_t p = 0; p < n; p++) {
        json_t *rounds = json_array();
        for (size_t r = 0; r < result->rounds; r++) {
            const struct fb_sample *s =
                &result->samples[(p * result->rounds + r) * result->n_cells + cell];
            const double times[] = {s->wall_ns, s->cpu_ns};
            const uint32_t counts[] = {s->retries, s->flags};
            json_array_append_new(rounds, part <= CPU ? json_real(times[part])
                                                      : json_integer(counts[part - RETRIES]));
        }
        json_array_append_new(processes, rounds);
    }
    return processes;
}

json_t *fb_kernels_time(const struct fb_timing_job *job, const struct fb_timing_result *result,
                        char (*ids)[FB_KERNELS_ID], size_t cell)
{
    static const char *const few = "fewer than 6 processes", *const none = "it is a yardstick";
    const struct fb_timing_estimate *e = &result->estimate[cell];
    int32_t yardstick = job->cells[cell].yardstick;
    const size_t processes = result->processes[job->cells[cell].footprint];
    bool has = yardstick >= 0;
    json_t *j = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f}", "unit", "ns_per_op", "clock",
                          result->cpu_clock ? "thread_cpu" : "wall", "median", e->ns, "min",
                          e->ns_min, "mean", e->ns_mean, "mad", e->ns_mad);
    fb_json_known(j, "ci95", fb_json_interval(e->ns95.low, e->ns95.high), few);
    fb_json_known(j, "ratio_to", has ? json_string(ids[yardstick]) : NULL, none);
    fb_json_real(j, "ratio", e->ratio, none);
    fb_json_known(j, "ratio_ci95", has ? fb_json_interval(e->ratio95.low, e->ratio95.high) : NULL,
                  has ? few : none);
    fb_json_known(j, "ratio_ci99", has ? fb_json_interval(e->ratio99.low, e->ratio99.high) : NULL,
                  has ? "fewer than 8 processes" : none);
    json_object_set_new(j, "sd_process", json_real(e->sd_process));
    json_object_set_new(j, "sd_round", json_real(e->sd_round));
    json_object_set_new(j, "retries", json_integer(e->retries));
    json_object_set_new(j, "flagged_rounds", json_integer(e->flagged));
    json_object_set_new(j, "processes", json_integer((json_int_t)processes));
    json_object_set_new(j, "rounds", json_integer((json_int_t)result->rounds));
    for (int part = 0; part < N_PARTS; part++)
        json_object_set_new(j, part_names[part],
                            samples_json(result, cell, processes, (enum part)part));
    return j;
}

json_t *fb_kernels_memory(const struct fb_timing_result *result)
{
    return json_pack("{s:f, s:f}", "ratio", result->memory, "time", result->memory_ns);
}

/* ---- Back ---- */

static bool read_part(const json_t *time, struct fb_timing_result *result, size_t cell, size_t n,
                      enum part part)
{
    const json_t *processes = json_object_get(time, part_names[part]);
    if (json_array_size(processes) != n)
        return false;
    for (size_t p = 0; p < n; p++) {
        const json_t *rounds = json_array_get(processes, p);
        if (json_array_size(rounds) != result->rounds)
            return false;
        for (size_t r = 0; r < result->rounds; r++) {
            struct fb_sample *s =
                &result->samples[(p * result->rounds + r) * result->n_cells + cell];
            const json_t *value = json_array_get(rounds, r);
            double x = json_number_value(value);
            if (part <= CPU ? !(json_is_number(value) && x > 0)
                            : !(json_is_integer(value) && x >= 0 && x <= UINT32_MAX))
                return false;
            if (part <= CPU)
                *(part == WALL ? &s->wall_ns : &s->cpu_ns) = x;
            else
                *(part == RETRIES ? &s->retries : &s->flags) = (uint32_t)x;
        }
    }
    return true;
}

/* The index of a cell's yardstick; -1: none; -2: named, but not there. */
static int32_t find_yardstick(const json_t *cells, const json_t *time)
{
    const json_t *to = json_object_get(time, "ratio_to");
    size_t i;
    json_t *cell;
    if (!json_is_string(to))
        return -1;
    json_array_foreach(cells, i, cell)
    {
        if (json_equal(json_object_get(cell, "id"), to))
            return (int32_t)i;
    }
    return -2;
}

struct derivation {
    struct fb_timing_job job; /* only what estimates need */
    struct fb_timing_result result;
    char (*ids)[FB_KERNELS_ID];
};

/* Footprints of the cells, their numbers of processes, and rounds: those of a footprint's first
 * cell. NULL, or the id of a cell with none or too many. */
static const char *read_sizes(const json_t *cells, struct derivation *d)
{
    size_t i;
    json_t *cell;
    d->result.n_cells = d->job.n_cells = json_array_size(cells);
    d->job.cells = calloc(d->job.n_cells + 1, sizeof *d->job.cells);
    if (!d->job.cells)
        return "memory for the cells";
    json_array_foreach(cells, i, cell)
    {
        const json_t *processes = fb_json_at(cell, "time.samples_ns");
        size_t n = json_array_size(processes),
               rounds = json_array_size(json_array_get(processes, 0));
        uint32_t f = d->job.cells[i].footprint = fb_footprint_find(fb_json_str(cell, "footprint"));
        d->job.cells[i].operation = fb_operation_find(fb_json_str(cell, "operation"));
        if (f == FB_N_FOOTPRINTS || !n || n > FB_PAIRED_MAX || !rounds || rounds > FB_TIMING_ROUNDS)
            return fb_json_str(cell, "id");
        if (!d->result.processes[f])
            d->result.processes[f] = n;
        if (!i)
            d->result.rounds = rounds;
    }
    return NULL;
}

/* Everything into memory, sizes checked first. NULL, or the id of the cell that cannot be read. */
static const char *load(const json_t *cells, struct derivation *d)
{
    size_t n = json_array_size(cells), i;
    json_t *cell;
    const char *unreadable = read_sizes(cells, d);
    if (unreadable)
        return unreadable;
    d->ids = calloc(n + 1, sizeof *d->ids);
    d->result.estimate = calloc(n + 1, sizeof *d->result.estimate);
    d->result.samples = calloc(n * FB_PAIRED_MAX * d->result.rounds + 1, sizeof *d->result.samples);
    if (!d->job.cells || !d->ids || !d->result.estimate || !d->result.samples)
        return "memory for the cells";
    json_array_foreach(cells, i, cell)
    {
        const char *id = json_string_value(json_object_get(cell, "id"));
        const json_t *time = json_object_get(cell, "time");
        snprintf(d->ids[i], sizeof *d->ids, "%s", id ? id : "a cell without id");
        struct fb_timing_cell *planned = &d->job.cells[i];
        planned->yardstick = find_yardstick(cells, time);
        int32_t yardstick = planned->yardstick;
        bool readable = yardstick > -2 &&
                        (yardstick < 0 || d->job.cells[yardstick].footprint == planned->footprint);
        for (int part = 0; part < N_PARTS; part++)
            readable =
                readable && read_part(time, &d->result, i, d->result.processes[planned->footprint],
                                      (enum part)part);
        if (!readable)
            return d->ids[i];
    }
    return NULL;
}

static enum fb_exit differs(const char *path, const char *id, const char *what, const char *where)
{
    fb_error("%s: %s%s%s.%s is not what the samples give", path, id, *id ? ": " : "", what,
             where ? where : "?");
    return FB_EXIT_CORRECTNESS;
}

/* What "timing" says of all samples, where the document has it. */
static enum fb_exit check_totals(const char *path, const json_t *timing, const struct derivation *d)
{
    const char *where = NULL;
    json_t *derived =
        json_pack("{s:I, s:o}", "processes", (json_int_t)fb_timing_processes(&d->result), "memory",
                  fb_kernels_memory(&d->result));
    json_t *written = json_pack("{s:O?, s:O?}", "processes", json_object_get(timing, "processes"),
                                "memory", json_object_get(timing, "memory"));
    bool same = !timing || fb_json_agree(derived, written, &where);
    json_decref(derived);
    json_decref(written);
    return same ? FB_EXIT_OK : differs(path, "", "timing", where);
}

static enum fb_exit check_cell(const char *path, const json_t *cell, const struct derivation *d,
                               size_t i)
{
    const char *where = NULL;
    json_t *derived = fb_kernels_time(&d->job, &d->result, d->ids, i);
    bool same = fb_json_agree(derived, json_object_get(cell, "time"), &where);
    json_decref(derived);
    if (!same)
        return differs(path, d->ids[i], "time", where);
    if (!fb_kernels_scaling_agrees(json_object_get(cell, "scaling"), &where))
        return differs(path, d->ids[i], "scaling", where);
    return FB_EXIT_OK;
}

enum fb_exit fb_kernels_check(const char *path, const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    struct derivation d = {0};
    enum fb_exit code = FB_EXIT_USAGE;
    const char *unreadable = load(cells, &d);
    if (unreadable) {
        fb_error("%s: %s: its samples cannot be read", path, unreadable);
    } else {
        fb_timing_estimates(&d.job, &d.result);
        code = FB_EXIT_OK;
    }
    for (size_t i = 0; i < d.job.n_cells && !code; i++)
        code = check_cell(path, json_array_get(cells, i), &d, i);
    if (!code)
        code = check_totals(path, json_object_get(document, "timing"), &d);
    fb_timing_result_close(&d.result);
    free(d.job.cells);
    free(d.ids);
    return code;
}

/* Estimates of a timing job, from its samples alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/filter/timing.h"
#include "harness/stats/serial.h"

/* The headline: wall time, unless so many batches were disturbed that it says more about the
 * machine. */
static double headline(const struct fb_timing_result *result, const struct fb_sample *sample)
{
    return result->cpu_clock ? sample->cpu_ns : sample->wall_ns;
}

static bool too_disturbed(const struct fb_timing_job *job, const struct fb_timing_result *result)
{
    double batches = 0, retries = 0;
    for (size_t cell = 0; cell < result->n_cells; cell++) {
        size_t n = result->processes[job->cells[cell].footprint] * result->rounds;
        for (size_t s = 0; s < n; s++)
            retries += result->samples[s * result->n_cells + cell].retries;
        batches += 2 * (double)n;
    }
    return retries > 0.1 * (batches + retries);
}

static double sd_of(const double *x, size_t n)
{
    return n > 1 ? fb_mean_of(x, n).sd : 0;
}

/* A cell's logarithm of time, or of the ratio to its yardstick, in each process: the median over
 * its rounds. *sd_round: between those, mean over processes. Returns the number of processes. */
static size_t per_process(const struct fb_timing_job *job, const struct fb_timing_result *result,
                          size_t cell, bool ratio, double out[FB_PAIRED_MAX], double *scratch,
                          double *sd_round)
{
    const size_t n = result->processes[job->cells[cell].footprint], rounds = result->rounds;
    const int32_t yardstick = job->cells[cell].yardstick;
    *sd_round = 0;
    for (size_t p = 0; p < n; p++) {
        for (size_t r = 0; r < rounds; r++) {
            const struct fb_sample *row = result->samples + (p * rounds + r) * result->n_cells;
            scratch[r] = log(headline(result, &row[cell]));
            if (ratio)
                scratch[r] -= log(headline(result, &row[yardstick]));
        }
        *sd_round += sd_of(scratch, rounds) / (double)n;
        out[p] = fb_median(scratch, rounds);
    }
    return n;
}

static struct fb_interval exp_interval(struct fb_interval x)
{
    return (struct fb_interval){exp(x.low), exp(x.high)};
}

/* Of all cells: with a yardstick the noise of ratios, else that of times. The lookups of a
 * footprint count as one independent series, its inserts as another: they share rounds and
 * yardsticks. */
static double memory_of(const struct fb_timing_job *job, const struct fb_timing_result *result,
                        bool ratio, double *scratch)
{
    struct fb_memory memory = {0};
    bool seen[FB_N_FOOTPRINTS][2] = {{false}};
    double d[FB_PAIRED_MAX], sd_round;
    for (size_t i = 0; i < result->n_cells; i++) {
        const struct fb_timing_cell *cell = &job->cells[i];
        bool *group = &seen[cell->footprint][cell->operation == FB_OP_INSERT];
        if (ratio && cell->yardstick < 0)
            continue;
        size_t n = per_process(job, result, i, ratio, d, scratch, &sd_round);
        *group = fb_memory_add(&memory, d, n, !*group) || *group;
    }
    return fb_memory_exponent(&memory);
}

static void estimate(const struct fb_timing_job *job, const struct fb_timing_result *result,
                     size_t cell, double *scratch, struct fb_timing_estimate *out)
{
    double d[FB_PAIRED_MAX], ignored;
    size_t n = result->processes[job->cells[cell].footprint], total = n * result->rounds;
    double *all = scratch, *rest = scratch + total;
    memset(out, 0, sizeof *out);
    for (size_t s = 0; s < total; s++) {
        const struct fb_sample *sample = result->samples + s * result->n_cells + cell;
        all[s] = headline(result, sample);
        out->retries += sample->retries;
        out->flagged += sample->flags != 0;
    }
    out->ns_mean = fb_mean_of(all, total).mean;
    out->ns = fb_median(all, total);
    out->ns_min = all[0];
    out->ns_mad = fb_median_deviation(all, total, out->ns, rest);
    per_process(job, result, cell, false, d, rest, &out->sd_round);
    out->sd_process = sd_of(d, n);
    out->ns95 = exp_interval(fb_serial_interval(d, n, 0.95, result->memory_ns).interval);
    out->ratio = NAN;
    if (job->cells[cell].yardstick < 0)
        return;
    per_process(job, result, cell, true, d, rest, &ignored);
    struct fb_paired ratio = fb_serial_interval(d, n, 0.95, result->memory);
    out->ratio = exp(ratio.estimate);
    out->ratio95 = exp_interval(ratio.interval);
    out->ratio99 = exp_interval(fb_serial_interval(d, n, 0.99, result->memory).interval);
}

double fb_timing_half_width(const struct fb_timing_job *job, const struct fb_timing_result *result,
                            uint32_t footprint)
{
    double width = 0;
    for (size_t i = 0; i < result->n_cells; i++) {
        const struct fb_timing_cell *cell = &job->cells[i];
        struct fb_interval r = result->estimate[i].ratio95;
        if (cell->yardstick >= 0 && !cell->aside &&
            (cell->footprint == footprint || footprint == FB_N_FOOTPRINTS))
            width = fmax(width, log(r.high / r.low) / 2);
    }
    return width;
}

void fb_timing_estimates(const struct fb_timing_job *job, struct fb_timing_result *result)
{
    size_t most = 0;
    for (size_t f = 0; f < FB_N_FOOTPRINTS; f++)
        most = result->processes[f] > most ? result->processes[f] : most;
    double *scratch = calloc(2 * most * result->rounds + 1, sizeof *scratch);
    result->cpu_clock = too_disturbed(job, result);
    if (scratch) {
        result->memory = memory_of(job, result, true, scratch);
        result->memory_ns = memory_of(job, result, false, scratch);
    }
    for (size_t cell = 0; scratch && cell < result->n_cells; cell++)
        if (result->processes[job->cells[cell].footprint])
            estimate(job, result, cell, scratch, &result->estimate[cell]);
    result->half_width = fb_timing_half_width(job, result, FB_N_FOOTPRINTS);
    free(scratch);
}

size_t fb_timing_processes(const struct fb_timing_result *result)
{
    size_t n = 0;
    for (size_t f = 0; f < FB_N_FOOTPRINTS; f++)
        n += result->processes[f];
    return n;
}

void fb_timing_result_close(struct fb_timing_result *result)
{
    free(result->samples);
    free(result->estimate);
    memset(result, 0, sizeof *result);
}

/* Building the filters of a timing job, running it, and its estimates. The measuring process itself
 * is timing_child.c. */
#include "harness/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filters/core/math.h"
#include "harness/parallel.h"
#include "workloads/core/rng.h"

const char *fb_operation_name(enum fb_operation operation)
{
    static const char *const names[FB_N_OPERATIONS] = {"batch", "each",   "branch",
                                                       "chain", "insert", "plain"};
    return names[operation];
}

const char *fb_footprint_name(enum fb_footprint footprint)
{
    static const char *const names[FB_N_FOOTPRINTS] = {"L1", "L2", "L3", "DRAM"};
    return names[footprint];
}

const char *fb_timing_stop_name(enum fb_timing_stop stop)
{
    static const char *const names[] = {"precision", "budget", "processes", "interrupted"};
    return names[stop];
}

/* Size of the data or unified cache of a level as the kernel reports it for the first processor; 0
 * if it does not. (The C library asks the processor itself, which in a virtual machine may name the
 * caches of the whole host: 384 MiB of L3 where the guest shares 32.) */
static uint64_t cache_from_sysfs(int level)
{
    uint64_t bytes = 0;
    for (int index = 0; index < 8 && !bytes; index++) {
        char path[80], line[32] = "";
        int found = 0;
        static const char *const leaves[] = {"level", "type", "size"};
        for (int leaf = 0; leaf < 3; leaf++) {
            snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index,
                     leaves[leaf]);
            FILE *file = fopen(path, "r");
            if (!file || !fgets(line, sizeof line, file))
                line[0] = '\0';
            if (file)
                fclose(file);
            found += (leaf == 0 && atoi(line) == level) ||
                     (leaf == 1 && line[0] && strncmp(line, "Instruction", 11) != 0);
        }
        char *unit;
        unsigned long size = strtoul(line, &unit, 10);
        if (found == 2)
            bytes = (uint64_t)size << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : 0);
    }
    return bytes;
}

static uint64_t cache_bytes(int level, uint64_t guess, bool *assumed)
{
    uint64_t bytes = cache_from_sysfs(level);
    *assumed |= bytes == 0;
    return bytes ? bytes : guess;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

enum { ENOUGH_DRAM = 384 << 20 };

void fb_footprints_derive(struct fb_footprints *out)
{
    out->bytes[FB_FOOT_L1] = 12500;
    out->bytes[FB_FOOT_L2] = out->l2_bytes / 2;
    out->bytes[FB_FOOT_L3] = least(out->l3_bytes / 2, out->l2_bytes * 16);
    uint64_t beyond = out->l3_bytes + out->l3_bytes / 4;
    out->bytes[FB_FOOT_DRAM] =
        least(out->l3_bytes * 4, beyond > ENOUGH_DRAM ? beyond : ENOUGH_DRAM);
}

void fb_footprints_detect(struct fb_footprints *out)
{
    out->assumed = false;
    out->l1d_bytes = cache_bytes(1, UINT64_C(48) << 10, &out->assumed);
    out->l2_bytes = cache_bytes(2, UINT64_C(1) << 20, &out->assumed);
    out->l3_bytes = cache_bytes(3, UINT64_C(32) << 20, &out->assumed);
    fb_footprints_derive(out);
}

void fb_footprints_bound(struct fb_footprints *f, uint64_t most)
{
    const uint64_t inside[FB_N_FOOTPRINTS] = {0, f->l1d_bytes, f->l2_bytes, f->l3_bytes};
    for (int i = 0; i < FB_N_FOOTPRINTS; i++) {
        f->bytes[i] = least(f->bytes[i], most);
        if (f->bytes[i] <= inside[i])
            f->bytes[i] = 0;
    }
}

void fb_timing_job_close(struct fb_timing_job *job)
{
    for (size_t i = 0; i < job->n_filters; i++)
        if (job->filters[i].fd >= 0)
            close(job->filters[i].fd);
    free(job->cells);
    free(job->filters);
    memset(job, 0, sizeof *job);
}

/* ---- Building ---- */

/* Share of bits that are 1 once n_keys are in: each bit of a block escapes the keys' `probes`
 * throws with the same probability whatever the layout. */
static double density(const struct fb_geometry *geom, uint64_t n_keys)
{
    double throws = (double)n_keys * geom->probes;
    return -fb_expm1(-throws / (double)geom->n_bits);
}

/* Words of random bits of a density rounded to 1/256, from eight random words each: taking the
 * binary digits of the density from the last to the first, a 1 ors the next word in and a 0 ands.
 */
static void fill_random(uint64_t *words, size_t n, double share, uint64_t stream)
{
    unsigned digits = (unsigned)(share * 256 + 0.5);
    for (size_t i = 0; i < n; i++) {
        uint64_t w = 0;
        for (unsigned digit = 0; digit < 8; digit++) {
            uint64_t r = fb_mix64(stream + (i * 8 + digit) * FB_GOLDEN64);
            w = digits >> digit & 1 ? w | r : w & r;
        }
        words[i] = w;
    }
}

enum { BUILD_CHUNK = 4096 };

/* Adds digests in chunks, so that the largest filter needs no array of all its digests. */
static enum fb_err fill_from_keys(struct fb_filter *filter, const struct fb_timing_filter *spec)
{
    const unsigned words = spec->geom.digest_words;
    uint64_t *digests = calloc((size_t)BUILD_CHUNK * words, sizeof *digests);
    if (!digests)
        return FB_ENOMEM;
    for (uint64_t i = 0; i < spec->n_keys; i += BUILD_CHUNK) {
        size_t n = spec->n_keys - i < BUILD_CHUNK ? (size_t)(spec->n_keys - i) : BUILD_CHUNK;
        for (size_t w = 0; w < n * words; w++)
            digests[w] = fb_mix64(spec->stream + (i * words + w) * FB_GOLDEN64);
        filter->kernel->add_batch(filter, digests, n);
    }
    free(digests);
    return FB_OK;
}

struct build {
    struct fb_timing_job *job;
    void (*built)(void *arg, size_t filter);
    void *arg;
};

static enum fb_err build_one(void *arg, size_t i)
{
    struct build *build = arg;
    struct fb_timing_filter *spec = &build->job->filters[i];
    const struct fb_design *design = fb_design_at(spec->design);
    struct fb_filter filter;
    enum fb_err err = fb_filter_alloc(design, &spec->geom, &filter);
    if (err)
        return err;
    if (spec->synthetic_fill)
        fill_random((uint64_t *)(void *)filter.bytes, (size_t)((spec->geom.n_bytes + 7) / 8),
                    density(&spec->geom, spec->n_keys), spec->stream);
    else if (filter.kernel->add_batch)
        err = fill_from_keys(&filter, spec);
    if (!err) {
        spec->checksum = fb_xxh64(filter.bytes, (size_t)spec->geom.n_bytes, 0);
        spec->fd = fb_memory_file(filter.bytes, spec->geom.n_bytes);
        err = spec->fd < 0 ? FB_ENOMEM : FB_OK;
    }
    fb_filter_close(&filter);
    if (build->built)
        build->built(build->arg, i);
    return err;
}

enum fb_err fb_timing_build(struct fb_timing_job *job, unsigned n_threads,
                            void (*built)(void *arg, size_t filter), void *arg, const char **why)
{
    struct build build = {job, built, arg};
    bool complete;
    *why = NULL;
    for (size_t i = 0; i < job->n_filters; i++) {
        struct fb_timing_filter *spec = &job->filters[i];
        enum fb_err err = fb_design_plan(fb_design_at(spec->design), &spec->params, spec->n_keys,
                                         &spec->geom, why);
        if (err)
            return err;
    }
    return fb_parallel_for(job->n_filters, n_threads, build_one, &build, &complete);
}

/* ---- Estimates ---- */

/* The headline: wall time, unless so many batches were disturbed that it says more about the
 * machine. */
static double headline(const struct fb_timing_result *result, const struct fb_sample *sample)
{
    return result->cpu_clock ? sample->cpu_ns : sample->wall_ns;
}

static bool too_disturbed(const struct fb_timing_result *result)
{
    size_t n = result->processes * result->rounds * result->n_cells;
    double retries = 0;
    for (size_t s = 0; s < n; s++)
        retries += result->samples[s].retries;
    return retries > 0.1 * (2 * (double)n + retries); /* two batches a sample */
}

static double over_rounds(const struct fb_timing_job *job, const struct fb_timing_result *result,
                          size_t process, size_t cell, bool ratio, double *scratch)
{
    int32_t yardstick = job->cells[cell].yardstick;
    for (size_t r = 0; r < result->rounds; r++) {
        const struct fb_sample *row =
            result->samples + (process * result->rounds + r) * result->n_cells;
        scratch[r] = log(headline(result, &row[cell]));
        if (ratio)
            scratch[r] -= log(headline(result, &row[yardstick]));
    }
    return fb_median(scratch, result->rounds);
}

static struct fb_interval exp_interval(struct fb_interval x)
{
    return (struct fb_interval){exp(x.low), exp(x.high)};
}

static double sd_of(const double *x, size_t n)
{
    return n > 1 ? fb_mean_of(x, n).sd : 0;
}

static void estimate(const struct fb_timing_job *job, const struct fb_timing_result *result,
                     size_t cell, double *scratch, struct fb_timing_estimate *out)
{
    double per_process[FB_PAIRED_MAX];
    size_t n = result->processes, rounds = result->rounds, total = n * rounds;
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
    for (size_t p = 0; p < n; p++) {
        per_process[p] = over_rounds(job, result, p, cell, false, rest);
        out->sd_round += sd_of(rest, rounds) / (double)n;
    }
    out->sd_process = sd_of(per_process, n);
    out->ns95 = exp_interval(fb_hodges_lehmann(per_process, n, 0.95).interval);
    out->ratio = NAN;
    if (job->cells[cell].yardstick < 0)
        return;
    for (size_t p = 0; p < n; p++)
        per_process[p] = over_rounds(job, result, p, cell, true, rest);
    struct fb_paired ratio = fb_hodges_lehmann(per_process, n, 0.95);
    out->ratio = exp(ratio.estimate);
    out->ratio95 = exp_interval(ratio.interval);
    out->ratio99 = exp_interval(fb_hodges_lehmann(per_process, n, 0.99).interval);
}

static double widest(const struct fb_timing_job *job, const struct fb_timing_result *result)
{
    double width = 0;
    for (size_t i = 0; i < result->n_cells; i++) {
        struct fb_interval r = result->estimate[i].ratio95;
        if (!isnan(result->estimate[i].ratio) && !job->cells[i].aside)
            width = fmax(width, log(r.high / r.low) / 2);
    }
    return width;
}

void fb_timing_estimates(const struct fb_timing_job *job, struct fb_timing_result *result)
{
    double *scratch = calloc(2 * result->processes * result->rounds + 1, sizeof *scratch);
    result->cpu_clock = too_disturbed(result);
    for (size_t cell = 0; scratch && cell < result->n_cells; cell++)
        estimate(job, result, cell, scratch, &result->estimate[cell]);
    result->half_width = widest(job, result);
    free(scratch);
}

void fb_timing_result_close(struct fb_timing_result *result)
{
    free(result->samples);
    free(result->estimate);
    memset(result, 0, sizeof *result);
}

/* ---- Running ---- */

struct watch {
    const struct fb_timing_job *job;
    struct fb_timing_result *result;
    void (*progress)(void *arg, size_t done, double half_width);
    void *arg;
    double started_s;
};

static double seconds(void)
{
    return (double)fb_system_clock.wall_ns(NULL) / 1e9;
}

/*
 * Looks are taken at min_processes, twice and four times that number only, so that stopping when
 * the interval happens to be narrow cannot narrow it much; in between the run goes on. The budget
 * ends it before a process that would overrun it.
 */
static bool go_on(void *arg, size_t done)
{
    struct watch *watch = arg;
    const struct fb_timing_options *options = &watch->job->options;
    struct fb_timing_result *result = watch->result;
    double elapsed_s = seconds() - watch->started_s;
    result->processes = done;
    fb_timing_estimates(watch->job, result);
    if (watch->progress)
        watch->progress(watch->arg, done, result->half_width);
    bool look = done == options->min_processes || done == 2 * options->min_processes ||
                done == 4 * options->min_processes;
    if (look && result->half_width <= options->precision) {
        result->stopped = FB_STOP_PRECISION;
        return false;
    }
    result->stopped = FB_STOP_BUDGET;
    if (done < options->min_processes ||
        elapsed_s * (double)(done + 1) / (double)done <= options->budget_s) {
        result->stopped = FB_STOP_PROCESSES;
        return true;
    }
    return false;
}

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

enum fb_err fb_timing_run(const struct fb_timing_job *job,
                          void (*progress)(void *arg, size_t done, double half_width), void *arg,
                          struct fb_timing_result *out)
{
    const struct fb_timing_options *options = &job->options;
    size_t each = options->rounds * job->n_cells * sizeof(struct fb_sample);
    struct watch watch = {job, out, progress, arg, seconds()};
    struct fb_process_report report = {0};
    enum fb_err err = FB_ENOMEM;
    memset(out, 0, sizeof *out);
    out->rounds = options->rounds;
    out->n_cells = job->n_cells;
    out->samples = calloc(options->max_processes, each);
    out->estimate = calloc(job->n_cells, sizeof *out->estimate);
    int job_fd = job_file(job);
    if (!out->samples || !out->estimate || job_fd < 0)
        goto out;
    err = fb_processes_run(&fb_timing_child, options->max_processes, options->seed, job_fd,
                           out->samples, each, go_on, &watch, &report);
    out->executed = report.executed;
    if (report.interrupted)
        out->stopped = FB_STOP_INTERRUPTED;
out:
    if (job_fd >= 0)
        close(job_fd);
    if (err)
        fb_timing_result_close(out);
    return err;
}

static bool enough(void *arg, size_t done)
{
    (void)arg, (void)done;
    return false;
}

enum fb_err fb_timing_once(const struct fb_timing_job *given, enum fb_timing_purpose purpose,
                           void *out, size_t bytes_each)
{
    struct fb_timing_job job = *given;
    struct fb_process_report report;
    job.purpose = purpose;
    int job_fd = job_file(&job);
    if (job_fd < 0)
        return FB_ENOMEM;
    enum fb_err err = fb_processes_run(&fb_timing_child, 1, ~job.options.seed, job_fd, out,
                                       bytes_each * job.n_cells, enough, NULL, &report);
    close(job_fd);
    return err;
}

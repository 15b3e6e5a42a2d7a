#include "harness/filter/tuning_place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/parallel.h"
#include "workloads/core/rng.h"

static const struct {
    const char *design;
    enum fb_tuned tuned;
} designs[] = {
    {"sbbf-256", FB_TUNED_BLOCK_32},
    {"sbbf-512", FB_TUNED_LINE_64},
    {"nori", FB_TUNED_SCATTERED},
    {"leveldb", FB_TUNED_SCATTERED},
};
enum { N_DESIGNS = sizeof designs / sizeof *designs, N_SIZES = 7 };

#define BITS_PER_KEY 10.0

/* ---- A place's filter ---- */

static uint32_t kernel_of(const struct fb_design *design)
{
    const struct fb_kernel *best = fb_kernel_find(design, FB_ISA_NONE);
    uint32_t k = 0;
    while (design->kernels[k] != best)
        k++;
    return k;
}

static uint32_t index_of(const struct fb_design *design)
{
    uint32_t i = 0;
    while (fb_design_at(i) != design)
        i++;
    return i;
}

/* Random bits: absent keys find their way among them as well, and they are there at once. */
static enum fb_err open_place(struct fb_place *place, const char *name, uint64_t n_bytes)
{
    const struct fb_design *design = fb_design_find(name);
    struct fb_timing_job *job = &place->job;
    const char *why = NULL;
    job->options.n_threads = 1;
    job->options.threads[0] = 1;
    job->filters = calloc(1, sizeof *job->filters);
    job->cells = calloc(FB_PLACE_ENTRIES, sizeof *job->cells);
    if (!job->filters || !job->cells)
        return FB_ENOMEM;
    struct fb_timing_filter *f = &job->filters[0];
    *f = (struct fb_timing_filter){.params = {.bits_per_key = BITS_PER_KEY},
                                   .n_keys = (uint64_t)((double)n_bytes * 8 / BITS_PER_KEY),
                                   .stream = FB_GOLDEN64,
                                   .fd = -1,
                                   .design = index_of(design),
                                   .synthetic_fill = 1};
    job->n_filters = 1;
    for (size_t i = 0; i < FB_PLACE_ENTRIES; i++)
        job->cells[i] = (struct fb_timing_cell){
            .design = f->design,
            .kernel = kernel_of(design),
            .operation = place->work == FB_TUNED_INSERT ? FB_OP_INSERT : FB_OP_BATCH,
            .yardstick = -1,
            .bits_per_key = BITS_PER_KEY,
            .tries = true,
            .tuned = place->tuned};
    return fb_params_plan(design, f->n_keys, &f->params, &f->geom, &why);
}

void fb_places_close(struct fb_place *places, size_t n)
{
    for (size_t i = 0; places && i < n; i++)
        fb_timing_job_close(&places[i].job);
    free(places);
}

static uint64_t share(uint64_t bytes, double of)
{
    return (uint64_t)(of * (double)bytes);
}

struct fb_place *fb_places_open(const struct fb_tuning *machine, size_t *n)
{
    const uint64_t l2 = machine->l2_bytes, l3 = machine->l3_bytes, most = fb_memory_limit();
    struct fb_footprints footprints;
    fb_footprints_detect(&footprints);
    const uint64_t sizes[N_SIZES] = {share(l2, 0.45),
                                     share(l2, 0.9),
                                     share(l2, 1.5),
                                     share(l3, 0.2),
                                     l3 / 2,
                                     share(l3, 0.9),
                                     footprints.bytes[FB_FOOT_DRAM]};
    struct fb_place *places =
        calloc((size_t)FB_N_TUNED_WORKS * N_DESIGNS * N_SIZES, sizeof *places);
    enum fb_err err = places ? FB_OK : FB_ENOMEM;
    *n = 0;
    for (size_t i = 0; !err && i < (size_t)FB_N_TUNED_WORKS * N_DESIGNS * N_SIZES; i++) {
        const uint64_t bytes = sizes[i % N_SIZES],
                       before = i % N_SIZES ? sizes[i % N_SIZES - 1] : 0;
        if (bytes <= before || bytes > most) /* caches of other proportions */
            continue;
        struct fb_place *place = &places[*n];
        place->work = (enum fb_tuned_work)(i / (N_DESIGNS * N_SIZES));
        place->tuned = designs[i / N_SIZES % N_DESIGNS].tuned;
        err = open_place(place, designs[i / N_SIZES % N_DESIGNS].design, bytes);
        place->n_bytes = place->job.filters ? place->job.filters[0].geom.n_bytes : 0;
        place->reach = fb_tuning_reach(machine, place->n_bytes);
        ++*n;
    }
    if (!err)
        return places;
    fb_places_close(places, *n);
    return NULL;
}

/* ---- Trying entries ---- */

/* Medians over rounds. */
static void take_medians(const struct fb_sample *samples, size_t n, size_t rounds, double *d,
                         double *ns)
{
    double each[FB_PLACE_ROUNDS], ratio[FB_PLACE_ROUNDS];
    for (size_t i = 0; i < n; i++) {
        for (size_t r = 0; r < rounds; r++) {
            each[r] = samples[r * n + i].cpu_ns;
            ratio[r] = log(each[r] / samples[r * n].cpu_ns);
        }
        d[i] = fb_median(ratio, rounds);
        ns[i] = fb_median(each, rounds);
    }
}

enum fb_err fb_place_try(struct fb_place *place, const struct fb_prefetch *entries, size_t n,
                         size_t rounds, int cpu, uint64_t seed, double *d, double *ns)
{
    struct fb_timing_job *job = &place->job;
    struct fb_part part;
    const char *why = NULL;
    static double quantum_ns;
    if (!quantum_ns)
        quantum_ns = fb_clock_quality(&fb_system_clock).quantum_ns;
    job->n_cells = n;
    job->options.group = (struct fb_group_options){.rounds = rounds,
                                                   .min_processes = 1,
                                                   .max_processes = 1,
                                                   .seed = seed,
                                                   .cpu = cpu,
                                                   .min_batch_ns = 5e4,
                                                   .quantum_ns = quantum_ns};
    for (size_t i = 0; i < n; i++)
        job->cells[i].prefetch = entries[i];
    struct fb_sample *samples = calloc(n * rounds + 1, sizeof *samples);
    enum fb_err err = samples ? FB_OK : FB_ENOMEM;
    if (!err && job->filters[0].fd < 0)
        err = fb_timing_build(job, 1, NULL, &why);
    if (!err && fb_interrupted()) {
        free(samples);
        return FB_OK;
    }
    if (!err)
        err = fb_timing_part(job, &part);
    if (!err) {
        err = fb_process_run(part.child, seed, part.job_fd, samples, n * rounds * sizeof *samples,
                             NULL);
        close(part.job_fd);
    }
    if (!err && !fb_interrupted())
        take_medians(samples, n, rounds, d, ns);
    free(samples);
    return err;
}

#include "harness/filter/tuning_place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/parallel.h"
#include "workloads/core/rng.h"

/* Two stand for scattered lines. */
static const char *const designs[] = {"sbbf-256", "sbbf-512", "nori", "leveldb"};
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

/* Random bits where they do: absent keys find their way among them as well, and they are there at
 * once. */
static enum fb_err open_place(struct fb_place *place, const struct fb_tuning *machine,
                              uint64_t n_keys)
{
    const struct fb_design *design = place->design;
    const double bits_per_key = fb_design_sized(design) ? BITS_PER_KEY : 0;
    struct fb_timing_job *job = &place->job;
    const char *why = NULL;
    job->options.n_threads = 1;
    job->options.threads[0] = 1;
    job->filters = calloc(1, sizeof *job->filters);
    job->cells = calloc(FB_PLACE_ENTRIES, sizeof *job->cells);
    if (!job->filters || !job->cells)
        return FB_ENOMEM;
    struct fb_timing_filter *f = &job->filters[0];
    *f = (struct fb_timing_filter){.params = {.bits_per_key = bits_per_key},
                                   .n_keys = n_keys,
                                   .stream = FB_GOLDEN64,
                                   .fd = -1,
                                   .design = index_of(design),
                                   .synthetic_fill = fb_design_random_stands(design)};
    job->n_filters = 1;
    const enum fb_err err = fb_params_plan(design, f->n_keys, &f->params, &f->geom, &why);
    place->tuned = fb_tuned_shape(&f->geom);
    place->n_bytes = f->geom.n_bytes;
    place->reach = fb_tuning_reach(machine, place->n_bytes);
    for (size_t i = 0; i < FB_PLACE_ENTRIES; i++)
        job->cells[i] = (struct fb_timing_cell){
            .design = f->design,
            .kernel = kernel_of(design),
            .operation = place->work == FB_TUNED_INSERT ? FB_OP_INSERT : FB_OP_BATCH,
            .yardstick = -1,
            .bits_per_key = bits_per_key,
            .tries = true,
            .tuned = place->tuned};
    return err;
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
        struct fb_place *place = &places[(*n)++];
        place->work = (enum fb_tuned_work)(i / (N_DESIGNS * N_SIZES));
        place->design = fb_design_find(designs[i / N_SIZES % N_DESIGNS]);
        err = open_place(place, machine, (uint64_t)((double)bytes * 8 / BITS_PER_KEY));
    }
    if (!err)
        return places;
    fb_places_close(places, *n);
    return NULL;
}

/* Whether a kernel does that work, and leaves the filter as it is. */
static bool does(const struct fb_design *design, enum fb_tuned_work work, uint64_t n_keys)
{
    const struct fb_kernel *best = fb_kernel_find(design, FB_ISA_NONE);
    if (design->traits & FB_CONTROL)
        return false;
    return work == FB_TUNED_QUERY || (!fb_operation_why_not(FB_OP_INSERT, design, best, n_keys) &&
                                      !fb_operation_alters(FB_OP_INSERT, design));
}

struct fb_place *fb_places_of_designs(const struct fb_tuning *machine, size_t *n)
{
    static const uint64_t keys[] = {1000000, 10000000, 100000000};
    enum { N_KEYS = sizeof keys / sizeof *keys };
    const size_t all = FB_N_TUNED_WORKS * fb_n_designs() * N_KEYS;
    struct fb_place *places = calloc(all, sizeof *places);
    enum fb_err err = places ? FB_OK : FB_ENOMEM;
    *n = 0;
    for (size_t i = 0; !err && i < all; i++) {
        const enum fb_tuned_work work = (enum fb_tuned_work)(i / (fb_n_designs() * N_KEYS));
        const struct fb_design *design = fb_design_at(i / N_KEYS % fb_n_designs());
        const uint64_t n_keys = keys[i % N_KEYS];
        struct fb_place *place = &places[*n];
        if (!does(design, work, n_keys))
            continue;
        *place = (struct fb_place){.work = work, .design = design, .n_keys = n_keys};
        err = open_place(place, machine, n_keys);
        if (err == FB_ENOMEM || (!err && place->n_bytes <= fb_memory_limit())) {
            ++*n;
            continue;
        }
        fb_timing_job_close(&place->job); /* the design has no such filter */
        err = FB_OK;
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

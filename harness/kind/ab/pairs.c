/* One set of processes: BASE and HEAD of each cell, planned as a job of timings. */
#include <stdlib.h>
#include <string.h>

#include "harness/document/points.h"
#include "harness/kind/ab/ab.h"
#include "workloads/core/rng.h"

/* The sides of a cell, and of a control: BASE's code in two links more. A link that a cell runs as
 * well would be faster by up to 3 % in builds, as it is called twice as often. */
static const char *const prefixes[2][2] = {{"base", "head"}, {"same", "twin"}};

void fb_ab_pairs_close(struct fb_ab_pairs *p)
{
    fb_timing_job_close(&p->job);
    free(p->of);
    json_decref(p->skipped);
    memset(p, 0, sizeof *p);
}

static const struct fb_design *side_of(const char *design, const char *prefix)
{
    char name[64];
    snprintf(name, sizeof name, "%s:%.50s", prefix, design);
    return fb_design_find(name);
}

enum { WALK = 8 }; /* filters that a walk asks */

/* Plans a filter of that many bits per key. */
static enum fb_err plan_size(const struct fb_ab_cell *cell, double bits, uint64_t bytes,
                             struct fb_timing_filter *out, const char **why)
{
    const struct fb_design *design = fb_design_at(out->design);
    const bool own = design->traits & FB_ONE_SIZE;
    if (own)
        bits = fb_design_own_bits(design, 1000000);
    out->params = (struct fb_params){.bits_per_key = own ? 0 : bits};
    out->n_keys = (uint64_t)((double)bytes * 8 / bits) / (out->runs ? out->runs : 1);
    enum fb_err err = fb_params_resolve(design, out->n_keys, &out->params, why);
    if (!err && fb_operation_alters(cell->operation, design)) { /* room for a block's keys */
        out->params.capacity = out->n_keys;
        out->n_keys -= out->n_keys < FB_DIGEST_WORDS ? out->n_keys : FB_DIGEST_WORDS;
    }
    return err ? err : fb_design_plan(design, &out->params, out->n_keys, &out->geom, why);
}

/* The same keys for both sides. A design that has no filter of so few bits gets half as many more,
 * or twice as many. */
static enum fb_err plan_filter(const struct fb_ab *ab, const struct fb_ab_cell *cell,
                               const struct fb_design *design, uint64_t seed, uint64_t bytes,
                               struct fb_timing_filter *out, const char **why)
{
    *out = (struct fb_timing_filter){
        .stream =
            fb_stream_word(fb_xxh64(cell->design, strlen(cell->design), seed), cell->footprint),
        .runs = fb_operation_walks(cell->operation) ? WALK : 0,
        .fd = -1,
        .design = (uint32_t)fb_place_of(design->name)};
    if (!bytes) {
        *why = "this machine has no such footprint";
        return FB_EUNSUPPORTED;
    }
    if (out->runs && !fb_design_keeps_plan(design)) {
        *why = "the filters of a walk have one shape, and a build of this design may change it";
        return FB_EUNSUPPORTED;
    }
    enum fb_err err = FB_EUNSUPPORTED;
    for (double factor = 1; err && factor <= 2; factor += 0.5)
        err = plan_size(cell, factor * ab->bits_per_key, bytes, out, why);
    const struct fb_kernel *kernel = fb_kernel_find(design, FB_ISA_NONE);
    if (!err && (*why = fb_operation_why_not(cell->operation, design, kernel, out->n_keys)))
        err = FB_EUNSUPPORTED;
    /* Absent keys find their way as well among random bits, and those are there at once. */
    out->synthetic_fill = cell->footprint >= FB_FOOT_L3 && fb_design_random_stands(design) &&
                          out->geom.n_bits && !fb_operation_alters(cell->operation, design);
    if (!err && cell->footprint == FB_FOOT_DRAM && !out->synthetic_fill) {
        *why = "no random bits stand for its keys, and so many take too long to build from";
        err = FB_EUNSUPPORTED;
    }
    return err;
}

static uint32_t kernel_of(const struct fb_design *design)
{
    const struct fb_kernel *best = fb_kernel_find(design, FB_ISA_NONE);
    uint32_t k = 0;
    while (design->kernels[k] && design->kernels[k] != best)
        k++;
    return k;
}

/* Adds both sides of a cell, or why there is no such pair. */
static void add_pair(const struct fb_ab *ab, size_t index, bool control, uint64_t seed,
                     const struct fb_footprints *footprints, struct fb_ab_pairs *p)
{
    const struct fb_ab_cell *cell = &ab->cells[index];
    struct fb_timing_job *job = &p->job;
    const char *why = NULL;
    for (int side = 0; side < 2; side++) {
        struct fb_timing_filter *filter = &job->filters[job->n_filters + (size_t)side];
        const struct fb_design *design = side_of(cell->design, prefixes[control][side]);
        const enum fb_err err =
            plan_filter(ab, cell, design, seed, footprints->bytes[cell->footprint], filter, &why);
        if (err) {
            json_array_append_new(p->skipped, json_pack("{s:s, s:s}", "id", cell->id, "why",
                                                        why ? why : fb_err_text(err)));
            return;
        }
    }
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t design = job->filters[job->n_filters].design;
        const int32_t base = (int32_t)job->n_cells - 1;
        job->cells[job->n_cells++] =
            (struct fb_timing_cell){.design = design,
                                    .kernel = kernel_of(fb_design_at(design)),
                                    .operation = cell->operation,
                                    .footprint = cell->footprint,
                                    .yardstick = side ? base : -1,
                                    .bits_per_key = ab->bits_per_key,
                                    .runs = job->filters[job->n_filters].runs,
                                    .filter = (uint32_t)job->n_filters};
        job->n_filters++;
    }
    p->n += !control;
    p->of[job->n_cells / 2 - 1] = index;
}

enum fb_err fb_ab_pairs_plan(const struct fb_ab *ab, const bool *wanted, size_t n_controls,
                             enum fb_ab_set set, struct fb_ab_pairs *p)
{
    struct fb_footprints footprints;
    const uint64_t seed = fb_stream_word(ab->seed, set);
    const size_t most = ab->n_cells + n_controls + 1;
    fb_footprints_detect(&footprints);
    p->job.filters = calloc(2 * most, sizeof *p->job.filters);
    p->job.cells = calloc(2 * most, sizeof *p->job.cells);
    p->of = calloc(most, sizeof *p->of);
    p->skipped = json_array();
    if (!p->job.filters || !p->job.cells || !p->of || !p->skipped)
        return FB_ENOMEM;
    for (size_t i = 0; i < ab->n_cells; i++)
        if (wanted[i])
            add_pair(ab, i, false, seed, &footprints, p);
    for (size_t i = 0; i < ab->n_cells && n_controls; i++)
        if (wanted[i]) {
            /* Other keys: the processor would know those of the cell, in the code of base alone. */
            add_pair(ab, i, true, fb_mix64(seed), &footprints, p);
            n_controls--;
        }
    p->job.options.group = ab->group;
    p->job.options.group.seed = seed;
    p->job.options.group.set = 2;
    p->job.options.group.min_processes = p->job.options.group.max_processes = ab->processes[set];
    p->job.options.threads[0] = 1;
    p->job.options.n_threads = 1;
    return FB_OK;
}

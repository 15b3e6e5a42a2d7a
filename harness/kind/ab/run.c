/* Running an experiment of kind "ab" into a result document. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/progress.h"
#include "harness/document/points.h"
#include "harness/kind/ab/ab.h"
#include "harness/measure/group_json.h"
#include "harness/measure/noise.h"
#include "workloads/core/rng.h"

static const char *const sides[2] = {"base", "head"};

/* The cells of some of an experiment's as a job: base and head of each, one behind the other. */
struct pairs {
    struct fb_timing_job job;
    size_t *of; /* [job.n_cells / 2] index of the experiment's cell */
    json_t *skipped;
};

static void close_pairs(struct pairs *p)
{
    fb_timing_job_close(&p->job);
    free(p->of);
    json_decref(p->skipped);
    memset(p, 0, sizeof *p);
}

static const struct fb_design *side_of(const char *design, int side)
{
    char name[64];
    snprintf(name, sizeof name, "%s:%.50s", sides[side], design);
    return fb_design_find(name);
}

/* The same keys for both. */
static enum fb_err plan_filter(const struct fb_ab *ab, const struct fb_ab_cell *cell, int side,
                               uint64_t seed, uint64_t bytes, struct fb_timing_filter *out,
                               const char **why)
{
    const struct fb_design *design = side_of(cell->design, side);
    const bool control = design->traits & FB_CONTROL;
    *out = (struct fb_timing_filter){
        .params = {.bits_per_key = ab->bits_per_key},
        .n_keys = (uint64_t)((double)bytes * 8 / ab->bits_per_key),
        .stream =
            fb_stream_word(fb_xxh64(cell->design, strlen(cell->design), seed), cell->footprint),
        .fd = -1,
        .design = (uint32_t)fb_place_of(design->name)};
    if (!bytes) {
        *why = "this machine has no such footprint";
        return FB_EUNSUPPORTED;
    }
    enum fb_err err = control ? FB_OK : fb_params_resolve(design, out->n_keys, &out->params, why);
    if (!err && fb_operation_alters(cell->operation, design)) { /* room for a block's keys */
        out->params.capacity = out->n_keys;
        out->n_keys -= out->n_keys < FB_DIGEST_WORDS ? out->n_keys : FB_DIGEST_WORDS;
    }
    if (!err)
        err = fb_design_plan(design, &out->params, out->n_keys, &out->geom, why);
    const struct fb_kernel *kernel = fb_kernel_find(design, FB_ISA_NONE);
    if (!err && (*why = fb_operation_why_not(cell->operation, design, kernel, out->n_keys)))
        err = FB_EUNSUPPORTED;
    /* Absent keys find their way as well among random bits, and those are there at once. */
    out->synthetic_fill = cell->footprint == FB_FOOT_DRAM && fb_design_random_stands(design) &&
                          out->geom.n_bits && !fb_operation_alters(cell->operation, design);
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

/* Adds base and head of a cell, or why there is no such pair. */
static void add_pair(const struct fb_ab *ab, size_t index, uint64_t seed,
                     const struct fb_footprints *footprints, struct pairs *p)
{
    const struct fb_ab_cell *cell = &ab->cells[index];
    struct fb_timing_job *job = &p->job;
    const char *why = NULL;
    for (int side = 0; side < 2; side++) {
        struct fb_timing_filter *filter = &job->filters[job->n_filters + (size_t)side];
        const enum fb_err err =
            plan_filter(ab, cell, side, seed, footprints->bytes[cell->footprint], filter, &why);
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
                                    .filter = (uint32_t)job->n_filters++};
    }
    p->of[job->n_cells / 2 - 1] = index;
}

/* Pairs of the cells that `wanted` has (NULL: all), with keys of their own for each seed. */
static enum fb_err plan_pairs(const struct fb_ab *ab, const bool *wanted, uint64_t seed,
                              struct pairs *p)
{
    struct fb_footprints footprints;
    fb_footprints_detect(&footprints);
    p->job.filters = calloc(2 * ab->n_cells + 1, sizeof *p->job.filters);
    p->job.cells = calloc(2 * ab->n_cells + 1, sizeof *p->job.cells);
    p->of = calloc(ab->n_cells + 1, sizeof *p->of);
    p->skipped = json_array();
    if (!p->job.filters || !p->job.cells || !p->of || !p->skipped)
        return FB_ENOMEM;
    for (size_t i = 0; i < ab->n_cells; i++)
        if (!wanted || wanted[i])
            add_pair(ab, i, seed, &footprints, p);
    p->job.options.group = ab->group;
    p->job.options.group.seed = seed;
    p->job.options.threads[0] = 1;
    p->job.options.n_threads = 1;
    return FB_OK;
}

/* ---- Judging while it runs ---- */

struct watch {
    const struct fb_ab *ab;
    struct fb_progress progress;
    size_t expected; /* processes */
};

static void on_process(void *arg, const struct fb_group *group)
{
    struct watch *w = arg;
    char what[60];
    const size_t done = fb_group_processes(group);
    snprintf(what, sizeof what, "%zu processes", done);
    w->progress.done = done < w->expected ? done : w->expected;
    fb_progress_add(&w->progress, 0, what);
}

/* Whether each cell of the part is decided. */
static bool decided(void *arg, const struct fb_group *group, size_t part)
{
    const struct watch *w = arg;
    const size_t n = group->n_members / 2;
    struct fb_change_rules rules = w->ab->rules;
    struct fb_change_cell *cells = calloc(n, sizeof *cells);
    double *d = calloc(n * FB_PAIRED_MAX, sizeof *d);
    size_t seen = 0;
    bool all = cells && d;
    rules.memory = group->memory;
    for (size_t i = 0; all && i < n; i++) {
        const size_t head = 2 * i + 1;
        if (!group->parts[group->members[head].part].processes)
            continue;
        cells[seen].d = d + seen * FB_PAIRED_MAX;
        cells[seen].floor = fb_ab_floor(w->ab, (enum fb_footprint)group->members[head].part);
        cells[seen].n =
            fb_group_logs(group, head, (int32_t)(head - 1), d + seen * FB_PAIRED_MAX, NULL);
        seen++;
    }
    if (all)
        fb_change_judge(&rules, cells, seen);
    for (size_t i = 0, at = 0; all && i < n; i++) {
        const uint32_t own = group->members[2 * i + 1].part;
        if (!group->parts[own].processes)
            continue;
        all = own != part || cells[at].change != FB_INCONCLUSIVE;
        at++;
    }
    free(cells);
    free(d);
    return all;
}

/* ---- The document ---- */

static json_t *kernel_name(const struct fb_timing_cell *cell)
{
    const struct fb_kernel *kernel = fb_design_at(cell->design)->kernels[cell->kernel];
    return json_sprintf("%s-%s", fb_isa_name(kernel->isa), kernel->style);
}

static json_t *cell_json(const struct fb_ab_cell *cell, const struct fb_timing_job *job, size_t at)
{
    const struct fb_timing_filter *f = &job->filters[job->cells[at].filter];
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:{s:o, s:o, s:o, s:b, s:o}, s:{s:o, s:o}}", "id", cell->id, "design",
        cell->design, "footprint", fb_footprint_name(cell->footprint), "operation",
        fb_operation_name(cell->operation), "filter", "bytes", fb_json_int(f->geom.n_bytes),
        "n_keys", fb_json_int(f->n_keys), "probes", fb_json_int(f->geom.probes), "synthetic_fill",
        f->synthetic_fill, "checksum", fb_json_word(f->checksum), "kernels", "base",
        kernel_name(&job->cells[at]), "head", kernel_name(&job->cells[at + 1]));
}

/* Sets the times of base and head in an object. */
static void set_times(const struct fb_group *group, size_t pair, json_t *object)
{
    for (size_t side = 0; side < 2; side++)
        json_object_set_new(object, sides[side],
                            fb_group_time_json(group, 2 * pair + side, "ns_per_op",
                                               side ? sides[0] : NULL, "it is the base"));
}

/* Base and head use one copy of the bits, which are equal, unless they alter them: where the pages
 * of two copies lie would make one side slower for a whole process. Bits of the size that is timed
 * may differ where those of the small filters did not. */
static enum fb_exit share_bits(const struct fb_ab *ab, struct pairs *p)
{
    for (size_t i = 0; i < p->job.n_cells; i += 2) {
        const uint64_t base = p->job.filters[p->job.cells[i].filter].checksum,
                       head = p->job.filters[p->job.cells[i + 1].filter].checksum;
        const struct fb_ab_cell *cell = &ab->cells[p->of[i / 2]];
        if (base == head) {
            if (!fb_operation_alters(cell->operation, fb_design_at(p->job.cells[i].design)))
                p->job.cells[i + 1].filter = p->job.cells[i].filter;
            continue;
        }
        fb_error("ab: exact facts of %s differ, first %s: checksum is 0x%016llx in BASE and "
                 "0x%016llx in HEAD",
                 cell->design, cell->id, (unsigned long long)base, (unsigned long long)head);
        return FB_EXIT_CORRECTNESS;
    }
    return FB_EXIT_OK;
}

static json_t *timing_json(const struct fb_group *group, const struct pairs *p)
{
    json_t *each = json_object();
    struct fb_caches caches;
    fb_caches_detect(&caches);
    for (size_t f = 0; f < group->n_parts; f++)
        if (group->parts[f].processes)
            json_object_set_new(
                each, fb_footprint_name((enum fb_footprint)f),
                json_real(group->parts[f].spent_s / (double)group->parts[f].processes));
    json_t *timing = json_pack("{s:o, s:b, s:s}", "process_s", each, "processes_executed",
                               group->executed, "stopped", fb_stop_name(group->stopped));
    const int cpu = p->job.options.group.cpu;
    fb_json_known(timing, "pinned_cpu", cpu >= 0 ? json_integer(cpu) : NULL, "not pinned");
    json_object_set_new(timing, "caches", fb_caches_json(&caches));
    json_object_set_new(timing, "settings", fb_noise_settings());
    return timing;
}

/* Builds the filters of the pairs and measures them. Close the group in either case. */
static enum fb_exit measure(const struct fb_ab *ab, struct pairs *p, struct watch *watch,
                            bool until_decided, struct fb_group *group)
{
    const struct fb_group_watch looking = {
        .arg = watch, .progress = on_process, .precise = until_decided ? decided : NULL};
    const char *why = NULL;
    enum fb_err err = fb_timing_build(&p->job, 0, &watch->progress, &why);
    if (err)
        return fb_fail("ab", err, why);
    const enum fb_exit code = fb_interrupted() ? FB_EXIT_INTERRUPTED : share_bits(ab, p);
    if (code)
        return code;
    err = fb_timing_run(&p->job, &looking, group);
    return err ? fb_fail("ab", err, "a measuring process failed") : FB_EXIT_OK;
}

/* A second set of fresh processes for what the first found changed, twice as many, of keys of its
 * own. */
static enum fb_exit confirm(const struct fb_ab *ab, const struct pairs *first, struct watch *watch,
                            size_t processes, json_t *cells)
{
    struct pairs p = {0};
    struct fb_group group = {0};
    enum fb_exit code = FB_EXIT_OK;
    bool any = false, *wanted = calloc(ab->n_cells + 1, sizeof *wanted);
    for (size_t i = 0; wanted && i < json_array_size(cells); i++) {
        const char *verdict = fb_json_str(json_array_get(cells, i), "change.verdict");
        wanted[first->of[i]] = !strcmp(verdict, "regressed") || !strcmp(verdict, "improved");
        any |= wanted[first->of[i]];
    }
    if (!wanted || (any && plan_pairs(ab, wanted, fb_stream_word(ab->seed, 1), &p)))
        code = fb_fail("ab", FB_ENOMEM, NULL);
    if (code || !any)
        goto out;
    struct fb_group_options *o = &p.job.options.group;
    o->min_processes = o->max_processes =
        2 * processes > FB_PAIRED_MAX ? FB_PAIRED_MAX : 2 * processes;
    o->cpu = first->job.options.group.cpu;
    o->quantum_ns = first->job.options.group.quantum_ns;
    watch->progress.title = "confirming";
    watch->expected = 2 * o->max_processes;
    code = measure(ab, &p, watch, false, &group);
    for (size_t at = 0, i = 0; !code && !fb_interrupted() && i < json_array_size(cells); i++) {
        if (!wanted[first->of[i]])
            continue;
        json_t *again = json_object();
        set_times(&group, at++, again);
        json_object_set_new(json_array_get(cells, i), "again", again);
        json_object_del(json_array_get(cells, i), "again_reason");
    }
out:
    fb_group_close(&group);
    close_pairs(&p);
    free(wanted);
    return code;
}

static enum fb_exit time_pairs(struct fb_ab *ab, struct pairs *p, json_t *document)
{
    struct watch watch = {.ab = ab, .expected = 2 * ab->group.max_processes};
    struct fb_group group = {0};
    struct fb_problem problem;
    json_t *cells = json_object_get(document, "cells");
    size_t most = 0;
    fb_progress_start(&watch.progress, "ab", watch.expected);
    p->job.options.group.quantum_ns = fb_clock_quality(&fb_system_clock).quantum_ns;
    if (p->job.options.group.cpu == FB_CPU_AUTO)
        p->job.options.group.cpu = fb_idlest_cpu();
    enum fb_exit code = measure(ab, p, &watch, true, &group);
    for (size_t f = 0; !code && f < group.n_parts; f++)
        most = group.parts[f].processes > most ? group.parts[f].processes : most;
    for (size_t i = 0; !code && i < p->job.n_cells / 2; i++) {
        json_t *cell = cell_json(&ab->cells[p->of[i]], &p->job, 2 * i);
        if (!group.parts[group.members[2 * i].part].processes) { /* interrupted before */
            json_decref(cell);
            continue;
        }
        set_times(&group, i, cell);
        fb_json_known(cell, "again", NULL, "nothing was to be confirmed");
        json_array_append_new(cells, cell);
    }
    if (!code)
        json_object_set_new(document, "timing", timing_json(&group, p));
    if (!code && !fb_interrupted() && !fb_ab_derive(ab, document, &problem))
        code = fb_fail("ab", FB_ENOMEM, NULL);
    if (!code && !fb_interrupted())
        code = confirm(ab, p, &watch, most, cells);
    fb_progress_end(&watch.progress);
    fb_group_close(&group);
    return code;
}

enum fb_exit fb_ab_run(struct fb_ab *ab, unsigned n_threads, json_t *document)
{
    struct pairs p = {0};
    enum fb_exit code = FB_EXIT_OK;
    json_t *exact = fb_ab_exact(ab->seed, n_threads);
    if (!exact)
        return fb_interrupted() ? FB_EXIT_INTERRUPTED : fb_fail("ab", FB_ENOMEM, NULL);
    json_object_set_new(document, "exact", exact);
    fb_json_known(document, "calibration", json_incref(ab->profile), ab->no_profile);
    fb_ab_exact_derive(exact);
    code = fb_ab_exact_judge(exact);
    if (!code && plan_pairs(ab, NULL, ab->seed, &p))
        code = fb_fail("ab", FB_ENOMEM, NULL);
    if (!code)
        json_array_extend(json_object_get(document, "skipped"), p.skipped);
    if (!code && p.job.n_cells)
        code = time_pairs(ab, &p, document);
    close_pairs(&p);
    return code ? code : fb_interrupted() ? FB_EXIT_INTERRUPTED : FB_EXIT_OK;
}

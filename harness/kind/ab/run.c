/* Running an experiment of kind "ab" into a result document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/progress.h"
#include "harness/filter/plugin.h"
#include "harness/kind/ab/ab.h"
#include "harness/measure/clock.h"
#include "harness/measure/group_json.h"
#include "harness/measure/noise.h"

static const char *const sides[2] = {"base", "head"};

static const char *const set_names[FB_AB_N_SETS] = {"measuring", "confirming", "ordinary links"};

/* ---- What the budget has time for ---- */

static void leave_out(json_t *document, const struct fb_ab_cell *cell, const char *why)
{
    json_array_append_new(json_object_get(document, "skipped"),
                          json_pack("{s:s, s:s}", "id", cell->id, "why", why));
}

/* A first set takes at most this share of the budget: a second one of a tenth of its cells takes
 * half as long again. */
static const double share_of_first = 0.4;

/* Cells in their order, until the budget or, for the filters of main memory, a quarter of the
 * memory is used up. */
static void choose_first(const struct fb_ab *ab, bool *wanted, json_t *document)
{
    struct fb_footprints footprints;
    const uint64_t memory = fb_memory_limit() / 4;
    double seconds = 0;
    uint64_t dram = 0;
    char why[80];
    fb_footprints_detect(&footprints);
    snprintf(why, sizeof why, FB_AB_NO_TIME " of %g s", ab->budget_s);
    for (size_t i = 0; i < ab->n_cells; i++) {
        const struct fb_ab_cell *cell = &ab->cells[i];
        const bool large = cell->footprint == FB_FOOT_DRAM;
        const double cost = cell->expected_s * (double)ab->processes[FB_AB_FIRST];
        const uint64_t bytes = large ? footprints.bytes[FB_FOOT_DRAM] : 0;
        wanted[i] = seconds + cost <= share_of_first * ab->budget_s;
        if (!wanted[i]) {
            leave_out(document, cell, why);
        } else if (dram + bytes > memory) {
            wanted[i] = false;
            leave_out(document, cell,
                      "its filters do not fit a quarter of the memory with those before");
        } else {
            seconds += cost;
            dram += bytes;
        }
    }
}

/* ---- Measuring ---- */

struct watch {
    struct fb_progress progress;
    size_t expected;   /* processes of the set */
    size_t first_link; /* the links of the set */
    bool links;
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

static void before_process(void *arg, const struct fb_group *group, size_t part)
{
    const struct watch *w = arg;
    fb_plugins_link(w->links ? (int)(w->first_link + group->parts[part].processes) : -1);
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
        fb_operation_name(cell->operation), "filter", "bytes", fb_json_int(fb_timing_bytes(f)),
        "n_keys", fb_json_int(f->n_keys), "probes", fb_json_int(f->geom.probes), "synthetic_fill",
        f->synthetic_fill, "checksum", fb_json_word(f->checksum), "kernels", "base",
        kernel_name(&job->cells[at]), "head", kernel_name(&job->cells[at + 1]));
}

/* Sets the times of both sides in an object. */
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
static enum fb_exit share_bits(const struct fb_ab *ab, struct fb_ab_pairs *p)
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

/* Adds what a set of processes took. */
static void add_timing(const struct fb_group *group, const struct fb_ab_pairs *p, json_t *document)
{
    json_t *timing = json_object_get(document, "timing"), *each;
    struct fb_caches caches;
    if (!timing) {
        const int cpu = p->job.options.group.cpu;
        fb_caches_detect(&caches);
        timing = json_pack("{s:{}, s:b, s:s}", "process_s", "processes_executed", group->executed,
                           "stopped", fb_stop_name(group->stopped));
        fb_json_known(timing, "pinned_cpu", cpu >= 0 ? json_integer(cpu) : NULL, "not pinned");
        json_object_set_new(timing, "caches", fb_caches_json(&caches));
        json_object_set_new(timing, "settings", fb_noise_settings());
        json_object_set_new(document, "timing", timing);
    }
    each = json_object_get(timing, "process_s");
    for (size_t f = 0; f < group->n_parts; f++) {
        const char *name = fb_footprint_name((enum fb_footprint)f);
        if (group->parts[f].processes && !json_object_get(each, name))
            json_object_set_new(
                each, name, json_real(group->parts[f].spent_s / (double)group->parts[f].processes));
    }
}

/* Builds the filters of the pairs and measures them. Close the group in either case. */
static enum fb_exit measure(const struct fb_ab *ab, struct fb_ab_pairs *p, struct watch *watch,
                            struct fb_group *group)
{
    const struct fb_group_watch looking = {
        .arg = watch, .progress = on_process, .before = before_process};
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

/* A set of processes of the cells that are wanted, and of controls. found[i] is the object that the
 * times of the experiment's cell i are set in; NULL: one that is made here and added to "cells". */
static enum fb_exit time_set(const struct fb_ab *ab, enum fb_ab_set set, const bool *wanted,
                             size_t n_controls, json_t **found, json_t *document)
{
    static const char *const members[FB_AB_N_SETS] = {NULL, "again", "plain"};
    struct fb_ab_pairs p = {0};
    struct fb_group group = {0};
    struct watch watch = {.links = ab->links && set != FB_AB_PLAIN,
                          .first_link = set == FB_AB_SECOND ? ab->processes[FB_AB_FIRST] : 0};
    size_t n_parts = 0;
    bool seen[FB_N_FOOTPRINTS] = {false};
    enum fb_exit code = fb_ab_pairs_plan(ab, wanted, n_controls, set, &p)
                            ? fb_fail("ab", FB_ENOMEM, NULL)
                            : FB_EXIT_OK;
    if (set == FB_AB_FIRST && !code)
        json_array_extend(json_object_get(document, "skipped"), p.skipped);
    for (size_t i = 0; i < p.job.n_cells; i++) {
        n_parts += !seen[p.job.cells[i].footprint];
        seen[p.job.cells[i].footprint] = true;
    }
    watch.expected = n_parts * ab->processes[set];
    fb_progress_start(&watch.progress, set_names[set], watch.expected);
    p.job.options.group.quantum_ns = fb_clock_quality(&fb_system_clock).quantum_ns;
    if (!code && p.job.n_cells)
        code = measure(ab, &p, &watch, &group);
    fb_progress_end(&watch.progress);
    for (size_t i = 0; !code && i < p.job.n_cells / 2; i++) {
        const struct fb_ab_cell *cell = &ab->cells[p.of[i]];
        if (group.parts[cell->footprint].processes < ab->processes[set])
            continue; /* interrupted before */
        json_t *object =
            set == FB_AB_FIRST || i >= p.n ? cell_json(cell, &p.job, 2 * i) : json_object();
        set_times(&group, i, object);
        if (i >= p.n) {
            json_array_append_new(json_object_get(document, "controls"), object);
        } else if (set == FB_AB_FIRST) {
            json_array_append_new(json_object_get(document, "cells"), object);
            fb_json_known(object, "again", NULL, "it was no candidate");
            fb_json_known(object, "plain", NULL, "it was not measured with the ordinary links");
            found[p.of[i]] = object;
        } else {
            char reason[32];
            snprintf(reason, sizeof reason, "%s_reason", members[set]);
            json_object_del(found[p.of[i]], reason);
            json_object_set_new(found[p.of[i]], members[set], object);
        }
    }
    if (!code && p.job.n_cells)
        add_timing(&group, &p, document);
    fb_group_close(&group);
    fb_ab_pairs_close(&p);
    return code;
}

/* Seconds that a cell takes in a process, as the first set has shown. */
static double seconds_of(const json_t *document, const struct fb_ab_cell *cell)
{
    const char *footprint = fb_footprint_name(cell->footprint);
    size_t n = 0;
    FB_EACH(other, json_object_get(document, "cells"))
        n += !strcmp(fb_json_str(other, "footprint"), footprint);
    return fb_json_num(fb_json_at(document, "timing.process_s"), footprint) / (double)(n ? n : 1);
}

/* Of cells that were measured, those that the rule wants again, the largest first, while there is
 * time. Of the others it is said. */
static size_t choose_second(const struct fb_ab *ab, json_t *const *found, double seconds,
                            const json_t *document, bool *wanted)
{
    size_t n = 0;
    bool *tried = calloc(ab->n_cells + 1, sizeof *tried);
    memset(wanted, 0, ab->n_cells * sizeof *wanted);
    for (;;) {
        size_t next = ab->n_cells;
        double most = -1;
        for (size_t i = 0; tried && i < ab->n_cells; i++) {
            const double away = fabs(log(fb_json_num(found[i], "change.ratio")));
            const bool is_candidate =
                ab->again_all || strcmp(fb_json_str(found[i], "change.verdict"),
                                        fb_slowdown_name(FB_NONE_SEEN)) != 0;
            if (found[i] && !tried[i] && is_candidate && away > most) {
                most = away;
                next = i;
            }
        }
        if (next == ab->n_cells)
            break;
        const double cost =
            seconds_of(document, &ab->cells[next]) * (double)ab->processes[FB_AB_SECOND];
        tried[next] = true;
        wanted[next] = cost <= seconds;
        if (wanted[next])
            seconds -= cost;
        else
            fb_json_known(found[next], "again", NULL, "there was no time left for it");
        n += wanted[next];
    }
    free(tried);
    return n;
}

/* Those that are not slower in fresh links, while there is time. */
static size_t choose_plain(const struct fb_ab *ab, json_t *const *found, double seconds,
                           const json_t *document, bool *wanted)
{
    size_t n = 0;
    for (size_t i = 0; i < ab->n_cells; i++) {
        const double cost =
            found[i] ? seconds_of(document, &ab->cells[i]) * (double)ab->processes[FB_AB_PLAIN] : 0;
        wanted[i] = found[i] && cost <= seconds &&
                    strcmp(fb_json_str(found[i], "change.verdict"), fb_slowdown_name(FB_SLOWER));
        seconds -= wanted[i] ? cost : 0;
        n += wanted[i];
    }
    return n;
}

static enum fb_exit time_all(struct fb_ab *ab, json_t *document)
{
    const double started_s = fb_seconds();
    struct fb_problem problem;
    bool *wanted = calloc(ab->n_cells + 1, sizeof *wanted);
    json_t **found = calloc(ab->n_cells + 1, sizeof *found);
    enum fb_exit code = wanted && found ? FB_EXIT_OK : fb_fail("ab", FB_ENOMEM, NULL);
    if (ab->group.cpu == FB_CPU_AUTO)
        ab->group.cpu = fb_idlest_cpu();
    if (!code)
        choose_first(ab, wanted, document);
    for (enum fb_ab_set set = FB_AB_FIRST; !code && set < FB_AB_N_SETS && !fb_interrupted();
         set++) {
        const double left_s = ab->budget_s - (fb_seconds() - started_s);
        size_t n = 1;
        if (set != FB_AB_FIRST && !fb_ab_derive(ab, document, &problem))
            code = fb_fail("ab", FB_ENOMEM, NULL);
        else if (set == FB_AB_SECOND)
            n = choose_second(ab, found, left_s, document, wanted);
        else if (set == FB_AB_PLAIN)
            n = ab->links && ab->processes[FB_AB_PLAIN]
                    ? choose_plain(ab, found, left_s, document, wanted)
                    : 0;
        if (!code && n)
            code = time_set(ab, set, wanted, set == FB_AB_SECOND ? FB_AB_CONTROLS : 0, found,
                            document);
    }
    free(wanted);
    free(found);
    return code;
}

enum fb_exit fb_ab_run(struct fb_ab *ab, unsigned n_threads, json_t *document)
{
    json_t *exact = fb_ab_exact(ab->seed, n_threads);
    if (!exact)
        return fb_interrupted() ? FB_EXIT_INTERRUPTED : fb_fail("ab", FB_ENOMEM, NULL);
    json_object_set_new(document, "exact", exact);
    json_object_set_new(document, "links", json_boolean(ab->links));
    json_object_set_new(document, "controls", json_array());
    fb_json_known(document, "calibration", json_incref(ab->profile), ab->no_profile);
    fb_ab_exact_derive(exact);
    enum fb_exit code = fb_ab_exact_judge(exact);
    if (!code && ab->processes[FB_AB_FIRST])
        code = time_all(ab, document);
    return code ? code : fb_interrupted() ? FB_EXIT_INTERRUPTED : FB_EXIT_OK;
}

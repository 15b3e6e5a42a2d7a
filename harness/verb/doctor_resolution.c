/* The noise of this machine: gaps in a busy loop, and a kernel compared with itself. */
#include <math.h>
#include <stdlib.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/document/points.h"
#include "harness/filter/timing.h"
#include "harness/verb/doctor.h"
#include "workloads/core/rng.h"

json_t *fb_doctor_noise(const struct fb_clock *clock)
{
    enum { SPIN_NS = 300000000, GAP_NS = 10000 };
    uint64_t started = clock->wall_ns(clock->self), last = started, gaps = 0, lost = 0, longest = 0;
    while (last - started < SPIN_NS) {
        uint64_t now = clock->wall_ns(clock->self), gap = now - last;
        last = now;
        gaps += gap > GAP_NS;
        lost += gap > GAP_NS ? gap : 0;
        longest = gap > longest ? gap : longest;
    }
    double spun = (double)(last - started);
    return json_pack("{s:f, s:f, s:f, s:f}", "spun_s", spun * 1e-9, "gaps_per_s",
                     (double)gaps / (spun * 1e-9), "stolen_ratio", (double)lost / spun,
                     "longest_gap_us", (double)longest * 1e-3);
}

/* ---- A against A ---- */

#define DESIGN "sbbf-256" /* a fast lookup: noise weighs most */

enum { ROUNDS = 4, MOST_PROCESSES = 16 };
static const enum fb_footprint footprints[] = {FB_FOOT_L1, FB_FOOT_L3};
enum { N_FOOTPRINTS = sizeof footprints / sizeof *footprints };

static bool plan(struct fb_timing_job *job, const struct fb_timer_quality *timer, int cpu,
                 double budget_s)
{
    struct fb_footprints sizes;
    const struct fb_design *found = fb_design_find(DESIGN);
    const struct fb_kernel *best = fb_kernel_find(found, FB_ISA_NONE);
    const uint32_t design = (uint32_t)fb_place_of(DESIGN);
    uint32_t kernel = 0;
    while (found->kernels[kernel] != best)
        kernel++;
    fb_footprints_detect(&sizes);
    *job = (struct fb_timing_job){.options.group = {.rounds = ROUNDS,
                                                    .min_processes = 6,
                                                    .max_processes = MOST_PROCESSES,
                                                    .budget_s = budget_s,
                                                    .seed = FB_GOLDEN64,
                                                    .min_batch_ns = 1e6,
                                                    .cpu = cpu,
                                                    .quantum_ns = timer->quantum_ns}};
    job->cells = calloc((size_t)2 * N_FOOTPRINTS, sizeof *job->cells);
    job->filters = calloc(N_FOOTPRINTS, sizeof *job->filters);
    if (!job->cells || !job->filters)
        return false;
    for (uint32_t i = 0; i < N_FOOTPRINTS; i++) {
        job->filters[i] = (struct fb_timing_filter){.params = {.bits_per_key = 10},
                                                    .n_keys = sizes.bytes[footprints[i]] * 8 / 10,
                                                    .stream = fb_stream_word(FB_GOLDEN64, i),
                                                    .fd = -1,
                                                    .design = design,
                                                    .synthetic_fill = footprints[i] == FB_FOOT_L3};
        for (uint32_t twin = 0; twin < 2; twin++)
            job->cells[2 * i + twin] =
                (struct fb_timing_cell){.design = design,
                                        .kernel = kernel,
                                        .operation = FB_OP_BATCH,
                                        .footprint = footprints[i],
                                        .yardstick = twin ? (int32_t)(2 * i) : -1,
                                        .filter = i};
    }
    job->n_filters = N_FOOTPRINTS;
    job->n_cells = (size_t)2 * N_FOOTPRINTS;
    return true;
}

static json_t *pair_json(const struct fb_timing_job *job, const struct fb_group *group, size_t cell)
{
    static const char *const few = "fewer than 6 processes delivered";
    const struct fb_member *member = &group->members[cell];
    const struct fb_estimate *e = &member->estimate;
    double d[FB_PAIRED_MAX], largest = 0; /* over processes: between a thing and itself */
    const size_t processes = fb_group_logs(group, cell, member->to, d, NULL);
    for (size_t p = 0; p < processes; p++)
        largest = fmax(largest, fabs(d[p]));
    double low = log(e->ratio95.low), high = log(e->ratio95.high);
    json_t *row =
        json_pack("{s:s, s:I, s:I, s:f, s:f}", "footprint",
                  fb_footprint_name((enum fb_footprint)job->cells[cell].footprint), "filter_bytes",
                  (json_int_t)job->filters[job->cells[cell].filter].geom.n_bytes, "processes",
                  (json_int_t)processes, "ns", e->ns, "ln_ratio", log(e->ratio));
    fb_json_real(row, "half_width", (high - low) / 2, few);
    json_object_set_new(row, "largest_ln_ratio", json_real(largest));
    fb_json_real(row, "resolves_ratio", exp(fmax(-low, high)) - 1, few);
    return row;
}

json_t *fb_doctor_resolution(const struct fb_timer_quality *timer, int cpu, double budget_s)
{
    struct fb_timing_job job = {0};
    struct fb_group group = {0};
    const char *why = NULL;
    json_t *report = NULL;
    const struct fb_clock *clock = &fb_system_clock;
    uint64_t started = clock->wall_ns(clock->self);
    enum fb_err err = FB_ENOMEM;
    if (plan(&job, timer, cpu, budget_s))
        err = fb_timing_build(&job, 0, NULL, &why);
    if (!err && !fb_interrupted())
        err = fb_timing_run(&job, NULL, &group);
    if (!err && !fb_interrupted() && fb_group_processes(&group)) {
        json_t *pairs = json_array();
        for (size_t i = 1; i < job.n_cells; i += 2)
            json_array_append_new(pairs, pair_json(&job, &group, i));
        report = json_pack("{s:s, s:s, s:f, s:o}", "kernel", DESIGN, "clock",
                           group.cpu_clock ? "thread_cpu" : "wall", "took_s",
                           (double)(clock->wall_ns(clock->self) - started) * 1e-9, "pairs", pairs);
    } else if (err) {
        fb_fail("doctor", err, why);
    }
    fb_group_close(&group);
    fb_timing_job_close(&job);
    return report;
}

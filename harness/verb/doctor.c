/* doctor: what this machine can measure, now. What cannot be known is null, with the reason beside
 * it (environment.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/print.h"
#include "harness/check/check.h"
#include "harness/document/points.h"
#include "harness/filter/timing.h"
#include "harness/filter/tuning.h"
#include "harness/measure/caches.h"
#include "harness/measure/counters.h"
#include "harness/measure/noise.h"
#include "harness/verb/verb.h"
#include "workloads/core/rng.h"

/* ---- What the system says about itself ---- */

#define CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* The first line of a file; NULL where there is none. */
static json_t *first_line(const char *path)
{
    char line[128];
    fb_file_line(path, "", line, sizeof line);
    return *line ? fb_json_text(line) : NULL;
}

/* single_operation_ns: the shortest single operation whose time is more than the clock's grain,
 * five quanta. */
static json_t *timer_json(const struct fb_timer_quality *timer)
{
    static const char *const stands = "the clock did not move";
    json_t *j = json_object();
    bool known = timer->quantum_ns > 0;
    fb_json_known(j, "clock_source", first_line(CLOCK_SOURCE), "no " CLOCK_SOURCE);
    fb_json_real(j, "overhead_ns", known ? timer->overhead_ns : NAN, stands);
    fb_json_real(j, "quantum_ns", known ? timer->quantum_ns : NAN, stands);
    fb_json_real(j, "single_operation_ns", known ? 5 * timer->quantum_ns : NAN, stands);
    return j;
}

/* Whether a hypervisor runs this machine, where the processor says so. */
static json_t *hypervisor(void)
{
    char flags[8192];
    return fb_file_line("/proc/cpuinfo", "flags", flags, sizeof flags)
               ? json_boolean(strstr(flags, " hypervisor") != NULL)
               : NULL;
}

static bool masked(enum fb_isa isa)
{
    return fb_cpu_present(isa) && !fb_cpu_has(isa);
}

static json_t *counters(char *reason, unsigned size)
{
    int fd[FB_N_COUNTERS];
    json_t *names = json_array();
    bool open = fb_counters_open(fd, reason, size);
    for (int i = 0; i < FB_N_COUNTERS; i++)
        if (fd[i] >= 0)
            json_array_append_new(names, json_string(fb_counter_names[i]));
    fb_counters_close(fd);
    if (open)
        return names;
    json_decref(names);
    return NULL;
}

static json_t *machine_json(int cpu)
{
    char why_counters[160] = "";
    json_t *about = fb_environment_machine(), *j = json_object(), *counted;
    struct fb_caches detected;
    fb_caches_detect(&detected);
    json_object_set(j, "cpu_model", json_object_get(about, "cpu_model"));
    json_object_set(j, "cpu_model_reason", json_object_get(about, "cpu_model_reason"));
    fb_json_known(j, "hypervisor", hypervisor(), "/proc/cpuinfo has no flags");
    json_object_set_new(j, "usable_cores", json_integer(fb_parallel_cores()));
    fb_json_known(j, "pinned_to_cpu", cpu >= 0 ? json_integer(cpu) : NULL,
                  "threads cannot be pinned here");
    json_object_update_new(j, fb_noise_settings());
    counted = counters(why_counters, sizeof why_counters);
    fb_json_known(j, "hardware_counters", counted, why_counters);
    json_object_set_new(j, "instruction_sets", fb_environment_isas(fb_cpu_present));
    json_object_set_new(j, "masked_by_FB_DISABLE_ISA", fb_environment_isas(masked));
    json_object_set(j, "caches_bytes", json_object_get(about, "caches_bytes"));
    json_object_set(j, "caches_bytes_reason", json_object_get(about, "caches_bytes_reason"));
    if (detected.assumed)
        json_object_set_new(j, "footprints_note",
                            json_string("cache sizes that are unknown are assumed"));
    json_decref(about);
    return j;
}

/* ---- The noise of this machine ---- */

/* Reads the clock for 0.3 s; a gap is more than 10 us between two readings, time that this thread
 * did not get. */
static json_t *noise_json(const struct fb_clock *clock)
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

static bool plan_pairs(struct fb_timing_job *job, const struct fb_timer_quality *timer, int cpu,
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

/*
 * The smallest difference that would show: one kernel as two candidates through the complete
 * pipeline, in footprints L1 and L3. Of each pair the estimate of the ratio of a thing to itself,
 * half of its 95 % interval, the largest of one process, and the end of the interval that is
 * farther from 1. NULL when interrupted or, with a line on stderr, failed. At most about budget_s,
 * but never fewer than six processes.
 */
static json_t *resolution_json(const struct fb_timer_quality *timer, int cpu, double budget_s)
{
    struct fb_timing_job job = {0};
    struct fb_group group = {0};
    const char *why = NULL;
    json_t *report = NULL;
    const struct fb_clock *clock = &fb_system_clock;
    uint64_t started = clock->wall_ns(clock->self);
    enum fb_err err = FB_ENOMEM;
    if (plan_pairs(&job, timer, cpu, budget_s))
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

/* ---- The report ---- */

/* One line: what a comparison can tell apart, in how long. */
static json_t *verdict(const json_t *resolution)
{
    double most = 0;
    const json_t *pairs = json_object_get(resolution, "pairs");
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *resolves = json_object_get(json_array_get(pairs, i), "resolves_ratio");
        most = fmax(most, json_is_number(resolves) ? json_number_value(resolves) : INFINITY);
    }
    if (!pairs || !isfinite(most))
        return NULL;
    return json_sprintf("can resolve >= %.1f %% in %.0f s, by pairs within one run; times stored "
                        "by different runs are no ground for a verdict",
                        100 * most, json_number_value(json_object_get(resolution, "took_s")));
}

/* Of what is in force all but the entries. */
static json_t *tuning(void)
{
    json_t *found = fb_tuning_json();
    json_object_del(found, "prefetch");
    return found;
}

static json_t *examine(double budget_s)
{
    struct fb_noise before, after;
    struct fb_timer_quality timer = fb_clock_quality(&fb_system_clock);
    int cpu = fb_idlest_cpu();
    fb_noise_read(&before);
    json_t *noise = noise_json(&fb_system_clock), *resolution = NULL;
    if (budget_s > 0) {
        resolution = resolution_json(&timer, cpu, budget_s);
        if (!resolution) {
            json_decref(noise);
            return NULL;
        }
    }
    fb_noise_read(&after);
    json_t *line = verdict(resolution);
    json_object_update_new(noise, fb_noise_json(&before, &after));
    json_t *report = json_pack("{s:o, s:o, s:o, s:o}", "timer", timer_json(&timer), "noise", noise,
                               "machine", machine_json(cpu), "tuning", tuning());
    const char *why = budget_s > 0 ? "too few processes delivered" : "--budget 0";
    fb_json_known(report, "resolution", resolution, why);
    fb_json_known(report, "verdict", line, why);
    return report;
}

/* For people: "unknown: why" in place of a null and its reason. */
static void say_unknown(json_t *value)
{
    FB_EACH(member, value)
        say_unknown(member);
    FB_EACH_MEMBER(name, member, value) {
        char field[80];
        snprintf(field, sizeof field, "%s_reason", name);
        const char *reason = json_string_value(json_object_get(value, field));
        if (json_is_null(member) && reason)
            json_object_set_new(value, name, json_sprintf("unknown: %s", reason));
        else
            say_unknown(member);
    }
}

/* ---- The self-check alone ---- */

static void push_part(void *rows, const struct fb_checked *checked)
{
    static const char *const states[] = {
        [FB_CHECK_RIGHT] = "right", [FB_CHECK_WRONG] = "wrong", [FB_CHECK_UNKNOWN] = "unchecked"};
    json_t *row = json_pack("{s:s, s:o, s:s}", "part", checked->part, "answer",
                            fb_json_word(checked->answer), "state", states[checked->state]);
    fb_json_known(row, "why", checked->why[0] ? json_string(checked->why) : NULL,
                  "nothing is wrong");
    json_array_append_new(rows, row);
}

static void print_parts(FILE *file, const json_t *rows)
{
    static const char *const columns[] = {"part", "?answer", "state", "why", NULL};
    fb_print_rows(file, rows, columns);
}

static enum fb_exit check_parts(enum fb_output_format format)
{
    json_t *rows = json_array();
    const size_t wrong = fb_self_check(push_part, rows);
    if (fb_interrupted()) {
        json_decref(rows);
        fb_error("doctor: interrupted; nothing written");
        return FB_EXIT_INTERRUPTED;
    }
    const enum fb_exit code = fb_print_answer(rows, format, print_parts);
    if (wrong)
        fb_error("self-check: %zu parts do not give their known answers", wrong);
    return wrong ? FB_EXIT_SELF_CHECK : code;
}

static int run(int argc, char **argv)
{
    double budget_s = 4;
    bool check = false;
    enum fb_output_format format = FB_FORMAT_TABLE;
    const struct fb_opt opts[] = {{"budget", 0, FB_OPT_SECONDS, &budget_s, 0, 3600},
                                  {"check", 0, FB_OPT_FLAG, &check, 0, 0},
                                  {"format", 0, FB_OPT_FORMAT, &format, 0, 0},
                                  {0}};
    if (!fb_opt_parse(argc, argv, opts, 0))
        return FB_EXIT_USAGE;
    if (check)
        return (int)check_parts(format);
    json_t *report = examine(budget_s);
    if (!report && fb_interrupted()) {
        fb_error("doctor: interrupted; nothing written");
        return FB_EXIT_INTERRUPTED;
    }
    if (!report)
        return FB_EXIT_IO;
    if (format == FB_FORMAT_TABLE) {
        say_unknown(report);
        fb_json_drop_reasons(report);
    }
    return (int)fb_print_answer(report, format, fb_print_document);
}

const struct fb_verb fb_verb_doctor = {
    .name = "doctor",
    .example = "filterbench doctor",
    .usage = "doctor [options]",
    .summary = "Check whether this machine can measure reliably",
    .help = "--budget S\tseconds for comparing a kernel with itself (4); 0 skips it\n"
            "--check\trun only the self-check that reproduce begins with\n"
            "--format table|json\thow to print the answer (table)\n"
            "\n"
            "The verdict is the smallest difference between two filters that would show in "
            "one run on this machine now. The self-check compares hashes, designs, kernels, "
            "formats and caches with known answers.\n",
    .main = run,
    .polls_interrupt = true,
};

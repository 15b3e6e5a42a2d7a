/* doctor: what this machine can measure. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/print.h"
#include "harness/check/check.h"
#include "harness/filter/tuning.h"
#include "harness/measure/noise.h"
#include "harness/verb/doctor.h"
#include "harness/verb/verb.h"

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
    json_t *noise = fb_doctor_noise(&fb_system_clock), *resolution = NULL;
    if (budget_s > 0) {
        resolution = fb_doctor_resolution(&timer, cpu, budget_s);
        if (!resolution) {
            json_decref(noise);
            return NULL;
        }
    }
    fb_noise_read(&after);
    json_t *line = verdict(resolution);
    json_object_update_new(noise, fb_noise_json(&before, &after));
    json_t *report = json_pack("{s:o, s:o, s:o, s:o}", "timer", fb_doctor_timer(&timer), "noise",
                               noise, "machine", fb_doctor_machine(cpu), "tuning", tuning());
    const char *why = budget_s > 0 ? "too few processes delivered" : "--budget 0";
    fb_json_known(report, "resolution", resolution, why);
    fb_json_known(report, "verdict", line, why);
    return report;
}

/* For people: "unknown: why" in place of a null and its reason. */
static void say_unknown(json_t *value)
{
    const char *name;
    json_t *member;
    size_t i;
    json_array_foreach(value, i, member)
        say_unknown(member);
    json_object_foreach(value, name, member) {
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

/* Stored times of two runs side by side, as advice. */
#include <math.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/base/table.h"
#include "harness/document/compare.h"
#include "harness/kind/kernels/kernels.h"
#include "harness/stats/serial.h"

bool fb_same_machine(const json_t *base, const json_t *head, struct fb_problem *why)
{
    static const char *const members[] = {"machine.arch", "machine.cpu_model", "machine.cores",
                                          "machine.isa", "machine.caches_bytes"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!fb_same_at(base, head, members[i], why))
            return false;
    return true;
}

/* ---- One run ---- */

struct run {
    const json_t *cells;
    struct fb_group group; /* a member for each cell; none where samples cannot be read */
};

static double memory_at(const json_t *document, const char *path)
{
    return fmin(fmax(json_number_value(fb_json_at(document, path)), 0), FB_MEMORY_MOST);
}

static struct run run_of(const json_t *document)
{
    struct run run = {.cells = json_object_get(document, "cells")};
    if (fb_kernels_read(run.cells, &run.group, NULL))
        fb_group_close(&run.group);
    run.group.memory = memory_at(document, "timing.memory.ratio");
    run.group.memory_ns = memory_at(document, "timing.memory.time");
    return run;
}

static bool is_sized(const json_t *cell)
{
    return json_is_number(fb_json_at(cell, "params.bits_per_key")) ||
           json_is_number(fb_json_at(cell, "params.fpr"));
}

/* Whether both are asked the same way, of filters of the same size; a control has none. A plain
 * loop is compared with a batch. */
static bool asked_alike(const json_t *cell, const json_t *other)
{
    static const char *const place[] = {"footprint", "hit_ratio", NULL};
    const char *operation = fb_json_str(cell, "operation");
    const char *wanted = !strcmp(operation, "plain") ? "batch" : operation;
    return !strcmp(fb_json_str(other, "operation"), wanted) && fb_json_same(cell, other, place) &&
           (!is_sized(cell) || !is_sized(other) ||
            json_equal(json_object_get(cell, "params"), json_object_get(other, "params")));
}

/* The cell that a cell's ratio is taken to: its yardstick or, where a design is named, the cell of
 * `against` that is asked alike, of the same instruction set if there is one. -1: there is none, or
 * the cell is of that design. */
static int32_t reference_of(const struct run *run, size_t cell, const char *against)
{
    const json_t *own = json_array_get(run->cells, cell), *isa = json_object_get(own, "isa");
    int32_t found = -1;
    if (!against)
        return run->group.members[cell].to;
    if (!strcmp(fb_json_str(own, "design"), against))
        return -1;
    FB_EACH_AT(i, other, run->cells) {
        bool alike = !strcmp(fb_json_str(other, "design"), against) && asked_alike(own, other);
        if (alike && json_equal(isa, json_object_get(other, "isa")))
            return (int32_t)i;
        if (alike && found < 0)
            found = (int32_t)i;
    }
    return found;
}

/* The logarithm of a cell's time, or of its ratio to another. */
static struct fb_paired side_of(const struct run *run, size_t cell, int32_t to)
{
    double d[FB_PAIRED_MAX];
    const size_t n = fb_group_logs(&run->group, cell, to, d, NULL);
    return fb_serial_interval(d, n, 0.95, to < 0 ? run->group.memory_ns : run->group.memory);
}

/* How far the first half of a run's processes and the second are apart in that: a factor less 1.
 * What a run does not repeat within itself it cannot tell from another run. NaN: one process. */
static double halves_of(const struct run *run, size_t cell, int32_t to)
{
    double d[FB_PAIRED_MAX];
    const size_t n = fb_group_logs(&run->group, cell, to, d, NULL), half = n / 2;
    const double first = fb_mean_of(d, half).mean, second = fb_mean_of(d + (n - half), half).mean;
    return expm1(fabs(second - first));
}

void fb_kernels_times(const json_t *document, json_t *rows)
{
    struct run run = run_of(document);
    FB_EACH(row, rows) {
        const json_t *to = json_object_get(row, "to");
        if (!to || !run.group.n_members)
            continue;
        const json_t *other = json_array_get(rows, (size_t)json_integer_value(to));
        const struct fb_paired d =
            side_of(&run, fb_json_uint(row, "cell"), (int32_t)fb_json_uint(other, "cell"));
        json_object_set_new(row, "times", json_real(exp(d.estimate)));
        if (d.bounded) {
            json_object_set_new(row, "times_low", json_real(exp(d.interval.low)));
            json_object_set_new(row, "times_high", json_real(exp(d.interval.high)));
        }
    }
    fb_group_close(&run.group);
}

/* ---- Two runs ---- */

static void set_ratio(json_t *row, const char *name, struct fb_paired base, struct fb_paired head)
{
    static const char *const few = "fewer than 6 processes in one of the runs";
    char interval[40];
    json_t *ends = NULL;
    double d = head.estimate - base.estimate;
    if (base.bounded && head.bounded) {
        double down = hypot(head.estimate - head.interval.low, base.interval.high - base.estimate);
        double up = hypot(head.interval.high - head.estimate, base.estimate - base.interval.low);
        ends = json_pack("{s:f, s:f}", "low", exp(d - down), "high", exp(d + up));
    }
    snprintf(interval, sizeof interval, "%s_ci95", name);
    json_object_set_new(row, name, json_real(exp(d)));
    fb_json_known(row, interval, ends, few);
}

/* Of cell at[0] of run[0] and cell at[1] of run[1]. */
static json_t *time_row(const struct run run[2], const size_t at[2], const char *against)
{
    static const char *const none[] = {"it is a yardstick",
                                       "it is of that design, which has no other"};
    const struct fb_paired base = side_of(&run[0], at[0], -1), head = side_of(&run[1], at[1], -1);
    const int32_t to[2] = {reference_of(&run[0], at[0], against),
                           reference_of(&run[1], at[1], against)};
    const bool has_references = to[0] >= 0 && to[1] >= 0;
    const char *id = fb_json_str(json_array_get(run[0].cells, at[0]), "id");
    json_t *row = json_pack("{s:s, s:f, s:f}", "cell", id, "base_ns", exp(base.estimate), "head_ns",
                            exp(head.estimate));
    set_ratio(row, "ratio", base, head);
    const double repeats[2] = {halves_of(&run[0], at[0], has_references ? to[0] : -1),
                               halves_of(&run[1], at[1], has_references ? to[1] : -1)};
    fb_json_real(row, "repeats_within", fmax(repeats[0], repeats[1]), "there is one process");
    if (has_references) {
        set_ratio(row, "relative", side_of(&run[0], at[0], to[0]), side_of(&run[1], at[1], to[1]));
    } else {
        fb_json_known(row, "relative", NULL, none[against != NULL]);
        fb_json_known(row, "relative_ci95", NULL, none[against != NULL]);
    }
    return row;
}

/* The names of both tunings; NULL where their entries are the same. */
static json_t *differing_tunings(const json_t *base, const json_t *head)
{
    const json_t *a = fb_json_at(base, "timing.tuning"), *b = fb_json_at(head, "timing.tuning");
    if (json_equal(json_object_get(a, "prefetch"), json_object_get(b, "prefetch")))
        return NULL;
    return json_pack("[s, s]", a ? fb_json_str(a, "name") : "not said",
                     b ? fb_json_str(b, "name") : "not said");
}

json_t *fb_compare_times(const json_t *base, const json_t *head, const char *against)
{
    json_t *rows = json_array();
    struct run run[2] = {run_of(base), run_of(head)};
    json_int_t faster = 0, slower = 0, compared = 0;
    size_t at[2];
    for (at[0] = 0; at[0] < run[0].group.n_members; at[0]++)
        for (at[1] = 0; at[1] < run[1].group.n_members; at[1]++) {
            if (strcmp(fb_json_str(json_array_get(run[0].cells, at[0]), "id"),
                       fb_json_str(json_array_get(run[1].cells, at[1]), "id")))
                continue;
            json_t *row = time_row(run, at, against);
            const json_t *interval = json_object_get(row, "relative_ci95");
            const bool moved =
                fabs(log(fb_json_num(row, "relative"))) > log1p(fb_json_num(row, "repeats_within"));
            slower += moved && fb_json_num(interval, "low") > 1;
            faster += moved && fb_json_num(interval, "high") < 1;
            compared += json_is_object(interval);
            json_array_append_new(rows, row);
        }
    for (int i = 0; i < 2; i++)
        fb_group_close(&run[i].group);
    json_t *times = json_pack("{s:b, s:I, s:I, s:I, s:o}", "advice", 1, "compared", compared,
                              "faster", faster, "slower", slower, "cells", rows);
    fb_json_known(times, "against", against ? json_string(against) : NULL, "yardsticks");
    fb_json_known(times, "tunings", differing_tunings(base, head), "they are equal");
    return times;
}

/* A number, or the ends of an interval; "" where there is none. */
static void show_if_any(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *value = fb_json_at(row, c->path);
    if (json_is_object(value))
        snprintf(out, FB_TABLE_CELL, "%.3f .. %.3f", fb_json_num(value, "low"),
                 fb_json_num(value, "high"));
    else if (json_is_number(value))
        snprintf(out, FB_TABLE_CELL, c->format, json_number_value(value));
}

/* "+-0.8 %" */
static void show_repeats(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *value = json_object_get(row, c->path);
    if (json_is_number(value))
        snprintf(out, FB_TABLE_CELL, "+-%.1f %%", 100 * json_number_value(value));
}

static void print_tunings(FILE *file, const json_t *tunings)
{
    if (json_array_size(tunings) == 2)
        fb_say(file, 8,
               "        not under one tuning: base %s, head %s. Batches looked ahead otherwise, "
               "and a\n"
               "        difference may be that\n",
               json_string_value(json_array_get(tunings, 0)),
               json_string_value(json_array_get(tunings, 1)));
}

void fb_print_times(FILE *file, const json_t *times, enum fb_table_style style)
{
    static const struct fb_column columns[] = {
        {"cell", "cell", .left = true},
        {"base ns", "base_ns", .format = "%.2f", .show = show_if_any, .left = true, .spare = 2},
        {"head ns", "head_ns", .format = "%.2f", .show = show_if_any, .left = true, .spare = 2},
        {"head/base", "ratio", .format = "%.3f", .show = show_if_any, .left = true, .spare = 4},
        {"95 %", "ratio_ci95", .show = show_if_any, .left = true, .spare = 5},
        {"relative", "relative", .format = "%.3f", .show = show_if_any, .left = true},
        {"95 % of it", "relative_ci95", .show = show_if_any, .left = true, .spare = 1},
        {"repeats", "repeats_within", .show = show_repeats, .left = true, .spare = 3},
        {0},
    };
    struct fb_table table = {.columns = columns};
    const char *against = fb_json_str(times, "against");
    const unsigned long long compared = fb_json_uint(times, "compared"),
                             slower = fb_json_uint(times, "slower"),
                             faster = fb_json_uint(times, "faster");
    fb_say(
        file, 8,
        "times   advice: stored times drift with the machine, and nothing is judged by them. Of "
        "%llu cells\n        %llu are slower and %llu faster relative to %s: beyond intervals of "
        "95 %% each, and\n        by more than the runs repeat themselves, the halves of either "
        "being apart by \"repeats\"\n",
        compared, slower, faster, *against ? against : "their yardsticks");
    print_tunings(file, json_object_get(times, "tunings"));
    FB_EACH(row, json_object_get(times, "cells"))
        fb_table_row(&table, "", row);
    fb_table_finish(&table, file, style);
}

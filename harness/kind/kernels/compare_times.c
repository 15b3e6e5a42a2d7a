#include "harness/kind/kernels/compare_times.h"

#include <math.h>
#include <string.h>

#include "harness/base/table.h"
#include "harness/document/compare.h"
#include "harness/document/fields.h"
#include "harness/document/result.h"
#include "harness/measure/group.h"
#include "harness/stats/serial.h"

bool fb_same_machine(const json_t *base, const json_t *head, struct fb_problem *why)
{
    static const char *const members[] = {"machine.arch", "machine.cpu_model", "machine.cores",
                                          "machine.isa", "machine.caches_bytes"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const json_t *ours = fb_json_at(base, members[i]), *theirs = fb_json_at(head, members[i]);
        char x[120], y[120];
        if (ours && json_equal(ours, theirs))
            continue;
        fb_fact_text(ours, x, sizeof x);
        fb_fact_text(theirs, y, sizeof y);
        return fb_refuse(why, "%s is %s in BASE and %s in HEAD", members[i], x, y);
    }
    return true;
}

/* ---- One run ---- */

/* The logarithm of a cell's time in each process: the median over its rounds. Returns the number of
 * processes; 0: the samples cannot be read. */
static size_t log_times(const json_t *cell, double out[FB_PAIRED_MAX])
{
    const json_t *time = json_object_get(cell, "time");
    const char *clock = json_string_value(json_object_get(time, "clock"));
    bool cpu = clock && !strcmp(clock, "thread_cpu");
    const json_t *processes = json_object_get(time, cpu ? "samples_cpu_ns" : "samples_ns");
    size_t n = json_array_size(processes);
    for (size_t p = 0; p < n; p++) {
        double rounds[FB_GROUP_ROUNDS];
        const json_t *given = json_array_get(processes, p);
        size_t n_rounds = json_array_size(given);
        if (n > FB_PAIRED_MAX || n_rounds < 1 || n_rounds > FB_GROUP_ROUNDS)
            return 0;
        for (size_t r = 0; r < n_rounds; r++) {
            double ns = json_number_value(json_array_get(given, r));
            if (!(ns > 0) || !isfinite(ns))
                return 0;
            rounds[r] = log(ns);
        }
        out[p] = fb_median(rounds, n_rounds);
    }
    return n;
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

/* The cell of `design` that is asked as this one is, of the same instruction set if there is one;
 * NULL: none, or the cell is of that design. */
static const json_t *find_like(const json_t *index, const json_t *cell, const char *design)
{
    const json_t *found = NULL;
    const char *id;
    json_t *other;
    if (!strcmp(fb_json_str(cell, "design"), design))
        return NULL;
    json_object_foreach((json_t *)index, id, other) {
        bool alike = !strcmp(fb_json_str(other, "design"), design) && asked_alike(cell, other);
        if (alike && json_equal(json_object_get(cell, "isa"), json_object_get(other, "isa")))
            return other;
        if (alike && !found)
            found = other;
    }
    return found;
}

/* Subtracts the log times of the yardstick or, where a design is named, of its like cell; false
 * where there is none. */
static bool take_reference(const json_t *index, const json_t *cell, const char *against, double *d,
                           size_t n)
{
    double reference[FB_PAIRED_MAX];
    const char *id = fb_json_str(cell, "time.ratio_to");
    const json_t *to = against ? find_like(index, cell, against) : json_object_get(index, id);
    if (log_times(to, reference) != n)
        return false;
    for (size_t p = 0; p < n; p++)
        d[p] -= reference[p];
    return true;
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

struct run {
    const json_t *index;      /* cells by id */
    double memory, memory_ns; /* of its noise; 0 where the document says nothing */
};

static json_t *time_row(const char *id, const json_t *const cells[2], const struct run run[2],
                        const char *against)
{
    static const char *const none[] = {"it is a yardstick",
                                       "it is of that design, which has no other"};
    double d[2][FB_PAIRED_MAX];
    size_t n[2];
    struct fb_paired side[2];
    bool relative = true;
    for (int i = 0; i < 2; i++) {
        n[i] = log_times(cells[i], d[i]);
        if (!n[i])
            return NULL;
        side[i] = fb_serial_interval(d[i], n[i], 0.95, run[i].memory_ns);
    }
    json_t *row = json_pack("{s:s, s:f, s:f}", "cell", id, "base_ns", exp(side[0].estimate),
                            "head_ns", exp(side[1].estimate));
    set_ratio(row, "ratio", side[0], side[1]);
    for (int i = 0; i < 2; i++)
        relative = relative && take_reference(run[i].index, cells[i], against, d[i], n[i]);
    if (relative) {
        for (int i = 0; i < 2; i++)
            side[i] = fb_serial_interval(d[i], n[i], 0.95, run[i].memory);
        set_ratio(row, "relative", side[0], side[1]);
    } else {
        fb_json_known(row, "relative", NULL, none[against != NULL]);
        fb_json_known(row, "relative_ci95", NULL, none[against != NULL]);
    }
    return row;
}

static double memory_at(const json_t *document, const char *path)
{
    return fmin(fmax(json_number_value(fb_json_at(document, path)), 0), FB_MEMORY_MOST);
}

static struct run run_of(const json_t *document)
{
    return (struct run){fb_result_by_id(document), memory_at(document, "timing.memory.ratio"),
                        memory_at(document, "timing.memory.time")};
}

json_t *fb_compare_times(const json_t *base, const json_t *head, const char *against)
{
    const char *id;
    json_t *cell, *rows = json_array();
    const struct run run[2] = {run_of(base), run_of(head)};
    json_int_t faster = 0, slower = 0, compared = 0;
    json_object_foreach((json_t *)run[0].index, id, cell) {
        const json_t *const cells[2] = {cell, json_object_get(run[1].index, id)};
        json_t *row = cells[1] ? time_row(id, cells, run, against) : NULL;
        if (!row)
            continue;
        const json_t *low = fb_json_at(row, "relative_ci95.low"),
                     *high = fb_json_at(row, "relative_ci95.high");
        slower += json_number_value(low) > 1;
        faster += high && json_number_value(high) < 1;
        compared += high != NULL;
        json_array_append_new(rows, row);
    }
    for (int i = 0; i < 2; i++)
        json_decref((json_t *)run[i].index);
    json_t *times = json_pack("{s:b, s:I, s:I, s:I, s:o}", "advice", 1, "compared", compared,
                              "faster", faster, "slower", slower, "cells", rows);
    fb_json_known(times, "against", against ? json_string(against) : NULL, "yardsticks");
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

void fb_print_times(FILE *file, const json_t *times)
{
    static const struct fb_column columns[] = {
        {"cell", "cell", .left = true},
        {"base ns", "base_ns", .format = "%.2f", .show = show_if_any, .left = true},
        {"head ns", "head_ns", .format = "%.2f", .show = show_if_any, .left = true},
        {"head/base", "ratio", .format = "%.3f", .show = show_if_any, .left = true},
        {"95 %", "ratio_ci95", .show = show_if_any, .left = true},
        {"relative", "relative", .format = "%.3f", .show = show_if_any, .left = true},
        {"95 % of it", "relative_ci95", .show = show_if_any, .left = true},
        {0},
    };
    struct fb_table table = {.columns = columns};
    const char *against = fb_json_str(times, "against");
    const unsigned long long compared = fb_json_uint(times, "compared"),
                             slower = fb_json_uint(times, "slower"),
                             faster = fb_json_uint(times, "faster");
    json_t *row;
    size_t i;
    fprintf(
        file,
        "\ntimes   advice: stored times drift with the machine. Relative to %s, %llu of %llu "
        "cells are slower,\n        %llu faster and %llu equal within intervals of 95 %% each\n",
        *against ? against : "their yardsticks", slower, compared, faster,
        compared - slower - faster);
    json_array_foreach(json_object_get(times, "cells"), i, row)
        fb_table_row(&table, "", row);
    fb_table_finish(&table, file, FB_TABLE_TEXT);
}

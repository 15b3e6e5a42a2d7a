#include "harness/compare_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/environment.h"
#include "harness/experiment_fields.h"
#include "harness/paired.h"
#include "harness/table.h"

bool fb_same_machine(const json_t *base, const json_t *head, struct fb_problem *why)
{
    static const char *const members[] = {"arch", "cpu_model", "cores", "isa", "caches_bytes"};
    const json_t *ours = json_object_get(base, "machine"),
                 *theirs = json_object_get(head, "machine");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const json_t *a = json_object_get(ours, members[i]),
                     *b = json_object_get(theirs, members[i]);
        char *x = json_dumps(a, JSON_ENCODE_ANY | JSON_COMPACT);
        char *y = json_dumps(b, JSON_ENCODE_ANY | JSON_COMPACT);
        bool same = a && json_equal(a, b);
        if (!same)
            fb_refuse(why, "machine.%s is %.120s in BASE and %.120s in HEAD", members[i],
                      x ? x : "unknown", y ? y : "unknown");
        free(x);
        free(y);
        if (!same)
            return false;
    }
    return true;
}

/* ---- One run ---- */

enum { MAX_ROUNDS = 1000 };

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
        double rounds[MAX_ROUNDS];
        const json_t *given = json_array_get(processes, p);
        size_t n_rounds = json_array_size(given);
        if (n > FB_PAIRED_MAX || n_rounds < 1 || n_rounds > MAX_ROUNDS)
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

/* Subtracts the yardstick's log times; false where the cell has none. */
static bool take_yardstick(const json_t *index, const json_t *cell, double *d, size_t n)
{
    double yardstick[FB_PAIRED_MAX];
    const char *id = json_string_value(json_object_get(json_object_get(cell, "time"), "ratio_to"));
    if (!id || log_times(json_object_get(index, id), yardstick) != n)
        return false;
    for (size_t p = 0; p < n; p++)
        d[p] -= yardstick[p];
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

static json_t *time_row(const char *id, const json_t *const cells[2], const json_t *const index[2])
{
    double d[2][FB_PAIRED_MAX];
    size_t n[2];
    struct fb_paired side[2];
    bool relative = true;
    for (int i = 0; i < 2; i++) {
        n[i] = log_times(cells[i], d[i]);
        if (!n[i])
            return NULL;
        side[i] = fb_hodges_lehmann(d[i], n[i], 0.95);
    }
    json_t *row = json_pack("{s:s, s:f, s:f}", "cell", id, "base_ns", exp(side[0].estimate),
                            "head_ns", exp(side[1].estimate));
    set_ratio(row, "ratio", side[0], side[1]);
    for (int i = 0; i < 2; i++)
        relative = relative && take_yardstick(index[i], cells[i], d[i], n[i]);
    if (relative) {
        for (int i = 0; i < 2; i++)
            side[i] = fb_hodges_lehmann(d[i], n[i], 0.95);
        set_ratio(row, "relative", side[0], side[1]);
    } else {
        fb_json_known(row, "relative", NULL, "it is a yardstick");
        fb_json_known(row, "relative_ci95", NULL, "it is a yardstick");
    }
    return row;
}

static json_t *index_cells(const json_t *document)
{
    json_t *index = json_object(), *cell;
    size_t i;
    json_array_foreach(json_object_get(document, "cells"), i, cell)
    {
        const char *id = json_string_value(json_object_get(cell, "id"));
        if (id)
            json_object_set(index, id, cell);
    }
    return index;
}

/* The interval that a row is judged by. */
static const json_t *deciding(const json_t *row)
{
    const json_t *relative = json_object_get(row, "relative_ci95");
    return json_is_object(relative) ? relative : json_object_get(row, "ratio_ci95");
}

json_t *fb_compare_times(const json_t *base, const json_t *head)
{
    const char *id;
    json_t *cell, *rows = json_array(), *ours = index_cells(base), *theirs = index_cells(head);
    json_int_t faster = 0, slower = 0;
    json_object_foreach(ours, id, cell)
    {
        const json_t *const cells[2] = {cell, json_object_get(theirs, id)};
        const json_t *const index[2] = {ours, theirs};
        json_t *row = cells[1] ? time_row(id, cells, index) : NULL;
        if (!row)
            continue;
        const json_t *ends = deciding(row), *low = json_object_get(ends, "low"),
                     *high = json_object_get(ends, "high");
        slower += low && json_number_value(low) > 1;
        faster += high && json_number_value(high) < 1;
        json_array_append_new(rows, row);
    }
    json_decref(ours);
    json_decref(theirs);
    return json_pack("{s:b, s:I, s:I, s:o}", "advice", 1, "faster", faster, "slower", slower,
                     "cells", rows);
}

static json_t *ends_text(const json_t *row, const char *name)
{
    const json_t *ends = json_object_get(row, name);
    if (!json_is_object(ends))
        return json_string("");
    return json_sprintf("%.3f .. %.3f", json_number_value(json_object_get(ends, "low")),
                        json_number_value(json_object_get(ends, "high")));
}

static json_t *number_text(const json_t *row, const char *name, int digits)
{
    const json_t *value = json_object_get(row, name);
    return json_is_number(value) ? json_sprintf("%.*f", digits, json_number_value(value))
                                 : json_string("");
}

void fb_print_times(FILE *file, const json_t *times)
{
    static const char *const columns[] = {"cell", "base_ns",      "head_ns",    "head/base",
                                          "95_%", "to_yardstick", "95_%_of_it", NULL};
    const json_t *cells = json_object_get(times, "cells");
    json_t *row, *shown = json_array();
    size_t i;
    json_array_foreach((json_t *)cells, i, row) json_array_append_new(
        shown,
        json_pack("{s:O, s:o, s:o, s:o, s:o, s:o, s:o}", "cell", json_object_get(row, "cell"),
                  "base_ns", number_text(row, "base_ns", 2), "head_ns",
                  number_text(row, "head_ns", 2), "head/base", number_text(row, "ratio", 3), "95_%",
                  ends_text(row, "ratio_ci95"), "to_yardstick", number_text(row, "relative", 3),
                  "95_%_of_it", ends_text(row, "relative_ci95")));
    fprintf(
        file,
        "\ntimes   advice: stored times drift with the machine. Against their yardsticks %lld of "
        "%zu cells\n        are slower and %lld faster, by intervals of 95 %% each\n",
        (long long)json_integer_value(json_object_get(times, "slower")), json_array_size(cells),
        (long long)json_integer_value(json_object_get(times, "faster")));
    fb_print_rows(file, shown, columns);
    json_decref(shown);
}

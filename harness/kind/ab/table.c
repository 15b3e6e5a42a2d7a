/* What an experiment of kind "ab" found, for people. */
#include <math.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/screen.h"
#include "harness/kind/ab/ab.h"

static void show_change(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    (void)c;
    snprintf(out, FB_TABLE_CELL, "%+.1f %%", 100 * (fb_json_num(row, "change.ratio") - 1));
}

static void show_interval(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *interval = fb_json_at(row, c->path);
    if (json_is_object(interval))
        snprintf(out, FB_TABLE_CELL, "%+.1f .. %+.1f %%", 100 * (fb_json_num(interval, "low") - 1),
                 100 * (fb_json_num(interval, "high") - 1));
}

/* "confirmed by 64", "~40 more processes (1 s)" */
static void show_remark(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *change = json_object_get(row, "change");
    const json_t *again = json_object_get(change, "again");
    const double more = fb_json_num(change, "more_processes");
    (void)c;
    if (json_is_object(again))
        snprintf(out, FB_TABLE_CELL, "%s by %llu fresh processes: %+.1f %%",
                 json_is_true(json_object_get(change, "confirmed")) ? "confirmed" : "not confirmed",
                 (unsigned long long)fb_json_uint(again, "processes"),
                 100 * (fb_json_num(again, "ratio") - 1));
    else if (!strcmp(fb_json_str(change, "verdict"), "inconclusive") && more > 0)
        snprintf(out, FB_TABLE_CELL, "~%.0f more processes (%.3g s)", more,
                 fb_json_num(change, "more_s"));
    else if (!strcmp(fb_json_str(change, "verdict"), "inconclusive"))
        snprintf(out, FB_TABLE_CELL, "as large as delta: more processes do not decide it");
    if (json_is_true(json_object_get(change, "advisory")))
        snprintf(out + strlen(out), FB_TABLE_CELL - strlen(out), "%sadvisory", *out ? "; " : "");
}

/* "3 %", or "3 to 4.2 %" where floors are above it. Returns the largest. */
static double say_delta(const json_t *document, char out[40])
{
    double low = INFINITY, high = 0;
    json_t *cell;
    size_t i;
    json_array_foreach(json_object_get(document, "cells"), i, cell) {
        const double delta = fb_json_num(cell, "change.delta");
        low = fmin(low, delta);
        high = fmax(high, delta);
    }
    if (low < high)
        snprintf(out, 40, "%.3g to %.3g %%", 100 * low, 100 * high);
    else
        snprintf(out, 40, "%.3g %%", 100 * high);
    return high;
}

static void print_verdict(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *verdict = json_object_get(document, "verdict"),
                 *profile = json_object_get(document, "calibration");
    const char *shift = fb_json_str(verdict, "uniform_shift");
    char machine[400] = "uncalibrated", delta[40];
    if (!json_is_object(verdict)) {
        fputs("\nnothing was timed\n", file);
        return;
    }
    const double largest = say_delta(document, delta);
    if (json_is_object(profile))
        fb_profile_say(profile, largest, machine, sizeof machine);
    fputc('\n', file);
    fb_say(file, 2, "machine: %s\n", machine);
    fb_result_say_tuning(file, document);
    fb_say(file, 2, "uniform shift: %s; delta %s, alpha %.3g %%\n", *shift ? shift : "no", delta,
           100 * fb_json_num(verdict, "alpha"));
    fb_say_verdict(
        file, 2, style != FB_TABLE_TEXT ? NULL : fb_json_str(verdict, "verdict"),
        "verdict: %s (%llu regressed, %llu improved, %llu unchanged, %llu inconclusive)\n",
        fb_json_str(verdict, "verdict"), (unsigned long long)fb_json_uint(verdict, "regressed"),
        (unsigned long long)fb_json_uint(verdict, "improved"),
        (unsigned long long)fb_json_uint(verdict, "unchanged"),
        (unsigned long long)fb_json_uint(verdict, "inconclusive"));
}

void fb_ab_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    static const struct fb_column columns[] = {
        {"cell", "id", .left = true},
        {"base ns", "base.median", .format = "%.3f", .spare = 1},
        {"head ns", "head.median", .format = "%.3f", .spare = 1},
        {"change", .show = show_change},
        {"interval", "change.interval", .show = show_interval},
        {"processes", "change.processes", .format = "%.0f", .spare = 2},
        {"verdict", "change.verdict", .left = true, .verdict = true},
        {"", .show = show_remark, .left = true, .wraps = true},
        {0}};
    struct fb_table table = {.columns = columns};
    const json_t *exact = json_object_get(document, "exact"), *row;
    size_t i;
    fb_say(file, 2, "exact facts: %llu cells of the designs equal, %llu differ, %zu new\n",
           (unsigned long long)fb_json_uint(exact, "equal"),
           (unsigned long long)fb_json_uint(exact, "differing"),
           json_array_size(json_object_get(exact, "new")));
    fputc('\n', file);
    json_array_foreach(json_object_get(document, "cells"), i, row)
        fb_table_row(&table, "", row);
    fb_table_finish(&table, file, style);
    print_verdict(file, document, style);
    fb_result_notes(file, document, FB_MOST_WARNINGS);
}

/* What an experiment of kind "ab" found, for people. */
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/screen.h"
#include "harness/kind/ab/ab.h"

static void show_change(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    snprintf(out, FB_TABLE_CELL, "%+.1f %%", 100 * (fb_json_num(row, c->path) - 1));
}

/* "+4.8 .. +5.3 %" */
static void show_range(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *range = fb_json_at(row, c->path);
    if (json_is_object(range))
        snprintf(out, FB_TABLE_CELL, "%+.1f .. %+.1f %%", 100 * (fb_json_num(range, "low") - 1),
                 100 * (fb_json_num(range, "high") - 1));
}

/* Something is to be said of it; the others are shown with --verbose and in other formats. */
static bool is_shown(const json_t *cell, enum fb_table_style style)
{
    return style != FB_TABLE_TEXT || fb_screen_is_verbose() ||
           strcmp(fb_json_str(cell, "change.verdict"), fb_slowdown_name(FB_NONE_SEEN)) != 0;
}

/* What the times were judged by. */
static void print_rule(FILE *file, const json_t *document)
{
    const json_t *verdict = json_object_get(document, "verdict"),
                 *profile = json_object_get(document, "calibration");
    char machine[400] = "uncalibrated";
    if (json_is_object(profile))
        fb_profile_say(profile, fb_json_num(verdict, "delta"), machine, sizeof machine);
    fb_say(file, 2, "machine: %s\n", machine);
    if (strcmp(fb_json_str(document, "timing.tuning.from"), "processor") != 0)
        fb_result_say_tuning(file, document);
    else
        fb_say_aside(file, 2, "tuning: that of each revision\n");
    fb_say(file, 2, "rule: delta %.3g %%, alpha %.3g %%\n", 100 * fb_json_num(verdict, "delta"),
           100 * fb_json_num(verdict, "alpha"));
}

void fb_ab_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    static const struct fb_column columns[] = {
        {"cell", "id", .left = true},
        {"base ns", "base.median", .format = "%.3f", .spare = 1},
        {"head ns", "head.median", .format = "%.3f", .spare = 1},
        {"change", "change.ratio", .show = show_change},
        {"interval", "change.interval", .show = show_range},
        {"middle 80 %", "change.spread", .show = show_range, .spare = 3},
        {"processes", "change.processes", .format = "%.0f", .spare = 2},
        {"verdict", "change.verdict", .left = true, .verdict = true},
        {0}};
    struct fb_table table = {.columns = columns};
    const json_t *exact = json_object_get(document, "exact"), *row;
    char count[64];
    size_t i, n = 0;
    fb_say(file, 2, "exact facts: %llu cells of the designs equal, %llu differ, %zu new\n",
           (unsigned long long)fb_json_uint(exact, "equal"),
           (unsigned long long)fb_json_uint(exact, "differing"),
           json_array_size(json_object_get(exact, "new")));
    json_array_foreach(json_object_get(document, "cells"), i, row) {
        if (!is_shown(row, style))
            continue;
        if (!n++)
            fputc('\n', file);
        fb_table_row(&table, "", row);
    }
    if (n)
        fb_table_finish(&table, file, style);
    if (i > n) /* in style FB_TABLE_TEXT without --verbose alone */
        fb_say(file, 2, "%s--verbose shows %s without a slowdown.\n", n ? "" : "\n",
               fb_card_count(i - n, n ? "more cells" : "cells", count));
    fputc('\n', file);
    if (json_is_object(json_object_get(document, "verdict")))
        print_rule(file, document);
    fb_result_notes(file, document);
}

/* What building filters costs, of a result of kind "lsm", as a table: a line for each tree and
 * filter. */
#include <math.h>

#include "harness/document/points.h"
#include "harness/kind/lsm/report/report.h"

/* ---- Columns, of cells ---- */

static void show_tree(const json_t *cell, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    snprintf(out, FB_TABLE_CELL, "%.12s %.0f %.20s", fb_json_str(cell, c->path),
             fb_json_num(cell, "n"), fb_json_str(cell, "keys"));
}

static void show_filter(const json_t *cell, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const double bits = fb_json_num(cell, "params.bits_per_key"),
                 rate = fb_json_num(cell, "params.fpr");
    const char *hash = fb_json_str(cell, "params.hash"),
               *prefix = fb_json_str(cell, "params.prefix");
    int used = snprintf(out, FB_TABLE_CELL, "%.40s%s%.20s", fb_json_str(cell, c->path),
                        *hash ? "+" : "", hash);
    if (isfinite(bits))
        used += snprintf(out + used, 32, " %.4g", bits);
    else if (isfinite(rate))
        used += snprintf(out + used, 32, " %.4g %%", 100 * rate);
    if (*prefix)
        snprintf(out + used, 40, " %s%.24s",
                 json_is_true(fb_json_at(cell, "params.whole_key")) ? "key+" : "", prefix);
}

/* "4.5-7", or one number where both are the same. */
static void show_bounds(const json_t *cell, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *bounds = fb_json_at(cell, c->path);
    const double low = fb_json_num(bounds, "low"), high = fb_json_num(bounds, "high");
    if (!(fabs(high - low) > 0.005 * high)) {
        fb_show_number(low, low < 1000 ? "%.3g" : "%.0f", out);
        return;
    }
    snprintf(out, FB_TABLE_CELL, low < 1000 && high < 1000 ? "%.3g-%.3g" : "%.0f-%.0f", low, high);
}

/* Per filter, over all levels. */
static void show_attempts(const json_t *cell, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double attempts = 0, filters = 0;
    size_t i;
    json_t *level;
    json_array_foreach(fb_json_at(cell, c->path), i, level) {
        attempts += fb_json_num(level, "attempts");
        filters += fb_json_num(level, "filters");
    }
    fb_show_number(attempts > filters ? attempts / filters : NAN, "%.3g", out);
}

/* The most of any level. */
static void show_temporary(const json_t *cell, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double most = 0;
    size_t i;
    json_t *level;
    json_array_foreach(fb_json_at(cell, c->path), i, level)
        most = fmax(most, fb_json_num(level, "temporary_bytes"));
    fb_show_number(most > 0 ? most * 1e-6 : NAN, most < 1e5 ? "%.2g" : "%.3g", out);
}

/* The time of a key's filter at the level where most keys are: the last one. */
static void show_each(const json_t *cell, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *levels = fb_json_at(cell, c->path);
    const json_t *last = json_array_get(levels, json_array_size(levels) - 1);
    const double ns = fb_json_num(last, "time.median");
    fb_show_number(ns, ns < 100 ? "%.1f" : "%.0f", out);
}

static const struct fb_column columns[] = {
    {"tree", "tree.style", .show = show_tree, .left = true},
    {"order", "tree.order", .left = true, .spare = 5, .spare_same = 9},
    {"filter", "design", .show = show_filter, .left = true},
    {"split", "params.allocation", .optional = true, .left = true, .spare_same = 6},
    {"rewrites", "building.rewrites", .show = show_bounds},
    {"written B", "building.filter_bytes", .show = show_bounds},
    {"hashed B", "building.hashed_bytes", .show = show_bounds, .optional = true, .spare = 3},
    {"attempts", "build.levels", .show = show_attempts, .optional = true, .spare = 4},
    {"beside MB", "build.levels", .show = show_temporary, .optional = true, .spare = 4},
    {"ns/key", "build.levels", .show = show_each, .optional = true, .spare = 2},
    {"CPU ns", "building.cpu_ns", .show = show_bounds, .optional = true},
    {0},
};

enum { HASHED = 6, ATTEMPTS, BESIDE, EACH, CPU }; /* places of columns */

static void explain(FILE *file, const bool shown[FB_TABLE_COLUMNS])
{
    struct fb_legend legend = {0};
    fb_legend_add(&legend, true,
                  "rewrites: how often compaction builds a key's filter on its way to the last "
                  "level, least and most");
    fb_legend_add(&legend, true, "written B: bytes of filters per key ingested");
    fb_legend_add(&legend, shown[HASHED], "hashed B: of keys");
    fb_legend_add(&legend, shown[ATTEMPTS], "attempts: per filter, where more than 1");
    fb_legend_add(&legend, shown[BESIDE], "beside MB: the most held by a build besides its filter");
    fb_legend_add(&legend, shown[EACH], "ns/key: of one build, last level");
    fb_legend_add(&legend, shown[CPU], "CPU ns: of all builds per key ingested");
    fb_legend_print(&legend, file);
}

/* ---- Lines ---- */

/* Cells that differ in queries and reading alone have the same filters, but for those split by what
 * is asked. */
static bool repeats(const json_t *cells, size_t at)
{
    static const char *const paths[] = {"tree",   "keys",        "n", "filter",
                                        "design", "params.hash", NULL};
    for (size_t i = 0; i < at; i++)
        if (fb_json_same(json_array_get(cells, i), json_array_get(cells, at), paths))
            return true;
    return false;
}

void fb_lsm_building_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    enum { MOST_LINES = 30 };
    const json_t *cells = json_object_get(document, "cells");
    bool shown[FB_TABLE_COLUMNS] = {false};
    struct fb_table table = {.columns = columns, .gap = 1, .shown = shown};
    size_t n = 0;
    fb_table_heading(&table, "what building filters costs a key from flush to last level");
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);
        if (!(fb_json_num(cell, "filter.bytes") > 0) ||
            fb_is_control(fb_json_str(cell, "design")) || repeats(cells, i))
            continue;
        if (n++ < MOST_LINES)
            fb_table_row(&table, "   ", cell);
    }
    if (!n) {
        json_decref(table.lines);
        return;
    }
    fb_table_finish(&table, file, style);
    if (n > MOST_LINES)
        fprintf(file, "%s%zu more lines: export --to csv\n",
                style == FB_TABLE_MARKDOWN ? "\n" : "     ", n - MOST_LINES);
    explain(file, shown);
    fputc('\n', file);
}

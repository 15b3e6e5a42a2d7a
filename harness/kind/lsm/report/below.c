/* Results of kind "lsm" below the ranking: the scans, a line for each tree, filter and prefix; and
 * what building filters costs, a line for each tree and filter. */
#include <math.h>
#include <string.h>

#include "harness/document/points.h"
#include "harness/kind/lsm/report/report.h"

/* ---- Lines ---- */

/* Whether a cell before has all of what a table shows. */
static bool repeats(const json_t *cells, size_t at, const char *const *paths)
{
    for (size_t i = 0; i < at; i++)
        if (fb_json_same(json_array_get(cells, i), json_array_get(cells, at), paths))
            return true;
    return false;
}

/* The first `most` rows, which are released. `all`: which export has all. */
static void print_lines(FILE *file, const char *heading, struct fb_table *table, json_t *rows,
                        size_t most, const char *all, enum fb_table_style style)
{
    const size_t n = json_array_size(rows);
    if (n && fb_table_further(style)) {
        fb_table_heading(table, heading);
        for (size_t i = 0; i < n && i < most; i++)
            fb_table_row(table, "   ", json_array_get(rows, i));
        fb_table_finish(table, file, style);
        if (n > most)
            fprintf(file, "%s%zu more lines: export --to %s\n",
                    style == FB_TABLE_MARKDOWN ? "\n" : "     ", n - most, all);
        fputc('\n', file);
    }
    json_decref(rows);
}

/* ---- Scans: columns, of rows {cell, rates} ---- */

static void show_tree(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    snprintf(out, FB_TABLE_CELL, "%.12s %.0f %.20s", fb_json_str(row, c->path),
             fb_json_num(row, "cell.n"), fb_json_str(row, "cell.keys"));
}

/* Behind the design of the filter. */
static void add_size(const json_t *row, char out[FB_TABLE_CELL])
{
    const double bits = fb_json_num(row, "cell.params.bits_per_key"),
                 rate = fb_json_num(row, "cell.params.fpr");
    if (isfinite(bits))
        snprintf(out + strlen(out), 32, " %.4g", bits);
    else if (isfinite(rate))
        snprintf(out + strlen(out), 32, " %.4g %%", 100 * rate);
}

static void show_filter(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    snprintf(out, FB_TABLE_CELL, "%.30s", fb_json_str(row, c->path));
    add_size(row, out);
}

static void show_held(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const char *prefix = fb_json_str(row, c->path);
    bool keys = json_is_true(fb_json_at(row, "cell.params.whole_key"));
    snprintf(out, FB_TABLE_CELL, "%s%.24s", !*prefix ? "key" : keys ? "key+" : "", prefix);
}

static void show_rate(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double x = fb_json_num(row, c->path) * (c->scale > 0 ? c->scale : 1);
    fb_show_number(x, fabs(x) < 10 ? "%.3f" : "%.2f", out);
}

static void show_error(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double low = fb_json_num(row, c->path), high = fb_json_num(row, "rates.reads_ci95.high");
    fb_show_number((high - low) / 2, high - low < 20 ? "%.3f" : "%.2f", out);
}

static const struct fb_column scan_columns[] = {
    {"tree", "cell.tree.style", .show = show_tree, .left = true},
    {"order", "cell.tree.order", .left = true, .spare = 5},
    {"absent", "cell.params.absent", "%.4g %%", .scale = 100, .spare = 5},
    {"filter", "cell.design", .show = show_filter, .left = true},
    {"keys/filter", "cell.per_filter.keys", .format = "%.0f", .spare = 6},
    {"holds", "cell.params.prefix", .show = show_held, .left = true},
    {"scan", "rates.prefix", .left = true},
    {"in range", "rates.files_in_range", .show = show_rate, .spare = 3},
    {"reads", "rates.reads", .show = show_rate},
    {"+-", "rates.reads_ci95.low", .show = show_error, .spare = 1},
    {"pruned %", "rates.runs_pruned", .scale = 100, .show = show_rate, .spare = 4},
    {"skipped %", "rates.skipped", .scale = 100, .show = show_rate, .spare = 2},
    {"in vain %", "rates.read_in_vain", .scale = 100, .show = show_rate, .spare = 4},
    {"unread %", "rates.unread", .scale = 100, .show = show_rate, .spare = 5},
    {0},
};

/* Scans do not go through the cache: cells that differ in it alone have the same. */
void fb_lsm_scan_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    static const char *const paths[] = {"scans", "tree", "keys", "n", "filter", "design", NULL};
    const json_t *cells = json_object_get(document, "cells");
    struct fb_table table = {.columns = scan_columns, .gap = 1};
    json_t *rows = json_array();
    char heading[100];
    snprintf(heading, sizeof heading, "scans of prefixes, %.0f each",
             fb_json_num(document, "experiment.scans"));
    FB_EACH_AT(i, cell, cells) {
        const json_t *rates = json_object_get(cell, "scan_rates");
        for (size_t s = 0; s < json_array_size(rates) && !repeats(cells, i, paths); s++)
            json_array_append_new(
                rows, json_pack("{s:O, s:O}", "cell", cell, "rates", json_array_get(rates, s)));
    }
    print_lines(file, heading, &table, rows, 60, "counts", style);
}

/* ---- What building filters costs: columns, of rows {cell} ---- */

static void show_built_filter(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const char *hash = fb_json_str(row, "cell.params.hash"),
               *prefix = fb_json_str(row, "cell.params.prefix");
    snprintf(out, FB_TABLE_CELL, "%.40s%s%.20s", fb_json_str(row, c->path), *hash ? "+" : "", hash);
    add_size(row, out);
    if (*prefix)
        snprintf(out + strlen(out), 40, " %s%.24s",
                 json_is_true(fb_json_at(row, "cell.params.whole_key")) ? "key+" : "", prefix);
}

/* "4.5-7", or one number where both are the same. */
static void show_bounds(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *bounds = fb_json_at(row, c->path);
    const double low = fb_json_num(bounds, "low"), high = fb_json_num(bounds, "high");
    if (!(fabs(high - low) > 0.005 * high)) {
        fb_show_number(low, low < 1000 ? "%.3g" : "%.0f", out);
        return;
    }
    snprintf(out, FB_TABLE_CELL, low < 1000 && high < 1000 ? "%.3g-%.3g" : "%.0f-%.0f", low, high);
}

/* Per filter, over all levels. */
static void show_attempts(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double attempts = 0, filters = 0;
    FB_EACH(level, fb_json_at(row, c->path)) {
        attempts += fb_json_num(level, "attempts");
        filters += fb_json_num(level, "filters");
    }
    fb_show_number(attempts > filters ? attempts / filters : NAN, "%.3g", out);
}

/* The most of any level. */
static void show_temporary(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double most = 0;
    FB_EACH(level, fb_json_at(row, c->path))
        most = fmax(most, fb_json_num(level, "temporary_bytes"));
    fb_show_number(most > 0 ? most * 1e-6 : NAN, most < 1e5 ? "%.2g" : "%.3g", out);
}

/* The time of a key's filter at the level where most keys are: the last one. */
static void show_each(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *levels = fb_json_at(row, c->path);
    const json_t *last = json_array_get(levels, json_array_size(levels) - 1);
    const double ns = fb_json_num(last, "time.median");
    fb_show_number(ns, ns < 100 ? "%.1f" : "%.0f", out);
}

static const struct fb_column build_columns[] = {
    {"tree", "cell.tree.style", .show = show_tree, .left = true},
    {"order", "cell.tree.order", .left = true, .spare = 5, .spare_same = 9},
    {"filter", "cell.design", .show = show_built_filter, .left = true},
    {"split", "cell.params.allocation", .optional = true, .left = true, .spare_same = 6},
    {"rewrites", "cell.building.rewrites", .show = show_bounds},
    {"written B", "cell.building.filter_bytes", .show = show_bounds},
    {"hashed B", "cell.building.hashed_bytes", .show = show_bounds, .optional = true, .spare = 3},
    {"attempts", "cell.build.levels", .member = "attempts", .show = show_attempts, .optional = true,
     .spare = 4},
    {"beside MB", "cell.build.levels", .member = "temporary_bytes", .show = show_temporary,
     .optional = true, .spare = 4},
    {"ns/key", "cell.build.levels", .member = "time.median", .show = show_each, .optional = true,
     .spare = 2},
    {"CPU ns", "cell.building.cpu_ns", .show = show_bounds, .optional = true},
    {0},
};

/* Cells that differ in queries and reading alone have the same filters, but for those split by what
 * is asked. */
void fb_lsm_building_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    static const char *const paths[] = {"tree",   "keys",        "n", "filter",
                                        "design", "params.hash", NULL};
    const json_t *cells = json_object_get(document, "cells");
    struct fb_table table = {.columns = build_columns, .gap = 1};
    json_t *rows = json_array();
    FB_EACH_AT(i, cell, cells) {
        if (fb_json_num(cell, "filter.bytes") > 0 && !fb_is_control(fb_json_str(cell, "design")) &&
            !repeats(cells, i, paths))
            json_array_append_new(rows, json_pack("{s:O}", "cell", cell));
    }
    print_lines(file, "what building filters costs a key from flush to last level", &table, rows,
                30, "csv", style);
}

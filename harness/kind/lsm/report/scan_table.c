/* The scans of a result of kind "lsm" as a table: a line for each tree, filter and prefix. */
#include <math.h>

#include "harness/base/screen.h"
#include "harness/kind/lsm/report/report.h"

/* ---- Columns, of rows {cell, rates} ---- */

static void show_tree(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    snprintf(out, FB_TABLE_CELL, "%.12s %.0f %.20s", fb_json_str(row, c->path),
             fb_json_num(row, "cell.n"), fb_json_str(row, "cell.keys"));
}

static void show_filter(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double bits = fb_json_num(row, "cell.params.bits_per_key"),
           rate = fb_json_num(row, "cell.params.fpr");
    int used = snprintf(out, FB_TABLE_CELL, "%.30s", fb_json_str(row, c->path));
    if (isfinite(bits))
        snprintf(out + used, 32, " %.4g", bits);
    else if (isfinite(rate))
        snprintf(out + used, 32, " %.4g %%", 100 * rate);
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

static const struct fb_column columns[] = {
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

enum { IN_RANGE = 7, PRUNED = 10, SKIPPED, IN_VAIN, UNREAD }; /* places of columns */

static void explain(FILE *file, const bool shown[FB_TABLE_COLUMNS])
{
    struct fb_legend legend = {0};
    fb_legend_add(&legend, true,
                  shown[IN_RANGE] ? "in range, reads: files per scan" : "reads: files per scan");
    fb_legend_add(&legend, shown[PRUNED], "pruned: runs left by key range");
    fb_legend_add(&legend, shown[SKIPPED],
                  "skipped: files in range that a filter kept from being read");
    fb_legend_add(&legend, shown[IN_VAIN], "in vain: read, of those in range without the prefix");
    fb_legend_add(&legend, shown[UNREAD], "unread: of all files");
    fb_legend_print(&legend, file);
}

/* ---- Lines ---- */

/* Scans do not go through the cache: cells that differ in it alone have the same. */
static bool repeats(const json_t *cells, size_t at)
{
    static const char *const paths[] = {"scans", "tree", "keys", "n", "filter", "design", NULL};
    for (size_t i = 0; i < at; i++)
        if (fb_json_same(json_array_get(cells, i), json_array_get(cells, at), paths))
            return true;
    return false;
}

void fb_lsm_scan_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    enum { MOST_LINES = 60 };
    const json_t *cells = json_object_get(document, "cells");
    bool shown[FB_TABLE_COLUMNS] = {false};
    struct fb_table table = {.columns = columns, .gap = 1, .shown = shown};
    char text[100];
    size_t n = 0;
    snprintf(text, sizeof text, "scans of prefixes, %.0f each",
             fb_json_num(document, "experiment.scans"));
    fb_table_heading(&table, text);
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i), *rates = json_object_get(cell, "scan_rates");
        for (size_t s = 0; s < json_array_size(rates) && !repeats(cells, i); s++) {
            json_t *row = json_pack("{s:O, s:O}", "cell", cell, "rates", json_array_get(rates, s));
            if (n++ < MOST_LINES)
                fb_table_row(&table, "   ", row);
            json_decref(row);
        }
    }
    if (!n) {
        json_decref(table.lines);
        return;
    }
    fb_table_finish(&table, file, style);
    if (n > MOST_LINES)
        fprintf(file, "%s%zu more lines: export --to counts\n",
                style == FB_TABLE_MARKDOWN ? "\n" : "     ", n - MOST_LINES);
    explain(file, shown);
    fputc('\n', file);
}

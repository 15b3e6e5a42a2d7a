/* An engine's Gets beside their prediction, as tables. */
#include <math.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/kind/engine/gets.h"

/* ---- Columns ---- */

/* "builtin", the engine's own filter, with its design. */
static void show_filter(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    (void)c;
    const char *filter = fb_json_str(row, "cell.filter");
    if (json_is_true(fb_json_at(row, "cell.own")))
        snprintf(out, FB_TABLE_CELL, "%s (%s)", filter, fb_json_str(row, "cell.design"));
    else
        snprintf(out, FB_TABLE_CELL, "%s", filter);
}

static void show_interval(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *interval = fb_json_at(row, c->path);
    if (json_is_object(interval))
        snprintf(out, FB_TABLE_CELL, "%.4g .. %.4g", c->scale * fb_json_num(interval, "low"),
                 c->scale * fb_json_num(interval, "high"));
    else
        snprintf(out, FB_TABLE_CELL, "-");
}

/* Bits of all filters, offsets left out, over the keys that they hold: blocks are of whole bytes or
 * lines, which is much where a filter has 30 keys. */
static void show_bits(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double entries = 0;
    size_t i;
    json_t *level;
    (void)c;
    json_array_foreach(fb_json_at(row, "cell.tree"), i, level)
        entries += fb_json_num(level, "entries");
    fb_show_number(8 * fb_json_num(row, "cell.filter_bytes") / entries, "%.2f", out);
}

static void show_bytes(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double bytes = 0;
    size_t i;
    json_t *level;
    (void)c;
    json_array_foreach(fb_json_at(row, "cell.tree"), i, level)
        bytes += fb_json_num(level, "filter_bytes");
    snprintf(out, FB_TABLE_CELL, "%.3f", bytes / 1e6);
}

/* A percentile of Gets, which stands in picoseconds. */
static void show_us(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    fb_show_number(fb_json_num(row, c->path) / 1e6, "%.2f", out);
}

static const struct fb_column gets[] = {
    {"filter", "", .show = show_filter, .left = true},
    {"bits", "", .show = show_bits},
    {"checks", "rates.observed.checks", .format = "%.4f"},
    {"predicted", "rates.predicted.checks", .format = "%.4f", .spare = 4},
    {"FPR %", "rates.observed.fpr", .format = "%.4g", .scale = 100},
    {"95 %", "rates.observed.fpr_interval", .show = show_interval, .scale = 100, .spare = 3},
    {"predicted", "rates.predicted.fpr", .format = "%.4g", .scale = 100},
    {"reads", "rates.observed.reads", .format = "%.5f"},
    {"95 %", "rates.observed.reads_interval", .show = show_interval, .scale = 1, .spare = 2},
    {"predicted", "rates.predicted.reads", .format = "%.5f"},
    {"", "rates.verdict", .left = true},
    {"one a table", "rates.by_table.reads", .format = "%.5f", .spare = 1, .optional = true},
    {0},
};

static const struct fb_column costs[] = {
    {"filter", "", .show = show_filter, .left = true},
    {"filters MB", "", .show = show_bytes},
    {"absent/s", "cell.rates.absent.gets_per_s", .format = "%.0f"},
    {"p50 us", "absent.percentiles.p50", .show = show_us},
    {"p99", "absent.percentiles.p99", .show = show_us},
    {"p99.9", "absent.percentiles.p99_9", .show = show_us, .spare = 2},
    {"present/s", "cell.rates.present.gets_per_s", .format = "%.0f"},
    {"p50 us", "present.percentiles.p50", .show = show_us},
    {"p99", "present.percentiles.p99", .show = show_us},
    {"p99.9", "present.percentiles.p99_9", .show = show_us, .spare = 2},
    {0},
};

/* ---- Rows ---- */

static json_t *row_of(const json_t *cell, const char *stream)
{
    const json_t *histograms = json_object_get(cell, "histograms");
    return json_pack("{s:O, s:O, s:O, s:O}", "cell", (json_t *)cell, "rates",
                     json_object_get(json_object_get(cell, "rates"), stream), "absent",
                     json_array_get(histograms, 0), "present", json_array_get(histograms, 1));
}

/* Rows of each size of filters under a heading of their own. */
static void add_rows(struct fb_table *table, const json_t *cells, const char *stream,
                     const char *what)
{
    double bits = NAN;
    size_t i;
    json_t *cell;
    json_array_foreach((json_t *)cells, i, cell) {
        char heading[160];
        if (fb_json_num(cell, "bits_per_key") != bits) {
            bits = fb_json_num(cell, "bits_per_key");
            snprintf(heading, sizeof heading, "%s, %.15g bits/key", what, bits);
            fb_table_heading(table, heading);
        }
        json_t *row = row_of(cell, stream);
        const bool off = !strcmp(fb_json_str(row, "rates.verdict"), "differs");
        fb_table_row(table, off ? "! " : "  ", row);
        json_decref(row);
    }
}

/* "level 0: 2 tables, level 1: 5, level 2: 9" */
static void print_tree(FILE *file, const json_t *cell)
{
    size_t i;
    json_t *level;
    json_array_foreach(json_object_get(cell, "tree"), i, level)
        fprintf(file, "%s level %.0f: %.0f tables, %.1f MB", i ? "," : "",
                fb_json_num(level, "level"), fb_json_num(level, "tables"),
                fb_json_num(level, "bytes") / 1e6);
    fputc('\n', file);
}

static bool same_tree(const json_t *a, const json_t *b)
{
    static const char *const members[] = {"level", "tables", "entries", NULL};
    const json_t *x = json_object_get(a, "tree"), *y = json_object_get(b, "tree");
    bool same = json_array_size(x) == json_array_size(y);
    for (size_t i = 0; same && i < json_array_size(x); i++)
        same = fb_json_same(json_array_get(x, i), json_array_get(y, i), members);
    return same;
}

static void print_trees(FILE *file, const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells"), *last = NULL;
    size_t i;
    json_t *cell;
    fprintf(file, "%s %s: %.0f keys (%s), values of %.0f bytes\n",
            fb_json_str(document, "engine.name"), fb_json_str(document, "engine.version"),
            fb_json_num(document, "engine.n"), fb_json_str(document, "experiment.keys"),
            fb_json_num(document, "experiment.value_bytes"));
    json_array_foreach((json_t *)cells, i, cell) {
        if (last && same_tree(last, cell))
            continue;
        fprintf(file, "tree of %s:", fb_json_str(cell, "id"));
        print_tree(file, cell);
        last = cell;
    }
}

/* ---- The order of the filters ---- */

/* The cells of a size by reads per absent Get: "a < b = c". */
static void print_order(FILE *file, const json_t *cells, double bits, const char *by)
{
    char path[32];
    snprintf(path, sizeof path, "rank.%s", by);
    const size_t n = json_array_size(cells);
    fprintf(file, "%s:", by);
    size_t said = 0;
    for (json_int_t rank = 1; rank <= (json_int_t)n; rank++)
        for (size_t i = 0; i < n; i++) {
            const json_t *cell = json_array_get(cells, i);
            if (fb_json_num(cell, "bits_per_key") != bits ||
                fb_json_num(cell, path) != (double)rank)
                continue;
            static json_int_t last;
            fprintf(file, "%s%s",
                    !said          ? " "
                    : last == rank ? " = "
                                   : " < ",
                    fb_json_str(cell, "filter"));
            last = rank;
            said++;
        }
    fputc('\n', file);
}

static void print_orders(FILE *file, const json_t *cells)
{
    double bits = NAN;
    size_t i;
    json_t *cell;
    json_array_foreach((json_t *)cells, i, cell) {
        if (fb_json_num(cell, "bits_per_key") == bits)
            continue;
        bits = fb_json_num(cell, "bits_per_key");
        fprintf(file, "data blocks read per absent Get, %.15g bits/key\n  ", bits);
        print_order(file, cells, bits, "observed");
        fputs("  ", file);
        print_order(file, cells, bits, "predicted");
    }
}

void fb_gets_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *cells = json_object_get(document, "cells");
    struct fb_table table = {.columns = gets}, times = {.columns = costs};
    print_trees(file, document);
    fputc('\n', file);
    add_rows(&table, cells, "absent", "Gets of absent keys");
    add_rows(&table, cells, "present", "Gets of present keys");
    fb_table_finish(&table, file, style);
    fputc('\n', file);
    add_rows(&times, cells, "absent", "times, from the page cache");
    fb_table_finish(&times, file, style);
    fputc('\n', file);
    print_orders(file, cells);
    fputc('\n', file);
    fb_say(
        file, 0,
        "checks: filters asked, per Get; FPR: of those asked for a key that their table does "
        "not have, the share that said maybe; reads: data blocks read from files, per Get. "
        "equal: every Get read as many data blocks as predicted; within: the prediction lies in "
        "the intervals; ! differs: it does not. bits: of filters, for each key. one a table: reads "
        "as predicted if a table had one filter of all its keys.\n");
    const json_t *first = json_array_get(cells, 0);
    fb_say(file, 0, "settings of %s: %s\n", fb_json_str(first, "id"),
           fb_json_str(first, "settings"));
    fb_result_notes(file, document, FB_MOST_WARNINGS);
}

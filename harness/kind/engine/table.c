/* An engine's Gets beside their prediction, as tables. */
#include <math.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/kind/engine/gets.h"

/* ---- Columns ---- */

/* Where its filters are and how it reads, unless as usual. */
static const char *way_of(const json_t *cell)
{
    static _Thread_local char way[40];
    const char *residency = fb_json_str(cell, "residency"), *reads = fb_json_str(cell, "reads");
    const bool pinned = !*residency || !strcmp(residency, "pinned");
    const bool usual = !*reads || !strcmp(reads, "page-cache");
    snprintf(way, sizeof way, "%s%.12s%s%.12s", pinned ? "" : ", ", pinned ? "" : residency,
             usual ? "" : ", ", usual ? "" : reads);
    return way;
}

/* "builtin", the engine's own filter, with its design. */
static void show_filter(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    (void)c;
    const char *filter = fb_json_str(row, "cell.filter");
    if (json_is_true(fb_json_at(row, "cell.own")))
        snprintf(out, FB_TABLE_CELL, "%.40s (%.40s)%s", filter, fb_json_str(row, "cell.design"),
                 way_of(json_object_get(row, "cell")));
    else
        snprintf(out, FB_TABLE_CELL, "%.60s%s", filter, way_of(json_object_get(row, "cell")));
}

/* Of all levels of the row's tree together. */
static double sum_of(const json_t *row, const char *member)
{
    double sum = 0;
    FB_EACH(level, fb_json_at(row, "cell.tree"))
        sum += fb_json_num(level, member);
    return sum;
}

/* Bits of all filters, offsets left out, over the keys that they hold: blocks are of whole bytes or
 * lines, which is much where a filter has 30 keys. */
static void show_bits(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    (void)c;
    fb_show_number(8 * fb_json_num(row, "cell.filter_bytes") / sum_of(row, "entries"), "%.2f", out);
}

static void show_bytes(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    (void)c;
    snprintf(out, FB_TABLE_CELL, "%.3f", sum_of(row, "filter_bytes") / 1e6);
}

static const struct fb_column gets[] = {
    {"filter", .member = "filter", .show = show_filter, .left = true},
    {"bits", .show = show_bits, .spare = 1},
    {"checks", "rates.observed.checks", .format = "%.4f", .spare = 5},
    {"predicted", "rates.predicted.checks", .format = "%.4f", .spare = 7},
    {"FPR %", "rates.observed.fpr", .format = "%.4g", .scale = 100},
    {"95 %", "rates.observed.fpr_interval", .show = fb_show_interval, .scale = 100, .spare = 6},
    {"predicted", "rates.predicted.fpr", .format = "%.4g", .scale = 100, .spare = 4},
    {"reads", "rates.observed.reads", .format = "%.5f"},
    {"95 %", "rates.observed.reads_interval", .show = fb_show_interval, .scale = 1, .spare = 3},
    {"predicted", "rates.predicted.reads", .format = "%.5f"},
    {"", "rates.verdict", .left = true, .verdict = true},
    {"one a table", "rates.by_table.reads", .format = "%.5f", .spare = 2, .optional = true},
    {0},
};

/* Percentiles of Gets stand in picoseconds. */
static const struct fb_column costs[] = {
    {"filter", .member = "filter", .show = show_filter, .left = true},
    {"filters MB", .member = "tree.filter_bytes", .show = show_bytes, .spare = 1},
    {"absent us", "cell.rates.absent.ns.value", .format = "%.3f", .scale = 1e-3},
    {"95 %", "cell.rates.absent.ns", .show = fb_show_interval, .scale = 1e-3, .spare = 4},
    {"foretold", "cell.foretold.absent.value", .format = "%.3f", .scale = 1e-3, .optional = true},
    {"95 %", "cell.foretold.absent", .show = fb_show_interval, .scale = 1e-3, .spare = 5,
     .optional = true},
    {"p50", "absent.percentiles.p50", .format = "%.2f", .scale = 1e-6, .spare = 3},
    {"p99", "absent.percentiles.p99", .format = "%.2f", .scale = 1e-6, .spare = 1},
    {"foretold", "cell.foretold.absent.p99", .format = "%.2f", .scale = 1e-6, .optional = true},
    {"p99.9", "absent.percentiles.p99_9", .format = "%.2f", .scale = 1e-6, .spare = 2},
    {"present us", "cell.rates.present.ns.value", .format = "%.3f", .scale = 1e-3},
    {"95 %", "cell.rates.present.ns", .show = fb_show_interval, .scale = 1e-3, .spare = 4},
    {"foretold", "cell.foretold.present.value", .format = "%.3f", .scale = 1e-3, .optional = true},
    {"95 %", "cell.foretold.present", .show = fb_show_interval, .scale = 1e-3, .spare = 5,
     .optional = true},
    {"p50", "present.percentiles.p50", .format = "%.2f", .scale = 1e-6, .spare = 3},
    {"p99", "present.percentiles.p99", .format = "%.2f", .scale = 1e-6, .spare = 1},
    {"foretold", "cell.foretold.present.p99", .format = "%.2f", .scale = 1e-6, .optional = true},
    {"p99.9", "present.percentiles.p99_9", .format = "%.2f", .scale = 1e-6, .spare = 2},
    {"mixed us", "cell.rates.mixed.ns.value", .format = "%.3f", .scale = 1e-3, .spare = 2,
     .optional = true},
    {"foretold", "cell.foretold.mixed.value", .format = "%.3f", .scale = 1e-3, .optional = true,
     .spare = 2},
    {0},
};

/* What a Get costs, by the groups of it. */
static const struct fb_column parts[] = {
    {"filter", .member = "filter", .show = show_filter, .left = true},
    {"base us", "cell.costs.base.value", .format = "%.3f", .scale = 1e-3, .spare = 3},
    {"check us", "cell.costs.check.value", .format = "%.3f", .scale = 1e-3},
    {"95 %", "cell.costs.check", .show = fb_show_interval, .scale = 1e-3, .spare = 1},
    {"cold +us", "cell.costs.cold_check.value", .format = "%.3f", .scale = 1e-3, .spare = 1,
     .optional = true},
    {"read us", "cell.costs.read.value", .format = "%.3f", .scale = 1e-3},
    {"95 %", "cell.costs.read", .show = fb_show_interval, .scale = 1e-3},
    {"cold +us", "cell.costs.cold_read.value", .format = "%.3f", .scale = 1e-3, .spare = 1,
     .optional = true},
    {"found us", "cell.costs.found.value", .format = "%.3f", .scale = 1e-3, .spare = 3},
    {"95 %", "cell.costs.found", .show = fb_show_interval, .scale = 1e-3, .spare = 2},
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

/* Rows of each size of filters under a heading of their own; main_bits: of the main table. */
static void add_rows(struct fb_table *table, const json_t *cells, const char *stream,
                     const char *what, double main_bits, enum fb_table_style style)
{
    double bits = NAN;
    bool shown = true;
    FB_EACH(cell, cells) {
        char heading[160];
        if (fb_json_num(cell, "bits_per_key") != bits) {
            bits = fb_json_num(cell, "bits_per_key");
            snprintf(heading, sizeof heading, "%s, %.15g bits/key", what, bits);
            shown = bits == main_bits || fb_table_further(style);
            if (shown)
                fb_table_heading(table, heading);
        }
        if (!shown)
            continue;
        json_auto_t *row = row_of(cell, stream);
        const bool off = !strcmp(fb_json_str(row, "rates.verdict"), "differs");
        fb_table_row(table, off ? "! " : "  ", row);
    }
}

enum { LINE = 4000 };

/* "tree of builtin/bpk=10: level 0: 2 tables, 1.3 MB, level 1: 5 tables, 9.8 MB" */
static void print_tree(FILE *file, const json_t *cell)
{
    char line[LINE] = "";
    FB_EACH_AT(i, level, json_object_get(cell, "tree"))
        fb_append(line, sizeof line, "%s level %.0f: %.0f tables, %.1f MB", i ? "," : "",
                  fb_json_num(level, "level"), fb_json_num(level, "tables"),
                  fb_json_num(level, "bytes") / 1e6);
    fb_say(file, 0, "tree of %s:%s\n", fb_json_str(cell, "id"), line);
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

static void print_trees(FILE *file, const json_t *document, bool all)
{
    const json_t *cells = json_object_get(document, "cells"), *last = NULL;
    fprintf(file, "%s %s: %.0f keys (%s), values of %.0f bytes\n",
            fb_json_str(document, "engine.name"), fb_json_str(document, "engine.version"),
            fb_json_num(document, "engine.n"), fb_json_str(document, "experiment.keys"),
            fb_json_num(document, "experiment.value_bytes"));
    FB_EACH(cell, cells) {
        if (!all || (last && same_tree(last, cell)))
            continue;
        print_tree(file, cell);
        last = cell;
    }
}

/* Reads per Get while LevelDB moves tables, between those of the two trees. */
static void print_seeks(FILE *file, const json_t *cells)
{
    FB_EACH(cell, cells) {
        const json_t *seeks = json_object_get(cell, "seeks"),
                     *windows = json_object_get(seeks, "windows");
        char line[LINE] = "";
        size_t between = 0;
        if (!seeks)
            continue;
        FB_EACH(window, windows) {
            const double reads = fb_json_num(window, "reads");
            between +=
                reads >= fb_json_num(window, "flat") && reads <= fb_json_num(window, "loaded");
            fb_append(line, sizeof line, " %.4f", reads / fb_json_num(window, "gets"));
        }
        fb_say(
            file, 0,
            "seeks of %s: reads per absent Get as loaded %.4f, flat %.4f, flat after %.0f Gets or "
            "more; of each %.0f Gets:%s; %zu of %zu are between what the same keys read "
            "as loaded and flat\n",
            fb_json_str(cell, "id"), fb_json_num(cell, "rates.absent.predicted.reads"),
            fb_json_num(seeks, "flat_reads") / fb_json_num(cell, "predicted.absent.gets"),
            fb_json_num(seeks, "flat_after"), fb_json_num(json_array_get(windows, 0), "gets"), line,
            between, json_array_size(windows));
    }
}

static void print_further(FILE *file, struct fb_table *table, enum fb_table_style style)
{
    if (!table->lines)
        return;
    fb_table_finish(table, file, style);
    fputc('\n', file);
}

void fb_gets_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *cells = json_object_get(document, "cells");
    const bool all = style != FB_TABLE_TEXT || fb_screen_is_verbose();
    const double bits = fb_json_num(fb_versus_spoken(document), "bits_per_key");
    struct fb_table table = {.columns = gets}, times = {.columns = costs},
                    costs_of = {.columns = parts};
    print_trees(file, document, all);
    fputc('\n', file);
    add_rows(&table, cells, "absent", "Gets of absent keys", bits, style);
    add_rows(&table, cells, "present", "Gets of present keys", NAN, style);
    fb_table_finish(&table, file, style);
    fputc('\n', file);
    add_rows(&times, cells, "absent", "times", NAN, style);
    print_further(file, &times, style);
    if (json_is_object(json_object_get(json_array_get(cells, 0), "costs")))
        add_rows(&costs_of, cells, "absent", "what a Get costs", NAN, style);
    print_further(file, &costs_of, style);
    if (all)
        print_seeks(file, cells);
    fb_say_aside(
        file, 2,
        "reads: data blocks per Get. within: the intervals contain the prediction. differs, "
        "with !: they do not.\n");
    const json_t *first = json_array_get(cells, 0);
    if (all)
        fb_say(file, 0, "settings of %s: %s\n", fb_json_str(first, "id"),
               fb_json_str(first, "settings"));
    fb_result_notes(file, document);
}

/* The columns of a table of filters in a tree, and how a value is shown in each. */
#include "harness/kind/lsm/report/report.h"

#include <math.h>
#include <string.h>

#include "harness/base/json.h"

static void show_design(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const char *hash = fb_json_str(row, "cell.params.hash");
    snprintf(out, FB_TABLE_CELL, "%.40s%s%.20s", fb_json_str(row, c->path), *hash ? "+" : "", hash);
}

static void show_prefix(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const char *text = fb_json_str(row, c->path);
    bool whole = json_is_true(fb_json_at(row, "cell.params.whole_key"));
    snprintf(out, FB_TABLE_CELL, "%s%.30s", !*text ? "-" : whole ? "key+" : "", text);
}

static void show_size(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double bits = fb_json_num(row, c->path), rate = fb_json_num(row, "cell.params.fpr");
    bool by_level = *fb_json_str(row, "cell.params.allocation_reason") == 'g';
    bool own = *fb_json_str(row, "cell.params.bits_per_key_reason") == 'i';
    if (isfinite(bits) || isfinite(rate))
        fb_show_number(isfinite(bits) ? bits : 100 * rate, isfinite(bits) ? "%.4g" : "%.4g %%",
                       out);
    else
        strcpy(out, by_level ? "by level" : own ? "own" : "-");
}

/* Where it is not what was asked for. */
static void show_delivered(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double asked = fb_json_num(row, "cell.params.bits_per_key"), bits = fb_json_num(row, c->path);
    bool sized = isfinite(asked) || isfinite(fb_json_num(row, "cell.params.fpr")) ||
                 *fb_json_str(row, "cell.params.bits_per_key_reason") == 'i';
    bool same = fabs(bits - asked) <= 0.005 * asked;
    fb_show_number(sized && !same ? bits : NAN, "%.4g", out);
}

static const char *figure(double us)
{
    return us >= 1000 ? "%.0f" : us >= 100 ? "%.1f" : us >= 10 ? "%.2f" : "%.3f";
}

static void show_cost(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double us = fb_json_num(row, c->path) / 1000;
    fb_show_number(us, figure(us), out);
}

/* Half of the interval. */
static void show_error(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double half = (fb_json_num(row, "high") - fb_json_num(row, "low")) / 2000;
    fb_show_number(half, half > 0 ? figure(fb_json_num(row, c->path) / 1000) : "-", out);
}

static void show_cpu(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double ns = fb_json_num(row, c->path);
    fb_show_number(ns, ns < 100 ? "%.1f" : "%.0f", out);
}

static void show_reads(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double x = fb_json_num(row, c->path);
    fb_show_number(x, x == 0 ? "0" : x < 0.001 ? "%.2g" : x < 10 ? "%.4f" : "%.2f", out);
}

static void show_memory(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double mb = fb_json_num(row, c->path) * 1e-6;
    fb_show_number(mb, mb >= 100 ? "%.0f" : mb >= 1 ? "%.2f" : "%.4f", out);
}

/* Of the memory that the even split takes. */
static void show_share(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double even = fb_json_num(row, "uniform.filter.bytes");
    bool split = even > 0 && json_object_get(row, "uniform") != json_object_get(row, "cell");
    fb_show_number(split ? 100 * fb_json_num(row, c->path) / even : NAN, "%.1f %%", out);
}

/* Of a filter that is left out of the ranking. */
static void show_rate(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const bool out_of_it = json_is_false(fb_json_at(row, "cell.per_filter.ranked"));
    double x = out_of_it ? 100 * fb_json_num(row, c->path) : NAN;
    fb_show_number(x, "%.3g", out);
}

/* Places of columns. */
enum { DESIGN = 1, PREFIX, BITS, SPLIT = 5, LOOKUP };

#define READS(title, cause, may_miss, spared)                                                      \
    {                                                                                              \
        title, "cell.reads.by_cause." cause, .show = show_reads, .optional = (may_miss),           \
                                             .spare = (spared)                                     \
    }
const struct fb_column fb_lsm_columns[] = {
    {"#", "number", "%.0f", .width = 3},
    {"design", "cell.design", .show = show_design, .left = true},
    {"prefix", "cell.params.prefix", .show = show_prefix, .optional = true, .left = true},
    {"bits", "cell.params.bits_per_key", .show = show_size, .optional = true},
    {"got", "cell.memory.bits_per_key", .show = show_delivered, .optional = true, .spare = 6},
    {"split", "cell.params.allocation", .optional = true, .left = true, .spare_same = 6},
    {"lookup", "lookup.lookup", .optional = true, .left = true, .spare_same = 6},
    {"keys/filter", "cell.per_filter.keys", .format = "%.0f", .spare = 8},
    {"rate %", "cell.per_filter.rate", .show = show_rate, .optional = true, .spare = 3},
    {"at scale 1 %", "cell.per_filter.unscaled_rate", .show = show_rate, .optional = true,
     .spare = 3},
    {"us/query", "cost", .member = "costs.cost_ns", .show = show_cost, .best = FB_LEAST},
    {"+-", "cost", .member = "costs.low", .show = show_error, .optional = true, .spare = 2},
    {"CPU ns", "lookup.time.median", .show = show_cpu, .optional = true, .spare = 4},
    {"ratio", "lookup.time.ratio", "%.2f", .optional = true, .spare = 7},
    READS("found", "found", true, 5),
    READS("false", "false", false, 3),
    READS("deleted", "tombstone", true, 5),
    READS("index", "index", true, 5),
    READS("filter", "filter", true, 5),
    {"MB", "cell.filter.bytes", .show = show_memory, .spare = 1},
    {"of uniform", "cell.filter.bytes", .show = show_share, .optional = true, .spare = 6},
    {"bound by", "lookup.bound", .optional = true, .left = true, .spare = 9},
    {0},
};

bool fb_lsm_is_ranked(const struct fb_lsm_row *r)
{
    return !json_is_false(fb_json_at(r->cell, "per_filter.ranked"));
}

json_t *fb_lsm_row_json(const struct fb_lsm_row *r, size_t number)
{
    json_t *row =
        json_pack("{s:O, s:O*, s:O*}", "cell", r->cell, "lookup", r->lookup, "uniform", r->uniform);
    json_object_set_new(row, "number", fb_json_number(fb_lsm_is_ranked(r) ? (double)number : NAN));
    json_object_set_new(row, "cost", fb_json_number(r->cost));
    json_object_set_new(row, "low", fb_json_number(r->low));
    json_object_set_new(row, "high", fb_json_number(r->high));
    return row;
}

void fb_lsm_name_row(const struct fb_lsm_row *r, char out[FB_LSM_ROW_NAME])
{
    static const int named[] = {DESIGN, BITS, SPLIT, PREFIX, LOOKUP};
    json_auto_t *row = fb_lsm_row_json(r, 0);
    *out = '\0';
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const struct fb_column *c = &fb_lsm_columns[named[i]];
        char text[FB_TABLE_CELL];
        (c->show ? c->show : fb_show_member)(row, c, text);
        if (strcmp(text, "-") != 0)
            fb_append(out, FB_LSM_ROW_NAME, "%s%s", i ? " " : "", text);
    }
}

/* ---- Rows of CSV: one for each lookup of each cell ---- */

/* A list whose members each have a prefix, as an object that has them by prefix. */
static json_t *by_prefix(const json_t *list)
{
    json_t *object = json_object();
    FB_EACH(each, list) {
        json_t *rest = json_copy(each);
        json_object_del(rest, "prefix");
        json_object_set_new(object, fb_json_str(each, "prefix"), rest);
    }
    return object;
}

/* A cell with the members of its lookup, but for the lookup's id; without one a cell alone. */
static json_t *csv_row(json_t *cell, json_t *lookup)
{
    static const char *const lists[] = {"scans", "scan_rates"};
    json_t *row = json_copy(cell);
    json_object_update(row, lookup);
    json_object_set(row, "id", json_object_get(cell, "id"));
    for (size_t i = 0; i < 2; i++)
        json_object_set_new(row, lists[i], by_prefix(json_object_get(cell, lists[i])));
    return row;
}

json_t *fb_lsm_rows(const json_t *document)
{
    json_t *rows = json_array();
    FB_EACH(cell, json_object_get(document, "cells")) {
        const json_t *lookups = json_object_get(cell, "lookups");
        size_t n = json_array_size(lookups);
        for (size_t l = 0; l < (n ? n : 1); l++)
            json_array_append_new(rows, csv_row(cell, json_array_get(lookups, l)));
    }
    return rows;
}

/* Rates as tables. */
#include <math.h>
#include <string.h>

#include "harness/kind/fpr/rates.h"

enum { MANY_N = 12 };

/* ---- The columns for reading ---- */

static void show_design(const json_t *cell, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    snprintf(out, FB_TABLE_CELL, "%s%s", fb_json_str(cell, c->path),
             json_is_true(fb_json_at(cell, "derived")) ? " *" : "");
}

/* Over filters where that can be had; a bound where events are few. */
static void show_interval(const json_t *cell, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double upper = fb_json_num(cell, "fpr.upper95");
    const json_t *t = fb_json_at(cell, "fpr.t95"), *wilson = fb_json_at(cell, "fpr.wilson95");
    const json_t *interval = json_is_object(t) ? t : wilson;
    if (isfinite(upper))
        snprintf(out, FB_TABLE_CELL, "<= %.4g", c->scale * upper);
    else
        snprintf(out, FB_TABLE_CELL, "%.4g .. %.4g", c->scale * fb_json_num(interval, "low"),
                 c->scale * fb_json_num(interval, "high"));
}

static void show_theory(const json_t *cell, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    bool simulated = !strcmp(fb_json_str(cell, "fpr.model.kind"), "simulated");
    fb_show_number(c->scale * fb_json_num(cell, c->path), simulated ? "~%.4g" : "%.4g", out);
}

static void show_z(const json_t *cell, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double z = fb_json_num(cell, c->path);
    fb_show_number(z, fabs(z) > 4 ? "! %+.1f" : fabs(z) < 0.05 ? "0.0" : "%+.1f", out);
}

static const struct fb_column columns[] = {
    {"design", "design", .show = show_design, .left = true},
    {"bits/key", "fpr.bits_per_key", .format = "%.3f"},
    {"k", "geometry.probes", .format = "%.0f"},
    {"FPR %", "fpr.estimate", .format = "%.4g", .scale = 100},
    {"95 %", .show = show_interval, .scale = 100},
    {"theory %", "fpr.model.value", .show = show_theory, .scale = 100},
    {"ratio", "fpr.ratio", .format = "%.4f"},
    {"z", "fpr.z", .show = show_z},
    {"worst %", "fpr.worst", .format = "%.4g", .scale = 100},
    {"wasted %", "fpr.wasted", .format = "%.1f", .scale = 100},
    {0},
};

/* ---- Groups: what is compared side by side ---- */

/* "10 bits/key, n = 10000, random keys"; controls have no size and belong to the group around. */
static void group_name(const json_t *cell, char *out, size_t size)
{
    double bits = fb_json_num(cell, "params.bits_per_key"), fpr = fb_json_num(cell, "params.fpr");
    double factor = fb_json_num(cell, "params.capacity_factor");
    char asked[48] = "", capacity[64] = "";
    if (isfinite(bits))
        snprintf(asked, sizeof asked, "%.15g bits/key, ", bits);
    else if (isfinite(fpr))
        snprintf(asked, sizeof asked, "FPR %.15g %%, ", 100 * fpr);
    if (factor != 1)
        snprintf(capacity, sizeof capacity, ", sized for %.15g n", factor);
    snprintf(out, size, "%sn = %.0f, %.40s keys%s", asked, fb_json_num(cell, "n"),
             fb_json_str(cell, "keys"), capacity);
}

static bool is_control(const json_t *cell)
{
    return json_is_null(fb_json_at(cell, "params.bits_per_key")) &&
           json_is_null(fb_json_at(cell, "params.fpr"));
}

static void print_cells(FILE *file, const json_t *cells, enum fb_table_style style)
{
    struct fb_table table = {.columns = columns};
    char group[160] = "", name[160];
    size_t i;
    json_t *cell;
    json_array_foreach(cells, i, cell) {
        group_name(cell, name, sizeof name);
        if (strcmp(name, group) && (!is_control(cell) || !*group)) {
            fb_table_heading(&table, name);
            strcpy(group, name);
        }
        fb_table_row(&table, "", cell);
    }
    fb_table_finish(&table, file, style);
}

/* ---- Sweeps of n: a line for each series ---- */

static bool same_series(const json_t *a, const json_t *b)
{
    static const char *const paths[] = {
        "design", "keys", "params.fpr", "params.bits_per_key", "params.capacity_factor", NULL};
    return fb_json_same(a, b, paths);
}

static bool starts_series(const json_t *cells, size_t first)
{
    for (size_t i = 0; i < first; i++)
        if (same_series(json_array_get(cells, i), json_array_get(cells, first)))
            return false;
    return true;
}

/* The cell of a series where a field is greatest; NULL where it never has a value. */
static const json_t *greatest(const json_t *cells, size_t first, const char *path)
{
    const json_t *best = NULL, *start = json_array_get(cells, first);
    for (size_t i = first; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);
        double x = fabs(fb_json_num(cell, path));
        if (isfinite(x) && same_series(cell, start) && (!best || x > fabs(fb_json_num(best, path))))
            best = cell;
    }
    return best;
}

/* Rows are {first, worst, largest, farthest}: cells of a series. */

static void show_series(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const char *keys = fb_json_str(row, "first.keys"), *other = strcmp(keys, "random") ? keys : "";
    snprintf(out, FB_TABLE_CELL, "%s%s%s", fb_json_str(row, c->path), *other ? "/" : "", other);
}

static void show_size(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *params = fb_json_at(row, c->path);
    double bits = fb_json_num(params, "bits_per_key"), fpr = fb_json_num(params, "fpr");
    bool by_bits = isfinite(bits);
    fb_show_number(by_bits ? bits : 100 * fpr, by_bits ? "%.15g bits" : "%.15g %%", out);
}

static void show_z_size(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    fb_show_number(fabs(fb_json_num(row, c->path)), "%.1f", out);
}

static const struct fb_column sweep_columns[] = {
    {"design", "first.design", .show = show_series, .left = true, .width = 20},
    {"size", "first.params", .show = show_size, .width = 10},
    {"worst n", "worst.n", .format = "%.0f", .width = 10},
    {"FPR %", "worst.fpr.estimate", .format = "%.4g", .scale = 100, .width = 9},
    {"theory %", "worst.fpr.model.value", .format = "%.4g", .scale = 100, .width = 10},
    {"ratio", "worst.fpr.ratio", .format = "%.4f", .width = 9},
    {"bits/key", "largest.fpr.bits_per_key", .format = "%.3f", .width = 9},
    {"largest at", "largest.n", .format = "%.0f", .width = 10},
    {"max |z|", "farthest.fpr.z", .show = show_z_size, .width = 7},
    {0},
};

static void print_sweeps(FILE *file, const json_t *cells, enum fb_table_style style)
{
    struct fb_table table = {.columns = sweep_columns, .gap = 1};
    for (size_t i = 0; i < json_array_size(cells); i++) {
        if (!starts_series(cells, i))
            continue;
        json_t *series = json_pack("{s:O, s:O*, s:O*, s:O*}", "first", json_array_get(cells, i),
                                   "worst", greatest(cells, i, "fpr.model.value"), "largest",
                                   greatest(cells, i, "fpr.bits_per_key"), "farthest",
                                   greatest(cells, i, "fpr.z"));
        fb_table_row(&table, "", series);
        json_decref(series);
    }
    fb_table_finish(&table, file, style);
    fputs("\nThe worst n is the one where theory predicts most; every n is in the document and in "
          "'export --to csv'.\n",
          file);
}

static bool is_sweep(const json_t *cells)
{
    size_t n_n = 0, i;
    json_t *cell;
    json_array_foreach(cells, i, cell)
        n_n += same_series(cell, json_array_get(cells, 0));
    return n_n > MANY_N;
}

/* ---- Below the table ---- */

static void print_notes(FILE *file, const json_t *document)
{
    size_t i;
    json_t *each;
    bool derived = false, simulated = false;
    json_array_foreach(fb_json_at(document, "cells"), i, each) {
        derived |= json_is_true(fb_json_at(each, "derived"));
        simulated |= !strcmp(fb_json_str(each, "fpr.model.kind"), "simulated");
    }
    fputc('\n', file);
    if (derived)
        fputs("* the real system sizes the other way: solved from the design's own FPR function\n",
              file);
    if (simulated)
        fputs("~ no formula fits: predicted by a simulation of the scheme over ideal hashes\n",
              file);
    fb_result_notes(file, document, FB_MOST_WARNINGS);
}

void fb_rates_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *cells = fb_json_at(document, "cells");
    if (is_sweep(cells))
        print_sweeps(file, cells, style);
    else
        print_cells(file, cells, style);
    print_notes(file, document);
}

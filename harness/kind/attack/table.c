/* Attacks as tables: which designs hold, and what those that do not hold let through. */
#include <math.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/kind/attack/attack.h"

/* ---- Designs against attacks ---- */

/* "falls 51.3 %", "holds", "none found", "undecided". */
static void show_verdict(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *cell = json_object_get(row, c->path);
    const char *verdict = fb_json_str(cell, "verdict");
    if (!strcmp(verdict, "falls") && isfinite(fb_json_num(cell, "attacked.rate")))
        snprintf(out, FB_TABLE_CELL, "falls %.3g %%", 100 * fb_json_num(cell, "attacked.rate"));
    else if (!strcmp(verdict, "falls"))
        snprintf(out, FB_TABLE_CELL, "no filter");
    else
        snprintf(out, FB_TABLE_CELL, "%s", cell ? verdict : "-");
}

static const struct fb_column designs[] = {
    {"design", "design", .left = true},
    {"random %", "random.rate", .format = "%.3g", .scale = 100},
    {"offline", "offline", .member = "verdict", .show = show_verdict, .left = true,
     .optional = true, .verdict = true},
    {"colliding", "colliding", .member = "verdict", .show = show_verdict, .left = true,
     .optional = true, .verdict = true},
    {"degenerate", "degenerate", .member = "verdict", .show = show_verdict, .left = true,
     .optional = true, .verdict = true},
    {"flood", "flood", .member = "verdict", .show = show_verdict, .left = true, .optional = true,
     .verdict = true},
    {0},
};

/* A cell is of its own filters whatever it lacks. */
static bool same_filters(const json_t *a, const json_t *b)
{
    static const char *const paths[] = {"design", "hash", "n", "bits_per_key", NULL};
    return a == b || fb_json_same(a, b, paths);
}

static bool is_of_one_size(const json_t *cell)
{
    const struct fb_design *design = fb_design_find(fb_json_str(cell, "design"));
    return design && design->traits & FB_ONE_SIZE;
}

/* "10 bits/key, n = 50000, siphash-2-4, whose seed the attacker does not know"; a design of one
 * size stands beside the first size. */
static void name_group(const json_t *cells, const json_t *cell, char *out, size_t size)
{
    const char *hash = fb_json_str(cell, "hash");
    const json_t *sized = cell;
    for (size_t i = json_array_size(cells); is_of_one_size(cell) && i--;)
        if (!is_of_one_size(json_array_get(cells, i)))
            sized = json_array_get(cells, i);
    const double bits = fb_json_num(sized, "bits_per_key");
    snprintf(out, size, "%.15g bits/key, n = %.0f, %.60s", bits, fb_json_num(cell, "n"),
             *hash ? hash : "each design's own hash, which the attacker knows");
    if (*hash)
        fb_append(out, size, ", whose seed the attacker does not know");
}

/* The rows of one group: designs of a size, a number of keys and a hash. */
static void add_group(struct fb_table *table, const json_t *cells, const char *group)
{
    char name[160];
    fb_table_heading(table, group);
    for (size_t i = 0; i < json_array_size(cells);) {
        const json_t *first = json_array_get(cells, i);
        json_auto_t *row = json_copy((json_t *)first);
        name_group(cells, first, name, sizeof name);
        for (; i < json_array_size(cells) && same_filters(first, json_array_get(cells, i)); i++) {
            json_t *cell = json_array_get(cells, i);
            json_object_set(row, fb_json_str(cell, "attack"), cell);
        }
        if (!strcmp(name, group))
            fb_table_row(table, "", row);
    }
}

static void print_designs(FILE *file, const json_t *cells, enum fb_table_style style)
{
    struct fb_table table = {.columns = designs};
    json_auto_t *said = json_object();
    FB_EACH_AT(i, cell, cells) {
        char name[160];
        name_group(cells, cell, name, sizeof name);
        if (!json_object_get(said, name) && (!i || fb_table_further(style)))
            add_group(&table, cells, name);
        json_object_set_new(said, name, json_true());
    }
    fb_table_finish(&table, file, style);
}

/* ---- The attacks that found keys ---- */

static void show_hash(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const char *hash = fb_json_str(row, c->path);
    snprintf(out, FB_TABLE_CELL, "%s", *hash ? hash : "own");
}

static const struct fb_column attacks[] = {
    {"design", "design", .left = true},
    {"hash", "hash", .show = show_hash, .left = true, .spare_same = 1},
    {"attack", "attack", .left = true},
    {"tries/key", "tries_per_key", .format = "%.3g"},
    {"found", "counts.found", .format = "%.0f"},
    {"inserted", "counts.inserted", .format = "%.0f", .spare = 4, .optional = true},
    {"bits", "bits_per_found", .format = "%.2f", .spare = 3},
    {"passed %", "attacked.rate", .format = "%.4g", .scale = 100},
    {"99.9 %", "attacked.interval", .show = fb_show_interval, .scale = 100},
    {"theory %", "expected", .format = "%.4g", .scale = 100, .spare = 2},
    {"random %", "random.rate", .format = "%.3g", .scale = 100, .spare = 5},
    {"verdict", "verdict", .left = true, .verdict = true},
    {0},
};

static void print_attacks(FILE *file, const json_t *cells, enum fb_table_style style)
{
    struct fb_table table = {.columns = attacks};
    bool any = false;
    FB_EACH(cell, cells) {
        const char *verdict = fb_json_str(cell, "verdict");
        if (!strcmp(verdict, "holds") || !strcmp(verdict, "none found"))
            continue;
        if (!any && !fb_table_further(style))
            return;
        if (!any)
            fb_table_heading(&table, "the attacks that a design falls to, or may fall to");
        any = true;
        fb_table_row(&table, "", cell);
    }
    if (!any)
        return;
    fputc('\n', file);
    fb_table_finish(&table, file, style);
}

void fb_attack_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *cells = json_object_get(document, "cells");
    print_designs(file, cells, style);
    print_attacks(file, cells, style);
    fputc('\n', file);
    fb_say_aside(
        file, 0,
        "falls: the keys found pass more than twice as often as random keys. holds: they pass less "
        "often. undecided: too few keys passed, or too few were asked for. none found: no key was "
        "found in %.0f tries. -: the attack means nothing to the design.\n",
        fb_json_num(document, "experiment.tries"));
    fb_result_notes(file, document);
}

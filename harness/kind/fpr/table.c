/* Rates as tables. */
#include <math.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/document/points.h"
#include "harness/kind/fpr/rates.h"

enum { MANY_N = 12 };

/* ---- The columns for reading ---- */

static void show_design(const json_t *cell, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const char *design = fb_json_str(cell, c->path);
    const bool own = fb_has_own_size(design, json_object_get(cell, "params"));
    snprintf(out, FB_TABLE_CELL, "%s%s", design,
             json_is_true(fb_json_at(cell, "derived")) ? " *"
             : own                                     ? " ^"
                                                       : "");
}

/* Whether the interval that is shown is not one over filters. */
static bool is_pooled(const json_t *cell)
{
    return !isfinite(fb_json_num(cell, "fpr.upper95")) &&
           (json_is_true(fb_json_at(cell, "fpr.t95_pooled")) ||
            json_is_null(fb_json_at(cell, "fpr.t95")));
}

/* With as many digits as tell its ends apart. */
static void print_interval(double low, double high, bool pooled, char out[FB_TABLE_CELL])
{
    for (int digits = 4; digits < 17; digits++) {
        char ends[2][32];
        snprintf(ends[0], sizeof *ends, "%.*g", digits, low);
        snprintf(ends[1], sizeof *ends, "%.*g", digits, high);
        snprintf(out, FB_TABLE_CELL, "%s .. %s%s", ends[0], ends[1], pooled ? " p" : "");
        if (strcmp(ends[0], ends[1]) != 0)
            return;
    }
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
        print_interval(c->scale * fb_json_num(interval, "low"),
                       c->scale * fb_json_num(interval, "high"), is_pooled(cell), out);
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
    {"bits/key", "fpr.bits_per_key", .format = "%.3f", .spare = 2},
    {"k", "geometry.probes", .format = "%.0f", .spare = 5},
    {"attempts", "counts.builds.attempts", .format = "%.0f", .optional = true, .spare = 3},
    {"failed first", "counts.builds.first_failed", .format = "%.0f", .optional = true, .spare = 2},
    {"no filter", "counts.builds.failures", .format = "%.0f", .optional = true, .spare = 3},
    {"FPR %", "fpr.estimate", .format = "%.4g", .scale = 100, .best = FB_LEAST},
    {"95 %", .member = "fpr.t95", .show = show_interval, .scale = 100},
    {"theory %", "fpr.model.value", .show = show_theory, .scale = 100, .spare = 1},
    {"ratio", "fpr.ratio", .format = "%.4f", .spare = 4},
    {"z", "fpr.z", .show = show_z, .spare = 3},
    {"worst %", "fpr.worst", .format = "%.4g", .scale = 100, .spare = 6},
    {"wasted %", "fpr.wasted", .format = "%.1f", .scale = 100, .spare = 7, .best = FB_LEAST},
    {0},
};

/* ---- Groups: what is compared side by side ---- */

/* "10 bits/key, n = 10000, random keys"; controls have no size and belong to the group around. */
static void group_name(const json_t *cell, char *out, size_t size)
{
    double bits = fb_json_num(cell, "params.bits_per_key"), fpr = fb_json_num(cell, "params.fpr");
    double factor = fb_json_num(cell, "params.capacity_factor"), k = fb_json_num(cell, "params.k");
    char asked[48] = "", capacity[64] = "", probes[24] = "";
    if (isfinite(bits))
        snprintf(asked, sizeof asked, "%.15g bits/key, ", bits);
    else if (isfinite(fpr))
        snprintf(asked, sizeof asked, "FPR %.15g %%, ", 100 * fpr);
    if (factor != 1)
        snprintf(capacity, sizeof capacity, ", sized for %.15g n", factor);
    if (isfinite(k))
        snprintf(probes, sizeof probes, "%.0f probes, ", k);
    snprintf(out, size, "%s%sn = %.0f, %.40s keys%s", asked, probes, fb_json_num(cell, "n"),
             fb_json_str(cell, "keys"), capacity);
}

static bool is_control(const json_t *cell)
{
    return json_is_null(fb_json_at(cell, "params.bits_per_key")) &&
           json_is_null(fb_json_at(cell, "params.fpr"));
}

/* Numbers of keys in the cells; of so many only the largest is shown. */
static size_t count_n(const json_t *cells, double *largest)
{
    json_auto_t *numbers = json_object();
    *largest = 0;
    FB_EACH(cell, cells) {
        char text[32];
        double n = fb_json_num(cell, "n");
        snprintf(text, sizeof text, "%.0f", n);
        json_object_set_new(numbers, text, json_true());
        *largest = fmax(*largest, n);
    }
    return json_object_size(numbers);
}

/* Where a cell begins another group, whose name `group` becomes. */
static bool begins(const json_t *cell, char group[160])
{
    char name[160];
    group_name(cell, name, sizeof name);
    if (!strcmp(name, group) || (is_control(cell) && *group))
        return false;
    strcpy(group, name);
    return true;
}

/* Adds the cells of a user's keys, or all others, with at least so many keys. */
static void add_cells(struct fb_table *table, const json_t *cells, bool own, double least,
                      const char *main_group, enum fb_table_style style)
{
    char group[160] = "";
    bool shown = true;
    FB_EACH(cell, cells) {
        if (!strcmp(fb_json_str(cell, "keys"), "file") != own || fb_json_num(cell, "n") < least)
            continue;
        if (begins(cell, group)) {
            shown = !strcmp(group, main_group) || fb_table_further(style);
            if (shown)
                fb_table_heading(table, group);
        }
        if (shown || fb_has_own_size(fb_json_str(cell, "design"), json_object_get(cell, "params")))
            fb_table_row(table, "", cell);
    }
}

static void print_cells(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *cells = json_object_get(document, "cells"), *spoken = fb_versus_spoken(document);
    struct fb_table table = {.columns = columns, .apart = is_control};
    double largest;
    char group[160] = "";
    const size_t n_n = count_n(cells, &largest);
    FB_EACH(cell, cells) {
        begins(cell, group);
        if (cell == spoken)
            break;
    }
    for (int own = 1; own >= 0; own--)
        add_cells(&table, cells, own, n_n > MANY_N ? largest : 0, group, style);
    fb_table_finish(&table, file, style);
    if (n_n > MANY_N)
        fputc('\n', file);
    if (n_n > MANY_N)
        fb_say(file, 0,
               "The largest of %zu numbers of keys. `filterbench export --to csv` writes all of "
               "them, and `plot` draws them.\n",
               n_n);
}

void fb_rates_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    print_cells(file, document, style);
    fputc('\n', file);
    fb_say_aside(
        file, 2,
        "*: converted size. ^: the design has one size. ~: theory by simulation. p: interval "
        "of pooled probes.\n");
    fb_result_notes(file, document);
}

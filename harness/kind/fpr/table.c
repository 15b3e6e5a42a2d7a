/* Result documents as tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/kernels/kernels.h"
#include "harness/kind/lsm/lsm.h"

enum { WIDTH = 48, MANY_N = 12 };

/* NaN where there is no number. */
/* ---- The columns for reading ---- */

static void scaled(char *out, const char *format, double x, double factor)
{
    if (isfinite(x))
        snprintf(out, WIDTH, format, x * factor);
    else
        strcpy(out, "-");
}

static void show_design(const json_t *cell, char *out)
{
    snprintf(out, WIDTH, "%.40s%s", fb_json_str(cell, "design"),
             json_is_true(fb_json_at(cell, "derived")) ? " *" : "");
}

static void show_bits(const json_t *cell, char *out)
{
    scaled(out, "%.3f", fb_json_num(cell, "fpr.bits_per_key"), 1);
}

static void show_probes(const json_t *cell, char *out)
{
    scaled(out, "%.0f", fb_json_num(cell, "geometry.probes"), 1);
}

static void show_fpr(const json_t *cell, char *out)
{
    scaled(out, "%.4g", fb_json_num(cell, "fpr.estimate"), 100);
}

/* Over filters where that can be had; a bound where events are few. */
static void show_interval(const json_t *cell, char *out)
{
    double upper = fb_json_num(cell, "fpr.upper95");
    bool over_filters = json_is_object(fb_json_at(cell, "fpr.t95"));
    if (isfinite(upper)) {
        snprintf(out, WIDTH, "<= %.4g", 100 * upper);
        return;
    }
    double low = fb_json_num(cell, over_filters ? "fpr.t95.low" : "fpr.wilson95.low");
    double high = fb_json_num(cell, over_filters ? "fpr.t95.high" : "fpr.wilson95.high");
    snprintf(out, WIDTH, "%.4g .. %.4g", 100 * low, 100 * high);
}

static void show_theory(const json_t *cell, char *out)
{
    double model = fb_json_num(cell, "fpr.model.value");
    scaled(out, strcmp(fb_json_str(cell, "fpr.model.kind"), "simulated") ? "%.4g" : "~%.4g", model,
           100);
}

static void show_ratio(const json_t *cell, char *out)
{
    scaled(out, "%.4f", fb_json_num(cell, "fpr.ratio"), 1);
}

static void show_z(const json_t *cell, char *out)
{
    double z = fb_json_num(cell, "fpr.z");
    scaled(out, fabs(z) > 4 ? "! %+.1f" : fabs(z) < 0.05 ? "0.0" : "%+.1f", z, 1);
}

static void show_worst(const json_t *cell, char *out)
{
    scaled(out, "%.4g", fb_json_num(cell, "fpr.worst"), 100);
}

static void show_wasted(const json_t *cell, char *out)
{
    scaled(out, "%.1f", fb_json_num(cell, "fpr.wasted"), 100);
}

struct column {
    const char *title;
    void (*show)(const json_t *cell, char out[WIDTH]);
};

static const struct column columns[] = {
    {"design", show_design}, {"bits/key", show_bits},   {"k", show_probes},    {"FPR %", show_fpr},
    {"95 %", show_interval}, {"theory %", show_theory}, {"ratio", show_ratio}, {"z", show_z},
    {"worst %", show_worst}, {"wasted %", show_wasted},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

typedef char row[N_COLUMNS][WIDTH];

static void print_row(FILE *file, enum fb_table_style style, row text, const int *width)
{
    for (int c = 0; c < N_COLUMNS; c++) {
        if (style == FB_TABLE_MARKDOWN)
            fprintf(file, "| %s ", text[c]);
        else
            fprintf(file, c ? "  %*s" : "%-*s", width[c], text[c]);
    }
    fputs(style == FB_TABLE_MARKDOWN ? "|\n" : "\n", file);
}

static void print_titles(FILE *file, enum fb_table_style style, const int *width)
{
    row titles;
    for (int c = 0; c < N_COLUMNS; c++)
        strcpy(titles[c], columns[c].title);
    print_row(file, style, titles, width);
    for (int c = 0; c < N_COLUMNS && style == FB_TABLE_MARKDOWN; c++)
        fputs(c ? "|---:" : "|:---", file);
    if (style == FB_TABLE_MARKDOWN)
        fputs("|\n", file);
}

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
    int width[N_COLUMNS];
    char group[160] = "", name[160];
    size_t i;
    json_t *cell;
    row text;
    for (int c = 0; c < N_COLUMNS; c++)
        width[c] = (int)strlen(columns[c].title);
    json_array_foreach(cells, i, cell)
    {
        for (int c = 0; c < N_COLUMNS; c++) {
            columns[c].show(cell, text[c]);
            if ((int)strlen(text[c]) > width[c])
                width[c] = (int)strlen(text[c]);
        }
    }
    json_array_foreach(cells, i, cell)
    {
        group_name(cell, name, sizeof name);
        if (strcmp(name, group) && (!is_control(cell) || !*group)) {
            fprintf(file, style == FB_TABLE_MARKDOWN ? "%s**%s**\n\n" : "%s%s\n", i ? "\n" : "",
                    name);
            print_titles(file, style, width);
            strcpy(group, name);
        }
        for (int c = 0; c < N_COLUMNS; c++)
            columns[c].show(cell, text[c]);
        print_row(file, style, text, width);
    }
}

/* ---- Sweeps of n: a line for each series ---- */

static bool same_series(const json_t *a, const json_t *b)
{
    return json_equal(fb_json_at(a, "design"), fb_json_at(b, "design")) &&
           json_equal(fb_json_at(a, "keys"), fb_json_at(b, "keys")) &&
           json_equal(fb_json_at(a, "params.bits_per_key"), fb_json_at(b, "params.bits_per_key")) &&
           json_equal(fb_json_at(a, "params.fpr"), fb_json_at(b, "params.fpr")) &&
           json_equal(fb_json_at(a, "params.capacity_factor"),
                      fb_json_at(b, "params.capacity_factor"));
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

static void print_sweeps(FILE *file, const json_t *cells, enum fb_table_style style)
{
    static const char *const formats[] = {
        "%-20s %10s %10s %9s %10s %9s %9s %10s %7s\n",
        "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
    };
    const char *format = formats[style == FB_TABLE_MARKDOWN];
    fprintf(file, format, "design", "size", "worst n", "FPR %", "theory %", "ratio", "bits/key",
            "largest at", "max |z|");
    if (style == FB_TABLE_MARKDOWN)
        fputs("|:---|---:|---:|---:|---:|---:|---:|---:|---:|\n", file);
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);
        char text[7][WIDTH], name[2 * WIDTH];
        if (!starts_series(cells, i))
            continue;
        const json_t *worst = greatest(cells, i, "fpr.model.value");
        const json_t *largest = greatest(cells, i, "fpr.bits_per_key");
        double bits = fb_json_num(cell, "params.bits_per_key"),
               fpr = fb_json_num(cell, "params.fpr");
        snprintf(name, sizeof name, "%s%s%s", fb_json_str(cell, "design"),
                 strcmp(fb_json_str(cell, "keys"), "random") ? "/" : "",
                 strcmp(fb_json_str(cell, "keys"), "random") ? fb_json_str(cell, "keys") : "");
        scaled(text[0], isfinite(bits) ? "%.15g bits" : "%.15g %%", isfinite(bits) ? bits : fpr,
               isfinite(bits) ? 1 : 100);
        scaled(text[1], "%.0f", fb_json_num(worst, "n"), 1);
        scaled(text[2], "%.4g", fb_json_num(worst, "fpr.estimate"), 100);
        scaled(text[3], "%.4g", fb_json_num(worst, "fpr.model.value"), 100);
        scaled(text[4], "%.4f", fb_json_num(worst, "fpr.ratio"), 1);
        scaled(text[5], "%.3f", fb_json_num(largest, "fpr.bits_per_key"), 1);
        scaled(text[6], "%.0f", fb_json_num(largest, "n"), 1);
        char z[WIDTH];
        scaled(z, "%.1f", fabs(fb_json_num(greatest(cells, i, "fpr.z"), "fpr.z")), 1);
        fprintf(file, format, name, text[0], text[1], text[2], text[3], text[4], text[5], text[6],
                z);
    }
    fputs("\nThe worst n is the one where theory predicts most; every n is in the document and in "
          "'export --to csv'.\n",
          file);
}

static bool is_sweep(const json_t *cells)
{
    size_t n_n = 0, i;
    json_t *cell;
    json_array_foreach(cells, i, cell)
    {
        n_n += same_series(cell, json_array_get(cells, 0));
    }
    return n_n > MANY_N;
}

/* ---- Below the table ---- */

void fb_result_notes(FILE *file, const json_t *document, size_t most_warnings)
{
    enum { MOST = 12 };
    const json_t *skipped = json_object_get(document, "skipped");
    const json_t *warnings = json_object_get(document, "warnings");
    size_t i;
    json_t *each;
    json_array_foreach(skipped, i, each)
    {
        if (i < MOST)
            fprintf(file, "left out: %s: %s\n", fb_json_str(each, "id"), fb_json_str(each, "why"));
    }
    if (json_array_size(skipped) > MOST)
        fprintf(file, "left out: %zu more\n", json_array_size(skipped) - MOST);
    json_array_foreach(warnings, i, each)
    {
        if (i < most_warnings)
            fprintf(file, "warning: %s\n", fb_json_str(each, "detail"));
    }
    if (json_array_size(warnings) > most_warnings)
        fprintf(file, "warning: %zu more, all in the document\n",
                json_array_size(warnings) - most_warnings);
}

static void print_notes(FILE *file, const json_t *document)
{
    size_t i;
    json_t *each;
    bool derived = false, simulated = false;
    json_array_foreach(fb_json_at(document, "cells"), i, each)
    {
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

void fb_table_print(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *cells = fb_json_at(document, "cells"), *claims = fb_json_at(document, "claims");
    bool csv = style == FB_TABLE_CSV;
    if (!strcmp(fb_json_str(document, "kind"), "kernels")) {
        fb_kernels_table(file, document, style);
        return;
    }
    if (!strcmp(fb_json_str(document, "kind"), "lsm")) {
        fb_lsm_table(file, document, style);
        return;
    }
    if (json_array_size(claims))
        fb_result_claims_print(file, claims, style);
    else if (csv)
        fb_result_cells_csv(file, cells);
    else if (is_sweep(cells))
        print_sweeps(file, cells, style);
    else
        print_cells(file, cells, style);
    if (!csv)
        print_notes(file, document);
}

/* Results of kind "kernels" as tables: a line for each design and kernel, a column for each
 * footprint, or for each hit ratio where several were measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kernels.h"

enum { MOST_COLUMNS = 16, TEXT = 64 };

static double real_at(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool same(const json_t *a, const json_t *b, const char *name)
{
    return json_equal(json_object_get(a, name), json_object_get(b, name));
}

/* ---- One block: what its lines and its columns differ in ---- */

struct block {
    const json_t *cells;
    const char *operation;
    const json_t *columns[MOST_COLUMNS]; /* a cell of each */
    size_t n_columns;
    bool by_hits; /* columns are hit ratios of one footprint; else footprints of one hit ratio */
    const json_t *fixed; /* a cell of the block's own footprint or hit ratio */
};

static bool is_plain(const json_t *cell)
{
    return !strcmp(fb_result_text(cell, "operation"), "plain");
}

/* A plain loop stands in the block of the batches. */
static bool of_operation(const json_t *cell, const char *operation)
{
    return !strcmp(fb_result_text(cell, "operation"), operation) ||
           (is_plain(cell) && !strcmp(operation, "batch"));
}

static bool in_block(const struct block *b, const json_t *cell)
{
    return of_operation(cell, b->operation) &&
           same(cell, b->fixed, b->by_hits ? "footprint" : "hit_ratio");
}

static bool same_line(const json_t *a, const json_t *b)
{
    return same(a, b, "design") && same(a, b, "isa") && same(a, b, "style") &&
           same(a, b, "operation");
}

static const char *column_key(const struct block *b)
{
    return b->by_hits ? "hit_ratio" : "footprint";
}

static const json_t *cell_of(const struct block *b, const json_t *line, size_t column)
{
    size_t i;
    json_t *cell;
    json_array_foreach(b->cells, i, cell)
    {
        if (in_block(b, cell) && same_line(cell, line) &&
            same(cell, b->columns[column], column_key(b)))
            return cell;
    }
    return NULL;
}

static void hits_name(const json_t *cell, char *out)
{
    double hits = real_at(cell, "hit_ratio");
    if (!isfinite(hits))
        strcpy(out, "keys that are in already");
    else if (hits > 0 && hits < 1)
        snprintf(out, TEXT, "%.4g %% present", 100 * hits);
    else
        strcpy(out, hits > 0 ? "present keys" : "absent keys");
}

static void show_ns(const json_t *cell, char *out)
{
    double ns = real_at(json_object_get(cell, "time"), "median");
    if (isfinite(ns))
        snprintf(out, TEXT, ns < 10 ? "%.3f" : "%.2f", ns);
    else
        strcpy(out, "-");
}

/* "1.23 [1.21 1.25]" */
static void show_ratio(const json_t *cell, char *out)
{
    const json_t *time = json_object_get(cell, "time"), *ci = json_object_get(time, "ratio_ci95");
    double ratio = real_at(time, "ratio");
    if (!isfinite(ratio))
        strcpy(out, cell ? "yardstick" : "");
    else if (json_is_object(ci))
        snprintf(out, TEXT, "%.2f [%.2f %.2f]", ratio, real_at(ci, "low"), real_at(ci, "high"));
    else
        snprintf(out, TEXT, "%.2f", ratio);
}

static void line_name(const json_t *cell, char *design, char *kernel)
{
    snprintf(design, TEXT, "%.40s", fb_result_text(cell, "design"));
    snprintf(kernel, TEXT, "%.20s %.40s", fb_result_text(cell, "isa"),
             fb_result_text(cell, "style"));
    if (is_plain(cell))
        strcpy(kernel, "plain loop");
}

static void print_titles(FILE *file, const struct block *b, bool markdown)
{
    char title[TEXT];
    fprintf(file, markdown ? "| design | kernel |" : "%-18s %-20s", "design", "kernel");
    for (size_t c = 0; c < b->n_columns; c++) {
        if (b->by_hits)
            hits_name(b->columns[c], title);
        else
            snprintf(title, sizeof title, "%s", fb_result_text(b->columns[c], "footprint"));
        if (markdown)
            fprintf(file, " %s ns | ratio |", title);
        else
            fprintf(file, "  %*s  %-20s", b->by_hits ? 8 : 5, b->by_hits ? "" : title,
                    b->by_hits ? title : "ratio");
    }
    fputc('\n', file);
    if (markdown) {
        fputs("|:---|:---|", file);
        for (size_t c = 0; c < b->n_columns; c++)
            fputs("---:|:---|", file);
        fputc('\n', file);
    }
}

static void print_line(FILE *file, const struct block *b, const json_t *line, bool markdown)
{
    char design[TEXT], kernel[TEXT], ns[TEXT], ratio[TEXT];
    line_name(line, design, kernel);
    fprintf(file, markdown ? "| %s | %s |" : "%-18s %-20s", design, kernel);
    for (size_t c = 0; c < b->n_columns; c++) {
        const json_t *cell = cell_of(b, line, c);
        show_ns(cell, ns);
        show_ratio(cell, ratio);
        if (markdown)
            fprintf(file, " %s | %s |", ns, ratio);
        else
            fprintf(file, "  %*s  %-20s", b->by_hits ? 8 : 5, ns, ratio);
    }
    fputc('\n', file);
}

static bool starts_line(const struct block *b, size_t at)
{
    const json_t *cell = json_array_get(b->cells, at);
    if (!in_block(b, cell))
        return false;
    for (size_t i = 0; i < at; i++) {
        const json_t *before = json_array_get(b->cells, i);
        if (in_block(b, before) && same_line(before, cell))
            return false;
    }
    return true;
}

static void add_columns(struct block *b)
{
    size_t i;
    json_t *cell;
    json_array_foreach(b->cells, i, cell)
    {
        bool known = !in_block(b, cell);
        for (size_t c = 0; c < b->n_columns && !known; c++)
            known = same(cell, b->columns[c], column_key(b));
        if (!known && b->n_columns < MOST_COLUMNS)
            b->columns[b->n_columns++] = cell;
    }
}

static void print_block(FILE *file, struct block *b, bool markdown)
{
    char heading[TEXT];
    add_columns(b);
    if (b->by_hits)
        snprintf(heading, sizeof heading, "%.20s", fb_result_text(b->fixed, "footprint"));
    else
        hits_name(b->fixed, heading);
    fprintf(file, markdown ? "**%s: %s**\n\n" : "%s: %s\n", b->operation, heading);
    print_titles(file, b, markdown);
    for (size_t i = 0; i < json_array_size(b->cells); i++)
        if (starts_line(b, i))
            print_line(file, b, json_array_get(b->cells, i), markdown);
    fputc('\n', file);
}

/* A block for each footprint where an operation was measured at several hit ratios, else one. */
static void print_operation(FILE *file, const json_t *cells, const char *operation, bool markdown)
{
    const json_t *first = NULL, *seen[MOST_COLUMNS];
    size_t i, n_seen = 0;
    bool several = false;
    json_t *cell;
    json_array_foreach(cells, i, cell)
    {
        if (!strcmp(fb_result_text(cell, "operation"), operation)) {
            first = first ? first : cell;
            several |= !same(cell, first, "hit_ratio");
        }
    }
    if (!first)
        return;
    json_array_foreach(cells, i, cell)
    {
        bool known = strcmp(fb_result_text(cell, "operation"), operation) || (n_seen && !several);
        for (size_t s = 0; s < n_seen && !known; s++)
            known = same(cell, seen[s], "footprint");
        if (known || n_seen == MOST_COLUMNS)
            continue;
        struct block b = {
            .cells = cells, .operation = operation, .by_hits = several, .fixed = cell};
        print_block(file, &b, markdown);
        seen[n_seen++] = cell;
    }
}

/* ---- Below the table ---- */

/* Whether some yardstick is slower than the loop anyone would write; the ratios show it. */
static void print_plain(FILE *file, const json_t *cells)
{
    size_t i, slower = 0, n = 0;
    json_t *cell;
    json_array_foreach(cells, i, cell)
    {
        const json_t *time = json_object_get(cell, "time");
        if (!is_plain(cell))
            continue;
        fprintf(file, "%s %.2f times %s at %s",
                n++ ? "," : "A plain loop over the same digests takes", real_at(time, "ratio"),
                fb_result_text(cell, "design"), fb_result_text(cell, "footprint"));
        double high = real_at(json_object_get(time, "ratio_ci95"), "high");
        slower += (isfinite(high) ? high : real_at(time, "ratio")) < 1;
    }
    if (slower)
        fprintf(file, ":\nWARNING: %zu yardsticks are slower than it; ratios to those flatter.\n",
                slower);
    else if (n)
        fputs(": no yardstick is slower.\n", file);
}

static void print_timing(FILE *file, const json_t *document)
{
    const json_t *timing = json_object_get(document, "timing");
    const json_t *timer = json_object_get(timing, "timer");
    const json_t *noise = json_object_get(timing, "noise");
    const json_t *cpu = json_object_get(timing, "pinned_cpu");
    const json_t *bytes = json_object_get(json_object_get(timing, "footprints"), "filter_bytes");
    const char *name;
    char pinned[TEXT] = "not pinned";
    json_t *value;
    if (json_is_integer(cpu))
        snprintf(pinned, sizeof pinned, "pinned to processor %" JSON_INTEGER_FORMAT,
                 json_integer_value(cpu));
    fprintf(file,
            "ns/op: median, %s time; ratio: to touch-32 for blocks of 32 bytes, to touch-64 for "
            "all others,\nof the same rounds; [95 %% interval over processes]. ",
            strcmp(fb_result_text(timing, "clock"), "wall") ? "thread CPU" : "wall");
    fputs("Filters:", file);
    json_object_foreach((json_t *)bytes, name, value)
        fprintf(file, " %s %.4g MB", name, json_number_value(value) / 1e6);
    fprintf(file,
            "\n%.0f processes of %.0f rounds, stopped by %s; %s; timer %.0f ns, quantum %.0f ns\n",
            real_at(timing, "processes"), real_at(timing, "rounds"),
            fb_result_text(timing, "stopped"), pinned, real_at(timer, "overhead_ns"),
            real_at(timer, "quantum_ns"));
    fprintf(file,
            "noise: %.0f of %.0f samples with a gap, %.0f still pre-empted, %.0f batches "
            "repeated\n",
            real_at(noise, "samples_with_gap"), real_at(noise, "samples"),
            real_at(noise, "samples_preempted"), real_at(noise, "batches_repeated"));
}

static void print_notes(FILE *file, const json_t *document)
{
    enum { MOST = 12 };
    const json_t *skipped = json_object_get(document, "skipped");
    const json_t *warnings = json_object_get(document, "warnings");
    size_t i;
    json_t *each;
    json_array_foreach(skipped, i, each)
    {
        if (i < MOST)
            fprintf(file, "left out: %s: %s\n", fb_result_text(each, "id"),
                    fb_result_text(each, "why"));
    }
    if (json_array_size(skipped) > MOST)
        fprintf(file, "left out: %zu more\n", json_array_size(skipped) - MOST);
    json_array_foreach(warnings, i, each)
        fprintf(file, "warning: %s\n", fb_result_text(each, "detail"));
}

/* ---- Everything, for programs ---- */

static const char *const csv_members[] = {"id",        "design",    "isa",       "style",
                                          "operation", "footprint", "hit_ratio", NULL};
static const char *const csv_filter[] = {
    "bytes", "n_keys", "bits_per_key", "probes", "synthetic_fill", "checksum", NULL};
static const char *const csv_time[] = {
    "clock",      "median",   "min",     "mean",           "mad",       "ratio_to", "ratio",
    "sd_process", "sd_round", "retries", "flagged_rounds", "processes", "rounds",   NULL};
static const char *const csv_intervals[] = {"ci95", "ratio_ci95", "ratio_ci99", NULL};

static void csv_value(FILE *file, const json_t *value, const char *before)
{
    char *text = value && !json_is_null(value) && !json_is_string(value)
                     ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))
                     : NULL;
    const char *string = json_string_value(value);
    fprintf(file, "%s%s", before, text ? text : string ? string : "");
    free(text);
}

static void print_csv(FILE *file, const json_t *cells)
{
    size_t i;
    json_t *cell;
    for (const char *const *m = csv_members; *m; m++)
        fprintf(file, "%s%s", m == csv_members ? "" : ",", *m);
    for (const char *const *m = csv_filter; *m; m++)
        fprintf(file, ",filter.%s", *m);
    for (const char *const *m = csv_time; *m; m++)
        fprintf(file, ",time.%s", *m);
    for (const char *const *m = csv_intervals; *m; m++)
        fprintf(file, ",time.%s.low,time.%s.high", *m, *m);
    fputc('\n', file);
    json_array_foreach(cells, i, cell)
    {
        const json_t *time = json_object_get(cell, "time");
        for (const char *const *m = csv_members; *m; m++)
            csv_value(file, json_object_get(cell, *m), m == csv_members ? "" : ",");
        for (const char *const *m = csv_filter; *m; m++)
            csv_value(file, json_object_get(json_object_get(cell, "filter"), *m), ",");
        for (const char *const *m = csv_time; *m; m++)
            csv_value(file, json_object_get(time, *m), ",");
        for (const char *const *m = csv_intervals; *m; m++) {
            const json_t *interval = json_object_get(time, *m);
            csv_value(file, json_object_get(interval, "low"), ",");
            csv_value(file, json_object_get(interval, "high"), ",");
        }
        fputc('\n', file);
    }
}

void fb_kernels_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *cells = json_object_get(document, "cells");
    if (style == FB_TABLE_CSV) {
        print_csv(file, cells);
        return;
    }
    for (int o = 0; o < FB_OP_PLAIN; o++)
        print_operation(file, cells, fb_operation_name((enum fb_operation)o),
                        style == FB_TABLE_MARKDOWN);
    print_plain(file, cells);
    print_timing(file, document);
    fb_kernels_goals(file, document);
    print_notes(file, document);
}

/* Results of kind "kernels" as tables: a line for each design and kernel, a column for each
 * footprint; or for each size, or hit ratio, where several were measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/kernels/kernels.h"

enum { MOST_COLUMNS = 16, TEXT = 64 };

static bool same(const json_t *a, const json_t *b, const char *name)
{
    return json_equal(json_object_get(a, name), json_object_get(b, name));
}

/* ---- One block: what its lines and its columns differ in ---- */

enum { BY_SIZE, BY_HITS, BY_FOOTPRINT, N_DIMENSIONS };
static const char *const dimensions[N_DIMENSIONS] = {"params", "hit_ratio", "footprint"};

struct block {
    const json_t *cells;
    const char *operation;
    const json_t *columns[MOST_COLUMNS]; /* a cell of each */
    size_t n_columns;
    size_t by;           /* what columns differ in: an index into dimensions */
    const json_t *fixed; /* a cell of the block: the other dimensions are its own */
};

static bool is_plain(const json_t *cell)
{
    return !strcmp(fb_json_str(cell, "operation"), "plain");
}

/* A plain loop stands in the block of the batches. */
static bool of_operation(const json_t *cell, const char *operation)
{
    return !strcmp(fb_json_str(cell, "operation"), operation) ||
           (is_plain(cell) && !strcmp(operation, "batch"));
}

static double size_of(const json_t *cell)
{
    double bits = fb_json_num(cell, "params.bits_per_key");
    return isfinite(bits) ? bits : fb_json_num(cell, "params.fpr");
}

/* Cells without a size stand beside those of any. */
static bool same_along(const json_t *a, const json_t *b, size_t dimension)
{
    bool any = dimension == BY_SIZE && (!isfinite(size_of(a)) || !isfinite(size_of(b)));
    return any || same(a, b, dimensions[dimension]);
}

static bool in_block(const struct block *b, const json_t *cell)
{
    bool in = of_operation(cell, b->operation);
    for (size_t d = 0; d < N_DIMENSIONS; d++)
        in = in && (d == b->by || same_along(cell, b->fixed, d));
    return in;
}

static bool same_line(const json_t *a, const json_t *b)
{
    return same(a, b, "design") && same(a, b, "isa") && same(a, b, "style") &&
           same(a, b, "operation");
}

static const json_t *cell_of(const struct block *b, const json_t *line, size_t column)
{
    size_t i;
    json_t *cell;
    json_array_foreach(b->cells, i, cell)
    {
        if (in_block(b, cell) && same_line(cell, line) &&
            same_along(cell, b->columns[column], b->by))
            return cell;
    }
    return NULL;
}

static void hits_name(const json_t *cell, char *out)
{
    double hits = fb_json_num(cell, "hit_ratio");
    if (!isfinite(hits))
        strcpy(out, "keys that are in already");
    else if (hits > 0 && hits < 1)
        snprintf(out, TEXT, "%.4g %% present", 100 * hits);
    else
        strcpy(out, hits > 0 ? "present keys" : "absent keys");
}

/* "10 bits/key", "0.1 %" */
static void size_name(const json_t *cell, char *out)
{
    const json_t *params = json_object_get(cell, "params");
    double bits = fb_json_num(params, "bits_per_key"), fpr = fb_json_num(params, "fpr");
    if (isfinite(bits))
        snprintf(out, TEXT, "%.4g bits/key", bits);
    else if (isfinite(fpr))
        snprintf(out, TEXT, "%.4g %%", 100 * fpr);
    else
        *out = '\0';
}

/* Delivered bits per key; '!' where the design predicts a rate more than a tenth off the one asked.
 */
static void show_bits(const json_t *cell, char *out)
{
    double bits = fb_json_num(cell, "filter.bits_per_key");
    double asked = fb_json_num(cell, "params.fpr");
    double fpr = fb_json_num(cell, "predicted_fpr");
    *out = '\0';
    if (isfinite(size_of(cell)) && isfinite(bits))
        snprintf(out, TEXT, "%.2f%s", bits,
                 asked > 0 && !(fabs(fpr / asked - 1) <= 0.1) ? "!" : "");
}

static void show_ns(const json_t *cell, char *out)
{
    double ns = fb_json_num(cell, "time.median");
    if (isfinite(ns))
        snprintf(out, TEXT, ns < 10 ? "%.3f" : "%.2f", ns);
    else
        strcpy(out, "-");
}

/* "1.23 [1.21 1.25]" */
static void show_ratio(const json_t *cell, char *out)
{
    const json_t *time = json_object_get(cell, "time"), *ci = json_object_get(time, "ratio_ci95");
    double ratio = fb_json_num(time, "ratio");
    if (!isfinite(ratio))
        strcpy(out, cell ? "yardstick" : "");
    else if (json_is_object(ci))
        snprintf(out, TEXT, "%.2f [%.2f %.2f]", ratio, fb_json_num(ci, "low"),
                 fb_json_num(ci, "high"));
    else
        snprintf(out, TEXT, "%.2f", ratio);
}

static void line_name(const json_t *cell, char *design, char *kernel)
{
    snprintf(design, TEXT, "%.40s", fb_json_str(cell, "design"));
    snprintf(kernel, TEXT, "%.20s %.40s", fb_json_str(cell, "isa"), fb_json_str(cell, "style"));
    if (is_plain(cell))
        strcpy(kernel, "plain loop");
}

static void print_titles(FILE *file, const struct block *b, bool markdown)
{
    char title[TEXT];
    fprintf(file, markdown ? "| design | kernel |" : "%-18s %-20s", "design", "kernel");
    for (size_t c = 0; c < b->n_columns; c++) {
        if (b->by == BY_HITS)
            hits_name(b->columns[c], title);
        else if (b->by == BY_SIZE)
            size_name(b->columns[c], title);
        else
            snprintf(title, sizeof title, "%s", fb_json_str(b->columns[c], "footprint"));
        if (markdown)
            fprintf(file, b->by == BY_SIZE ? " %s: bits/key | ns | ratio |" : " %s ns | ratio |",
                    title);
        else if (b->by == BY_SIZE)
            fprintf(file, "  %7s  %8s  %-20s", "bits", "ns", title);
        else
            fprintf(file, "  %*s  %-20s", b->by == BY_HITS ? 8 : 5, b->by == BY_HITS ? "" : title,
                    b->by == BY_HITS ? title : "ratio");
    }
    fputc('\n', file);
    if (markdown) {
        fputs("|:---|:---|", file);
        for (size_t c = 0; c < b->n_columns; c++)
            fputs(b->by == BY_SIZE ? "---:|---:|:---|" : "---:|:---|", file);
        fputc('\n', file);
    }
}

static void print_line(FILE *file, const struct block *b, const json_t *line, bool markdown)
{
    char design[TEXT], kernel[TEXT], bits[TEXT], ns[TEXT], ratio[TEXT];
    line_name(line, design, kernel);
    fprintf(file, markdown ? "| %s | %s |" : "%-18s %-20s", design, kernel);
    for (size_t c = 0; c < b->n_columns; c++) {
        const json_t *cell = cell_of(b, line, c);
        show_ns(cell, ns);
        show_ratio(cell, ratio);
        show_bits(cell, bits);
        if (b->by == BY_SIZE)
            fprintf(file, markdown ? " %s |" : "  %7s", bits);
        if (markdown)
            fprintf(file, " %s | %s |", ns, ratio);
        else
            fprintf(file, "  %*s  %-20s", b->by == BY_FOOTPRINT ? 5 : 8, ns, ratio);
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
        bool known = !in_block(b, cell) || (b->by == BY_SIZE && !isfinite(size_of(cell)));
        for (size_t c = 0; c < b->n_columns && !known; c++)
            known = same_along(cell, b->columns[c], b->by);
        if (!known && b->n_columns < MOST_COLUMNS)
            b->columns[b->n_columns++] = cell;
    }
}

/* sizes: several were measured. */
static void print_block(FILE *file, struct block *b, bool sizes, bool markdown)
{
    char hits[TEXT], size[TEXT] = "";
    const char *footprint = fb_json_str(b->fixed, "footprint");
    add_columns(b);
    hits_name(b->fixed, hits);
    if (sizes && b->by != BY_SIZE)
        size_name(b->fixed, size);
    fprintf(file, markdown ? "**%s: " : "%s: ", b->operation);
    fprintf(file, "%s%s%s%s%s", b->by != BY_FOOTPRINT ? footprint : hits,
            b->by == BY_SIZE ? ", " : "", b->by == BY_SIZE ? hits : "", *size ? ", " : "", size);
    fputs(markdown ? "**\n\n" : "\n", file);
    print_titles(file, b, markdown);
    for (size_t i = 0; i < json_array_size(b->cells); i++)
        if (starts_line(b, i))
            print_line(file, b, json_array_get(b->cells, i), markdown);
    fputc('\n', file);
}

static bool several(const json_t *cells, const char *operation, size_t dimension)
{
    const json_t *first = NULL;
    size_t i;
    json_t *cell;
    json_array_foreach(cells, i, cell)
    {
        if (strcmp(fb_json_str(cell, "operation"), operation) ||
            (dimension == BY_SIZE && !isfinite(size_of(cell))))
            continue;
        first = first ? first : cell;
        if (!same_along(cell, first, dimension))
            return true;
    }
    return false;
}

/* Columns are the sizes where there are several, else the hit ratios, else the footprints; a block
 * for each combination of the others. */
static void print_operation(FILE *file, const json_t *cells, const char *operation, bool markdown)
{
    enum { MOST_BLOCKS = 256 };
    const json_t *seen[MOST_BLOCKS];
    size_t i, n_seen = 0;
    bool sizes = several(cells, operation, BY_SIZE);
    struct block b = {.cells = cells,
                      .operation = operation,
                      .by = sizes                                ? BY_SIZE
                            : several(cells, operation, BY_HITS) ? BY_HITS
                                                                 : BY_FOOTPRINT};
    json_t *cell;
    json_array_foreach(cells, i, cell)
    {
        bool known = strcmp(fb_json_str(cell, "operation"), operation) != 0;
        for (size_t s = 0; s < n_seen && !known; s++) {
            b.fixed = seen[s];
            known = in_block(&b, cell);
        }
        if (known || n_seen == MOST_BLOCKS)
            continue;
        b.fixed = seen[n_seen++] = cell;
        b.n_columns = 0;
        print_block(file, &b, sizes, markdown);
    }
}

void fb_kernels_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *cells = json_object_get(document, "cells");
    for (int o = 0; o < FB_OP_PLAIN; o++)
        print_operation(file, cells, fb_operation_name((enum fb_operation)o),
                        style == FB_TABLE_MARKDOWN);
    fb_kernels_scaling_table(file, cells, style == FB_TABLE_MARKDOWN);
    fb_kernels_notes(file, document);
}

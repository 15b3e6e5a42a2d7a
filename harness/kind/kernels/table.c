/* Results of kind "kernels" as tables: a line for each design and kernel, a column for each
 * footprint; or for each size, or hit ratio, where several were measured. */
#include <math.h>
#include <string.h>

#include "harness/kind/kernels/kernels.h"

enum { MOST_COLUMNS = 16, TEXT = 64 };

/* ---- One block: what its lines and its columns differ in ---- */

enum { BY_SIZE, BY_HITS, BY_FOOTPRINT, N_DIMENSIONS };

struct block {
    const json_t *cells;
    const char *operation;
    size_t by;           /* what columns differ in */
    const json_t *fixed; /* a cell of the block: the other dimensions are its own */
};

/* A plain loop stands in the block of the batches. */
static bool of_operation(const json_t *cell, const char *operation)
{
    const char *own = fb_json_str(cell, "operation");
    return !strcmp(own, operation) || (!strcmp(own, "plain") && !strcmp(operation, "batch"));
}

static double size_of(const json_t *cell)
{
    double bits = fb_json_num(cell, "params.bits_per_key");
    return isfinite(bits) ? bits : fb_json_num(cell, "params.fpr");
}

/* Cells without a size stand beside those of any. */
static bool same_along(const json_t *a, const json_t *b, size_t dimension)
{
    static const char *const paths[N_DIMENSIONS] = {"params", "hit_ratio", "footprint"};
    bool any = dimension == BY_SIZE && (!isfinite(size_of(a)) || !isfinite(size_of(b)));
    return any || json_equal(fb_json_at(a, paths[dimension]), fb_json_at(b, paths[dimension]));
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
    static const char *const line[] = {"design", "isa", "style", "operation", NULL};
    return fb_json_same(a, b, line);
}

static bool several(const json_t *cells, const char *operation, size_t dimension)
{
    const json_t *first = NULL;
    size_t i;
    json_t *cell;
    json_array_foreach((json_t *)cells, i, cell) {
        if (strcmp(fb_json_str(cell, "operation"), operation) ||
            (dimension == BY_SIZE && !isfinite(size_of(cell))))
            continue;
        first = first ? first : cell;
        if (!same_along(cell, first, dimension))
            return true;
    }
    return false;
}

/* ---- Names ---- */

static void hits_name(const json_t *cell, char out[TEXT])
{
    double hits = fb_json_num(cell, "hit_ratio");
    if (hits > 0 && hits < 1)
        snprintf(out, TEXT, "%.4g %% present", 100 * hits);
    else
        strcpy(out, !isfinite(hits) ? "keys that are in already"
                    : hits > 0      ? "present keys"
                                    : "absent keys");
}

/* "10 bits/key", "0.1 %"; "" without a size */
static void size_name(const json_t *cell, char out[TEXT])
{
    double bits = fb_json_num(cell, "params.bits_per_key");
    bool by_bits = isfinite(bits);
    *out = '\0';
    if (isfinite(size_of(cell)))
        snprintf(out, TEXT, by_bits ? "%.4g bits/key" : "%.4g %%",
                 by_bits ? bits : 100 * size_of(cell));
}

static void column_name(const json_t *cell, size_t by, char out[TEXT])
{
    if (by == BY_HITS)
        hits_name(cell, out);
    else if (by == BY_SIZE)
        size_name(cell, out);
    else
        snprintf(out, TEXT, "%s", fb_json_str(cell, "footprint"));
}

/* ---- Columns: a row is {line: a cell, "0": the cell of the first column, ...} ---- */

/* Delivered bits per key; '!' where the design predicts a rate more than a tenth off the one asked.
 */
static void show_bits(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *cell = fb_json_at(row, c->path);
    double bits = fb_json_num(cell, "filter.bits_per_key");
    double asked = fb_json_num(cell, "params.fpr"), fpr = fb_json_num(cell, "predicted_fpr");
    if (isfinite(size_of(cell)) && isfinite(bits))
        snprintf(out, FB_TABLE_CELL, "%.2f%s", bits,
                 asked > 0 && !(fabs(fpr / asked - 1) <= 0.1) ? "!" : "");
}

static void show_ns(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double ns = fb_json_num(fb_json_at(row, c->path), "time.median");
    fb_show_number(ns, ns < 10 ? "%.3f" : "%.2f", out);
}

/* "1.23 [1.21 1.25]" */
static void show_ratio(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *cell = fb_json_at(row, c->path), *ci = fb_json_at(cell, "time.ratio_ci95");
    double ratio = fb_json_num(cell, "time.ratio");
    if (!isfinite(ratio))
        strcpy(out, cell ? "yardstick" : "");
    else if (json_is_object(ci))
        snprintf(out, FB_TABLE_CELL, "%.2f [%.2f %.2f]", ratio, fb_json_num(ci, "low"),
                 fb_json_num(ci, "high"));
    else
        snprintf(out, FB_TABLE_CELL, "%.2f", ratio);
}

struct titles {
    char path[4], ns[TEXT + 4], bits[TEXT + 12], ratio[TEXT];
};

/* The cells that differ in what columns differ in: *n of them. */
static void find_columns(const struct block *b, const json_t *columns[MOST_COLUMNS], size_t *n)
{
    size_t i;
    json_t *cell;
    *n = 0;
    json_array_foreach((json_t *)b->cells, i, cell) {
        bool known = !in_block(b, cell) || (b->by == BY_SIZE && !isfinite(size_of(cell)));
        for (size_t c = 0; c < *n && !known; c++)
            known = same_along(cell, columns[c], b->by);
        if (!known && *n < MOST_COLUMNS)
            columns[(*n)++] = cell;
    }
}

/* Markdown names what a column differs in where its times stand, text above the ratios where that
 * is long. */
static void add_column(struct fb_column **to, const char *name, size_t by, size_t number,
                       struct titles *t, bool markdown)
{
    const char *ns = by == BY_SIZE ? "ns" : by == BY_HITS && !markdown ? "" : name;
    const char *ratio = by == BY_FOOTPRINT || markdown ? "ratio" : name;
    snprintf(t->path, sizeof t->path, "%zu", number % MOST_COLUMNS);
    snprintf(t->ns, sizeof t->ns, "%s%s", ns, markdown && by != BY_SIZE ? " ns" : "");
    snprintf(t->bits, sizeof t->bits, markdown ? "%s: bits/key" : "bits", name);
    snprintf(t->ratio, sizeof t->ratio, "%s", ratio);
    if (by == BY_SIZE)
        *(*to)++ = (struct fb_column){t->bits, t->path, .show = show_bits, .width = 7};
    *(*to)++ =
        (struct fb_column){t->ns, t->path, .show = show_ns, .width = by == BY_FOOTPRINT ? 5 : 8};
    *(*to)++ = (struct fb_column){t->ratio, t->path, .show = show_ratio, .left = true, .width = 20};
}

/* The line of `first`, which no cell of the block before it is of; NULL where one is. */
static json_t *line_of(const struct block *b, size_t first, const json_t *const *columns,
                       const struct titles *titles, size_t n)
{
    json_t *line = json_array_get(b->cells, first), *cell;
    if (!in_block(b, line))
        return NULL;
    json_t *row = json_pack("{s:O}", "line", line);
    for (size_t i = 0; i < json_array_size(b->cells); i++) {
        cell = json_array_get(b->cells, i);
        if (!in_block(b, cell) || !same_line(cell, line))
            continue;
        if (i < first) {
            json_decref(row);
            return NULL;
        }
        for (size_t c = 0; c < n; c++)
            if (same_along(cell, columns[c], b->by) && !json_object_get(row, titles[c].path))
                json_object_set(row, titles[c].path, cell);
    }
    return row;
}

/* sizes: several were measured. */
static void print_block(FILE *file, const struct block *b, bool sizes, enum fb_table_style style)
{
    const json_t *of[MOST_COLUMNS];
    struct titles titles[MOST_COLUMNS];
    struct fb_column columns[2 + 3 * MOST_COLUMNS + 1] = {
        {"design", "line.design", .left = true, .width = 17},
        {"kernel", "line", .show = fb_kernels_show_kernel, .left = true, .width = 20},
    };
    struct fb_column *end = columns + 2;
    struct fb_table table = {.columns = columns};
    char hits[TEXT], size[TEXT] = "", name[TEXT], heading[4 * TEXT];
    size_t n;
    find_columns(b, of, &n);
    for (size_t c = 0; c < n; c++) {
        column_name(of[c], b->by, name);
        add_column(&end, name, b->by, c, &titles[c], style == FB_TABLE_MARKDOWN);
    }
    hits_name(b->fixed, hits);
    if (sizes && b->by != BY_SIZE)
        size_name(b->fixed, size);
    snprintf(heading, sizeof heading, "%s: %s%s%s%s%s", b->operation,
             b->by != BY_FOOTPRINT ? fb_json_str(b->fixed, "footprint") : hits,
             b->by == BY_SIZE ? ", " : "", b->by == BY_SIZE ? hits : "", *size ? ", " : "", size);
    fb_table_heading(&table, heading);
    for (size_t i = 0; i < json_array_size(b->cells); i++) {
        json_t *row = line_of(b, i, of, titles, n);
        if (row)
            fb_table_row(&table, "", row);
        json_decref(row);
    }
    fb_table_finish(&table, file, style);
    fputc('\n', file);
}

/* Columns are the sizes where there are several, else the hit ratios, else the footprints; a block
 * for each combination of the others. */
static void print_operation(FILE *file, const json_t *cells, const char *operation,
                            enum fb_table_style style)
{
    bool sizes = several(cells, operation, BY_SIZE);
    struct block b = {.cells = cells,
                      .operation = operation,
                      .by = sizes                                ? BY_SIZE
                            : several(cells, operation, BY_HITS) ? BY_HITS
                                                                 : BY_FOOTPRINT};
    for (size_t i = 0; i < json_array_size(cells); i++) {
        bool known = strcmp(fb_json_str(json_array_get(cells, i), "operation"), operation) != 0;
        b.fixed = json_array_get(cells, i);
        for (size_t j = 0; j < i && !known; j++)
            known = in_block(&b, json_array_get(cells, j));
        if (!known)
            print_block(file, &b, sizes, style);
    }
}

void fb_kernels_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *cells = json_object_get(document, "cells");
    for (int o = 0; o < FB_OP_PLAIN; o++)
        print_operation(file, cells, fb_operation_name((enum fb_operation)o), style);
    fb_kernels_scaling_table(file, cells, style);
    fb_kernels_notes(file, document);
}

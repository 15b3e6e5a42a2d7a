/* Results of kind "kernels" as tables: a line for each design and kernel, a column for each
 * footprint; or for each load, size, or hit ratio, where several were measured. */
#include <math.h>
#include <string.h>

#include "harness/document/points.h"
#include "harness/kind/kernels/kernels.h"

enum { MOST_COLUMNS = 64, TEXT = 64 };

/* What columns differ in. */
enum dimension { BY_LOAD, BY_SIZE, BY_HITS, BY_FOOTPRINT };

/* Inserts of new keys, which cost more, have a block apart from those of keys that are in. */
static const char new_keys[] = "insert of new keys";

/* The block that a cell stands in: the whole of a build and its parts share one. */
static const char *block_of(const json_t *cell)
{
    const enum fb_operation operation = fb_operation_find(fb_json_str(cell, "operation"));
    if (operation == FB_OP_INSERT &&
        !strcmp(fb_json_str(cell, "hit_ratio_reason"), fb_kernels_new_keys))
        return new_keys;
    return operation == FB_N_OPERATIONS
               ? ""
               : fb_operation_name(fb_operation_builds(operation) &&
                                           !fb_operation_has_peer(operation)
                                       ? FB_OP_BUILD
                                       : operation);
}

/* Whether a cell stands in the block; controls, which remove nothing, do in both of the inserts. */
static bool of_operation(const json_t *cell, const char *operation)
{
    const char *block = block_of(cell);
    return !strcmp(block, operation) ||
           (operation == new_keys && !strcmp(block, fb_operation_name(FB_OP_INSERT)) &&
            fb_is_control(fb_json_str(cell, "design")));
}

static double size_of(const json_t *cell)
{
    double bits = fb_json_num(cell, "params.bits_per_key");
    return isfinite(bits) ? bits : fb_json_num(cell, "params.fpr");
}

/* ---- Names ---- */

static void hits_name(const json_t *cell, const char *operation, char out[TEXT])
{
    double hits = fb_json_num(cell, "hit_ratio");
    if (hits > 0 && hits < 1)
        snprintf(out, TEXT, "%.4g %% present", 100 * hits);
    else
        strcpy(out, !strncmp(operation, "build", 5) ? "all keys"
                    : !strcmp(operation, "remove")  ? "keys that are in"
                    : !strcmp(operation, "mixed")   ? "a third each goes, is looked up and comes"
                    : operation == new_keys         ? "up to as many as it is to hold"
                    : !isfinite(hits)               ? "keys that are in already"
                    : hits > 0                      ? "present keys"
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

static void load_name(const json_t *cell, char out[TEXT])
{
    const double load = fb_json_num(cell, "load");
    *out = '\0';
    if (load > 0)
        snprintf(out, TEXT, "load %.4g", load);
}

static void column_name(const json_t *cell, const char *operation, enum dimension by,
                        char out[TEXT])
{
    if (by == BY_HITS)
        hits_name(cell, operation, out);
    else if (by == BY_LOAD)
        load_name(cell, out);
    else if (by == BY_SIZE)
        size_name(cell, out);
    else
        snprintf(out, TEXT, "%s", fb_json_str(cell, "footprint"));
}

/* "batch: L1, absent keys", "walk, 8 filters a key: absent keys": the operation, and what columns
 * do not differ in. */
static void heading_of(const json_t *cell, const char *operation, enum dimension by,
                       char out[3 * TEXT])
{
    char hits[TEXT];
    const char *footprint = by == BY_FOOTPRINT ? "" : fb_json_str(cell, "footprint");
    char runs[TEXT] = "";
    const uint64_t n_runs = fb_json_uint(cell, "runs");
    hits_name(cell, operation, hits);
    if (n_runs)
        snprintf(runs, sizeof runs, ", %d filters a key", (int)n_runs);
    snprintf(out, (size_t)3 * TEXT, "%s%s: %s%s%s", operation, runs, footprint,
             by == BY_SIZE || by == BY_LOAD ? ", " : "", by == BY_HITS ? "" : hits);
}

/* Whether the cells of an operation differ in that. */
static bool several(const json_t *cells, const char *operation, enum dimension by)
{
    char first[TEXT] = "", name[TEXT];
    FB_EACH(cell, cells) {
        column_name(cell, operation, by, name);
        if (!of_operation(cell, operation) || !*name)
            continue;
        if (*first && strcmp(first, name))
            return true;
        strcpy(first, name);
    }
    return false;
}

/* ---- Columns: a row is {line: a cell, "0": the cell of the first column, ...} ---- */

/* Delivered bits per key; '!' where the filter does not have the rate asked for. */
static void show_bits(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *cell = fb_json_at(row, c->path);
    double bits = fb_json_num(cell, "filter.bits_per_key");
    const bool own = fb_has_own_size(fb_json_str(cell, "design"), json_object_get(cell, "params"));
    if ((own || isfinite(size_of(cell))) && isfinite(bits))
        snprintf(out, FB_TABLE_CELL, "%.2f%s", bits,
                 own                       ? "^"
                 : fb_kernels_is_off(cell) ? "!"
                                           : "");
}

/* Of sizes by rate: the rate that the design predicts for itself, and its bits over the fewest that
 * any filter of that rate has, log2(1 / rate): "0.39 %, 1.13". */
static void show_over(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *cell = fb_json_at(row, c->path);
    const double over = fb_kernels_over(cell);
    if (fb_json_num(cell, "params.fpr") > 0 && isfinite(over))
        snprintf(out, FB_TABLE_CELL, "%.3g %%, %.2f", 100 * fb_json_num(cell, "predicted_fpr"),
                 over);
}

/* Bytes a key that a build holds; with "x2" where it took two attempts. */
static void show_held(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *cell = fb_json_at(row, c->path);
    const double held = fb_kernels_held(cell), attempts = fb_json_num(cell, "build.attempts");
    if (!isfinite(held))
        return;
    snprintf(out, FB_TABLE_CELL, "%.1f", held);
    if (attempts > 1)
        fb_append(out, FB_TABLE_CELL, " x%.0f", attempts);
}

static void show_ns(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double ns = fb_json_num(fb_json_at(row, c->path), "time.median");
    fb_show_number(ns, ns < 10 ? "%.3f" : "%.2f", out);
}

static void show_ratio(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *cell = fb_json_at(row, c->path);
    double ratio = fb_json_num(cell, "time.ratio");
    if (isfinite(ratio))
        fb_show_number(ratio, "%.2f", out);
    else
        strcpy(out, cell ? "yardstick" : "");
}

/* "[1.21 1.25]" */
static void show_interval(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *ci = fb_json_at(fb_json_at(row, c->path), "time.ratio_ci95");
    if (json_is_object(ci))
        snprintf(out, FB_TABLE_CELL, "[%.2f %.2f]", fb_json_num(ci, "low"),
                 fb_json_num(ci, "high"));
}

/* "1.23 [1.21 1.25]" */
static void show_both(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    char interval[FB_TABLE_CELL] = "";
    show_ratio(row, c, out);
    show_interval(row, c, interval);
    if (*interval)
        fb_append(out, FB_TABLE_CELL, " %.60s", interval);
}

/* Of a block of builds, whose lines are the whole and its parts. */
static void show_part(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const char *operation = fb_json_str(fb_json_at(row, c->path), "operation");
    if (fb_operation_builds(fb_operation_find(operation)) &&
        !fb_operation_has_peer(fb_operation_find(operation)))
        snprintf(out, FB_TABLE_CELL, "%.40s", operation);
}

/* Of a line of several loads: its size. */
static void show_size(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    char size[TEXT];
    const json_t *cell = fb_json_at(row, c->path);
    size_name(cell, size);
    if (fb_json_num(cell, "load") > 0)
        snprintf(out, FB_TABLE_CELL, "%s", size);
}

struct titles {
    char path[4], ns[TEXT + 4], bits[TEXT + 12], over[TEXT + 24], held[TEXT + 12], ratio[TEXT];
};

/* What a column differs in is named where its times stand; by text above the ratios where that is
 * long. Text has a column for the intervals, the first to be spared, directly behind the ratios. */
static void add_column(struct fb_column **to, const char *name, enum dimension by, size_t number,
                       struct titles *t, bool markdown)
{
    const bool above_ratio = (by == BY_HITS || by == BY_LOAD) && !markdown;
    const char *ns = by == BY_SIZE && markdown ? "ns" : above_ratio ? "" : name;
    const char *ratio = above_ratio ? name : "ratio";
    snprintf(t->path, sizeof t->path, "%zu", number % MOST_COLUMNS);
    snprintf(t->ns, sizeof t->ns, "%s%s", ns, markdown != (by == BY_SIZE) ? " ns" : "");
    snprintf(t->bits, sizeof t->bits, markdown ? "%s: bits/key" : "bits", name);
    snprintf(t->ratio, sizeof t->ratio, "%s", ratio);
    snprintf(t->over, sizeof t->over, markdown ? "%s: rate, bits over bound" : "rate, over", name);
    snprintf(t->held, sizeof t->held, markdown ? "%s: bytes held/key" : "held", name);
    if (by == BY_SIZE) {
        *(*to)++ =
            (struct fb_column){t->bits,           t->path,    .member = "filter.bits_per_key",
                               .show = show_bits, .width = 7, .spare = 2};
        *(*to)++ =
            (struct fb_column){t->over,           t->path,          .member = "predicted_fpr",
                               .show = show_over, .optional = true, .spare = 5};
    }
    *(*to)++ = (struct fb_column){t->ns, t->path, .member = "time.median", .show = show_ns,
                                  .width = by == BY_FOOTPRINT ? 5 : 8};
    *(*to)++ = (struct fb_column){t->ratio,
                                  t->path,
                                  .member = "time.ratio",
                                  .show = markdown ? show_both : show_ratio,
                                  .left = markdown,
                                  .spare = 3,
                                  .best = FB_LEAST};
    if (!markdown)
        *(*to)++ = (struct fb_column){"",
                                      t->path,
                                      .member = "time.ratio_ci95",
                                      .show = show_interval,
                                      .optional = true,
                                      .left = true,
                                      .spare = 4};
    *(*to)++ = (struct fb_column){t->held, t->path, .member = "build.temporary_bytes",
                                  .show = show_held, .optional = true};
}

/* The member, which becomes `fresh` (taken over) where there is none. */
static json_t *find_or_set(json_t *object, const char *name, json_t *fresh)
{
    if (json_object_get(object, name))
        json_decref(fresh);
    else
        json_object_set_new(object, name, fresh);
    return json_object_get(object, name);
}

/* {heading: {"columns": {name: its number}, "lines": {name: row}}} of the cells of an operation. */
static json_t *blocks_of(const json_t *cells, const char *operation, enum dimension by)
{
    json_t *blocks = json_object();
    FB_EACH(cell, cells) {
        char heading[3 * TEXT], column[TEXT], line[5 * TEXT], number[8], size[TEXT];
        if (!of_operation(cell, operation))
            continue;
        heading_of(cell, operation, by, heading);
        column_name(cell, operation, by, column);
        *size = '\0';
        if (by == BY_LOAD)
            size_name(cell, size);
        snprintf(line, sizeof line, "%s/%s/%s/%s/%s", fb_json_str(cell, "design"),
                 fb_json_str(cell, "isa"), fb_json_str(cell, "style"),
                 fb_json_str(cell, "operation"), size);
        json_t *block = find_or_set(blocks, heading, json_pack("{s:{}, s:{}}", "columns", "lines"));
        json_t *row =
            find_or_set(json_object_get(block, "lines"), line, json_pack("{s:O}", "line", cell));
        json_t *columns = json_object_get(block, "columns");
        const size_t n = json_object_size(columns);
        if (!*column || (n == MOST_COLUMNS && !json_object_get(columns, column)))
            continue; /* without a size it stands in every column */
        snprintf(number, sizeof number, "%d",
                 (int)json_integer_value(find_or_set(columns, column, fb_json_int(n))));
        find_or_set(row, number, json_incref(cell));
    }
    return blocks;
}

static bool is_apart(const json_t *row)
{
    return fb_is_control(fb_json_str(row, "line.design"));
}

/* Whether a cell stands in the block. */
static bool has(const json_t *block, const json_t *cell)
{
    FB_EACH_MEMBER(name, row, json_object_get(block, "lines"))
        FB_EACH_MEMBER(place, there, row)
            if (there == cell)
                return true;
    return false;
}

static void print_block(FILE *file, const char *heading, const json_t *block, enum dimension by,
                        enum fb_table_style style)
{
    struct titles titles[MOST_COLUMNS];
    struct fb_column columns[4 + 6 * MOST_COLUMNS + 1] = {
        {"design", "line.design", .left = true, .width = 17},
        {"kernel", "line", .member = "isa", .show = fb_kernels_show_kernel, .left = true,
         .width = 20},
        {"what", "line", .member = "operation", .show = show_part, .left = true, .optional = true},
        {"sized by", "line", .member = "params.bits_per_key", .show = show_size, .left = true,
         .optional = true, .spare = 5},
    };
    struct fb_column *end = columns + 4;
    struct fb_table table = {.columns = columns, .apart = is_apart};
    size_t n = 0;
    FB_EACH_MEMBER(name, number, json_object_get(block, "columns")) {
        struct fb_column *c = end;
        add_column(&end, name, by, n, &titles[n], style == FB_TABLE_MARKDOWN);
        n++;
        for (; c < end; c++)
            c->block = (int)n;
    }
    fb_table_heading(&table, heading);
    FB_EACH_MEMBER(name, row, json_object_get(block, "lines")) {
        json_t *line = json_object_get(row, "line");
        const bool everywhere = by == BY_SIZE   ? !isfinite(size_of(line))
                                : by == BY_LOAD ? !(fb_json_num(line, "load") > 0)
                                                : false;
        for (size_t c = 0; everywhere && c < n; c++)
            json_object_set(row, titles[c].path, line);
        fb_table_row(&table, "", row);
    }
    fb_table_finish(&table, file, style);
    fputc('\n', file);
}

/* Columns are the sizes where there are several, else the hit ratios, else the footprints; a block
 * for each combination of the others. */
static void print_operation(FILE *file, const json_t *cells, const char *operation,
                            const json_t *spoken, enum fb_table_style style)
{
    const enum dimension by = several(cells, operation, BY_LOAD)   ? BY_LOAD
                              : several(cells, operation, BY_SIZE) ? BY_SIZE
                              : several(cells, operation, BY_HITS) ? BY_HITS
                                                                   : BY_FOOTPRINT;
    json_auto_t *blocks = blocks_of(cells, operation, by);
    FB_EACH_MEMBER(heading, block, blocks)
        if (has(block, spoken) || fb_table_further(style))
            print_block(file, heading, block, by, style);
}

/* Whether a design, no control, stands in the block. */
static bool any_design(const json_t *cells, const char *operation)
{
    FB_EACH(cell, cells)
        if (of_operation(cell, operation) && !fb_is_control(fb_json_str(cell, "design")))
            return true;
    return false;
}

void fb_kernels_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *cells = json_object_get(document, "cells");
    const json_t *spoken = fb_versus_spoken(document);
    const bool comes = any_design(cells, new_keys);
    for (int o = 0; o <= FB_OP_PLAIN; o++) {
        const char *operation = fb_operation_name((enum fb_operation)o);
        if (o != FB_OP_INSERT || !comes || any_design(cells, operation))
            print_operation(file, cells, operation, spoken, style);
        if (o == FB_OP_INSERT && comes)
            print_operation(file, cells, new_keys, spoken, style);
    }
    fb_kernels_scaling_table(file, cells, style);
    fb_kernels_notes(file, document);
}

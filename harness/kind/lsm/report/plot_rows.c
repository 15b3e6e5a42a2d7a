#include "harness/kind/lsm/report/plot_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/filter.h"
#include "harness/document/result.h"

static bool is_control(const char *name)
{
    const struct fb_design *design = fb_design_find(name);
    return design && design->traits & FB_CONTROL;
}

static size_t place_of(const char *name)
{
    size_t i = 0;
    while (i < fb_n_designs() && strcmp(fb_design_at(i)->name, name))
        i++;
    return i;
}

static const json_t *reference_of(const json_t *document, const char *design,
                                  const struct fb_row_figure *figure)
{
    const json_t *best = NULL;
    double least = INFINITY;
    size_t i;
    json_t *cell;
    json_array_foreach(json_object_get(document, "cells"), i, cell)
    {
        double distance = figure->distance(cell);
        if (strcmp(fb_json_str(cell, "design"), design) || !(distance < least))
            continue;
        least = distance;
        best = cell;
    }
    return best;
}

static bool is_free(const struct fb_row_figure *figure, const char *member)
{
    for (const char *const *name = figure->free_members; *name; name++)
        if (!strncmp(member, *name, strlen(*name))) /* "fpr_reason" goes with "fpr" */
            return true;
    return false;
}

static bool alike(const json_t *cell, const json_t *reference, const struct fb_row_figure *figure)
{
    static const char *const same[] = {"design", "keys", "n", "tree.style", "tree.runs", NULL};
    const char *name;
    json_t *value;
    if (!fb_json_same(cell, reference, same))
        return false;
    json_object_foreach(json_object_get((json_t *)reference, "params"), name, value)
    {
        if (!is_free(figure, name) &&
            !json_equal(value, json_object_get(json_object_get(cell, "params"), name)))
            return false;
    }
    return true;
}

static int by_line(const void *left, const void *right)
{
    const struct fb_row *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    int order = strcmp(a->design, b->design);
    if (order)
        return order;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->x > b->x) - (a->x < b->x);
}

/* The rows of one design in a document: a value of x once a line. Their number. */
static size_t rows_in(const json_t *document, const char *design,
                      const struct fb_row_figure *figure, struct fb_row *rows)
{
    const json_t *reference = reference_of(document, design, figure);
    size_t i, n = 0, lines = 0;
    json_t *cell;
    json_array_foreach(json_object_get(document, "cells"), i, cell)
    {
        const char *line = figure->line ? fb_json_str(cell, figure->line) : "";
        struct fb_row row = {document,         cell,  design,         line,
                             place_of(design), lines, figure->x(cell)};
        bool again = false;
        if (!reference || !isfinite(row.x) || isnan(figure->distance(cell)) ||
            !alike(cell, reference, figure))
            continue;
        for (size_t j = 0; j < n; j++)
            if (!strcmp(rows[j].line, line)) {
                row.order = rows[j].order;
                again = again || rows[j].x == row.x;
            }
        lines += row.order == lines;
        if (!again)
            rows[n++] = row;
    }
    return n;
}

/* Those of the document that has most of them, of equals the first. rows has room for two. */
static size_t add_design(const json_t *documents, const char *design,
                         const struct fb_row_figure *figure, struct fb_row *rows)
{
    size_t most = 0;
    for (size_t d = 0; d < json_array_size(documents); d++) {
        const json_t *document = json_array_get(documents, d);
        size_t n = strcmp(fb_json_str(document, "kind"), "lsm")
                       ? 0
                       : rows_in(document, design, figure, rows + most);
        if (n > most) {
            memmove(rows, rows + most, n * sizeof *rows);
            most = n;
        }
    }
    return most;
}

struct fb_row *fb_rows(const json_t *documents, const struct fb_row_figure *figure, size_t *n)
{
    size_t most = 0;
    *n = 0;
    for (size_t d = 0; d < json_array_size(documents); d++)
        most += json_array_size(json_object_get(json_array_get(documents, d), "cells"));
    struct fb_row *rows = calloc(2 * most + 1, sizeof *rows);
    for (size_t d = 0; rows && d < json_array_size(documents); d++) {
        const json_t *document = json_array_get(documents, d);
        size_t i;
        json_t *cell;
        if (strcmp(fb_json_str(document, "kind"), "lsm"))
            continue;
        json_array_foreach(json_object_get(document, "cells"), i, cell)
        {
            const char *design = fb_json_str(cell, "design");
            bool seen = is_control(design);
            for (size_t j = 0; j < *n; j++)
                seen = seen || !strcmp(rows[j].design, design);
            if (!seen)
                *n += add_design(documents, design, figure, rows + *n);
        }
    }
    if (rows)
        qsort(rows, *n, sizeof *rows, by_line);
    return rows;
}

bool fb_rows_write(const json_t *documents, const struct fb_row_figure *figure, FILE *file)
{
    size_t n;
    bool any = false;
    struct fb_row *rows = fb_rows(documents, figure, &n);
    fprintf(file, "%s\n", figure->header);
    for (size_t i = 0; rows && i < n; i++) {
        const struct fb_row *r = &rows[i];
        double values[FB_ROW_VALUES];
        const char *said = figure->values(r->document, r->cell, values);
        fprintf(file, "%s\t%s\t%.6g", r->design, *r->line ? r->line : "-", r->x);
        for (size_t v = 0; v < figure->n_values; v++)
            fprintf(file, "\t%.6g", values[v]);
        fprintf(file, "\t%s\n", said);
        any = any || (i && r[-1].order == r->order && !strcmp(r[-1].design, r->design));
    }
    free(rows);
    return any;
}

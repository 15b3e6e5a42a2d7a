/* Instructions as a table: a line for each kernel, a column for each operation. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/screen.h"
#include "harness/document/points.h"
#include "harness/kind/icount/icount.h"

enum { MOST_OPERATIONS = 32, NAME = 32 };

/* "batch 0 %": the column of a cell. */
static void name_column(const json_t *cell, char out[NAME])
{
    double hits = fb_json_num(cell, "hit_ratio");
    snprintf(out, NAME, "%.10s", fb_json_str(cell, "operation"));
    if (hits == 0 || hits == 1)
        snprintf(out + strlen(out), NAME - 10, hits > 0 ? ", present" : ", absent");
    else if (hits > 0)
        snprintf(out + strlen(out), NAME - 10, ", %.4g %%", 100 * hits);
}

/* The columns that some cell is in, in the order of first appearance; returns how many. */
static size_t find_columns(const json_t *cells, char names[MOST_OPERATIONS][NAME])
{
    size_t n = 0;
    FB_EACH(cell, cells) {
        char name[NAME];
        size_t known = 0;
        name_column(cell, name);
        while (known < n && strcmp(names[known], name) != 0)
            known++;
        if (known == n && n < MOST_OPERATIONS)
            strcpy(names[n++], name);
    }
    return n;
}

static bool same_line(const json_t *a, const json_t *b)
{
    static const char *const paths[] = {"design", "bits_per_key", "filter.n_keys",
                                        "isa",    "style",        NULL};
    return a == b || fb_json_same(a, b, paths); /* a line holds its own cell, whatever it lacks */
}

static bool is_apart(const json_t *row)
{
    return fb_is_control(fb_json_str(row, "design"));
}

/* Why some are not counted, each reason once. */
static void print_reasons(FILE *file, const json_t *cells)
{
    json_auto_t *said = json_object();
    FB_EACH(cell, cells) {
        const char *why = fb_json_str(cell, "instructions_reason");
        if (*why && !json_object_get(said, why))
            fb_say(file, 3, "-: %s\n", why);
        json_object_set_new(said, why, json_true());
    }
}

void fb_icount_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    char names[MOST_OPERATIONS][NAME], keys[MOST_OPERATIONS][8], name[NAME];
    struct fb_column columns[MOST_OPERATIONS + 6] = {
        {"design", "design", .left = true},
        {"bits/key", "bits_per_key", .format = "%g", .spare = 2},
        {"keys", "filter.n_keys", .format = "%.0f", .spare = 3},
        {"kernel", "isa", .left = true},
        {"style", "style", .left = true}};
    struct fb_table table = {.columns = columns, .apart = is_apart};
    const json_t *cells = json_object_get(document, "cells");
    const size_t n = find_columns(cells, names);
    for (size_t c = 0; c < n; c++) {
        snprintf(keys[c], sizeof keys[c], "of%zu", c);
        columns[5 + c] = (struct fb_column){names[c],
                                            keys[c],
                                            .member = "per_operation",
                                            .format = "%.2f",
                                            .block = (int)c + 1,
                                            .best = FB_LEAST};
    }
    fb_table_heading(&table, "instructions an operation");
    for (size_t i = 0; i < json_array_size(cells);) {
        json_t *first = json_array_get(cells, i), *row = json_copy(first);
        for (; i < json_array_size(cells) && same_line(first, json_array_get(cells, i)); i++) {
            const json_t *cell = json_array_get(cells, i);
            name_column(cell, name);
            for (size_t c = 0; c < n; c++)
                if (!strcmp(names[c], name))
                    json_object_set(row, keys[c], json_object_get(cell, "per_operation"));
        }
        fb_table_row(&table, "", row);
        json_decref(row);
    }
    fb_table_finish(&table, file, style);
    print_reasons(file, cells);
    fb_result_notes(file, document);
}

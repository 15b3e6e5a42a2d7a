#include "harness/document/cells.h"

#include <math.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/document/points.h"

enum { MOST_ROWS = 48, ID_SIZE = 300 };

void fb_cells_add(json_t *rows, const json_t *cell, const struct fb_cell_row *row)
{
    const char *more = row->more ? row->more : "";
    if (!isfinite(row->value))
        return;
    json_array_append_new(
        rows,
        json_pack("{s:s, s:o, s:s, s:f, s:o, s:o, s:o}", "design", fb_json_str(cell, "design"),
                  "id", json_sprintf("%s%s%s", fb_json_str(cell, "id"), *more ? "/" : "", more),
                  "unit", row->unit ? row->unit : "-", "value", row->value, "low",
                  fb_json_number(row->low), "high", fb_json_number(row->high), "reference",
                  fb_json_number(row->reference)));
}

/* Those of an id between slashes, a list. */
static json_t *parts_of(const char *id)
{
    char parts[ID_SIZE], *rest = NULL;
    json_t *list = json_array();
    snprintf(parts, sizeof parts, "%s", id);
    for (char *part = strtok_r(parts, "/", &rest); part; part = strtok_r(NULL, "/", &rest))
        json_array_append_new(list, json_string(part));
    return list;
}

/* The parts that all n rows have, or those that tell the row from others; n_with: rows by part. */
static json_t *joined(const json_t *parts, const json_t *n_with, json_int_t n, bool common,
                      const char *otherwise)
{
    char text[ID_SIZE] = "";
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const char *part = json_string_value(json_array_get(parts, i));
        if ((json_integer_value(json_object_get(n_with, part)) == n) == common)
            fb_append(text, sizeof text, "%s%s", *text ? " " : "", part);
    }
    return json_string(*text ? text : otherwise);
}

static void name_rows(json_t *rows)
{
    const json_int_t n = (json_int_t)json_array_size(rows);
    json_auto_t *all = json_array(), *n_with = json_object();
    FB_EACH(row, rows) {
        json_t *parts = parts_of(fb_json_str(row, "id"));
        json_array_append_new(all, parts);
        FB_EACH(part, parts) {
            const char *text = json_string_value(part);
            json_object_set_new(
                n_with, text, json_integer(json_integer_value(json_object_get(n_with, text)) + 1));
        }
    }
    FB_EACH_AT(i, row, rows) {
        const json_t *parts = json_array_get(all, i);
        json_object_set_new(row, "name",
                            joined(parts, n_with, n, false, fb_json_str(row, "design")));
        json_object_set_new(row, "common", joined(parts, n_with, n, true, "-"));
        json_object_set_new(row, "row", fb_json_int(i + 1));
        json_object_set_new(row, "rows", json_integer(n));
    }
}

static double number_at(const struct fb_cells_figure *figure, const json_t *cell, const char *path)
{
    return path ? fb_json_num(cell, path) * (figure->scale > 0 ? figure->scale : 1) : NAN;
}

static void add_numbers(const struct fb_cells_figure *figure, const json_t *cell, json_t *rows)
{
    fb_cells_add(
        rows, cell,
        &(struct fb_cell_row){.more = figure->more ? fb_json_str(cell, figure->more) : NULL,
                              .value = number_at(figure, cell, figure->value),
                              .low = number_at(figure, cell, figure->low),
                              .high = number_at(figure, cell, figure->high),
                              .reference = number_at(figure, cell, figure->reference)});
}

/* Puts rows of one id in the place of the first of them, and names those that have no place yet
 * after their result. */
static void letter_rows(json_t *rows, json_t *first, const char *letter)
{
    FB_EACH_AT(i, row, rows) {
        const char *id = fb_json_str(row, "id");
        if (json_object_get(row, "order"))
            continue;
        if (!json_object_get(first, id))
            json_object_set_new(first, id, fb_json_int(i));
        json_object_set(row, "order", json_object_get(first, id));
        if (*letter)
            json_object_set_new(row, "id", json_sprintf("%s/%s", id, letter));
    }
}

bool fb_cells_draw(const struct fb_cells_figure *figure, const json_t *documents, FILE *file)
{
    static const struct fb_point_column columns[] = {
        {"name", "name", NULL},
        {"design", "design", NULL},
        {"value", "value", NULL},
        {"low", "low", NULL},
        {"high", "high", NULL},
        {"reference", "reference", NULL},
        {"unit", "unit", NULL},
        {"row", "row", "%.0f"},
        {"rows", "rows", "%.0f"},
        {"common", "common", NULL},
        {0},
    };
    static const char *const order[] = {"order", NULL};
    json_auto_t *rows = json_array(), *first = json_object();
    FB_EACH(document, documents) {
        if (strcmp(fb_json_str(document, "kind"), figure->kind))
            continue;
        FB_EACH(cell, json_object_get(document, "cells")) {
            if (fb_is_control(fb_json_str(cell, "design")))
                continue;
            if (figure->tell)
                figure->tell(document, cell, rows);
            else
                add_numbers(figure, cell, rows);
        }
        letter_rows(rows, first, fb_json_str(document, "result"));
    }
    fb_points_sort(rows, order);
    name_rows(rows);
    const bool any = json_array_size(rows) > 0;
    while (json_array_size(rows) > MOST_ROWS)
        json_array_remove(rows, MOST_ROWS);
    fb_points_write(file, rows, columns);
    return any;
}

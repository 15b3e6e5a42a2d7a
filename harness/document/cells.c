#include "harness/document/cells.h"

#include <math.h>
#include <string.h>

#include "harness/base/json.h"
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

/* Calls `each` for the parts of an id between slashes. */
static void for_parts(const char *id, void (*each)(const char *part, void *self), void *self)
{
    char parts[ID_SIZE], *rest = NULL;
    snprintf(parts, sizeof parts, "%s", id);
    for (char *part = strtok_r(parts, "/", &rest); part; part = strtok_r(NULL, "/", &rest))
        each(part, self);
}

/* How many rows have a part. */
static json_int_t rows_with(const json_t *counts, const char *part)
{
    return json_integer_value(json_object_get(counts, part));
}

static void count_part(const char *part, void *counts)
{
    json_object_set_new(counts, part, json_integer(rows_with(counts, part) + 1));
}

struct name {
    json_t *counts;
    json_int_t n_rows;
    bool common; /* the parts that all have, not those that tell the row from others */
    char text[ID_SIZE];
};

static void add_part(const char *part, void *self)
{
    struct name *name = self;
    const size_t used = strlen(name->text);
    if ((rows_with(name->counts, part) < name->n_rows) != name->common)
        snprintf(name->text + used, sizeof name->text - used, "%s%s", used ? " " : "", part);
}

static void set_name(json_t *row, const char *member, struct name *name, bool common,
                     const char *otherwise)
{
    name->common = common;
    *name->text = '\0';
    for_parts(fb_json_str(row, "id"), add_part, name);
    json_object_set_new(row, member, json_string(*name->text ? name->text : otherwise));
}

static void name_rows(json_t *rows)
{
    struct name name = {.counts = json_object(), .n_rows = (json_int_t)json_array_size(rows)};
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
        for_parts(fb_json_str(row, "id"), count_part, name.counts);
    json_array_foreach(rows, i, row) {
        set_name(row, "name", &name, false, fb_json_str(row, "design"));
        set_name(row, "common", &name, true, "-");
        json_object_set_new(row, "row", fb_json_int(i + 1));
        json_object_set_new(row, "rows", json_integer(name.n_rows));
    }
    json_decref(name.counts);
}

bool fb_cells_write(FILE *file, const json_t *documents, const char *kind,
                    void (*tell)(const json_t *document, const json_t *cell, json_t *rows))
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
    json_t *rows = json_array(), *document, *cell;
    size_t d, i;
    json_array_foreach((json_t *)documents, d, document) {
        if (strcmp(fb_json_str(document, "kind"), kind))
            continue;
        json_array_foreach(json_object_get(document, "cells"), i, cell)
            if (!fb_is_control(fb_json_str(cell, "design")))
                tell(document, cell, rows);
    }
    name_rows(rows);
    const bool any = json_array_size(rows) > 0;
    while (json_array_size(rows) > MOST_ROWS)
        json_array_remove(rows, MOST_ROWS);
    fb_points_write(file, rows, columns);
    json_decref(rows);
    return any;
}

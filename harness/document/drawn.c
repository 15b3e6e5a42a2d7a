#include "harness/document/figure.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/document/cells.h"
#include "harness/document/points.h"

enum { NAME = 300 };

char *fb_drawn_table(const struct fb_figure *figure, const json_t *documents)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    const bool any = file && (figure->cells ? fb_cells_draw(figure->cells, documents, file)
                                            : figure->write(documents, file));
    if (file)
        fclose(file);
    for (char *at = any ? text : NULL; at && (at = strstr(at, "]]>"));)
        at[2] = ')'; /* gnuplot ends a text of XML there */
    if (any)
        return text;
    free(text);
    return NULL;
}

bool fb_drawn_is_new(json_t *seen, const char *table)
{
    const size_t before = json_object_size(seen);
    char *copy = strdup(table), *rest = NULL, line[4 * NAME];
    for (char *at = strtok_r(copy, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
        snprintf(line, sizeof line, "\t%s\t", at); /* each field between tabs */
        if (!strstr(line, "\tfront\t"))
            json_object_set_new(seen, line, json_true());
    }
    free(copy);
    return json_object_size(seen) > before;
}

/* ---- Parts ---- */

/* "n=1000", of an object the first member that is a number; "": the cell is in every part. */
static void value_text(const json_t *cell, const char *path, char out[NAME])
{
    const json_t *value = fb_json_at(cell, path), *member;
    const char *dot = strrchr(path, '.'), *name = dot ? dot + 1 : path, *key;
    *out = '\0';
    if (json_is_number(value))
        snprintf(out, NAME, "%s=%.9g", name, json_number_value(value));
    else if (json_is_string(value))
        snprintf(out, NAME, "%s=%s", name, json_string_value(value));
    json_object_foreach((json_t *)value, key, member)
        if (!*out && !fb_json_is_reason(key))
            value_text(value, key, out);
}

/* Adds the document, split by what its cells differ in. */
static void split(json_t *parts, json_t *document, const char *held, const char *of)
{
    const size_t len = strcspn(held, ",");
    json_t *values = json_object(), *cells, *cell;
    char text[NAME], path[NAME];
    const char *value;
    size_t i;
    snprintf(path, sizeof path, "%.*s", (int)len, held);
    json_array_foreach(json_object_get(document, "cells"), i, cell) {
        value_text(cell, path, text);
        if (*text)
            json_object_set_new(values, text, json_array());
    }
    json_object_foreach(values, value, cells) {
        json_t *part = json_copy(document);
        json_array_foreach(json_object_get(document, "cells"), i, cell) {
            value_text(cell, path, text);
            if (!*text || !strcmp(text, value))
                json_array_append(cells, cell);
        }
        json_object_set(part, "cells", cells);
        snprintf(text, sizeof text, "%.200s%s%.90s", of, *of ? " " : "", value);
        split(parts, part, held + len + (held[len] == ','),
              json_object_size(values) > 1 ? text : of);
        json_decref(part);
    }
    if (!json_object_size(values))
        json_object_set(parts, of, document);
    json_decref(values);
}

json_t *fb_drawn_parts(const struct fb_figure *figure, const json_t *documents)
{
    json_t *parts = json_object();
    char of[32] = "";
    for (size_t d = 0; figure->held && d < json_array_size(documents); d++) {
        if (d)
            snprintf(of, sizeof of, "result %zu", d + 1);
        split(parts, json_array_get(documents, d), figure->held, of);
    }
    return parts;
}

/* ---- Designs ---- */

static bool has(const json_t *seen, const char *design, const char *footprint)
{
    char fields[2][NAME];
    const char *line;
    json_t *value;
    snprintf(fields[0], NAME, "\t%s\t", design);
    snprintf(fields[1], NAME, "\t%s\t", footprint);
    json_object_foreach((json_t *)seen, line, value)
        if (strstr(line, fields[0]) && (!*footprint || strstr(line, fields[1])))
            return true;
    return false;
}

/* Adds how many rows of cells a picture shows, of how many. */
static void tell_cut(const json_t *seen, char *text, size_t size)
{
    const size_t used = strlen(text);
    const char *line;
    json_t *value;
    int row = 0, rows = 0;
    if (has(seen, "row", "rows"))
        json_object_foreach((json_t *)seen, line, value)
            (void)sscanf(line, "\t%*[^\t]\t%*s %*s %*s %*s %*s %*[^\t] %d %d", &row, &rows);
    if (row < rows)
        snprintf(text + used, size - used,
                 "%sIt shows %d of %d rows. 'filterbench export RESULT --to csv' has all.",
                 used ? " " : "", row, rows);
}

void fb_drawn_missing(const struct fb_figure *figure, const json_t *seen, const json_t *documents,
                      char *text, size_t size)
{
    const bool by_footprint = has(seen, "design", "footprint");
    json_t *document, *cell;
    char name[NAME];
    size_t d, i;
    *text = '\0';
    json_array_foreach((json_t *)documents, d, document) {
        json_t *alone = json_pack("[O]", document);
        char *table = fb_drawn_table(figure, alone);
        json_array_foreach(table ? json_object_get(document, "cells") : NULL, i, cell) {
            const char *design = fb_json_str(cell, "design");
            const char *in = by_footprint ? fb_json_str(cell, "footprint") : "";
            if (!*design || fb_is_control(design) || has(seen, design, in) ||
                *fb_json_str(cell, "left_out")) /* of advise: it was not compared */
                continue;
            snprintf(name, sizeof name, has(seen, design, "") ? " %.200s in %.60s," : " %.200s,",
                     design, in);
            if (!strstr(text, name))
                snprintf(text + strlen(text), size - strlen(text), "%s%s",
                         *text ? "" : "Not in this picture:", name);
        }
        json_decref(alone);
        free(table);
    }
    if (*text)
        snprintf(text + strlen(text) - 1, size - strlen(text) + 1, ".");
    tell_cut(seen, text, size);
}

#include "harness/base/message.h"
#include "harness/document/figure.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/document/cells.h"
#include "harness/document/points.h"

enum { NAME = 300 };

/* ---- Several results ---- */

static bool same_experiment(const json_t *a, const json_t *b)
{
    static const char *const paths[] = {"kind", "experiment_hash", NULL};
    return fb_json_same(a, b, paths);
}

void fb_drawn_letter(const json_t *documents, const json_t *names)
{
    static const char *const kind[] = {"kind", NULL};
    FB_EACH_AT(i, document, documents) {
        size_t before = 0, n = 0;
        bool machines = false;
        const char *cpu = fb_json_str(document, "machine.cpu_model");
        FB_EACH_AT(j, other, documents) {
            const bool same = fb_json_same(document, other, kind);
            n += same;
            before += same && j < i;
            machines |= same && strcmp(cpu, fb_json_str(other, "machine.cpu_model"));
        }
        if (n < 2)
            continue;
        json_object_set_new(document, "result", json_sprintf("%c", (char)('A' + before % 26)));
        json_object_set_new(document, "result_name",
                            json_sprintf("%s%s%s", json_string_value(json_array_get(names, i)),
                                         machines ? ", " : "", machines ? cpu : ""));
    }
}

char *fb_drawn_plain(char *text)
{
    for (char *c = text; *c; c++)
        if (*c == '\\' || *c == '"')
            *c = *c == '"' ? '\'' : '/';
        else if (!strncmp(c, "]]>", 3))
            c[2] = ')';
    return text;
}

static char *table_of(const struct fb_figure *figure, const json_t *documents)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    const bool any = file && (figure->cells ? fb_cells_draw(figure->cells, documents, file)
                                            : figure->write(documents, file));
    if (file)
        fclose(file);
    if (any)
        return fb_drawn_plain(text);
    free(text);
    return NULL;
}

static char *table_of_one(const struct fb_figure *figure, const json_t *document)
{
    json_auto_t *alone = json_pack("[O]", document);
    return table_of(figure, alone);
}

/* The results with a letter of the first experiment that the figure has data of. */
static json_t *of_one_experiment(const struct fb_figure *figure, const json_t *documents)
{
    json_t *same = json_array();
    FB_EACH(document, documents) {
        const json_t *first = json_array_get(same, 0);
        char *table = NULL;
        if (json_object_get(document, "result") &&
            (first ? same_experiment(first, document)
                   : (table = table_of_one(figure, document)) != NULL))
            json_array_append(same, document);
        free(table);
    }
    return same;
}

/* The lines of a table, [result] of each design, fronts under "". */
static void group_lines(json_t *groups, const char *table, size_t result, size_t n)
{
    const char *line = table + strcspn(table, "\n"), *end;
    for (; *line && line[1]; line = end) {
        line++;
        end = line + strcspn(line, "\n");
        const size_t len = strcspn(line, "\t");
        char design[NAME];
        snprintf(design, sizeof design, "%.*s", strncmp(line + len, "\tfront\t", 7) ? (int)len : 0,
                 line);
        json_t *group = json_object_get(groups, design);
        if (!group) {
            json_object_set_new(groups, design, group = json_array());
            for (size_t i = 0; i < n; i++)
                json_array_append_new(group, json_array());
        }
        json_array_append_new(json_array_get(group, result),
                              json_stringn(line, (size_t)(end - line)));
    }
}

/* One table of the same experiment: a design is "nori" where all results say the same of it, else
 * "nori(A)" and "nori(B)", one after the other. */
static char *table_beside(const struct fb_figure *figure, const json_t *same)
{
    const size_t n = json_array_size(same);
    json_t *groups = json_object(), *lines;
    char *text = NULL;
    size_t size, i;
    FILE *file = open_memstream(&text, &size);
    for (i = 0; i < n; i++) {
        char *table = table_of_one(figure, json_array_get(same, i));
        if (table && !json_object_size(groups))
            fprintf(file, "%.*s\n", (int)strcspn(table, "\n"), table);
        if (table)
            group_lines(groups, table, i, n);
        free(table);
    }
    FB_EACH_MEMBER(design, group, groups) {
        bool equal = true;
        for (i = 1; i < n; i++)
            equal &= json_equal(json_array_get(group, 0), json_array_get(group, i));
        json_array_foreach(group, i, lines)
            FB_EACH(line, i && equal ? NULL : lines) {
                const char *all = json_string_value(line), *rest = strchr(all, '\t');
                fprintf(file, "%.*s", (int)(rest - all), all);
                if (!equal)
                    fprintf(file, "(%s)", fb_json_str(json_array_get(same, i), "result"));
                fprintf(file, "%s\n", rest);
            }
    }
    json_decref(groups);
    fclose(file);
    return text;
}

char *fb_drawn_table(const struct fb_figure *figure, const json_t *documents)
{
    json_auto_t *same =
        figure->cells || figure->letters ? NULL : of_one_experiment(figure, documents);
    return json_array_size(same) > 1 ? table_beside(figure, same) : table_of(figure, documents);
}

void fb_drawn_results(const struct fb_figure *figure, const json_t *documents, char *text,
                      size_t size)
{
    size_t n = 0;
    *text = '\0';
    FB_EACH(document, documents) {
        const char *letter = fb_json_str(document, "result");
        char *table = *letter ? table_of_one(figure, document) : NULL;
        if (table)
            fb_append(text, size, " %s: %.200s.", letter, fb_json_str(document, "result_name"));
        free(table);
        n += table != NULL;
    }
    if (n > 1 && !figure->cells && !figure->letters)
        fb_append(text, size, " Without a letter: equal in all.");
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
    const json_t *value = fb_json_at(cell, path);
    const char *dot = strrchr(path, '.'), *name = dot ? dot + 1 : path;
    *out = '\0';
    if (json_is_number(value))
        snprintf(out, NAME, "%s=%.9g", name, json_number_value(value));
    else if (json_is_string(value))
        snprintf(out, NAME, "%s=%s", name, json_string_value(value));
    FB_EACH_MEMBER(key, member, value)
        if (!*out && !fb_json_is_reason(key))
            value_text(value, key, out);
}

/* Adds the document, split by what its cells differ in. */
static void split(json_t *parts, json_t *document, const char *held, const char *of)
{
    const size_t len = strcspn(held, ",");
    json_auto_t *values = json_object();
    char text[NAME], path[NAME];
    snprintf(path, sizeof path, "%.*s", (int)len, held);
    FB_EACH(cell, json_object_get(document, "cells")) {
        value_text(cell, path, text);
        if (*text)
            json_object_set_new(values, text, json_array());
    }
    FB_EACH_MEMBER(value, cells, values) {
        json_auto_t *part = json_copy(document);
        FB_EACH(cell, json_object_get(document, "cells")) {
            value_text(cell, path, text);
            if (!*text || !strcmp(text, value))
                json_array_append(cells, cell);
        }
        json_object_set(part, "cells", cells);
        snprintf(text, sizeof text, "%.200s%s%.90s", of, *of ? " " : "", value);
        split(parts, part, held + len + (held[len] == ','),
              json_object_size(values) > 1 ? text : of);
    }
    if (!json_object_size(values) && !json_object_get(parts, of))
        json_object_set_new(parts, of, json_array());
    if (!json_object_size(values))
        json_array_append(json_object_get(parts, of), document);
}

json_t *fb_drawn_parts(const struct fb_figure *figure, const json_t *documents)
{
    json_t *parts = json_object();
    for (size_t d = 0; figure->held && d < json_array_size(documents); d++) {
        char of[32] = "";
        size_t first = 0;
        while (first < d &&
               !same_experiment(json_array_get(documents, first), json_array_get(documents, d)))
            first++;
        if (first)
            snprintf(of, sizeof of, "result %zu", first + 1);
        split(parts, json_array_get(documents, d), figure->held, of);
    }
    return parts;
}

/* ---- Designs ---- */

static bool has(const json_t *seen, const char *design, const char *footprint)
{
    char fields[3][NAME];
    snprintf(fields[0], NAME, "\t%s\t", design);
    snprintf(fields[1], NAME, "\t%s\t", footprint);
    snprintf(fields[2], NAME, "\t%s(", design);
    FB_EACH_MEMBER(line, value, seen)
        if ((strstr(line, fields[0]) || strstr(line, fields[2])) &&
            (!*footprint || strstr(line, fields[1])))
            return true;
    return false;
}

/* Adds how many rows of cells a picture shows, of how many. */
static void tell_cut(const json_t *seen, char *text, size_t size)
{
    int row = 0, rows = 0;
    if (has(seen, "row", "rows"))
        FB_EACH_MEMBER(line, value, seen)
            (void)sscanf(line, "\t%*[^\t]\t%*s %*s %*s %*s %*s %*[^\t] %d %d", &row, &rows);
    if (row < rows)
        fb_append(text, size,
                  "%sIt shows %d of %d rows. 'filterbench export RESULT --to csv' has all.",
                  *text ? " " : "", row, rows);
}

void fb_drawn_missing(const struct fb_figure *figure, const json_t *seen, const json_t *documents,
                      char *text, size_t size)
{
    const bool by_footprint = has(seen, "design", "footprint");
    char name[NAME];
    *text = '\0';
    FB_EACH(document, documents) {
        char *table = table_of_one(figure, document);
        FB_EACH(cell, table ? json_object_get(document, "cells") : NULL) {
            const char *design = fb_json_str(cell, "design");
            const char *in = by_footprint ? fb_json_str(cell, "footprint") : "";
            if (!*design || fb_is_control(design) || has(seen, design, in) ||
                *fb_json_str(cell, "left_out")) /* of advise: it was not compared */
                continue;
            snprintf(name, sizeof name, has(seen, design, "") ? " %.200s in %.60s," : " %.200s,",
                     design, in);
            if (!strstr(text, name))
                fb_append(text, size, "%s%s", *text ? "" : "Not in this picture:", name);
        }
        free(table);
    }
    if (*text)
        snprintf(text + strlen(text) - 1, size - strlen(text) + 1, ".");
    tell_cut(seen, text, size);
}

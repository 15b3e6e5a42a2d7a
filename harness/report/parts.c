#include "harness/report/page.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/document/kind.h"

/* What the kind prints, as a stream that flows; NULL: out of memory. */
static char *printed(const json_t *document, const char *versus, const json_t *costs)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    const struct fb_kind *kind = fb_kind_find(fb_json_str(document, "kind"));
    json_auto_t *rows = versus ? fb_versus_rows(document, versus) : NULL;
    fb_screen_flow(file);
    if (rows)
        fb_versus_table(file, document, rows, versus, FB_TABLE_DATA);
    if (costs)
        kind->costs->print(file, costs, FB_TABLE_DATA);
    else
        kind->table(file, document, FB_TABLE_DATA);
    fb_screen_flow(NULL);
    fclose(file);
    return text;
}

/* A line of a table becomes a row, or a note of the row before. */
static void add_line(json_t *rows, const json_t *line)
{
    json_t *last = json_array_get(rows, json_array_size(rows) - 1);
    if (json_is_object(line)) {
        if (last)
            json_array_append(json_object_get(last, "notes"), json_object_get(line, "note"));
        return;
    }
    json_t *cells = json_copy((json_t *)line);
    const char *mark = json_string_value(json_array_get(line, 0));
    mark += strspn(mark, " ");
    json_t *row = json_pack("{s:s#, s:o, s:[]}", "mark", mark, (int)strcspn(mark, " "), "cells",
                            cells, "notes");
    json_array_remove(cells, 0);
    json_array_append_new(rows, row);
}

/* A table of several groups is as many tables. */
static void add_table(json_t *parts, const json_t *table)
{
    json_t *rows = NULL;
    FB_EACH(line, json_object_get(table, "lines")) {
        if (!rows || json_is_string(line)) {
            rows = json_array();
            const char *caption = json_is_string(line) ? json_string_value(line) : "";
            json_array_append_new(parts,
                                  json_pack("{s:s, s:O, s:o}", "caption", caption, "columns",
                                            json_object_get(table, "columns"), "rows", rows));
        }
        if (!json_is_string(line))
            add_line(rows, line);
    }
}

json_t *fb_parts(const json_t *document, const char *versus, const json_t *costs)
{
    json_t *parts = json_array();
    char *text = printed(document, versus, costs), *rest = text, *line;
    while (rest && *rest) {
        line = rest;
        rest += strcspn(rest, "\n");
        if (*rest)
            *rest++ = '\0';
        const bool aside = *line == FB_FLOW_ASIDE;
        line += aside;
        if (*line == FB_FLOW_TABLE) {
            json_auto_t *table = json_loads(line + 1, 0, NULL);
            add_table(parts, table);
        } else if (line[strspn(line, " ")]) {
            json_t *part = json_pack("{s:o}", "text", fb_json_text(line));
            json_object_set_new(part, "aside", json_boolean(aside));
            json_object_set_new(part, "set", json_boolean(!strncmp(line, "  ", 2)));
            json_array_append_new(parts, part);
        }
    }
    free(text);
    return parts;
}

/* ---- Side by side ---- */

enum { NAME = 2 * FB_TABLE_CELL };

static size_t n_columns(const json_t *table)
{
    return json_array_size(json_object_get(table, "columns"));
}

static const char *title(const json_t *table, size_t c)
{
    return fb_json_str(json_array_get(json_object_get(table, "columns"), c), "title");
}

static size_t n_of_title(const json_t *table, const char *wanted)
{
    size_t n = 0;
    for (size_t c = 0; c < n_columns(table); c++)
        n += !strcmp(title(table, c), wanted);
    return n;
}

/* What a column is called in all tables of one caption: of a title that several have, with the
 * last title before it that only one has, "ratio" of "L2 ratio". */
static void column_name(const json_t *table, size_t c, char name[NAME])
{
    size_t before = c;
    while (before && n_of_title(table, title(table, before)) > 1)
        before--;
    size_t again = 0;
    for (size_t i = before; i < c; i++)
        again += !strcmp(title(table, i), title(table, c));
    snprintf(name, NAME, "%s\n%s\n%zu", title(table, c), title(table, before), again);
}

/* The column of that name, or the number of columns. */
static size_t find_column(const json_t *table, const char *wanted)
{
    char name[NAME];
    size_t c = 0;
    for (; c < n_columns(table); c++) {
        column_name(table, c, name);
        if (!strcmp(name, wanted))
            break;
    }
    return c;
}

static const char *cell(const json_t *row, size_t c)
{
    const char *text = json_string_value(json_array_get(json_object_get(row, "cells"), c));
    return text ? text : "";
}

/* The first texts of a row, as many as tell rows apart. */
static void row_name(const json_t *row, size_t n_names, char name[NAME])
{
    name[0] = '\0';
    for (size_t c = 0; c < n_names; c++)
        fb_append(name, NAME, "%s\n", cell(row, c));
}

/* Rows by their names, or NULL where two have one. */
static json_t *rows_by_name(const json_t *table, size_t n_names)
{
    json_t *found = json_object();
    char name[NAME];
    FB_EACH(row, json_object_get(table, "rows")) {
        row_name(row, n_names, name);
        if (json_object_get(found, name)) {
            json_decref(found);
            return NULL;
        }
        json_object_set(found, name, row);
    }
    return found;
}

/* How many of the first columns name a row in all n tables; 0: none do. */
static size_t count_names(const json_t *const *tables, size_t n)
{
    for (size_t names = 1; names <= n_columns(tables[0]); names++) {
        bool apart = true;
        for (size_t i = 0; i < n && apart; i++) {
            json_auto_t *rows =
                names <= n_columns(tables[i]) &&
                        !strcmp(title(tables[i], names - 1), title(tables[0], names - 1))
                    ? rows_by_name(tables[i], names)
                    : NULL;
            apart = rows != NULL;
        }
        if (apart)
            return names;
    }
    return 0;
}

/* The texts of one column in all rows, one array of n a row; *same where none differs. */
static json_t *column_beside(const json_t *names, const json_t *const *by_name,
                             const json_t *const *tables, size_t n, const char *column, bool *same)
{
    json_t *texts = json_array();
    *same = true;
    FB_EACH_MEMBER(name, unused, names) {
        json_t *each = json_array();
        for (size_t i = 0; i < n; i++) {
            const json_t *row = json_object_get(by_name[i], name);
            const size_t c = find_column(tables[i], column);
            json_array_append_new(
                each, json_string(row && c < n_columns(tables[i]) ? cell(row, c) : "-"));
            *same = *same && json_equal(json_array_get(each, 0), json_array_get(each, i));
        }
        json_array_append_new(texts, each);
    }
    return texts;
}

/* Marks and notes of a row in all tables: each that is told, once. */
static json_t *row_beside(const char *name, const json_t *const *by_name, size_t n)
{
    json_t *merged = json_pack("{s:s, s:[], s:[]}", "mark", "", "cells", "notes");
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_object_get(by_name[i], name);
        json_t *notes = json_object_get(merged, "notes");
        if (!*fb_json_str(merged, "mark"))
            json_object_set_new(merged, "mark", json_string(fb_json_str(row, "mark")));
        FB_EACH(note, json_object_get(row, "notes")) {
            if (!fb_json_lists(notes, json_string_value(note)))
                json_array_append(notes, note);
        }
    }
    return merged;
}

/* All names of rows, and of columns, in the order in which they come; true: a set. */
static json_t *all_names(const json_t *const *by_name, size_t n)
{
    json_t *names = json_object();
    for (size_t i = 0; i < n; i++)
        json_object_update_missing(names, (json_t *)by_name[i]);
    return names;
}

static json_t *all_columns(const json_t *const *tables, size_t n)
{
    json_t *columns = json_object();
    char name[NAME];
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < n_columns(tables[i]); c++) {
            column_name(tables[i], c, name);
            json_t *column = json_array_get(json_object_get(tables[i], "columns"), c);
            if (!json_object_get(columns, name))
                json_object_set_new(columns, name, json_copy(column));
        }
    return columns;
}

static json_t *table_beside(const json_t *const *tables, size_t n)
{
    const json_t *by_name[FB_BESIDE_MOST] = {NULL};
    const size_t n_names = count_names(tables, n);
    if (!n_names)
        return NULL;
    for (size_t i = 0; i < n; i++)
        by_name[i] = rows_by_name(tables[i], n_names);
    json_auto_t *names = all_names(by_name, n), *columns = all_columns(tables, n);
    json_t *rows = json_array(), *shown = json_array();
    FB_EACH_MEMBER(name, unused, names)
        json_array_append_new(rows, row_beside(name, by_name, n));
    size_t at = 0;
    FB_EACH_MEMBER(column_id, column, columns) {
        bool same;
        json_auto_t *texts = column_beside(names, by_name, tables, n, column_id, &same);
        /* What names a row is its name, also on a machine that has no such row. */
        const bool is_name = at++ < n_names;
        if (is_name || same)
            same = true;
        json_object_set_new(column, "each", json_boolean(!same));
        json_array_append(shown, column);
        for (size_t r = 0; r < json_array_size(rows); r++) {
            json_t *cells = json_object_get(json_array_get(rows, r), "cells");
            json_t *each = json_array_get(texts, r), *text = json_array_get(each, 0);
            for (size_t i = 1; i < n && same && !strcmp(json_string_value(text), "-"); i++)
                text = json_array_get(each, i);
            json_array_append(cells, same ? text : each);
        }
    }
    for (size_t i = 0; i < n; i++)
        json_decref((json_t *)by_name[i]);
    return json_pack("{s:s, s:o, s:o}", "caption", fb_json_str(tables[0], "caption"), "columns",
                     shown, "rows", rows);
}

static bool is_table(const json_t *part)
{
    return json_object_get(part, "rows") != NULL;
}

/* The table of that number among the tables of its caption. */
static const json_t *find_table(const json_t *parts, const char *caption, size_t number)
{
    FB_EACH(part, parts) {
        if (is_table(part) && !strcmp(fb_json_str(part, "caption"), caption) && !number--)
            return part;
    }
    return NULL;
}

/* A paragraph of document `from`: once where all say it. */
static void add_text(json_t *merged, const json_t *const *parts, size_t n, size_t from,
                     const json_t *part)
{
    const char *text = fb_json_str(part, "text");
    bool all = true, earlier = false;
    for (size_t i = 0; i < n; i++) {
        const bool told = fb_json_find(parts[i], "text", text);
        all = all && told;
        earlier = earlier || (told && i < from);
    }
    if (earlier && all)
        return;
    json_t *copy = json_copy((json_t *)part);
    if (!all)
        json_object_set_new(copy, "of", json_integer((json_int_t)from));
    json_array_append_new(merged, copy);
}

json_t *fb_parts_beside(const json_t *const *parts, size_t n)
{
    json_t *merged = json_array();
    size_t before;
    FB_EACH_AT(at, part, parts[0]) {
        const json_t *tables[FB_BESIDE_MOST];
        const char *caption = fb_json_str(part, "caption");
        size_t number = 0, found = 0;
        if (!is_table(part)) {
            add_text(merged, parts, n, 0, part);
            continue;
        }
        for (before = 0; before < at; before++) {
            json_t *earlier = json_array_get(parts[0], before);
            number += is_table(earlier) && !strcmp(fb_json_str(earlier, "caption"), caption);
        }
        for (size_t i = 0; i < n; i++)
            found += (tables[found] = find_table(parts[i], caption, number)) != NULL;
        json_t *table = found == n ? table_beside(tables, n) : NULL;
        if (!table) {
            json_decref(merged);
            return NULL;
        }
        json_array_append_new(merged, table);
    }
    for (size_t i = 1; i < n; i++) { /* what the first does not say */
        FB_EACH(part, parts[i]) {
            if (!is_table(part) && !fb_json_find(parts[0], "text", fb_json_str(part, "text")))
                add_text(merged, parts, n, i, part);
        }
    }
    return merged;
}

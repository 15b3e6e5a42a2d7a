#include "harness/report/page.h"

#include <stdlib.h>
#include <string.h>

static void open_box(FILE *file, const char *what)
{
    fb_html(file, "<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"%s\"><table>\n",
            *what ? what : "table");
    if (*what)
        fb_html(file, "<caption>%s</caption>\n", what);
}

static void close_box(FILE *file)
{
    fputs("</tbody></table></div>\n", file);
}

static bool has_each(const json_t *columns)
{
    FB_EACH(column, columns) {
        if (json_is_true(json_object_get(column, "each")))
            return true;
    }
    return false;
}

/* Titles; below those that stand for a column of each machine, the letters. `c` numbers what can be
 * sorted by. Returns how many columns there are. */
static size_t print_head(FILE *file, const json_t *columns, size_t n)
{
    const bool two = has_each(columns);
    size_t c = 0;
    fputs("<thead><tr>", file);
    FB_EACH(column, columns) {
        const bool each = json_is_true(json_object_get(column, "each"));
        const bool left = json_is_true(json_object_get(column, "left"));
        if (each)
            fprintf(file, "<th scope=\"colgroup\" colspan=\"%zu\">", n);
        else
            fprintf(file, "<th scope=\"col\" data-c=\"%zu\"%s%s>", c, two ? " rowspan=\"2\"" : "",
                    left ? " class=\"l\"" : "");
        fb_html(file, "%s</th>", fb_json_str(column, "title"));
        c += each ? n : 1;
    }
    fputs("</tr>\n", file);
    fputs(two ? "<tr>" : "", file);
    c = 0;
    FB_EACH(column, columns) {
        const bool each = json_is_true(json_object_get(column, "each"));
        for (size_t m = 0; each && m < n; m++) {
            fprintf(file, "<th scope=\"col\" data-c=\"%zu\"%s>%c</th>", c + m,
                    json_is_true(json_object_get(column, "left")) ? " class=\"l\"" : "",
                    (char)('A' + m));
        }
        c += each ? n : 1;
    }
    fputs(two ? "</tr></thead><tbody>\n" : "</thead><tbody>\n", file);
    return c;
}

/* A text that is longer than this may take several lines. */
enum { ONE_LINE = 28 };

static void print_cell(FILE *file, const char *text, bool left)
{
    static const char *const starts[] = {"<td>", "<td class=\"l\">", "<td class=\"w\">",
                                         "<td class=\"l w\">"};
    fputs(starts[left + 2 * (strlen(text) > ONE_LINE)], file);
    fb_html(file, "%s</td>", text);
}

static void print_row(FILE *file, const json_t *columns, const json_t *row, size_t n_shown)
{
    const char *mark = fb_json_str(row, "mark");
    fputs(*mark ? "<tr class=\"marked\">" : "<tr>", file);
    FB_EACH_AT(i, cell, json_object_get(row, "cells")) {
        const json_t *column = json_array_get(columns, i);
        const bool left = json_is_true(json_object_get(column, "left"));
        if (!i) {
            fputs("<th scope=\"row\">", file);
            if (*mark)
                fb_html(file, "<b>%s</b> ", mark);
            fb_html(file, "%s</th>", json_is_string(cell) ? json_string_value(cell) : "");
        } else if (json_is_string(cell)) {
            print_cell(file, json_string_value(cell), left);
        }
        FB_EACH(text, i ? cell : NULL)
            print_cell(file, json_string_value(text), left);
    }
    fputs("</tr>\n", file);
    FB_EACH(note, json_object_get(row, "notes")) {
        fprintf(file, "<tr class=\"note\"><td colspan=\"%zu\">", n_shown);
        fb_html(file, "<p>%s</p></td></tr>\n", json_string_value(note));
    }
}

void fb_report_table(FILE *file, const json_t *table, size_t n)
{
    const json_t *columns = json_object_get(table, "columns");
    open_box(file, fb_json_str(table, "caption"));
    const size_t n_shown = print_head(file, columns, n);
    FB_EACH(row, json_object_get(table, "rows"))
        print_row(file, columns, row, n_shown);
    close_box(file);
}

void fb_report_data(FILE *file, const char *data)
{
    size_t rows = 0, c = 0;
    open_box(file, "");
    fputs("<thead><tr><th scope=\"col\" data-c=\"0\" class=\"l\">", file);
    for (const char *at = data; *at;) {
        const size_t len = strcspn(at, "\t\n");
        const char end = at[len];
        char *text = strndup(at, len);
        if (rows <= FB_MOST_DATA)
            fb_html(file, "%s", text ? text : "");
        free(text);
        at += len + (end != '\0');
        if (end == '\t' && rows <= FB_MOST_DATA) {
            c++;
            if (rows)
                fputs(c > 1 ? "</td><td>" : "</th><td>", file);
            else
                fprintf(file, "</th><th scope=\"col\" data-c=\"%zu\">", c);
        } else if (end != '\t') {
            if (rows <= FB_MOST_DATA)
                fputs(!rows ? "</th></tr></thead><tbody>\n"
                      : c   ? "</td></tr>\n"
                            : "</th></tr>\n",
                      file);
            rows++;
            c = 0;
            if (*at && rows <= FB_MOST_DATA)
                fputs("<tr><th scope=\"row\">", file);
        }
    }
    close_box(file);
    if (rows > FB_MOST_DATA + 1)
        fprintf(file, "<p>%zu more rows: <code>filterbench plot</code> writes them all.</p>\n",
                rows - 1 - FB_MOST_DATA);
}

void fb_report_facts(FILE *file, const json_t *rows, const json_t *titles)
{
    open_box(file, "");
    fputs("<thead><tr><td></td>", file);
    FB_EACH(text, titles)
        fb_html(file, "<th scope=\"col\" class=\"l\">%s</th>", json_string_value(text));
    fputs("</tr></thead><tbody>\n", file);
    FB_EACH(row, rows) {
        fb_html(file, "<tr><th scope=\"row\">%s</th>", fb_json_str(row, "name"));
        FB_EACH(text, json_object_get(row, "each"))
            fb_html(file, "<td class=\"l w\">%s</td>", json_string_value(text));
        fputs("</tr>\n", file);
    }
    close_box(file);
}

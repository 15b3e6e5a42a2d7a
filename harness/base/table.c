#include "harness/base/table.h"

#include <math.h>
#include <string.h>

#include "harness/base/json.h"

void fb_show_number(double x, const char *format, char out[FB_TABLE_CELL])
{
    snprintf(out, FB_TABLE_CELL, isfinite(x) ? format : "-", x);
}

void fb_show_member(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double x = fb_json_num(row, c->path);
    const char *text = fb_json_str(row, c->path);
    if (c->format)
        fb_show_number(c->scale != 0 ? x * c->scale : x, c->format, out);
    else
        snprintf(out, FB_TABLE_CELL, "%s", *text ? text : "-");
}

/* A row is an array of texts, the mark first; a heading a text. */
static void add_line(struct fb_table *t, json_t *line)
{
    if (!t->lines)
        t->lines = json_array();
    json_array_append_new(t->lines, line);
}

void fb_table_heading(struct fb_table *t, const char *text)
{
    add_line(t, fb_json_text(text));
}

void fb_table_row(struct fb_table *t, const char *mark, const json_t *row)
{
    json_t *texts = json_array();
    json_array_append_new(texts, json_string(mark));
    for (const struct fb_column *c = t->columns; c->title; c++) {
        char text[FB_TABLE_CELL] = "";
        (c->show ? c->show : fb_show_member)(row, c, text);
        json_array_append_new(texts, fb_json_text(text));
    }
    add_line(t, texts);
}

/* ---- Printing ---- */

struct layout {
    const struct fb_column *columns;
    size_t n, last;                         /* columns, and the last one shown */
    int gap, mark, width[FB_TABLE_COLUMNS]; /* width 0: left out */
    bool markdown;
};

static const char *text_at(const json_t *row, size_t i)
{
    return json_string_value(json_array_get(row, i));
}

static void measure(const struct fb_table *t, struct layout *l)
{
    size_t i;
    json_t *row;
    for (; t->columns[l->n].title && l->n < FB_TABLE_COLUMNS; l->n++) {
        const struct fb_column *c = &t->columns[l->n];
        int width = (int)strlen(c->title);
        bool says = !c->optional;
        json_array_foreach(t->lines, i, row) {
            const char *text = text_at(row, l->n + 1);
            if (text && (int)strlen(text) > width)
                width = (int)strlen(text);
            if (text && *text && strcmp(text, "-") && strcmp(text, "0"))
                says = true;
        }
        l->width[l->n] = !says ? 0 : width > c->width ? width : c->width;
        l->last = says ? l->n : l->last;
    }
    json_array_foreach(t->lines, i, row) {
        const char *mark = text_at(row, 0);
        if (mark && (int)strlen(mark) > l->mark)
            l->mark = (int)strlen(mark);
    }
}

/* A row, or the titles for NULL. */
static void print_row(FILE *file, const struct layout *l, const json_t *row)
{
    const char *mark = row ? text_at(row, 0) : "";
    bool first = true;
    if (!l->markdown)
        fprintf(file, "%-*s", l->mark, mark);
    for (size_t i = 0; i < l->n; i++) {
        const char *text = row ? text_at(row, i + 1) : l->columns[i].title;
        bool left = l->columns[i].left;
        if (!l->width[i])
            continue;
        if (l->markdown)
            fprintf(file, "| %s%s ", first ? mark + strspn(mark, " ") : "", text);
        else
            fprintf(file, left ? "%*s%-*s" : "%*s%*s", first ? 0 : l->gap, "",
                    left && i == l->last ? 0 : l->width[i], text);
        first = false;
    }
    fputs(l->markdown ? "|\n" : "\n", file);
}

static void print_titles(FILE *file, const struct layout *l)
{
    print_row(file, l, NULL);
    for (size_t i = 0; i < l->n && l->markdown; i++)
        if (l->width[i])
            fputs(l->columns[i].left ? "|:---" : "|---:", file);
    fputs(l->markdown ? "|\n" : "", file);
}

void fb_table_finish(struct fb_table *t, FILE *file, enum fb_table_style style)
{
    struct layout l = {
        .columns = t->columns, .gap = t->gap ? t->gap : 2, .markdown = style == FB_TABLE_MARKDOWN};
    size_t i;
    json_t *line;
    measure(t, &l);
    if (!json_is_string(json_array_get(t->lines, 0)))
        print_titles(file, &l);
    json_array_foreach(t->lines, i, line) {
        if (json_is_string(line)) {
            fprintf(file, l.markdown ? "%s**%s**\n\n" : "%s%s\n", i ? "\n" : "",
                    json_string_value(line));
            print_titles(file, &l);
        } else {
            print_row(file, &l, line);
        }
    }
    json_decref(t->lines);
    t->lines = NULL;
}

#include "harness/base/print.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/output.h"
#include "harness/base/printable.h"
#include "harness/base/screen.h"
#include "harness/base/table.h"

enum { CELL = FB_TABLE_CELL };

/* One line; strings in arrays are joined. */
static void cell_text(const json_t *value, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    if (json_is_string(value))
        snprintf(out, size, json_string_length(value) < size ? "%s" : "%.4000s...",
                 json_string_value(value));
    else if (json_is_integer(value))
        snprintf(out, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        snprintf(out, size, "%.6g", json_real_value(value));
    else if (json_is_boolean(value))
        snprintf(out, size, "%s", json_is_true(value) ? "yes" : "no");
    else if (!value || json_is_null(value))
        snprintf(out, size, "-");
    else if (json_is_array(value) && !json_array_size(value))
        snprintf(out, size, "none");
    for (size_t i = 0; i < json_array_size(value) && used + 3 < size; i++) {
        if (i)
            used += (size_t)snprintf(out + used, size - used, ", ");
        cell_text(json_array_get(value, i), out + used, size - used);
        used += strlen(out + used);
    }
}

static void label_text(const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s", name);
    for (char *c = out; *c; c++)
        if (*c == '_')
            *c = ' ';
}

static void show_member(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    cell_text(json_object_get(row, c->path), out, FB_TABLE_CELL);
}

static void print_rows(FILE *file, const json_t *rows, const char *const *names, int indent)
{
    enum { COLUMNS = 12, TITLE = 64 };
    struct fb_column columns[COLUMNS + 1] = {{0}};
    struct fb_table table = {.columns = columns};
    char titles[COLUMNS][TITLE], mark[16];
    json_t *first = json_array_get(rows, 0);
    void *member = json_object_iter(first);
    for (int c = 0; c < COLUMNS && (names ? names[c] != NULL : member != NULL); c++) {
        const char *name = names ? names[c] : json_object_iter_key(member);
        const bool spare = names ? *name == '?' : c > 0;
        const bool whole = names && *name == '!';
        name += (names && spare) || whole;
        member = member ? json_object_iter_next(first, member) : NULL;
        label_text(name, titles[c], TITLE);
        columns[c] = (struct fb_column){.title = titles[c],
                                        .show = show_member,
                                        .path = name,
                                        .left = true,
                                        .wraps = true,
                                        .whole = whole,
                                        .spare = spare};
        FB_EACH(row, rows)
            columns[c].left &= !json_is_number(json_object_get(row, name));
    }
    snprintf(mark, sizeof mark, "%*s", indent, "");
    FB_EACH(row, rows)
        fb_table_row(&table, mark, row);
    if (*columns[0].title)
        fb_table_finish(&table, file, FB_TABLE_TEXT);
}

void fb_print_rows(FILE *file, const json_t *rows, const char *const *columns)
{
    print_rows(file, rows, columns, 0);
}

static void print_members(FILE *file, const json_t *object, int indent)
{
    char text[CELL], label[CELL];
    int width = 0;
    FB_EACH_MEMBER(name, value, object)
        if ((int)strlen(name) > width)
            width = (int)strlen(name);
    FB_EACH_MEMBER(name, value, object) {
        label_text(name, label, sizeof label);
        if (json_is_object(value)) {
            fprintf(file, "%*s%s:\n", indent, "", label);
            print_members(file, value, indent + 2);
        } else if (json_is_object(json_array_get(value, 0))) {
            fprintf(file, "%*s%s:\n", indent, "", label);
            print_rows(file, value, NULL, indent + 2);
        } else {
            cell_text(value, text, sizeof text);
            if (strncmp(text, "filterbench ", strlen("filterbench ")) != 0)
                fb_say(file, indent + width + 2, "%*s%-*s  %s\n", indent, "", width, label, text);
            else /* to paste: never wrapped */
                fprintf(file, "%*s%-*s  %s\n", indent, "", width, label,
                        fb_make_printable(text, false));
        }
    }
}

void fb_print_document(FILE *file, const json_t *document)
{
    print_members(file, document, 0);
}

static void print_setting(FILE *file, const char *path, const json_t *value)
{
    if (!json_is_object(value)) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
        fb_say(file, 4, "%s = %s\n", path, text ? text : "");
        free(text);
        return;
    }
    FB_EACH_MEMBER(name, member, value) {
        char inner[CELL];
        snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "." : "", name);
        print_setting(file, inner, member);
    }
}

void fb_print_settings(FILE *file, const json_t *document)
{
    print_setting(file, "", document);
}

enum fb_exit fb_print_answer(json_t *document, enum fb_output_format format,
                             void (*print)(FILE *, const json_t *document))
{
    enum fb_exit code = FB_EXIT_OK;
    if (format == FB_FORMAT_JSON || !document)
        code = fb_output_json(&(struct fb_output){.file = stdout}, document);
    else
        print(stdout, document);
    json_decref(document);
    return code;
}

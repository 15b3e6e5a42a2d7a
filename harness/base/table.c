#include "harness/base/table.h"

#include <stdbool.h>
#include <string.h>

enum { CELL = 512, COLUMNS = 12 };

/* One line; strings in arrays are joined. */
static void cell_text(const json_t *value, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    if (json_is_string(value))
        snprintf(out, size, "%s", json_string_value(value));
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

/* The spaces before (numbers) or after (text) a cell; nothing follows the last column's text. */
static void print_cell(FILE *file, const char *text, int width, bool right, bool last)
{
    int pad = width - (int)strlen(text);
    fprintf(file, "%*s%s", right && pad > 0 ? pad : 0, "", text);
    if (last)
        fputc('\n', file);
    else
        fprintf(file, "%*s", (right || pad < 0 ? 0 : pad) + 2, "");
}

static void print_rows(FILE *file, const json_t *rows, const char *const *columns, int indent)
{
    const char *names[COLUMNS + 1] = {0};
    char text[CELL];
    int width[COLUMNS] = {0}, n = 0;
    bool numeric[COLUMNS] = {0};
    size_t i;
    json_t *row;
    void *member = json_object_iter(json_array_get(rows, 0));
    for (; !columns && member && n < COLUMNS; n++) {
        names[n] = json_object_iter_key(member);
        member = json_object_iter_next(json_array_get(rows, 0), member);
    }
    for (; columns && columns[n] && n < COLUMNS; n++)
        names[n] = columns[n];
    for (int c = 0; c < n; c++) {
        width[c] = (int)strlen(names[c]);
        json_array_foreach(rows, i, row)
        {
            const json_t *value = json_object_get(row, names[c]);
            cell_text(value, text, sizeof text);
            if ((int)strlen(text) > width[c])
                width[c] = (int)strlen(text);
            numeric[c] |= json_is_number(value);
        }
    }
    for (int c = 0; c < n; c++) {
        label_text(names[c], text, sizeof text);
        fprintf(file, "%*s", c ? 0 : indent, "");
        print_cell(file, text, width[c], numeric[c], c == n - 1);
    }
    json_array_foreach(rows, i, row)
    {
        for (int c = 0; c < n; c++) {
            cell_text(json_object_get(row, names[c]), text, sizeof text);
            fprintf(file, "%*s", c ? 0 : indent, "");
            print_cell(file, text, width[c], numeric[c], c == n - 1);
        }
    }
}

void fb_print_rows(FILE *file, const json_t *rows, const char *const *columns)
{
    print_rows(file, rows, columns, 0);
}

static void print_members(FILE *file, const json_t *object, int indent)
{
    const char *name;
    json_t *value;
    char text[CELL], label[CELL];
    int width = 0;
    json_object_foreach((json_t *)object, name, value) if ((int)strlen(name) > width) width =
        (int)strlen(name);
    json_object_foreach((json_t *)object, name, value)
    {
        label_text(name, label, sizeof label);
        if (json_is_object(value)) {
            fprintf(file, "%*s%s:\n", indent, "", label);
            print_members(file, value, indent + 2);
        } else if (json_is_object(json_array_get(value, 0))) {
            fprintf(file, "%*s%s:\n", indent, "", label);
            print_rows(file, value, NULL, indent + 2);
        } else {
            cell_text(value, text, sizeof text);
            fprintf(file, "%*s%-*s  %s\n", indent, "", width, label, text);
        }
    }
}

void fb_print_document(FILE *file, const json_t *document)
{
    print_members(file, document, 0);
}

static void print_setting(FILE *file, const char *path, const json_t *value)
{
    const char *name;
    json_t *member;
    if (!json_is_object(value)) {
        fprintf(file, "%s = ", path);
        json_dumpf(value, file, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
        fputc('\n', file);
        return;
    }
    json_object_foreach((json_t *)value, name, member)
    {
        char inner[CELL];
        snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "." : "", name);
        print_setting(file, inner, member);
    }
}

void fb_print_settings(FILE *file, const json_t *document)
{
    print_setting(file, "", document);
}

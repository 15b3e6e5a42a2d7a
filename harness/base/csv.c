#include "harness/base/csv.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"

/* A comma, a semicolon or a quote in it, or the end of a line, puts the field between quotes. An
 * apostrophe keeps spreadsheet programs from taking a text for a formula. */
static void field(FILE *file, bool first, const char *text, bool is_text)
{
    const bool apostrophe = is_text && *text && strchr("=+-@", *text);
    const char *quote = text[strcspn(text, ",;\"\n\r")] ? "\"" : "";
    fprintf(file, "%s%s%s", first ? "" : ",", quote, apostrophe ? "'" : "");
    for (; *text; text++)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    fputs(quote, file);
}

/* Every scalar of the object by its path, set in `flat`. */
static void flatten(const json_t *object, const char *before, json_t *flat)
{
    FB_EACH_MEMBER(name, member, object) {
        char path[256];
        snprintf(path, sizeof path, "%s%s%s", before, *before ? "." : "", name);
        if (json_is_object(member))
            flatten(member, path, flat);
        else if (!json_is_array(member) && !json_is_null(member) && !fb_json_is_reason(name))
            json_object_set(flat, path, member);
    }
}

static void line(FILE *file, const json_t *titles, const json_t *row)
{
    json_auto_t *flat = json_object();
    bool first = true;
    flatten(row, "", flat);
    FB_EACH_MEMBER(path, unused, titles) {
        const json_t *value = json_object_get(flat, path);
        char *text = value && !json_is_string(value)
                         ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))
                         : NULL;
        const char *string = value ? json_string_value(value) : "";
        field(file, first, text ? text : string, !text);
        free(text);
        first = false;
    }
    fputc('\n', file);
}

void fb_csv_rows(FILE *file, const json_t *rows)
{
    json_auto_t *titles = json_object();
    bool first = true;
    for (size_t i = 0; i < json_array_size(rows); i++)
        flatten(json_array_get(rows, i), "", titles);
    FB_EACH_MEMBER(path, unused, titles) {
        field(file, first, path, true);
        first = false;
    }
    fputc('\n', file);
    for (size_t i = 0; i < json_array_size(rows); i++)
        line(file, titles, json_array_get(rows, i));
}

#include "harness/base/csv.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"

/* A comma or a quote in it, or the end of a line, puts the field between quotes. */
static void field(struct fb_csv *csv, const char *text)
{
    const char *quote = text[strcspn(text, ",\"\n\r")] ? "\"" : "";
    fprintf(csv->file, "%s%s", csv->begun ? "," : "", quote);
    csv->begun = true;
    for (; *text; text++)
        fprintf(csv->file, *text == '"' ? "\"\"" : "%c", *text);
    fputs(quote, csv->file);
}

void fb_csv_titles(struct fb_csv *csv, const char *prefix, const char *const *paths)
{
    char title[256];
    for (; *paths; paths++) {
        snprintf(title, sizeof title, "%s%s", prefix, *paths);
        field(csv, title);
    }
}

void fb_csv_members(struct fb_csv *csv, const json_t *object, const char *const *paths)
{
    for (; *paths; paths++) {
        const json_t *value = fb_json_at(object, *paths);
        char *text =
            value && !json_is_null(value) && !json_is_string(value)
                ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15))
                : NULL;
        field(csv, text ? text : fb_json_str(object, *paths));
        free(text);
    }
}

void fb_csv_end(struct fb_csv *csv)
{
    fputc('\n', csv->file);
    csv->begun = false;
}

void fb_csv_rows(FILE *file, const json_t *rows, const char *const *paths)
{
    struct fb_csv csv = {.file = file};
    fb_csv_titles(&csv, "", paths);
    fb_csv_end(&csv);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        fb_csv_members(&csv, json_array_get(rows, i), paths);
        fb_csv_end(&csv);
    }
}

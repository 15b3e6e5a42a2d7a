#include "harness/verb/field.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/print.h"
#include "harness/base/screen.h"

/* ---- A field ---- */

/* What a value may be: the field's words for it, or what its reader says to a wrong one. NULL: a
 * name of which the meaning tells where the names are. */
static json_t *accepted_of(const struct fb_field *f)
{
    struct fb_problem problem = {""};
    json_auto_t *wrong = json_string("?");
    if (!f->accepted)
        json_decref(f->read(&problem, f, f->name, wrong));
    const char *give = strstr(problem.text, "; give ");
    return f->accepted ? json_string(f->accepted) : give ? json_string(give + 7) : NULL;
}

static json_t *reading_of(const struct fb_field *f)
{
    static const char several[] = "one, or a list of them in brackets, each measured";
    return json_pack("{s:s, s:s*, s:o*, s:s*, s:s, s:o}", "meaning", f->meaning, "unit", f->of,
                     "accepted", accepted_of(f), "several", f->list ? several : NULL, "default",
                     f->fallback, "example",
                     json_sprintf("--set '%s=%s'", f->name, f->example ? f->example : f->fallback));
}

/* Adds a kind to the reading that is the same, or as another one. */
static void add_reading(json_t *readings, json_t *reading, const char *kind)
{
    FB_EACH(other, readings) {
        json_auto_t *alike = json_copy(other);
        json_object_del(alike, "kinds");
        const bool same = json_equal(alike, reading);
        if (same) {
            json_array_append_new(json_object_get(other, "kinds"), json_string(kind));
            json_decref(reading);
            return;
        }
    }
    json_t *named = json_pack("{s:[s]}", "kinds", kind);
    json_object_update_new(named, reading);
    json_array_append_new(readings, named);
}

json_t *fb_field_about(const char *name)
{
    json_t *readings = json_array();
    char field[80]; /* as the option is called: "build-bytes" */
    snprintf(field, sizeof field, "%s", name);
    for (char *dash = field; (dash = strchr(dash, '-')); dash++)
        *dash = '_';
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++) {
        const struct fb_field *f = fb_named(field, (*kind)->fields, sizeof *f);
        if (f)
            add_reading(readings, reading_of(f), (*kind)->name);
    }
    if (json_array_size(readings))
        return json_pack("{s:s, s:o}", "field", field, "readings", readings);
    json_decref(readings);
    return NULL;
}

void fb_field_print(FILE *file, const json_t *about)
{
    fprintf(file, "%s, a field of experiments\n", fb_json_str(about, "field"));
    FB_EACH(reading, json_object_get(about, "readings")) {
        fputc('\n', file);
        fb_print_document(file, reading);
    }
    fputs(json_object_get(about, "in_tables") ? "\nin tables or as another word:\n" : "", file);
    fb_print_document(file, json_object_get(about, "in_tables"));
}

/* ---- An experiment ---- */

static void drop_quotes(char *text)
{
    char *to = text;
    for (; text && *text; text++)
        if (*text != '"')
            *to++ = *text;
    if (to)
        *to = '\0';
}

static void add_rows(struct fb_table *table, const struct fb_kind *kind, const json_t *given,
                     const json_t *resolved, bool set)
{
    for (const struct fb_field *f = kind->fields; f->name; f++) {
        if ((json_object_get(given, f->name) != NULL) != set || f->read == fb_read_kind ||
            f->read == fb_read_text || f->read == fb_read_name)
            continue;
        char *value = json_dumps(json_object_get(resolved, f->name),
                                 JSON_ENCODE_ANY | JSON_REAL_PRECISION(FB_EXPERIMENT_DIGITS));
        drop_quotes(value);
        json_auto_t *row =
            json_pack("{s:s, s:s?, s:s}", "field", f->name, "value", value, "meaning", f->meaning);
        fb_table_row(table, "  ", row);
        free(value);
    }
}

void fb_field_print_experiment(FILE *file, const struct fb_kind *kind, const json_t *given,
                               const json_t *resolved)
{
    static const struct fb_column columns[] = {{"field", "field", .left = true},
                                               {"value", "value", .left = true, .wraps = true},
                                               {"meaning", "meaning", .left = true, .wraps = true},
                                               {0}};
    static const char *const told[] = {"source", "runtime"};
    struct fb_table table = {.columns = columns};
    fb_say(file, 2, "%s: %s\n", fb_json_str(resolved, "name"), fb_json_str(resolved, "summary"));
    fb_say(file, 9, "kind     %s: %s\n", kind->name, kind->summary);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (*fb_json_str(resolved, told[i]))
            fb_say(file, 9, "%-7s  %s\n", told[i], fb_json_str(resolved, told[i]));
    fputc('\n', file);
    fb_table_heading(&table, "what it sets");
    add_rows(&table, kind, given, resolved, true);
    fb_table_heading(&table, "what it leaves as every experiment of its kind has it");
    add_rows(&table, kind, given, resolved, false);
    fb_table_finish(&table, file, FB_TABLE_TEXT);
}

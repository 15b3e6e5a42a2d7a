/* What the tables of members say, for people: as rows, and as a page of Markdown with a section for
 * each record, of all documents and of each kind. */
#include <ctype.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/document/kind.h"
#include "harness/document/members.h"

/* Adds the records that stand inside a type. */
static void add_inside(const json_t *type, json_t *records)
{
    if (json_object_get(type, "properties"))
        json_array_append(records, (json_t *)type);
    FB_EACH(one, json_object_get(type, "anyOf"))
        add_inside(one, records);
    if (json_object_get(type, "items"))
        add_inside(json_object_get(type, "items"), records);
}

/* ---- Lists of members ---- */

/* Whether "counts.model.events" is what "events", "model.events" or NULL asks for. */
static bool is_asked(const char *path, const char *name)
{
    const size_t n = strlen(path), asked = name ? strlen(name) : 0;
    return !asked || (asked <= n && !strcmp(path + n - asked, name) &&
                      (asked == n || path[n - asked - 1] == '.'));
}

static void list_record(const char *record, const json_t *schema, const char *name, json_t *rows)
{
    FB_EACH_MEMBER(member, type, json_object_get(schema, "properties")) {
        char path[200];
        json_auto_t *inside = json_array();
        snprintf(path, sizeof path, "%.90s.%.90s", record, member);
        if (json_object_get(type, "x-type") && is_asked(path, name))
            json_array_append_new(rows, json_pack("{s:s, s:s, s:O, s:O?, s:O, s:O}", "record",
                                                  record, "member", member, "type",
                                                  json_object_get(type, "x-type"), "unit",
                                                  json_object_get(type, "x-unit"), "nature",
                                                  json_object_get(type, "x-nature"), "meaning",
                                                  json_object_get(type, "description")));
        add_inside(type, inside);
        FB_EACH(inner, inside)
            list_record(path, inner, name, rows);
    }
}

void fb_members_list(const char *name, json_t *rows)
{
    list_record("document", fb_schema(), name, rows);
    FB_EACH_MEMBER(record, schema, json_object_get(fb_schema(), "$defs"))
        if (!strstr(record, "_experiment"))
            list_record(record, schema, name, rows);
}

/* ---- Which kind's documents have a record ---- */

/* Sets in `owners` the kind of each record that a part of the schema needs; "" where several kinds
 * need it, or all. */
static void own_records(const json_t *part, const char *kind, json_t *owners)
{
    const char *record = strrchr(fb_json_str(part, "$ref"), '/');
    if (record) {
        const json_t *owner = json_object_get(owners, ++record);
        if (owner && (!*json_string_value(owner) || !strcmp(json_string_value(owner), kind)))
            return;
        kind = owner ? "" : kind;
        json_object_set_new(owners, record, json_string(kind));
        own_records(json_object_get(json_object_get(fb_schema(), "$defs"), record), kind, owners);
    }
    FB_EACH_MEMBER(name, inner, part)
        own_records(inner, kind, owners);
    FB_EACH(inner, part)
        own_records(inner, kind, owners);
}

static json_t *owners_of_records(void)
{
    json_t *owners = json_object();
    own_records(json_object_get(fb_schema(), "properties"), "", owners);
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++) {
        char name[64];
        snprintf(name, sizeof name, "%.40s_document", (*kind)->name);
        json_object_set_new(owners, name, json_string((*kind)->name));
        own_records(fb_schema_of_kind((*kind)->name), (*kind)->name, owners);
    }
    return owners;
}

/* ---- Sections ---- */

/* A text in a cell of a table. */
static void print_text(FILE *file, const char *text, size_t n)
{
    for (; n--; text++)
        fprintf(file, *text == '|' ? "\\%c" : "%c", *text);
}

/* As code, with the names of records as links to their sections. */
static void print_type(FILE *file, const char *text)
{
    const json_t *records = json_object_get(fb_schema(), "$defs");
    while (*text) {
        char name[64];
        size_t n = 0, len = 0;
        for (bool quoted = false; text[n]; n += len ? len : 1) {
            quoted ^= text[n] == '\'';
            for (len = 0; isalnum((unsigned char)text[n + len]) || text[n + len] == '_';)
                len++;
            snprintf(name, sizeof name, "%.*s", (int)len, text + n);
            if (len && !quoted && json_object_get(records, name))
                break;
        }
        fputs(n ? "`" : "", file);
        print_text(file, text, n);
        fputs(n ? "`" : "", file);
        if (text[n])
            fprintf(file, "[`%s`](#%s)", name, name);
        text += n + (text[n] ? len : 0);
    }
}

static bool has(const json_t *names, const char *name)
{
    FB_EACH(one, names)
        if (!strcmp(json_string_value(one), name))
            return true;
    return false;
}

/* When the record has the member. */
static void print_presence(FILE *file, const json_t *record, const char *name)
{
    const json_t *whole = json_object_get(record, "then");
    const json_t *with = json_object_get(json_object_get(record, "dependentRequired"), name);
    if (has(json_object_get(record, "required"), name))
        return;
    if (has(json_object_get(whole, "required"), name))
        fputs(", where a run ended", file);
    else if (with)
        fprintf(file, ", with `%s`", json_string_value(json_array_get(with, 0)));
    else
        fputs(", may be absent", file);
}

/* `text`: what the record is. */
static void print_record(FILE *file, const char *path, const char *text, const json_t *record)
{
    fprintf(file, "\n### %s\n\n%s\n\n", path, text);
    fputs("| member | type | nature | meaning |\n|---|---|---|---|\n", file);
    FB_EACH_MEMBER(name, type, json_object_get(record, "properties")) {
        if (!json_object_get(type, "x-type"))
            continue;
        fprintf(file, "| `%s`", name);
        print_presence(file, record, name);
        fputs(" | ", file);
        print_type(file, fb_json_str(type, "x-type"));
        fprintf(file, " | %s | ", fb_json_str(type, "x-nature"));
        text = fb_json_str(type, "description");
        print_text(file, text, strlen(text));
        fputs(" |\n", file);
    }
    FB_EACH_AT(i, rule, json_object_get(record, "x-rules"))
        fprintf(file, "%s`%s`", i ? ", " : "\nAlways true: ", json_string_value(rule));
    fputs(json_object_get(record, "x-rules") ? ".\n" : "", file);
    FB_EACH_MEMBER(name, type, json_object_get(record, "properties")) {
        char inner[200];
        json_auto_t *inside = json_array();
        snprintf(inner, sizeof inner, "%.120s.%.70s", path, name);
        add_inside(type, inside);
        FB_EACH(one, inside)
            print_record(file, inner, fb_json_str(type, "description"), one);
    }
}

/* The records that documents of the kind alone have, its document first. "": those of all. */
static void print_records(FILE *file, const char *kind, const json_t *owners)
{
    const json_t *document = *kind ? fb_schema_of_kind(kind) : fb_schema();
    char first[64];
    snprintf(first, sizeof first, "%.40s%sdocument", kind, *kind ? "_" : "");
    print_record(file, first, fb_json_str(document, "description"), document);
    FB_EACH_MEMBER(name, record, json_object_get(fb_schema(), "$defs")) {
        if (strcmp(fb_json_str(owners, name), kind) != 0 || !strcmp(name, first))
            continue;
        if (json_object_get(record, "x-type")) {
            fprintf(file, "\n### %s\n\n", name);
            print_type(file, fb_json_str(record, "x-type"));
            fputc('\n', file);
        } else if (!strstr(name, "_experiment")) {
            print_record(file, name, fb_json_str(record, "description"), record);
        }
    }
}

void fb_members_page(FILE *file)
{
    static const char intro[] =
        "# Members of results\n"
        "\n"
        "A result is a JSON document. `filterbench list members --format md` wrote this page from "
        "the tables that every reader checks a document against. `filterbench describe MEMBER` "
        "explains one member, and `filterbench show RESULT --explain` the columns of a table.\n"
        "\n"
        "Start at [document](#document). The member `cells` of a document has the measurements: "
        "their record is named in the section of each kind.\n"
        "\n"
        "* The type of a member has its limits, and its unit after \"in\". A count is an integer "
        "from 0 up, a rate a number from 0 to 1. A word is a text of 64 bits in hexadecimal, a "
        "hash one of 128 bits. `[TYPE]` is a list, and `{TYPE}` an object with any names. "
        "`record` has a section of its own.\n"
        "* A member of type `| null` can be unknown. The member of the same name with `_reason` "
        "then says why. `| nothing` needs no reason.\n"
        "* The nature of a member says where it comes from. `told` is what was asked for, or what "
        "the machine and the build are. `exact` is equal on every machine. `measured` is what "
        "this machine took. `derived` follows from the others, and `validate` derives it again.\n"
        "\n"
        "## All documents\n";
    json_auto_t *owners = owners_of_records();
    fputs(intro, file);
    print_records(file, "", owners);
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++) {
        fprintf(file, "\n## Documents of kind %s\n\n%s\n", (*kind)->name, (*kind)->summary);
        print_records(file, (*kind)->name, owners);
    }
}

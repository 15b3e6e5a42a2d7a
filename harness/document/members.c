/* Tables of members as a JSON schema. A type becomes a schema of its own; a record's becomes
 * "$defs". */
#include "harness/document/members.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/document/fields.h"
#include "harness/document/kind.h"
#include "harness/document/result.h"

/* members.txt of harness/document and of each kind, one after the other, line by line; ends with
 * NULL. */
extern const char *const fb_members_lines[];

/* ---- Types: "count 1.. in bytes | null" ---- */

struct reader {
    const char *at;
    json_t *record; /* what "record" stands for: its members follow, farther indented */
};

static bool take(struct reader *r, const char *text)
{
    r->at += strspn(r->at, " ");
    if (strncmp(r->at, text, strlen(text)) != 0)
        return false;
    r->at += strlen(text);
    return true;
}

static void take_name(struct reader *r, char *name, size_t size)
{
    size_t n = 0;
    for (r->at += strspn(r->at, " "); isalnum((unsigned char)*r->at) || *r->at == '_'; r->at++)
        if (n + 1 < size)
            name[n++] = *r->at;
    name[n] = 0;
}

/* "1..", "0..1", ">0", ">0 <1", ">0 ..1": limits of a number, or of a length, under these names. */
static void take_limits(struct reader *r, json_t *type, const char *low, const char *high,
                        bool whole)
{
    for (;;) {
        char *end;
        const char *name = take(r, ">")    ? "exclusiveMinimum"
                           : take(r, "<")  ? "exclusiveMaximum"
                           : take(r, "..") ? high
                                           : low;
        const double x = strtod(r->at, &end);
        if (end == r->at)
            return;
        json_object_set_new(type, name, whole ? json_integer((json_int_t)x) : json_real(x));
        /* "0..1": strtod takes "0." */
        r->at = end - (end[-1] == '.');
        if (name == low && take(r, ".."))
            r->at -= isdigit((unsigned char)*r->at) ? 2 : 0;
    }
}

static json_t *type_of(struct reader *r);

/* What stands for itself. An integer is one that every reader of JSON here can hold. */
static const struct {
    const char *name, *schema;
} scalars[] = {
    {"bool", "{'type': 'boolean'}"},
    {"count", "{'type': 'integer', 'minimum': 0, 'maximum': 9223372036854775807}"},
    {"integer", "{'type': 'integer', 'maximum': 9223372036854775807}"},
    {"number", "{'type': 'number'}"},
    {"rate", "{'type': 'number', 'minimum': 0, 'maximum': 1}"},
    {"text", "{'type': 'string'}"},
    {"word", "{'type': 'string', 'pattern': '^0x[0-9a-f]{16}$'}"},
    {"hash", "{'type': 'string', 'pattern': '^[0-9a-f]{32}$'}"},
    {"object", "{'type': 'object'}"},
    {"any", "{}"},
    {"true", "{'const': true}"},
    {"null", "{'type': 'null'}"},
    {"nothing", "{'type': 'null'}"},
    {0},
};

static json_t *scalar(const char *name)
{
    char json[120];
    size_t i = 0;
    while (scalars[i].name && strcmp(scalars[i].name, name) != 0)
        i++;
    snprintf(json, sizeof json, "%s", scalars[i].name ? scalars[i].schema : "");
    for (char *quote = json; (quote = strchr(quote, '\'')); quote++)
        *quote = '"';
    return json_loads(json, 0, NULL);
}

static json_t *list_of(struct reader *r)
{
    json_t *type = json_pack("{s:s, s:o}", "type", "array", "items", type_of(r));
    take(r, "]");
    take_limits(r, type, "minItems", "maxItems", true);
    return type;
}

/* {count}, {footprint: count}: members of any name, or of such names. */
static json_t *map_of(struct reader *r)
{
    json_t *type = json_pack("{s:s, s:o}", "type", "object", "additionalProperties", type_of(r));
    if (take(r, ":")) {
        json_object_set(type, "propertyNames", json_object_get(type, "additionalProperties"));
        json_object_set_new(type, "additionalProperties", type_of(r));
    }
    take(r, "}");
    return type;
}

static json_t *named(struct reader *r)
{
    char name[64], of[80];
    take_name(r, name, sizeof name);
    if (!strcmp(name, "record"))
        return json_incref(r->record =
                               json_pack("{s:s, s:b, s:[], s:{}}", "type", "object",
                                         "additionalProperties", 0, "required", "properties"));
    json_t *type = scalar(name);
    if (!type) {
        snprintf(of, sizeof of, "#/$defs/%s", name);
        return json_pack("{s:s}", "$ref", of);
    }
    if (!strcmp(name, "text"))
        take_limits(r, type, "minLength", "maxLength", true);
    else
        take_limits(r, type, "minimum", "maximum",
                    !strcmp(name, "count") || !strcmp(name, "integer"));
    if (take(r, "/")) {
        const size_t n = strcspn(r->at, "/");
        json_object_set_new(type, "pattern", json_stringn(r->at, n));
        r->at += n + (r->at[n] == '/');
    }
    return type;
}

/* One alternative, without its unit. */
static json_t *one_of(struct reader *r)
{
    char *end;
    if (take(r, "["))
        return list_of(r);
    if (take(r, "{"))
        return map_of(r);
    if (take(r, "'")) {
        const size_t n = strcspn(r->at, "'");
        json_t *type = json_pack("{s:o}", "const", json_stringn(r->at, n));
        r->at += n + (r->at[n] == '\'');
        return type;
    }
    const double x = strtod(r->at, &end);
    if (end == r->at || isalpha((unsigned char)r->at[strspn(r->at, " ")]))
        return named(r);
    r->at = end;
    return json_pack("{s:o}", "const", x == rint(x) ? json_integer((json_int_t)x) : json_real(x));
}

/* Alternatives, words and numbers among them as one. */
static json_t *type_of(struct reader *r)
{
    json_auto_t *all = json_array(), *words = json_array();
    do {
        json_auto_t *one = one_of(r);
        json_t *word = json_object_get(one, "const");
        if (word)
            json_array_append(words, word);
        else
            json_array_append(all, one);
        if (take(r, "in "))
            r->at += strcspn(r->at, "|]}");
    } while (take(r, "|"));
    if (json_array_size(words))
        json_array_insert_new(all, 0,
                              json_array_size(words) == 1
                                  ? json_pack("{s:O}", "const", json_array_get(words, 0))
                                  : json_pack("{s:O}", "enum", words));
    return json_array_size(all) == 1 ? json_incref(json_array_get(all, 0))
                                     : json_pack("{s:O}", "anyOf", all);
}

/* ---- Lines ---- */

/* The columns of a line, which two blanks or more part; a line has at most three. */
static void columns_of(const char *line, char column[3][600])
{
    line += strspn(line, " ");
    for (int i = 0; i < 3; i++) {
        const char *gap = i < 2 ? strstr(line, "  ") : NULL;
        snprintf(column[i], sizeof column[i], "%.*s", gap ? (int)(gap - line) : (int)strlen(line),
                 line);
        line = gap ? gap + strspn(gap, " ") : "";
    }
}

/* "rounds?processes": a member that is there if and only if the other is; "timing?whole": in every
 * document of a run that ended, unless it is merged. */
static void set_presence(json_t *record, const char *name, const char *condition)
{
    if (!condition)
        json_array_append_new(json_object_get(record, "required"), json_string(name));
    else if (!strcmp(condition, "whole")) {
        if (!json_object_get(record, "then")) {
            json_object_set_new(record, "if",
                                json_pack("{s:{s:[s]}, s:{s:{s:{s:{s:b}}}}}", "not", "required",
                                          "merged", "properties", "run", "properties", "complete",
                                          "const", 1));
            json_object_set_new(record, "then", json_pack("{s:[]}", "required"));
        }
        json_array_append_new(json_object_get(json_object_get(record, "then"), "required"),
                              json_string(name));
    } else if (*condition) {
        json_t *all = json_object_get(record, "dependentRequired"), *of;
        if (!all)
            json_object_set_new(record, "dependentRequired", all = json_object());
        if (!(of = json_object_get(all, condition)))
            json_object_set_new(all, condition, of = json_array());
        json_array_append_new(of, json_string(name));
        json_object_set_new(all, name, json_pack("[s]", condition));
    }
}

/* Adds the member that a line describes; the record of its own, if it is one. */
static json_t *add_member(json_t *record, const char *nature, const char *line)
{
    char column[3][600], reason[128], *condition, *own, *unit;
    columns_of(line, column);
    struct reader r = {column[1], NULL};
    if ((condition = strchr(column[0], '?')))
        *condition++ = 0;
    for (own = column[1]; (own = strstr(own, ", ")) && strstr(own + 1, ", "); own++)
        ;
    if (own)
        *own = 0, own += strlen(", ");
    json_t *type = type_of(&r), *properties = json_object_get(record, "properties");
    if ((unit = strstr(column[1], " in "))) {
        size_t n = strcspn(unit += strlen(" in "), "|]}");
        while (n && unit[n - 1] == ' ')
            n--;
        json_object_set_new(type, "x-unit", json_stringn(unit, n));
    }
    json_object_set_new(type, "x-type", json_string(column[1]));
    json_object_set_new(type, "x-nature", json_string(own ? own : nature));
    json_object_set_new(type, "description", json_string(column[2]));
    set_presence(record, column[0], condition);
    json_object_set_new(properties, column[0], type);
    if (strstr(column[1], "| null")) {
        snprintf(reason, sizeof reason, "%.100s_reason", column[0]);
        json_object_set_new(properties, reason, json_pack("{s:s}", "type", "string"));
    }
    return r.record;
}

static void add_rule(json_t *record, const char *text)
{
    json_t *rules = json_object_get(record, "x-rules");
    if (!rules)
        json_object_set_new(record, "x-rules", rules = json_array());
    json_array_append_new(rules, json_string(text + strspn(text, " ")));
}

/* "+ RECORD": its members and rules are those of this record too. */
static void add_members_of(json_t *record, const json_t *other)
{
    static const char *const lists[] = {"required", "x-rules"}, *const objects[] = {
                                                                    "properties",
                                                                    "dependentRequired"};
    for (size_t i = 0; i < 2; i++) {
        json_t *more = json_deep_copy(json_object_get(other, lists[i])),
               *all = json_object_get(record, lists[i]);
        if (all)
            json_array_extend(all, more);
        else if (more)
            json_object_set(record, lists[i], more);
        json_decref(more);
        more = json_pack("{s:o*}", objects[i], json_deep_copy(json_object_get(other, objects[i])));
        json_object_update_recursive(record, more);
        json_decref(more);
    }
}

enum { MOST_DEPTH = 8 };

/* Reads the table that starts at `line` into "$defs"; returns the line behind its end. */
static const char *const *read_table(const char *const *line, json_t *defs)
{
    struct {
        size_t indent;
        json_t *record;
    } open[MOST_DEPTH] = {{0}};
    char nature[32] = "", name[64];
    size_t depth = 0;
    for (; *line; line++) {
        const size_t indent = strspn(*line, " ");
        const char *text = *line + indent;
        if (!*text || *text == '#')
            continue;
        if (indent) {
            while (depth > 1 && indent < open[depth - 1].indent)
                depth--;
            open[depth - 1].indent = indent;
            if (*text == '!') {
                add_rule(open[depth - 1].record, text + 1);
                continue;
            }
            if (*text == '+') {
                add_members_of(open[depth - 1].record,
                               json_object_get(defs, text + strspn(text, "+ ")));
                continue;
            }
            json_auto_t *inner = add_member(open[depth - 1].record, nature, text);
            if (inner && depth < MOST_DEPTH)
                open[depth].indent = indent + 1, open[depth++].record = inner;
            continue;
        }
        struct reader r = {text, NULL};
        take_name(&r, name, sizeof name);
        if (take(&r, "=")) {
            const char *named_type = r.at + strspn(r.at, " ");
            json_t *type = type_of(&r);
            json_object_set_new(type, "x-type", json_string(named_type));
            json_object_set_new(defs, name, type);
            continue;
        }
        /* "counts, exact:  what they are" */
        snprintf(nature, sizeof nature, "%.*s", (int)strcspn(r.at, ":"),
                 take(&r, ",") ? r.at + 1 : "");
        nature[strcspn(nature, ":")] = 0;
        r.at += strcspn(r.at, ":");
        take(&r, ":");
        open[0].record = json_pack("{s:s, s:s, s:b, s:[], s:{}}", "type", "object", "description",
                                   r.at + strspn(r.at, " "), "additionalProperties", 0, "required",
                                   "properties");
        open[0].indent = 1;
        depth = 1;
        json_object_set_new(defs, name, open[0].record);
    }
    return line + 1;
}

/* ---- Experiments: what fb_fields_resolve gives ---- */

/* A limit, as an integer where it is one. */
static void set_limit(json_t *type, const char *name, double x)
{
    if (fabs(x) < 1e18)
        json_object_set_new(type, name, x == rint(x) ? json_integer((json_int_t)x) : json_real(x));
}

static json_t *words_of(const struct fb_word *words)
{
    json_t *names = json_array();
    for (; words->name; words++)
        json_array_append_new(names, json_string(words->name));
    return json_pack("{s:o}", "enum", names);
}

/* What a field's fallback tells: a text, or true or false. */
static json_t *type_of_sample(const char *fallback)
{
    json_t *sample = json_loads(fallback, JSON_DECODE_ANY, NULL),
           *one = json_is_array(sample) ? json_array_get(sample, 0) : sample;
    const char *type = json_is_boolean(one) ? "boolean" : json_is_string(one) ? "string" : NULL;
    json_decref(sample);
    return type ? json_pack("{s:s}", "type", type) : json_object();
}

static json_t *type_of_field(const struct fb_field *f)
{
    if (f->shape)
        return type_of(&(struct reader){f->shape, NULL});
    if (f->read == fb_read_real || f->read == fb_read_count) {
        json_t *type = json_pack("{s:s}", "type", f->read == fb_read_real ? "number" : "integer");
        set_limit(type, f->above ? "exclusiveMinimum" : "minimum", f->low);
        set_limit(type, "maximum", f->high);
        return type;
    }
    return f->read == fb_read_word ? words_of(f->words)
           : f->read == fb_read_kind
               ? json_pack("{s:o}", "const", json_loads(f->fallback, JSON_DECODE_ANY, NULL))
           : f->read == fb_read_seed
               ? json_pack("{s:s, s:s}", "type", "string", "pattern", "^0x[0-9a-f]{1,16}$")
           : f->read == fb_read_hash ? json_pack("{s:[s, s]}", "type", "string", "null")
           : f->read == fb_read_cpu  ? json_pack("{s:[s, s]}", "type", "string", "integer")
                                     : type_of_sample(f->fallback);
}

static json_t *experiment_of(const struct fb_field *fields)
{
    json_t *properties = json_object(), *required = json_array();
    for (const struct fb_field *f = fields; f->name; f++) {
        json_t *type = type_of_field(f);
        if (f->list) {
            type = json_pack("{s:s, s:o, s:i, s:b}", "type", "array", "items", type, "minItems",
                             f->may_miss ? 0 : 1, "uniqueItems", !f->repeats);
        }
        json_object_set_new(type, "description", json_string(f->meaning));
        json_object_set_new(properties, f->name, type);
        if (!f->may_lack && !f->later)
            json_array_append_new(required, json_string(f->name));
    }
    return json_pack("{s:s, s:b, s:o, s:o}", "type", "object", "additionalProperties", 0,
                     "required", required, "properties", properties);
}

/* ---- The schema ---- */

static void add_kind(json_t *schema, const struct fb_kind *kind)
{
    json_t *defs = json_object_get(schema, "$defs"), *part;
    char name[64], of[80];
    snprintf(name, sizeof name, "%s_experiment", kind->name);
    json_object_set_new(defs, name, experiment_of(kind->fields));
    snprintf(of, sizeof of, "#/$defs/%s", name);
    part = json_object_get(defs, (snprintf(name, sizeof name, "%s_document", kind->name), name));
    json_object_del(part, "additionalProperties"); /* what all documents have stands beside it */
    json_object_set_new(json_object_get(part, "properties"), "experiment",
                        json_pack("{s:s}", "$ref", of));
    snprintf(of, sizeof of, "#/$defs/%s", name);
    json_array_append_new(json_object_get(schema, "allOf"),
                          json_pack("{s:{s:{s:{s:s}}}, s:{s:s}}", "if", "properties", "kind",
                                    "const", kind->name, "then", "$ref", of));
    json_array_append_new(
        json_object_get(json_object_get(json_object_get(schema, "properties"), "kind"), "enum"),
        json_string(kind->name));
}

const json_t *fb_schema(void)
{
    static json_t *schema;
    if (schema)
        return schema;
    json_t *defs = json_object();
    for (const char *const *line = fb_members_lines; *line;)
        line = read_table(line, defs);
    schema = json_incref(json_object_get(defs, "document"));
    json_object_del(defs, "document");
    json_object_del(schema, "additionalProperties");
    json_object_update_new(schema, json_pack("{s:s, s:s, s:s, s:b, s:o, s:[]}", "$schema",
                                             "https://json-schema.org/draft/2020-12/schema", "$id",
                                             FB_SCHEMA_ID, "title", "filterbench result, version 2",
                                             "unevaluatedProperties", 0, "$defs", defs, "allOf"));
    json_object_set_new(json_object_get(json_object_get(schema, "properties"), "kind"), "enum",
                        json_array());
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        add_kind(schema, *kind);
    return schema;
}

const json_t *fb_schema_of_kind(const char *kind)
{
    char name[64];
    snprintf(name, sizeof name, "%.40s_document", kind);
    return json_object_get(json_object_get(fb_schema(), "$defs"), name);
}

/* ---- One member ---- */

/* What a path from a type on ends at; a value of a map is told by the map. An element of a list may
 * stand in it by a number, or as CSV has it: "scans.fixed:3.held". */
static const json_t *inside(const json_t *type, const char *path)
{
    const size_t len = strcspn(path, ".");
    const char *rest = path + len + (path[len] == '.');
    const char *record = strrchr(fb_json_str(type, "$ref"), '/');
    const json_t *map = json_object_get(type, "additionalProperties"), *found = NULL;
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)len, path);
    const json_t *member = json_object_get(json_object_get(type, "properties"), name);
    if (!*path)
        return type;
    if (member && *rest)
        found = inside(member, rest);
    if (member)
        return !*rest || (found && !json_object_get(found, "x-type")) ? member : found;
    if (record)
        return inside(json_object_get(json_object_get(fb_schema(), "$defs"), record + 1), path);
    if (json_is_object(map) && !(found = inside(map, path)))
        found = inside(map, rest);
    FB_EACH(one, json_object_get(type, "anyOf"))
        found = found ? found : inside(one, path);
    const json_t *items = json_object_get(type, "items");
    if (items && !found && !(found = inside(items, path)) && name[strcspn(name, ":0123456789")])
        found = inside(items, rest);
    return found;
}

const json_t *fb_member_at(const char *kind, const char *path)
{
    const json_t *found = inside(fb_schema_of_kind(kind), path);
    return found ? found : inside(fb_schema(), path);
}

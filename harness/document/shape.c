/* The shape of a document, held against the schema. Of JSON Schema it knows what members.c writes.
 */
#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/document/members.h"
#include "harness/document/rules.h"

struct shape {
    const json_t *defs, *document;
    char path[200], wrong[400];
    bool underived; /* what is derived may be missing */
};

static bool wrong(struct shape *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* False; the first fault that was found stays. */
static bool wrong(struct shape *s, const char *format, ...)
{
    char what[160];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (!*s->wrong)
        snprintf(s->wrong, sizeof s->wrong, "%s%s%s", s->path,
                 *s->path && s->path[strlen(s->path) - 1] != ' ' ? ": " : "", what);
    return false;
}

static bool fits(struct shape *s, const json_t *schema, const json_t *value);

/* Enters a member or an element; the path gets its length back afterwards. */
static bool fits_at(struct shape *s, const char *between, const char *name, const json_t *schema,
                    const json_t *value)
{
    const size_t n = strlen(s->path);
    snprintf(s->path + n, sizeof s->path - n, "%s%.110s", n && s->path[n - 1] != ' ' ? between : "",
             name);
    const bool does = fits(s, schema, value);
    s->path[n] = 0;
    return does;
}

static bool is_a(const char *type, const json_t *value)
{
    return !strcmp(type, "integer")   ? json_is_integer(value)
           : !strcmp(type, "number")  ? json_is_number(value) && isfinite(json_number_value(value))
           : !strcmp(type, "string")  ? json_is_string(value)
           : !strcmp(type, "boolean") ? json_is_boolean(value)
           : !strcmp(type, "array")   ? json_is_array(value)
           : !strcmp(type, "null")    ? json_is_null(value)
                                      : json_is_object(value);
}

static bool fits_number(struct shape *s, const json_t *schema, const json_t *value)
{
    static const struct {
        const char *keyword, *is;
        int side;
        bool itself;
    } limits[] = {{"minimum", "below", -1, true},
                  {"maximum", "above", 1, true},
                  {"exclusiveMinimum", "not above", -1, false},
                  {"exclusiveMaximum", "not below", 1, false}};
    const double x = json_number_value(value);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const json_t *limit = json_object_get(schema, limits[i].keyword);
        const double by = limit ? (x - json_number_value(limit)) * limits[i].side : -1;
        if (by > 0 || (by == 0 && !limits[i].itself))
            return wrong(s, "%.6g is %s %g", x, limits[i].is, json_number_value(limit));
    }
    return true;
}

/* Patterns are few, and their texts live as long as the schema. */
static bool matches(const char *pattern, const char *text)
{
    static struct {
        const char *pattern;
        regex_t regex;
    } known[32];
    size_t i = 0;
    for (; i < 31 && known[i].pattern && strcmp(known[i].pattern, pattern) != 0; i++)
        ;
    if (!known[i].pattern && !regcomp(&known[i].regex, pattern, REG_EXTENDED | REG_NOSUB))
        known[i].pattern = pattern;
    return known[i].pattern && !regexec(&known[i].regex, text, 0, NULL, 0);
}

static bool fits_length(struct shape *s, const json_t *schema, size_t n, const char *least,
                        const char *most, const char *of)
{
    const json_t *low = json_object_get(schema, least), *high = json_object_get(schema, most);
    return low && n < (size_t)json_integer_value(low)
               ? wrong(s, "%zu %s are fewer than %d", n, of, (int)json_integer_value(low))
           : high && n > (size_t)json_integer_value(high)
               ? wrong(s, "%zu %s are more than %d", n, of, (int)json_integer_value(high))
               : true;
}

static bool fits_text(struct shape *s, const json_t *schema, const char *text)
{
    const char *pattern = json_string_value(json_object_get(schema, "pattern"));
    if (pattern && !matches(pattern, text))
        return wrong(s, "'%.60s' does not look like %s", text, pattern);
    return fits_length(s, schema, strlen(text), "minLength", "maxLength", "characters");
}

static bool fits_list(struct shape *s, const json_t *schema, const json_t *list)
{
    const json_t *of = json_object_get(schema, "items");
    bool does = fits_length(s, schema, json_array_size(list), "minItems", "maxItems", "elements");
    for (size_t i = 0; i < json_array_size(list) && does; i++) {
        const json_t *element = json_array_get(list, i);
        const char *id = json_string_value(json_object_get(element, "id"));
        char place[128];
        snprintf(place, sizeof place, "[%zu]", i);
        if (id && !strcmp(s->path, "cells")) { /* named as all checks name it */
            *s->path = 0;
            snprintf(place, sizeof place, "%.100s: ", id);
            does = fits_at(s, "", place, of, element);
            strcpy(s->path, "cells");
            continue;
        }
        does = fits_at(s, "", place, of, element);
    }
    return does;
}

/* Whether the member is derived, or the record that it is or is a map of. */
static bool is_derived(const struct shape *s, const json_t *member)
{
    const char *of = json_string_value(json_object_get(member, "$ref"));
    const json_t *is = of ? json_object_get(s->defs, strrchr(of, '/') + 1) : member,
                 *map = json_object_get(is, "additionalProperties");
    json_t *all = json_object_get(is, "properties"),
           *first = json_object_iter_value(json_object_iter(all));
    return !strcmp(fb_json_str(member, "x-nature"), "derived") || (first && is_derived(s, first)) ||
           (json_is_object(map) && is_derived(s, map));
}

static bool has_all(struct shape *s, const json_t *properties, const json_t *names,
                    const json_t *object)
{
    FB_EACH(name, names) {
        const char *text = json_string_value(name);
        if (!json_object_get(object, text) &&
            !(s->underived && is_derived(s, json_object_get(properties, text))))
            return wrong(s, "%s is missing", text);
    }
    return true;
}

static bool has_required(struct shape *s, const json_t *schema, const json_t *object)
{
    const json_t *properties = json_object_get(schema, "properties");
    bool does = has_all(s, properties, json_object_get(schema, "required"), object);
    FB_EACH_MEMBER(name, others, json_object_get(schema, "dependentRequired"))
        does = does && (!json_object_get(object, name) || has_all(s, properties, others, object));
    return does;
}

/* Of a member that may have a reason beside it: it has one where it is null, and only there.
 * Reasons that a table has a line for are members of their own. */
static bool has_reason(struct shape *s, const json_t *properties, const json_t *object,
                       const char *name)
{
    char reason[128];
    snprintf(reason, sizeof reason, "%.100s_reason", name);
    const json_t *known = json_object_get(properties, reason);
    const bool null = json_is_null(json_object_get(object, name));
    if (!known || json_object_get(known, "x-type") || null == !!json_object_get(object, reason))
        return true;
    return null ? wrong(s, "%s is null and %s does not say why", name, reason)
                : wrong(s, "%s: %s says why it is null, and it is not", name, reason);
}

static bool keeps_rules(struct shape *s, const json_t *rules, const json_t *object)
{
    FB_EACH(rule, rules)
        if (!fb_rule_kept(json_string_value(rule), object, s->document))
            return wrong(s, "it breaks the rule '%s'", json_string_value(rule));
    return true;
}

/* "sentence is no member of it; it may have id, claim, section" */
static bool no_member(struct shape *s, const json_t *properties, const char *name)
{
    char may[100] = "";
    FB_EACH_MEMBER(other, ignored, properties) {
        if (!fb_json_is_reason(other))
            fb_append(may, sizeof may, "%s%s", *may ? ", " : "", other);
    }
    return wrong(s, "%.40s is no member of it%s%s", name, *may ? "; it may have " : "", may);
}

static bool fits_object(struct shape *s, const json_t *schema, const json_t *object)
{
    const json_t *properties = json_object_get(schema, "properties"),
                 *others = json_object_get(schema, "additionalProperties"),
                 *names = json_object_get(schema, "propertyNames");
    json_t *text;
    bool does = has_required(s, schema, object);
    FB_EACH_MEMBER(name, member, object) {
        const json_t *known = json_object_get(properties, name);
        if (!known && !json_is_object(others) && (properties || others))
            return no_member(s, properties, name);
        if (names && does) {
            does = fits_at(s, ".", name, names, text = json_string(name));
            json_decref(text);
        }
        if (known || others)
            does = does && fits_at(s, ".", name, known ? known : others, member);
        if (does)
            does = has_reason(s, properties, object, name);
        if (!does)
            return false;
    }
    return does && keeps_rules(s, json_object_get(schema, "x-rules"), object);
}

static bool fits_any(struct shape *s, const json_t *schemas, const json_t *value)
{
    char was[sizeof s->wrong], first[sizeof s->wrong] = "";
    memcpy(was, s->wrong, sizeof was);
    FB_EACH(schema, schemas) {
        if (fits(s, schema, value))
            return true;
        if (!*first)
            memcpy(first, s->wrong, sizeof first);
        memcpy(s->wrong, was, sizeof was);
    }
    memcpy(s->wrong, first, sizeof first);
    return false;
}

static bool fits_words(struct shape *s, const json_t *schema, const json_t *value)
{
    const json_t *only = json_object_get(schema, "const"), *words = json_object_get(schema, "enum");
    bool is = only && json_equal(only, value);
    FB_EACH(word, words)
        is = is || json_equal(word, value);
    char *text = is ? NULL : json_dumps(only ? only : words, JSON_ENCODE_ANY | JSON_COMPACT);
    if (!is)
        wrong(s, "it is not %s%.100s", only ? "" : "one of ", text ? text : "");
    free(text);
    return is;
}

static bool fits(struct shape *s, const json_t *schema, const json_t *value)
{
    const char *of = json_string_value(json_object_get(schema, "$ref")),
               *type = json_string_value(json_object_get(schema, "type"));
    const json_t *any = json_object_get(schema, "anyOf");
    if (of)
        return fits(s, json_object_get(s->defs, strrchr(of, '/') + 1), value);
    if (any)
        return fits_any(s, any, value);
    if (json_object_get(schema, "const") || json_object_get(schema, "enum"))
        return fits_words(s, schema, value);
    if (type && !is_a(type, value))
        return wrong(s, "it is not a%s %s", strchr("aeiou", *type) ? "n" : "", type);
    return !type                   ? true
           : json_is_object(value) ? fits_object(s, schema, value)
           : json_is_array(value)  ? fits_list(s, schema, value)
           : json_is_string(value) ? fits_text(s, schema, json_string_value(value))
           : json_is_number(value) ? fits_number(s, schema, value)
                                   : true;
}

const char *fb_shape_wrong(const json_t *document)
{
    static struct shape s;
    const json_t *schema = fb_schema(), *kind = fb_schema_of_kind(fb_json_str(document, "kind")),
                 *shared = json_object_get(schema, "properties"),
                 *own = json_object_get(kind, "properties"),
                 *whole = json_object_get(json_object_get(kind, "then"), "required");
    s = (struct shape){.defs = json_object_get(schema, "$defs"), .document = document};
    if (!json_is_object(document) || !kind)
        return "kind: there is no such kind";
    snprintf(s.path, sizeof s.path, "the document");
    const bool ended =
        json_is_true(fb_json_at(document, "run.complete")) && !json_object_get(document, "merged");
    bool does = has_required(&s, schema, document) && has_required(&s, kind, document) &&
                (!ended || has_all(&s, NULL, whole, document));
    FB_EACH_MEMBER(name, member, document) {
        const json_t *is = json_object_get(own, name);
        is = is ? is : json_object_get(shared, name);
        *s.path = 0;
        if (!does || (!is && !(does = wrong(&s, "%s: a result has no member of this name", name))))
            break;
        does = !strcmp(name, "experiment") || fits_at(&s, "", name, is, member);
        does =
            does && has_reason(&s, own, document, name) && has_reason(&s, shared, document, name);
    }
    does = does && keeps_rules(&s, json_object_get(schema, "x-rules"), document) &&
           keeps_rules(&s, json_object_get(kind, "x-rules"), document);
    return does ? NULL : s.wrong;
}

const char *fb_record_wrong(const char *record, const json_t *value)
{
    static struct shape s;
    s = (struct shape){.defs = json_object_get(fb_schema(), "$defs"), .document = value};
    return fits(&s, json_object_get(s.defs, record), value) ? NULL : s.wrong;
}

const char *fb_step_wrong(const char *kind, const json_t *record)
{
    static struct shape s;
    s = (struct shape){
        .defs = json_object_get(fb_schema(), "$defs"), .document = record, .underived = true};
    if (!json_is_object(record))
        return "it is no object";
    if (json_object_get(record, "schema")) /* a part: a result of its own */
        return fb_shape_wrong(record);
    FB_EACH_MEMBER(name, member, record) {
        char path[64];
        snprintf(path, sizeof path, "cells.%.50s", name);
        const json_t *is = fb_member_at(kind, name), *of_cell = fb_member_at(kind, path);
        const bool empty = json_is_array(member) && !json_array_size(member);
        if (!empty && (is || of_cell) && !fits_at(&s, "", name, is ? is : of_cell, member))
            return s.wrong;
    }
    return NULL;
}

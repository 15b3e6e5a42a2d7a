#include "harness/document/fields.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/filter.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "workloads/core/keys.h"

enum { MAX_LIST = 4096 };

#define LARGEST 9007199254740992.0 /* 2^53: whole numbers are exact in JSON up to here */

json_t *fb_reject_value(struct fb_problem *problem, const struct fb_field *f, const char *path,
                        const json_t *given)
{
    char *text = json_dumps(given, JSON_ENCODE_ANY | JSON_COMPACT |
                                       JSON_REAL_PRECISION(FB_EXPERIMENT_DIGITS));
    fb_refuse(problem, "%s: %.60s%s is not accepted; give %s%s", path, text ? text : "this",
              text && strlen(text) > 60 ? "..." : "", f->accepted,
              f->unit && json_is_string(given) ? fb_quantity_example(f->unit, f->low, f->high)
                                               : "");
    free(text);
    return NULL;
}

json_t *fb_reject_name(struct fb_problem *problem, const char *what, const char *path,
                       const json_t *given, const char **names)
{
    const char *name = json_string_value(given);
    const char *meant = name ? fb_did_you_mean(name, names, sizeof *names) : "";
    if (name)
        fb_refuse(problem, "%s: there is no %s '%.60s'%s", path, what, name,
                  *meant ? meant : " (`filterbench list` shows all names)");
    else
        fb_refuse(problem, "%s: give the name of a %s in quotes", path, what);
    return NULL;
}

/* ---- Kinds of fields: each returns the value in its resolved form ---- */

json_t *fb_read_text(struct fb_problem *problem, const struct fb_field *f, const char *path,
                     const json_t *given)
{
    size_t len = json_string_length(given);
    if (!json_is_string(given) || len < f->low || len > f->high)
        return fb_reject_value(problem, f, path, given);
    return json_string(json_string_value(given));
}

json_t *fb_read_name(struct fb_problem *problem, const struct fb_field *f, const char *path,
                     const json_t *given)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "-_.";
    const char *text = json_string_value(given);
    if (!text || *text == '.' || strspn(text, letters) != json_string_length(given))
        return fb_reject_value(problem, f, path, given);
    return fb_read_text(problem, f, path, given);
}

json_t *fb_read_kind(struct fb_problem *problem, const struct fb_field *f, const char *path,
                     const json_t *given)
{
    json_t *only = json_loads(f->fallback, JSON_DECODE_ANY, NULL);
    if (json_equal(only, given))
        return only;
    json_decref(only);
    return fb_reject_value(problem, f, path, given);
}

/* The number given, or the one that a text says in the field's unit; NaN: neither. */
static double number_of(const struct fb_field *f, const json_t *given)
{
    const char *text = json_string_value(given);
    double x;
    if (text)
        return fb_quantity_read(text, f->unit, &x) ? x : NAN;
    return json_is_number(given) ? json_number_value(given) : NAN;
}

json_t *fb_read_real(struct fb_problem *problem, const struct fb_field *f, const char *path,
                     const json_t *given)
{
    const double x = number_of(f, given);
    if (!(x >= f->low && x <= f->high) || (f->above && x == f->low))
        return fb_reject_value(problem, f, path, given);
    return x == floor(x) && fabs(x) <= LARGEST ? json_integer((json_int_t)x) : json_real(x);
}

json_t *fb_read_count(struct fb_problem *problem, const struct fb_field *f, const char *path,
                      const json_t *given)
{
    const double x = number_of(f, given);
    if (!(x >= f->low && x <= f->high) || x != floor(x))
        return fb_reject_value(problem, f, path, given);
    return json_integer((json_int_t)x);
}

json_t *fb_seed_given(const char *text)
{
    const bool hex = *text && !text[strspn(text, "0123456789abcdefABCDEF")];
    return json_sprintf("%s%s", hex ? "0x" : "", text);
}

json_t *fb_read_seed(struct fb_problem *problem, const struct fb_field *f, const char *path,
                     const json_t *given)
{
    char text[19];
    uint64_t seed = (uint64_t)json_integer_value(given);
    const char *hex = json_string_value(given);
    if (hex) {
        const size_t prefix = hex[0] == '0' && (hex[1] == 'x' || hex[1] == 'X') ? 2 : 0;
        const size_t n_digits = strspn(hex + prefix, "0123456789abcdefABCDEF");
        if (!prefix || n_digits < 1 || n_digits > 16 || hex[prefix + n_digits])
            return fb_reject_value(problem, f, path, given);
        seed = strtoull(hex, NULL, 16);
    } else if (!json_is_integer(given) || json_integer_value(given) < 0) {
        return fb_reject_value(problem, f, path, given);
    }
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)seed);
    return json_string(text);
}

/* ---- Lists as people write them: "8,10" and "6..20" ---- */

json_t *fb_list_given(const struct fb_texts *given)
{
    json_t *list = json_array();
    for (size_t i = 0; i < given->n; i++) {
        for (const char *text = given->at[i]; text;) {
            const size_t len = strcspn(text, ",");
            json_t *value = json_loadb(text, len, JSON_DECODE_ANY, NULL);
            if (!json_is_number(value)) {
                json_decref(value);
                value = json_stringn(text, len);
            }
            if (json_array_append_new(list, value)) {
                json_decref(list);
                return NULL;
            }
            text = text[len] ? text + len + 1 : NULL;
        }
    }
    return list;
}

/* The whole numbers of "6..9": [6, 7, 8, 9]. */
static json_t *read_range(struct fb_problem *problem, const struct fb_field *f, const char *path,
                          const json_t *given)
{
    const char *text = json_string_value(given), *dots = strstr(text, "..");
    json_auto_t *first = json_stringn(text, (size_t)(dots - text));
    json_t *list = json_array();
    double low, high;
    bool good = fb_quantity_read(json_string_value(first), f->unit, &low) &&
                fb_quantity_read(dots + 2, f->unit, &high) && low == floor(low) && low <= high &&
                high - low < 1000;
    if (!good)
        fb_refuse(problem,
                  "%s: '%.60s' is no range; give two whole numbers less than 1000 apart, the "
                  "lower one first, such as 6..20",
                  path, text);
    for (; good && low <= high; low++) {
        json_auto_t *number = json_real(low);
        good = !json_array_append_new(list, f->read(problem, f, path, number));
    }
    if (good)
        return list;
    json_decref(list);
    return NULL;
}

/* Appends value (owned) to list unless it is there already. */
static void append_new(json_t *list, json_t *value)
{
    if (!fb_json_has(list, value))
        json_array_append(list, value);
    json_decref(value);
}

/* "a,b" -> ["a", "b"] */
static json_t *split(const char *text)
{
    json_t *list = json_array();
    for (size_t len;; text += len + 1) {
        len = strcspn(text, ",");
        json_array_append_new(list, json_stringn(text, len));
        if (!text[len])
            return list;
    }
}

static bool is_range(const struct fb_field *f, const json_t *given)
{
    const bool whole = f->unit == FB_UNIT_COUNT || (f->read == fb_read_real && !f->unit);
    return whole && json_is_string(given) && strstr(json_string_value(given), "..");
}

static fb_read_fn read_entries;

/* As struct fb_field says of lists. */
static json_t *read_list(struct fb_problem *problem, const struct fb_field *f, const char *path,
                         const json_t *given)
{
    const char *text = json_string_value(given);
    json_auto_t *parts = text && strchr(text, ',') ? split(text) : json_incref((json_t *)given);
    return read_entries(problem, f, path, parts);
}

static json_t *read_entries(struct fb_problem *problem, const struct fb_field *f, const char *path,
                            const json_t *given)
{
    json_t *list = json_array();
    size_t n = json_is_array(given) ? json_array_size(given) : 1;
    if (n > MAX_LIST || (n == 0 && !f->may_miss)) {
        fb_refuse(problem, "%s: a list of %zu; give 1 to %d entries", path, n, MAX_LIST);
        json_decref(list);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        char at[64];
        const json_t *entry = json_is_array(given) ? json_array_get(given, i) : given;
        const bool placed = json_is_array(given) && (n > 1 || json_is_object(entry));
        snprintf(at, sizeof at, placed ? "%s[%zu]" : "%s", path, i);
        json_t *value = (is_range(f, entry) ? read_range : f->read)(problem, f, at, entry);
        if (!value) {
            json_decref(list);
            return NULL;
        }
        if (json_is_array(value)) {
            FB_EACH(one, value)
                append_new(list, json_incref(one));
            json_decref(value);
        } else if (f->repeats) {
            json_array_append_new(list, value);
        } else {
            append_new(list, value);
        }
    }
    return list;
}

/* ---- Words and names ---- */

/* A name of the registry, or a list of them for "all", "filters" and a pattern. */
json_t *fb_read_design(struct fb_problem *problem, const struct fb_field *f, const char *path,
                       const json_t *given)
{
    (void)f;
    const char *name = json_string_value(given);
    bool all = name && !strcmp(name, "all"), filters = name && !strcmp(name, "filters");
    if (name && fb_design_find(name))
        return json_string(name);
    json_t *list = json_array();
    for (size_t i = 0; name && i < fb_n_designs(); i++) {
        const struct fb_design *d = fb_design_at(i);
        if (all || (filters && !(d->traits & FB_CONTROL)) || !fnmatch(name, d->name, 0))
            json_array_append_new(list, json_string(d->name));
    }
    if (json_array_size(list))
        return list;
    json_decref(list);
    const char **names = calloc(fb_n_designs() + 3, sizeof *names);
    if (!names)
        return NULL;
    for (size_t i = 0; i < fb_n_designs(); i++)
        names[i] = fb_design_at(i)->name;
    names[fb_n_designs()] = "all";
    names[fb_n_designs() + 1] = "filters";
    json_t *none = fb_reject_name(problem, "design", path, given, names);
    free(names);
    return none;
}

json_t *fb_read_one_of(struct fb_problem *problem, const char *what, const char *path,
                       const json_t *given, const char *const *names, bool all)
{
    const char *name = json_string_value(given);
    char list[200] = "";
    if (name && all && !strcmp(name, "all")) {
        json_t *every = json_array();
        for (; *names; names++)
            json_array_append_new(every, json_string(*names));
        return every;
    }
    for (size_t i = 0; names[i]; i++) {
        if (name && !strcmp(name, names[i]))
            return json_string(name);
        fb_append(list, sizeof list, "%s%s", i ? ", " : "", names[i]);
    }
    if (name)
        fb_refuse(problem, "%s: there is no %s '%.60s'%s (give %s%s)", path, what, name,
                  fb_did_you_mean(name, names, sizeof *names), all ? "all or some of " : "one of ",
                  list);
    else
        fb_refuse(problem, "%s: give the name of a %s in quotes: %s", path, what, list);
    return NULL;
}

json_t *fb_read_word(struct fb_problem *problem, const struct fb_field *f, const char *path,
                     const json_t *given)
{
    enum { MOST = 31 };
    const char *names[MOST + 1] = {0};
    for (size_t i = 0; i < MOST && f->words[i].name; i++)
        names[i] = f->words[i].name;
    return fb_read_one_of(problem, f->noun, path, given, names, f->all);
}

bool fb_is_keys(const char *text, const char **why)
{
    struct fb_keygen keygen;
    return !strcmp(text, "file") || fb_keygen_parse(text, &keygen, why);
}

json_t *fb_read_grammar(struct fb_problem *problem, const struct fb_field *f, const char *path,
                        const json_t *given)
{
    const char *text = json_string_value(given), *why = NULL;
    if (!text)
        return fb_reject_value(problem, f, path, given);
    if (f->valid(text, &why))
        return json_string(text);
    fb_refuse(problem, "%s: '%.60s' is not accepted%s%s%s%s", path, text,
              f->known ? fb_did_you_mean(text, f->known, f->stride) : "", why ? " (" : "",
              why ? why : "", why ? ")" : "");
    return NULL;
}

json_t *fb_read_flag(struct fb_problem *problem, const struct fb_field *f, const char *path,
                     const json_t *given)
{
    return json_is_boolean(given) ? json_boolean(json_is_true(given))
                                  : fb_reject_value(problem, f, path, given);
}

json_t *fb_read_cpu(struct fb_problem *problem, const struct fb_field *f, const char *path,
                    const json_t *given)
{
    const char *name = json_string_value(given);
    if (name && (!strcmp(name, "auto") || !strcmp(name, "none")))
        return json_string(name);
    return fb_read_count(problem, f, path, given);
}

json_t *fb_read_hash(struct fb_problem *problem, const struct fb_field *f, const char *path,
                     const json_t *given)
{
    (void)f;
    if (json_is_null(given))
        return json_null();
    const char *name = json_string_value(given);
    if (name && fb_hash_find(name))
        return json_string(name);
    const char **names = calloc(fb_n_hashes() + 1, sizeof *names);
    if (!names)
        return NULL;
    for (size_t i = 0; i < fb_n_hashes(); i++)
        names[i] = fb_hash_at(i)->name;
    json_t *none = fb_reject_name(problem, "hash", path, given, names);
    free(names);
    return none;
}

/* ---- All fields ---- */

static bool is_field(const struct fb_field *fields, const char *name)
{
    for (const struct fb_field *f = fields; f->name; f++)
        if (!strcmp(f->name, name))
            return true;
    return false;
}

static bool refuse_field(const struct fb_field *fields, struct fb_problem *problem,
                         const char *given)
{
    const char *meant = fb_did_you_mean(given, fields, sizeof *fields);
    return fb_refuse(problem, "%.60s: unknown field%s", given,
                     *meant ? meant : " (`filterbench run PRESET --show-experiment` lists them)");
}

/* The value that is given, or with NULL the fallback, as the field reads it. */
static json_t *value_of(struct fb_problem *problem, const struct fb_field *f, const json_t *given)
{
    json_auto_t *fallback = given ? NULL : json_loads(f->fallback, JSON_DECODE_ANY, NULL);
    return (f->list ? read_list : f->read)(problem, f, f->name, given ? given : fallback);
}

json_t *fb_fields_resolve(const struct fb_field *fields, const json_t *document,
                          struct fb_problem *problem)
{
    FB_EACH_MEMBER(key, given, document) {
        if (!is_field(fields, key)) {
            refuse_field(fields, problem, key);
            return NULL;
        }
    }
    json_t *resolved = json_object();
    for (const struct fb_field *f = fields; f->name; f++) {
        json_t *value = value_of(problem, f, json_object_get(document, f->name));
        if (!value || json_object_set_new(resolved, f->name, value)) {
            json_decref(resolved);
            return NULL;
        }
    }
    return resolved;
}

json_t *fb_fields_early(const struct fb_field *fields, const json_t *resolved)
{
    json_t *early = json_copy((json_t *)resolved);
    struct fb_problem problem;
    for (const struct fb_field *f = fields; f->name; f++) {
        json_auto_t *value = f->later ? value_of(&problem, f, NULL) : NULL;
        if (value && json_equal(value, json_object_get(resolved, f->name)))
            json_object_del(early, f->name);
    }
    return early;
}

#include "harness/document/experiment.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/message.h"

json_t *fb_experiment_in(json_t *whole, struct fb_problem *problem)
{
    json_t *inside = json_object_get(whole, "experiment");
    if (json_is_object(inside) && json_object_get(whole, "experiment_hash"))
        return json_incref(inside);
    if (json_is_object(whole))
        return json_incref(whole);
    fb_refuse(problem, "not an experiment; give a JSON object, such as {\"bits_per_key\": [10]}");
    return NULL;
}

bool fb_experiment_set(json_t *document, const char *field, const char *value,
                       struct fb_problem *problem)
{
    char why[FB_JSON_WHY];
    json_t *parsed = fb_json_parse(value, strlen(value), JSON_DECODE_ANY, why);
    if (!parsed && *value && strchr("[{\"", *value))
        return fb_refuse(problem, "%.80s: %s", field, why);
    if (!parsed)
        parsed = json_string(value);
    return !json_object_set_new(document, field, parsed) ||
           fb_refuse(problem, "%.80s: the value is not UTF-8", field);
}

/* What --set holds a second time, or what an option set before it. */
static void tell_twice(const struct fb_texts *given, size_t i, const char *field, const char *value)
{
    const size_t len = strlen(field);
    bool earlier = false;
    for (size_t j = 0; j < i; j++)
        earlier = earlier || (!strncmp(given->at[j], field, len) && given->at[j][len] == '=');
    if (earlier)
        fb_note("--set: %s is given twice; the last value is used: %.80s", field, value);
    else
        fb_note("--set: %s is also set by its option; the value of --set is used: %.80s", field,
                value);
}

bool fb_experiment_set_all(json_t *fields, const struct fb_texts *given)
{
    struct fb_problem problem;
    for (size_t i = 0; i < given->n; i++) {
        char field[100];
        const char *text = given->at[i], *equals = strchr(text, '=');
        if (!equals || equals == text || equals - text >= (long)sizeof field) {
            fb_error("--set: '%s' is not FIELD=VALUE; give both, such as --set n=1000", text);
            return false;
        }
        snprintf(field, sizeof field, "%.*s", (int)(equals - text), text);
        if (json_object_get(fields, field))
            tell_twice(given, i, field, equals + 1);
        if (!fb_experiment_set(fields, field, equals + 1, &problem)) {
            fb_error("--set: %s", problem.text);
            return false;
        }
    }
    return true;
}

bool fb_experiment_takes_size(const json_t *resolved, const char *option, uint64_t n,
                              struct fb_problem *problem)
{
    const double first = json_number_value(json_array_get(json_object_get(resolved, "n"), 0));
    n = n ? n : first > 0 ? (uint64_t)first : 1000000;
    const struct fb_design *design = NULL;
    FB_EACH(name, json_object_get(resolved, "designs"))
        if (!((design = fb_design_find(json_string_value(name)))->traits & FB_ONE_SIZE))
            return true;
    return !design || fb_refuse_size(problem, design, option, n);
}

bool fb_refuse_size(struct fb_problem *problem, const struct fb_design *design, const char *option,
                    uint64_t n)
{
    struct fb_geometry geom = {0};
    const char *why;
    (void)!fb_design_plan(design, &(struct fb_params){0}, n, &geom, &why);
    return fb_refuse(problem,
                     "%s has only one size, %.4g bits per key for %llu keys, and so one "
                     "false-positive rate, %.3g %%; leave out %s",
                     design->name, fb_design_own_bits(design, n), (unsigned long long)n,
                     100 * design->fpr(&geom, n), option);
}

static const char *const prose[] = {"name", "summary", "source", "runtime"};

json_t *fb_experiment_measured(const json_t *resolved)
{
    json_t *measured = json_copy((json_t *)resolved);
    for (size_t i = 0; i < sizeof prose / sizeof *prose; i++)
        json_object_del(measured, prose[i]);
    return measured;
}

bool fb_experiment_hash(const json_t *resolved, char hex[33])
{
    json_auto_t *measured = fb_experiment_measured(resolved);
    return fb_json_hash(measured, hex);
}

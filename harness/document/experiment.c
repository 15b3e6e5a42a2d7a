#include "harness/document/experiment.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/json.h"

bool fb_refuse(struct fb_problem *problem, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(problem->text, sizeof problem->text, format, args);
    va_end(args);
    return false;
}

json_t *fb_experiment_parse(const char *text, size_t len, struct fb_problem *problem)
{
    json_error_t error;
    json_t *document = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (!document) {
        fb_refuse(problem, "line %d: not JSON: %s", error.line, error.text);
    } else if (!json_is_object(document)) {
        fb_refuse(problem, "not an experiment: give a JSON object, {\"bits_per_key\": [10]}");
        json_decref(document);
        document = NULL;
    }
    json_t *inside = json_object_get(document, "experiment");
    if (json_is_object(inside) && json_object_get(document, "experiment_hash")) {
        json_incref(inside);
        json_decref(document);
        document = inside;
    }
    return document;
}

bool fb_experiment_set(json_t *document, const char *path, const char *value,
                       struct fb_problem *problem)
{
    json_t *parsed = json_loads(value, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (!parsed)
        parsed = json_string(value);
    if (!parsed)
        return fb_refuse(problem, "%.80s: the value is not UTF-8", path);
    json_t *at = document;
    int code = -1;
    for (const char *step = path;;) {
        char name[64];
        size_t len = strcspn(step, ".");
        bool last = step[len] == '\0';
        if (len == 0 || len >= sizeof name)
            break;
        memcpy(name, step, len);
        name[len] = '\0';
        if (json_is_array(at)) {
            char *end;
            unsigned long i = strtoul(name, &end, 10);
            if (*end || name[0] < '0' || name[0] > '9' || i >= json_array_size(at))
                break;
            if (last)
                code = json_array_set(at, i, parsed);
            at = json_array_get(at, i);
        } else if (json_is_object(at)) {
            if (last)
                code = json_object_set(at, name, parsed);
            at = json_object_get(at, name);
        } else {
            break;
        }
        if (last)
            break;
        step += len + 1;
    }
    json_decref(parsed);
    if (code)
        return fb_refuse(
            problem,
            "%.80s: no such place in the experiment; give FIELD=VALUE, LIST.0=VALUE or "
            "n.from=VALUE",
            path);
    return true;
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
    json_t *measured = fb_experiment_measured(resolved);
    bool hashed = fb_json_hash(measured, hex);
    json_decref(measured);
    return hashed;
}

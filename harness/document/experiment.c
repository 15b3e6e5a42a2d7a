#include "harness/document/experiment.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/document/fields.h"

enum { MAX_CELLS = 100000 };

/* ---- From text to a resolved experiment ---- */

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
    return fb_refuse(problem, "%.60s: unknown field%s", given,
                     fb_did_you_mean(given, fields, sizeof *fields));
}

json_t *fb_fields_resolve(const struct fb_field *fields, const json_t *document,
                          struct fb_problem *problem)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)document, key, value)
    {
        if (!is_field(fields, key)) {
            refuse_field(fields, problem, key);
            return NULL;
        }
    }
    json_t *resolved = json_object();
    for (const struct fb_field *f = fields; f->name; f++) {
        json_t *given = json_incref(json_object_get(document, f->name));
        if (!given)
            given = json_loads(f->fallback, JSON_DECODE_ANY, NULL);
        value = f->read(problem, f, f->name, given);
        json_decref(given);
        if (!value || json_object_set_new(resolved, f->name, value)) {
            json_decref(resolved);
            return NULL;
        }
    }
    return resolved;
}

json_t *fb_experiment_measured(const json_t *resolved)
{
    json_t *measured = json_copy((json_t *)resolved);
    for (const struct fb_field *f = fb_experiment_fields; f->name; f++)
        if (f->prose)
            json_object_del(measured, f->name);
    return measured;
}

bool fb_experiment_hash(const json_t *resolved, char hex[33])
{
    json_t *measured = fb_experiment_measured(resolved);
    bool hashed = fb_json_hash(measured, hex);
    json_decref(measured);
    return hashed;
}

static uint64_t count_of(const json_t *document, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(document, name));
}

/* A list of numbers as doubles; calloc'd. */
static double *reals_of(const json_t *document, const char *name, size_t *n)
{
    const json_t *list = json_object_get(document, name);
    *n = json_array_size(list);
    double *x = calloc(*n + 1, sizeof *x);
    for (size_t i = 0; x && i < *n; i++)
        x[i] = json_number_value(json_array_get(list, i));
    return x;
}

static bool load(struct fb_experiment *e)
{
    const json_t *designs = json_object_get(e->document, "designs");
    const json_t *keys = json_object_get(e->document, "keys");
    const json_t *n = json_object_get(e->document, "n");
    const char *hash = json_string_value(json_object_get(e->document, "hash"));
    const char *why;
    e->name = json_string_value(json_object_get(e->document, "name"));
    e->summary = json_string_value(json_object_get(e->document, "summary"));
    e->bits_per_key = reals_of(e->document, "bits_per_key", &e->n_bits_per_key);
    e->fpr = reals_of(e->document, "fpr", &e->n_fpr);
    e->capacity_factor = reals_of(e->document, "capacity_factor", &e->n_capacity_factor);
    e->n_n = json_array_size(n);
    e->n_designs = json_array_size(designs);
    e->n_keys = json_array_size(keys);
    e->n = calloc(e->n_n + 1, sizeof *e->n);
    e->designs = calloc(e->n_designs + 1, sizeof *e->designs);
    e->keys = calloc(e->n_keys + 1, sizeof *e->keys);
    e->keygens = calloc(e->n_keys + 1, sizeof *e->keygens);
    if (!e->bits_per_key || !e->fpr || !e->capacity_factor || !e->n || !e->designs || !e->keys ||
        !e->keygens)
        return false;
    for (size_t i = 0; i < e->n_n; i++)
        e->n[i] = (uint64_t)json_integer_value(json_array_get(n, i));
    for (size_t i = 0; i < e->n_designs; i++)
        e->designs[i] = fb_design_find(json_string_value(json_array_get(designs, i)));
    for (size_t i = 0; i < e->n_keys; i++)
        if (fb_keygen_parse(json_string_value(json_array_get(keys, i)), &e->keygens[i], &why))
            e->keys[i] = &e->keygens[i];
    e->hash = hash ? fb_hash_find(hash) : NULL;
    e->filters = count_of(e->document, "filters");
    e->probes = count_of(e->document, "probes");
    e->max_probes = count_of(e->document, "max_probes");
    e->precision = json_number_value(json_object_get(e->document, "precision"));
    e->seed = strtoull(json_string_value(json_object_get(e->document, "seed")), NULL, 16);
    return fb_experiment_hash(e->document, e->hash_hex);
}

bool fb_experiment_resolve(const json_t *document, struct fb_experiment *out,
                           struct fb_problem *problem)
{
    memset(out, 0, sizeof *out);
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    out->document = fb_fields_resolve(fb_experiment_fields, document, problem);
    if (!out->document || !load(out))
        return false;
    bool sizes = out->n_bits_per_key + out->n_fpr > 0;
    for (size_t i = 0; i < out->n_designs && !sizes; i++)
        if (!(out->designs[i]->traits & FB_CONTROL))
            return fb_refuse(problem, "bits_per_key, fpr: no size; give at least one of them, "
                                      "{\"bits_per_key\": [10]}");
    double n_cells = (double)out->n_designs * (double)(out->n_bits_per_key + out->n_fpr) *
                     (double)out->n_n * (double)out->n_keys * (double)out->n_capacity_factor;
    if (n_cells > MAX_CELLS)
        return fb_refuse(problem, "%.0f cells; at most %d fit one experiment", n_cells, MAX_CELLS);
    return true;
}

void fb_experiment_close(struct fb_experiment *e)
{
    json_decref(e->document);
    free(e->designs);
    free(e->bits_per_key);
    free(e->fpr);
    free(e->capacity_factor);
    free(e->n);
    free(e->keys);
    free(e->keygens);
    memset(e, 0, sizeof *e);
}

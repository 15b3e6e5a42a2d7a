#include <stdlib.h>
#include <string.h>

#include "harness/kind/fpr/rates.h"

enum { MAX_CELLS = 100000 };

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

static bool load(struct fb_rates *e)
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
    e->filters = fb_json_uint(e->document, "filters");
    e->probes = fb_json_uint(e->document, "probes");
    e->max_probes = fb_json_uint(e->document, "max_probes");
    e->precision = json_number_value(json_object_get(e->document, "precision"));
    e->seed = strtoull(json_string_value(json_object_get(e->document, "seed")), NULL, 16);
    return true;
}

bool fb_rates_resolve(const json_t *document, struct fb_rates *out, struct fb_problem *problem)
{
    memset(out, 0, sizeof *out);
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    out->document = fb_fields_resolve(fb_rates_fields, document, problem);
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

void fb_rates_close(struct fb_rates *e)
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

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/fpr/rates.h"

enum { MAX_CELLS = 100000 };

size_t fb_rates_list(const struct fb_rates *e, const char *field)
{
    return json_array_size(json_object_get(e->document, field));
}

double fb_rates_entry(const struct fb_rates *e, const char *field, size_t i)
{
    return json_number_value(json_array_get(json_object_get(e->document, field), i));
}

size_t fb_rates_samples(const struct fb_rates *e)
{
    const size_t n = fb_rates_list(e, "file_n");
    return n ? n : 1;
}

uint64_t fb_rates_sample(const struct fb_rates *e, size_t i, uint64_t file_keys)
{
    const bool asked = i < fb_rates_list(e, "file_n");
    const uint64_t n = asked ? (uint64_t)fb_rates_entry(e, "file_n", i) : file_keys;
    return n < file_keys ? n : file_keys / 2;
}

static bool load(struct fb_rates *e)
{
    const json_t *keys = json_object_get(e->document, "keys");
    const char *hash = fb_json_str(e->document, "hash"), *why;
    e->keygens = calloc(json_array_size(keys) + 1, sizeof *e->keygens);
    for (size_t i = 0; e->keygens && i < json_array_size(keys); i++) {
        struct fb_keygen keygen;
        if (fb_keygen_parse(json_string_value(json_array_get(keys, i)), &keygen, &why))
            e->keygens[i] = keygen;
    }
    e->asked = (struct fb_fpr_cell){
        .hash = *hash ? fb_hash_find(hash) : NULL,
        .filters = (size_t)fb_json_uint(e->document, "filters"),
        .probes_per_filter = fb_json_uint(e->document, "probes"),
        .precision = fb_json_num(e->document, "precision"),
        .max_probes = fb_json_uint(e->document, "max_probes"),
        .root = strtoull(fb_json_str(e->document, "seed"), NULL, 16),
    };
    return e->keygens;
}

bool fb_rates_resolve(const json_t *document, struct fb_rates *out, struct fb_problem *problem)
{
    static const char *const lists[] = {"designs", "n", "keys", "capacity_factor"};
    memset(out, 0, sizeof *out);
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    out->document = fb_fields_resolve(fb_rates_fields, document, problem);
    if (!out->document || !load(out))
        return false;
    const size_t n_samples = fb_rates_list(out, "file_n");
    if (n_samples && !fb_json_lists(json_object_get(out->document, "keys"), "file"))
        return fb_refuse(problem, "file_n: no file of keys; give --keys FILE, or leave it out");
    if (!n_samples) /* most experiments have no file */
        json_object_del(out->document, "file_n");
    if (!fb_rates_list(out, "k"))
        json_object_del(out->document, "k");
    const json_t *designs = json_object_get(out->document, "designs");
    size_t n_sizes = fb_rates_list(out, "bits_per_key") + fb_rates_list(out, "fpr");
    for (size_t i = 0; i < json_array_size(designs) && !n_sizes; i++)
        if (fb_design_sized(fb_design_find(json_string_value(json_array_get(designs, i)))))
            return fb_refuse(problem, "bits_per_key, fpr: no size; give at least one of them, "
                                      "{\"bits_per_key\": [10]}");
    double n_cells =
        (double)n_sizes * (double)fb_rates_samples(out) * fmax(1, (double)fb_rates_list(out, "k"));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        n_cells *= (double)fb_rates_list(out, lists[i]);
    return n_cells <= MAX_CELLS ||
           fb_refuse(problem, "%.0f cells; at most %d fit one experiment", n_cells, MAX_CELLS);
}

void fb_rates_close(struct fb_rates *e)
{
    json_decref(e->document);
    free(e->keygens);
    memset(e, 0, sizeof *e);
}

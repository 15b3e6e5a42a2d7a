/* One cell of a result document, to JSON and back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/fpr/rates.h"

static json_t *interval(struct fb_interval x)
{
    if (!isfinite(x.low) || !isfinite(x.high))
        return NULL;
    return json_pack("{s:f, s:f}", "low", x.low, "high", x.high);
}

static json_t *given(double x)
{
    return x != 0 ? json_real(x) : NULL;
}

static json_t *params_json(const struct fb_rates_cell *cell)
{
    const struct fb_fpr_cell *spec = &cell->spec;
    static const char *const controls = "a control has no size", *const other =
                                                                     "sized the other way";
    bool control = spec->design->traits & FB_CONTROL;
    json_t *p = json_object();
    fb_json_known(p, "bits_per_key", given(spec->params.bits_per_key), control ? controls : other);
    fb_json_known(p, "fpr", given(spec->params.fpr), control ? controls : other);
    fb_json_known(p, "capacity", spec->params.capacity ? fb_json_int(spec->params.capacity) : NULL,
                  "sized for the keys it gets");
    json_object_set_new(p, "capacity_factor", json_real(cell->capacity_factor));
    fb_json_known(p, "hash", spec->hash ? json_string(spec->hash->name) : NULL, "the design's own");
    return p;
}

static json_t *geometry_json(const struct fb_geometry *g)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "n_bytes", fb_json_int(g->n_bytes), "n_bits",
                     fb_json_int(g->n_bits), "n_blocks", fb_json_int(g->n_blocks), "block_bits",
                     fb_json_int(g->block_bits), "probes", fb_json_int(g->probes), "digest_words",
                     fb_json_int(g->digest_words));
}

static json_t *counts_json(const struct fb_fpr_counts *c)
{
    json_t *events = json_array(), *j = json_object(), *model = NULL;
    for (size_t i = 0; i < c->filters; i++)
        json_array_append_new(events, fb_json_int(c->events[i]));
    json_object_set_new(j, "filters", fb_json_int(c->filters));
    json_object_set_new(j, "probes_each", fb_json_int(c->probes_each));
    json_object_set_new(j, "events", events);
    json_object_set_new(j, "false_negatives", fb_json_int(c->false_negatives));
    json_object_set_new(j, "n_keys", fb_json_int(c->n_keys));
    json_object_set_new(j, "n_entries", fb_json_int(c->n_entries));
    json_object_set_new(j, "filter_bytes", fb_json_int(c->filter_bytes));
    fb_json_known(j, "block_bytes", c->block_bytes ? fb_json_int(c->block_bytes) : NULL,
                  "the design has no block format");
    json_object_set_new(j, "checksum", fb_json_word(c->checksum));
    if (c->model_probes)
        model = json_pack("{s:o, s:o, s:o, s:o}", "filters", fb_json_int(c->model_filters),
                          "probes", fb_json_int(c->model_probes), "events",
                          fb_json_int(c->model_events), "squares", fb_json_int(c->model_squares));
    fb_json_known(j, "model", model, "the model is a formula");
    return j;
}

json_t *fb_rates_summary(const struct fb_rates_cell *cell, const struct fb_fpr_counts *counts)
{
    static const char *const no_events = "no false positives were seen";
    struct fb_fpr_summary s;
    json_t *j = json_object(), *model = json_object();
    fb_fpr_summarise(&cell->spec, counts, &s);
    json_object_set_new(j, "events", fb_json_int(s.events));
    json_object_set_new(j, "probes", fb_json_int(s.probes));
    fb_json_real(j, "estimate", s.estimate, "nothing was asked");
    fb_json_known(j, "wilson95", interval(s.wilson95), "nothing was asked");
    fb_json_known(j, "t95", interval(s.t95), "it takes two filters");
    fb_json_real(j, "worst", s.worst, "nothing was asked");
    fb_json_real(j, "best", s.best, "nothing was asked");
    fb_json_real(j, "sd_filters", s.sd_filters, "it takes two filters");
    fb_json_real(j, "se", s.se, "nothing was asked");
    json_object_set_new(model, "kind", json_string(counts->model_probes ? "simulated" : "closed"));
    fb_json_real(model, "value", s.model, "the formula has no value here");
    fb_json_real(model, "se", s.model_se, "the formula has no value here");
    json_object_set_new(j, "model", model);
    fb_json_real(j, "ratio", s.ratio, "the model predicts 0");
    fb_json_real(j, "z", s.z, "the model excludes what was measured");
    fb_json_real(j, "upper95", s.upper95, "100 events or more: see the intervals");
    fb_json_real(j, "bits_per_key", s.bits_per_key, "there are no keys");
    fb_json_real(j, "bound_bits", s.bound_bits, no_events);
    fb_json_real(j, "wasted", s.wasted, no_events);
    return j;
}

json_t *fb_rates_cell_json(const struct fb_rates_cell *cell, const struct fb_fpr_counts *counts)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:b, s:o, s:o}", "id", cell->id, "design",
                     cell->spec.design->name, "keys", cell->keys, "n",
                     fb_json_int(cell->spec.n_keys), "params", params_json(cell), "derived",
                     counts->derived, "geometry", geometry_json(&counts->geom), "counts",
                     counts_json(counts));
}

/* ---- Back ---- */

struct reader {
    struct fb_problem *problem;
    bool failed;
};

static void fail(struct reader *r, const char *field, const char *accepted)
{
    if (!r->failed)
        fb_refuse(r->problem, "%s: give %s", field, accepted);
    r->failed = true;
}

static uint64_t read_count(struct reader *r, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        fail(r, name, "a count");
    return (uint64_t)json_integer_value(value);
}

/* A number, or 0 for null. */
static double read_real(struct reader *r, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_number(value) && !json_is_null(value))
        fail(r, name, "a number or null");
    return json_number_value(value);
}

static void read_events(struct reader *r, const json_t *counts, struct fb_fpr_counts *c)
{
    const json_t *events = json_object_get(counts, "events");
    if (!json_is_array(events) || json_array_size(events) != c->filters || c->filters < 1) {
        fail(r, "events", "one count for each filter");
        return;
    }
    c->events = calloc(c->filters, sizeof *c->events);
    if (!c->events) {
        fail(r, "events", "fewer filters: there is no memory for them");
        return;
    }
    for (size_t i = 0; i < c->filters; i++) {
        const json_t *event = json_array_get(events, i);
        c->events[i] = (uint64_t)json_integer_value(event);
        if (!json_is_integer(event) || c->events[i] > c->probes_each)
            fail(r, "events", "counts of at most probes_each");
    }
}

static void read_model(struct reader *r, const json_t *counts, struct fb_fpr_counts *c)
{
    const json_t *model = json_object_get(counts, "model");
    if (json_is_null(model))
        return;
    c->model_filters = read_count(r, model, "filters");
    c->model_probes = read_count(r, model, "probes");
    c->model_events = read_count(r, model, "events");
    c->model_squares = read_count(r, model, "squares");
    if (!c->model_probes || !c->model_filters || c->model_events > c->model_probes)
        fail(r, "model", "filters and probes of at least 1 and no more events than probes");
}

/* Its row in the table: a summary asks only whether keys were generated. "file" has none. */
static const struct fb_keygen *keygen_row(const char *text)
{
    struct fb_keygen parsed;
    const char *why;
    const struct fb_keygen *row = fb_keygens;
    if (!fb_keygen_parse(text, &parsed, &why))
        return NULL;
    while (row->name != parsed.name)
        row++;
    return row;
}

bool fb_rates_cell_read(const json_t *json, struct fb_rates_cell *cell, struct fb_fpr_counts *c,
                        struct fb_problem *problem)
{
    const json_t *params = json_object_get(json, "params");
    const json_t *geometry = json_object_get(json, "geometry");
    const json_t *counts = json_object_get(json, "counts");
    const char *design = json_string_value(json_object_get(json, "design"));
    const char *hash = json_string_value(json_object_get(params, "hash"));
    const char *checksum = json_string_value(json_object_get(counts, "checksum"));
    struct reader r = {problem, false};
    memset(cell, 0, sizeof *cell);
    memset(c, 0, sizeof *c);
    snprintf(cell->id, sizeof cell->id, "%s", fb_json_str(json, "id"));
    cell->spec.design = design ? fb_design_find(design) : NULL;
    if (!cell->spec.design)
        fail(&r, "design", "one that this filterbench has");
    cell->spec.hash = hash ? fb_hash_find(hash) : NULL;
    if (hash && !cell->spec.hash)
        fail(&r, "hash", "one that this filterbench has");
    const char *keys = json_string_value(json_object_get(json, "keys"));
    cell->spec.keygen = keys ? keygen_row(keys) : NULL;
    cell->spec.n_keys = read_count(&r, json, "n");
    cell->spec.params.bits_per_key = read_real(&r, params, "bits_per_key");
    cell->spec.params.fpr = read_real(&r, params, "fpr");
    cell->capacity_factor = read_real(&r, params, "capacity_factor");
    if (!json_is_null(json_object_get(params, "capacity")))
        cell->spec.params.capacity = read_count(&r, params, "capacity");

    struct fb_geometry *g = &c->geom;
    g->n_bytes = read_count(&r, geometry, "n_bytes");
    g->n_bits = read_count(&r, geometry, "n_bits");
    g->n_blocks = read_count(&r, geometry, "n_blocks");
    uint64_t block_bits = read_count(&r, geometry, "block_bits");
    uint64_t probes = read_count(&r, geometry, "probes");
    uint64_t words = read_count(&r, geometry, "digest_words");
    if (g->n_bits > FB_MAX_BITS || g->n_blocks > FB_MAX_BITS || block_bits > 1 << 20 ||
        probes > 1000 || words > 1000)
        fail(&r, "geometry", "one that a filter can have");
    g->block_bits = (uint32_t)block_bits;
    g->probes = (uint32_t)probes;
    g->digest_words = (uint32_t)words;
    g->range = fb_divisor_of(g->n_blocks ? g->n_blocks : g->n_bits);

    c->filters = (size_t)read_count(&r, counts, "filters");
    c->probes_each = read_count(&r, counts, "probes_each");
    c->false_negatives = read_count(&r, counts, "false_negatives");
    c->n_keys = read_count(&r, counts, "n_keys");
    c->n_entries = read_count(&r, counts, "n_entries");
    c->filter_bytes = read_count(&r, counts, "filter_bytes");
    if (!json_is_null(json_object_get(counts, "block_bytes")))
        c->block_bytes = read_count(&r, counts, "block_bytes");
    c->checksum = checksum ? strtoull(checksum, NULL, 16) : 0;
    if (!checksum)
        fail(&r, "checksum", "a hexadecimal word as a string");
    if (c->n_keys > FB_MAX_KEYS || c->n_entries > FB_MAX_KEYS)
        fail(&r, "n_keys, n_entries", "at most 2^40 keys");
    read_events(&r, counts, c);
    read_model(&r, counts, c);
    c->derived = json_is_true(json_object_get(json, "derived"));
    cell->spec.filters = c->filters;
    cell->spec.probes_per_filter = c->probes_each;
    return !r.failed;
}

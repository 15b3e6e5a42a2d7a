/* One cell of a result document, to JSON and back. */
#include <stdlib.h>
#include <string.h>

#include "harness/document/points.h"
#include "harness/filter/own_words.h"
#include "harness/kind/fpr/rates.h"

static json_t *params_json(const struct fb_rates_cell *cell)
{
    const struct fb_fpr_cell *spec = &cell->spec;
    json_t *p = fb_size_params(spec->design, spec->params.bits_per_key, spec->params.fpr);
    fb_json_known(p, "capacity", spec->params.capacity ? fb_json_int(spec->params.capacity) : NULL,
                  "sized for the keys it gets");
    json_object_set_new(p, "capacity_factor", json_real(cell->capacity_factor));
    fb_json_known(p, "hash", spec->hash ? json_string(spec->hash->name) : NULL, "the design's own");
    if (spec->params.probes)
        json_object_set_new(p, "k", fb_json_int(spec->params.probes));
    return p;
}

json_t *fb_rates_geometry_json(const struct fb_design *design, const struct fb_geometry *g)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o*}", "n_bytes", fb_json_int(g->n_bytes),
                     "n_bits", fb_json_int(g->n_bits), "n_blocks", fb_json_int(g->n_blocks),
                     "block_bits", fb_json_int(g->block_bits), "probes", fb_json_int(g->probes),
                     "digest_words", fb_json_int(g->digest_words), "own",
                     fb_own_words_json(design, g));
}

#define COUNT(member) FB_JSON_COUNT(struct fb_fpr_counts, member)
static const struct fb_json_count counted[] = {COUNT(filters),
                                               COUNT(probes_each),
                                               COUNT(false_negatives),
                                               COUNT(n_keys),
                                               COUNT(n_entries),
                                               COUNT(filter_bytes),
                                               {0}};
static const struct fb_json_count sums[] = {FB_JSON_WORD(struct fb_fpr_counts, checksum), {0}};
static const struct fb_json_count builds[] = {
    COUNT(attempts), COUNT(first_failed), COUNT(failures), COUNT(temporary_bytes), {0}};
static const struct fb_json_count simulated[] = {
    {"filters", .offset = offsetof(struct fb_fpr_counts, model_filters)},
    {"probes", .offset = offsetof(struct fb_fpr_counts, model_probes)},
    {"events", .offset = offsetof(struct fb_fpr_counts, model_events)},
    {"squares", .offset = offsetof(struct fb_fpr_counts, model_squares)},
    {0},
};

static json_t *counts_json(const struct fb_design *design, const struct fb_fpr_counts *c)
{
    static const char *const no_format = "the design has no block format";
    json_t *events = json_array(), *j = json_object(), *model = NULL;
    for (size_t i = 0; i < c->filters; i++)
        json_array_append_new(events, fb_json_int(c->events[i]));
    fb_json_set_counts(j, counted, c);
    json_object_set_new(j, "events", events);
    fb_json_known(j, "block_bytes", c->block_bytes ? fb_json_int(c->block_bytes) : NULL, no_format);
    fb_json_set_counts(j, sums, c);
    fb_json_known(j, "block_checksum", c->block_bytes ? fb_json_word(c->block_checksum) : NULL,
                  no_format);
    if (design->when_full) {
        json_object_set_new(j, "builds", json_object());
        fb_json_set_counts(json_object_get(j, "builds"), builds, c);
    }
    if (c->model_probes)
        fb_json_set_counts(model = json_object(), simulated, c);
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
    fb_json_known(j, "wilson95", fb_json_interval(s.wilson95.low, s.wilson95.high),
                  "nothing was asked");
    fb_json_known(j, "t95",
                  counts->filters > 1 ? fb_json_interval(s.rate95.low, s.rate95.high) : NULL,
                  "it takes two filters");
    if (counts->filters > 1 && s.rate95_pooled)
        json_object_set_new(j, "t95_pooled", json_true());
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
                     counts->derived, "geometry",
                     fb_rates_geometry_json(cell->spec.design, &counts->geom), "counts",
                     counts_json(cell->spec.design, counts));
}

/* ---- Back ---- */

static bool read_geometry(const struct fb_rates_cell *cell, uint64_t n_entries, const json_t *given,
                          struct fb_geometry *geom, struct fb_problem *problem)
{
    const struct fb_design *design = cell->spec.design;
    struct fb_params params = cell->spec.params;
    const char *why;
    const bool counts_all = design->traits & (FB_COUNTS_DUPLICATES | FB_CONTROL) &&
                            !(design->traits & FB_DROPS_ADJACENT);
    if (counts_all && n_entries != cell->spec.n_keys)
        return fb_refuse(problem, "counts.n_entries: this design counts all keys that it is given");
    if (fb_params_plan(design, n_entries, &params, geom, &why))
        return fb_refuse(problem, "counts.n_entries: there is no filter of so many");
    if (!fb_design_keeps_plan(design)) { /* its build may depart from the plan */
        fb_own_words_read(design, json_object_get(given, "own"), geom);
        geom->n_bytes = fb_json_uint(given, "n_bytes");
        geom->n_bits = fb_json_uint(given, "n_bits");
        geom->n_blocks = fb_json_uint(given, "n_blocks");
    }
    return true;
}

bool fb_rates_plan_counts(const struct fb_rates_cell *cell, const json_t *geometry,
                          struct fb_fpr_counts *c, struct fb_problem *problem)
{
    const struct fb_design *design = cell->spec.design;
    const struct fb_format *native = design->formats;
    struct fb_filter filter = {
        .design = design, .params = cell->spec.params, .n_keys = c->n_entries};
    struct fb_geometry planned;
    const char *why;
    if (!read_geometry(cell, c->n_entries, geometry, &filter.geom, problem))
        return false;
    (void)!fb_params_plan(design, c->n_entries, &filter.params, &planned, &why);
    c->n_keys = cell->spec.n_keys;
    c->probes_each = cell->spec.probes_per_filter;
    c->geom = filter.geom;
    c->derived = fb_params_derived(design, &cell->spec.params);
    c->filter_bytes = filter.geom.n_bytes;
    c->block_bytes = native && native->name ? native->size(&filter) : 0;
    return true;
}

bool fb_rates_counts_read(const struct fb_rates_cell *cell, const json_t *json,
                          struct fb_fpr_counts *c, struct fb_problem *problem)
{
    const json_t *counts = json_object_get(json, "counts");
    const json_t *events = json_object_get(counts, "events");
    memset(c, 0, sizeof *c);
    fb_json_get_counts(counts, counted, c);
    fb_json_get_counts(counts, sums, c);
    fb_json_get_counts(json_object_get(counts, "model"), simulated, c);
    if (cell->spec.design->when_full)
        fb_json_get_counts(json_object_get(counts, "builds"), builds, c);
    c->filters = json_array_size(events);
    c->events = calloc(c->filters + 1, sizeof *c->events);
    if (!c->events)
        return fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    for (size_t i = 0; i < c->filters; i++)
        c->events[i] = (uint64_t)json_integer_value(json_array_get(events, i));
    c->block_checksum = strtoull(fb_json_str(counts, "block_checksum"), NULL, 16);
    return fb_rates_plan_counts(cell, json_object_get(json, "geometry"), c, problem);
}

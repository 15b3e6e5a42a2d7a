/* Documents of kind "fpr": what follows from their counts, and what the counts must be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/fpr/rates.h"

#define SUSPICIOUS_Z 4 /* once in 16,000 cells by chance */

/* ---- One cell ---- */

/* What the cell's filters must be, planned again. */
static const char *check_sizes(const struct fb_rates_cell *cell, const struct fb_fpr_counts *counts)
{
    const struct fb_design *design = cell->spec.design;
    struct fb_filter filter = {
        .design = design, .params = cell->spec.params, .n_keys = counts->n_entries};
    const struct fb_geometry *planned = &filter.geom, *g = &counts->geom;
    const char *why;
    const bool derived = fb_params_derived(design, &cell->spec.params);
    const bool some = design->traits & FB_DROPS_ADJACENT;
    if (counts->n_keys != cell->spec.n_keys)
        return "counts.n_keys is not n";
    if (some ? counts->n_entries > counts->n_keys : counts->n_entries != counts->n_keys)
        return "counts.n_entries: this design counts other keys than it is given";
    if (fb_params_plan(design, counts->n_entries, &filter.params, &filter.geom, &why) ||
        derived != counts->derived || planned->n_bytes != g->n_bytes ||
        planned->n_bits != g->n_bits || planned->n_blocks != g->n_blocks ||
        planned->block_bits != g->block_bits || planned->probes != g->probes ||
        planned->digest_words != g->digest_words)
        return "geometry: this filterbench sizes that filter otherwise";
    if (counts->filter_bytes != g->n_bytes)
        return "counts.filter_bytes is not geometry.n_bytes";
    const struct fb_format *native = design->formats;
    if (counts->block_bytes != (native && native->name ? native->size(&filter) : 0))
        return "counts.block_bytes is not the size of such a block";
    return NULL;
}

static const char *check_asked(const struct fb_rates_cell *cell, const struct fb_fpr_counts *counts)
{
    const struct fb_fpr_cell *spec = &cell->spec;
    if (counts->probes_each != spec->probes_per_filter)
        return "counts.probes_each is not what the experiment asks for";
    if (spec->precision > 0 ? counts->filters % spec->filters : counts->filters != spec->filters)
        return "counts.filters is not what the experiment asks for";
    return NULL;
}

static const char *check_model(const struct fb_rates_cell *cell, const struct fb_fpr_counts *counts)
{
    struct fb_fpr_counts again = {
        .filters = counts->filters, .probes_each = counts->probes_each, .geom = counts->geom};
    bool complete;
    if (fb_fpr_simulate(&cell->spec, 0, &again, &complete))
        return "counts.model: no memory to simulate it again";
    bool same = again.model_filters == counts->model_filters &&
                again.model_probes == counts->model_probes &&
                again.model_events == counts->model_events &&
                again.model_squares == counts->model_squares;
    return same ? NULL : "counts.model is not what the simulation gives";
}

const char *fb_rates_contradiction(const struct fb_rates_cell *cell, const json_t *json)
{
    static struct fb_problem problem;
    const char *why = problem.text, *where = NULL;
    struct fb_rates_cell written;
    struct fb_fpr_counts counts;
    bool readable = fb_rates_cell_read(json, &written, &counts, &problem);
    if (readable && counts.false_negatives && !(cell->spec.design->traits & FB_FALSE_NEGATIVES)) {
        fb_refuse(&problem, "%llu false negatives", (unsigned long long)counts.false_negatives);
    } else if (readable && !(why = check_sizes(cell, &counts)) &&
               !(why = check_asked(cell, &counts)) && !(why = check_model(cell, &counts))) {
        json_t *again = fb_rates_cell_json(cell, &counts);
        if (!fb_json_agree(again, json, &where)) {
            fb_refuse(&problem, "%.80s is not that of this cell", where ? where : "a member");
            why = problem.text;
        }
        json_decref(again);
    }
    fb_fpr_counts_close(&counts);
    return why;
}

/* ---- All of them ---- */

bool fb_rates_derive(json_t *document, struct fb_problem *problem)
{
    size_t i;
    json_t *json;
    bool readable = true;
    json_array_foreach(json_object_get(document, "cells"), i, json)
    {
        struct fb_rates_cell cell;
        struct fb_fpr_counts counts;
        struct fb_problem why;
        bool read = fb_rates_cell_read(json, &cell, &counts, &why);
        if (read)
            json_object_set_new(json, "fpr", fb_rates_summary(&cell, &counts));
        else
            fb_refuse(problem, "%.120s: %.300s", fb_json_str(json, "id"), why.text);
        readable = readable && read;
        fb_fpr_counts_close(&counts);
    }
    return readable;
}

void fb_rates_warn(json_t *document)
{
    size_t i;
    json_t *cell;
    json_array_foreach(json_object_get(document, "cells"), i, cell)
    {
        const char *id = fb_json_str(cell, "id");
        const json_t *fpr = json_object_get(cell, "fpr");
        const json_t *z = json_object_get(fpr, "z"), *ratio = json_object_get(fpr, "ratio");
        if (json_integer_value(fb_json_at(cell, "counts.false_negatives")))
            continue; /* said already */
        if (json_is_null(z))
            fb_result_warn(document, "theory", id, "%s: theory excludes what was measured", id);
        else if (fabs(json_number_value(z)) > SUSPICIOUS_Z && json_is_null(ratio))
            fb_result_warn(document, "theory", id, "%s: measured %.4g where theory says 0", id,
                           fb_json_num(fpr, "estimate"));
        else if (fabs(json_number_value(z)) > SUSPICIOUS_Z)
            fb_result_warn(document, "theory", id, "%s: measured %.4f times theory, z = %+.1f", id,
                           json_number_value(ratio), json_number_value(z));
    }
}

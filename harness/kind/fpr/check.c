/* Documents of kind "fpr": what follows from their counts, and what the counts must be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/fpr/rates.h"

#define SUSPICIOUS_Z 4 /* once in 16,000 cells by chance */

const char *fb_rates_contradiction(const struct fb_rates_cell *cell, const json_t *json)
{
    static struct fb_problem problem;
    const struct fb_fpr_cell *spec = &cell->spec;
    const char *why = NULL;
    struct fb_fpr_counts counts;
    bool complete, read = fb_rates_counts_read(cell, json, &counts, &problem);
    if (fb_json_at(json, "params.k") && !spec->params.probes)
        read = fb_refuse(&problem, "params.k: the experiment asks for no number of probes");
    counts.model_filters = counts.model_probes = counts.model_events = counts.model_squares = 0;
    if (read && counts.false_negatives && !(spec->design->traits & FB_FALSE_NEGATIVES)) {
        read =
            fb_refuse(&problem, "%llu false negatives", (unsigned long long)counts.false_negatives);
    } else if (read && (spec->precision > 0 ? (counts.filters + counts.failures) % spec->filters
                                            : counts.filters + counts.failures != spec->filters)) {
        read = fb_refuse(&problem, "counts.filters is not what the experiment asks for");
    } else if (read && fb_fpr_simulate(spec, 0, &counts, &complete)) {
        read = fb_refuse(&problem, "counts.model: no memory to simulate it again");
    } else if (read) {
        why = fb_otherwise(fb_rates_cell_json(cell, &counts), json);
    }
    fb_fpr_counts_close(&counts);
    return read ? why : problem.text;
}

/* The planned cell of that id, from number `from` on and then from 0. NULL: there is none. */
static const struct fb_rates_cell *find_cell(const struct fb_rates_cell *cells, size_t n,
                                             size_t from, const char *id)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(cells[(from + i) % n].id, id))
            return &cells[(from + i) % n];
    return NULL;
}

bool fb_rates_derive(const struct fb_rates_cell *cells, size_t n_cells, json_t *document,
                     struct fb_problem *problem)
{
    size_t next = 0;
    FB_EACH(json, json_object_get(document, "cells")) {
        struct fb_fpr_counts counts = {0};
        struct fb_problem why = {"the experiment has no such cell"};
        const char *id = fb_json_str(json, "id");
        const struct fb_rates_cell *cell = find_cell(cells, n_cells, next, id);
        bool read = cell && fb_rates_counts_read(cell, json, &counts, &why);
        if (read)
            json_object_set_new(json, "fpr", fb_rates_summary(cell, &counts));
        fb_fpr_counts_close(&counts);
        if (!read)
            return fb_refuse(problem, "%.120s: %.300s", id, why.text);
        next = (size_t)(cell - cells) + 1;
    }
    return true;
}

void fb_rates_warn(json_t *document)
{
    FB_EACH(cell, json_object_get(document, "cells")) {
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

/* What filters contributed, put together; and what the model says of as many. */
#include <stdlib.h>
#include <string.h>

#include "filters/core/simulate.h"
#include "harness/base/parallel.h"
#include "harness/filter/fpr.h"
#include "workloads/core/rng.h"

static uint64_t chained(uint64_t checksum, uint64_t next)
{
    const uint64_t pair[2] = {checksum, next};
    return fb_xxh64(pair, sizeof pair, 0);
}

enum fb_err fb_fpr_add(const struct fb_fpr_outcome *o, size_t n, struct fb_fpr_counts *out)
{
    uint64_t *events = realloc(out->events, (out->filters + n) * sizeof *out->events);
    if (!events)
        return FB_ENOMEM;
    out->events = events;
    for (size_t i = 0; i < n && o[i].done; i++) {
        out->failures += o[i].failed;
        if (o[i].failed)
            continue;
        out->attempts += o[i].attempts;
        out->first_failed += o[i].attempts > 1;
        out->temporary_bytes = fb_max_u64(out->temporary_bytes, o[i].temporary_bytes);
        if (out->filters == 0) {
            out->geom = o[i].geom;
            out->filter_bytes = o[i].geom.n_bytes;
            out->block_bytes = o[i].block_bytes;
            out->n_entries = o[i].n_entries;
        }
        out->checksum = chained(out->checksum, o[i].checksum);
        if (o[i].block_bytes)
            out->block_checksum = chained(out->block_checksum, o[i].block_checksum);
        out->false_negatives += o[i].false_negatives;
        out->events[out->filters++] = o[i].events;
    }
    return FB_OK;
}

/* ---- The model, where it takes a simulation: as many filters and probes as were measured ---- */

struct model {
    const struct fb_fpr_cell *cell;
    const struct fb_geometry *geom;
    uint64_t probes;                /* of each filter */
    size_t first;                   /* filter of task 0 */
    uint64_t *events;               /* [tasks], or: */
    struct fb_fpr_outcome *outcome; /* [tasks] */
};

bool fb_fpr_needs_model(const struct fb_fpr_cell *cell, const struct fb_geometry *geom)
{
    return cell->n_keys && geom->n_bits &&
           fb_scheme_needs_simulation(cell->design->scheme, cell->n_keys, geom->n_bits,
                                      geom->probes);
}

static enum fb_err simulate_filter(void *arg, size_t i)
{
    const struct model *m = arg;
    if (m->outcome && m->outcome[i].first)
        return FB_OK;
    return fb_simulate_filter(m->cell->design->scheme, m->cell->n_keys, m->geom->n_bits,
                              m->geom->probes, m->probes,
                              fb_stream_key(m->cell->root, FB_DOMAIN_MODEL, m->first + i),
                              m->outcome ? &m->outcome[i].model_events : &m->events[i]);
}

static void add_model(uint64_t probes, uint64_t events, struct fb_fpr_counts *out)
{
    out->model_filters++;
    out->model_probes += probes;
    out->model_events += events;
    out->model_squares += events * events;
}

enum fb_err fb_fpr_simulate(const struct fb_fpr_cell *cell, unsigned n_threads,
                            struct fb_fpr_counts *out, bool *complete)
{
    *complete = true;
    if (!fb_fpr_needs_model(cell, &out->geom))
        return FB_OK;
    struct model m = {.cell = cell,
                      .geom = &out->geom,
                      .probes = out->probes_each,
                      .events = calloc(out->filters, sizeof *m.events)};
    if (!m.events)
        return FB_ENOMEM;
    enum fb_err err = fb_parallel_for(out->filters, n_threads, simulate_filter, &m, complete);
    for (size_t i = 0; !err && *complete && i < out->filters; i++)
        add_model(m.probes, m.events[i], out);
    free(m.events);
    return err;
}

enum fb_err fb_fpr_model(const struct fb_fpr_cell *cell, const struct fb_geometry *geom,
                         size_t first, struct fb_fpr_outcome *outcome, size_t n, unsigned n_threads,
                         bool *complete)
{
    struct model m = {.cell = cell,
                      .geom = geom,
                      .probes = cell->probes_per_filter,
                      .first = first,
                      .outcome = outcome};
    *complete = true;
    if (!fb_fpr_needs_model(cell, geom))
        return FB_OK;
    return fb_parallel_for(n, n_threads, simulate_filter, &m, complete);
}

enum fb_err fb_fpr_collect(const struct fb_fpr_cell *cell, const struct fb_fpr_outcome *outcomes,
                           struct fb_fpr_counts *out)
{
    struct fb_params resolved = cell->params;
    struct fb_geometry geom;
    const char *why;
    memset(out, 0, sizeof *out);
    out->probes_each = cell->probes_per_filter;
    out->n_keys = cell->n_keys;
    enum fb_err err = fb_params_plan(cell->design, cell->n_keys, &resolved, &geom, &why);
    out->derived = fb_params_derived(cell->design, &cell->params);
    if (!err)
        err = fb_fpr_add(outcomes, cell->filters, out);
    for (size_t i = 0; !err && fb_fpr_needs_model(cell, &out->geom) && i < cell->filters; i++)
        if (!outcomes[i].failed)
            add_model(out->probes_each, outcomes[i].model_events, out);
    if (err)
        fb_fpr_counts_close(out);
    return err;
}

void fb_fpr_counts_close(struct fb_fpr_counts *counts)
{
    free(counts->events);
    memset(counts, 0, sizeof *counts);
}

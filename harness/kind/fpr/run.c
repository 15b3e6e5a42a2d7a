/* The cells of kind "fpr", measured one after the other. */
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/progress.h"
#include "harness/kind/fpr/rates.h"

/* Keys hashed: what a cell costs, nearly. */
static uint64_t work_of(const struct fb_rates_cell *cell)
{
    const struct fb_fpr_cell *spec = &cell->spec;
    return cell->why ? 0 : spec->filters * (spec->n_keys + spec->probes_per_filter);
}

static void skip(json_t *document, const char *id, const char *why)
{
    json_array_append_new(json_object_get(document, "skipped"),
                          json_pack("{s:s, s:s}", "id", id, "why", why));
}

/* The measured cell into the document; FB_EXIT_OK also where it could not be built. */
static enum fb_exit run_cell(const struct fb_rates_cell *cell, unsigned n_threads, json_t *document)
{
    struct fb_fpr_counts counts;
    const char *why = NULL;
    bool complete;
    enum fb_exit code = FB_EXIT_OK;
    enum fb_err err = fb_fpr_measure(&cell->spec, n_threads, &counts, &complete, &why);
    if (fb_err_refuses(err)) {
        skip(document, cell->id, why ? why : fb_err_text(err));
        return FB_EXIT_OK;
    }
    if (err) {
        fb_error("%s: %s", cell->id, why ? why : fb_err_text(err));
        return FB_EXIT_USAGE;
    }
    if (!complete) {
        fb_fpr_counts_close(&counts);
        return FB_EXIT_INTERRUPTED;
    }
    json_array_append_new(json_object_get(document, "cells"), fb_rates_cell_json(cell, &counts));
    if (counts.false_negatives && !(cell->spec.design->traits & FB_FALSE_NEGATIVES)) {
        fb_result_warn(document, "false-negative", cell->id, "%s: %llu false negatives", cell->id,
                       (unsigned long long)counts.false_negatives);
        fb_error("%s: %llu false negatives in %zu filters of %llu keys; the run ends here",
                 cell->id, (unsigned long long)counts.false_negatives, counts.filters,
                 (unsigned long long)counts.n_keys);
        code = FB_EXIT_CORRECTNESS;
    }
    fb_fpr_counts_close(&counts);
    return code;
}

enum fb_exit fb_rates_run(const struct fb_rates_cell *cells, size_t n_cells, unsigned n_threads,
                          json_t *document)
{
    struct fb_progress progress;
    uint64_t total = 0;
    enum fb_exit code = FB_EXIT_OK;
    for (size_t i = 0; i < n_cells; i++)
        total += work_of(&cells[i]);
    fb_progress_start(&progress, "run", total);
    for (size_t i = 0; i < n_cells && !code; i++) {
        fb_progress_add(&progress, 0, cells[i].id);
        if (cells[i].why)
            skip(document, cells[i].id, cells[i].why);
        else
            code = run_cell(&cells[i], n_threads, document);
        fb_progress_add(&progress, work_of(&cells[i]), cells[i].id);
        if (!code && fb_interrupted())
            code = FB_EXIT_INTERRUPTED;
    }
    fb_progress_end(&progress);
    const json_t *skipped = json_object_get(document, "skipped");
    if (!code && !json_array_size(json_object_get(document, "cells"))) {
        const json_t *first = json_array_get(skipped, 0);
        fb_error("no cell can be measured: %s: %s",
                 first ? json_string_value(json_object_get(first, "id")) : "the experiment",
                 first ? json_string_value(json_object_get(first, "why")) : "it has none");
        code = FB_EXIT_USAGE;
    }
    return code;
}

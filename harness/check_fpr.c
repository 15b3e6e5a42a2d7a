#include "harness/check_fpr.h"

/* The geometry that this build plans for the cell, which is what the formula is then asked about.
 */
static bool same_geometry(const struct fb_cell *cell, const struct fb_fpr_counts *counts)
{
    struct fb_params params = cell->spec.params;
    struct fb_geometry planned;
    const char *why;
    bool derived;
    if (fb_params_resolve(cell->spec.design, counts->n_entries, &params, &derived, &why) ||
        fb_design_plan(cell->spec.design, &params, counts->n_entries, &planned, &why))
        return false;
    const struct fb_geometry *g = &counts->geom;
    return derived == counts->derived && planned.n_bytes == g->n_bytes &&
           planned.n_bits == g->n_bits && planned.n_blocks == g->n_blocks &&
           planned.block_bits == g->block_bits && planned.probes == g->probes &&
           planned.digest_words == g->digest_words;
}

static enum fb_exit check_cell(const char *path, const json_t *json)
{
    struct fb_cell cell;
    struct fb_fpr_counts counts;
    struct fb_problem problem;
    const char *where = NULL;
    enum fb_exit code = FB_EXIT_OK;
    if (!fb_result_cell_read(json, &cell, &counts, &problem)) {
        fb_error("%s: %s", path, problem.text);
        code = FB_EXIT_USAGE;
    } else if (counts.false_negatives && !(cell.spec.design->traits & FB_FALSE_NEGATIVES)) {
        fb_error("%s: %s: %llu false negatives", path, cell.id,
                 (unsigned long long)counts.false_negatives);
        code = FB_EXIT_CORRECTNESS;
    } else if (!same_geometry(&cell, &counts)) {
        fb_error("%s: %s: geometry: this filterbench sizes that filter otherwise", path, cell.id);
        code = FB_EXIT_CORRECTNESS;
    } else {
        json_t *derived = fb_result_summary(&cell, &counts);
        const json_t *written = json_object_get(json, "fpr");
        if (!fb_json_agree(derived, written, &where)) {
            fb_error("%s: %s: fpr.%s is not what the counts give", path, cell.id,
                     where ? where : "?");
            code = FB_EXIT_CORRECTNESS;
        }
        json_decref(derived);
    }
    fb_fpr_counts_close(&counts);
    return code;
}

enum fb_exit fb_fpr_check(const char *path, const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    enum fb_exit code = FB_EXIT_OK;
    for (size_t i = 0; i < json_array_size(cells) && !code; i++)
        code = check_cell(path, json_array_get(cells, i));
    return code;
}

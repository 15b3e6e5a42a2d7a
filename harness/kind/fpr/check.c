#include "harness/kind/fpr/check.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"

/* The experiment's cells, by id, and which of them the document has. */
struct expected {
    const char *path;
    struct fb_experiment experiment;
    struct fb_cell *cells;
    size_t n_cells;
    bool *seen;
    json_t *index; /* id -> number */
};

static enum fb_exit wrong(const char *path, const char *id, const char *what)
{
    fb_error("%s: %s: %s", path, id, what);
    return FB_EXIT_CORRECTNESS;
}

/* ---- One cell ---- */

/* What the cell's filters must be, planned again. */
static const char *check_sizes(const struct fb_cell *cell, const struct fb_fpr_counts *counts)
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

static const char *check_asked(const struct fb_cell *cell, const struct fb_fpr_counts *counts)
{
    const struct fb_fpr_cell *spec = &cell->spec;
    if (counts->probes_each != spec->probes_per_filter)
        return "counts.probes_each is not what the experiment asks for";
    if (spec->precision > 0 ? counts->filters % spec->filters : counts->filters != spec->filters)
        return "counts.filters is not what the experiment asks for";
    return NULL;
}

static const char *check_model(const struct fb_cell *cell, const struct fb_fpr_counts *counts)
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

/* All that the counts decide; the line is printed. */
static enum fb_exit check_derived(const char *path, const struct fb_cell *cell,
                                  const struct fb_fpr_counts *counts, const json_t *json)
{
    const char *where = NULL;
    enum fb_exit code = FB_EXIT_OK;
    json_t *derived = fb_result_cell(cell, counts);
    if (!fb_json_agree(json_object_get(derived, "fpr"), json_object_get(json, "fpr"), &where)) {
        fb_error("%s: %s: fpr.%s is not what the counts give", path, cell->id, where ? where : "?");
        code = FB_EXIT_CORRECTNESS;
    } else if (!fb_json_agree(derived, json, &where)) {
        fb_error("%s: %s: %s is not that of this cell", path, cell->id, where ? where : "?");
        code = FB_EXIT_CORRECTNESS;
    }
    json_decref(derived);
    return code;
}

static enum fb_exit check_cell(const char *path, const json_t *json, const struct fb_cell *cell)
{
    struct fb_cell written;
    struct fb_fpr_counts counts;
    struct fb_problem problem;
    const char *what = NULL;
    enum fb_exit code = FB_EXIT_OK;
    if (!fb_result_cell_read(json, &written, &counts, &problem)) {
        fb_error("%s: %s", path, problem.text);
        code = FB_EXIT_USAGE;
    } else if (counts.false_negatives && !(cell->spec.design->traits & FB_FALSE_NEGATIVES)) {
        fb_error("%s: %s: %llu false negatives", path, cell->id,
                 (unsigned long long)counts.false_negatives);
        code = FB_EXIT_CORRECTNESS;
    } else if ((what = check_sizes(cell, &counts)) || (what = check_asked(cell, &counts)) ||
               (what = check_model(cell, &counts))) {
        code = wrong(path, cell->id, what);
    } else {
        code = check_derived(path, cell, &counts, json);
    }
    fb_fpr_counts_close(&counts);
    return code;
}

/* ---- All of them ---- */

/* The experiment's cell of that id, each asked for once; NULL, after a line, where it has none. */
static const struct fb_cell *take(struct expected *e, const json_t *row)
{
    const char *id = json_string_value(json_object_get(row, "id"));
    const json_t *number = id ? json_object_get(e->index, id) : NULL;
    size_t i = (size_t)json_integer_value(number);
    if (!number || e->seen[i]) {
        wrong(e->path, id ? id : "a cell without id",
              number ? "it is there twice" : "the experiment has no such cell");
        return NULL;
    }
    e->seen[i] = true;
    return &e->cells[i];
}

static enum fb_exit check_rows(struct expected *e, const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells"), *row;
    const json_t *skipped = json_object_get(document, "skipped");
    size_t i;
    json_array_foreach((json_t *)cells, i, row)
    {
        const struct fb_cell *cell = take(e, row);
        enum fb_exit code = cell ? check_cell(e->path, row, cell) : FB_EXIT_CORRECTNESS;
        if (code)
            return code;
    }
    json_array_foreach((json_t *)skipped, i, row)
    {
        const struct fb_cell *cell = take(e, row);
        if (!cell)
            return FB_EXIT_CORRECTNESS;
        /* With keys of a file or another hash, building may have refused what could be planned. */
        if (!cell->why && cell->spec.keygen && !cell->spec.hash)
            return wrong(e->path, cell->id, "skipped, though there is such a filter");
    }
    for (i = 0; i < e->n_cells && json_is_true(fb_json_at(document, "run.complete")); i++)
        if (!e->seen[i])
            return wrong(e->path, e->cells[i].id, "the cell is missing");
    return FB_EXIT_OK;
}

enum fb_exit fb_fpr_check(const char *path, const json_t *document)
{
    struct expected e = {.path = path, .index = json_object()};
    struct fb_problem problem;
    const json_t *key_file = json_object_get(document, "key_file");
    json_int_t n_file = json_integer_value(json_object_get(key_file, "given")) -
                        json_integer_value(json_object_get(key_file, "dropped"));
    struct fb_keys file = {.n = n_file > 0 ? (size_t)n_file : 0};
    enum fb_exit code = FB_EXIT_USAGE;
    if (!fb_experiment_resolve(json_object_get(document, "experiment"), &e.experiment, &problem)) {
        fb_error("%s: experiment: %s", path, problem.text);
        goto out;
    }
    e.cells = fb_experiment_cells(&e.experiment, &file, &e.n_cells);
    e.seen = calloc(e.n_cells + 1, sizeof *e.seen);
    if (!e.cells || !e.seen) {
        code = fb_fail(path, FB_ENOMEM, NULL);
        goto out;
    }
    for (size_t i = 0; i < e.n_cells; i++)
        json_object_set_new(e.index, e.cells[i].id, json_integer((json_int_t)i));
    code = check_rows(&e, document);
out:
    json_decref(e.index);
    free(e.cells);
    free(e.seen);
    fb_experiment_close(&e.experiment);
    return code;
}

/* The cells of kind "fpr", measured one after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/hash/hash.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/progress.h"
#include "harness/kind/fpr/rates.h"

/* How many batches of filters reach the precision, if the rate is the one that theory gives. */
static double batches(const struct fb_fpr_cell *spec, const struct fb_geometry *geom)
{
    const double probes = (double)spec->filters * (double)spec->probes_per_filter;
    const double rate = spec->design->fpr(geom, spec->n_keys);
    const double needed = ceil(pow(1.96 / spec->precision, 2) / (rate * probes));
    return spec->precision > 0 ? fmax(1, fmin(needed, floor((double)spec->max_probes / probes)))
                               : 1;
}

uint64_t fb_rates_work(const struct fb_rates_cell *cell)
{
    const struct fb_fpr_cell *spec = &cell->spec;
    struct fb_params params = spec->params;
    struct fb_geometry geom;
    const char *why;
    if (cell->why || fb_params_plan(spec->design, spec->n_keys, &params, &geom, &why))
        return 0;
    const double keys = (double)spec->filters * (double)(spec->n_keys + spec->probes_per_filter);
    /* A probe of a simulation takes a third of the time of a key. */
    const double model = fb_fpr_needs_model(spec, &geom) ? geom.probes / 3.0 : 0;
    return (uint64_t)(keys * batches(spec, &geom) * (1 + model));
}

/* Bytes that a build holds beside its digests and filter: as much for each key as one of few keys.
 * Of a small filter they are left out. */
static double build_bytes(const struct fb_fpr_cell *spec, unsigned words)
{
    enum { SMALL = 500000, FEW = 50000 };
    const uint64_t n = spec->n_keys < SMALL ? 0 : FEW;
    struct fb_params params = spec->params;
    struct fb_filter filter = {0};
    const char *why;
    uint64_t *digests = malloc((size_t)(n + 1) * words * sizeof *digests);
    for (uint64_t i = 0; digests && i < n * words; i++)
        digests[i] = fb_mix64(i);
    params.capacity = params.capacity ? n : 0;
    double bytes = 0;
    if (n && digests &&
        !fb_filter_build_digests(spec->design, spec->hash, &params, digests, (size_t)n, &filter,
                                 &why))
        bytes = (double)filter.temporary_bytes / (double)n * (double)spec->n_keys;
    fb_filter_close(&filter);
    free(digests);
    return bytes;
}

double fb_rates_memory(const struct fb_rates_cell *cell, unsigned n_threads)
{
    static const double PROGRAM = 6e6;
    const struct fb_fpr_cell *spec = &cell->spec;
    const struct fb_keys *file = spec->keygen ? NULL : spec->file;
    struct fb_params params = spec->params;
    struct fb_geometry geom;
    const char *why;
    if (cell->why || fb_params_plan(spec->design, spec->n_keys, &params, &geom, &why))
        return 0;
    const unsigned words = (unsigned)fb_max_u64(geom.digest_words, 1);
    const unsigned threads = n_threads ? n_threads : fb_parallel_threads();
    const double at_once = (double)fb_min_u64(spec->filters, threads);
    const double filter = (double)geom.n_bytes, block = spec->design->formats ? filter : 0;
    const double build = 8.0 * words * (double)spec->n_keys + build_bytes(spec, words);
    const double keys = file ? (double)file->offset[file->n] + 8.0 * (double)file->n : 0;
    return PROGRAM + keys + at_once * (keys + filter + fmax(build, block));
}

/* Answers an error of a measurement. Where no such filter can exist, it adds the cell to "skipped"
 * and answers FB_EXIT_OK, so that the run goes on. Else it reports the error and answers
 * its exit code. */
static enum fb_exit skip_or_fail(const struct fb_rates_cell *cell, enum fb_err err, const char *why,
                                 json_t *document)
{
    if (!fb_err_refuses(err))
        return fb_fail(cell->id, err, why);
    fb_skip(json_object_get(document, "skipped"), cell->id, why ? why : fb_err_text(err));
    return FB_EXIT_OK;
}

/* A filter must find every key that it holds. FB_EXIT_CORRECTNESS, a warning in the document and a
 * line on stderr where these filters did not, unless the design is known for it. */
static enum fb_exit refuse_false_negatives(const struct fb_rates_cell *cell,
                                           uint64_t false_negatives, size_t filters,
                                           json_t *document)
{
    if (!false_negatives || cell->spec.design->traits & FB_FALSE_NEGATIVES)
        return FB_EXIT_OK;
    fb_result_warn(document, "false-negative", cell->id, "%s: %llu false negatives", cell->id,
                   (unsigned long long)false_negatives);
    fb_error("%s: %llu false negatives in %zu filters of %llu keys; the run ends here", cell->id,
             (unsigned long long)false_negatives, filters, (unsigned long long)cell->spec.n_keys);
    return FB_EXIT_CORRECTNESS;
}

/* Measures cell number i, or of a shard those blocks of it that the shard has, into the document.
 * FB_EXIT_OK also where the filter could not be built. */
static enum fb_exit run_share(const struct fb_rates_cell *cell, size_t i, unsigned n_threads,
                              const struct fb_work *work, json_t *document)
{
    const struct fb_fpr_cell *spec = &cell->spec;
    const bool whole = work->shard.of == 1;
    struct fb_fpr_counts counts = {0};
    struct fb_fpr_shard shard = {0};
    const char *why = NULL;
    bool complete;
    uint64_t first, end;
    enum fb_exit code = FB_EXIT_INTERRUPTED;
    fb_shard_blocks(work->shard, i, fb_fpr_blocks(spec), &first, &end);
    if (!whole && first == end)
        return FB_EXIT_OK;
    enum fb_err err =
        whole ? fb_fpr_measure(spec, n_threads, &counts, &complete, &why)
              : fb_fpr_measure_blocks(spec, first, end, n_threads, &shard, &complete, &why);
    if (err)
        return skip_or_fail(cell, err, why, document);
    for (size_t f = 0; f < shard.n; f++)
        counts.false_negatives += shard.outcomes[f].false_negatives;
    if (complete) {
        json_array_append_new(json_object_get(document, whole ? "cells" : "fragments"),
                              whole ? fb_rates_cell_json(cell, &counts)
                                    : fb_rates_fragment(cell, &shard));
        code = refuse_false_negatives(cell, counts.false_negatives,
                                      whole ? counts.filters : shard.n, document);
    }
    fb_fpr_counts_close(&counts);
    fb_fpr_shard_close(&shard);
    return code;
}

enum fb_exit fb_rates_run(const struct fb_rates_cell *cells, size_t n_cells, unsigned n_threads,
                          struct fb_work *work, json_t *document)
{
    struct fb_progress progress;
    uint64_t total = 0;
    enum fb_exit code = fb_journal_expect(work->journal, n_cells);
    for (size_t i = 0; i < n_cells; i++)
        total += fb_rates_work(&cells[i]);
    fb_progress_start(&progress, "run", total);
    for (size_t i = 0; i < n_cells && !code; i++) {
        fb_progress_add(&progress, 0, cells[i].id);
        if (cells[i].why) {
            fb_skip(json_object_get(document, "skipped"), cells[i].id, cells[i].why);
        } else if (!fb_work_recall(work, cells[i].id)) {
            code = run_share(&cells[i], i, n_threads, work, document);
            code = code ? code : fb_work_keep(work, cells[i].id);
        }
        fb_progress_add(&progress, fb_rates_work(&cells[i]), cells[i].id);
        if (!code && fb_interrupted())
            code = FB_EXIT_INTERRUPTED;
    }
    fb_progress_end(&progress);
    return fb_work_end(work, code);
}

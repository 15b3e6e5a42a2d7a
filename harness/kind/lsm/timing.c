#include "harness/kind/lsm/timing.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/measure/caches.h"
#include "harness/measure/noise.h"
#include "harness/store/query_latency.h"

/* ---- What stands ---- */

enum fb_err fb_lsm_timed_open(const struct fb_lsm *e, struct fb_lsm_timed *t)
{
    const size_t most = e->n_filters * e->n_streams;
    t->entries = calloc(most + 1, sizeof *t->entries);
    t->forests = calloc(most + 1, sizeof *t->forests);
    return t->entries && t->forests ? FB_OK : FB_ENOMEM;
}

uint64_t fb_lsm_timed_bytes(const struct fb_lsm_timed *t)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < t->n_forests; i++)
        bytes += t->forests[i].arena_bytes;
    return bytes;
}

void fb_lsm_timed_drop(struct fb_lsm_timed *t)
{
    for (size_t i = 0; i < t->n_forests; i++)
        fb_forest_close(&t->forests[i]);
    t->n_forests = t->n = 0;
}

void fb_lsm_timed_close(struct fb_lsm_timed *t)
{
    fb_lsm_timed_drop(t);
    free(t->forests);
    free(t->entries);
    memset(t, 0, sizeof *t);
}

/* ---- Measuring ---- */

/* [[a value per round] per process] of one candidate of n. */
static json_t *samples_json(const double *samples, size_t n, size_t candidate, size_t processes,
                            size_t rounds)
{
    json_t *list = json_array();
    for (size_t p = 0; p < processes; p++) {
        json_t *row = json_array();
        for (size_t r = 0; r < rounds; r++)
            json_array_append_new(row, json_real(samples[(p * rounds + r) * n + candidate]));
        json_array_append_new(list, row);
    }
    return json_pack("{s:s, s:o}", "unit", "ns_per_query", "samples_ns", list);
}

struct measured {
    const struct fb_walk_candidate *candidates;
    const struct fb_walk_estimate *estimates;
    const double *samples;
    size_t n, processes, rounds;
};

static json_t *lookup_json(const struct measured *m, size_t i, const char *cell_id)
{
    const struct fb_walk_candidate *c = &m->candidates[i];
    char id[FB_LSM_ID + 80];
    snprintf(id, sizeof id, "%s/%s", cell_id, c->lookup->name);
    return json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:o}", "id", id, "lookup", c->lookup->name,
                     "isa", fb_isa_name(c->kernel->isa), "style", c->kernel->style, "asked",
                     m->estimates[i].asked, "digests", m->estimates[i].digests, "time",
                     samples_json(m->samples, m->n, i, m->processes, m->rounds));
}

/* NULL: a lookup's walks can be timed one by one. */
static const char *why_not_singly(const struct fb_lsm *e, const struct fb_lookup *lookup)
{
    return !e->histograms     ? "not asked for: run --histograms"
           : fb_interrupted() ? "interrupted"
           : lookup->batched  ? "a batched lookup answers no query by itself"
                              : NULL;
}

static json_t *histograms_json(const json_t *cell, const struct fb_lsm *e,
                               const struct fb_latency *walk, double quantum_ns)
{
    const json_t *bins = fb_json_at(cell, "counts.io_histogram");
    uint64_t queries[FB_READ_BINS];
    const struct fb_query_reads reads = {
        .queries = queries, .n = json_array_size(bins), .device = &e->device, .seed = e->seed};
    for (size_t i = 0; i < reads.n; i++)
        queries[i] = (uint64_t)json_integer_value(json_array_get(bins, i));
    return fb_query_histograms(walk, quantum_ns, &reads);
}

/* "histograms" of the lookups of an entry's cells, whose candidates these are. */
static enum fb_err add_histograms(const struct fb_lsm_entry *entry, const struct fb_lsm *e,
                                  const struct fb_walk_candidate *candidates, double quantum_ns,
                                  json_t *cells)
{
    enum { MOST_WALKS = 1 << 20 };
    const uint64_t n = e->n_queries < MOST_WALKS ? e->n_queries : MOST_WALKS;
    struct fb_latency *walk = malloc(sizeof *walk);
    enum fb_err err = walk ? FB_OK : FB_ENOMEM;
    for (size_t l = 0; !err && l < e->n_lookups; l++) {
        const char *why = why_not_singly(e, e->lookups[l]);
        if (!why)
            err = fb_walk_latency(&candidates[l], n, walk);
        for (size_t c = 0; !err && c < entry->n_cells; c++) {
            json_t *cell = json_array_get(cells, entry->first_cell + c);
            fb_json_known(json_array_get(json_object_get(cell, "lookups"), l), "histograms",
                          why ? NULL : histograms_json(cell, e, walk, quantum_ns), why);
        }
    }
    free(walk);
    return err;
}

static void write_entry(const struct fb_lsm_entry *entry, const struct measured *m, size_t first,
                        size_t n_lookups, json_t *cells)
{
    for (size_t c = 0; c < entry->n_cells; c++) {
        json_t *cell = json_array_get(cells, entry->first_cell + c), *lookups = json_array();
        json_object_set_new(cell, "control",
                            samples_json(m->samples, m->n, first, m->processes, m->rounds));
        for (size_t l = 0; l < n_lookups; l++)
            json_array_append_new(lookups, lookup_json(m, first + 1 + l, fb_json_str(cell, "id")));
        json_object_set_new(cell, "lookups", lookups);
    }
}

enum fb_exit fb_lsm_timed_measure(const struct fb_lsm_timed *t, const struct fb_lsm *e,
                                  const struct fb_walk_options *options, json_t *document)
{
    size_t each = e->n_lookups + 1, n = t->n * each, processes = 0;
    struct fb_walk_candidate *candidates = calloc(n + 1, sizeof *candidates);
    struct fb_walk_estimate *estimates = calloc(n + 1, sizeof *estimates);
    double *samples = NULL;
    bool complete = false;
    enum fb_err err = candidates && estimates ? FB_OK : FB_ENOMEM;
    for (size_t i = 0; !err && i < n; i++) {
        const struct fb_lsm_entry *entry = &t->entries[i / each];
        const struct fb_lookup *lookup = i % each ? e->lookups[i % each - 1] : NULL;
        candidates[i] = (struct fb_walk_candidate){
            .forest = entry->forest,
            .queries = entry->queries,
            .lookup = lookup,
            .kernel = lookup ? fb_lookup_kernel(lookup, entry->forest->design, FB_ISA_NONE)
                             : fb_kernel_find(entry->forest->design, FB_ISA_NONE),
            .compared_to = i % each ? i / each * each + 1 : i,
        };
    }
    if (!err)
        err = fb_walks_measure(candidates, n, options, estimates, &samples, &processes, &complete);
    struct measured m = {candidates, estimates, samples, n, processes, options->rounds};
    for (size_t i = 0; !err && processes && i < t->n; i++)
        write_entry(&t->entries[i], &m, i * each, e->n_lookups, json_object_get(document, "cells"));
    double quantum_ns = e->histograms ? fb_clock_quality(&fb_system_clock).quantum_ns : 0;
    for (size_t i = 0; !err && processes && i < t->n; i++)
        err = add_histograms(&t->entries[i], e, candidates + i * each + 1, quantum_ns,
                             json_object_get(document, "cells"));
    free(candidates);
    free(estimates);
    free(samples);
    if (err)
        return fb_fail(e->name, err, "the lookups cannot be timed");
    return complete ? FB_EXIT_OK : FB_EXIT_INTERRUPTED;
}

json_t *fb_lsm_timing_json(const struct fb_lsm *e, int cpu, json_t *noise)
{
    struct fb_caches caches;
    fb_caches_detect(&caches);
    json_t *j = json_object();
    json_object_set_new(j, "caches", fb_caches_json(&caches));
    json_object_set_new(j, "rounds", json_integer((json_int_t)e->options.rounds));
    fb_json_known(j, "pinned_cpu", cpu >= 0 ? json_integer(cpu) : NULL, "not pinned");
    json_object_set_new(j, "keys_made", json_string("outside the clock"));
    json_object_set_new(j, "settings", fb_noise_settings());
    json_object_set_new(j, "noise", noise);
    return j;
}

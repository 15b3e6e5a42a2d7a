#include "harness/kind/lsm/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/kind/lsm/report/report.h"
#include "harness/measure/caches.h"
#include "harness/measure/group_json.h"
#include "harness/measure/noise.h"
#include "harness/stats/serial.h"
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

/* ---- Single queries ---- */

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

/* ---- Measuring ---- */

struct measured {
    struct fb_walk_candidate *candidates; /* of each entry the control, then its lookups */
    struct fb_walk_counts *counts;
    struct fb_group *group;
    size_t n, each; /* candidates; of an entry */
    size_t batch;
};

static enum fb_err list_candidates(const struct fb_lsm_timed *t, const struct fb_lsm *e,
                                   struct measured *m)
{
    m->each = e->n_lookups + 1;
    m->n = t->n * m->each;
    m->candidates = calloc(m->n + 1, sizeof *m->candidates);
    m->counts = calloc(m->n + 1, sizeof *m->counts);
    if (!m->candidates || !m->counts)
        return FB_ENOMEM;
    for (size_t i = 0; i < m->n; i++) {
        const struct fb_lsm_entry *entry = &t->entries[i / m->each];
        const size_t l = i % m->each;
        m->candidates[i] = (struct fb_walk_candidate){.forest = entry->forest,
                                                      .queries = entry->queries,
                                                      .lookup = l ? e->lookups[l - 1] : NULL,
                                                      .to = l > 1 ? (int32_t)(i - l + 1) : -1};
    }
    return FB_OK;
}

static json_t *time_json(const struct measured *m, size_t i)
{
    const int32_t to = m->group->members[i].to;
    const char *name = to < 0 ? NULL : m->candidates[to].lookup->name;
    return fb_group_time_json(m->group, i, FB_LSM_TIME_UNIT, name, FB_LSM_TIME_ALONE);
}

static json_t *lookup_json(const struct measured *m, const char *cell_id, size_t i)
{
    const struct fb_lookup *lookup = m->candidates[i].lookup;
    const struct fb_kernel *kernel =
        fb_lookup_kernel(lookup, m->candidates[i].forest->design, FB_ISA_NONE);
    char id[FB_LSM_ID + 80];
    snprintf(id, sizeof id, "%s/%s", cell_id, lookup->name);
    return json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:o}", "id", id, "lookup", lookup->name, "isa",
                     fb_isa_name(kernel->isa), "style", kernel->style, "asked", m->counts[i].asked,
                     "digests", m->counts[i].digests, "time", time_json(m, i));
}

/* The facts of an entry's cells; `first` is its control. */
static void write_entry(const struct measured *m, const struct fb_lsm_entry *entry, size_t first,
                        json_t *cells)
{
    const char *pages = fb_walk_pages_shared(entry->forest) ? "shared" : "own";
    for (size_t c = 0; c < entry->n_cells; c++) {
        json_t *cell = json_array_get(cells, entry->first_cell + c), *lookups = json_array();
        json_object_set_new(
            cell, "timed", json_pack("{s:o, s:s}", "batch", fb_json_int(m->batch), "pages", pages));
        json_object_set_new(cell, "control", time_json(m, first));
        for (size_t i = first + 1; i < first + m->each; i++)
            json_array_append_new(lookups, lookup_json(m, fb_json_str(cell, "id"), i));
        json_object_set_new(cell, "lookups", lookups);
    }
}

/* Times every lookup of the experiment on every entry, beside the control, as one group, then the
 * builds. The cells get "timed" (which batch of the document this is, how pages lay), "control" and
 * "lookups". A line on stderr for every code but OK and INTERRUPTED. */
static enum fb_exit measure_all(const struct fb_lsm_timed *t, const struct fb_lsm *e,
                                const struct fb_group_options *options,
                                const struct fb_group_watch *watch, size_t batch, json_t *document)
{
    json_t *cells = json_object_get(document, "cells");
    struct fb_group group = {0};
    struct measured m = {.batch = batch, .group = &group};
    double quantum_ns = e->histograms ? fb_clock_quality(&fb_system_clock).quantum_ns : 0;
    enum fb_err err = list_candidates(t, e, &m);
    if (!err)
        err = fb_walks_measure(m.candidates, m.n, options, watch, m.counts, &group);
    bool interrupted = group.stopped == FB_STOP_INTERRUPTED;
    const size_t n = !err && fb_group_processes(&group) ? t->n : 0;
    for (size_t i = 0; i < n; i++)
        write_entry(&m, &t->entries[i], i * m.each, cells);
    for (size_t i = 0; i < n && !err; i++)
        err = add_histograms(&t->entries[i], e, m.candidates + i * m.each + 1, quantum_ns, cells);
    if (n && !err && !interrupted && e->timed_builds)
        err = fb_lsm_builds_measure(t, options, cells);
    fb_group_close(&group);
    free(m.candidates);
    free(m.counts);
    if (err)
        return fb_fail(e->name, err, "lookups and builds cannot be timed");
    return interrupted || fb_interrupted() ? FB_EXIT_INTERRUPTED : FB_EXIT_OK;
}

json_t *fb_lsm_timing_json(int cpu, json_t *noise)
{
    struct fb_caches caches;
    fb_caches_detect(&caches);
    json_t *j = json_object();
    json_object_set_new(j, "caches", fb_caches_json(&caches));
    fb_json_known(j, "pinned_cpu", cpu >= 0 ? json_integer(cpu) : NULL, "not pinned");
    json_object_set_new(j, "keys_made", json_string("outside the clock"));
    json_object_set_new(j, "settings", fb_noise_settings());
    json_object_set_new(j, "noise", noise);
    return j;
}

/* ---- Batches: lookups of the filters that stand, timed together ---- */

/* A batch of timing, as the bar of progress has it: seconds that it takes in all and that are
 * shown. */
struct batch {
    struct fb_progress *progress;
    const char *what;
    const struct fb_group_options *options;
    double builds_s; /* of whole_s */
    double started_s, whole_s, shown_s;
};

static void show_time(struct batch *b, double whole_s, double shown_s)
{
    b->progress->known_s += whole_s - b->whole_s;
    b->progress->known_done_s += shown_s - b->shown_s;
    fb_progress_add(b->progress, 0, b->what);
    b->whole_s = whole_s;
    b->shown_s = shown_s;
}

static void on_process(void *arg, const struct fb_group *group)
{
    struct batch *b = arg;
    show_time(b, b->builds_s + fb_group_expected_s(group, b->options, b->options->budget_s),
              fb_seconds() - b->started_s);
}

/* Of a lookup and round, in a process (Zen 4 guest): two batches and what comes before them. */
#define LOOKUP_S 3e-3

double fb_lsm_likely_s(const struct fb_group_options *options, size_t n, size_t n_candidates)
{
    return fmin(options->budget_s * (double)n / (double)n_candidates,
                LOOKUP_S * (double)(n * options->rounds * options->max_processes));
}

enum fb_exit fb_lsm_run_batch(struct fb_lsm_running *r)
{
    const struct fb_lsm_timed *timed = &r->standing.timed;
    struct fb_group_options options = r->e->options;
    size_t n = timed->n * (r->e->n_lookups + 1);
    if (!timed->n)
        return FB_EXIT_OK;
    options.cpu = r->cpu;
    if (options.min_processes < FB_MEMORY_LEAST)
        options.min_processes = fb_min_u64(options.max_processes, FB_MEMORY_LEAST);
    options.budget_s *= (double)n / (double)(r->n_candidates + 1);
    char what[80];
    snprintf(what, sizeof what, "timing %zu lookups", n);
    struct batch batch = {.progress = &r->progress,
                          .what = what,
                          .options = &options,
                          .builds_s = r->e->timed_builds ? fb_lsm_builds_s(timed, &options) : 0,
                          .started_s = fb_seconds(),
                          .whole_s = fb_lsm_likely_s(&r->e->options, n, r->n_candidates)};
    const struct fb_group_watch watch = {.arg = &batch, .progress = on_process};
    fb_progress_add(&r->progress, 0, what);
    enum fb_exit code =
        measure_all(timed, r->e, &options, &watch, r->steps.n_batches++, r->document);
    const double spent_s = fb_seconds() - batch.started_s;
    r->spent.timing += spent_s;
    show_time(&batch, spent_s, spent_s);
    return code;
}

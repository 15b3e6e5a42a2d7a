/* The attacks of an experiment: a group of cells after the other on each thread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/progress.h"
#include "harness/kind/attack/attack.h"

struct outcome {
    json_t *cells, *skipped;
    const char *id, *why; /* of what failed */
    enum fb_exit kept;    /* not FB_EXIT_OK: the journal could not be written, which was said */
    bool done;
};

struct job {
    const struct fb_attack_plan *plan;
    const struct fb_work *work;
    struct outcome *outcomes; /* [plan->n_groups] */
    struct fb_progress progress;
};

static json_t *counts_of(const uint64_t *counts, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, fb_json_int(counts[i]));
    return list;
}

/* Without the zeros at its end. */
static json_t *bits_json(const struct fb_attack_counts *c)
{
    size_t n = FB_MAX_PROBES + 1;
    while (n && !c->bits[n - 1])
        n--;
    return counts_of(c->bits, n);
}

static json_t *cell_json(const struct fb_attack_plan *p, const struct fb_attack_cell *cell,
                         const struct fb_attack_found *found, const struct fb_attack_counts *c)
{
    json_t *json = json_object();
    fb_attack_describe(p, cell, json);
    json_object_set_new(json, "filter",
                        json_pack("{s:o, s:o, s:o}", "bytes", fb_json_int(c->geom.n_bytes), "bits",
                                  fb_json_int(c->geom.n_bits), "set_bits",
                                  fb_json_int(c->set_bits)));
    json_object_set_new(json, "counts",
                        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "tries",
                                  fb_json_int(found->tries), "found", fb_json_int(found->n),
                                  "inserted", fb_json_int(found->n_inserted), "attempts",
                                  fb_json_int(c->attempts), "failed", fb_json_int(c->failed),
                                  "asked", counts_of(c->asked, c->filters), "passed",
                                  counts_of(c->passed, c->filters), "random_asked",
                                  counts_of(c->random_asked, c->filters), "random_passed",
                                  counts_of(c->random_passed, c->filters), "bits", bits_json(c)));
    return json;
}

/* A design that refuses a hash, or has no filter of those keys, is skipped. */
static enum fb_err strike(const struct fb_attack_plan *p, const struct fb_attack_cell *cell,
                          struct fb_attack_scene *scene, const struct fb_attack_found *found,
                          struct outcome *o)
{
    struct fb_attack_counts counts = {0};
    const char *why = NULL;
    enum fb_err err = fb_attack_strike(scene, cell->hash, found, &counts, &why);
    if (!err && !fb_interrupted())
        json_array_append_new(o->cells, cell_json(p, cell, found, &counts));
    fb_attack_counts_close(&counts);
    if (!fb_err_refuses(err))
        return err;
    fb_skip(o->skipped, cell->id, why ? why : fb_err_text(err));
    return FB_OK;
}

/* Every attack is searched once and struck with under every hash. */
static enum fb_err attack_group(const struct fb_attack_plan *p, const struct fb_attack_cell *cells,
                                struct fb_attack_scene *scene, struct outcome *o)
{
    struct fb_attack_found found[FB_N_ATTACKS] = {0};
    enum fb_err err = FB_OK;
    for (size_t a = 0; a < p->n_attacks && !err; a++)
        if (!cells[a].why)
            err = fb_attack_find(scene, cells[a].attack, &found[a], &o->why);
    for (size_t i = 0; i < p->n_hashes * p->n_attacks && !err && !fb_interrupted(); i++) {
        o->id = cells[i].id;
        if (cells[i].why)
            fb_skip(o->skipped, cells[i].id, cells[i].why);
        else
            err = strike(p, &cells[i], scene, &found[i % p->n_attacks], o);
    }
    for (size_t a = 0; a < FB_N_ATTACKS; a++)
        fb_attack_found_close(&found[a]);
    return err;
}

static enum fb_err measure_group(const struct job *job, size_t g)
{
    const struct fb_attack_plan *p = job->plan;
    const size_t n = p->n_hashes * p->n_attacks;
    const struct fb_attack_cell *cells = &p->cells[g * n];
    struct outcome *o = &job->outcomes[g];
    struct fb_attack_scene scene = {0};
    enum fb_err err = FB_OK;
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any = any || !cells[i].why;
    if (any)
        err = fb_attack_open(&p->groups[g].spec, &scene, &o->why);
    const bool refused = fb_err_refuses(err);
    if (!err)
        err = attack_group(p, cells, &scene, o);
    for (size_t i = 0; i < n && refused; i++)
        fb_skip(o->skipped, cells[i].id,
                cells[i].why ? cells[i].why
                : o->why     ? o->why
                             : fb_err_text(err));
    fb_attack_close(&scene);
    o->done = (!err || refused) && !fb_interrupted();
    return refused ? FB_OK : err;
}

double fb_attack_piece(void *self, size_t row, double part, const struct fb_piece *how)
{
    struct fb_attack_plan *p = self;
    const size_t n = p->n_hashes * p->n_attacks, g = row / n;
    struct fb_attack_spec *spec = &p->groups[g].spec;
    const struct job job = {.plan = p, .outcomes = calloc(p->n_groups, sizeof *job.outcomes)};
    const struct fb_attack_spec whole = *spec;
    double cells = 0;
    if (!job.outcomes)
        return 0;
    job.outcomes[g].cells = json_array();
    job.outcomes[g].skipped = json_array();
    part = fmin(1, fmax(part, 1000 / (double)spec->n_keys)); /* fewer keys resist a search */
    spec->n_keys = (uint64_t)((double)spec->n_keys * part);
    spec->probes = (uint64_t)((double)spec->probes * part) + 1;
    spec->tries = fb_max_u64((uint64_t)((double)spec->tries * part), 512);
    spec->most = (uint64_t)((double)spec->most * part) + 1;
    spec->insert = (uint64_t)((double)spec->insert * part);
    for (size_t i = 0; i < n; i++)
        cells += !p->cells[g * n + i].why;
    const bool ran = !measure_group(&job, g) && job.outcomes[g].done;
    *spec = whole;
    if (!ran)
        return 0;
    /* Groups run side by side. */
    return cells * part * (double)fb_min_u64(how->n_threads, fb_divide_up(p->n_groups, how->of));
}

/* A group of cells: a step. */
static enum fb_err run_group(void *arg, size_t g)
{
    struct job *job = arg;
    struct fb_journal *journal = job->work->journal;
    const char *step = job->plan->cells[g * job->plan->n_hashes * job->plan->n_attacks].id;
    const json_t *record = fb_journal_find(journal, step);
    struct outcome *o = &job->outcomes[g];
    enum fb_err err = FB_OK;
    o->id = step;
    o->cells = json_array();
    o->skipped = json_array();
    if (record) {
        json_array_extend(o->cells, json_object_get(record, "cells"));
        json_array_extend(o->skipped, json_object_get(record, "skipped"));
    }
    o->done = record || !fb_shard_has(job->work->shard, g);
    if (!o->done) {
        err = measure_group(job, g);
        json_auto_t *found = json_pack("{s:O, s:O}", "cells", o->cells, "skipped", o->skipped);
        if (o->done)
            o->kept = fb_journal_add(journal, step, found);
    }
    fb_progress_add(&job->progress, 1, step);
    return o->kept ? FB_EIO : err;
}

/* The cells of the groups that were done, in their order. */
static void collect(const struct job *job, json_t *document)
{
    for (size_t g = 0; g < job->plan->n_groups && job->outcomes[g].done; g++) {
        json_array_extend(json_object_get(document, "cells"), job->outcomes[g].cells);
        json_array_extend(json_object_get(document, "skipped"), job->outcomes[g].skipped);
    }
}

enum fb_exit fb_attack_run(void *self, const struct fb_run_options *o, struct fb_work *work,
                           json_t *document)
{
    const struct fb_attack_plan *p = self;
    struct job job = {
        .plan = p, .work = work, .outcomes = calloc(p->n_groups + 1, sizeof *job.outcomes)};
    bool complete = false;
    if (!job.outcomes)
        return fb_fail(o->name, FB_ENOMEM, NULL);
    enum fb_exit code = fb_journal_expect(work->journal, fb_shard_count(work->shard, p->n_groups));
    if (code) {
        free(job.outcomes);
        return code;
    }
    fb_progress_start(&job.progress, "run", p->n_groups);
    enum fb_err err =
        fb_parallel_for(p->n_groups, (unsigned)o->threads, run_group, &job, &complete);
    fb_progress_end(&job.progress);
    collect(&job, document);
    for (size_t g = 0; g < p->n_groups && err && !code; g++)
        if (job.outcomes[g].kept)
            code = job.outcomes[g].kept;
        else if (!job.outcomes[g].done && job.outcomes[g].id)
            code = fb_fail(job.outcomes[g].id, err, job.outcomes[g].why);
    for (size_t g = 0; g < p->n_groups; g++) {
        json_decref(job.outcomes[g].cells);
        json_decref(job.outcomes[g].skipped);
    }
    free(job.outcomes);
    if (!code && (!complete || fb_interrupted()))
        return FB_EXIT_INTERRUPTED;
    return fb_work_end(work, code);
}

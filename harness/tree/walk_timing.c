/* Timing walks, the parent's side: jobs, processes, estimates. The measuring process is
 * walk_child.c. */
#include "harness/tree/walk_timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/measure/measure.h"
#include "harness/tree/ask.h"
#include "harness/tree/walk_job.h"

/* ---- Estimates ---- */

static struct fb_interval exp_interval(struct fb_interval x)
{
    return (struct fb_interval){exp(x.low), exp(x.high)};
}

/* Median over the rounds of one process of ln ns, or of its difference to another candidate's. */
static double over_rounds(const double *samples, size_t n, size_t rounds, size_t at, size_t to,
                          double *scratch)
{
    for (size_t r = 0; r < rounds; r++) {
        scratch[r] = log(samples[r * n + at]);
        if (to != at)
            scratch[r] -= log(samples[r * n + to]);
    }
    return fb_median(scratch, rounds);
}

void fb_walks_estimate(const double *samples, size_t n, size_t processes, size_t rounds,
                       const size_t *compared_to, struct fb_walk_estimate *out)
{
    const size_t total = processes * rounds;
    double *scratch = calloc(total + 1, sizeof *scratch), each[FB_PAIRED_MAX];
    for (size_t i = 0; scratch && total && i < n; i++) {
        struct fb_walk_estimate *e = &out[i];
        for (size_t p = 0; p < processes; p++)
            each[p] = over_rounds(samples + p * rounds * n, n, rounds, i, i, scratch);
        e->ns95 = exp_interval(fb_hodges_lehmann(each, processes, 0.95).interval);
        e->ns99 = exp_interval(fb_hodges_lehmann(each, processes, 0.99).interval);
        for (size_t s = 0; s < total; s++)
            scratch[s] = samples[s * n + i];
        e->ns = fb_median(scratch, total);
        e->ns_min = scratch[0];
        for (size_t s = 1; s < total; s++)
            e->ns_min = fmin(e->ns_min, scratch[s]);
        e->ratio = NAN;
        e->ratio95 = e->ratio99 = (struct fb_interval){NAN, NAN};
        if (compared_to[i] == i)
            continue;
        for (size_t p = 0; p < processes; p++)
            each[p] = over_rounds(samples + p * rounds * n, n, rounds, i, compared_to[i], scratch);
        struct fb_paired ratio = fb_hodges_lehmann(each, processes, 0.95);
        e->ratio = exp(ratio.estimate);
        e->ratio95 = exp_interval(ratio.interval);
        e->ratio99 = exp_interval(fb_hodges_lehmann(each, processes, 0.99).interval);
    }
    free(scratch);
}

/* ---- Counts ---- */

enum { COUNTED = 4096 }; /* queries */

/* Filters asked and keys hashed, by the lookup itself, in blocks as they are timed. */
static enum fb_err count_work(const struct fb_walk_candidate *c, struct fb_walk_estimate *out)
{
    const struct fb_tree *tree = c->forest->tree;
    const size_t width = tree->n_runs, n = fb_walk_block(tree);
    struct fb_query *q = calloc(n, sizeof *q);
    const struct fb_filter **filters = calloc(n * width + 1, sizeof *filters);
    uint32_t *holder = calloc(n, sizeof *holder);
    uint64_t *digests = calloc(n * c->forest->digest_words + 1, sizeof *digests);
    uint64_t *maybe = calloc(n * fb_walk_words(width) + 1, sizeof *maybe);
    uint8_t *answers = calloc(n * width + 1, 1);
    struct fb_keyset keys = {0};
    struct fb_walk_work work = {0, 0};
    size_t counted = 0;
    bool room = q && filters && holder && digests && maybe && answers;
    enum fb_err err = room ? FB_OK : FB_ENOMEM;
    for (size_t first = 0; c->lookup && !err && first < COUNTED; first += n, counted += n) {
        err = fb_queries_make(c->queries, first, n, q, &keys);
        for (size_t i = 0; !err && i < n; i++) {
            holder[i] = q[i].holder;
            for (size_t r = 0; r < width; r++)
                filters[i * width + r] = fb_ask_filter(c->forest, r, q[i].index);
        }
        const struct fb_walks walks = {.design = c->forest->design,
                                       .hash = c->forest->hash,
                                       .kernel = c->kernel,
                                       .keys = &keys.keys,
                                       .n = n,
                                       .width = width,
                                       .filters = filters,
                                       .holder = holder,
                                       .digest_words = c->forest->digest_words,
                                       .digests = digests,
                                       .answers = answers};
        if (!err)
            c->lookup->run(&walks, maybe, &work);
    }
    out->asked = counted ? (double)work.asked / (double)counted : 0;
    out->digests = counted ? (double)work.digests / (double)counted : 0;
    out->shared_pages = fb_walk_pages_shared(c->forest);
    fb_keyset_close(&keys);
    free(q);
    free(filters);
    free(holder);
    free(digests);
    free(maybe);
    free(answers);
    return err;
}

/* ---- Running ---- */

struct watch {
    const struct fb_walk_options *options;
    const struct fb_sample *samples;
    const size_t *compared_to;
    size_t n;
    double *ns; /* [max_processes * rounds * n] */
    struct fb_walk_estimate *out;
    double started_s;
};

/* Wall time, or thread time where over a tenth of the batches were repeats. */
static void headline(const struct watch *w, size_t processes)
{
    const size_t total = processes * w->options->rounds * w->n;
    double retries = 0;
    for (size_t s = 0; s < total; s++)
        retries += w->samples[s].retries;
    bool cpu = retries > 0.1 * (2 * (double)total + retries); /* two batches a sample */
    for (size_t s = 0; s < total; s++)
        w->ns[s] = cpu ? w->samples[s].cpu_ns : w->samples[s].wall_ns;
    for (size_t i = 0; i < w->n; i++)
        w->out[i].cpu_clock = cpu;
    fb_walks_estimate(w->ns, w->n, processes, w->options->rounds, w->compared_to, w->out);
}

static double half_width(const struct watch *w)
{
    double width = 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->compared_to[i] != i)
            width = fmax(width, log(w->out[i].ratio95.high / w->out[i].ratio95.low) / 2);
    return width;
}

/* Looks are taken at min_processes, twice and four times that number, as in group_run.c. */
static bool go_on(void *arg, size_t done)
{
    const struct watch *w = arg;
    const struct fb_walk_options *o = w->options;
    double elapsed_s = fb_seconds() - w->started_s;
    if (done < o->min_processes)
        return true;
    headline(w, done);
    bool look =
        done == o->min_processes || done == 2 * o->min_processes || done == 4 * o->min_processes;
    if (look && half_width(w) <= o->precision)
        return false;
    return elapsed_s * (double)(done + 1) / (double)done <= o->budget_s;
}

enum fb_err fb_walks_measure(const struct fb_walk_candidate *candidates, size_t n,
                             const struct fb_walk_options *options, struct fb_walk_estimate *out,
                             double **samples, size_t *processes, bool *complete)
{
    const size_t row = options->rounds * n, most = options->max_processes;
    struct fb_sample *raw = calloc(most * row + 1, sizeof *raw);
    size_t *compared_to = calloc(n + 1, sizeof *compared_to);
    double *ns = calloc(most * row + 1, sizeof *ns);
    struct fb_process_report report = {0};
    enum fb_err err = raw && compared_to && ns ? FB_OK : FB_ENOMEM;
    int job_fd = -1;
    *samples = NULL;
    *processes = 0;
    *complete = false;
    for (size_t i = 0; !err && i < n; i++) {
        memset(&out[i], 0, sizeof out[i]);
        compared_to[i] = candidates[i].compared_to;
        err = count_work(&candidates[i], &out[i]);
    }
    if (!err)
        job_fd = fb_walk_job_make(candidates, n, options, 0, &err);
    if (!err) {
        struct watch watch = {options, raw, compared_to, n, ns, out, fb_seconds()};
        err = fb_processes_run(&fb_walk_child, most, options->seed, job_fd, raw, row * sizeof *raw,
                               go_on, &watch, &report);
        if (!err && report.done)
            headline(&watch, report.done);
    }
    if (job_fd >= 0)
        close(job_fd);
    free(raw);
    free(compared_to);
    if (err) {
        free(ns);
        return err;
    }
    *samples = ns;
    *processes = report.done;
    *complete = !report.interrupted;
    return FB_OK;
}

static bool once(void *arg, size_t done)
{
    (void)arg, (void)done;
    return false;
}

enum fb_err fb_walk_latency(const struct fb_walk_candidate *candidate, uint64_t queries,
                            struct fb_latency *out)
{
    const struct fb_walk_options options = {.rounds = 1, .cpu = -1};
    struct fb_process_report report;
    enum fb_err err;
    memset(out, 0, sizeof *out);
    if (candidate->lookup && candidate->lookup->batched)
        return FB_EUNSUPPORTED;
    int job_fd = fb_walk_job_make(candidate, 1, &options, queries, &err);
    if (err)
        return err;
    err =
        fb_processes_run(&fb_walk_child, 1, queries, job_fd, out, sizeof *out, once, NULL, &report);
    close(job_fd);
    return err;
}

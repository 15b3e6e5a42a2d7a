#include "harness/filter/fpr.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "workloads/core/rng.h"

enum { CHUNK = 512 }; /* keys hashed and asked at a time: key, digest and answer stay in L1 */

struct job {
    const struct fb_fpr_cell *cell;
    uint64_t probes;
    unsigned words;                 /* of digest per key */
    size_t first;                   /* number of the filter that task 0 makes */
    struct fb_fpr_outcome *outcome; /* of the filters of all tasks; says what each is asked */
};

/* ---- The keys of one filter, digested a chunk at a time ---- */

struct source {
    const struct job *job;
    uint64_t stream, base;            /* generated: index of the first present key */
    struct fb_keyset present, absent; /* from a file */
    uint8_t *bytes;                   /* the rest has room for a chunk */
    uint64_t offset[CHUNK + 1], *digests;
    uint8_t maybe[CHUNK];
};

static void source_close(struct source *s)
{
    if (!s)
        return;
    fb_keyset_close(&s->present);
    fb_keyset_close(&s->absent);
    free(s->bytes);
    free(s->digests);
    free(s);
}

static enum fb_err source_open(const struct job *job, size_t j, struct source **out)
{
    const struct fb_fpr_cell *cell = job->cell;
    struct source *s = *out = calloc(1, sizeof *s);
    if (!s)
        return FB_ENOMEM;
    s->job = job;
    s->stream = fb_stream_key(cell->root, FB_DOMAIN_KEYS, j);
    if (cell->keygen && !cell->keygen->uses_stream)
        s->base = j * (cell->n_keys + job->probes);
    s->digests = malloc(CHUNK * job->words * sizeof *s->digests);
    s->bytes = malloc(CHUNK * (cell->keygen ? cell->keygen->max_len : 1));
    if (!s->digests || !s->bytes)
        return FB_ENOMEM;
    if (cell->keygen)
        return FB_OK;
    return fb_keyset_split(cell->file, fb_stream_key(cell->root, FB_DOMAIN_SPLIT, j),
                           (size_t)cell->n_keys, (size_t)job->probes, &s->present, &s->absent);
}

/* Digests of n <= CHUNK keys, from number `at` of the present ones, then the absent ones. */
static enum fb_err digest_chunk(struct source *s, uint64_t at, size_t n, uint64_t *digests)
{
    const struct fb_fpr_cell *cell = s->job->cell;
    struct fb_keys chunk;
    if (cell->keygen) {
        for (size_t i = 0; i < n; i++)
            s->offset[i + 1] =
                s->offset[i] + cell->keygen->write(cell->keygen, s->stream, s->base + at + i,
                                                   s->bytes + s->offset[i]);
        chunk = (struct fb_keys){.bytes = s->bytes, .offset = s->offset};
    } else {
        bool is_present = at < cell->n_keys;
        chunk = is_present ? s->present.keys : s->absent.keys;
        uint64_t skip = is_present ? at : at - cell->n_keys;
        chunk.offset += skip;
        chunk.type = chunk.type ? chunk.type + skip : NULL;
    }
    chunk.n = n;
    return fb_digest_keys(cell->design, cell->hash, s->job->words, &chunk, digests);
}

/* ---- One filter ---- */

/* Builds it and asks for every one of its keys. */
static enum fb_err build(struct source *s, struct fb_filter *filter, struct fb_fpr_outcome *o)
{
    const struct fb_fpr_cell *cell = s->job->cell;
    uint64_t n = cell->n_keys, words = s->job->words;
    if (n > SIZE_MAX / words / 8 - 1)
        return FB_ENOMEM;
    uint64_t *digests = malloc((size_t)(n + 1) * words * sizeof *digests);
    enum fb_err err = digests ? FB_OK : FB_ENOMEM;
    for (uint64_t at = 0; !err && at < n && !fb_interrupted(); at += CHUNK)
        err = digest_chunk(s, at, fb_min_u64(n - at, CHUNK), digests + at * words);
    if (!err && !fb_interrupted())
        err = fb_filter_build_digests(cell->design, cell->hash, &cell->params, digests, (size_t)n,
                                      filter, &o->why);
    /* Building may have moved digests together; whatever lies there is still one of a key. */
    for (uint64_t at = 0; !err && at < n && !fb_interrupted(); at += CHUNK) {
        size_t asked = fb_min_u64(n - at, CHUNK);
        o->false_negatives +=
            asked - filter->kernel->query_batch(filter, digests + at * words, asked, s->maybe);
    }
    free(digests);
    return err;
}

/* The block of the design's native format, if it has one. */
static enum fb_err write_block(const struct fb_filter *filter, struct fb_fpr_outcome *o)
{
    const struct fb_format *native = filter->design->formats;
    if (!native || !native->name)
        return FB_OK;
    o->block_bytes = native->size(filter);
    uint8_t *block = malloc((size_t)o->block_bytes + 1);
    enum fb_err err = block ? fb_filter_write(filter, native, block, &o->why) : FB_ENOMEM;
    if (!err)
        o->block_checksum = fb_xxh64(block, (size_t)o->block_bytes, 0);
    free(block);
    return err;
}

static enum fb_err measure_filter(void *arg, size_t i)
{
    const struct job *job = arg;
    const struct fb_fpr_cell *cell = job->cell;
    struct fb_fpr_outcome *o = &job->outcome[i];
    struct fb_filter filter = {0};
    struct source *s = NULL;
    enum fb_err err = source_open(job, job->first + i, &s);
    if (!err)
        err = build(s, &filter, o);
    o->failed = err == FB_EFULL;
    if (o->failed) {
        o->done = true;
        err = FB_OK;
        goto out;
    }
    if (err || fb_interrupted())
        goto out;
    o->attempts = filter.attempts;
    o->temporary_bytes = filter.temporary_bytes;
    for (uint64_t at = o->first; !err && at < o->end && !fb_interrupted(); at += CHUNK) {
        size_t asked = fb_min_u64(o->end - at, CHUNK);
        err = digest_chunk(s, cell->n_keys + at, asked, s->digests);
        if (!err)
            o->events += filter.kernel->query_batch(&filter, s->digests, asked, s->maybe);
    }
    if (fb_interrupted()) /* some keys may not have been asked */
        goto out;
    o->geom = filter.geom;
    o->n_entries = filter.n_keys;
    o->checksum = fb_xxh64(filter.bytes, (size_t)filter.geom.n_bytes, 0);
    if (!err)
        err = write_block(&filter, o);
    o->done = !err;
out:
    fb_filter_close(&filter);
    source_close(s);
    return err;
}

/* ---- The cell ---- */

static enum fb_err refuse(const char **why, const char *reason)
{
    *why = reason;
    return FB_EINVAL;
}

/* Checks the cell, plans what tasks need to know, and says how many batches may be run. */
static enum fb_err plan(const struct fb_fpr_cell *cell, struct job *job, struct fb_fpr_counts *out,
                        uint64_t *max_batches, const char **why)
{
    job->probes = cell->probes_per_filter;
    if (!cell->keygen && cell->n_keys > cell->file->n)
        return refuse(why, "more keys per filter than the key file has");
    if (!cell->keygen)
        job->probes = fb_min_u64(job->probes, cell->file->n - cell->n_keys);
    if (!job->probes || !cell->filters)
        return refuse(why, "no absent key to ask; give at least one probe, filter and spare key");
    uint64_t batch = 0;
    if (cell->n_keys > FB_MAX_KEYS || __builtin_mul_overflow(cell->filters, job->probes, &batch))
        return refuse(why, "too many keys or probes");
    *max_batches = cell->precision > 0 && cell->max_probes > batch ? cell->max_probes / batch : 1;
    if ((double)*max_batches * (double)cell->filters * (double)(cell->n_keys + job->probes) > 9e18)
        return refuse(why, "too many keys or probes");

    struct fb_params resolved = cell->params;
    struct fb_geometry geom;
    enum fb_err err = fb_params_plan(cell->design, cell->n_keys, &resolved, &geom, why);
    out->derived = fb_params_derived(cell->design, &cell->params);
    job->words = err ? 0 : (unsigned)fb_max_u64(geom.digest_words, 1);
    return err;
}

static bool precise(const struct fb_fpr_cell *cell, const struct fb_fpr_counts *c)
{
    struct fb_fpr_summary s;
    fb_fpr_summarise(cell, c, &s);
    return s.events && (s.t95.high - s.t95.low) / 2 <= cell->precision * s.estimate;
}

enum fb_err fb_fpr_measure(const struct fb_fpr_cell *cell, unsigned n_threads,
                           struct fb_fpr_counts *out, bool *complete, const char **why)
{
    struct job job = {.cell = cell};
    uint64_t max_batches;
    memset(out, 0, sizeof *out);
    *complete = false;
    *why = NULL;
    enum fb_err err = plan(cell, &job, out, &max_batches, why);
    if (!err && !(job.outcome = calloc(cell->filters, sizeof *job.outcome)))
        err = FB_ENOMEM;
    out->probes_each = job.probes;
    out->n_keys = cell->n_keys;
    for (uint64_t batch = 0; !err && batch < max_batches; batch++) {
        if (batch && precise(cell, out))
            break;
        memset(job.outcome, 0, cell->filters * sizeof *job.outcome);
        for (size_t i = 0; i < cell->filters; i++)
            job.outcome[i].end = job.probes;
        job.first = out->filters + (size_t)out->failures;
        err = fb_parallel_for(cell->filters, n_threads, measure_filter, &job, complete);
        for (size_t i = 0; err && !*why && i < cell->filters; i++)
            *why = job.outcome[i].why;
        if (!err)
            err = fb_fpr_add(job.outcome, cell->filters, out);
        if (!*complete)
            break;
        if (!err && !out->filters) {
            err = FB_EFULL;
            *why = cell->design->when_full;
        }
    }
    if (!err && *complete)
        err = fb_fpr_simulate(cell, n_threads, out, complete);
    if (err && !*why)
        *why = fb_err_text(err);
    if (err)
        fb_fpr_counts_close(out);
    free(job.outcome);
    return err;
}

/* ---- A shard of the cell ---- */

/* Of `probes` keys asked of each filter. */
static uint64_t blocks_of_filter(uint64_t probes)
{
    return probes / FB_FPR_BLOCK + (probes % FB_FPR_BLOCK != 0);
}

uint64_t fb_fpr_blocks(const struct fb_fpr_cell *cell)
{
    return cell->filters * blocks_of_filter(cell->probes_per_filter);
}

size_t fb_fpr_lay_out(const struct fb_fpr_cell *cell, uint64_t first, uint64_t end, size_t *filter,
                      struct fb_fpr_outcome *outcome)
{
    const uint64_t each = blocks_of_filter(cell->probes_per_filter);
    size_t n = 0;
    *filter = (size_t)(first / each);
    for (uint64_t at = first; at < end; n++) {
        const uint64_t from = at % each, to = fb_min_u64(from + (end - at), each);
        outcome[n].first = from * FB_FPR_BLOCK;
        outcome[n].end = fb_min_u64(to * FB_FPR_BLOCK, cell->probes_per_filter);
        at += to - from;
    }
    return n;
}

/* The geometry of the cell's filter 0, which its model is of. */
static enum fb_err first_geometry(const struct job *job, struct fb_geometry *geom)
{
    struct fb_fpr_outcome none = {0};
    struct job alone = *job;
    alone.first = 0;
    alone.outcome = &none;
    const enum fb_err err = measure_filter(&alone, 0);
    *geom = none.geom;
    return err;
}

static enum fb_err model_shard(const struct job *job, size_t n, unsigned n_threads, bool *complete)
{
    const struct fb_fpr_cell *cell = job->cell;
    struct fb_geometry geom = {0};
    enum fb_err err = FB_OK;
    if (job->first || job->outcome[0].first)
        err = first_geometry(job, &geom);
    else
        geom = job->outcome[0].geom;
    return err ? err : fb_fpr_model(cell, &geom, job->first, job->outcome, n, n_threads, complete);
}

enum fb_err fb_fpr_measure_blocks(const struct fb_fpr_cell *cell, uint64_t first, uint64_t end,
                                  unsigned n_threads, struct fb_fpr_shard *out, bool *complete,
                                  const char **why)
{
    struct job job = {.cell = cell};
    struct fb_fpr_counts planned = {0};
    uint64_t max_batches;
    memset(out, 0, sizeof *out);
    *complete = false;
    *why = NULL;
    enum fb_err err = plan(cell, &job, &planned, &max_batches, why);
    if (!err && !(out->outcomes = calloc(cell->filters, sizeof *out->outcomes)))
        err = FB_ENOMEM;
    job.outcome = out->outcomes;
    if (!err) {
        out->n = fb_fpr_lay_out(cell, first, end, &out->first_filter, out->outcomes);
        job.first = out->first_filter;
        err = fb_parallel_for(out->n, n_threads, measure_filter, &job, complete);
    }
    for (size_t i = 0; err && !*why && i < out->n; i++)
        *why = out->outcomes[i].why;
    if (!err && *complete && out->n)
        err = model_shard(&job, out->n, n_threads, complete);
    if (err && !*why)
        *why = fb_err_text(err);
    if (err)
        fb_fpr_shard_close(out);
    return err;
}

void fb_fpr_shard_close(struct fb_fpr_shard *shard)
{
    free(shard->outcomes);
    memset(shard, 0, sizeof *shard);
}

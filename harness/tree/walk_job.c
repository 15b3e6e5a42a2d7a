#include "harness/tree/walk_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/parallel.h"

enum {
    CHUNK = 4096,     /* queries made by one task */
    FEWEST = 1 << 14, /* queries of a stream */
    MOST = 1 << 21,
    VISITS = 4096, /* of filters in a block: longer ones would not end before a pre-emption */
};
#define COPIED_BYTES (UINT64_C(256) << 20) /* of a forest: larger ones are shared */
#define STREAM_BYTES (UINT64_C(512) << 20) /* of all together, but no stream below FEWEST */
#define BLOCK_BYTES  (UINT64_C(256) << 10)

/* Queries in a block. */
static size_t block_of(const struct fb_tree *tree)
{
    const size_t width = tree->n_runs;
    const uint64_t each = tree->space->max_len + 1 + width * (sizeof(void *) + 1) + 64;
    uint64_t n = FB_WALK_BLOCK;
    n = n > VISITS / (width ? width : 1) ? VISITS / (width ? width : 1) : n;
    n = n < 64 ? 64 : n;
    n = n > BLOCK_BYTES / each ? BLOCK_BYTES / each : n;
    return n < 16 ? 16 : (size_t)n;
}

bool fb_walk_pages_shared(const struct fb_forest *forest)
{
    return forest->arena_bytes > COPIED_BYTES;
}

/* ---- A file that grows, mapped ---- */

struct writer {
    int fd;
    uint64_t n_bytes;
};

/* Offset of room for n_bytes, on a cache line. */
static uint64_t reserve(struct writer *w, uint64_t n_bytes)
{
    uint64_t at = w->n_bytes;
    w->n_bytes += (n_bytes + FB_CACHE_LINE - 1) / FB_CACHE_LINE * FB_CACHE_LINE;
    return at;
}

static enum fb_err put(struct writer *w, uint64_t at, const void *data, uint64_t n_bytes)
{
    for (const uint8_t *next = data; n_bytes;) {
        ssize_t wrote =
            pwrite(w->fd, next, n_bytes > 1 << 30 ? 1 << 30 : (size_t)n_bytes, (off_t)at);
        if (wrote <= 0)
            return FB_ENOMEM;
        next += wrote;
        at += (uint64_t)wrote;
        n_bytes -= (uint64_t)wrote;
    }
    return FB_OK;
}

static enum fb_err append(struct writer *w, const void *data, uint64_t n_bytes, uint64_t *at)
{
    *at = reserve(w, n_bytes);
    return put(w, *at, data, n_bytes);
}

/* ---- Streams ---- */

/* Enough that the lines they visit do not stay in a cache that the filters exceed: twice as many
 * visits as the forest has lines. */
static size_t stream_length(const struct fb_forest *forest, size_t n_streams)
{
    const size_t width = forest->tree->n_runs;
    uint64_t lines = forest->arena_bytes / FB_CACHE_LINE, n = 2 * lines / (width ? width : 1);
    uint64_t each =
        forest->tree->space->max_len + 1 + 2 * sizeof(uint64_t) + (width + 1) * sizeof(uint32_t);
    const uint64_t room = STREAM_BYTES / n_streams / each;
    n = n > MOST ? MOST : n;
    n = n > room ? room : n;
    n = n < FEWEST ? FEWEST : n;
    return (size_t)(n + CHUNK - 1) / CHUNK * CHUNK;
}

struct making {
    const struct fb_queries *queries;
    size_t n, width;
    struct fb_keyset *keys; /* [n / CHUNK] */
    uint32_t *holder, *place;
    uint64_t *index, *offset;
};

static void locate_all(const struct fb_tree *tree, const struct fb_query *q, uint32_t *place)
{
    for (size_t r = 0; r < tree->n_runs; r++) {
        const struct fb_run *run = &tree->runs[r];
        struct fb_place at;
        place[r] = FB_WALK_NOWHERE;
        if (!run->memtable && fb_run_locate(run, q->index, &at))
            place[r] = (uint32_t)(run->first_unit + at.unit);
    }
}

static enum fb_err make_chunk(void *arg, size_t chunk)
{
    struct making *m = arg;
    struct fb_query *q = calloc(CHUNK, sizeof *q);
    const size_t first = chunk * CHUNK;
    enum fb_err err = q ? fb_queries_make(m->queries, first, CHUNK, q, &m->keys[chunk]) : FB_ENOMEM;
    for (size_t i = 0; !err && i < CHUNK; i++) {
        m->index[first + i] = q[i].index;
        m->holder[first + i] = q[i].holder;
        locate_all(m->queries->tree, &q[i], m->place + (first + i) * m->width);
    }
    free(q);
    return err;
}

/* The keys of all chunks one behind the other, and where each starts. */
static enum fb_err put_keys(struct writer *w, const struct making *m,
                            struct fb_walk_job_stream *out)
{
    enum fb_err err = FB_OK;
    uint64_t n_bytes = 0;
    out->bytes = w->n_bytes;
    for (size_t i = 0; i < m->n && !err; i += CHUNK) {
        const struct fb_keys *keys = &m->keys[i / CHUNK].keys;
        for (size_t k = 0; k < CHUNK; k++)
            m->offset[i + k] = n_bytes + keys->offset[k];
        err = put(w, out->bytes + n_bytes, keys->bytes, keys->offset[CHUNK]);
        n_bytes += keys->offset[CHUNK];
    }
    m->offset[m->n] = n_bytes;
    reserve(w, n_bytes);
    for (size_t i = out->block; i <= m->n; i += out->block) {
        const uint64_t each = m->offset[i] - m->offset[i - out->block];
        out->block_bytes = each > out->block_bytes ? (size_t)each : out->block_bytes;
    }
    return err;
}

static enum fb_err put_runs(struct writer *w, const struct fb_tree *tree, uint64_t *at)
{
    struct fb_walk_job_run *runs = calloc(tree->n_runs + 1, sizeof *runs);
    enum fb_err err = runs ? FB_OK : FB_ENOMEM;
    for (size_t r = 0; !err && r < tree->n_runs; r++) {
        const struct fb_run *run = &tree->runs[r];
        runs[r].low = run->low;
        runs[r].high = run->high;
        runs[r].n_segments = run->memtable ? 0 : run->n_segments;
        err = append(w, run->segment_low, runs[r].n_segments * sizeof *run->segment_low,
                     &runs[r].segment_low);
    }
    if (!err)
        err = append(w, runs, tree->n_runs * sizeof *runs, at);
    free(runs);
    return err;
}

static enum fb_err put_stream(struct writer *w, const struct fb_walk_candidate *c, size_t n_streams,
                              struct fb_walk_job_stream *out)
{
    const struct fb_tree *tree = c->forest->tree;
    const size_t n = stream_length(c->forest, n_streams), width = tree->n_runs;
    struct making m = {.queries = c->queries, .n = n, .width = width};
    bool complete = true;
    enum fb_err err = FB_ENOMEM;
    m.keys = calloc(n / CHUNK, sizeof *m.keys);
    m.holder = calloc(n, sizeof *m.holder);
    m.place = calloc(n * width + 1, sizeof *m.place);
    m.index = calloc(n, sizeof *m.index);
    m.offset = calloc(n + 1, sizeof *m.offset);
    if (m.keys && m.holder && m.place && m.index && m.offset)
        err = fb_parallel_for(n / CHUNK, 0, make_chunk, &m, &complete);
    *out = (struct fb_walk_job_stream){.n_queries = n, .width = width, .block = block_of(tree)};
    if (!err)
        err = put_runs(w, tree, &out->runs);
    if (!err)
        err = put_keys(w, &m, out);
    if (!err)
        err = append(w, m.offset, (n + 1) * sizeof *m.offset, &out->offset);
    if (!err)
        err = append(w, m.index, n * sizeof *m.index, &out->index);
    if (!err)
        err = append(w, m.holder, n * sizeof *m.holder, &out->holder);
    if (!err)
        err = append(w, m.place, n * width * sizeof *m.place, &out->place);
    for (size_t i = 0; m.keys && i < n / CHUNK; i++)
        fb_keyset_close(&m.keys[i]);
    free(m.keys);
    free(m.holder);
    free(m.place);
    free(m.index);
    free(m.offset);
    return err;
}

/* ---- Forests ---- */

static enum fb_err put_forest(struct writer *w, const struct fb_forest *forest,
                              struct fb_walk_job_forest *out)
{
    const size_t n = forest->tree->n_units;
    struct fb_filter *filters = calloc(n + 1, sizeof *filters);
    enum fb_err err = filters ? FB_OK : FB_ENOMEM;
    *out = (struct fb_walk_job_forest){.fd = forest->fd,
                                       .shared = fb_walk_pages_shared(forest),
                                       .arena_bytes = forest->arena_bytes,
                                       .digest_words = forest->digest_words,
                                       .n_filters = n};
    snprintf(out->design, FB_WALK_NAME, "%s", forest->design->name);
    snprintf(out->hash, FB_WALK_NAME, "%s", forest->hash ? forest->hash->name : "");
    if (forest->hash && fb_hash_find(out->hash) != forest->hash)
        err = FB_EUNSUPPORTED;
    for (size_t u = 0; !err && u < n; u++) {
        const struct fb_filter *f = &forest->filters[u];
        uint64_t at = f->geom.n_bytes ? (uint64_t)(f->bytes - forest->arena) : 0;
        filters[u] = *f;
        filters[u].design = NULL;
        filters[u].hash = NULL;
        filters[u].kernel = f->kernel == &fb_kernel_no    ? FB_WALK_NO
                            : f->kernel == &fb_kernel_yes ? FB_WALK_YES
                                                          : NULL;
        memcpy(&filters[u].bytes, &at, sizeof at);
    }
    if (!err)
        err = append(w, filters, n * sizeof *filters, &out->filters);
    free(filters);
    return err;
}

/* ---- The job ---- */

struct parts {
    struct fb_walk_job_candidate *candidates;
    struct fb_walk_job_forest *forests;
    struct fb_walk_job_stream *streams;
};

/* The first candidate with the forest, or the queries, of candidate i. */
static size_t first_of(const struct fb_walk_candidate *c, size_t i, bool forest)
{
    size_t first = 0;
    while (forest ? c[first].forest != c[i].forest : c[first].queries != c[i].queries)
        first++;
    return first;
}

/* Each forest and each stream of queries once; a stream has places in one tree. */
static enum fb_err put_parts(struct writer *w, const struct fb_walk_candidate *c, size_t n,
                             struct fb_walk_job *job, struct parts *p)
{
    enum fb_err err = FB_OK;
    size_t n_streams = 0;
    for (size_t i = 0; i < n; i++)
        n_streams += first_of(c, i, false) == i;
    for (size_t i = 0; !err && i < n; i++) {
        const size_t forest = first_of(c, i, true), stream = first_of(c, i, false);
        p->candidates[i].forest = p->candidates[forest].forest;
        p->candidates[i].stream = p->candidates[stream].stream;
        snprintf(p->candidates[i].lookup, FB_WALK_NAME, "%s", c[i].lookup ? c[i].lookup->name : "");
        if (c[i].queries->tree != c[i].forest->tree)
            err = FB_EINVAL;
        if (!err && forest == i) {
            p->candidates[i].forest = (uint32_t)job->n_forests++;
            err = put_forest(w, c[i].forest, &p->forests[p->candidates[i].forest]);
        }
        if (!err && stream == i) {
            p->candidates[i].stream = (uint32_t)job->n_streams++;
            err = put_stream(w, &c[i], n_streams, &p->streams[p->candidates[i].stream]);
        }
    }
    if (!err)
        err = append(w, p->candidates, n * sizeof *p->candidates, &job->candidates);
    if (!err)
        err = append(w, p->forests, job->n_forests * sizeof *p->forests, &job->forests);
    if (!err)
        err = append(w, p->streams, job->n_streams * sizeof *p->streams, &job->streams);
    return err;
}

int fb_walk_job_make(const struct fb_walk_candidate *candidates, size_t n,
                     const struct fb_walk_job *header, enum fb_err *err)
{
    struct writer w = {.fd = fb_memory_file(NULL, 0)};
    struct fb_walk_job job = {
        .singly = header->singly, .options = header->options, .n_candidates = n};
    struct parts p = {calloc(n + 1, sizeof *p.candidates), calloc(n + 1, sizeof *p.forests),
                      calloc(n + 1, sizeof *p.streams)};
    *err = w.fd >= 0 && p.candidates && p.forests && p.streams ? FB_OK : FB_ENOMEM;
    reserve(&w, sizeof job);
    if (!*err)
        *err = put_parts(&w, candidates, n, &job, &p);
    job.n_bytes = w.n_bytes;
    if (!*err && ftruncate(w.fd, (off_t)w.n_bytes))
        *err = FB_ENOMEM;
    if (!*err)
        *err = put(&w, 0, &job, sizeof job);
    free(p.candidates);
    free(p.forests);
    free(p.streams);
    if (*err && w.fd >= 0)
        close(w.fd);
    return *err ? -1 : w.fd;
}

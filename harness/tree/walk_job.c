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
    enum fb_err err; /* the first one: nothing is written after it */
};

/* Offset of room for n_bytes, on a cache line. */
static uint64_t reserve(struct writer *w, uint64_t n_bytes)
{
    uint64_t at = w->n_bytes;
    w->n_bytes += (n_bytes + FB_CACHE_LINE - 1) / FB_CACHE_LINE * FB_CACHE_LINE;
    return at;
}

static void put(struct writer *w, uint64_t at, const void *data, uint64_t n_bytes)
{
    if (!w->err &&
        (lseek(w->fd, (off_t)at, SEEK_SET) < 0 || !fb_transfer_out(w->fd, data, (size_t)n_bytes)))
        w->err = FB_ENOMEM;
}

/* Its offset. */
static uint64_t append(struct writer *w, const void *data, uint64_t n_bytes)
{
    const uint64_t at = reserve(w, n_bytes);
    put(w, at, data, n_bytes);
    return at;
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
        size_t unit;
        place[r] = FB_WALK_NOWHERE;
        if (!run->memtable && fb_run_unit(run, q->index, &unit))
            place[r] = (uint32_t)(run->first_unit + unit);
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

/* The keys of all chunks one behind the other, and where each starts. Chunks that were not made,
 * once interrupted, have none. */
static void put_keys(struct writer *w, const struct making *m, struct fb_walk_job_stream *out)
{
    uint64_t n_bytes = 0;
    out->bytes = w->n_bytes;
    for (size_t i = 0; i < m->n; i++) {
        const struct fb_keys *keys = &m->keys[i / CHUNK].keys;
        m->offset[i] = n_bytes;
        if (keys->n && i % CHUNK == 0)
            put(w, out->bytes + n_bytes, keys->bytes, keys->offset[CHUNK]);
        n_bytes += keys->n ? fb_key_len(keys, i % CHUNK) : 0;
    }
    m->offset[m->n] = n_bytes;
    reserve(w, n_bytes);
    for (size_t i = out->block; i <= m->n; i += out->block) {
        const uint64_t each = m->offset[i] - m->offset[i - out->block];
        out->block_bytes = each > out->block_bytes ? (size_t)each : out->block_bytes;
    }
}

static uint64_t put_runs(struct writer *w, const struct fb_tree *tree)
{
    struct fb_walk_job_run runs[FB_MAX_RUNS];
    for (size_t r = 0; r < tree->n_runs; r++) {
        const struct fb_run *run = &tree->runs[r];
        const size_t n = run->memtable ? 0 : run->n_segments;
        runs[r] = (struct fb_walk_job_run){
            run->low, run->high, n, append(w, run->segment_low, n * sizeof *run->segment_low)};
    }
    return append(w, runs, tree->n_runs * sizeof *runs);
}

static void put_stream(struct writer *w, const struct fb_walk_candidate *c, size_t n_streams,
                       struct fb_walk_job_stream *out)
{
    const struct fb_tree *tree = c->forest->tree;
    const size_t n = stream_length(c->forest, n_streams), width = tree->n_runs;
    struct making m = {.queries = c->queries, .n = n, .width = width};
    bool complete = true;
    m.keys = calloc(n / CHUNK, sizeof *m.keys);
    m.holder = calloc(n, sizeof *m.holder);
    m.place = calloc(n * width + 1, sizeof *m.place);
    m.index = calloc(n, sizeof *m.index);
    m.offset = calloc(n + 1, sizeof *m.offset);
    bool room = m.keys && m.holder && m.place && m.index && m.offset;
    w->err = room ? fb_parallel_for(n / CHUNK, 0, make_chunk, &m, &complete) : FB_ENOMEM;
    *out = (struct fb_walk_job_stream){.n_queries = n, .width = width, .block = block_of(tree)};
    if (!w->err) {
        out->runs = put_runs(w, tree);
        put_keys(w, &m, out);
        out->offset = append(w, m.offset, (n + 1) * sizeof *m.offset);
        out->index = append(w, m.index, n * sizeof *m.index);
        out->holder = append(w, m.holder, n * sizeof *m.holder);
        out->place = append(w, m.place, n * width * sizeof *m.place);
    }
    for (size_t i = 0; m.keys && i < n / CHUNK; i++)
        fb_keyset_close(&m.keys[i]);
    free(m.keys);
    free(m.holder);
    free(m.place);
    free(m.index);
    free(m.offset);
}

/* ---- Forests ---- */

static void put_forest(struct writer *w, const struct fb_forest *forest,
                       struct fb_walk_job_forest *out)
{
    const size_t n = forest->tree->n_units;
    struct fb_filter *filters = calloc(n + 1, sizeof *filters);
    w->err = filters ? FB_OK : FB_ENOMEM;
    *out = (struct fb_walk_job_forest){.fd = forest->fd,
                                       .shared = fb_walk_pages_shared(forest),
                                       .arena_bytes = forest->arena_bytes,
                                       .digest_words = forest->digest_words,
                                       .n_filters = n};
    snprintf(out->design, FB_WALK_NAME, "%s", forest->design->name);
    snprintf(out->hash, FB_WALK_NAME, "%s", forest->hash ? forest->hash->name : "");
    if (forest->hash && fb_hash_find(out->hash) != forest->hash)
        w->err = FB_EUNSUPPORTED;
    for (size_t u = 0; !w->err && u < n; u++) {
        const struct fb_filter *f = &forest->filters[u];
        uint64_t at = f->geom.n_bytes ? (uint64_t)(f->bytes - forest->arena) : 0;
        filters[u] = *f;
        filters[u].design = NULL;
        filters[u].hash = NULL;
        const enum fb_constant constant = fb_filter_constant(f);
        filters[u].kernel = constant == FB_SAYS_NO    ? FB_WALK_NO
                            : constant == FB_SAYS_YES ? FB_WALK_YES
                                                      : NULL;
        memcpy(&filters[u].bytes, &at, sizeof at);
    }
    out->filters = append(w, filters, n * sizeof *filters);
    free(filters);
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
static void put_parts(struct writer *w, const struct fb_walk_candidate *c, size_t n,
                      struct fb_walk_job *job, struct parts *p)
{
    size_t n_streams = 0;
    for (size_t i = 0; i < n; i++)
        n_streams += first_of(c, i, false) == i;
    for (size_t i = 0; !w->err && i < n; i++) {
        const size_t forest = first_of(c, i, true), stream = first_of(c, i, false);
        p->candidates[i].forest = p->candidates[forest].forest;
        p->candidates[i].stream = p->candidates[stream].stream;
        snprintf(p->candidates[i].lookup, FB_WALK_NAME, "%s", c[i].lookup ? c[i].lookup->name : "");
        if (c[i].queries->tree != c[i].forest->tree)
            w->err = FB_EINVAL;
        if (!w->err && forest == i) {
            p->candidates[i].forest = (uint32_t)job->n_forests++;
            put_forest(w, c[i].forest, &p->forests[p->candidates[i].forest]);
        }
        if (!w->err && stream == i) {
            p->candidates[i].stream = (uint32_t)job->n_streams++;
            put_stream(w, &c[i], n_streams, &p->streams[p->candidates[i].stream]);
        }
    }
    job->candidates = append(w, p->candidates, n * sizeof *p->candidates);
    job->forests = append(w, p->forests, job->n_forests * sizeof *p->forests);
    job->streams = append(w, p->streams, job->n_streams * sizeof *p->streams);
    job->n_bytes = w->n_bytes;
}

int fb_walk_job_make(const struct fb_walk_candidate *candidates, size_t n,
                     const struct fb_walk_job *header, enum fb_err *err)
{
    struct writer w = {.fd = fb_memory_file(NULL, 0)};
    struct fb_walk_job job = {.singly = header->singly,
                              .options = header->options,
                              .tuning = *fb_tuning_now(),
                              .n_candidates = n};
    struct parts p = {calloc(n + 1, sizeof *p.candidates), calloc(n + 1, sizeof *p.forests),
                      calloc(n + 1, sizeof *p.streams)};
    w.err = w.fd >= 0 && p.candidates && p.forests && p.streams ? FB_OK : FB_ENOMEM;
    reserve(&w, sizeof job);
    if (!w.err)
        put_parts(&w, candidates, n, &job, &p);
    put(&w, 0, &job, sizeof job);
    if (!w.err && ftruncate(w.fd, (off_t)job.n_bytes))
        w.err = FB_ENOMEM;
    free(p.candidates);
    free(p.forests);
    free(p.streams);
    if (w.err && w.fd >= 0)
        close(w.fd);
    *err = w.err;
    return w.err ? -1 : w.fd;
}

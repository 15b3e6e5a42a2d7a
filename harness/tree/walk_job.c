#include "harness/tree/walk_job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

size_t fb_walk_block(const struct fb_tree *tree)
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
    uint64_t max_len; /* room for each key */
    uint8_t *bytes;   /* [n * max_len], each key at its own place */
    uint32_t *len, *holder, *place;
    uint64_t *index;
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
    struct fb_keyset keys = {0};
    const size_t first = chunk * CHUNK;
    enum fb_err err = q ? fb_queries_make(m->queries, first, CHUNK, q, &keys) : FB_ENOMEM;
    for (size_t i = 0; !err && i < CHUNK; i++) {
        const size_t len = fb_key_len(&keys.keys, i);
        if (len > m->max_len || keys.keys.type) {
            err = FB_EUNSUPPORTED;
            break;
        }
        memcpy(m->bytes + (first + i) * m->max_len, fb_key_at(&keys.keys, i), len);
        m->len[first + i] = (uint32_t)len;
        m->index[first + i] = q[i].index;
        m->holder[first + i] = q[i].holder;
        locate_all(m->queries->tree, &q[i], m->place + (first + i) * m->width);
    }
    fb_keyset_close(&keys);
    free(q);
    return err;
}

/* Keys of a stream closed up, with their offsets [n + 1]. */
static void close_up(struct making *m, uint64_t *offset)
{
    uint64_t at = 0;
    for (size_t i = 0; i < m->n; i++) {
        memmove(m->bytes + at, m->bytes + i * m->max_len, m->len[i]);
        offset[i] = at;
        at += m->len[i];
    }
    offset[m->n] = at;
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
    struct making m = {.queries = c->queries,
                       .n = n,
                       .width = width,
                       .max_len = tree->space->max_len + 1}; /* "suffix" has one byte more */
    uint64_t *offset = calloc(n + 1, sizeof *offset);
    bool complete = true;
    enum fb_err err = FB_ENOMEM;
    m.bytes = malloc(n * m.max_len);
    m.len = calloc(n, sizeof *m.len);
    m.holder = calloc(n, sizeof *m.holder);
    m.place = calloc(n * width + 1, sizeof *m.place);
    m.index = calloc(n, sizeof *m.index);
    if (m.bytes && m.len && m.holder && m.place && m.index && offset)
        err = fb_parallel_for(n / CHUNK, 0, make_chunk, &m, &complete);
    memset(out, 0, sizeof *out);
    out->n_queries = n;
    out->width = width;
    out->block = fb_walk_block(tree);
    out->block_bytes = out->block * m.max_len;
    if (!err) {
        close_up(&m, offset);
        err = put_runs(w, tree, &out->runs);
    }
    if (!err)
        err = append(w, m.bytes, offset[n], &out->bytes);
    if (!err)
        err = append(w, offset, (n + 1) * sizeof *offset, &out->offset);
    if (!err)
        err = append(w, m.index, n * sizeof *m.index, &out->index);
    if (!err)
        err = append(w, m.holder, n * sizeof *m.holder, &out->holder);
    if (!err)
        err = append(w, m.place, n * width * sizeof *m.place, &out->place);
    free(m.bytes);
    free(m.len);
    free(m.holder);
    free(m.place);
    free(m.index);
    free(offset);
    return err;
}

/* ---- Forests ---- */

static bool design_index(const struct fb_design *design, uint32_t *index)
{
    for (*index = 0; *index < fb_n_designs(); (*index)++)
        if (fb_design_at(*index) == design)
            return true;
    return false;
}

static bool hash_index(const struct fb_hash *hash, int32_t *index)
{
    *index = -1;
    for (size_t i = 0; hash && i < fb_n_hashes(); i++)
        if (fb_hash_at(i) == hash)
            *index = (int32_t)i;
    return !hash || *index >= 0;
}

static enum fb_err put_forest(struct writer *w, const struct fb_forest *forest,
                              struct fb_walk_job_forest *out)
{
    const size_t n = forest->tree->n_units;
    struct fb_filter *filters = calloc(n + 1, sizeof *filters);
    enum fb_err err = filters ? FB_OK : FB_ENOMEM;
    memset(out, 0, sizeof *out);
    if (!design_index(forest->design, &out->design) || !hash_index(forest->hash, &out->hash))
        err = FB_EUNSUPPORTED;
    out->fd = forest->fd;
    out->copied = !fb_walk_pages_shared(forest);
    out->arena_bytes = forest->arena_bytes;
    out->digest_words = forest->digest_words;
    out->n_filters = n;
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

static bool kernel_index(const struct fb_walk_candidate *c, uint32_t *index)
{
    const struct fb_kernel *const *k = c->forest->design->kernels;
    for (*index = 0; k[*index]; (*index)++)
        if (k[*index] == c->kernel)
            return true;
    *index = 0;
    return !c->lookup;
}

static bool lookup_index(const struct fb_lookup *lookup, int32_t *index)
{
    for (*index = 0; lookup && fb_lookups[*index]; (*index)++)
        if (fb_lookups[*index] == lookup)
            return true;
    *index = -1;
    return !lookup;
}

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
        if (c[i].queries->tree != c[i].forest->tree ||
            !kernel_index(&c[i], &p->candidates[i].kernel) ||
            !lookup_index(c[i].lookup, &p->candidates[i].lookup))
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
                     const struct fb_walk_options *options, uint64_t queries, enum fb_err *err)
{
    struct writer w = {.fd = fb_memory_file(NULL, 0)};
    struct fb_walk_job job = {.latency = queries > 0,
                              .queries = queries,
                              .options = *options,
                              .quantum_ns = fb_clock_quality(&fb_system_clock).quantum_ns,
                              .n_candidates = n};
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

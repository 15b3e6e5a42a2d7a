#include "harness/read_path.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/parallel.h"

enum {
    CHUNK = 256,           /* queries made at a time */
    TASK_QUERIES = 1 << 15 /* of a thread at a time */
};
static const uint64_t PARTITION_BYTES = 4096;

/* ---- Files as numbers ---- */

/* Blocks of a file have numbers of their own, four kinds interleaved. */
enum block_kind { DATA, INDEX, FILTER, N_KINDS = 4 };

struct files {
    uint64_t first_block, blocks_each; /* of the run, and room for those of one file */
    const uint64_t *filter_bytes;      /* [n_segments]; NULL: pinned, or the run has none */
};

struct path {
    const struct fb_forest *forest;
    const struct fb_queries *queries;
    const struct fb_read_spec *spec;
    struct files *files;    /* [n_runs], owned */
    uint64_t *filter_bytes; /* [segments of all runs], owned */
    uint64_t entries_per_block;
    uint64_t first; /* of the queries */
    uint64_t n;
    struct fb_block_cache *cache; /* NULL: none */
    struct fb_progress *progress;
    struct fb_read_counts *out;
    pthread_mutex_t lock; /* over out */
};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static void path_close(struct path *p)
{
    fb_block_cache_close(p->cache);
    free(p->files);
    free(p->filter_bytes);
    pthread_mutex_destroy(&p->lock);
}

/* Bytes of filter of each file of a run; the largest. */
static uint64_t sum_filters(const struct fb_forest *forest, const struct fb_run *run,
                            uint64_t *bytes)
{
    const struct fb_filter *f = forest->filters + run->first_unit;
    uint64_t most = 0;
    for (size_t s = 0; s < run->n_segments; s++) {
        for (size_t u = 0; u < run->units_per_segment; u++)
            bytes[s] += f++->geom.n_bytes;
        most = bytes[s] > most ? bytes[s] : most;
    }
    return most;
}

static enum fb_err path_open(struct path *p)
{
    const struct fb_tree *tree = p->forest->tree;
    const struct fb_read_spec *spec = p->spec;
    pthread_mutex_init(&p->lock, NULL);
    if (spec->index == FB_PARTITIONED || !spec->block_bytes || !(spec->entry_bytes > 0) ||
        !(spec->index_entry_bytes >= 0) || p->queries->tree != tree)
        return FB_EINVAL;
    p->entries_per_block = (uint64_t)((double)spec->block_bytes / spec->entry_bytes);
    p->entries_per_block += !p->entries_per_block;
    size_t n_segments = 0;
    for (size_t r = 0; r < tree->n_runs; r++)
        n_segments += tree->runs[r].n_segments;
    p->files = calloc(tree->n_runs + 1, sizeof *p->files);
    p->filter_bytes = calloc(n_segments + 1, sizeof *p->filter_bytes);
    if (!p->files || !p->filter_bytes)
        return FB_ENOMEM;
    uint64_t *bytes = p->filter_bytes, block = 0;
    for (size_t r = 0; r < tree->n_runs; r++) {
        const struct fb_run *run = tree->runs + r;
        struct files *files = p->files + r;
        if (run->memtable)
            continue;
        files->first_block = block;
        files->blocks_each =
            divide_up(divide_up(run->n_keys, run->n_segments), p->entries_per_block);
        if (p->forest->run_filtered[r] && spec->filters != FB_PINNED) {
            uint64_t pieces = divide_up(sum_filters(p->forest, run, bytes), PARTITION_BYTES);
            files->filter_bytes = bytes;
            files->blocks_each = pieces > files->blocks_each ? pieces : files->blocks_each;
            bytes += run->n_segments;
        }
        block += files->blocks_each * run->n_segments;
    }
    return spec->policy != FB_CACHE_NONE && spec->cache_bytes
               ? fb_block_cache_open(spec->policy, spec->cache_bytes, &p->cache)
               : FB_OK;
}

/* ---- One walk ---- */

/* A chunk of queries on their way. */
struct walker {
    const struct path *path;
    struct fb_read_counts counts;
    struct fb_keyset keys;
    uint64_t *digests; /* [CHUNK * words], owned */
    struct fb_query query[CHUNK];
    uint32_t asked[CHUNK], reads[CHUNK], in_vain[CHUNK];
    uint16_t walking[CHUNK]; /* queries whose walk goes on */
};

/* Wants a block of a file; whether the device was read. */
static bool want(struct walker *w, size_t q, const struct files *files, size_t segment,
                 uint64_t number, enum block_kind kind, uint64_t bytes)
{
    const struct path *p = w->path;
    uint64_t block = files->first_block + segment * files->blocks_each + number;
    if (p->cache && fb_block_cache_touch(p->cache, block * N_KINDS + kind, bytes))
        return false;
    w->reads[q]++;
    w->counts.read_bytes += bytes;
    return true;
}

static void want_filter(struct walker *w, size_t q, const struct files *files,
                        const struct fb_place *at)
{
    uint64_t bytes = files->filter_bytes[at->segment], piece = 0;
    if (w->path->spec->filters == FB_PARTITIONED && bytes) {
        piece = (uint64_t)((fb_u128)bytes * at->rank / (at->segment_keys + 1)) / PARTITION_BYTES;
        bytes -= piece * PARTITION_BYTES;
        bytes = bytes > PARTITION_BYTES ? PARTITION_BYTES : bytes;
    }
    w->counts.filter_blocks++;
    w->counts.read_filter += want(w, q, files, at->segment, piece, FILTER, bytes);
}

static void want_index(struct walker *w, size_t q, const struct files *files,
                       const struct fb_place *at)
{
    uint64_t blocks = divide_up(at->segment_keys, w->path->entries_per_block);
    uint64_t bytes = (uint64_t)((double)blocks * w->path->spec->index_entry_bytes);
    w->counts.index_blocks++;
    w->counts.read_index += want(w, q, files, at->segment, 0, INDEX, bytes);
}

static bool want_data(struct walker *w, size_t q, const struct files *files,
                      const struct fb_place *at)
{
    uint64_t rank = at->rank < at->segment_keys ? at->rank : at->segment_keys - 1;
    return want(w, q, files, at->segment, rank / w->path->entries_per_block, DATA,
                w->path->spec->block_bytes);
}

/* The run's file is searched for query q; true: the walk ends here. */
static inline bool search_file(struct walker *w, size_t q, size_t r, bool holds)
{
    const struct path *p = w->path;
    const struct fb_run *run = p->forest->tree->runs + r;
    const struct files *files = p->files + r;
    struct fb_read_counts *c = &w->counts;
    struct fb_place at;
    bool maybe = fb_run_locate(run, w->query[q].index, &at);
    if (maybe) {
        const struct fb_filter *f = p->forest->filters + run->first_unit + at.unit;
        c->run_asked[r]++;
        w->asked[q] += p->forest->run_filtered[r];
        if (files->filter_bytes)
            want_filter(w, q, files, &at);
        maybe = f->kernel->query(f, w->digests + q * p->forest->digest_words);
    } else {
        c->pruned++;
    }
    if (!maybe) {
        if (holds) {
            c->false_negatives++;
            w->query[q].holder = UINT32_MAX;
        }
        return false;
    }
    if (p->spec->index == FB_CACHED)
        want_index(w, q, files, &at);
    bool read = want_data(w, q, files, &at);
    if (!holds) {
        w->in_vain[q]++;
        c->run_false[r]++;
        c->data_false++;
        c->read_false += read;
    } else if (w->query[q].tombstone) {
        c->data_tombstone++;
        c->read_tombstone += read;
    } else {
        c->data_found++;
        c->read_found += read;
    }
    return holds;
}

/* Query q comes to run r; true: the walk ends here. */
static inline bool visit(struct walker *w, size_t q, size_t r)
{
    const bool holds = w->query[q].holder == r;
    w->counts.run_reached[r]++;
    bool ends = holds;
    if (w->path->forest->tree->runs[r].memtable) {
        w->counts.memtable_searches++;
        w->counts.memtable_found += holds;
    } else {
        w->counts.range_checks++;
        ends = search_file(w, q, r, holds);
    }
    w->counts.run_held[r] += ends;
    return ends;
}

/* ---- Chunks of queries ---- */

static void walker_close(struct walker *w)
{
    if (!w)
        return;
    fb_read_counts_close(&w->counts);
    fb_keyset_close(&w->keys);
    free(w->digests);
    free(w);
}

static enum fb_err walker_open(const struct path *p, struct walker **out)
{
    struct walker *w = *out = calloc(1, sizeof *w);
    if (!w)
        return FB_ENOMEM;
    w->path = p;
    w->digests = calloc(CHUNK * (size_t)p->forest->digest_words, sizeof *w->digests);
    enum fb_err err = fb_read_counts_open(p->forest->tree->n_runs, &w->counts);
    return w->digests ? err : FB_ENOMEM;
}

static enum fb_err make_chunk(struct walker *w, uint64_t first, size_t n)
{
    enum fb_err err = fb_queries_make(w->path->queries, first, n, w->query, &w->keys);
    if (!err)
        err = fb_forest_digest(w->path->forest, &w->keys.keys, w->digests);
    for (size_t q = 0; q < n; q++)
        w->asked[q] = w->reads[q] = w->in_vain[q] = 0;
    return err;
}

/* Run by run, the queries that are still walking: their cache misses overlap. */
static void walk_abreast(struct walker *w, size_t n)
{
    const size_t n_runs = w->path->forest->tree->n_runs;
    size_t walking = n;
    for (size_t q = 0; q < n; q++)
        w->walking[q] = (uint16_t)q;
    for (size_t r = 0; r < n_runs && walking; r++) {
        size_t left = 0;
        for (size_t i = 0; i < walking; i++) {
            uint16_t q = w->walking[i];
            w->walking[left] = q;
            left += !visit(w, q, r);
        }
        walking = left;
    }
}

/* In order, as a cache sees them; other work comes by every evict_every queries. */
static void walk_in_order(struct walker *w, uint64_t first, size_t n)
{
    const struct fb_read_spec *spec = w->path->spec;
    const size_t n_runs = w->path->forest->tree->n_runs;
    for (size_t q = 0; q < n; q++) {
        for (size_t r = 0; r < n_runs && !visit(w, q, r); r++)
            ;
        if (spec->evict_every > 0 && (uint64_t)((double)(first + q + 1) / spec->evict_every) >
                                         (uint64_t)((double)(first + q) / spec->evict_every))
            fb_block_cache_evict(w->path->cache, spec->evict_share);
    }
}

static void count_chunk(struct walker *w, const uint32_t *holder, size_t n)
{
    struct fb_read_counts *c = &w->counts;
    const size_t n_runs = w->path->forest->tree->n_runs;
    c->queries += n;
    for (size_t q = 0; q < n; q++) {
        const uint64_t reads = w->reads[q], in_vain = w->in_vain[q];
        if (holder[q] >= n_runs) {
            c->absent++;
            c->any_false += in_vain > 0;
            c->false_squares += in_vain * in_vain;
        } else if (w->query[q].tombstone) {
            c->deleted++;
        } else {
            c->present++;
        }
        c->asked += w->asked[q];
        c->io_squares += reads * reads;
        c->asked_histogram[w->asked[q] < 64 ? w->asked[q] : 64]++;
        c->io_histogram[reads < 64 ? reads : 64]++;
    }
}

/* Queries first .. end - 1 into w->counts, until interrupted. */
static enum fb_err walk(struct walker *w, uint64_t first, uint64_t end)
{
    enum fb_err err = FB_OK;
    for (uint64_t at = first; !err && at < end; at += CHUNK) {
        const size_t n = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
        uint32_t holder[CHUNK]; /* as drawn: a false negative changes that of the query */
        if (w->path->cache && fb_interrupted())
            break;
        err = make_chunk(w, at, n);
        if (err)
            break;
        for (size_t q = 0; q < n; q++)
            holder[q] = w->query[q].holder;
        if (w->path->cache)
            walk_in_order(w, at, n);
        else
            walk_abreast(w, n);
        count_chunk(w, holder, n);
        if (w->path->progress && w->path->cache)
            fb_progress_add(w->path->progress, n, "reading");
    }
    return err;
}

static enum fb_err walk_slice(void *arg, size_t i)
{
    struct path *p = arg;
    struct walker *w;
    const uint64_t first = i * (uint64_t)TASK_QUERIES;
    const uint64_t end = p->n - first < TASK_QUERIES ? p->n : first + TASK_QUERIES;
    enum fb_err err = walker_open(p, &w);
    if (!err)
        err = walk(w, p->first + first, p->first + end);
    if (!err) {
        pthread_mutex_lock(&p->lock);
        err = fb_read_counts_add(p->out, &w->counts);
        pthread_mutex_unlock(&p->lock);
    }
    walker_close(w);
    if (p->progress)
        fb_progress_add(p->progress, end - first, "reading");
    return err;
}

static enum fb_err walk_cached(struct path *p)
{
    struct walker *w;
    enum fb_err err = walker_open(p, &w);
    if (!err)
        err = walk(w, 0, p->first);
    if (!err) {
        fb_read_counts_close(&w->counts);
        err = fb_read_counts_open(p->forest->tree->n_runs, &w->counts);
    }
    if (!err && !fb_interrupted())
        err = walk(w, p->first, p->first + p->n);
    if (!err)
        err = fb_block_cache_error(p->cache);
    if (!err)
        err = fb_read_counts_add(p->out, &w->counts);
    walker_close(w);
    return err;
}

enum fb_err fb_read_path_run(const struct fb_forest *forest, const struct fb_queries *queries,
                             const struct fb_read_spec *spec, uint64_t warm, uint64_t n,
                             unsigned n_threads, struct fb_progress *progress,
                             struct fb_read_counts *out, bool *complete)
{
    struct path p = {.forest = forest,
                     .queries = queries,
                     .spec = spec,
                     .first = warm,
                     .n = n,
                     .progress = progress,
                     .out = out};
    *complete = false;
    enum fb_err err = fb_read_counts_open(forest->tree->n_runs, out);
    if (err)
        return err;
    err = path_open(&p);
    if (!err && p.cache)
        err = walk_cached(&p);
    else if (!err)
        err = fb_parallel_for((size_t)divide_up(n, TASK_QUERIES), n_threads, walk_slice, &p,
                              complete);
    *complete = !err && out->queries == n;
    path_close(&p);
    return err;
}

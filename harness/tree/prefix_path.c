#include "harness/tree/read_path.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"

enum { CHUNK = 256, TASK_SCANS = 1 << 13 };

struct job {
    const struct fb_ask *ask;
    const struct fb_prefix *prefix;
    bool filtered; /* the forest has filters of these prefixes */
    struct fb_scan_counts *out;
    pthread_mutex_t lock; /* over out */
};

struct scan {
    const uint8_t *prefix;
    size_t len;
    bool blind;
    bool exact;         /* a key shorter than its extractor's prefixes: only it has this one */
    uint64_t low, high; /* indices of the keys with the prefix: low .. high - 1 */
    const uint64_t *digest;
    uint64_t in_range, reads, in_vain, pruned;
    bool held;
};

/* ---- From the prefix to places ---- */

/* The first index whose key is not below the prefix, or (beyond) is above all keys with it. */
static uint64_t bound(const struct fb_keyspace *space, const struct scan *scan, bool beyond,
                      uint8_t *key)
{
    uint64_t first = 0, end = space->size;
    while (first < end) {
        const uint64_t middle = first + (end - first) / 2;
        const size_t len = fb_keyspace_write(space, middle, key);
        int order = memcmp(key, scan->prefix, len < scan->len ? len : scan->len);
        bool with = order == 0 && (scan->exact ? len == scan->len : len >= scan->len);
        bool below = order < 0 || (order == 0 && len < scan->len) || (beyond && with);
        if (below)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* ---- Reading ---- */

static void visit_file(const struct fb_filter *f, bool asked, bool has, struct scan *scan,
                       struct fb_scan_counts *c)
{
    const bool maybe = !asked || f->kernel->query(f, scan->digest);
    c->asked += asked;
    c->false_negatives += has && !maybe;
    c->skipped += !maybe;
    c->read_true += has && maybe;
    c->read_false += !has && maybe;
    scan->in_range++;
    scan->reads += maybe;
    scan->in_vain += !has && maybe;
}

static void visit_run(const struct job *job, struct scan *scan, size_t r, struct fb_scan_counts *c)
{
    const struct fb_forest *forest = job->ask->forest;
    const struct fb_run *run = forest->tree->runs + r;
    const uint64_t first = fb_run_rank(run, scan->low), end = fb_run_rank(run, scan->high);
    const bool has = first < end, asked = job->filtered && forest->runs[r].filtered && !scan->blind;
    scan->held |= has;
    if (run->memtable) {
        c->memtable_searches++;
        return;
    }
    c->range_checks++;
    const struct fb_filter *f =
        fb_ask_filter(forest, r, has ? fb_run_member(run, first) : scan->low);
    const struct fb_filter *last = has ? fb_ask_filter(forest, r, fb_run_member(run, end - 1)) : f;
    scan->pruned += !f;
    for (; f && f <= last; f++)
        visit_file(f, asked, has, scan, c);
}

static void scan_tree(const struct job *job, struct scan *scan, struct fb_scan_counts *c)
{
    for (size_t r = 0; r < job->ask->forest->tree->n_runs; r++)
        visit_run(job, scan, r, c);
    c->scans++;
    c->held += scan->held;
    c->blind += scan->blind;
    c->pruned += scan->pruned;
    c->range_squares += scan->in_range * scan->in_range;
    c->range_reads += scan->in_range * scan->reads;
    c->range_false += scan->in_range * scan->in_vain;
    c->reads_false += scan->reads * scan->in_vain;
    c->false_squares += scan->in_vain * scan->in_vain;
    c->pruned_squares += scan->pruned * scan->pruned;
    c->io_squares += scan->reads * scan->reads;
    c->io_histogram[fb_min_u64(scan->reads, FB_READ_BINS - 1)]++;
}

/* ---- Streams ---- */

struct scratch {
    struct fb_query query[CHUNK];
    struct fb_keyset keys;
    uint64_t *digest; /* of one prefix, owned */
    uint8_t *key;     /* of the key space, owned */
    struct fb_scan_counts counts;
};

static enum fb_err scan_chunk(const struct job *job, struct scratch *s, uint64_t first, size_t n)
{
    const struct fb_forest *forest = job->ask->forest;
    const struct fb_keyspace *space = forest->tree->space;
    enum fb_err err = fb_queries_make(job->ask->queries, first, n, s->query, &s->keys);
    for (size_t i = 0; !err && i < n; i++) {
        struct scan scan = {.prefix = fb_key_at(&s->keys.keys, i), .digest = s->digest};
        scan.blind = !fb_prefix_seek(job->prefix, fb_key_len(&s->keys.keys, i), &scan.len);
        scan.exact = !scan.blind && scan.len < job->prefix->len;
        scan.low = bound(space, &scan, false, s->key);
        scan.high = bound(space, &scan, true, s->key);
        err = fb_prefix_digest(forest->design, forest->hash, forest->digest_words, scan.prefix,
                               scan.len, s->digest);
        if (!err)
            scan_tree(job, &scan, &s->counts);
    }
    return err;
}

static enum fb_err scan_slice(void *arg, size_t i)
{
    struct job *job = arg;
    const struct fb_ask *ask = job->ask;
    const uint64_t start = i * (uint64_t)TASK_SCANS, n = fb_min_u64(ask->n - start, TASK_SCANS);
    struct scratch *s = calloc(1, sizeof *s);
    if (!s)
        return FB_ENOMEM;
    s->digest = calloc(ask->forest->digest_words, sizeof *s->digest);
    s->key = malloc(ask->forest->tree->space->max_len + 1);
    enum fb_err err = s->digest && s->key ? FB_OK : FB_ENOMEM;
    for (uint64_t at = 0; !err && at < n; at += CHUNK)
        err = scan_chunk(job, s, ask->first + start + at, fb_min_u64(n - at, CHUNK));
    if (!err) {
        pthread_mutex_lock(&job->lock);
        fb_scan_counts_add(job->out, &s->counts);
        pthread_mutex_unlock(&job->lock);
        if (ask->progress)
            fb_progress_add(ask->progress, n, "scanning");
    }
    fb_keyset_close(&s->keys);
    free(s->digest);
    free(s->key);
    free(s);
    return err;
}

static enum fb_err check(const struct fb_forest *forest, const struct fb_prefix *prefix,
                         const char **why)
{
    const struct fb_prefix *built = &forest->prefix;
    const struct fb_tree *tree = forest->tree;
    *why = NULL;
    if (prefix->kind == FB_PREFIX_NONE) {
        *why = "a scan needs a prefix: fixed:N or capped:N";
        return FB_EINVAL;
    }
    if (built->kind != FB_PREFIX_NONE &&
        (built->kind != prefix->kind || built->len != prefix->len)) {
        *why = "scans take the prefix that the filters were built with";
        return FB_EINVAL;
    }
    if (!tree->space->file && !tree->space->keygen.ordered)
        *why = "prefix scans need keys that sort as they are numbered: a key file or an ordered "
               "format";
    for (size_t r = 0; r < tree->n_runs; r++)
        if (!tree->runs[r].member)
            *why = "prefix scans need a tree whose keys are listed: a smaller one";
    return *why ? FB_EUNSUPPORTED : FB_OK;
}

enum fb_err fb_prefix_path_count(const struct fb_ask *ask, const struct fb_prefix *prefix,
                                 struct fb_scan_counts *out, bool *complete, const char **why)
{
    struct job job = {.ask = ask,
                      .prefix = prefix,
                      .filtered = ask->forest->prefix.kind != FB_PREFIX_NONE,
                      .out = out,
                      .lock = PTHREAD_MUTEX_INITIALIZER};
    memset(out, 0, sizeof *out);
    *complete = false;
    enum fb_err err = check(ask->forest, prefix, why);
    if (!err)
        err = fb_parallel_for(fb_divide_up(ask->n, TASK_SCANS), ask->n_threads, scan_slice, &job,
                              complete);
    pthread_mutex_destroy(&job.lock);
    return err;
}

/* Timing builds, the parent's side. The measuring process is build_child.c. */
#include "harness/tree/build_timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/parallel.h"
#include "harness/tree/build_job.h"

/* A block has so many keys, in no more filters: planning a tiny one takes longer than its keys. */
enum { BLOCK_KEYS = 1 << 14, BLOCK_FILTERS = 256, MOST_PROCESSES = 8 };
#define BATCH_NS 1e6
/* A process starts and ends in about so long. */
#define PROCESS_S 0.01

/* ---- The job ---- */

struct writer {
    int fd;
    uint64_t n_bytes;
    enum fb_err err; /* the first one: nothing is written after it */
};

/* Its offset, on a cache line. */
static uint64_t append(struct writer *w, const void *data, uint64_t n_bytes)
{
    const uint64_t at = w->n_bytes;
    w->n_bytes = fb_round_up(at + n_bytes, FB_CACHE_LINE);
    if (!w->err && (ftruncate(w->fd, (off_t)w->n_bytes) || lseek(w->fd, (off_t)at, SEEK_SET) < 0 ||
                    !fb_transfer_out(w->fd, data, (size_t)n_bytes)))
        w->err = FB_ENOMEM;
    return at;
}

/* n keys that lie evenly over the run, in the order of their indices; with a prefix, in their own.
 */
static enum fb_err keys_of(const struct fb_build_candidate *c, uint64_t n, struct fb_keyset *out)
{
    const struct fb_tree *tree = c->forest->tree;
    const struct fb_run *run = &tree->runs[c->run];
    uint64_t *index = calloc((size_t)n + 1, sizeof *index);
    struct fb_keyset keys;
    size_t n_repeats;
    if (!index)
        return FB_ENOMEM;
    for (uint64_t i = 0; i < n; i++)
        index[i] = run->low + (uint64_t)((fb_u128)(run->high - run->low) * i / n);
    enum fb_err err = fb_keyspace_keys(tree->space, index, (size_t)n, &keys);
    free(index);
    if (err || c->forest->prefix.kind == FB_PREFIX_NONE) {
        *out = keys;
        return err;
    }
    err = fb_keyset_sorted(&keys.keys, out, &n_repeats);
    fb_keyset_close(&keys);
    return err;
}

static struct fb_build_job_candidate row_of(const struct fb_build_candidate *c)
{
    const struct fb_forest *forest = c->forest;
    const struct fb_run *run = &forest->tree->runs[c->run];
    const uint64_t most = fb_max_u64(1, (run->high - run->low) / c->filter_keys);
    struct fb_build_job_candidate row = {
        .prefix = forest->prefix,
        .params = c->params,
        .n_filters =
            fb_min_u64(fb_min_u64(fb_divide_up(BLOCK_KEYS, c->filter_keys), BLOCK_FILTERS), most),
        .filter_keys = c->filter_keys};
    snprintf(row.design, FB_BUILD_NAME, "%s", forest->design->name);
    snprintf(row.hash, FB_BUILD_NAME, "%s", forest->hash ? forest->hash->name : "");
    return row;
}

static void put_keys(struct writer *w, const struct fb_build_candidate *c,
                     struct fb_build_job_candidate *row)
{
    struct fb_keyset keys = {0};
    w->err = keys_of(c, row->n_filters * row->filter_keys, &keys);
    if (!w->err) {
        row->offset = append(w, keys.offset, (keys.keys.n + 1) * sizeof *keys.offset);
        row->bytes = append(w, keys.bytes, keys.offset[keys.keys.n]);
    }
    fb_keyset_close(&keys);
}

static bool same_keys(const struct fb_build_candidate *a, const struct fb_build_candidate *b)
{
    return a->forest->tree == b->forest->tree && a->run == b->run &&
           a->filter_keys == b->filter_keys && a->forest->prefix.kind == b->forest->prefix.kind;
}

/* The file of all candidates, mapped; NULL with *err set. The caller owns *fd, which may be -1. */
static struct fb_build_job *make_job(const struct fb_build_candidate *candidates, size_t n, int *fd,
                                     enum fb_err *err)
{
    struct fb_build_job job = {.tuning = *fb_tuning_now(), .n_candidates = n};
    struct writer w = {.fd = fb_memory_file(NULL, 0)};
    struct fb_build_job_candidate *rows = calloc(n + 1, sizeof *rows);
    void *map = MAP_FAILED;
    w.err = w.fd >= 0 && rows ? FB_OK : FB_ENOMEM;
    w.n_bytes = fb_round_up(sizeof job + n * sizeof *rows, FB_CACHE_LINE);
    for (size_t i = 0; !w.err && i < n; i++) {
        size_t first = 0;
        while (!same_keys(&candidates[first], &candidates[i]))
            first++;
        rows[i] = row_of(&candidates[i]);
        rows[i].offset = rows[first].offset;
        rows[i].bytes = rows[first].bytes;
        if (first == i)
            put_keys(&w, &candidates[i], &rows[i]);
    }
    job.n_bytes = w.n_bytes;
    if (!w.err)
        map = mmap(NULL, (size_t)job.n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, w.fd, 0);
    *err = w.err ? w.err : map == MAP_FAILED ? FB_ENOMEM : FB_OK;
    *fd = w.fd;
    if (!*err) {
        memcpy(map, &job, sizeof job);
        memcpy((struct fb_build_job *)map + 1, rows, n * sizeof *rows);
    }
    free(rows);
    return *err ? NULL : map;
}

/* ---- The trial ---- */

/* Builds all once, and keeps in the job what can be built; returns the seconds that a process will
 * take. */
static double try_all(struct fb_build_job *job, struct fb_build_candidate *candidates, size_t n)
{
    struct fb_build_job_candidate *rows = (void *)(job + 1);
    double seconds = PROCESS_S;
    uint64_t sum = 0;
    job->n_candidates = 0;
    for (size_t i = 0; i < n && !fb_interrupted(); i++) {
        const double started = fb_seconds();
        candidates[i].member = -1;
        if (fb_build_all(job, &rows[i], &sum))
            continue;
        candidates[i].member = (int32_t)job->n_candidates;
        rows[job->n_candidates++] = rows[i];
        seconds += 2 * fmax(fb_seconds() - started, BATCH_NS * 1e-9); /* a round has two batches */
    }
    fb_opaque(sum);
    return seconds;
}

/* ---- Measuring ---- */

/* Without ratios there is no precision to reach: the budget ends it. */
static bool never(void *arg, const struct fb_group *group, size_t part)
{
    (void)arg, (void)group, (void)part;
    return false;
}

enum fb_err fb_builds_measure(struct fb_build_candidate *candidates, size_t n,
                              const struct fb_group_options *options, struct fb_group *out)
{
    struct fb_group_options timed = {.rounds = 1,
                                     .min_processes = 1,
                                     .budget_s = options->budget_s,
                                     .seed = options->seed,
                                     .cpu = options->cpu,
                                     .min_batch_ns = BATCH_NS,
                                     .quantum_ns = fb_clock_quality(&fb_system_clock).quantum_ns};
    enum fb_err err;
    int fd;
    memset(out, 0, sizeof *out);
    struct fb_build_job *job = make_job(candidates, n, &fd, &err);
    if (!err) {
        const double processes = floor(options->budget_s / try_all(job, candidates, n));
        const size_t most = (size_t)fb_min_u64(options->max_processes, MOST_PROCESSES);
        timed.max_processes = (size_t)fmin(fmax(processes, 1), (double)most);
        job->options = timed;
        err = fb_group_open(out, (size_t)job->n_candidates, 1, 1, timed.max_processes);
        munmap(job, (size_t)job->n_bytes);
    }
    if (err || !out->n_members || fb_interrupted()) {
        if (fd >= 0)
            close(fd);
        return err;
    }
    out->parts[0].child = &fb_build_child;
    out->parts[0].job_fd = fd;
    for (size_t i = 0; i < out->n_members; i++)
        out->members[i].to = -1;
    return fb_group_run(out, &timed, &(struct fb_group_watch){.precise = never});
}

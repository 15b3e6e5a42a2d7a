#include "harness/tree/build_timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/exit.h"
#include "harness/base/parallel.h"
#include "harness/filter/plugin.h"
#include "harness/filter/tuning.h"
#include "harness/measure/noise.h"

/* A block has so many keys, in no more filters: planning a tiny one takes longer than its keys. */
enum { BLOCK_KEYS = 1 << 14, BLOCK_FILTERS = 256, MOST_PROCESSES = 8 };
#define BATCH_NS 1e6
/* A process starts and ends in about so long. */
#define PROCESS_S 0.01

/*
 * ---- The job ----
 *
 * What a process that times builds is given: one memory file, header first, arrays behind it at the
 * offsets that the header and the candidates name. Plain data, native layout.
 */

enum { NAME = 40 };

struct job_candidate {
    char design[NAME], hash[NAME]; /* hash "": the design's own */
    struct fb_prefix prefix;
    struct fb_params params;
    uint64_t n_filters, filter_keys;
    uint64_t offset, bytes; /* of u64 [n_filters * filter_keys + 1] and of the keys, in the file */
};

struct job {
    struct fb_group_options options;
    struct fb_tuning tuning; /* in force where the file was made */
    uint64_t n_bytes;        /* of the file */
    uint64_t n_candidates;   /* that follow */
};

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

static struct job_candidate row_of(const struct fb_build_candidate *c)
{
    const struct fb_forest *forest = c->forest;
    const struct fb_run *run = &forest->tree->runs[c->run];
    const uint64_t most = fb_max_u64(1, (run->high - run->low) / c->filter_keys);
    struct job_candidate row = {
        .prefix = forest->prefix,
        .params = c->params,
        .n_filters =
            fb_min_u64(fb_min_u64(fb_divide_up(BLOCK_KEYS, c->filter_keys), BLOCK_FILTERS), most),
        .filter_keys = c->filter_keys};
    snprintf(row.design, NAME, "%s", forest->design->name);
    snprintf(row.hash, NAME, "%s", forest->hash ? forest->hash->name : "");
    return row;
}

static void put_keys(struct writer *w, const struct fb_build_candidate *c,
                     struct job_candidate *row)
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
static struct job *make_job(const struct fb_build_candidate *candidates, size_t n, int *fd,
                            enum fb_err *err)
{
    struct job job = {.tuning = *fb_tuning_now(), .n_candidates = n};
    struct writer w = {.fd = fb_memory_file(NULL, 0)};
    struct job_candidate *rows = calloc(n + 1, sizeof *rows);
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
        memcpy((struct job *)map + 1, rows, n * sizeof *rows);
    }
    free(rows);
    return *err ? NULL : map;
}

/* ---- The process ---- */

/* Builds all filters of a candidate, and closes them; *sum depends on their bits. */
static enum fb_err build_all(const struct job *job, const struct job_candidate *c, uint64_t *sum)
{
    const struct fb_design *design = fb_design_find(c->design);
    const struct fb_hash *hash = fb_hash_find(c->hash);
    const uint8_t *file = (const uint8_t *)job;
    enum fb_err err = design ? FB_OK : FB_EINVAL;
    for (uint64_t i = 0; !err && i < c->n_filters; i++) {
        const struct fb_keys keys = {.bytes = file + c->bytes,
                                     .offset = (const uint64_t *)(const void *)(file + c->offset) +
                                               i * c->filter_keys,
                                     .n = (size_t)c->filter_keys};
        struct fb_filter filter = {0};
        const char *why;
        err = c->prefix.kind == FB_PREFIX_NONE
                  ? fb_filter_build(design, hash, &c->params, &keys, &filter, &why)
                  : fb_prefix_filter(&c->prefix, design, hash, &c->params, &keys, &filter, &why);
        if (!err && filter.geom.n_bytes)
            *sum += filter.bytes[filter.geom.n_bytes / 2];
        fb_filter_close(&filter);
    }
    return err;
}

struct builder {
    const struct job *job;
    const struct job_candidate *candidate;
};

static void prepare(void *self, uint64_t number)
{
    (void)self, (void)number; /* every block is of the same keys, too many to be learnt */
}

static uint64_t run(void *self)
{
    const struct builder *b = self;
    uint64_t sum = 0;
    return build_all(b->job, b->candidate, &sum) ? 0 : sum;
}

static int deliver(const struct job *job, uint64_t placement, int out_fd)
{
    const struct job_candidate *of = (const void *)(job + 1);
    const size_t n = (size_t)job->n_candidates;
    struct fb_candidate *candidates = calloc(n + 1, sizeof *candidates);
    struct builder *builders = calloc(n + 1, sizeof *builders);
    int status = FB_EXIT_IO;
    for (size_t i = 0; candidates && builders && i < n; i++) {
        builders[i] = (struct builder){job, &of[i]};
        candidates[i] =
            (struct fb_candidate){.self = &builders[i],
                                  .ops_per_block = (size_t)(of[i].n_filters * of[i].filter_keys),
                                  .prepare = prepare,
                                  .run = run};
    }
    if (candidates && builders)
        status = fb_group_deliver(&job->options, candidates, n, placement, out_fd);
    free(candidates);
    free(builders);
    return status;
}

static int build_main(int job_fd, int out_fd, uint64_t placement)
{
    struct job header;
    if (!fb_plugins_inherit())
        return FB_EXIT_PLUGIN;
    if (!fb_transfer_in(job_fd, &header, sizeof header) || fb_tuning_use(&header.tuning))
        return FB_EXIT_IO;
    fb_pin(header.options.cpu);
    void *map = mmap(NULL, (size_t)header.n_bytes, PROT_READ, MAP_SHARED, job_fd, 0);
    if (map == MAP_FAILED)
        return FB_EXIT_IO;
    const int status = deliver(map, placement, out_fd);
    munmap(map, (size_t)header.n_bytes);
    return status;
}

const struct fb_child fb_build_child = {"builds", build_main};

/* ---- The trial ---- */

/* Builds all once, and keeps in the job what can be built; returns the seconds that a process will
 * take. */
static double try_all(struct job *job, struct fb_build_candidate *candidates, size_t n)
{
    struct job_candidate *rows = (void *)(job + 1);
    double seconds = PROCESS_S;
    uint64_t sum = 0;
    job->n_candidates = 0;
    for (size_t i = 0; i < n && !fb_interrupted(); i++) {
        const double started = fb_seconds();
        candidates[i].member = -1;
        if (build_all(job, &rows[i], &sum))
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
    struct job *job = make_job(candidates, n, &fd, &err);
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

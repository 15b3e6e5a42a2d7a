#include "harness/tree/read_path.h"

#include <pthread.h>
#include <stdlib.h>

#include "harness/base/parallel.h"
#include "harness/tree/read_walk.h"

enum { TASK_QUERIES = 1 << 15 }; /* of a thread at a time */

const struct fb_word fb_residencies[] = {
    {.name = "pinned"}, {.name = "cached"}, {.name = "partitioned"}, {0}};

/* ---- Planning ---- */

static void plan_close(struct fb_read_plan *p)
{
    fb_block_cache_close(p->cache);
    free(p->files);
    free(p->filter_bytes);
}

/* Bytes of filter of each file of a run; the most that one has. */
static uint64_t sum_filters(const struct fb_forest *forest, const struct fb_run *run,
                            uint64_t *bytes)
{
    const struct fb_filter *f = forest->filters + run->first_unit;
    uint64_t most = 0;
    for (size_t s = 0; s < run->n_segments; s++) {
        for (size_t u = 0; u < run->units_per_segment; u++)
            bytes[s] += f++->geom.n_bytes;
        most = fb_max_u64(most, bytes[s]);
    }
    return most;
}

static void number_blocks(struct fb_read_plan *p)
{
    const struct fb_forest *forest = p->ask->forest;
    const struct fb_tree *tree = forest->tree;
    uint64_t *bytes = p->filter_bytes, block = 0;
    for (size_t r = 0; r < tree->n_runs; r++) {
        const struct fb_run *run = tree->runs + r;
        struct fb_run_files *files = p->files + r;
        uint64_t keys = fb_divide_up(run->n_keys, run->n_segments);
        files->first_block = block;
        files->blocks_each = fb_divide_up(keys, p->entries_per_block);
        if (forest->runs[r].filtered && p->spec->filters != FB_PINNED) {
            uint64_t pieces = fb_divide_up(sum_filters(forest, run, bytes), FB_PARTITION_BYTES);
            files->filter_bytes = bytes;
            files->blocks_each = fb_max_u64(files->blocks_each, pieces);
            bytes += run->n_segments;
        }
        block += files->blocks_each * run->n_segments;
    }
}

static enum fb_err plan_open(struct fb_read_plan *p)
{
    const struct fb_tree *tree = p->ask->forest->tree;
    const struct fb_read_spec *spec = p->spec;
    size_t n_segments = 0;
    if (spec->index == FB_PARTITIONED || !spec->block_bytes || !(spec->entry_bytes > 0) ||
        !(spec->index_entry_bytes >= 0) || p->ask->queries->tree != tree)
        return FB_EINVAL;
    p->kernel = fb_kernel_find(p->ask->forest->design, FB_ISA_NONE);
    p->entries_per_block = (uint64_t)((double)spec->block_bytes / spec->entry_bytes);
    p->entries_per_block += !p->entries_per_block;
    for (size_t r = 0; r < tree->n_runs; r++)
        n_segments += tree->runs[r].n_segments;
    p->files = calloc(tree->n_runs + 1, sizeof *p->files);
    p->filter_bytes = calloc(n_segments + 1, sizeof *p->filter_bytes);
    if (!p->files || !p->filter_bytes)
        return FB_ENOMEM;
    number_blocks(p);
    return spec->policy != FB_CACHE_NONE && spec->cache_bytes
               ? fb_block_cache_open(spec->policy, spec->cache_bytes, &p->cache)
               : FB_OK;
}

/* ---- Running ---- */

struct job {
    struct fb_read_plan plan;
    struct fb_read_counts *out;
    pthread_mutex_t lock; /* over out */
};

/* Queries first .. end - 1, one after another. */
static enum fb_err walk(struct job *job, uint64_t first, uint64_t end, bool counted)
{
    struct fb_progress *progress = job->plan.ask->progress;
    struct fb_read_walk *w;
    enum fb_err err = fb_read_walk_open(&job->plan, &w);
    for (uint64_t at = first; !err && at < end && !fb_interrupted(); at += FB_WALK_CHUNK) {
        const size_t n = fb_min_u64(end - at, FB_WALK_CHUNK);
        err = fb_read_walk_some(w, at, n);
        if (progress)
            fb_progress_add(progress, n * FB_QUERY_UNITS, "reading");
    }
    if (!err && counted) {
        pthread_mutex_lock(&job->lock);
        err = fb_read_walk_counts(w, job->out);
        pthread_mutex_unlock(&job->lock);
    }
    fb_read_walk_close(w);
    return err;
}

static enum fb_err walk_slice(void *arg, size_t i)
{
    struct job *job = arg;
    const struct fb_ask *ask = job->plan.ask;
    const uint64_t first = i * (uint64_t)TASK_QUERIES;
    return walk(job, ask->first + first, ask->first + fb_min_u64(ask->n, first + TASK_QUERIES),
                true);
}

static enum fb_err walk_cached(struct job *job)
{
    const struct fb_ask *ask = job->plan.ask;
    enum fb_err err = walk(job, 0, ask->first, false);
    if (!err)
        err = walk(job, ask->first, ask->first + ask->n, true);
    return err ? err : fb_block_cache_error(job->plan.cache);
}

enum fb_err fb_read_path_count(const struct fb_ask *ask, const struct fb_read_spec *spec,
                               struct fb_read_counts *out, bool *complete)
{
    struct job job = {
        .plan = {.ask = ask, .spec = spec}, .out = out, .lock = PTHREAD_MUTEX_INITIALIZER};
    *complete = false;
    enum fb_err err = fb_read_counts_open(ask->forest->tree->n_runs, out);
    if (!err)
        err = plan_open(&job.plan);
    if (!err && job.plan.cache)
        err = walk_cached(&job);
    else if (!err)
        err = fb_parallel_for(fb_divide_up(ask->n, TASK_QUERIES), ask->n_threads, walk_slice, &job,
                              complete);
    *complete = !err && out->queries == ask->n;
    pthread_mutex_destroy(&job.lock);
    plan_close(&job.plan);
    return err;
}

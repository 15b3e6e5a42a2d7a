#include "harness/tree/read_path.h"

#include <pthread.h>
#include <stdlib.h>

#include "harness/base/parallel.h"
#include "harness/tree/read_walk.h"

enum { TASK_QUERIES = 1 << 15 }; /* of a thread at a time */

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

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
        most = bytes[s] > most ? bytes[s] : most;
    }
    return most;
}

static void number_blocks(struct fb_read_plan *p)
{
    const struct fb_tree *tree = p->forest->tree;
    uint64_t *bytes = p->filter_bytes, block = 0;
    for (size_t r = 0; r < tree->n_runs; r++) {
        const struct fb_run *run = tree->runs + r;
        struct fb_run_files *files = p->files + r;
        uint64_t keys = divide_up(run->n_keys, run->n_segments);
        files->first_block = block;
        files->blocks_each = divide_up(keys, p->entries_per_block);
        if (p->forest->run_filtered[r] && p->spec->filters != FB_PINNED) {
            uint64_t pieces = divide_up(sum_filters(p->forest, run, bytes), FB_PARTITION_BYTES);
            files->filter_bytes = bytes;
            files->blocks_each = pieces > files->blocks_each ? pieces : files->blocks_each;
            bytes += run->n_segments;
        }
        block += files->blocks_each * run->n_segments;
    }
}

static enum fb_err plan_open(struct fb_read_plan *p)
{
    const struct fb_tree *tree = p->forest->tree;
    const struct fb_read_spec *spec = p->spec;
    size_t n_segments = 0;
    if (spec->index == FB_PARTITIONED || !spec->block_bytes || !(spec->entry_bytes > 0) ||
        !(spec->index_entry_bytes >= 0) || p->queries->tree != tree)
        return FB_EINVAL;
    p->kernel = fb_kernel_find(p->forest->design, FB_ISA_NONE);
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
    uint64_t first, n; /* of the queries that count */
    struct fb_progress *progress;
    struct fb_read_counts *out;
    pthread_mutex_t lock; /* over out */
};

/* Queries first .. end - 1, one after another; stops between chunks if `stop` is true of them. */
static enum fb_err run_some(struct job *job, struct fb_walker *w, uint64_t first, uint64_t end,
                            bool (*stop)(void))
{
    enum fb_err err = FB_OK;
    for (uint64_t at = first; !err && at < end && !(stop && stop()); at += FB_WALK_CHUNK) {
        const size_t n = end - at < FB_WALK_CHUNK ? (size_t)(end - at) : FB_WALK_CHUNK;
        err = fb_walker_run(w, at, n);
        if (job->progress)
            fb_progress_add(job->progress, n, "reading");
    }
    return err;
}

static enum fb_err run_slice(void *arg, size_t i)
{
    struct job *job = arg;
    struct fb_walker *w;
    const uint64_t first = i * (uint64_t)TASK_QUERIES;
    const uint64_t end = job->n - first < TASK_QUERIES ? job->n : first + TASK_QUERIES;
    enum fb_err err = fb_walker_open(&job->plan, &w);
    if (!err)
        err = run_some(job, w, job->first + first, job->first + end, NULL);
    if (!err) {
        pthread_mutex_lock(&job->lock);
        err = fb_walker_flush(w, job->out);
        pthread_mutex_unlock(&job->lock);
    }
    fb_walker_close(w);
    return err;
}

static enum fb_err run_cached(struct job *job)
{
    struct fb_walker *w;
    struct fb_read_counts warming = {0};
    enum fb_err err = fb_walker_open(&job->plan, &w);
    if (!err)
        err = run_some(job, w, 0, job->first, fb_interrupted);
    if (!err)
        err = fb_walker_flush(w, &warming);
    if (!err)
        err = run_some(job, w, job->first, job->first + job->n, fb_interrupted);
    if (!err)
        err = fb_block_cache_error(job->plan.cache);
    if (!err)
        err = fb_walker_flush(w, job->out);
    fb_read_counts_close(&warming);
    fb_walker_close(w);
    return err;
}

enum fb_err fb_read_path_run(const struct fb_forest *forest, const struct fb_queries *queries,
                             const struct fb_read_spec *spec, uint64_t warm, uint64_t n,
                             unsigned n_threads, struct fb_progress *progress,
                             struct fb_read_counts *out, bool *complete)
{
    struct job job = {.plan = {.forest = forest, .queries = queries, .spec = spec},
                      .first = warm,
                      .n = n,
                      .progress = progress,
                      .out = out};
    *complete = false;
    enum fb_err err = fb_read_counts_open(forest->tree->n_runs, out);
    if (!err)
        err = plan_open(&job.plan);
    pthread_mutex_init(&job.lock, NULL);
    if (!err && job.plan.cache)
        err = run_cached(&job);
    else if (!err)
        err = fb_parallel_for((size_t)divide_up(n, TASK_QUERIES), n_threads, run_slice, &job,
                              complete);
    *complete = !err && out->queries == n;
    pthread_mutex_destroy(&job.lock);
    plan_close(&job.plan);
    return err;
}

/* The measuring process: maps the filters of a footprint at random offsets and measures its cells.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/base/exit.h"
#include "harness/filter/plugin.h"
#include "harness/filter/timed.h"
#include "harness/filter/tuning.h"
#include "harness/measure/noise.h"
#include "harness/measure/placement.h"
#include "workloads/core/rng.h"

/* What a process was given, and has made of it. */
struct work {
    struct fb_timing_task task;
    struct fb_timing_cell *cells;     /* [n_cells] */
    struct fb_timing_filter *filters; /* [n_filters] */
    struct fb_placed *bits;           /* [n_filters]; those of other footprints have no map */
    struct fb_timed *timed;           /* [n_cells] */
    struct fb_candidate *candidates;  /* [n_cells] */
    uint64_t *digests;
    uint8_t *maybe;
};

static bool fill_bits(const struct fb_timing_filter *spec, const struct fb_placed *bits)
{
    const size_t bytes = (size_t)fb_timing_bytes(spec), runs = spec->runs ? spec->runs : 1;
    const size_t kept = spec->synthetic_fill && bytes > FB_FILL_TILE ? FB_FILL_TILE : bytes;
    const size_t each = bytes / runs;
    if (!fb_placed_read(bits, spec->fd, kept))
        return false;
    for (size_t done = kept, some; done < bytes; done += some) {
        const size_t run = done / each, end = (run + 1) * each; /* of the filter at hand */
        const size_t from = (done - run * each + run * (kept / runs)) % kept;
        some = fb_min_u64(fb_min_u64(end, bytes) - done, kept - from);
        memcpy(bits->at + done, bits->at + from, some);
    }
    return true;
}

/* The filters that the cells ask, each a copy of its own for each process. Nor do filters of random
 * bits share them: whoever asks the same memory more often finds more of it in the last-level
 * cache. */
static bool place_all(const struct work *w, uint64_t placement)
{
    const size_t n = w->task.n_filters;
    for (size_t i = 0; i < w->task.n_cells; i++) {
        const uint32_t filter = w->cells[i].filter;
        if (!w->bits[filter].map &&
            !fb_placed_map(&w->bits[filter], fb_timing_bytes(&w->filters[filter]),
                           fb_stream_word(placement, ~(uint64_t)filter),
                           w->task.options.huge_pages))
            return false;
    }
    fb_placed_populate(w->bits, n);
    for (size_t i = 0; i < n; i++)
        if (w->bits[i].map && !fill_bits(&w->filters[i], &w->bits[i]))
            return false;
    return true;
}

/* ---- Measuring ---- */

static size_t bytes_each(const struct fb_timing_task *task)
{
    switch ((enum fb_timing_purpose)task->purpose) {
    case FB_TIME_COUNTERS:
        return sizeof(struct fb_counters);
    case FB_TIME_LATENCY:
        return sizeof(struct fb_latency);
    case FB_TIME_SCALING:
        return task->options.n_threads * FB_SCALING_ROUNDS * sizeof(double);
    case FB_TIME_ICOUNT:
        return sizeof(uint64_t);
    case FB_TIME_MIXED:
        return sizeof(struct fb_mixed_counts);
    case FB_TIME_SAMPLES:
        break;
    }
    return 0;
}

static int measure_extras(const struct work *w, int out_fd)
{
    const struct fb_timing_task *task = &w->task;
    const size_t each = bytes_each(task);
    uint8_t *out = calloc(task->n_cells, each);
    enum fb_err err = out ? FB_OK : FB_ENOMEM;
    int fd[FB_N_COUNTERS];
    char why[80];
    uint64_t block = 0;
    bool counts = task->purpose == FB_TIME_COUNTERS;
    bool counted = counts && fb_counters_open(fd, why, sizeof why);
    for (size_t i = 0; i < task->n_cells && !err; i++) {
        void *to = out + i * each;
        if (counted)
            fb_timed_count(&w->candidates[i], &block, fd, to);
        else if (task->purpose == FB_TIME_LATENCY)
            fb_timed_latency(&w->candidates[i], &block, to);
        else if (task->purpose == FB_TIME_ICOUNT)
            fb_timed_icount(&w->candidates[i], i, to);
        else if (task->purpose == FB_TIME_MIXED)
            fb_timed_mixed(&w->candidates[i], to);
        else if (task->purpose == FB_TIME_SCALING)
            err = fb_timed_scaling(&w->candidates[i], &task->options, to);
    }
    if (counts)
        fb_counters_close(fd);
    bool delivered = !err && fb_transfer_out(out_fd, out, task->n_cells * each);
    free(out);
    return delivered ? FB_EXIT_OK : FB_EXIT_IO;
}

static bool read_work(int job_fd, struct work *w)
{
    const struct fb_timing_task *task = &w->task;
    if (!fb_transfer_in(job_fd, &w->task, sizeof w->task))
        return false;
    w->cells = calloc(task->n_cells + 1, sizeof *w->cells);
    w->filters = calloc(task->n_filters + 1, sizeof *w->filters);
    w->bits = calloc(task->n_filters + 1, sizeof *w->bits);
    w->timed = calloc(task->n_cells + 1, sizeof *w->timed);
    w->candidates = calloc(task->n_cells + 1, sizeof *w->candidates);
    w->maybe = fb_alloc_lines(FB_DIGEST_WORDS);
    if (!w->cells || !w->filters || !w->bits || !w->timed || !w->candidates || !w->maybe ||
        !fb_transfer_in(job_fd, w->cells, task->n_cells * sizeof *w->cells) ||
        !fb_transfer_in(job_fd, w->filters, task->n_filters * sizeof *w->filters))
        return false;
    size_t words = FB_DIGEST_WORDS;
    for (size_t i = 0; i < task->n_cells; i++)
        words = fb_max_u64(words, fb_timed_words(&w->cells[i]));
    w->digests = fb_alloc_lines(words * sizeof *w->digests);
    return w->digests;
}

static void close_work(struct work *w)
{
    for (size_t i = 0; w->bits && i < w->task.n_filters; i++)
        fb_placed_close(&w->bits[i]);
    for (size_t i = 0; w->timed && i < w->task.n_cells; i++)
        fb_timed_close(&w->timed[i]);
    free(w->cells);
    free(w->filters);
    free(w->bits);
    free(w->timed);
    free(w->candidates);
    free(w->digests);
    free(w->maybe);
}

static int timing_main(int job_fd, int out_fd, uint64_t placement)
{
    struct work w = {0};
    const struct fb_group_options *options = &w.task.options.group;
    int status = FB_EXIT_IO;
    if (!fb_plugins_inherit())
        return FB_EXIT_PLUGIN;
    if (!read_work(job_fd, &w) || fb_tuning_use(&w.task.tuning))
        goto out;
    if (w.task.purpose != FB_TIME_SCALING) /* its threads have a processor each */
        fb_pin(options->cpu);
    if (!place_all(&w, placement))
        goto out;
    /* Where malloc puts what a cell needs depends on what was made before, and alike in each
     * process. So of a pair either is made first. */
    const size_t swapped = options->set == 2 ? placement >> 40 & 1 : 0;
    for (size_t made = 0; made < w.task.n_cells; made++) {
        const size_t i = made ^ swapped;
        const uint32_t filter = w.cells[i].filter;
        w.timed[made] =
            fb_timed_make(&w.cells[i], &w.filters[filter], w.bits[filter].at, w.digests, w.maybe);
        w.candidates[i] = fb_timed_candidate(&w.timed[made]);
        if (w.timed[made].short_of_memory)
            goto out;
    }
    status = w.task.purpose == FB_TIME_SAMPLES
                 ? fb_group_deliver(options, w.candidates, w.task.n_cells, placement, out_fd)
                 : measure_extras(&w, out_fd);
out:
    close_work(&w);
    return status;
}

const struct fb_child fb_timing_child = {"timing", timing_main};

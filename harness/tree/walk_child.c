/* The process that times walks: takes blocks of queries from the job's streams and measures all
 * candidates in the same rounds. */
#define _GNU_SOURCE /* sched_setaffinity */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/exit.h"
#include "harness/measure/measure.h"
#include "harness/tree/walk_scene.h"

/* ---- The timed part ---- */

/* The segment that an engine finds among the lowest keys of a run's. */
static uint64_t segment_of(const uint64_t *low, uint64_t n, uint64_t index)
{
    uint64_t at = 0;
    while (n > 1) {
        uint64_t half = n / 2;
        at += low[at + half] <= index ? half : 0;
        n -= half;
    }
    return at;
}

/* The filter of each run for queries first .. first + n - 1 of the block. Which unit it is has been
 * found before; the search that an engine makes for it is made here, and waited for. */
static void select_filters(const struct fb_walker *w, size_t first, size_t n)
{
    const struct fb_walk_block *b = w->block;
    const size_t width = w->stream->width;
    for (size_t i = first; i < first + n; i++) {
        const uint64_t index = b->index[i];
        for (size_t r = 0; r < width; r++) {
            const struct fb_walk_job_run *run = &w->runs[r];
            uint64_t unit = b->place[i * width + r], segment = 0;
            if (index >= run->low && index < run->high && run->n_segments > 1)
                segment = segment_of((const uint64_t *)(const void *)(w->job + run->segment_low),
                                     run->n_segments, index);
            unit += fb_opaque(segment) ^ segment;
            b->filters[i * width + r] = unit == FB_WALK_NOWHERE ? NULL : w->forest->filters + unit;
        }
    }
}

static uint64_t run_block(void *self)
{
    struct fb_walker *w = self;
    struct fb_walk_block *b = w->block;
    select_filters(w, 0, b->n);
    if (w->lookup)
        w->lookup->run(&w->walks, b->maybe, NULL);
    else
        memset(b->maybe, 0, b->n * fb_walk_words(w->stream->width) * sizeof *b->maybe);
    return b->maybe[0] + (uint64_t)(uintptr_t)b->filters[0];
}

/* ---- Outside the clock ---- */

static void prepare(void *self, uint64_t number)
{
    fb_walk_prepare(self, number);
}

/* Brings back what the other candidates pushed out of the caches: small forests line by line, large
 * ones by half a millisecond of the work itself. */
static void warm(void *self)
{
    enum { SMALL_BYTES = 16 << 20, WARM_NS = 500000 };
    const struct fb_clock *clock = &fb_system_clock;
    struct fb_walker *w = self;
    uint64_t sum = 0, end = clock->wall_ns(clock->self) + WARM_NS;
    if (w->forest->spec->arena_bytes <= SMALL_BYTES)
        for (uint64_t at = 0; at < w->forest->spec->arena_bytes; at += FB_CACHE_LINE)
            sum += w->forest->arena[at];
    do {
        prepare(w, (UINT64_C(1) << 48) + w->warmed++); /* far from the measured blocks */
        sum += run_block(w);
    } while (clock->wall_ns(clock->self) < end);
    fb_opaque(sum);
}

/* ---- Single walks ---- */

static uint64_t now(void)
{
    return fb_system_clock.wall_ns(fb_system_clock.self);
}

static uint64_t one_walk(struct fb_walker *w, size_t i)
{
    struct fb_walk_block *b = w->block;
    struct fb_walks one = w->walks;
    select_filters(w, i, 1);
    one.first = i;
    one.n = 1;
    one.filters = w->walks.filters + i * one.width;
    one.holder = b->holder + i;
    if (w->lookup)
        w->lookup->run(&one, b->maybe, NULL);
    return b->maybe[0];
}

static void singles(struct fb_walker *w, uint64_t queries, struct fb_latency *out)
{
    uint64_t took[FB_WALK_BLOCK], idle[FB_WALK_BLOCK], sink = 0;
    memset(out, 0, sizeof *out);
    warm(w);
    for (uint64_t done = 0, number = 0; done < queries; number++) {
        prepare(w, number);
        const size_t n = queries - done < w->block->n ? (size_t)(queries - done) : w->block->n;
        for (size_t i = 0; i < n; i++) {
            uint64_t t0 = now(), t1 = now();
            sink ^= one_walk(w, i);
            uint64_t t2 = now();
            idle[i] = t1 - t0;
            took[i] = t2 - t1;
        }
        for (size_t i = 0; i < n; i++) {
            fb_histogram_add(&out->kind[FB_TIMER_EMPTY], idle[i] * 1000, 1);
            fb_histogram_add(&out->kind[FB_SINGLE_OP_GROSS], took[i] * 1000, 1);
        }
        done += n;
    }
    fb_opaque(sink);
}

/* ---- Measuring ---- */

/* The holder of a key says yes. */
static bool holders_found(const struct fb_walker *w)
{
    const struct fb_walk_block *b = w->block;
    const size_t width = w->stream->width, words = fb_walk_words(width);
    for (size_t i = 0; i < b->n; i++) {
        const size_t r = b->holder[i];
        bool asked = r < width && b->filters[i * width + r];
        if (asked && !(b->maybe[i * words + r / 64] >> r % 64 & 1))
            return false;
    }
    return true;
}

/* Before anything is timed: the filters that were moved here answer, and all lookups of the same
 * walks alike. */
static bool answers_agree(struct fb_walk_scene *scene, size_t n)
{
    uint64_t *sum = calloc(n + 1, sizeof *sum);
    bool agree = sum;
    for (size_t i = 0; agree && i < n; i++) {
        struct fb_walker *w = &scene->walkers[i];
        if (!w->lookup)
            continue;
        prepare(w, UINT64_C(1) << 49); /* the same for all */
        run_block(w);
        sum[i] = fb_xxh64(w->block->maybe,
                          w->block->n * fb_walk_words(w->stream->width) * sizeof(uint64_t), 0);
        agree = holders_found(w) || w->walks.design->traits & FB_FALSE_NEGATIVES;
        for (size_t j = 0; j < i; j++) {
            const struct fb_walker *other = &scene->walkers[j];
            if (other->lookup && other->forest == w->forest && other->stream == w->stream)
                agree = agree && sum[j] == sum[i];
        }
    }
    free(sum);
    return agree;
}

static void pin(int cpu)
{
#ifdef CPU_SET
    if (cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
#else
    (void)cpu;
#endif
}

static int measure(const struct fb_walk_job *job, uint64_t placement, struct fb_walk_scene *scene,
                   int out_fd)
{
    const size_t bytes = job->latency
                             ? sizeof(struct fb_latency)
                             : job->options.rounds * job->n_candidates * sizeof(struct fb_sample);
    const struct fb_measure_options options = {.rounds = job->options.rounds,
                                               .seed = placement,
                                               .min_batch_ns = 1e6,
                                               .quantum_ns = job->quantum_ns,
                                               .max_retries = 3,
                                               .gap_ns = 1e4};
    uint64_t sink = 0;
    void *out = calloc(1, bytes);
    struct fb_candidate *candidates = calloc(job->n_candidates + 1, sizeof *candidates);
    if (!out || !candidates) {
        free(out);
        free(candidates);
        return FB_EXIT_IO;
    }
    for (size_t i = 0; i < job->n_candidates; i++) {
        struct fb_walker *w = &scene->walkers[i];
        candidates[i] = (struct fb_candidate){.self = w,
                                              .ops_per_block = w->stream->block,
                                              .warm = warm,
                                              .prepare = prepare,
                                              .run = run_block};
    }
    if (job->latency)
        singles(&scene->walkers[0], job->queries, out);
    else
        fb_measure(&fb_system_clock, candidates, job->n_candidates, &options, out, &sink);
    fb_opaque(sink);
    bool delivered = fb_transfer_out(out_fd, out, bytes);
    free(out);
    free(candidates);
    return delivered ? FB_EXIT_OK : FB_EXIT_IO;
}

static int walk_main(int job_fd, int out_fd, uint64_t placement)
{
    struct fb_walk_job header;
    struct fb_walk_scene scene = {0};
    if (pread(job_fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        return FB_EXIT_IO;
    void *map = mmap(NULL, (size_t)header.n_bytes, PROT_READ, MAP_SHARED, job_fd, 0);
    if (map == MAP_FAILED)
        return FB_EXIT_IO;
    pin(header.options.cpu);
    int status = FB_EXIT_IO;
    if (fb_walk_scene_make(map, placement, &scene))
        status = answers_agree(&scene, header.n_candidates)
                     ? measure(map, placement, &scene, out_fd)
                     : FB_EXIT_CORRECTNESS;
    fb_walk_scene_close(&header, &scene);
    munmap(map, (size_t)header.n_bytes);
    return status;
}

const struct fb_child fb_walk_child = {"walks", walk_main};

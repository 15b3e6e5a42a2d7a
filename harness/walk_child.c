/* The process that times walks: places the filters anew, takes blocks of queries from the job's
 * streams and measures all candidates in the same rounds. */
#define _GNU_SOURCE /* sched_setaffinity, MADV_POPULATE_WRITE */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/exit.h"
#include "harness/measure.h"
#include "harness/walk_job.h"
#include "workloads/core/rng.h"

struct forest {
    const struct fb_walk_job_forest *spec;
    struct fb_filter *filters; /* [n_filters] */
    void *map;
    size_t map_bytes;
    const uint8_t *arena;
};

/* One block of queries and what its walks need; used by all candidates in turn. */
struct block {
    size_t n;
    uint8_t *bytes, *answers;
    uint64_t *offset, *index, *digests, *maybe;
    uint32_t *holder, *place;
    const struct fb_filter **filters;
};

struct walker {
    const struct fb_walk_job_stream *stream;
    const struct forest *forest;
    const struct fb_lookup *lookup; /* NULL: the control */
    const uint8_t *job;             /* the mapped file */
    const struct fb_walk_job_run *runs;
    struct block *block;
    struct fb_walks walks;
    uint64_t first_block, warmed;
};

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
static void select_filters(const struct walker *w, size_t first, size_t n)
{
    const struct block *b = w->block;
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
    struct walker *w = self;
    struct block *b = w->block;
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
    struct walker *w = self;
    const struct fb_walk_job_stream *s = w->stream;
    struct block *b = w->block;
    const size_t first = (w->first_block + number) % (s->n_queries / s->block) * s->block;
    const uint64_t *offset = (const uint64_t *)(const void *)(w->job + s->offset) + first;
    b->n = s->block;
    memcpy(b->bytes, w->job + s->bytes + offset[0], offset[b->n] - offset[0]);
    for (size_t i = 0; i <= b->n; i++)
        b->offset[i] = offset[i] - offset[0];
    memcpy(b->index, w->job + s->index + first * sizeof *b->index, b->n * sizeof *b->index);
    memcpy(b->holder, w->job + s->holder + first * sizeof *b->holder, b->n * sizeof *b->holder);
    memcpy(b->place, w->job + s->place + first * s->width * sizeof *b->place,
           b->n * s->width * sizeof *b->place);
}

/* Brings back what the other candidates pushed out of the caches: small forests line by line, large
 * ones by half a millisecond of the work itself. */
static void warm(void *self)
{
    enum { SMALL_BYTES = 16 << 20, WARM_NS = 500000 };
    const struct fb_clock *clock = &fb_system_clock;
    struct walker *w = self;
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

static uint64_t one_walk(struct walker *w, size_t i)
{
    struct block *b = w->block;
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

static void singles(struct walker *w, uint64_t queries, struct fb_latency *out)
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

/* ---- Placing ---- */

static bool copy_arena(struct forest *f, uint64_t placement)
{
    const size_t bytes = (size_t)f->spec->arena_bytes, page = 4096;
    f->map_bytes = bytes + page;
    void *map =
        mmap(NULL, f->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return false;
    f->map = map;
    uint8_t *at = (uint8_t *)map + placement % (page / FB_CACHE_LINE) * FB_CACHE_LINE;
#ifdef MADV_POPULATE_WRITE
    madvise(map, f->map_bytes, MADV_POPULATE_WRITE); /* quicker than fault by fault */
#endif
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(f->spec->fd, at + done, bytes - done, (off_t)done);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    f->arena = at;
    return true;
}

static bool map_arena(struct forest *f)
{
    f->map_bytes = (size_t)f->spec->arena_bytes;
    void *map = mmap(NULL, f->map_bytes, PROT_READ, MAP_SHARED, f->spec->fd, 0);
    if (map == MAP_FAILED)
        return false;
    f->map = map;
    f->arena = map;
#ifdef MADV_POPULATE_READ
    madvise(map, f->map_bytes, MADV_POPULATE_READ);
#endif
    return true;
}

static bool place_forest(const uint8_t *job, const struct fb_walk_job_forest *spec,
                         uint64_t placement, struct forest *f)
{
    const struct fb_design *design = fb_design_at(spec->design);
    f->spec = spec;
    f->filters = calloc(spec->n_filters + 1, sizeof *f->filters);
    if (!f->filters || !(spec->copied ? copy_arena(f, placement) : map_arena(f)))
        return false;
    memcpy(f->filters, job + spec->filters, spec->n_filters * sizeof *f->filters);
    for (size_t u = 0; u < spec->n_filters; u++) {
        struct fb_filter *filter = &f->filters[u];
        uint64_t at;
        memcpy(&at, &filter->bytes, sizeof at);
        filter->bytes = (uint8_t *)(uintptr_t)(f->arena + at); /* only read */
        filter->design = design;
        filter->hash = spec->hash < 0 ? NULL : fb_hash_at((size_t)spec->hash);
        filter->kernel = filter->kernel == FB_WALK_NO    ? &fb_kernel_no
                         : filter->kernel == FB_WALK_YES ? &fb_kernel_yes
                                                         : design->kernels[0];
    }
    return true;
}

/* Room for a block of any of the streams. */
static bool make_block(const struct fb_walk_job *job, const struct fb_walk_job_stream *streams,
                       const struct fb_walk_job_forest *forests, struct block *b)
{
    size_t bytes = 0, width = 1, words = 1, n = 0;
    for (size_t i = 0; i < job->n_streams; i++) {
        bytes = streams[i].block_bytes > bytes ? streams[i].block_bytes : bytes;
        width = streams[i].width > width ? streams[i].width : width;
        n = streams[i].block > n ? streams[i].block : n;
    }
    for (size_t i = 0; i < job->n_forests; i++)
        words = forests[i].digest_words > words ? forests[i].digest_words : words;
    b->bytes = fb_alloc_lines(bytes);
    b->answers = fb_alloc_lines(n * width);
    b->offset = fb_alloc_lines((n + 1) * sizeof *b->offset);
    b->index = fb_alloc_lines(n * sizeof *b->index);
    b->digests = fb_alloc_lines(n * words * sizeof *b->digests);
    b->maybe = fb_alloc_lines(n * fb_walk_words(width) * sizeof *b->maybe);
    b->holder = fb_alloc_lines(n * sizeof *b->holder);
    b->place = fb_alloc_lines(n * width * sizeof *b->place);
    b->filters = fb_alloc_lines(n * width * sizeof *b->filters);
    return b->bytes && b->answers && b->offset && b->index && b->digests && b->maybe && b->holder &&
           b->place && b->filters;
}

static void free_block(struct block *b)
{
    void *const all[] = {b->bytes, b->answers, b->offset, b->index,          b->digests,
                         b->maybe, b->holder,  b->place,  (void *)b->filters};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* ---- Measuring ---- */

struct scene {
    struct forest *forests;
    struct walker *walkers;
    struct fb_candidate *candidates;
    struct block block;
    struct fb_keys keys; /* of the block */
};

static void make_walker(const uint8_t *job, const struct fb_walk_job_candidate *c,
                        struct scene *scene, struct walker *w)
{
    const struct fb_walk_job *header = (const struct fb_walk_job *)(const void *)job;
    const struct fb_walk_job_stream *streams =
        (const struct fb_walk_job_stream *)(const void *)(job + header->streams);
    const struct forest *forest = &scene->forests[c->forest];
    const struct fb_design *design = fb_design_at(forest->spec->design);
    w->job = job;
    w->stream = &streams[c->stream];
    w->forest = forest;
    w->lookup = c->lookup < 0 ? NULL : fb_lookups[c->lookup];
    w->runs = (const struct fb_walk_job_run *)(const void *)(job + w->stream->runs);
    w->block = &scene->block;
    w->walks = (struct fb_walks){
        .design = design,
        .hash = forest->spec->hash < 0 ? NULL : fb_hash_at((size_t)forest->spec->hash),
        .kernel = design->kernels[c->kernel],
        .keys = &scene->keys,
        .n = w->stream->block,
        .width = w->stream->width,
        .filters = scene->block.filters,
        .holder = scene->block.holder,
        .digest_words = forest->spec->digest_words,
        .digests = scene->block.digests,
        .answers = scene->block.answers};
}

static bool make_scene(const uint8_t *job, uint64_t placement, struct scene *scene)
{
    const struct fb_walk_job *header = (const struct fb_walk_job *)(const void *)job;
    const struct fb_walk_job_forest *forests =
        (const struct fb_walk_job_forest *)(const void *)(job + header->forests);
    const struct fb_walk_job_stream *streams =
        (const struct fb_walk_job_stream *)(const void *)(job + header->streams);
    const struct fb_walk_job_candidate *candidates =
        (const struct fb_walk_job_candidate *)(const void *)(job + header->candidates);
    scene->forests = calloc(header->n_forests + 1, sizeof *scene->forests);
    scene->walkers = calloc(header->n_candidates + 1, sizeof *scene->walkers);
    scene->candidates = calloc(header->n_candidates + 1, sizeof *scene->candidates);
    if (!scene->forests || !scene->walkers || !scene->candidates ||
        !make_block(header, streams, forests, &scene->block))
        return false;
    scene->keys = (struct fb_keys){.bytes = scene->block.bytes, .offset = scene->block.offset};
    for (size_t k = 0; k < header->n_forests; k++) { /* in an order of each process's own */
        size_t i = (placement + k) % header->n_forests;
        if (!place_forest(job, &forests[i], fb_stream_word(placement, i), &scene->forests[i]))
            return false;
    }
    for (size_t i = 0; i < header->n_candidates; i++) {
        struct walker *w = &scene->walkers[i];
        make_walker(job, &candidates[i], scene, w);
        w->first_block = fb_stream_word(placement, ~candidates[i].stream) >> 16;
        scene->keys.n = w->stream->block > scene->keys.n ? w->stream->block : scene->keys.n;
        scene->candidates[i] =
            (struct fb_candidate){.name = w->lookup ? w->lookup->name : "control",
                                  .self = w,
                                  .ops_per_block = w->stream->block,
                                  .warm = warm,
                                  .prepare = prepare,
                                  .run = run_block};
    }
    return true;
}

static void close_scene(const struct fb_walk_job *job, struct scene *scene)
{
    for (size_t i = 0; scene->forests && i < job->n_forests; i++) {
        if (scene->forests[i].map)
            munmap(scene->forests[i].map, scene->forests[i].map_bytes);
        free(scene->forests[i].filters);
    }
    free_block(&scene->block);
    free(scene->forests);
    free(scene->walkers);
    free(scene->candidates);
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

static bool deliver(int fd, const void *data, size_t n_bytes)
{
    for (const uint8_t *next = data; n_bytes;) {
        ssize_t put = write(fd, next, n_bytes);
        if (put <= 0)
            return false;
        next += put;
        n_bytes -= (size_t)put;
    }
    return true;
}

static int measure(const struct fb_walk_job *job, uint64_t placement, struct scene *scene,
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
    if (!out)
        return FB_EXIT_IO;
    if (job->latency)
        singles(&scene->walkers[0], job->queries, out);
    else
        fb_measure(&fb_system_clock, scene->candidates, job->n_candidates, &options, out, &sink);
    fb_opaque(sink);
    bool delivered = deliver(out_fd, out, bytes);
    free(out);
    return delivered ? FB_EXIT_OK : FB_EXIT_IO;
}

static int walk_main(int job_fd, int out_fd, uint64_t placement)
{
    struct fb_walk_job header;
    struct scene scene = {0};
    if (pread(job_fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        return FB_EXIT_IO;
    void *map = mmap(NULL, (size_t)header.n_bytes, PROT_READ, MAP_SHARED, job_fd, 0);
    if (map == MAP_FAILED)
        return FB_EXIT_IO;
    pin(header.options.cpu);
    int status =
        make_scene(map, placement, &scene) ? measure(map, placement, &scene, out_fd) : FB_EXIT_IO;
    close_scene(&header, &scene);
    munmap(map, (size_t)header.n_bytes);
    return status;
}

const struct fb_child fb_walk_child = {"walks", walk_main};

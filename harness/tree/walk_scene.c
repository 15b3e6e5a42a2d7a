#define _GNU_SOURCE /* madvise */
#include "harness/tree/walk_job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workloads/core/rng.h"

/* ---- Filters ---- */

static bool map_shared(const struct fb_walk_job_forest *spec, struct fb_placed *out)
{
    void *map = mmap(NULL, (size_t)spec->arena_bytes, PROT_READ, MAP_SHARED, spec->fd, 0);
    if (map == MAP_FAILED)
        return false;
    *out = (struct fb_placed){.map = map, .map_bytes = (size_t)spec->arena_bytes, .at = map};
#ifdef MADV_POPULATE_READ
    madvise(map, out->map_bytes, MADV_POPULATE_READ);
#endif
    return true;
}

/* The bits of all forests. placement NULL: all are shared, but those without any. */
static bool place_all(const struct fb_walk_job *job, const uint64_t *placement,
                      struct fb_placed *arenas)
{
    const struct fb_walk_job_forest *spec = fb_walk_at(job, job->forests);
    const uint64_t place = placement ? *placement : 0;
    for (size_t i = 0; i < job->n_forests; i++) {
        const bool own = !spec[i].arena_bytes || (placement && !spec[i].shared);
        if (own && !fb_placed_map(&arenas[i], spec[i].arena_bytes, fb_stream_word(place, i), false))
            return false;
    }
    fb_placed_populate(arenas, job->n_forests);
    for (size_t i = 0; i < job->n_forests; i++)
        if (!(arenas[i].map ? fb_placed_read(&arenas[i], spec[i].fd, spec[i].arena_bytes)
                            : map_shared(&spec[i], &arenas[i])))
            return false;
    return true;
}

static bool make_forest(const struct fb_walk_job *job, const struct fb_walk_job_forest *spec,
                        const uint8_t *arena, struct fb_walk_forest *f)
{
    f->spec = spec;
    f->arena = arena;
    f->design = fb_design_find(spec->design);
    f->hash = fb_hash_find(spec->hash);
    f->filters = calloc(spec->n_filters + 1, sizeof *f->filters);
    if (!f->filters)
        return false;
    memcpy(f->filters, fb_walk_at(job, spec->filters), spec->n_filters * sizeof *f->filters);
    for (struct fb_filter *filter = f->filters; filter < f->filters + spec->n_filters; filter++) {
        uint64_t at;
        memcpy(&at, &filter->bytes, sizeof at);
        filter->bytes = (uint8_t *)(uintptr_t)(arena + at); /* only read */
        filter->design = f->design;
        filter->hash = f->hash;
        filter->kernel = filter->kernel == FB_WALK_NO    ? &fb_kernel_no
                         : filter->kernel == FB_WALK_YES ? &fb_kernel_yes
                                                         : f->design->kernels[0];
    }
    return true;
}

/* ---- Blocks ---- */

/* Room for a block of any of the streams. */
static bool make_block(const struct fb_walk_job *job, struct fb_walk_block *b)
{
    const struct fb_walk_job_stream *streams = fb_walk_at(job, job->streams);
    const struct fb_walk_job_forest *forests = fb_walk_at(job, job->forests);
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
    b->keys = (struct fb_keys){.bytes = b->bytes, .offset = b->offset, .n = n};
    return b->bytes && b->answers && b->offset && b->index && b->digests && b->maybe && b->holder &&
           b->place && b->filters;
}

static void free_block(struct fb_walk_block *b)
{
    void *const all[] = {b->bytes, b->answers, b->offset, b->index,          b->digests,
                         b->maybe, b->holder,  b->place,  (void *)b->filters};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* ---- The scene ---- */

static void make_walker(const struct fb_walk_scene *scene, const struct fb_walk_job_candidate *c,
                        struct fb_walk_block *block, struct fb_walker *w)
{
    const struct fb_walk_job_stream *streams = fb_walk_at(scene->job, scene->job->streams);
    w->job = scene->job;
    w->stream = &streams[c->stream];
    w->runs = fb_walk_at(scene->job, w->stream->runs);
    w->forest = &scene->forests[c->forest];
    w->lookup = fb_lookup_find(c->lookup);
    w->block = block;
    w->walks = (struct fb_walks){
        .design = w->forest->design,
        .hash = w->forest->hash,
        .kernel = w->lookup ? fb_lookup_kernel(w->lookup, w->forest->design, FB_ISA_NONE) : NULL,
        .keys = &block->keys,
        .width = w->stream->width,
        .filters = block->filters,
        .holder = block->holder,
        .digest_words = w->forest->spec->digest_words,
        .digests = block->digests,
        .answers = block->answers};
}

static const struct fb_walk_job *map_job(int job_fd)
{
    struct fb_walk_job header;
    if (pread(job_fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        return NULL;
    void *map = mmap(NULL, (size_t)header.n_bytes, PROT_READ, MAP_SHARED, job_fd, 0);
    return map == MAP_FAILED ? NULL : map;
}

bool fb_walk_scene_open(int job_fd, const uint64_t *placement, struct fb_walk_scene *scene)
{
    const struct fb_walk_job *job = map_job(job_fd);
    *scene = (struct fb_walk_scene){.job = job};
    if (!job)
        return false;
    const struct fb_walk_job_forest *forests = fb_walk_at(job, job->forests);
    const struct fb_walk_job_candidate *candidates = fb_walk_at(job, job->candidates);
    scene->forests = calloc(job->n_forests + 1, sizeof *scene->forests);
    scene->arenas = calloc(job->n_forests + 1, sizeof *scene->arenas);
    scene->walkers = calloc(job->n_candidates + 1, sizeof *scene->walkers);
    if (!scene->forests || !scene->arenas || !scene->walkers || !make_block(job, &scene->block) ||
        !place_all(job, placement, scene->arenas))
        return false;
    for (size_t i = 0; i < job->n_forests; i++)
        if (!make_forest(job, &forests[i], scene->arenas[i].at, &scene->forests[i]))
            return false;
    for (size_t i = 0; i < job->n_candidates; i++) {
        make_walker(scene, &candidates[i], &scene->block, &scene->walkers[i]);
        if (placement)
            scene->walkers[i].first_block =
                fb_stream_word(*placement, ~(uint64_t)candidates[i].stream) >> 16;
    }
    return true;
}

void fb_walk_scene_close(struct fb_walk_scene *scene)
{
    for (size_t i = 0; scene->job && i < scene->job->n_forests; i++) {
        if (scene->arenas)
            fb_placed_close(&scene->arenas[i]);
        if (scene->forests)
            free(scene->forests[i].filters);
    }
    free_block(&scene->block);
    free(scene->forests);
    free(scene->arenas);
    free(scene->walkers);
    if (scene->job)
        munmap((void *)(uintptr_t)scene->job, (size_t)scene->job->n_bytes);
}

/* ---- Asking ---- */

void fb_walk_prepare(struct fb_walker *w, uint64_t number)
{
    const struct fb_walk_job_stream *s = w->stream;
    struct fb_walk_block *b = w->block;
    const size_t first = (w->first_block + number) % (s->n_queries / s->block) * s->block;
    const uint64_t *offset = (const uint64_t *)fb_walk_at(w->job, s->offset) + first;
    b->n = s->block;
    memcpy(b->bytes, fb_walk_at(w->job, s->bytes + offset[0]), offset[b->n] - offset[0]);
    for (size_t i = 0; i <= b->n; i++)
        b->offset[i] = offset[i] - offset[0];
    const size_t each = sizeof *b->place;
    memcpy(b->index, fb_walk_at(w->job, s->index + first * sizeof *b->index),
           b->n * sizeof *b->index);
    memcpy(b->holder, fb_walk_at(w->job, s->holder + first * each), b->n * each);
    memcpy(b->place, fb_walk_at(w->job, s->place + first * s->width * each),
           b->n * s->width * each);
}

/* The filter of each run for these queries. Which unit it is has been found before; the search that
 * an engine makes for it is made here, and waited for. */
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
                segment =
                    fb_segment_of(fb_walk_at(w->job, run->segment_low), run->n_segments, index);
            unit += fb_opaque(segment) ^ segment;
            b->filters[i * width + r] = unit == FB_WALK_NOWHERE ? NULL : w->forest->filters + unit;
        }
    }
}

uint64_t fb_walk_ask(struct fb_walker *w, size_t first, size_t n, struct fb_walk_work *work)
{
    struct fb_walk_block *b = w->block;
    struct fb_walks walks = w->walks;
    walks.first = first;
    walks.n = n;
    walks.filters += first * walks.width;
    walks.holder += first;
    select_filters(w, first, n);
    if (w->lookup)
        w->lookup->run(&walks, b->maybe, work);
    else
        memset(b->maybe, 0, n * fb_walk_words(walks.width) * sizeof *b->maybe);
    return b->maybe[0] + (uint64_t)(uintptr_t)b->filters[0];
}

#define _GNU_SOURCE /* madvise */
#include "harness/tree/walk_scene.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workloads/core/rng.h"

/* ---- Filters ---- */

enum { HUGE_PAGE = 2 << 20 };

static bool copy_arena(struct fb_walk_forest *f, uint64_t placement, bool huge)
{
    const size_t bytes = (size_t)f->spec->arena_bytes, page = 4096;
    f->map_bytes = bytes + page + (huge ? HUGE_PAGE : 0);
    void *map =
        mmap(NULL, f->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return false;
    f->map = map;
    uint8_t *at = (uint8_t *)map + placement % (page / FB_CACHE_LINE) * FB_CACHE_LINE;
    if (huge)
        at += HUGE_PAGE - (uintptr_t)map % HUGE_PAGE;
#ifdef MADV_HUGEPAGE
    madvise(map, f->map_bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
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

static bool map_arena(struct fb_walk_forest *f)
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
                         uint64_t placement, bool huge, struct fb_walk_forest *f)
{
    const struct fb_design *design = fb_design_at(spec->design);
    f->spec = spec;
    f->filters = calloc(spec->n_filters + 1, sizeof *f->filters);
    if (!f->filters || !(spec->copied ? copy_arena(f, placement, huge) : map_arena(f)))
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

/* ---- Blocks ---- */

/* Room for a block of any of the streams. */
static bool make_block(const struct fb_walk_job *job, const struct fb_walk_job_stream *streams,
                       const struct fb_walk_job_forest *forests, struct fb_walk_block *b)
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

static void free_block(struct fb_walk_block *b)
{
    void *const all[] = {b->bytes, b->answers, b->offset, b->index,          b->digests,
                         b->maybe, b->holder,  b->place,  (void *)b->filters};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* ---- The scene ---- */

static void make_walker(const uint8_t *job, const struct fb_walk_job_candidate *c,
                        struct fb_walk_scene *scene, struct fb_walker *w)
{
    const struct fb_walk_job *header = (const struct fb_walk_job *)(const void *)job;
    const struct fb_walk_job_stream *streams =
        (const struct fb_walk_job_stream *)(const void *)(job + header->streams);
    const struct fb_walk_forest *forest = &scene->forests[c->forest];
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

bool fb_walk_scene_make(const uint8_t *job, uint64_t placement, struct fb_walk_scene *scene)
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
    if (!scene->forests || !scene->walkers || !make_block(header, streams, forests, &scene->block))
        return false;
    scene->keys = (struct fb_keys){.bytes = scene->block.bytes, .offset = scene->block.offset};
    for (size_t k = 0; k < header->n_forests; k++) { /* in an order of each process's own */
        size_t i = (placement + k) % header->n_forests;
        if (!place_forest(job, &forests[i], fb_stream_word(placement, i),
                          header->options.huge_pages, &scene->forests[i]))
            return false;
    }
    for (size_t i = 0; i < header->n_candidates; i++) {
        struct fb_walker *w = &scene->walkers[i];
        make_walker(job, &candidates[i], scene, w);
        w->first_block = fb_stream_word(placement, ~candidates[i].stream) >> 16;
        scene->keys.n = w->stream->block > scene->keys.n ? w->stream->block : scene->keys.n;
    }
    return true;
}

void fb_walk_scene_close(const struct fb_walk_job *job, struct fb_walk_scene *scene)
{
    for (size_t i = 0; scene->forests && i < job->n_forests; i++) {
        if (scene->forests[i].map)
            munmap(scene->forests[i].map, scene->forests[i].map_bytes);
        free(scene->forests[i].filters);
    }
    free_block(&scene->block);
    free(scene->forests);
    free(scene->walkers);
}

void fb_walk_prepare(struct fb_walker *w, uint64_t number)
{
    const struct fb_walk_job_stream *s = w->stream;
    struct fb_walk_block *b = w->block;
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

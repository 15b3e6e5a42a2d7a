/* The process that times walks: takes blocks of queries from the job's streams and measures all
 * candidates in the same rounds. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/exit.h"
#include "harness/filter/plugin.h"
#include "harness/filter/tuning.h"
#include "harness/measure/noise.h"
#include "harness/tree/walk_job.h"

/* ---- A candidate ---- */

static uint64_t run_block(void *self)
{
    struct fb_walker *w = self;
    return fb_walk_ask(w, 0, w->block->n, NULL);
}

static void prepare(void *self, uint64_t number)
{
    fb_walk_prepare(self, number);
}

static uint64_t now(void)
{
    return fb_system_clock.wall_ns(fb_system_clock.self);
}

/* Brings back what the other candidates pushed out of the caches: small forests line by line, large
 * ones by half a millisecond of the work itself. */
static void warm(void *self)
{
    enum { SMALL_BYTES = 16 << 20, WARM_NS = 500000 };
    struct fb_walker *w = self;
    uint64_t sum = 0, end = now() + WARM_NS;
    if (w->forest->spec->arena_bytes <= SMALL_BYTES)
        for (uint64_t at = 0; at < w->forest->spec->arena_bytes; at += FB_CACHE_LINE)
            sum += w->forest->arena[at];
    do {
        prepare(w, (UINT64_C(1) << 48) + w->warmed++); /* far from the measured blocks */
        sum += run_block(w);
    } while (now() < end);
    fb_opaque(sum);
}

/* ---- Before anything is timed ---- */

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

/* The filters that were moved here answer, and all lookups of the same walks alike. */
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
        agree = holders_found(w) || w->forest->design->traits & FB_FALSE_NEGATIVES;
        for (size_t j = 0; j < i; j++) {
            const struct fb_walker *other = &scene->walkers[j];
            if (other->lookup && other->forest == w->forest && other->stream == w->stream)
                agree = agree && sum[j] == sum[i];
        }
    }
    free(sum);
    return agree;
}

/* ---- Measuring ---- */

static int deliver_singles(struct fb_walker *w, uint64_t queries, int out_fd)
{
    uint64_t took[FB_WALK_BLOCK], idle[FB_WALK_BLOCK], sink = 0;
    struct fb_latency *out = calloc(1, sizeof *out);
    bool delivered = out;
    if (out)
        warm(w);
    for (uint64_t done = 0, number = 0; out && done < queries; number++) {
        prepare(w, number);
        const size_t n = queries - done < w->block->n ? (size_t)(queries - done) : w->block->n;
        for (size_t i = 0; i < n; i++) {
            uint64_t t0 = now(), t1 = now();
            sink ^= fb_walk_ask(w, i, 1, NULL);
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
    delivered = delivered && fb_transfer_out(out_fd, out, sizeof *out);
    free(out);
    return delivered ? FB_EXIT_OK : FB_EXIT_IO;
}

static int deliver_samples(struct fb_walk_scene *scene, uint64_t placement, int out_fd)
{
    const size_t n = scene->job->n_candidates;
    struct fb_candidate *candidates = calloc(n + 1, sizeof *candidates);
    int status = FB_EXIT_IO;
    for (size_t i = 0; candidates && i < n; i++)
        candidates[i] = (struct fb_candidate){.self = &scene->walkers[i],
                                              .ops_per_block = scene->walkers[i].stream->block,
                                              .warm = warm,
                                              .prepare = prepare,
                                              .run = run_block};
    if (candidates)
        status = fb_group_deliver(&scene->job->options, candidates, n, placement, out_fd);
    free(candidates);
    return status;
}

static int walk_main(int job_fd, int out_fd, uint64_t placement)
{
    struct fb_walk_scene scene;
    struct fb_walk_job header;
    int status = FB_EXIT_IO;
    if (!fb_plugins_inherit())
        return FB_EXIT_PLUGIN;
    if (!fb_transfer_in(job_fd, &header, sizeof header) || fb_tuning_use(&header.tuning))
        return status;
    fb_pin(header.options.cpu);
    if (fb_walk_scene_open(job_fd, &placement, &scene))
        status = !answers_agree(&scene, header.n_candidates) ? FB_EXIT_CORRECTNESS
                 : header.singly ? deliver_singles(&scene.walkers[0], header.singly, out_fd)
                                 : deliver_samples(&scene, placement, out_fd);
    fb_walk_scene_close(&scene);
    return status;
}

const struct fb_child fb_walk_child = {"walks", walk_main};

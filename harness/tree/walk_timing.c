/* Timing walks, the parent's side. The measuring process is walk_child.c. */
#include "harness/tree/walk_timing.h"

#include <string.h>
#include <unistd.h>

#include "harness/tree/walk_job.h"

enum { COUNTED = 4096 }; /* queries */

/* By the lookups themselves, in blocks as they are timed. */
static enum fb_err count_all(int job_fd, size_t n, struct fb_walk_counts *counts)
{
    struct fb_walk_scene scene;
    enum fb_err err = fb_walk_scene_open(job_fd, NULL, &scene) ? FB_OK : FB_ENOMEM;
    for (size_t i = 0; i < n && !err; i++) {
        struct fb_walker *w = &scene.walkers[i];
        struct fb_walk_work work = {0, 0};
        size_t counted = 0;
        for (uint64_t block = 0; counted < COUNTED; block++, counted += w->block->n) {
            fb_walk_prepare(w, block);
            fb_walk_ask(w, 0, w->block->n, &work);
        }
        counts[i] = (struct fb_walk_counts){(double)work.asked / (double)counted,
                                            (double)work.digests / (double)counted};
    }
    fb_walk_scene_close(&scene);
    return err;
}

/* Makes *out the part of a group whose members are these candidates: their process and its file. */
static enum fb_err make_part(const struct fb_walk_candidate *candidates, size_t n,
                             const struct fb_group_options *options, struct fb_part *out)
{
    const struct fb_walk_job job = {.options = *options};
    enum fb_err err = FB_OK;
    *out = (struct fb_part){.child = &fb_walk_child,
                            .job_fd = fb_walk_job_make(candidates, n, &job, &err)};
    return err;
}

enum fb_err fb_walks_measure(const struct fb_walk_candidate *candidates, size_t n,
                             const struct fb_group_options *options,
                             const struct fb_group_watch *watch, struct fb_walk_counts *counts,
                             struct fb_group *out)
{
    struct fb_group_options timed = *options;
    enum fb_err err = fb_group_open(out, n, 1, options->rounds, options->max_processes);
    timed.min_batch_ns = 1e6;
    timed.quantum_ns = fb_clock_quality(&fb_system_clock).quantum_ns;
    for (size_t i = 0; i < n && !err; i++)
        out->members[i].to = candidates[i].to;
    if (!err)
        err = make_part(candidates, n, &timed, &out->parts[0]);
    if (!err && counts)
        err = count_all(out->parts[0].job_fd, n, counts);
    return err ? err : fb_group_run(out, options, watch);
}

enum fb_err fb_walk_latency(const struct fb_walk_candidate *candidate, uint64_t queries,
                            struct fb_latency *out)
{
    struct fb_walk_job job = {.singly = queries, .options = {.cpu = -1}};
    enum fb_err err;
    memset(out, 0, sizeof *out);
    if (candidate->lookup && candidate->lookup->batched)
        return FB_EUNSUPPORTED;
    int job_fd = fb_walk_job_make(candidate, 1, &job, &err);
    if (err)
        return err;
    err = fb_process_run(&fb_walk_child, queries, job_fd, out, sizeof *out, NULL);
    close(job_fd);
    return err;
}

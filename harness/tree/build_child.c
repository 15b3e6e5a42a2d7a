/* The process that times builds. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/base/exit.h"
#include "harness/filter/plugin.h"
#include "harness/filter/tuning.h"
#include "harness/measure/noise.h"
#include "harness/tree/build_job.h"

enum fb_err fb_build_all(const struct fb_build_job *job, const struct fb_build_job_candidate *c,
                         uint64_t *sum)
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
    const struct fb_build_job *job;
    const struct fb_build_job_candidate *candidate;
};

static void prepare(void *self, uint64_t number)
{
    (void)self, (void)number; /* every block is of the same keys, too many to be learnt */
}

static uint64_t run(void *self)
{
    const struct builder *b = self;
    uint64_t sum = 0;
    return fb_build_all(b->job, b->candidate, &sum) ? 0 : sum;
}

static int deliver(const struct fb_build_job *job, uint64_t placement, int out_fd)
{
    const struct fb_build_job_candidate *of = (const void *)(job + 1);
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
    struct fb_build_job header;
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

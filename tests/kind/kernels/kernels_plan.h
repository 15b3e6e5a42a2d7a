/* Experiments of kind "kernels", planned for filters of up to 128 KiB. */
#ifndef FILTERBENCH_TESTS_KIND_KERNELS_KERNELS_PLAN_H
#define FILTERBENCH_TESTS_KIND_KERNELS_KERNELS_PLAN_H

#include "tests/documents.h"

#include <string.h>

#include "harness/kind/kernels/kernels.h"

static const struct fb_footprints small = {.caches.l1d_bytes = 1 << 15,
                                           .bytes = {12500, 1 << 15, 1 << 16, 1 << 17}};

static inline void plan(const char *experiment, uint64_t memory_bytes, struct fb_kernels *e,
                        struct fb_kernels_grid *grid)
{
    struct fb_kernels_machine machine;
    struct fb_problem problem = {""};
    json_auto_t *document = parsed(experiment);
    if (!fb_kernels_resolve(document, e, &problem))
        fail_msg("%s", problem.text);
    fb_kernels_machine_detect(&machine);
    machine.footprints = small;
    machine.memory_bytes = memory_bytes;
    assert_int_equal(fb_kernels_plan(e, &machine, grid), FB_OK);
}

static inline void unplan(struct fb_kernels *e, struct fb_kernels_grid *grid)
{
    fb_kernels_grid_close(grid);
    fb_kernels_close(e);
}

/* The first cell whose id starts so. */
static inline size_t find(const struct fb_kernels_grid *grid, const char *id)
{
    for (size_t i = 0; i < grid->job.n_cells; i++)
        if (!strncmp(grid->id[i], id, strlen(id)))
            return i;
    fail_msg("no cell %s", id);
    return 0;
}

/* Slots of a cuckoo filter that are taken. */
static inline size_t count_prints(const uint8_t *bytes, const struct fb_timing_filter *spec)
{
    size_t n = 0;
    for (uint64_t i = 0; i < spec->geom.n_bytes; i++)
        n += bytes[i] != 0;
    return n;
}

#endif

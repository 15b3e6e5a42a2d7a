#include "harness/filter/timing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/parallel.h"

void fb_timing_job_close(struct fb_timing_job *job)
{
    for (size_t i = 0; i < job->n_filters; i++)
        if (job->filters[i].fd >= 0)
            close(job->filters[i].fd);
    free(job->cells);
    free(job->filters);
    memset(job, 0, sizeof *job);
}

/* What the processes of a footprint (FB_N_FOOTPRINTS: of all) are to do, as a file that they
 * inherit; -1: no memory. */
static int task_file(const struct fb_timing_job *job, enum fb_timing_purpose purpose,
                     uint32_t footprint)
{
    struct fb_timing_task task = {.purpose = purpose,
                                  .options = job->options,
                                  .tuning = *fb_tuning_now(),
                                  .n_filters = job->n_filters};
    const size_t filters = job->n_filters * sizeof *job->filters;
    uint8_t *text = malloc(sizeof task + job->n_cells * sizeof *job->cells + filters);
    if (!text)
        return -1;
    uint8_t *next = text + sizeof task;
    for (size_t i = 0; i < job->n_cells; i++) {
        if (footprint < FB_N_FOOTPRINTS && job->cells[i].footprint != footprint)
            continue;
        memcpy(next, &job->cells[i], sizeof *job->cells);
        next += sizeof *job->cells;
        task.n_cells++;
    }
    memcpy(text, &task, sizeof task);
    memcpy(next, job->filters, filters);
    int fd = fb_memory_file(text, (uint64_t)(next - text) + filters);
    free(text);
    return fd;
}

uint32_t fb_timing_series(enum fb_footprint footprint, enum fb_operation operation)
{
    return 2 * (uint32_t)footprint + fb_operation_writes(operation);
}

enum fb_err fb_timing_run(const struct fb_timing_job *job, const struct fb_group_watch *watch,
                          struct fb_group *out)
{
    const struct fb_group_options *options = &job->options.group;
    enum fb_err err =
        fb_group_open(out, job->n_cells, FB_N_FOOTPRINTS, options->rounds, options->max_processes);
    for (uint32_t f = 0; f < FB_N_FOOTPRINTS && !err; f++) {
        out->parts[f].child = &fb_timing_child;
        out->parts[f].job_fd = task_file(job, FB_TIME_SAMPLES, f);
        err = out->parts[f].job_fd < 0 ? FB_ENOMEM : FB_OK;
    }
    for (size_t i = 0; i < job->n_cells && !err; i++) {
        const struct fb_timing_cell *cell = &job->cells[i];
        struct fb_member *member = &out->members[i];
        member->part = cell->footprint;
        member->series = fb_timing_series((enum fb_footprint)cell->footprint,
                                          (enum fb_operation)cell->operation);
        member->to = cell->yardstick;
        member->aside = cell->aside;
    }
    return err ? err : fb_group_run(out, options, watch);
}

enum fb_err fb_timing_part(const struct fb_timing_job *job, struct fb_part *out)
{
    *out = (struct fb_part){.child = &fb_timing_child,
                            .job_fd = task_file(job, FB_TIME_SAMPLES, FB_N_FOOTPRINTS)};
    return out->job_fd < 0 ? FB_ENOMEM : FB_OK;
}

/* Measures the cells of one footprint into their places. */
static enum fb_err once(const struct fb_timing_job *job, enum fb_timing_purpose purpose,
                        const char *const *under, uint32_t footprint, uint8_t *row, uint8_t *out,
                        size_t bytes_each)
{
    size_t n = 0;
    for (size_t i = 0; i < job->n_cells; i++)
        n += job->cells[i].footprint == footprint;
    if (!n)
        return FB_OK;
    int fd = task_file(job, purpose, footprint);
    if (fd < 0)
        return FB_ENOMEM;
    const uint64_t placement = ~job->options.group.seed;
    enum fb_err err =
        under ? fb_process_run_under(under, &fb_timing_child, placement, fd, row, n * bytes_each)
              : fb_process_run(&fb_timing_child, placement, fd, row, n * bytes_each, NULL);
    close(fd);
    for (size_t i = 0; i < job->n_cells && !err && !fb_interrupted(); i++) {
        if (job->cells[i].footprint != footprint)
            continue;
        memcpy(out + i * bytes_each, row, bytes_each);
        row += bytes_each;
    }
    return err;
}

enum fb_err fb_timing_once(const struct fb_timing_job *job, enum fb_timing_purpose purpose,
                           const char *const *under, void *out, size_t bytes_each)
{
    uint8_t *row = malloc(job->n_cells * bytes_each + 1);
    enum fb_err err = row ? FB_OK : FB_ENOMEM;
    for (uint32_t f = 0; f < FB_N_FOOTPRINTS && !err && !fb_interrupted(); f++)
        err = once(job, purpose, under, f, row, out, bytes_each);
    free(row);
    return err;
}

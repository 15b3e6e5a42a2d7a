/* Cells of an experiment of kind "kernels": to JSON, and derived again from it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/kernels/kernels.h"
#include "harness/measure/group_json.h"

json_t *fb_kernels_time(const struct fb_group *group, char (*ids)[FB_KERNELS_ID], size_t cell)
{
    const int32_t to = group->members[cell].to;
    return fb_group_time_json(group, cell, "ns_per_op", to < 0 ? NULL : ids[to],
                              "it is a yardstick");
}

/* ---- Back ---- */

/* The index of a cell's yardstick; -1: none; -2: named, but not there. */
static int32_t find_yardstick(const json_t *cells, const json_t *time)
{
    const json_t *to = json_object_get(time, "ratio_to");
    size_t i;
    json_t *cell;
    if (!json_is_string(to))
        return -1;
    json_array_foreach(cells, i, cell)
    {
        if (json_equal(json_object_get(cell, "id"), to))
            return (int32_t)i;
    }
    return -2;
}

/* Part, series and number of processes of the cell, which are those of its footprint's first.
 * False: there are none, or too many. */
static bool read_member(const json_t *cell, struct fb_group *g, size_t i)
{
    const size_t n = json_array_size(fb_json_at(cell, "time.samples_ns"));
    enum fb_footprint footprint = fb_footprint_find(fb_json_str(cell, "footprint"));
    if (footprint == FB_N_FOOTPRINTS || !n || n > FB_PAIRED_MAX)
        return false;
    g->members[i].part = footprint;
    g->members[i].series =
        fb_timing_series(footprint, fb_operation_find(fb_json_str(cell, "operation")));
    if (!g->parts[footprint].processes)
        g->parts[footprint].processes = n;
    return true;
}

/* Everything into memory, sizes checked first; ids [cells]. NULL, or the id of the cell that cannot
 * be read. */
static const char *load(const json_t *cells, struct fb_group *g, char (*ids)[FB_KERNELS_ID])
{
    const json_t *first = fb_json_at(json_array_get(cells, 0), "time.samples_ns");
    const size_t n = json_array_size(cells), rounds = json_array_size(json_array_get(first, 0));
    size_t i;
    json_t *cell;
    if (n && (!rounds || rounds > FB_GROUP_ROUNDS))
        return fb_json_str(json_array_get(cells, 0), "id");
    if (!ids || fb_group_open(g, n, FB_N_FOOTPRINTS, rounds, FB_PAIRED_MAX))
        return "memory for the cells";
    json_array_foreach(cells, i, cell)
    {
        const char *id = json_string_value(json_object_get(cell, "id"));
        snprintf(ids[i], sizeof *ids, "%s", id ? id : "a cell without id");
        if (!read_member(cell, g, i))
            return ids[i];
    }
    json_array_foreach(cells, i, cell)
    {
        const json_t *time = json_object_get(cell, "time");
        const int32_t to = g->members[i].to = find_yardstick(cells, time);
        if (to < -1 || (to >= 0 && g->members[to].part != g->members[i].part) ||
            !fb_group_time_read(time, g, i))
            return ids[i];
    }
    return fb_group_estimate(g) ? "memory for the estimates" : NULL;
}

/* "timing" as far as it follows from the samples, the experiment and the caches. */
static void derive_timing(const struct fb_kernels *e, json_t *timing, const struct fb_group *group)
{
    struct fb_kernels_machine machine;
    fb_group_timing_json(group, timing);
    json_object_set_new(timing, "precision", json_real(e->options.group.precision));
    json_object_set_new(timing, "huge_pages_asked", json_boolean(e->options.huge_pages));
    if (!fb_kernels_machine_read(timing, &machine))
        return;
    if (e->most_bytes)
        fb_footprints_bound(&machine.footprints, e->most_bytes);
    fb_kernels_machine_json(&machine, timing);
}

bool fb_kernels_derive(const struct fb_kernels *e, json_t *document, struct fb_problem *problem)
{
    json_t *cells = json_object_get(document, "cells"), *cell;
    struct fb_group group = {0};
    char(*ids)[FB_KERNELS_ID] = calloc(json_array_size(cells) + 1, sizeof *ids);
    const char *unreadable = load(cells, &group, ids);
    size_t i;
    json_array_foreach(cells, i, cell)
    {
        if (unreadable)
            break;
        json_object_set_new(cell, "time", fb_kernels_time(&group, ids, i));
        if (!fb_kernels_scaling_derive(json_object_get(cell, "scaling")))
            unreadable = ids[i];
    }
    if (unreadable)
        fb_refuse(problem, "%.200s: its samples cannot be read", unreadable);
    else if (json_array_size(cells))
        derive_timing(e, json_object_get(document, "timing"), &group);
    fb_group_close(&group);
    free(ids);
    return !unreadable;
}

void fb_kernels_warn(json_t *document)
{
    const json_t *timing = json_object_get(document, "timing");
    const char *stopped = fb_json_str(timing, "stopped");
    double percent = 100 * fb_json_num(timing, "widest_half_width");
    if (!timing)
        return;
    if (!strcmp(fb_json_str(timing, "clock"), "thread_cpu"))
        fb_result_warn(document, "clock", NULL,
                       "over a tenth of the batches run were repeats: times are of the thread's "
                       "CPU, which does not see the hypervisor");
    if (json_is_true(fb_json_at(timing, "footprints.assumed")))
        fb_result_warn(document, "caches", NULL,
                       "the system does not name every cache: footprints are of assumed sizes");
    if (!isfinite(percent))
        fb_result_warn(document, "processes", NULL,
                       "fewer than 6 processes of a footprint give no 95 %% interval");
    else if (!strcmp(stopped, "interrupted"))
        fb_result_warn(document, "interrupted", NULL,
                       "interrupted; the widest interval is +-%.1f %%", percent);
    else if (strcmp(stopped, "precision") && fb_json_num(timing, "precision") > 0)
        fb_result_warn(document, "precision", NULL,
                       "ended by its %s, not by precision; the widest interval is +-%.1f %%",
                       stopped, percent);
}

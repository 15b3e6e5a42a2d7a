/* Cells of an experiment of kind "kernels": to JSON, and derived again from it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/kernels/kernels.h"
#include "harness/measure/group_json.h"

static const char unit[] = "ns_per_op", alone[] = "it is a yardstick";

json_t *fb_kernels_time(const struct fb_group *group, char (*ids)[FB_KERNELS_ID], size_t cell)
{
    const int32_t to = group->members[cell].to;
    return fb_group_time_json(group, cell, unit, to < 0 ? NULL : ids[to], alone);
}

/* ---- Back ---- */

/* The index of a cell's yardstick; -1: none; -2: named, but not there. */
static int32_t find_yardstick(const json_t *cells, const json_t *time)
{
    const json_t *to = json_object_get(time, "ratio_to");
    if (!json_is_string(to))
        return -1;
    FB_EACH_AT(i, cell, cells)
        if (json_equal(json_object_get(cell, "id"), to))
            return (int32_t)i;
    return -2;
}

/* NULL: no memory. */
static struct fb_group_place *places_of(const json_t *cells)
{
    struct fb_group_place *places = calloc(json_array_size(cells) + 1, sizeof *places);
    FB_EACH_AT(i, cell, cells) {
        const enum fb_footprint footprint = fb_footprint_find(fb_json_str(cell, "footprint"));
        const enum fb_operation operation = fb_operation_find(fb_json_str(cell, "operation"));
        const char *id = json_string_value(json_object_get(cell, "id"));
        const int32_t to = find_yardstick(cells, json_object_get(cell, "time"));
        if (!places)
            return NULL;
        places[i] = (struct fb_group_place){
            .object = cell,
            .name = "time",
            .id = id ? id : "a cell without id",
            .part = footprint, /* FB_N_FOOTPRINTS is refused */
            .series = fb_timing_series(footprint, operation),
            .to = to,
            .to_name = to < 0 ? NULL : fb_json_str(json_array_get(cells, (size_t)to), "id")};
    }
    return places;
}

/* "timing" as far as it follows from the samples, the experiment and the caches. */
static void derive_timing(const struct fb_kernels *e, json_t *timing, const struct fb_group *group)
{
    struct fb_kernels_machine machine;
    fb_group_timing_json(group, timing);
    if (fb_json_at(timing, "noise.samples")) /* documents of before had none */
        fb_group_noise_json(group, json_object_get(timing, "noise"));
    json_object_set_new(timing, "precision", json_real(e->options.group.precision));
    json_object_set_new(timing, "huge_pages_asked", json_boolean(e->options.huge_pages));
    fb_kernels_screen_derive(json_object_get(timing, "yardsticks"));
    if (!fb_kernels_machine_read(timing, &machine))
        return;
    if (e->most_bytes)
        fb_footprints_bound(&machine.footprints, e->most_bytes);
    fb_kernels_machine_json(&machine, timing);
}

const char *fb_kernels_read(const json_t *cells, struct fb_group *out,
                            struct fb_group_place **places)
{
    struct fb_group_place *all = places_of(cells);
    const char *unreadable = all ? fb_group_read(out, all, json_array_size(cells), FB_N_FOOTPRINTS)
                                 : "memory for the cells";
    if (places)
        *places = all;
    else
        free(all);
    return unreadable;
}

bool fb_kernels_derive(const struct fb_kernels *e, json_t *document, struct fb_problem *problem)
{
    json_t *cells = json_object_get(document, "cells");
    struct fb_group group = {0};
    struct fb_group_place *places;
    const char *unreadable = fb_kernels_read(cells, &group, &places);
    FB_EACH_AT(i, cell, cells)
        if (!unreadable && !fb_kernels_scaling_derive(json_object_get(cell, "scaling")))
            unreadable = places[i].id;
    if (unreadable) {
        fb_refuse(problem, "%.200s: its samples cannot be read", unreadable);
    } else if (json_array_size(cells)) {
        fb_group_write(&group, places, unit, alone);
        derive_timing(e, json_object_get(document, "timing"), &group);
    }
    fb_group_close(&group);
    free(places);
    return !unreadable;
}

static void warn_of_plain_loops(json_t *document)
{
    json_auto_t *rows = fb_kernels_plain(json_object_get(document, "cells"));
    FB_EACH(row, rows)
        if (json_is_true(json_object_get(row, "faster")))
            fb_result_warn(
                document, "yardstick", NULL,
                "%s is not the limit at %s: a plain loop (%s %s) takes %.2f of its time, "
                "and ratios to it flatter",
                fb_json_str(row, "design"), fb_json_str(row, "footprint"), fb_json_str(row, "isa"),
                fb_json_str(row, "style"), fb_json_num(row, "ratio"));
}

void fb_kernels_warn(json_t *document)
{
    const json_t *timing = json_object_get(document, "timing");
    const char *stopped = fb_json_str(timing, "stopped");
    double percent = 100 * fb_json_num(timing, "widest_half_width");
    if (!timing)
        return;
    warn_of_plain_loops(document);
    if (!strcmp(fb_json_str(timing, "clock"), "thread_cpu"))
        fb_result_warn(document, "clock", NULL,
                       "other work interrupted over a tenth of the batches, which were measured "
                       "again: times are of the CPU alone");
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
                       "the widest interval is +-%.1f %%, not the +-%.1f %% asked for: %s", percent,
                       100 * fb_json_num(timing, "precision"),
                       strcmp(stopped, "budget") ? "no more processes were allowed"
                                                 : "the time was up");
}

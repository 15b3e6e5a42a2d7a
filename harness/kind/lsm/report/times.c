#include "harness/kind/lsm/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/measure/group_json.h"

static size_t n_lookups_of(const json_t *cell)
{
    return json_array_size(json_object_get(cell, "lookups"));
}

/* Whether anything says so. */
static bool is_timed(const json_t *cell)
{
    return json_object_get(cell, "timed") || json_object_get(cell, "control") || n_lookups_of(cell);
}

/* The control of each cell and its lookups, in this order. NULL: no memory. */
static struct fb_group_place *places_of(const json_t *cells, size_t *n)
{
    size_t most = 0;
    FB_EACH(cell, cells)
        most += n_lookups_of(cell) + 1;
    struct fb_group_place *places = calloc(most + 1, sizeof *places);
    *n = 0;
    FB_EACH(cell, cells) {
        const json_t *lookups = json_object_get(cell, "lookups");
        const char *first = fb_json_str(json_array_get(lookups, 0), "lookup");
        const uint32_t batch = (uint32_t)json_integer_value(fb_json_at(cell, "timed.batch"));
        const size_t control = *n;
        for (size_t l = 0; places && is_timed(cell) && l <= n_lookups_of(cell); l++)
            places[(*n)++] =
                (struct fb_group_place){.object = l ? json_array_get(lookups, l - 1) : cell,
                                        .name = l ? "time" : "control",
                                        .id = fb_json_str(cell, "id"),
                                        .part = batch,
                                        .series = batch,
                                        .to = l > 1 ? (int32_t)control + 1 : -1,
                                        .to_name = l > 1 ? first : NULL};
    }
    return places;
}

/* The builds of each level of each cell that were timed. NULL: no memory. */
static struct fb_group_place *builds_of(const json_t *cells, size_t *n)
{
    size_t most = 0;
    FB_EACH(cell, cells)
        most += json_array_size(fb_json_at(cell, "build.levels"));
    struct fb_group_place *places = calloc(most + 1, sizeof *places);
    *n = 0;
    FB_EACH(cell, cells) {
        const uint32_t batch = (uint32_t)json_integer_value(fb_json_at(cell, "timed.batch"));
        FB_EACH(level, fb_json_at(cell, "build.levels")) {
            if (places && json_is_object(json_object_get(level, "time")))
                places[(*n)++] = (struct fb_group_place){.object = level,
                                                         .name = "time",
                                                         .id = fb_json_str(cell, "id"),
                                                         .part = batch,
                                                         .series = batch,
                                                         .to = -1};
        }
    }
    return places;
}

/* timing NULL: what all times have in common is not written. */
static bool derive(struct fb_group_place *places, size_t n, const char *unit, const char *alone,
                   json_t *timing, struct fb_problem *problem)
{
    struct fb_group group = {0};
    /* There are fewer batches than times. */
    const char *unreadable = places ? fb_group_read(&group, places, n, n) : "memory for the times";
    if (unreadable) {
        fb_refuse(problem, "%.200s: its samples cannot be read", unreadable);
    } else if (n) {
        fb_group_write(&group, places, unit, alone);
        if (timing) {
            fb_group_timing_json(&group, timing);
            fb_group_noise_json(&group, json_object_get(timing, "noise"));
        }
    }
    fb_group_close(&group);
    free(places);
    return !unreadable;
}

bool fb_lsm_derive_times(json_t *document, struct fb_problem *problem)
{
    const json_t *cells = json_object_get(document, "cells");
    size_t n;
    struct fb_group_place *places = places_of(cells, &n);
    if (!derive(places, n, FB_LSM_TIME_UNIT, FB_LSM_TIME_ALONE, json_object_get(document, "timing"),
                problem))
        return false;
    places = builds_of(cells, &n);
    return derive(places, n, FB_LSM_BUILD_UNIT, FB_LSM_BUILD_ALONE, NULL, problem);
}

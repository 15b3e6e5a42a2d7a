#include "harness/kind/lsm/report/times.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/measure/group_json.h"

json_t *fb_lsm_time(const struct fb_group *g, size_t member, const char *first)
{
    return fb_group_time_json(g, member, "ns_per_query", g->members[member].to < 0 ? NULL : first,
                              "it is the control or the first of its cell");
}

/* Where the time of a member stands. All borrowed from the document. */
struct place {
    json_t *object;         /* a cell or a lookup, */
    const char *name;       /* and its member */
    const char *id, *first; /* of the cell; the name of its first lookup */
    json_int_t batch;
    int32_t to;
};

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
static struct place *places_of(const json_t *cells, size_t *n)
{
    size_t i, most = 0;
    json_t *cell;
    json_array_foreach(cells, i, cell) most += n_lookups_of(cell) + 1;
    struct place *places = calloc(most + 1, sizeof *places);
    *n = 0;
    json_array_foreach(cells, i, cell)
    {
        const json_t *lookups = json_object_get(cell, "lookups");
        const size_t control = *n;
        for (size_t l = 0; places && is_timed(cell) && l <= n_lookups_of(cell); l++)
            places[(*n)++] =
                (struct place){.object = l ? json_array_get(lookups, l - 1) : cell,
                               .name = l ? "time" : "control",
                               .id = fb_json_str(cell, "id"),
                               .first = fb_json_str(json_array_get(lookups, 0), "lookup"),
                               .batch = json_integer_value(fb_json_at(cell, "timed.batch")),
                               .to = l > 1 ? (int32_t)control + 1 : -1};
    }
    return places;
}

static const json_t *samples_of(const struct place *place)
{
    return json_object_get(json_object_get(place->object, place->name), "samples_ns");
}

/* NULL, or the id of the cell whose samples cannot be read. */
static const char *load(const struct place *places, size_t n, struct fb_group *g)
{
    const size_t rounds = json_array_size(json_array_get(samples_of(places), 0));
    size_t n_batches = 0;
    if (!rounds || rounds > FB_GROUP_ROUNDS)
        return places->id;
    for (size_t i = 0; i < n; i++) {
        if (places[i].batch < 0 || places[i].batch >= (json_int_t)n)
            return places[i].id;
        n_batches = (size_t)places[i].batch < n_batches ? n_batches : (size_t)places[i].batch + 1;
    }
    if (fb_group_open(g, n, n_batches, rounds, FB_PAIRED_MAX))
        return "memory for the samples";
    for (size_t i = 0; i < n; i++) {
        struct fb_member *m = &g->members[i];
        m->part = m->series = (uint32_t)places[i].batch;
        m->to = places[i].to;
        size_t *processes = &g->parts[m->part].processes;
        if (!*processes)
            *processes = json_array_size(samples_of(&places[i]));
        const json_t *time = json_object_get(places[i].object, places[i].name);
        if (!*processes || *processes > FB_PAIRED_MAX || !fb_group_time_read(time, g, i))
            return places[i].id;
    }
    return fb_group_estimate(g) ? "memory for the estimates" : NULL;
}

bool fb_lsm_derive_times(json_t *document, struct fb_problem *problem)
{
    json_t *timing = json_object_get(document, "timing");
    struct fb_group group = {0};
    size_t n;
    struct place *places = places_of(json_object_get(document, "cells"), &n);
    const char *unreadable = !places ? "memory for the times" : n ? load(places, n, &group) : NULL;
    if (unreadable)
        fb_refuse(problem, "%.200s: its samples cannot be read", unreadable);
    for (size_t i = 0; i < n && !unreadable; i++)
        json_object_set_new(places[i].object, places[i].name,
                            fb_lsm_time(&group, i, places[i].first));
    if (n && !unreadable) {
        fb_group_timing_json(&group, timing);
        fb_group_noise_json(&group, json_object_get(timing, "noise"));
    }
    fb_group_close(&group);
    free(places);
    return !unreadable;
}

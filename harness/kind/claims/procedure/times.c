#include "harness/kind/claims/procedure/procedure.h"

#include <stdlib.h>
#include <string.h>

#include "harness/measure/group_json.h"

static void close_part(struct fb_times_part *part)
{
    if (part->self)
        part->close(part->self);
    json_decref(part->key);
}

void fb_times_close(struct fb_times *times)
{
    fb_group_close(&times->group);
    for (size_t p = 0; p < times->n; p++)
        close_part(&times->parts[p]);
    free(times->parts);
    memset(times, 0, sizeof *times);
}

bool fb_times_find(struct fb_times *times, const json_t *key)
{
    for (times->asked = 0; times->asked < times->n; times->asked++)
        if (json_equal(times->parts[times->asked].key, key))
            return true;
    return false;
}

enum fb_err fb_times_add(struct fb_times *times, struct fb_times_part part)
{
    struct fb_times_part *parts = realloc(times->parts, (times->n + 1) * sizeof *parts);
    json_incref(part.key);
    if (!parts) {
        close_part(&part);
        return FB_ENOMEM;
    }
    times->parts = parts;
    times->asked = times->n;
    parts[times->n++] = part;
    return FB_OK;
}

/* The group has the members of the parts in their order. */
static size_t first_member(const struct fb_times *times, size_t part)
{
    size_t first = 0;
    for (size_t p = 0; p < part; p++)
        first += times->parts[p].n;
    return first;
}

const struct fb_member *fb_times_members(const struct fb_times *times)
{
    const struct fb_group *g = &times->group;
    bool delivered = g->n_parts && g->parts[times->asked].processes;
    return delivered ? g->members + first_member(times, times->asked) : NULL;
}

/* ---- In a document ---- */

/* Members of a part, by their place in it. */
static const char *const names[FB_TIMES_MEMBERS] = {"0", "1", "2", "3", "4", "5", "6", "7"};

json_t *fb_times_json(const struct fb_times *times)
{
    json_t *list = json_array();
    for (size_t p = 0; p < times->n; p++) {
        const struct fb_times_part *part = &times->parts[p];
        const size_t first = first_member(times, p);
        json_t *members = json_array();
        for (size_t i = 0; i < part->n; i++) {
            const int32_t to = part->to[i];
            json_array_append_new(
                members,
                json_pack("{s:o}", "time",
                          fb_group_time_json(&times->group, first + i, "ns_per_op",
                                             to < 0 ? NULL : names[to], "it is compared to none")));
        }
        json_array_append_new(list, json_pack("{s:O, s:o}", "of", part->key, "members", members));
    }
    return list;
}

bool fb_times_read(struct fb_times *times, const json_t *list, const char **why)
{
    const size_t n = first_member(times, times->n);
    struct fb_group_place *places = calloc(n + 1, sizeof *places), *next = places;
    *why = json_array_size(list) == times->n ? NULL : "not those that the rows ask for";
    for (size_t p = 0; p < times->n && places && !*why; p++) {
        const struct fb_times_part *part = &times->parts[p];
        const json_t *members = json_object_get(json_array_get(list, p), "members");
        const int32_t first = (int32_t)(next - places);
        for (size_t i = 0; i < part->n; i++, next++)
            *next = (struct fb_group_place){.object = json_array_get(members, i),
                                            .name = "time",
                                            .id = "their samples cannot be read",
                                            .part = (uint32_t)p,
                                            .series = (uint32_t)p,
                                            .to = part->to[i] < 0 ? -1 : first + part->to[i]};
    }
    if (!*why)
        *why = places ? fb_group_read(&times->group, places, n, times->n) : fb_err_text(FB_ENOMEM);
    free(places);
    return !*why;
}

/* ---- Measured ---- */

enum fb_err fb_times_measure(struct fb_times *times, const struct fb_group_options *options,
                             const struct fb_group_watch *watch, const char **why)
{
    struct fb_group *g = &times->group;
    enum fb_err err = fb_group_open(g, first_member(times, times->n), times->n, options->rounds,
                                    options->max_processes);
    for (size_t p = 0; p < times->n && !err; p++) {
        const struct fb_times_part *part = &times->parts[p];
        const size_t first = first_member(times, p);
        for (size_t i = 0; i < part->n; i++) {
            struct fb_member *member = &g->members[first + i];
            member->part = member->series = (uint32_t)p;
            member->to = part->to[i] < 0 ? -1 : (int32_t)first + part->to[i];
        }
        err = part->open(part->self, options, &g->parts[p], why);
    }
    return err ? err : fb_group_run(g, options, watch);
}

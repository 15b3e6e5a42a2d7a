#include "harness/kind/claims/procedure/times.h"

#include <stdlib.h>
#include <string.h>

static void close_part(struct fb_times_part *part)
{
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

/* Cells of an experiment of kind "kernels": to JSON, and derived again from it. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/document/fields.h"
#include "harness/kind/kernels/kernels.h"
#include "harness/measure/group_json.h"

json_t *fb_kernels_time(const struct fb_group *group, char (*ids)[FB_KERNELS_ID], size_t cell)
{
    const int32_t to = group->members[cell].to;
    return fb_group_time_json(group, cell, "ns_per_op", to < 0 ? NULL : ids[to],
                              "it is a yardstick");
}

json_t *fb_kernels_memory(const struct fb_group *group)
{
    return json_pack("{s:f, s:f}", "ratio", group->memory, "time", group->memory_ns);
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

static enum fb_exit differs(const char *path, const char *id, const char *what, const char *where)
{
    fb_error("%s: %s%s%s.%s is not what the samples give", path, id, *id ? ": " : "", what,
             where ? where : "?");
    return FB_EXIT_CORRECTNESS;
}

/* What "timing" says of all samples, where the document has it. */
static enum fb_exit check_totals(const char *path, const json_t *timing, const struct fb_group *g)
{
    const char *where = NULL;
    json_t *derived = json_pack("{s:I, s:o}", "processes", (json_int_t)fb_group_processes(g),
                                "memory", fb_kernels_memory(g));
    json_t *written = json_pack("{s:O?, s:O?}", "processes", json_object_get(timing, "processes"),
                                "memory", json_object_get(timing, "memory"));
    bool same = !timing || fb_json_agree(derived, written, &where);
    json_decref(derived);
    json_decref(written);
    return same ? FB_EXIT_OK : differs(path, "", "timing", where);
}

static enum fb_exit check_cell(const char *path, const json_t *cell, const struct fb_group *g,
                               char (*ids)[FB_KERNELS_ID], size_t i)
{
    const char *where = NULL;
    json_t *derived = fb_kernels_time(g, ids, i);
    bool same = fb_json_agree(derived, json_object_get(cell, "time"), &where);
    json_decref(derived);
    if (!same)
        return differs(path, ids[i], "time", where);
    if (!fb_kernels_scaling_agrees(json_object_get(cell, "scaling"), &where))
        return differs(path, ids[i], "scaling", where);
    return FB_EXIT_OK;
}

enum fb_exit fb_kernels_check(const char *path, const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    const size_t n = json_array_size(cells);
    struct fb_group group = {0};
    char(*ids)[FB_KERNELS_ID] = calloc(n + 1, sizeof *ids);
    enum fb_exit code = FB_EXIT_OK;
    const char *unreadable = load(cells, &group, ids);
    if (unreadable) {
        fb_error("%s: %s: its samples cannot be read", path, unreadable);
        code = FB_EXIT_USAGE;
    }
    for (size_t i = 0; i < n && !code; i++)
        code = check_cell(path, json_array_get(cells, i), &group, ids, i);
    if (!code)
        code = check_totals(path, json_object_get(document, "timing"), &group);
    fb_group_close(&group);
    free(ids);
    return code;
}

/* Which loop of its family stands for a yardstick, and what plain loops beside it say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "harness/kind/kernels/kernels.h"

/* ---- Measuring the families ---- */

/* Members of all families of a grid, as cells of a job that borrows its filters. */
struct screen {
    struct fb_kernels_grid *grid;
    struct fb_timing_job job;
    size_t *of; /* [job.n_cells] the yardstick's cell in the grid */
};

static enum fb_err open_screen(struct screen *s, struct fb_kernels_grid *grid)
{
    const size_t most = grid->job.n_cells * FB_FAMILY_MOST + 1;
    *s = (struct screen){.grid = grid, .job = grid->job};
    s->job.n_cells = 0;
    s->job.cells = calloc(most, sizeof *s->job.cells);
    s->of = calloc(most, sizeof *s->of);
    if (!s->job.cells || !s->of)
        return FB_ENOMEM;
    for (size_t i = 0; i < grid->job.n_cells; i++) {
        const struct fb_timing_cell *cell = &grid->job.cells[i];
        struct fb_yardstick_member members[FB_FAMILY_MOST];
        if (!cell->family)
            continue;
        const enum fb_yardstick which = fb_yardstick_find(fb_design_at(cell->design)->name);
        const size_t n =
            fb_yardstick_family(which, grid->machine.isa, cell->operation == FB_OP_BATCH, members);
        for (size_t m = 0; m < n; m++) {
            struct fb_timing_cell *member = &s->job.cells[s->job.n_cells];
            *member = *cell;
            member->kernel = members[m].kernel;
            member->tries = true;
            member->tuned = fb_yardstick_tuned(which);
            member->prefetch = members[m].how;
            s->of[s->job.n_cells++] = i;
        }
    }
    return FB_OK;
}

static bool never(void *arg, const struct fb_group *group, size_t part)
{
    (void)arg, (void)group, (void)part;
    return false;
}

static json_t *member_json(const struct fb_timing_cell *member, double ns)
{
    const struct fb_kernel *kernel = fb_design_at(member->design)->kernels[member->kernel];
    return json_pack("{s:s, s:s, s:i, s:s, s:f}", "isa", fb_isa_name(kernel->isa), "style",
                     kernel->style, "ahead", (int)member->prefetch.ahead, "hint",
                     fb_hint_words[member->prefetch.hint].name, "ns", ns);
}

/* Gives each yardstick its fastest member, and says so. */
static json_t *choose(const struct screen *s, const struct fb_group *group)
{
    json_t *all = json_array(), *members = NULL;
    double best = INFINITY;
    for (size_t m = 0; m < s->job.n_cells; m++) {
        const double ns = group->members[m].estimate.ns;
        struct fb_timing_cell *cell = &s->grid->job.cells[s->of[m]];
        if (!m || s->of[m] != s->of[m - 1]) {
            members = json_array();
            best = INFINITY;
            json_array_append_new(
                all, json_pack("{s:s, s:s, s:s, s:o}", "design", fb_design_at(cell->design)->name,
                               "footprint", fb_footprint_name((enum fb_footprint)cell->footprint),
                               "operation", fb_operation_name((enum fb_operation)cell->operation),
                               "members", members));
        }
        json_array_append_new(members, member_json(&s->job.cells[m], ns));
        if (ns < best) {
            best = ns;
            *cell = s->job.cells[m];
        }
    }
    fb_kernels_screen_derive(all);
    return all;
}

enum fb_err fb_kernels_screen(struct fb_kernels_grid *grid, double budget_s, json_t **out)
{
    /* A batch reads lines for the fifteenth part of a millisecond, thirty times in all: the median
     * of members that are 2 % apart stands by less than that. */
    enum { ROUNDS = 5, PROCESSES = 3, BATCH_NS = 60000 };
    static const struct fb_group_watch watch = {.precise = never};
    struct screen s;
    struct fb_group group = {0};
    *out = NULL;
    enum fb_err err = open_screen(&s, grid);
    struct fb_group_options *options = &s.job.options.group;
    options->rounds = ROUNDS;
    options->min_processes = 1;
    options->max_processes = PROCESSES;
    options->budget_s = budget_s;
    options->min_batch_ns = BATCH_NS;
    options->seed = ~options->seed; /* other placements than those of the samples */
    if (!err)
        err = fb_timing_run(&s.job, &watch, &group);
    if (!err && !fb_interrupted())
        *out = choose(&s, &group);
    fb_group_close(&group);
    free(s.job.cells);
    free(s.of);
    return err;
}

/* ---- What follows ---- */

void fb_kernels_screen_derive(json_t *yardsticks)
{
    static const char *const loop[] = {"isa", "style", "ahead", "hint", "ns", NULL};
    json_t *yardstick, *member;
    size_t i, m;
    json_array_foreach(yardsticks, i, yardstick) {
        json_t *fastest = NULL;
        json_array_foreach(json_object_get(yardstick, "members"), m, member)
            if (!fastest || fb_json_num(member, "ns") < fb_json_num(fastest, "ns"))
                fastest = member;
        json_t *chosen = fb_json_members(fastest, loop);
        json_object_update(yardstick, chosen);
        json_decref(chosen);
    }
}

/* ---- Plain loops ---- */

/* The fastest of those that are held to a yardstick; NULL: there are none. */
static const json_t *fastest_plain(const json_t *cells, const json_t *yardstick)
{
    const json_t *fastest = NULL;
    json_t *cell;
    size_t i;
    json_array_foreach((json_t *)cells, i, cell) {
        const double ratio = fb_json_num(cell, "time.ratio");
        if (!strcmp(fb_json_str(cell, "operation"), fb_operation_name(FB_OP_PLAIN)) &&
            json_equal(fb_json_at(cell, "time.ratio_to"), json_object_get(yardstick, "id")) &&
            (!fastest || ratio < fb_json_num(fastest, "time.ratio")))
            fastest = cell;
    }
    return fastest;
}

json_t *fb_kernels_plain(const json_t *cells)
{
    static const char *const names[] = {"design", "footprint", "isa", "style", NULL};
    json_t *rows = json_array(), *cell;
    size_t i;
    json_array_foreach((json_t *)cells, i, cell) {
        const json_t *plain = fastest_plain(cells, cell);
        const double ratio = fb_json_num(plain, "time.ratio");
        if (!plain)
            continue;
        json_t *row = fb_json_members(plain, names);
        json_object_set_new(row, "ratio", json_real(ratio));
        json_object_set_new(row, "faster", json_boolean(ratio < 1 / (1 + FB_YARDSTICK_SLACK)));
        json_array_append_new(rows, row);
    }
    return rows;
}

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

static size_t family_of(const struct fb_kernels_grid *grid, const struct fb_timing_cell *cell,
                        struct fb_yardstick_member members[FB_FAMILY_MOST])
{
    return cell->family
               ? fb_yardstick_family(fb_yardstick_find(fb_design_at(cell->design)->name),
                                     grid->machine.isa, (enum fb_operation)cell->operation, members)
               : 0;
}

static void add_member(struct screen *s, size_t of, struct fb_yardstick_member loop)
{
    struct fb_timing_cell *member = &s->job.cells[s->job.n_cells];
    *member = s->grid->job.cells[of];
    member->kernel = loop.kernel;
    member->tries = true;
    member->tuned = fb_yardstick_tuned(fb_yardstick_find(fb_design_at(member->design)->name));
    member->prefetch = loop.how;
    s->of[s->job.n_cells++] = of;
}

/* Neighbours are of different yardsticks: as in a run, another filter was asked before. */
static enum fb_err open_screen(struct screen *s, struct fb_kernels_grid *grid)
{
    const size_t most = grid->job.n_cells * FB_FAMILY_MOST + 1;
    struct fb_yardstick_member members[FB_FAMILY_MOST];
    *s = (struct screen){.grid = grid, .job = grid->job};
    s->job.n_cells = 0;
    s->job.cells = calloc(most, sizeof *s->job.cells);
    s->of = calloc(most, sizeof *s->of);
    if (!s->job.cells || !s->of)
        return FB_ENOMEM;
    for (size_t m = 0; m < FB_FAMILY_MOST; m++)
        for (size_t i = 0; i < grid->job.n_cells; i++)
            if (m < family_of(grid, &grid->job.cells[i], members))
                add_member(s, i, members[m]);
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

/* Gives a yardstick its fastest member, and says so. */
static json_t *choose(const struct screen *s, const struct fb_group *group, size_t of)
{
    struct fb_timing_cell *cell = &s->grid->job.cells[of];
    json_t *members = json_array();
    double best = INFINITY;
    for (size_t m = 0; m < s->job.n_cells; m++) {
        const double ns = group->members[m].estimate.ns;
        if (s->of[m] != of)
            continue;
        json_array_append_new(members, member_json(&s->job.cells[m], ns));
        if (ns < best) {
            best = ns;
            *cell = s->job.cells[m];
        }
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "design", fb_design_at(cell->design)->name,
                     "footprint", fb_footprint_name((enum fb_footprint)cell->footprint),
                     "operation", fb_operation_name((enum fb_operation)cell->operation), "members",
                     members);
}

static json_t *choose_all(const struct screen *s, const struct fb_group *group)
{
    json_t *all = json_array();
    for (size_t i = 0; i < s->grid->job.n_cells; i++)
        if (s->grid->job.cells[i].family)
            json_array_append_new(all, choose(s, group, i));
    fb_kernels_screen_derive(all);
    return all;
}

enum fb_err fb_kernels_screen(struct fb_kernels_grid *grid, double budget_s, struct fb_turns *turns,
                              json_t **out)
{
    enum { ROUNDS = 5, PROCESSES = 3, BATCH_NS = 150000 }; /* some six seconds of four footprints */
    const struct fb_group_watch watch = {
        .arg = turns, .recall = fb_turns_recall, .keep = fb_turns_keep, .precise = never};
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
        *out = choose_all(&s, &group);
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

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
    size_t *of;     /* [job.n_cells] the yardstick's cell in the grid */
    size_t *faster; /* [job.n_cells] members of its family that are faster */
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
    s->faster = calloc(most, sizeof *s->faster);
    if (!s->job.cells || !s->of || !s->faster)
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
/* ns: of the first member, times the ratio to it. */
static json_t *choose(const struct screen *s, const struct fb_group *group, size_t of)
{
    struct fb_timing_cell *cell = &s->grid->job.cells[of];
    json_t *members = json_array();
    double best = INFINITY;
    for (size_t m = 0; m < s->job.n_cells; m++) {
        const int32_t first = s->job.cells[m].yardstick;
        const struct fb_estimate *e = &group->members[m].estimate;
        const double ns = first < 0 ? e->ns : group->members[first].estimate.ns * e->ratio;
        if (s->of[m] != of)
            continue;
        json_array_append_new(members, member_json(&s->job.cells[m], ns));
        if (ns < best) {
            best = ns;
            *cell = s->job.cells[m];
            cell->yardstick = -1;
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

/* Keeps the fastest few members of each family, in their order: they are held to the first of them,
 * in the same rounds. */
static void keep_few(struct screen *s, const struct fb_group *group)
{
    enum { FEW = 4 };
    size_t kept = 0;
    for (size_t m = 0; m < s->job.n_cells; m++)
        for (size_t other = 0; other < s->job.n_cells; other++)
            s->faster[m] += s->of[other] == s->of[m] &&
                            group->members[other].estimate.ns < group->members[m].estimate.ns;
    for (size_t m = 0; m < s->job.n_cells; m++) {
        if (s->faster[m] >= FEW)
            continue;
        size_t first = 0;
        while (first < kept && s->of[first] != s->of[m])
            first++;
        s->of[kept] = s->of[m];
        s->job.cells[kept] = s->job.cells[m];
        s->job.cells[kept].yardstick = first < kept ? (int32_t)first : -1;
        kept++;
    }
    s->job.n_cells = kept;
}

/* Which loops are kept decides what a step of the journal holds. */
static void name_of(const struct screen *s, char name[40])
{
    uint64_t kept = s->job.n_cells;
    for (size_t m = 0; m < s->job.n_cells; m++) {
        const struct fb_timing_cell *cell = &s->job.cells[m];
        kept = fb_mix64(kept ^ (uint64_t)s->of[m] << 40 ^ (uint64_t)cell->kernel << 32 ^
                        (uint64_t)cell->prefetch.ahead << 16 ^ cell->prefetch.hint);
    }
    snprintf(name, 40, "yardsticks %08x", (unsigned)kept);
}

/* One pass over the members that are left. */
static enum fb_err measure(struct screen *s, double budget_s, struct fb_turns *turns,
                           struct fb_group *group)
{
    const struct fb_group_watch watch = {
        .arg = turns, .recall = fb_turns_recall, .keep = fb_turns_keep, .precise = never};
    s->job.options.group.budget_s = budget_s;
    return fb_timing_run(&s->job, &watch, group);
}

enum fb_err fb_kernels_screen(struct fb_kernels_grid *grid, double budget_s, struct fb_turns *turns,
                              json_t **out)
{
    /* All members in short batches, then the few in those of a run, whose caches and address
     * translation are warm: some six seconds of four footprints. */
    enum { ROUNDS = 5, PROCESSES = 3, BATCH_NS = 150000, AGAIN = 5 };
    const double long_batch_ns = grid->job.options.group.min_batch_ns, started_s = fb_seconds();
    char name[40];
    struct screen s;
    struct fb_group group = {0};
    struct fb_turns again = {.journal = turns->journal, .name = name};
    *out = NULL;
    enum fb_err err = open_screen(&s, grid);
    struct fb_group_options *options = &s.job.options.group;
    options->rounds = ROUNDS;
    options->min_processes = 1;
    options->max_processes = PROCESSES;
    options->min_batch_ns = BATCH_NS;
    options->seed = ~options->seed; /* other placements than those of the samples */
    if (!err)
        err = measure(&s, budget_s / 2, turns, &group);
    if (!err && !fb_interrupted()) {
        keep_few(&s, &group);
        fb_group_close(&group);
        options->min_batch_ns = long_batch_ns;
        options->max_processes = AGAIN;
        name_of(&s, name);
        err = measure(&s, budget_s - (fb_seconds() - started_s), &again, &group);
        turns->code = turns->code ? turns->code : again.code;
    }
    if (!err && !fb_interrupted())
        *out = choose_all(&s, &group);
    fb_group_close(&group);
    free(s.job.cells);
    free(s.of);
    free(s.faster);
    return err;
}

/* ---- What follows ---- */

void fb_kernels_screen_derive(json_t *yardsticks)
{
    static const char *const loop[] = {"isa", "style", "ahead", "hint", "ns", NULL};
    FB_EACH(yardstick, yardsticks) {
        json_t *fastest = NULL;
        FB_EACH(member, json_object_get(yardstick, "members"))
            if (!fastest || fb_json_num(member, "ns") < fb_json_num(fastest, "ns"))
                fastest = member;
        json_auto_t *chosen = fb_json_members(fastest, loop);
        json_object_update(yardstick, chosen);
    }
}

/* ---- Plain loops ---- */

/* The median of the sample ratios of every second process, from `first` on; of all there is where
 * there are no two processes. */
static double ratio_in(const json_t *cell, const json_t *yardstick, size_t first)
{
    const json_t *a = fb_json_at(cell, "time.samples_ns"),
                 *b = fb_json_at(yardstick, "time.samples_ns");
    double ratios[FB_PAIRED_MAX];
    size_t n = 0;
    for (size_t p = first; p < json_array_size(a) && n < FB_PAIRED_MAX; p += 2) {
        const json_t *mine = json_array_get(a, p), *its = json_array_get(b, p);
        double each[FB_GROUP_ROUNDS];
        size_t rounds = 0;
        for (; rounds < json_array_size(mine) && rounds < FB_GROUP_ROUNDS; rounds++)
            each[rounds] = json_number_value(json_array_get(mine, rounds)) /
                           json_number_value(json_array_get(its, rounds));
        if (rounds)
            ratios[n++] = fb_median(each, rounds);
    }
    return n && json_array_size(a) > 1 ? fb_median(ratios, n) : fb_json_num(cell, "time.ratio");
}

/* The fastest of those that are held to a yardstick, in every second process: of so many loops the
 * luckiest would win in all. NULL: there are none. */
static const json_t *fastest_plain(const json_t *cells, const json_t *yardstick)
{
    const json_t *fastest = NULL;
    double least = INFINITY;
    FB_EACH(cell, cells) {
        if (strcmp(fb_json_str(cell, "operation"), fb_operation_name(FB_OP_PLAIN)) ||
            !json_equal(fb_json_at(cell, "time.ratio_to"), json_object_get(yardstick, "id")))
            continue;
        const double ratio = ratio_in(cell, yardstick, 0);
        if (!fastest || ratio < least) {
            fastest = cell;
            least = ratio;
        }
    }
    return fastest;
}

json_t *fb_kernels_plain(const json_t *cells)
{
    static const char *const names[] = {"design", "footprint", "isa", "style", NULL};
    json_t *rows = json_array();
    FB_EACH(cell, cells) {
        const json_t *plain = fastest_plain(cells, cell);
        if (!plain)
            continue;
        const double ratio = ratio_in(plain, cell, 1);
        json_t *row = fb_json_members(plain, names);
        json_object_set_new(row, "ratio", json_real(ratio));
        json_object_set_new(row, "faster", json_boolean(ratio < 1 / (1 + FB_YARDSTICK_SLACK)));
        json_array_append_new(rows, row);
    }
    return rows;
}

/* The walks of a grid of kind "kernels": a key, or a batch of keys, over several filters. */
#include <stdio.h>

#include "harness/filter/yardstick.h"
#include "harness/kind/kernels/planning.h"

static bool asked(const struct fb_kernels *e)
{
    return e->operation[FB_OP_WALK] || e->operation[FB_OP_WALK_BATCH];
}

static void say_absent(struct fb_planning *p)
{
    char what[24];
    snprintf(what, sizeof what, "walk-%u", p->runs);
    if (fb_planning_asks_present(p->e))
        fb_planning_skip(p, p->design->name, what,
                         "a walk asks for absent keys, whatever hit_ratios says");
}

void fb_planning_walks(struct fb_planning *p, size_t kernel, bool yardstick)
{
    const uint32_t alone = p->filter;
    for (size_t i = 0; i < p->e->n_runs && asked(p->e); i++) {
        p->runs = p->e->runs[i];
        if (p->row[i] == -1 && !yardstick)
            say_absent(p);
        if (p->row[i] == -1)
            p->row[i] = fb_planning_filter(p, p->design, 0) ? (int64_t)p->filter : -2;
        if (p->row[i] < 0)
            continue;
        p->filter = (uint32_t)p->row[i];
        const enum fb_yardstick own = fb_yardstick_find(p->design->name);
        const enum fb_yardstick which =
            yardstick ? own : fb_yardstick_of(&p->grid->job.filters[p->filter].geom);
        for (int batched = 0; batched < 2; batched++) {
            const enum fb_operation operation = batched ? FB_OP_WALK_BATCH : FB_OP_WALK;
            int32_t *to = &p->walk_yardstick[which][i][batched];
            if (!p->e->operation[operation])
                continue;
            const int32_t cell = fb_planning_cell(p, kernel, operation, 0, yardstick ? -1 : *to);
            if (yardstick)
                *to = cell;
        }
    }
    p->runs = 0;
    p->filter = alone;
}

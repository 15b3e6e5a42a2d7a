/* The loads of filters of kind "kernels": how many keys a filter of a load holds. */
#include <stdio.h>
#include <string.h>

#include "harness/kind/kernels/planning.h"

/* A load such as 0.95 is no number of a double: 20000 slots take 19000 keys, not one less. */
static const double ROUNDING = 1e-9;

enum fb_err fb_planning_hold(const struct fb_planning *p, struct fb_timing_filter *f,
                             const char **why)
{
    static char text[80];
    const struct fb_design *design = fb_design_at(f->design);
    double most = 1;
    if (p->load <= 0)
        return FB_OK;
    if (fb_design_waits(design) || design->grow) {
        *why = "it takes all its keys at once, or grows with them: it has no load";
        return FB_EUNSUPPORTED;
    }
    const uint64_t room = design->slots ? design->slots(&f->geom, &most) : f->n_keys;
    if (p->load > most + ROUNDING) {
        snprintf(text, sizeof text, "its keys take at most %.3g %% of its slots", 100 * most);
        *why = text;
        return FB_EUNSUPPORTED;
    }
    f->params.capacity = f->n_keys;
    f->n_keys = (uint64_t)(p->load * (double)room * (1 + ROUNDING));
    return FB_OK;
}

void fb_planning_load(struct fb_planning *p, size_t i)
{
    const size_t end = strlen(p->place);
    p->load = p->e->load[i];
    snprintf(p->place + end, FB_KERNELS_PLACE - end, "/load=%.6g", p->load);
}

/* What stands beside a peer's loop or build in a grid of kind "kernels". */
#include "harness/filter/inline_loop.h"
#include "harness/kind/kernels/planning.h"

void fb_planning_inline(struct fb_planning *p, size_t kernel, enum fb_operation operation,
                        double hit_ratio, bool asked)
{
    const struct fb_design *design = p->design;
    const enum fb_isa isa = design->kernels[kernel]->isa;
    const struct fb_inline_loops *loops = fb_inline_loops_of(design->name, isa);
    const uint32_t shared = p->filter;
    const char *why = fb_operation_why_not(operation, design, design->kernels[kernel],
                                           p->grid->job.filters[p->filter].n_keys);
    if (why && asked)
        fb_planning_skip(p, design->name, fb_operation_name(operation), why);
    if (why)
        return;
    if (design->kernels[kernel] !=
        fb_planning_best(p, design, operation == FB_OP_BUILD_PEER ? FB_ISA_NONE : isa))
        return; /* once for each instruction set; a build takes the best */
    if (operation == FB_OP_INSERT_INLINE && !loops->same_layout &&
        !fb_planning_filter(p, design, 0)) /* which the peer spoils */
        return;
    const int32_t peer = fb_planning_loop(p, kernel, operation, hit_ratio, -1, FB_INLINE_PEER);
    p->filter = shared;
    if (operation != FB_OP_BUILD_PEER)
        fb_planning_loop(p, kernel, operation, hit_ratio, peer, FB_INLINE_HEADER);
    fb_planning_loop(p, kernel, operation, hit_ratio, peer, FB_INLINE_LIBRARY);
}

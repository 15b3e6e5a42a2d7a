#include "harness/filter/yardstick.h"

#include <string.h>

static const struct {
    const char *name;
    enum fb_tuned tuned;
} yardsticks[FB_N_YARDSTICKS] = {
    {"touch-32", FB_TUNED_TOUCH_32}, {"touch-64", FB_TUNED_TOUCH_64}, {"fetch", FB_TUNED_FETCH}};

const char *fb_yardstick_name(enum fb_yardstick which)
{
    return yardsticks[which].name;
}

enum fb_yardstick fb_yardstick_find(const char *design)
{
    size_t i = 0;
    while (i < FB_N_YARDSTICKS && strcmp(yardsticks[i].name, design))
        i++;
    return (enum fb_yardstick)i;
}

enum fb_yardstick fb_yardstick_of(const struct fb_geometry *geom)
{
    return geom->block_bits == 256   ? FB_YARD_TOUCH_32
           : geom->block_bits == 512 ? FB_YARD_TOUCH_64
                                     : FB_YARD_FETCH;
}

enum fb_tuned fb_yardstick_tuned(enum fb_yardstick which)
{
    return yardsticks[which].tuned;
}

/* Inserts one after the other fetch nothing. */
static bool looks_ahead(const struct fb_kernel *kernel, size_t work)
{
    return work == FB_TUNED_QUERY || kernel->isa != FB_ISA_SCALAR;
}

/* Whether it is a loop of batches that fetches nothing: whatever else it has is another kernel's.
 */
static bool is_of_batches(const struct fb_kernel *kernel)
{
    return !strcmp(kernel->style, "unrolled") || !strcmp(kernel->style, "gather");
}

size_t fb_yardstick_family(enum fb_yardstick which, const bool *isa, enum fb_operation operation,
                           struct fb_yardstick_member out[FB_FAMILY_MOST])
{
    static const uint16_t aheads[] = {16, 32, 64, 128, 256};
    static const uint16_t hints[FB_N_TUNED_WORKS][2] = {{FB_HINT_T0, FB_HINT_T1},
                                                        {FB_HINT_T1, FB_HINT_WRITE}};
    const size_t work = operation == FB_OP_INSERT ? FB_TUNED_INSERT : FB_TUNED_QUERY;
    const bool ahead = operation == FB_OP_BATCH || operation == FB_OP_INSERT;
    const struct fb_design *design = fb_design_find(yardsticks[which].name);
    size_t n = 0, n_kernels = 0, looking = 0;
    while (design && design->kernels[n_kernels])
        n_kernels++;
    for (size_t k = n_kernels; k-- > 0;) { /* the best stand last */
        const bool of_batches = is_of_batches(design->kernels[k]);
        if (design->kernels[k]->concurrent_add || !isa[design->kernels[k]->isa] ||
            (of_batches && operation != FB_OP_BATCH))
            continue;
        out[n++] = (struct fb_yardstick_member){.kernel = (uint32_t)k};
        if (of_batches)
            continue;
        for (size_t i = 0; i < 10 && ahead && looks_ahead(design->kernels[k], work); i++)
            if (looking < 2 || aheads[i / 2] == 32 || aheads[i / 2] == 64)
                out[n++] = (struct fb_yardstick_member){.kernel = (uint32_t)k,
                                                        .how = {aheads[i / 2], hints[work][i % 2]}};
        looking++;
    }
    return n;
}

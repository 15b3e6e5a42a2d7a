#include "filters/lookup/lookup.h"

#include <string.h>

extern const struct fb_lookup fb_lookup_rehash_each, fb_lookup_shared_digest,
    fb_lookup_shared_prefetch, fb_lookup_shared_branch_free, fb_lookup_batched;

const struct fb_lookup *const fb_lookups[] = {
    &fb_lookup_rehash_each,        &fb_lookup_shared_digest, &fb_lookup_shared_prefetch,
    &fb_lookup_shared_branch_free, &fb_lookup_batched,       NULL};

const struct fb_lookup *fb_lookup_find(const char *name)
{
    for (const struct fb_lookup *const *l = fb_lookups; *l; l++)
        if (!strcmp((*l)->name, name))
            return *l;
    return NULL;
}

/* A "ring" tests all bits of a block in a register, which is no branch either. */
static bool branch_free(const struct fb_kernel *kernel)
{
    return !strcmp(kernel->style, "branch-free") || !strcmp(kernel->style, "ring");
}

const struct fb_kernel *fb_lookup_kernel(const struct fb_lookup *lookup,
                                         const struct fb_design *design, enum fb_isa isa)
{
    const struct fb_kernel *best = NULL;
    for (const struct fb_kernel *const *k = design->kernels; *k; k++) {
        if ((*k)->concurrent_add || !fb_cpu_has((*k)->isa) || (isa && (*k)->isa > isa))
            continue;
        if (!best || !lookup->branch_free || branch_free(*k) || !branch_free(best))
            best = *k;
    }
    return best;
}

/* Kernels that touch nothing, and which kernel of a design is the best one here. */
#include "filters/core/filter.h"

#include <string.h>

static bool no_probe(const struct fb_filter *f, const uint64_t *digest)
{
    (void)f, (void)digest;
    return false;
}

static size_t no_batch(const struct fb_filter *f, const uint64_t *digests, size_t n, uint8_t *maybe)
{
    (void)f, (void)digests;
    memset(maybe, 0, n);
    return 0;
}

static size_t no_each(const struct fb_filter *f, const uint64_t *digests, size_t n)
{
    (void)f, (void)digests, (void)n;
    return 0;
}

static bool yes_probe(const struct fb_filter *f, const uint64_t *digest)
{
    (void)f, (void)digest;
    return true;
}

static size_t yes_batch(const struct fb_filter *f, const uint64_t *digests, size_t n,
                        uint8_t *maybe)
{
    (void)f, (void)digests;
    memset(maybe, 1, n);
    return n;
}

static size_t yes_each(const struct fb_filter *f, const uint64_t *digests, size_t n)
{
    (void)f, (void)digests;
    return n;
}

/* Filters of either kernel may stand in one walk: a run without a filter says yes. */
static uint64_t constant_across(const struct fb_filter *const *filters, size_t n,
                                const uint64_t *digest)
{
    uint64_t maybe = 0;
    (void)digest;
    for (size_t r = 0; r < n; r++)
        maybe |= (uint64_t)(filters[r] && filters[r]->kernel->constant == FB_SAYS_YES) << r;
    return maybe;
}

static void prefetch_nothing(const struct fb_filter *const *filters, size_t n,
                             const uint64_t *digest)
{
    (void)filters, (void)n, (void)digest;
}

static size_t add_nothing(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    (void)f, (void)digests;
    return n;
}

const struct fb_kernel fb_kernel_no = {
    .isa = FB_ISA_SCALAR,
    .style = "constant",
    .constant = FB_SAYS_NO,
    .query = no_probe,
    .query_batch = no_batch,
    .query_each = no_each,
    .query_branch = no_each,
    .query_chain = no_each,
    .query_across = constant_across,
    .prefetch_across = prefetch_nothing,
    .add_batch = add_nothing,
};

const struct fb_kernel fb_kernel_yes = {
    .isa = FB_ISA_SCALAR,
    .style = "constant",
    .constant = FB_SAYS_YES,
    .query = yes_probe,
    .query_batch = yes_batch,
    .query_each = yes_each,
    .query_branch = yes_each,
    .query_chain = yes_each,
    .query_across = constant_across,
    .prefetch_across = prefetch_nothing,
    .add_batch = add_nothing,
};

const struct fb_kernel *fb_kernel_find(const struct fb_design *design, enum fb_isa isa)
{
    const struct fb_kernel *best = NULL;
    for (const struct fb_kernel *const *k = design->kernels; k && *k; k++)
        if (!(*k)->concurrent_add && fb_cpu_has((*k)->isa) &&
            (isa == FB_ISA_NONE || isa == (*k)->isa))
            best = *k;
    return best;
}

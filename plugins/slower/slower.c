/*
 * The built-in designs as a plugin, in which sbbf-256 is slower by a fixed amount of work: what
 * `filterbench calibrate` plants, to see whether `ab` finds it. The amount is fixed where this is
 * compiled, so that how much time it takes varies as it does for any slower code.
 *
 *     STEPS        dependent multiplications, about a nanosecond each: after a batch, or (PER_KEY)
 *                  for each key of it
 *     IN_BATCH, IN_EACH, IN_INSERT   where: after query_batch, query_each or add_batch
 *     CHUNK        query_batch is called for so many keys at a time, so that it looks no farther
 *                  ahead: a lost prefetch
 *     SOME         1: in about 60 % of the processes only
 */
#include <stdlib.h>
#include <string.h>

#include "filters/core/plugin.h"

enum { MOST_KERNELS = 8 };

#define DESIGN(id) extern const struct fb_design fb_design_##id;
#include "designs.def"
#undef DESIGN

static bool is_slow = true;

static void chain(uint64_t x, uint64_t steps)
{
    while (is_slow && steps--) {
        x = x * 0x9E3779B97F4A7C15 + 1;
        __asm__ volatile("" : "+r"(x)); /* or the compiler may find a shorter way */
    }
}

static uint64_t steps_of(size_t n)
{
    return PER_KEY ? STEPS * n : STEPS;
}

static size_t query_batch(const struct fb_kernel *kernel, const struct fb_filter *filter,
                          const uint64_t *digests, size_t n, uint8_t *maybe)
{
    size_t found = 0;
    const size_t most = CHUNK && is_slow ? CHUNK : n, words = filter->geom.digest_words;
    for (size_t from = 0, some; from < n; from += some) {
        some = n - from < most ? n - from : most;
        found += kernel->query_batch(filter, digests + from * words, some, maybe + from);
    }
    if (IN_BATCH)
        chain(found, steps_of(n));
    return found;
}

static size_t query_each(const struct fb_kernel *kernel, const struct fb_filter *filter,
                         const uint64_t *digests, size_t n)
{
    const size_t found = kernel->query_each(filter, digests, n);
    if (IN_EACH)
        chain(found, steps_of(n));
    return found;
}

static size_t add_batch(const struct fb_kernel *kernel, struct fb_filter *filter,
                        const uint64_t *digests, size_t n)
{
    const size_t added = kernel->add_batch(filter, digests, n);
    if (IN_INSERT)
        chain(added, steps_of(n));
    return added;
}

#define SLOW(i)                                                                                    \
    static size_t batch_##i(const struct fb_filter *f, const uint64_t *d, size_t n, uint8_t *m)    \
    {                                                                                              \
        return query_batch(fb_design_sbbf_256.kernels[i], f, d, n, m);                             \
    }                                                                                              \
    static size_t each_##i(const struct fb_filter *f, const uint64_t *d, size_t n)                 \
    {                                                                                              \
        return query_each(fb_design_sbbf_256.kernels[i], f, d, n);                                 \
    }                                                                                              \
    static size_t add_##i(struct fb_filter *f, const uint64_t *d, size_t n)                        \
    {                                                                                              \
        return add_batch(fb_design_sbbf_256.kernels[i], f, d, n);                                  \
    }                                                                                              \
    _Static_assert((i) < MOST_KERNELS, "room for it")
SLOW(0);
SLOW(1);
SLOW(2);
SLOW(3);
SLOW(4);
SLOW(5);
SLOW(6);
SLOW(7);
#define FOR_ALL(what)                                                                              \
    {                                                                                              \
        what##_0, what##_1, what##_2, what##_3, what##_4, what##_5, what##_6, what##_7             \
    }
static size_t (*const batches[MOST_KERNELS])(const struct fb_filter *, const uint64_t *, size_t,
                                             uint8_t *) = FOR_ALL(batch);
static size_t (*const eaches[MOST_KERNELS])(const struct fb_filter *, const uint64_t *,
                                            size_t) = FOR_ALL(each);
static size_t (*const adds[MOST_KERNELS])(struct fb_filter *, const uint64_t *,
                                          size_t) = FOR_ALL(add);

static struct fb_design slower;
static struct fb_kernel copies[MOST_KERNELS];
static const struct fb_kernel *kernels[MOST_KERNELS + 1];

static const struct fb_design *designs[] = {
#define DESIGN(id) &fb_design_##id,
#include "designs.def"
#undef DESIGN
    NULL};

FB_PLUGIN_EXPORT const struct fb_plugin_v1 fb_plugin_v1 = {
    FB_PLUGIN_HEAD, .name = "filterbench-slower", .revision = FB_REVISION, .designs = designs,
    FB_PLUGIN_TUNED};

__attribute__((constructor)) static void make(void)
{
    /* Where the stack begins is random in each process. */
    is_slow = !SOME || (uintptr_t)__builtin_frame_address(0) / 16 % 10 < 6;
    slower = fb_design_sbbf_256;
    slower.kernels = kernels;
    for (size_t i = 0; i < MOST_KERNELS && fb_design_sbbf_256.kernels[i]; i++) {
        copies[i] = *fb_design_sbbf_256.kernels[i];
        copies[i].query_batch = batches[i];
        copies[i].query_each = eaches[i];
        copies[i].add_batch = copies[i].add_batch ? adds[i] : NULL;
        kernels[i] = &copies[i];
    }
    for (const struct fb_design **d = designs; *d; d++)
        if (*d == &fb_design_sbbf_256)
            *d = &slower;
}

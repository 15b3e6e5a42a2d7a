#include "harness/filter/timed.h"

#include "harness/filter/plain_loop.h"
#include "workloads/core/rng.h"

/* Reads every line once. */
static void warm(void *self)
{
    struct fb_timed *t = self;
    uint64_t sum = 0;
    for (uint64_t at = 0; at < t->spec->geom.n_bytes; at += FB_CACHE_LINE)
        sum += t->filter.bytes[at];
    fb_opaque(sum);
}

/* A fresh block of digests: absent ones from words no key uses, present ones drawn among the keys.
 */
static void prepare(void *self, uint64_t block)
{
    struct fb_timed *t = self;
    const uint32_t words = t->spec->geom.digest_words;
    const uint64_t stream = t->spec->stream,
                   first = ~(block * FB_DIGEST_WORDS * sizeof *t->digests);
    uint64_t threshold = (uint64_t)(t->cell->hit_ratio * 0x1p32);
    if (t->cell->operation == FB_OP_INSERT)
        threshold = UINT64_C(1) << 32;
    if (threshold == 0) {
        for (size_t w = 0; w < t->n * words; w++)
            t->digests[w] = fb_mix64(stream + (first - w) * FB_GOLDEN64);
        return;
    }
    for (size_t i = 0; i < t->n; i++) {
        uint64_t random = fb_mix64(stream + (first - i) * FB_GOLDEN64);
        uint64_t key = fb_mulhi64(random, t->spec->n_keys) * words;
        bool present = (fb_mix64(random) >> 32) < threshold;
        for (uint32_t w = 0; w < words; w++)
            t->digests[i * words + w] = present ? fb_mix64(stream + (key + w) * FB_GOLDEN64)
                                                : fb_mix64(random + w * FB_GOLDEN64);
    }
}

uint64_t fb_timed_run(struct fb_timed *t, size_t n)
{
    struct fb_filter *f = &t->filter;
    switch ((enum fb_operation)t->cell->operation) {
    case FB_OP_BATCH:
        return f->kernel->query_batch(f, t->digests, n, t->maybe);
    case FB_OP_EACH:
        return f->kernel->query_each(f, t->digests, n);
    case FB_OP_BRANCH:
        return f->kernel->query_branch(f, t->digests, n);
    case FB_OP_CHAIN:
        return f->kernel->query_chain(f, t->digests, n);
    case FB_OP_INSERT:
        f->kernel->add_batch(f, t->digests, n);
        return f->bytes[0];
    case FB_OP_PLAIN:
        return fb_plain_loop(f, t->digests, n, t->maybe);
    case FB_N_OPERATIONS:
        break;
    }
    return 0;
}

static uint64_t run_block(void *self)
{
    struct fb_timed *t = self;
    return fb_timed_run(t, t->n);
}

/* Half a millisecond of the work itself: filters beyond the caches cannot be brought back, but the
 * dirty lines that the candidate before left behind are written back before the clock starts. */
static void warm_far(void *self)
{
    enum { WARM_NS = 500000 };
    const struct fb_clock *clock = &fb_system_clock;
    struct fb_timed *t = self;
    uint64_t sink = 0, end = clock->wall_ns(clock->self) + WARM_NS;
    do {
        prepare(t, (UINT64_C(1) << 48) + t->warmed++); /* far from the measured blocks */
        sink ^= fb_timed_run(t, t->n);
    } while (clock->wall_ns(clock->self) < end);
    fb_opaque(sink);
}

struct fb_timed fb_timed_make(const struct fb_timing_cell *cell,
                              const struct fb_timing_filter *spec, uint8_t *bytes,
                              uint64_t *digests, uint8_t *maybe)
{
    const struct fb_design *design = fb_design_at(cell->design);
    size_t n = FB_DIGEST_WORDS / spec->geom.digest_words;
    return (struct fb_timed){.filter = {.design = design,
                                        .kernel = design->kernels[cell->kernel],
                                        .params = spec->params,
                                        .geom = spec->geom,
                                        .n_keys = spec->n_keys,
                                        .bytes = bytes},
                             .cell = cell,
                             .spec = spec,
                             .n = n > 64 ? n & ~(size_t)63 : n,
                             .digests = digests,
                             .maybe = maybe};
}

struct fb_candidate fb_timed_candidate(struct fb_timed *t)
{
    return (struct fb_candidate){.self = t,
                                 .ops_per_block = t->n,
                                 .warm = t->cell->footprint == FB_FOOT_DRAM ? warm_far : warm,
                                 .prepare = prepare,
                                 .run = run_block};
}

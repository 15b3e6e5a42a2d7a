/* The toy library as a filterbench plugin with one design. `filterbench plugin new` explains the
 * members. */
#include "filters/core/plugin.h"
#include "filters/core/scattered.h"
#include "toy.h"

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    if (params->probes > 1) {
        *why = "this design has 1 probe";
        return FB_EINVAL;
    }
    const uint64_t bits = (uint64_t)((double)n_keys * params->bits_per_key);
    geom->n_bits = bits < 64 ? 64 : bits;
    geom->n_bytes = (geom->n_bits + 7) / 8;
    geom->probes = 1;
    return FB_OK;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_bloom_fpr(n_keys, geom->n_bits, geom->probes);
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    return toy_find(f->bytes, f->geom.n_bits, *digest);
}

static inline void insert(struct fb_filter *f, const uint64_t *digest)
{
    toy_add(f->bytes, f->geom.n_bits, *digest);
}

static size_t scalar_query_batch(const struct fb_filter *f, const uint64_t *digests, size_t n,
                                 uint8_t *maybe)
{
    return toy_find_many(f->bytes, f->geom.n_bits, digests, n, maybe);
}

static size_t scalar_add_batch(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    for (size_t i = 0; i < n; i++)
        insert(f, digests + i);
    return n;
}

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 1
#define FB_LOOPS_BATCHED
#include "filters/core/loops.inc"

static const struct fb_kernel *const kernels[] = {&scalar_kernel, NULL};
static const struct fb_format formats[] = {{0}};

static const struct fb_design toy = {
    .name = "toy",
    .summary = "one bit per key",
    .source = "toy.c",
    .traits = FB_SIZES_BY_BITS | FB_FIXED_PROBES,
    .hash = "xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_one,
    .plan = plan,
    .fpr = fpr,
    .formats = formats,
    .kernels = kernels,
};

static const struct fb_design *const designs[] = {&toy, NULL};

const struct fb_plugin_v1 fb_plugin_v1 = {FB_PLUGIN_HEAD, .name = "toy", .revision = "1",
                                          .designs = designs, FB_PLUGIN_TUNED};

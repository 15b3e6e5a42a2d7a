/* Designs each of which breaks one part of the contract, and one, "faultless", that breaks none. */
#include <stdlib.h>
#include <string.h>

#include "filters/core/plugin.h"
#include "filters/core/scattered.h"

static inline uint64_t bit(const struct fb_filter *f, const uint64_t *digest, uint32_t i)
{
    return fb_mod(fb_mix64(digest[0] + i * digest[1]), f->geom.range);
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    uint32_t i = 0;
    while (i < f->geom.probes && fb_bit_lsb(f->bytes, bit(f, digest, i)))
        i++;
    return i == f->geom.probes;
}

static inline void insert(struct fb_filter *f, const uint64_t *digest)
{
    for (uint32_t i = 0; i < f->geom.probes; i++)
        fb_set_bit_lsb(f->bytes, bit(f, digest, i));
}

static inline bool probe_denying(const struct fb_filter *f, const uint64_t *digest)
{
    return digest[0] % 64 && probe(f, digest);
}

static inline bool probe_lax(const struct fb_filter *f, const uint64_t *digest)
{
    return digest[0] % 64 == 0 || probe(f, digest);
}

#define FB_LOOPS       right
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 2
#include "filters/core/loops.inc"
#undef FB_LOOPS_PROBE
#define FB_LOOPS_PROBE probe_denying
#define FB_LOOPS       denying
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 2
#include "filters/core/loops.inc"
#undef FB_LOOPS_PROBE
#define FB_LOOPS_PROBE probe_lax
#define FB_LOOPS       lax
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 2
#include "filters/core/loops.inc"

/* Answers of a batch stand one place late from the 65th on. */
static size_t late_query_batch(const struct fb_filter *f, const uint64_t *digests, size_t n,
                               uint8_t *maybe)
{
    const size_t hits = right_query_batch(f, digests, n, maybe);
    if (n > 65)
        memmove(maybe + 65, maybe + 64, n - 65);
    return hits;
}

static size_t late_add_batch(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    return right_add_batch(f, digests, n);
}

#undef FB_LOOPS_PROBE
#define FB_LOOPS_BATCHED
#define FB_LOOPS       late
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 2
#include "filters/core/loops.inc"

static const struct fb_kernel *const right[] = {&right_kernel, NULL};
static const struct fb_kernel *const denies[] = {&denying_kernel, NULL};
static const struct fb_kernel *const disagrees[] = {&right_kernel, &lax_kernel, &right_kernel,
                                                    NULL};
static const struct fb_kernel *const batches[] = {&late_kernel, NULL};

/* ---- Blocks ---- */

static void encode_other_bits(const struct fb_filter *f, uint8_t *block)
{
    fb_nori_write(f, block);
    block[fb_nori_size(f) - 1] ^= 0x55;
}

static enum fb_err read_trustfully(const struct fb_design *design, const uint8_t *block, size_t len,
                                   struct fb_filter *out, const char **why)
{
    if (len < 12)
        abort(); /* what a read behind the end may come to */
    return fb_nori_read(design, block, len, out, why);
}

static const struct fb_format blocks[] = {
    {"b", "nori's", fb_nori_size, fb_nori_write, fb_nori_read}, {0}};
static const struct fb_format others[] = {
    {"b", "other bits", fb_nori_size, encode_other_bits, fb_nori_read}, {0}};
static const struct fb_format trusting[] = {
    {"b", "trustful", fb_nori_size, fb_nori_write, read_trustfully}, {0}};

/* ---- Rates, sizes ---- */

static double fpr_of_half(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_scattered_fpr(geom, n_keys / 2);
}

/* The right rate, but of filters of less than 2 bits per key. */
static double fpr_but_of_small(const struct fb_geometry *geom, uint64_t n_keys)
{
    return geom->n_bits < 2 * n_keys ? 1e-4 : fb_scattered_fpr(geom, n_keys);
}

/* Refuses a filter of no keys, and does not say why. */
static enum fb_err plan_mutely(const struct fb_params *params, uint64_t n_keys,
                               struct fb_geometry *geom, const char **why)
{
    return n_keys ? fb_document_plan(params, n_keys, geom, why) : FB_EINVAL;
}

#define DESIGN(id, plan_by, fpr_by, formats_of, kernels_of)                                        \
    static const struct fb_design id = {                                                           \
        .name = #id,                                                                               \
        .summary = "a Bloom filter",                                                               \
        .source = "tests/plugins/faulty.c",                                                        \
        .traits = FB_SIZES_BY_BITS | FB_COUNTS_DUPLICATES,                                         \
        .hash = "xxh64, seeds 0 and 1",                                                            \
        .digest_words = 2,                                                                         \
        .digest = fb_xxh64_pair,                                                                   \
        .plan = plan_by,                                                                           \
        .fpr = fpr_by,                                                                             \
        .formats = formats_of,                                                                     \
        .kernels = kernels_of,                                                                     \
    };
DESIGN(faultless, fb_document_plan, fb_scattered_fpr, blocks, right)
DESIGN(denying, fb_document_plan, fb_scattered_fpr, blocks, denies)
DESIGN(disagreeing, fb_document_plan, fb_scattered_fpr, blocks, disagrees)
DESIGN(late, fb_document_plan, fb_scattered_fpr, blocks, batches)
DESIGN(misread, fb_document_plan, fb_scattered_fpr, others, right)
DESIGN(trustful, fb_document_plan, fb_scattered_fpr, trusting, right)
DESIGN(hopeful, fb_document_plan, fpr_of_half, blocks, right)
DESIGN(flattering, fb_document_plan, fpr_but_of_small, blocks, right)
DESIGN(mute, plan_mutely, fb_scattered_fpr, blocks, right)

static const struct fb_design *const designs[] = {&faultless, &denying,  &disagreeing, &late,
                                                  &misread,   &trustful, &hopeful,     &flattering,
                                                  &mute,      NULL};

const struct fb_plugin_v1 fb_plugin_v1 = {FB_PLUGIN_HEAD, .name = "faulty", .revision = "tests",
                                          .designs = designs};

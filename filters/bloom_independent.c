/*
 * bloom-independent: the textbook, k independent hashes.
 *
 *     block: num_bits u64 | num_hashes u32 | bits_per_key u32 | bits, LSB first
 *     bit_i = XXH64(key, seed i) mod m, i < k
 *     m = n * bits_per_key, k = ceil(0.693 bits_per_key) clamped to 1..30
 *
 * Source: Bloom 1970; no storage engine does this. The header is that of the nori document, so that
 * nothing but the probes differs from nori. Exactly the false-positive rate of the formula.
 * Cost: k hashes per key, where the others compute one or two.
 */
#include "filters/core/scattered.h"

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    for (unsigned i = 0; i < n_words; i++)
        words[i] = fb_xxh64(key, len, i);
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    for (uint32_t i = 0; i < f->geom.probes; i++)
        if (!fb_bit_lsb(f->bytes, fb_mod(digest[i], f->geom.range)))
            return false;
    return true;
}

static inline void insert(struct fb_filter *f, const uint64_t *digest)
{
    for (uint32_t i = 0; i < f->geom.probes; i++)
        fb_set_bit_lsb(f->bytes, fb_mod(digest[i], f->geom.range));
}

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS f->geom.probes
#include "filters/core/loops.inc"

static const struct fb_kernel *const kernels[] = {&scalar_kernel, NULL};

const struct fb_design fb_design_bloom_independent = {
    .name = "bloom-independent",
    .summary = "classic Bloom with k independent hashes, the textbook baseline",
    .source = "Bloom, Space/Time Trade-offs in Hash Coding, CACM 1970",
    .caveat = "k hashes per key",
    .traits = FB_SIZES_BY_BITS | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seeds 0 to k - 1",
    .digest_words = 0,
    .digest = digest,
    .plan = fb_document_plan,
    .fpr = fb_scattered_fpr,
    .formats = fb_document_formats,
    .kernels = kernels,
};

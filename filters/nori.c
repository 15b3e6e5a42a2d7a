/*
 * nori: the Bloom filter of the nori-sstable document.
 *
 *     block: num_bits u64 | num_hashes u32 | bits_per_key u32 | bits, LSB first
 *     h1 = XXH64(key, 0), h2 = XXH64(key, 1); bit_i = (h1 + i h2 mod 2^64) mod m, i < k
 *     m = n * bits_per_key, k = ceil(0.693 bits_per_key) clamped to 1..30
 *
 * Source: nori-sstable "Bloom Filter Implementation" (source document 000). Its byte order is not
 * documented; little-endian is our choice, and m = 0 answers no. The code of that time had another
 * header: nori-disk. n is an estimate made before the keys are known (params.capacity).
 * Cost: k cache lines for a present key, about two for an absent one.
 */
#include "filters/core/double_hash.h"

#define MAX_HASHES 30
#define HEADER     16

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    for (unsigned i = 0; i < n_words; i++)
        words[i] = fb_xxh64(key, len, i);
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    (void)why;
    uint32_t k = params->probes ? params->probes : fb_probes_ceil0693(params->bits_per_key);
    geom->n_bits = n_keys * (uint64_t)params->bits_per_key;
    geom->n_bytes = (geom->n_bits + 7) / 8;
    geom->probes = k > MAX_HASHES ? MAX_HASHES : k;
    return FB_OK;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_bloom_fpr(n_keys, geom->n_bits, geom->probes);
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    return fb_wrapped_probe(f, digest);
}

static inline void insert(struct fb_filter *f, const uint64_t *digest)
{
    fb_wrapped_insert(f, digest);
}

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 2
#include "filters/core/loops.inc"

static const struct fb_kernel *const kernels[] = {&scalar_kernel, NULL};

static uint64_t block_size(const struct fb_filter *f)
{
    return HEADER + f->geom.n_bytes;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    fb_put_le64(block, f->geom.n_bits);
    fb_put_le32(block + 8, f->geom.probes);
    fb_put_le32(block + 12, (uint32_t)f->params.bits_per_key);
    memcpy(block + HEADER, f->bytes, f->geom.n_bytes);
}

static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    if (len < HEADER) {
        *why = "shorter than its 16-byte header";
        return FB_ECORRUPT;
    }
    struct fb_geometry geom = {
        .n_bits = fb_le64(block), .probes = fb_le32(block + 8), .digest_words = 2};
    if (geom.probes < 1 || geom.probes > MAX_HASHES) {
        *why = "num_hashes is outside 1..30";
        return FB_ECORRUPT;
    }
    geom.n_bytes = geom.n_bits / 8 + (geom.n_bits % 8 != 0);
    if (geom.n_bytes != len - HEADER) {
        *why = "num_bits does not match the length of the block";
        return FB_ECORRUPT;
    }
    geom.range = fb_divisor_of(geom.n_bits);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (err)
        return err;
    out->params.bits_per_key = fb_le32(block + 12);
    memcpy(out->bytes, block + HEADER, geom.n_bytes);
    return FB_OK;
}

static const struct fb_format formats[] = {
    {"nori", "16-byte header of the document, then the bits", block_size, block_write, block_read},
    {0},
};

const struct fb_design fb_design_nori = {
    .name = "nori",
    .summary = "classic Bloom, wrapped double hashing, as the nori document describes it",
    .source = "nori-sstable, Bloom Filter Implementation (source document 000)",
    .caveat = "double hashing raises the FPR of small filters (+9 % at 100 keys, 10 bits/key)",
    .traits = FB_SIZES_BY_BITS | FB_INTEGER_BITS | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seeds 0 and 1",
    .digest_words = 2,
    .digest = digest,
    .plan = plan,
    .fpr = fpr,
    .scheme = FB_SCHEME_WRAPPED,
    .formats = formats,
    .kernels = kernels,
};

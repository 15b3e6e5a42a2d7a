#include "filters/core/split_block.h"

#include <math.h>

void fb_xxh64_single(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    (void)n_words;
    words[0] = fb_xxh64(key, len, 0);
}

enum fb_err fb_split_blocks_by_bits(double bits_per_key, uint64_t n_keys, uint32_t block_bits,
                                    uint64_t *n_blocks, const char **why)
{
    double blocks = ceil((double)n_keys * bits_per_key / block_bits);
    if (blocks >= 0x1p31) {
        *why = "at most 2^31 - 1 blocks";
        return FB_EINVAL;
    }
    *n_blocks = blocks < 1 ? 1 : (uint64_t)blocks;
    return FB_OK;
}

void fb_split_block_geometry(uint64_t n_blocks, uint32_t block_bits, struct fb_geometry *out)
{
    out->n_blocks = n_blocks;
    out->block_bits = block_bits;
    out->n_bits = n_blocks * block_bits;
    out->n_bytes = out->n_bits / 8;
    out->probes = FB_LANES;
}

enum fb_err fb_split_block_plan(const struct fb_params *params, uint64_t n_keys,
                                uint32_t block_bits, struct fb_geometry *out, const char **why)
{
    uint64_t n_blocks;
    enum fb_err err =
        fb_split_blocks_by_bits(params->bits_per_key, n_keys, block_bits, &n_blocks, why);
    if (!err)
        fb_split_block_geometry(n_blocks, block_bits, out);
    return err;
}

double fb_split_block_fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_either(fb_sbbf_fpr(n_keys, geom->n_blocks, geom->block_bits, FB_LANES),
                     fb_half_hash_collision(n_keys, geom->n_blocks));
}

uint64_t fb_raw_size(const struct fb_filter *f)
{
    return f->geom.n_bytes;
}

void fb_raw_write(const struct fb_filter *f, uint8_t *block)
{
    memcpy(block, f->bytes, f->geom.n_bytes);
}

enum fb_err fb_split_block_load(const struct fb_design *design, uint64_t n_blocks,
                                uint32_t block_bits, const uint8_t *bits, struct fb_filter *out)
{
    struct fb_geometry geom = {.digest_words = design->digest_words,
                               .range = fb_divisor_of(n_blocks)};
    fb_split_block_geometry(n_blocks, block_bits, &geom);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err)
        memcpy(out->bytes, bits, geom.n_bytes);
    return err;
}

enum fb_err fb_split_block_read(const struct fb_design *design, uint32_t block_bits,
                                const uint8_t *block, size_t len, struct fb_filter *out,
                                const char **why)
{
    const uint64_t n_blocks = len / (block_bits / 8);
    if (n_blocks == 0 || len % (block_bits / 8) || n_blocks >= UINT64_C(1) << 31) {
        *why = "not 1 to 2^31 - 1 whole blocks";
        return FB_ECORRUPT;
    }
    return fb_split_block_load(design, n_blocks, block_bits, block, out);
}

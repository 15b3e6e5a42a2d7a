/*
 * Split blocks: eight lanes of 32 or 64 bits, one bit in each, chosen by multiplying the digest's
 * low half by eight odd constants (parquet-format BloomFilter.md) and keeping the top 5 or 6 bits.
 * Multiplication by an odd number is a bijection, so each lane's bit is exactly uniform.
 */
#ifndef FILTERBENCH_FILTERS_CORE_SPLIT_BLOCK_H
#define FILTERBENCH_FILTERS_CORE_SPLIT_BLOCK_H

#include "filters/core/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FB_LANES = 8 };

#define FB_SPLIT_BLOCK_SALTS                                                                       \
    0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31

static const uint32_t fb_split_block_salt[FB_LANES]
    __attribute__((aligned(32))) = {FB_SPLIT_BLOCK_SALTS};

/* Bit of lane `lane`, in [0, 2^bits), bits = 5 or 6. */
static inline uint32_t fb_lane_bit(uint32_t low, int lane, unsigned bits)
{
    return low * fb_split_block_salt[lane] >> (32 - bits);
}

/* A one-word digest: XXH64 with seed 0. */
void fb_xxh64_single(const void *key, size_t len, unsigned n_words, uint64_t *words);

/* Blocks by bits: ceil(n bits_per_key / block_bits), at least 1; refuses 2^31 and more. */
enum fb_err fb_split_blocks_by_bits(double bits_per_key, uint64_t n_keys, uint32_t block_bits,
                                    uint64_t *n_blocks, const char **why);

/* The geometry of n_blocks blocks of block_bits. */
void fb_split_block_geometry(uint64_t n_blocks, uint32_t block_bits, struct fb_geometry *out);

/* Both: sizes by bits, for plan(). */
enum fb_err fb_split_block_plan(const struct fb_params *, uint64_t n_keys, uint32_t block_bits,
                                struct fb_geometry *out, const char **why);

/* fb_sbbf_fpr with eight lanes whose bits all come from one half of the hash. */
double fb_split_block_fpr(const struct fb_geometry *, uint64_t n_keys);

/* The raw block: the words in order, little-endian, nothing else. */
uint64_t fb_raw_size(const struct fb_filter *);
void fb_raw_write(const struct fb_filter *, uint8_t *block);
/* Any number of whole blocks from 1 to 2^31 - 1; for read(). */
enum fb_err fb_split_block_read(const struct fb_design *, uint32_t block_bits, const uint8_t *block,
                                size_t len, struct fb_filter *out, const char **why);
/* A filter of n_blocks blocks whose bits are copied from `bits`. */
enum fb_err fb_split_block_load(const struct fb_design *, uint64_t n_blocks, uint32_t block_bits,
                                const uint8_t *bits, struct fb_filter *out);

#ifdef __cplusplus
}
#endif

#endif

/*
 * Split blocks, for the designs sbbf-*. A block has eight lanes of 32 or 64 bits, and a key sets
 * one bit in each lane.
 *
 * The low half of the digest is multiplied by eight odd constants, the salts of parquet-format's
 * BloomFilter.md. The top 5 or 6 bits of a product choose the bit of a lane. Multiplication by an
 * odd number is a bijection, so each lane's bit is exactly uniform.
 *
 * Where a function takes `why`, it sets *why to a static phrase on failure.
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

/* Returns the bit that a key sets in a lane, below 2^bits, for bits = 5 or 6. */
static inline uint32_t fb_lane_bit(uint32_t low, int lane, unsigned bits)
{
    return low * fb_split_block_salt[lane] >> (32 - bits);
}

/* Computes a digest of one word: XXH64 with seed 0. It is the same function as fb_xxh64_one of
 * scattered.h. There are two so that a design with split blocks need not include scattered.h. */
void fb_xxh64_single(const void *key, size_t len, unsigned n_words, uint64_t *words);

/* Sets *n_blocks to ceil(n_keys * bits_per_key / block_bits), at least 1. FB_EINVAL: that is 2^31
 * or more. */
enum fb_err fb_split_blocks_by_bits(double bits_per_key, uint64_t n_keys, uint32_t block_bits,
                                    uint64_t *n_blocks, const char **why);

/* Fills in the geometry of n_blocks blocks of block_bits. */
void fb_split_block_geometry(uint64_t n_blocks, uint32_t block_bits, struct fb_geometry *out);

/* Does both, for the member plan of a design that takes bits per key. */
enum fb_err fb_split_block_plan(const struct fb_params *, uint64_t n_keys, uint32_t block_bits,
                                struct fb_geometry *out, const char **why);

/* Returns the rate of eight lanes, which two events make up. In the first, the bits of several keys
 * happen to cover those of the query (fb_sbbf_fpr). In the second, a key of the same block has the
 * same low half of the hash, from which all bits come (fb_half_hash_collision). */
double fb_split_block_fpr(const struct fb_geometry *, uint64_t n_keys);

/* The raw format: the words in order, little-endian, and nothing else. */
uint64_t fb_raw_size(const struct fb_filter *);
void fb_raw_write(const struct fb_filter *, uint8_t *block);
/* Reads that format: from 1 to 2^31 - 1 whole blocks, else FB_ECORRUPT. */
enum fb_err fb_split_block_read(const struct fb_design *, uint32_t block_bits, const uint8_t *block,
                                size_t len, struct fb_filter *out, const char **why);
/* Makes a filter of n_blocks blocks and copies their bits from `bits`. The caller closes it. */
enum fb_err fb_split_block_load(const struct fb_design *, uint64_t n_blocks, uint32_t block_bits,
                                const uint8_t *bits, struct fb_filter *out);

#ifdef __cplusplus
}
#endif

#endif

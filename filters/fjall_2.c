/*
 * fjall-2: lsm-tree 2.x.
 *
 *     block: 4C 53 4D 02 | filter type u8 0 | hash type u8 0 | m u64 | k u64, big-endian |
 *            bits, MSB first
 *     h1, h2 = high and low half of XXH3-128(key)
 *     bit_i = h1 mod m, then h1 += h2, h2 += i, for i = 0..k-1: enhanced double hashing
 *     bits: m = n * bits_per_key in whole bytes, k = trunc(bits_per_key ln 2)
 *     rate: m = -n ln p / ln^2 2 in single precision, k = trunc((m / n) ln 2), p at least 1e-6
 *
 * Source: fjall-rs/lsm-tree src/bloom/mod.rs at 2.10.4. No keys, no filter.
 * Flaw: k is cut, not rounded: 10 bits per key take 6 probes.
 * Cost: k cache lines for a present key, about two for an absent one.
 */
#include "filters/core/internal/fjall.h"
#include "filters/core/scattered.h"

#define MIN_RATE 1e-6f

static const struct fb_fjall_layout layout = {.magic = "LSM\x02", .n_magic = 4, .n_zero = 2};

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    (void)n_words;
    fb_xxh3_128(key, len, 0, words, words + 1);
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    return fb_fjall_plan(params, n_keys, MIN_RATE, geom, why);
}

#define FB_WALK_WORDS      2
#define FB_WALK_START      fb_walk_pair
#define FB_WALK_POSITION   fb_walk_mod_msb
#define FB_WALK_NEXT       fb_fjall_next
#define FB_COLUMN_WORDS    2
#define FB_COLUMN_START    fb_start_pair
#define FB_COLUMN_POSITION fb_position_mod_msb
#define FB_COLUMN_NEXT     fb_fjall_next_x8
#include "filters/core/internal/scattered.inc"

static const struct fb_format formats[] = {
    {"fjall-2", "lsm-tree 2.x: magic LSM 2, 22-byte header, then the bits", fb_fjall_size,
     fb_fjall_write, fb_fjall_read},
    {0},
};

const struct fb_design fb_design_fjall_2 = {
    .name = "fjall-2",
    .summary = "lsm-tree 2.x: enhanced double hashing over XXH3-128",
    .source = "fjall-rs/lsm-tree src/bloom/mod.rs at 2.10.4",
    .caveat = "k is cut, not rounded: 6 probes at 10 bits/key",
    .traits = FB_SIZES_BY_BITS | FB_SIZES_BY_RATE | FB_INTEGER_BITS | FB_COUNTS_DUPLICATES,
    .hash = "XXH3-128, high and low half",
    .digest_words = 2,
    .digest = digest,
    .plan = plan,
    .fpr = fb_scattered_fpr,
    .scheme = FB_SCHEME_ENHANCED,
    .formats = formats,
    .layout = &layout,
    .kernels = kernels,
};

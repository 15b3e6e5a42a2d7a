/*
 * What the three generations of fjall's lsm-tree filter share: sizes computed in single precision,
 * bits counted from the most significant one, and a block of magic, zeros, m, k and the bits.
 */
#ifndef FILTERBENCH_FILTERS_CORE_FJALL_H
#define FILTERBENCH_FILTERS_CORE_FJALL_H

#include "filters/core/filter.h"

/* m for a rate p: -n ln p / ln^2 2 rounded up to whole bytes, every step in single precision. */
uint64_t fb_fjall_bits_for_rate(uint64_t n_keys, float p);

/*
 * Sizing of lsm-tree 2 and 3, by bits per key or by a rate of at least min_rate:
 *     bits: m = 8 ceil(n trunc(bits) / 8), k = trunc(bits ln 2)
 *     rate: m as above, k = trunc((m / n as integers) ln 2)
 * k at least 1. A filter of 0 bits, which the real code would divide by, is refused.
 */
enum fb_err fb_fjall_plan(const struct fb_params *, uint64_t n_keys, float min_rate,
                          struct fb_geometry *out, const char **why);

/* n_bits and n_bytes from m; refuses m = 0. */
enum fb_err fb_fjall_set_bits(uint64_t m, struct fb_geometry *out, const char **why);

/* magic, n_zero zero bytes, m u64, k u64, bits. */
struct fb_fjall_layout {
    const char *magic;
    uint8_t n_magic, n_zero;
    bool little_endian; /* m and k */
};

uint64_t fb_fjall_size(const struct fb_fjall_layout *, const struct fb_filter *);
void fb_fjall_write(const struct fb_fjall_layout *, const struct fb_filter *, uint8_t *block);
/* Refuses what makes the real reader fail or index beyond its bits (it would panic). */
enum fb_err fb_fjall_read(const struct fb_fjall_layout *, const struct fb_design *,
                          const uint8_t *block, size_t len, struct fb_filter *out,
                          const char **why);

/* lsm-tree 1 and 2: the step grows by i, hence bit_i = h1 + i h2 + i (i-1) (i-2) / 6 mod m. */
static inline bool fb_fjall_probe(const struct fb_filter *f, const uint64_t *digest)
{
    uint64_t h = digest[0], step = digest[1];
    for (uint32_t i = 0; i < f->geom.probes; i++) {
        if (!fb_bit_msb(f->bytes, fb_mod(h, f->geom.range)))
            return false;
        h += step;
        step += i;
    }
    return true;
}

static inline void fb_fjall_insert(struct fb_filter *f, const uint64_t *digest)
{
    uint64_t h = digest[0], step = digest[1];
    for (uint32_t i = 0; i < f->geom.probes; i++) {
        fb_set_bit_msb(f->bytes, fb_mod(h, f->geom.range));
        h += step;
        step += i;
    }
}

#endif

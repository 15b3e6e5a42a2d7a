/*
 * NEON helpers. Every aarch64 processor has NEON, so no function attributes are needed.
 */
#ifndef FILTERBENCH_FILTERS_SIMD_NEON_H
#define FILTERBENCH_FILTERS_SIMD_NEON_H

#include "filters/core/target.h"

#if defined(__aarch64__)

#include "filters/core/filter.h"
#include "filters/simd/prefetch.h"

/* Byte offsets of eight keys' blocks of 2^shift bytes: block = floor(h * n_blocks / 2^32), h the
 * high or the low half of the digest. */
static inline void fb_offsets_mul_neon(const struct fb_filter *f, const uint64_t *digests,
                                       uint64_t *offset, bool high_half, unsigned shift)
{
    const uint32_t blocks = (uint32_t)f->geom.n_blocks;
    for (int i = 0; i < 8; i++) {
        uint32_t h = high_half ? fb_hi32(digests[i]) : fb_lo32(digests[i]);
        offset[i] = (uint64_t)fb_mulhi32(h, blocks) << shift;
    }
}

#endif
#endif

/*
 * How far a batch looks ahead, by the size of the filter.
 *
 * Below the second-level cache out-of-order execution already overlaps the loads and a prefetch is
 * one more instruction; beyond it throughput is latency over lines in flight, and that needs more
 * keys ahead the faster the lines come: most of all from the last-level cache.
 */
#ifndef FILTERBENCH_FILTERS_SIMD_LOOKAHEAD_H
#define FILTERBENCH_FILTERS_SIMD_LOOKAHEAD_H

#include "filters/core/filter.h"

enum {
    FB_LOOKAHEAD_NONE = 8,   /* keys: one vector of offsets, no prefetch */
    FB_LOOKAHEAD_FEW = 32,   /* second-level cache */
    FB_LOOKAHEAD_NEAR = 64,  /* last-level cache, designs of several lines a key */
    FB_LOOKAHEAD_FAR = 128,  /* memory */
    FB_LOOKAHEAD_MOST = 192, /* last-level cache, one line a key */
    FB_LOOKAHEAD_RING = 256, /* offsets kept, a power of two; more than any of these by 64 */
};

/* Eight offsets, used from memory from here on: compilers would take each out of a vector again,
 * which is dearer than a load. */
/* NOLINTNEXTLINE(readability-non-const-parameter): the assembly may write to them */
static inline void fb_keep_in_memory(uint64_t *offsets)
{
    __asm__("" : "+m"(*(uint64_t(*)[8])offsets));
}

static inline uint32_t fb_lookahead_of(uint64_t n_bytes)
{
    if (n_bytes <= UINT64_C(1) << 20)
        return FB_LOOKAHEAD_NONE;
    return n_bytes <= UINT64_C(32) << 20 ? FB_LOOKAHEAD_NEAR : FB_LOOKAHEAD_FAR;
}

/*
 * The same for one-block designs. ns per lookup in batches with 8 (no prefetch), 32, 64, 128 and
 * 192 keys ahead, huge pages, AMD Zen 5 with 48 KiB, 1 MiB and 32 MiB of cache, gcc 12:
 *
 *                      32-byte blocks (sbbf-256)        64-byte lines (rocksdb-fastlocal)
 *     256 KiB     0.40  0.55  0.55  0.55  0.56         0.53  0.59  0.59  0.59  0.61
 *     512 KiB     0.46  0.55  0.56  0.58  0.59         0.64  0.61  0.62  0.63  0.66
 *       1 MiB     0.57  0.59  0.61  0.63  0.64         0.79  0.64  0.68  0.70  0.71
 *       4 MiB     0.66  0.74  0.76  0.65  0.66         0.93  0.75  0.79  0.76  0.76
 *      16 MiB     3.86  3.21  2.44  1.80  1.53         4.44  3.37  2.38  1.83  1.58
 *      32 MiB     4.50  3.69  2.91  2.21  2.12         5.25  3.78  2.91  2.25  2.20
 *     128 MiB     4.97  4.08  3.28  2.81  2.92         5.89  4.27  3.37  2.92  3.03
 */
static inline uint32_t fb_lookahead_of_blocks(const struct fb_geometry *geom)
{
    const uint64_t alone = geom->block_bits == 256 ? UINT64_C(1) << 20 : UINT64_C(1) << 18;
    if (geom->n_bytes <= alone)
        return FB_LOOKAHEAD_NONE;
    if (geom->n_bytes <= UINT64_C(2) << 20)
        return FB_LOOKAHEAD_FEW;
    return geom->n_bytes <= UINT64_C(32) << 20 ? FB_LOOKAHEAD_MOST : FB_LOOKAHEAD_FAR;
}

#endif

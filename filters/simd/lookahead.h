/*
 * How far a batch looks ahead, by the size of the filter.
 *
 * Below the second-level cache out-of-order execution already overlaps the loads and a prefetch is
 * one more instruction; beyond it throughput is latency over lines in flight, and about twenty to
 * forty are needed. Measured steps (AMD Zen 5, 48 KiB / 1 MiB / 32 MiB): look-ahead without
 * prefetch wins up to 512 KiB, 64 keys ahead at 16 MiB, 128 keys ahead at 128 MiB.
 */
#ifndef FILTERBENCH_FILTERS_SIMD_LOOKAHEAD_H
#define FILTERBENCH_FILTERS_SIMD_LOOKAHEAD_H

#include <stdint.h>

enum {
    FB_LOOKAHEAD_NONE = 8,   /* keys: one vector of offsets, no prefetch */
    FB_LOOKAHEAD_NEAR = 64,  /* last-level cache */
    FB_LOOKAHEAD_FAR = 128,  /* memory; half of the ring */
    FB_LOOKAHEAD_RING = 256, /* offsets kept, a power of two */
};

/* Eight offsets, used from memory from here on: compilers would take each out of a vector again,
 * which is dearer than a load. */
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

#endif

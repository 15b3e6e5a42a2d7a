/*
 * Lines on their way: what loops make of an entry of the tuning (core/tuning.h).
 *
 * A hint is part of an instruction, so a loop has one instance for each hint; FB_PER_HINT picks it
 * outside the loop. All keep a ring of offsets; the one of the instance without prefetch is short.
 */
#ifndef FILTERBENCH_FILTERS_SIMD_PREFETCH_H
#define FILTERBENCH_FILTERS_SIMD_PREFETCH_H

#include "filters/core/filter.h"
#include "filters/core/tuning.h"

/*
 * Keys whose offsets are computed before they are read, be it to fetch a line or to use it: what is
 * read back while its vector is still on its way to the cache holds up its reader. sbbf-256 in L1,
 * AMD Zen 5: 0.45 ns with 8 keys, 0.40 with 32, 0.36 from 64 on.
 */
enum { FB_NEAR = 64 };

/* Offsets that a loop keeps, a power of two: those ahead, FB_NEAR more, and eight. */
enum { FB_RING_NEAR = 128, FB_RING_WORDS = 512 };

/* Keys whose offsets a loop computes before use. */
static inline size_t fb_ring_ahead(size_t ahead, enum fb_hint hint)
{
    return hint == FB_HINT_NONE ? ahead : ahead + FB_NEAR;
}

static inline size_t fb_ring_words(enum fb_hint hint)
{
    return hint == FB_HINT_NONE ? FB_RING_NEAR : FB_RING_WORDS;
}

/* `hint` is a constant in every instance. */
__attribute__((always_inline)) static inline void fb_prefetch(const void *line, enum fb_hint hint)
{
    if (hint == FB_HINT_T0)
        __builtin_prefetch(line, 0, 3);
    else if (hint == FB_HINT_T1)
        __builtin_prefetch(line, 0, 2);
    else if (hint == FB_HINT_WRITE)
#if defined(__x86_64__)
        /* Compilers write it only for processors that are known to have it; the others of 64 bits
         * take it for no operation. */
        __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
        __builtin_prefetch(line, 1, 3);
#endif
}

/* CALL(ahead, hint) with a constant hint; of lookups. */
#define FB_PER_HINT(how, CALL)                                                                     \
    ((how).hint == FB_HINT_T0   ? CALL((how).ahead, FB_HINT_T0)                                    \
     : (how).hint == FB_HINT_T1 ? CALL((how).ahead, FB_HINT_T1)                                    \
                                : CALL(FB_NEAR, FB_HINT_NONE))

/* The same of inserts. */
#define FB_PER_WRITE_HINT(how, CALL)                                                               \
    ((how).hint == FB_HINT_WRITE ? CALL((how).ahead, FB_HINT_WRITE)                                \
     : (how).hint == FB_HINT_T0  ? CALL((how).ahead, FB_HINT_T0)                                   \
     : (how).hint == FB_HINT_T1  ? CALL((how).ahead, FB_HINT_T1)                                   \
                                 : CALL(FB_NEAR, FB_HINT_NONE))

/* The class of a one-block design. */
static inline enum fb_tuned fb_tuned_blocks(const struct fb_geometry *geom)
{
    return geom->block_bits == 256 ? FB_TUNED_BLOCK_32 : FB_TUNED_LINE_64;
}

/* Eight offsets, used from memory from here on: compilers would take each out of a vector again,
 * which is dearer than a load. */
/* NOLINTNEXTLINE(readability-non-const-parameter): the assembly may write to them */
static inline void fb_keep_in_memory(uint64_t *offsets)
{
    __asm__("" : "+m"(*(uint64_t(*)[8])offsets));
}

#endif

/*
 * A walk: how the k probes of one key follow from its digest. A scattered design is a walk and a
 * size rule; scattered.inc makes its kernels. The steps that several designs share stand here.
 */
#ifndef FILTERBENCH_FILTERS_CORE_INTERNAL_WALK_H
#define FILTERBENCH_FILTERS_CORE_INTERNAL_WALK_H

#include "filters/core/filter.h"

/* Inlined wherever it is called, so that constant arguments make loops of their own. */
#define FB_INLINE __attribute__((always_inline)) static inline

/* What the next probe is made from. */
struct fb_walk {
    uint64_t h, step;
};

/* ---- Start: before probe 0 ---- */

static inline struct fb_walk fb_walk_pair(const struct fb_filter *f, const uint64_t *digest)
{
    (void)f;
    return (struct fb_walk){digest[0], digest[1]};
}

/* ---- Position: the bit of probe t, in an array of LSB-first bits ---- */

static inline uint64_t fb_walk_mod(const struct fb_filter *f, struct fb_walk w,
                                   const uint64_t *digest, uint32_t t)
{
    (void)digest, (void)t;
    return fb_mod(w.h, f->geom.range);
}

/* An MSB-first array: its bit i is bit i ^ 7 of an LSB-first one. */
static inline uint64_t fb_walk_mod_msb(const struct fb_filter *f, struct fb_walk w,
                                       const uint64_t *digest, uint32_t t)
{
    return fb_walk_mod(f, w, digest, t) ^ 7;
}

/* m >= 2. */
static inline uint64_t fb_walk_mod32(const struct fb_filter *f, struct fb_walk w,
                                     const uint64_t *digest, uint32_t t)
{
    (void)digest, (void)t;
    return fb_mod32((uint32_t)w.h, f->geom.range);
}

/* ---- Next: from probe t to probe t + 1 ---- */

/* Sums that wrap at 2^64 before each reduction. It is not textbook double hashing (bloom-double),
 * which reduces h and step first: every wrap shifts the progression by 2^64 mod m and so breaks
 * most of the degenerate steps. */
static inline struct fb_walk fb_walk_add(const struct fb_filter *f, struct fb_walk w, uint32_t t)
{
    (void)f, (void)t;
    return (struct fb_walk){w.h + w.step, w.step};
}

/* The same at 2^32. */
static inline struct fb_walk fb_walk_add32(const struct fb_filter *f, struct fb_walk w, uint32_t t)
{
    (void)f, (void)t;
    return (struct fb_walk){(uint32_t)(w.h + w.step), w.step};
}

#endif

/*
 * A walk computes the k probes of a key from its digest, one after another. A scattered design is a
 * walk and a size rule. FB_WALK_FUNCTIONS makes its lookup and its insert, for the headers of this
 * folder and for the kernels. Steps that several designs share are here.
 */
#ifndef FILTERBENCH_FILTERS_INLINE_WALK_H
#define FILTERBENCH_FILTERS_INLINE_WALK_H

#include "filters/core/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Always inlined, so that each constant argument gives a loop of its own. */
#define FB_INLINE __attribute__((always_inline)) static inline

enum {
    FB_WALK_NEAR_BITS = 1 << 24, /* 2 MiB: a core's own cache holds it */
    FB_WALK_FAR_BITS = 1 << 26   /* 8 MiB: more than its part of most caches that cores share */
};

/* The state from which the next probe follows. */
struct fb_walk {
    uint64_t h, step;
};

/* ---- Start: before probe 0 ---- */

static inline struct fb_walk fb_walk_pair(const struct fb_filter *f, const uint64_t *digest)
{
    (void)f;
    const struct fb_walk w = {digest[0], digest[1]};
    return w;
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

/* Needs m >= 2. */
static inline uint64_t fb_walk_mod32(const struct fb_filter *f, struct fb_walk w,
                                     const uint64_t *digest, uint32_t t)
{
    (void)digest, (void)t;
    return fb_mod32((uint32_t)w.h, f->geom.range);
}

/*
 * The same for single lookups: by a division in a large filter. A product would tell the next
 * position early, and after a wrong guess that the bit is set, its line is loaded in vain. On Zen 5
 * a lookup in leveldb at 134 MB takes 0.8 of the time with a division.
 */
static inline uint64_t fb_walk_mod32_single(const struct fb_filter *f, struct fb_walk w,
                                            const uint64_t *digest, uint32_t t)
{
    if (f->geom.n_bits > FB_WALK_FAR_BITS)
        return (uint32_t)w.h % (uint32_t)f->geom.range.m;
    return fb_walk_mod32(f, w, digest, t);
}

/* ---- Next: from probe t to probe t + 1 ---- */

/* Adds, and wraps at 2^64 before each reduction. Textbook double hashing (bloom-double) reduces h
 * and step first. Here each wrap shifts the progression by 2^64 mod m, which breaks most of the
 * degenerate steps. */
static inline struct fb_walk fb_walk_add(const struct fb_filter *f, struct fb_walk w, uint32_t t)
{
    (void)f, (void)t;
    w.h += w.step;
    return w;
}

/* The same, wrapping at 2^32. */
static inline struct fb_walk fb_walk_add32(const struct fb_filter *f, struct fb_walk w, uint32_t t)
{
    (void)f, (void)t;
    w.h = (uint32_t)(w.h + w.step);
    return w;
}

/* ---- A lookup and an insert ---- */

/*
 * Defines the functions of a design: _query, _prefetch, _insert.
 *
 * The query asks the first probes together, so that their lines are loaded at the same time, and
 * the others one by one. A branch on each would be mispredicted half the time. In a filter that
 * fits a core's own cache the first three go together, since few absent keys pass them. In a larger
 * one, where a line costs more than a branch, none do.
 *
 * Each number has a copy of the code (_query_first), which takes 0.9 of the time of a shared loop.
 *
 *     START(f, digest)           the walk before probe 0
 *     POSITION(f, w, digest, t)  bit of probe t, below n_bits
 *     NEXT(f, w, t)              from probe t to probe t + 1
 */
#define FB_WALK_FUNCTIONS(design, START, POSITION, NEXT)                                           \
    FB_INLINE bool design##_query_first(const struct fb_filter *f, const uint64_t *digest,         \
                                        uint32_t n)                                                \
    {                                                                                              \
        struct fb_walk w = START(f, digest);                                                       \
        bool all = true;                                                                           \
        for (uint32_t t = 0; t < n; t++) {                                                         \
            all &= fb_bit_lsb(f->bytes, POSITION(f, w, digest, t));                                \
            w = NEXT(f, w, t);                                                                     \
        }                                                                                          \
        if (!all)                                                                                  \
            return false;                                                                          \
        for (uint32_t t = n; t < f->geom.probes; t++) {                                            \
            if (!fb_bit_lsb(f->bytes, POSITION(f, w, digest, t)))                                  \
                return false;                                                                      \
            w = NEXT(f, w, t);                                                                     \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    static inline bool design##_query(const struct fb_filter *f, const uint64_t *digest)           \
    {                                                                                              \
        if (f->geom.n_bits > FB_WALK_NEAR_BITS || f->geom.probes < 3)                              \
            return design##_query_first(f, digest, 0);                                             \
        return design##_query_first(f, digest, 3);                                                 \
    }                                                                                              \
    static inline uint64_t design##_first_byte(const struct fb_filter *f, const uint64_t *digest)  \
    {                                                                                              \
        return POSITION(f, START(f, digest), digest, 0) >> 3;                                      \
    }                                                                                              \
    static inline void design##_prefetch(const struct fb_filter *f, const uint64_t *digest)        \
    {                                                                                              \
        __builtin_prefetch(f->bytes + design##_first_byte(f, digest));                             \
    }                                                                                              \
    static inline void design##_insert(struct fb_filter *f, const uint64_t *digest)                \
    {                                                                                              \
        const struct fb_filter g = *f; /* which no byte that is written can change */              \
        struct fb_walk w = START(&g, digest);                                                      \
        for (uint32_t t = 0; t < g.geom.probes; t++) {                                             \
            fb_set_bit_lsb(g.bytes, POSITION(&g, w, digest, t));                                   \
            w = NEXT(&g, w, t);                                                                    \
        }                                                                                          \
    }

#ifdef __cplusplus
}
#endif

#endif

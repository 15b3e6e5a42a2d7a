/*
 * One lookup, one insert and one removal in cuckoo-12 and cuckoo-16, to be inlined into a caller's
 * own loop.
 *
 *     bool fb_cuckoo_12_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_cuckoo_12_prefetch(const struct fb_filter *, const uint64_t *digest);
 *     bool fb_cuckoo_12_insert(struct fb_filter *, const uint64_t *digest);
 *     bool fb_cuckoo_12_remove(struct fb_filter *, const uint64_t *digest);
 *
 * and fb_cuckoo_16_{query, prefetch, insert, remove}. prefetch starts to load both buckets that a
 * later call needs. insert returns false where the key found no place: all that were in stay in.
 * remove returns false where it found none. Both leave n_keys to the caller. The filter must be one
 * of that design. Layout: filters/simd/cuckoo.inc.
 *
 * Below, `bits` of a fingerprint are a constant, 12 or 16, wherever they are asked for.
 */
#ifndef FILTERBENCH_FILTERS_INLINE_CUCKOO_H
#define FILTERBENCH_FILTERS_INLINE_CUCKOO_H

#include "filters/core/math.h"
#include "filters/inline/two_places.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_CUCKOO_INLINE __attribute__((always_inline)) static inline

enum { FB_CUCKOO_SLOTS = 4, FB_CUCKOO_MOST_MOVES = 500 };

/* Fingerprints there are: 1 to so many; 0 is an empty slot. */
FB_CUCKOO_INLINE uint64_t fb_cuckoo_prints(unsigned bits)
{
    return (UINT64_C(1) << bits) - 1;
}

/* The lowest bit of each slot. */
FB_CUCKOO_INLINE uint64_t fb_cuckoo_ones(unsigned bits)
{
    return UINT64_C(1) | UINT64_C(1) << bits | UINT64_C(1) << 2 * bits | UINT64_C(1) << 3 * bits;
}

FB_CUCKOO_INLINE uint64_t fb_cuckoo_print(uint64_t digest, unsigned bits)
{
    return 1 + fb_place_print(digest, (uint32_t)fb_cuckoo_prints(bits));
}

FB_CUCKOO_INLINE uint32_t fb_cuckoo_other(const struct fb_filter *f, uint32_t bucket,
                                          uint64_t print)
{
    return fb_place_other(&f->geom, bucket, (uint32_t)print - 1);
}

FB_CUCKOO_INLINE uint8_t *fb_cuckoo_bucket(const struct fb_filter *f, uint32_t bucket,
                                           unsigned bits)
{
    return f->bytes + (uint64_t)bucket * (FB_CUCKOO_SLOTS * bits / 8);
}

/* The high bit of the lowest slot that holds the fingerprint, and nothing below it; 0: none does.
 * Subtraction borrows from above only, so what follows a bucket in its word does not matter. */
FB_CUCKOO_INLINE uint64_t fb_cuckoo_slots_with(uint64_t bucket, uint64_t print, unsigned bits)
{
    const uint64_t ones = fb_cuckoo_ones(bits), x = bucket ^ print * ones;
    return (x - ones) & ~x & ones << (bits - 1);
}

FB_CUCKOO_INLINE bool fb_cuckoo_query(const struct fb_filter *f, const uint64_t *digest,
                                      unsigned bits)
{
    const uint64_t print = fb_cuckoo_print(*digest, bits);
    const uint32_t bucket = fb_place_first(&f->geom, *digest);
    const uint64_t first = fb_le64(fb_cuckoo_bucket(f, bucket, bits)),
                   other = fb_le64(fb_cuckoo_bucket(f, fb_cuckoo_other(f, bucket, print), bits));
    return (fb_cuckoo_slots_with(first, print, bits) | fb_cuckoo_slots_with(other, print, bits)) !=
           0;
}

/* Puts `with` into a slot of the bucket that holds `print`; false: none does. */
FB_CUCKOO_INLINE bool fb_cuckoo_replace(struct fb_filter *f, uint32_t bucket, uint64_t print,
                                        uint64_t with, unsigned bits)
{
    uint8_t *bytes = fb_cuckoo_bucket(f, bucket, bits);
    const uint64_t word = fb_le64(bytes), found = fb_cuckoo_slots_with(word, print, bits);
    if (!found)
        return false;
    const unsigned shift = (unsigned)__builtin_ctzll(found) / bits * bits;
    fb_put_le64(bytes, word ^ (print ^ with) << shift);
    return true;
}

/* Exchanges a slot's fingerprint for another one. */
FB_CUCKOO_INLINE uint64_t fb_cuckoo_exchange(struct fb_filter *f, uint32_t bucket, unsigned slot,
                                             uint64_t print, unsigned bits)
{
    uint8_t *bytes = fb_cuckoo_bucket(f, bucket, bits);
    const uint64_t word = fb_le64(bytes), victim = word >> slot * bits & fb_cuckoo_prints(bits);
    fb_put_le64(bytes, word ^ (victim ^ print) << slot * bits);
    return victim;
}

struct fb_cuckoo_move {
    uint32_t bucket, slot;
};

/* Both buckets of the fingerprint are taken, the other one of which is given: moves fingerprints to
 * their other buckets, and puts all of them back where that does not help. */
static inline bool fb_cuckoo_make_room(struct fb_filter *f, uint64_t digest, uint64_t print,
                                       uint32_t bucket, unsigned bits)
{
    struct fb_cuckoo_move moves[FB_CUCKOO_MOST_MOVES];
    for (unsigned n = 0; n < FB_CUCKOO_MOST_MOVES; n++) {
        moves[n].bucket = bucket;
        moves[n].slot = (uint32_t)(fb_mix64(digest + n) % FB_CUCKOO_SLOTS);
        print = fb_cuckoo_exchange(f, bucket, moves[n].slot, print, bits);
        bucket = fb_cuckoo_other(f, bucket, print);
        if (fb_cuckoo_replace(f, bucket, 0, print, bits))
            return true;
    }
    for (unsigned n = FB_CUCKOO_MOST_MOVES; n-- > 0;)
        print = fb_cuckoo_exchange(f, moves[n].bucket, moves[n].slot, print, bits);
    return false;
}

FB_CUCKOO_INLINE bool fb_cuckoo_insert(struct fb_filter *f, const uint64_t *digest, unsigned bits)
{
    const uint64_t print = fb_cuckoo_print(*digest, bits);
    const uint32_t bucket = fb_place_first(&f->geom, *digest),
                   other = fb_cuckoo_other(f, bucket, print);
    return fb_cuckoo_replace(f, bucket, 0, print, bits) ||
           fb_cuckoo_replace(f, other, 0, print, bits) ||
           fb_cuckoo_make_room(f, *digest, print, other, bits);
}

FB_CUCKOO_INLINE bool fb_cuckoo_remove(struct fb_filter *f, const uint64_t *digest, unsigned bits)
{
    const uint64_t print = fb_cuckoo_print(*digest, bits);
    const uint32_t bucket = fb_place_first(&f->geom, *digest);
    return fb_cuckoo_replace(f, bucket, print, 0, bits) ||
           fb_cuckoo_replace(f, fb_cuckoo_other(f, bucket, print), print, 0, bits);
}

#define FB_CUCKOO_CALLS(design, bits)                                                              \
    static inline bool design##_query(const struct fb_filter *f, const uint64_t *digest)           \
    {                                                                                              \
        return fb_cuckoo_query(f, digest, bits);                                                   \
    }                                                                                              \
    static inline void design##_prefetch(const struct fb_filter *f, const uint64_t *digest)        \
    {                                                                                              \
        const uint32_t bucket = fb_place_first(&f->geom, *digest),                                 \
                       other = fb_cuckoo_other(f, bucket, fb_cuckoo_print(*digest, bits));         \
        __builtin_prefetch(fb_cuckoo_bucket(f, bucket, bits));                                     \
        __builtin_prefetch(fb_cuckoo_bucket(f, other, bits));                                      \
    }                                                                                              \
    static inline bool design##_insert(struct fb_filter *f, const uint64_t *digest)                \
    {                                                                                              \
        return fb_cuckoo_insert(f, digest, bits);                                                  \
    }                                                                                              \
    static inline bool design##_remove(struct fb_filter *f, const uint64_t *digest)                \
    {                                                                                              \
        return fb_cuckoo_remove(f, digest, bits);                                                  \
    }
FB_CUCKOO_CALLS(fb_cuckoo_12, 12)
FB_CUCKOO_CALLS(fb_cuckoo_16, 16)

#ifdef __cplusplus
}
#endif

#endif

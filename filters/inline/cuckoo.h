/*
 * Single lookups, inserts and removals for cuckoo-12 and cuckoo-16, which the compiler inlines into
 * your own loop.
 *
 *     bool fb_cuckoo_12_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_cuckoo_12_prefetch(const struct fb_filter *, const uint64_t *digest);
 *     bool fb_cuckoo_12_insert(struct fb_filter *, const uint64_t *digest);
 *     bool fb_cuckoo_12_remove(struct fb_filter *, const uint64_t *digest);
 *
 * There are also fb_cuckoo_16_{query, prefetch, insert, remove}. A digest has one word. The
 * prefetch starts to load both buckets that a later call needs. The insert returns false if the key
 * found no place, and leaves the filter as it was. The removal returns false if it found no such
 * key. Neither updates n_keys.
 *
 * The filter must be one of that design. One thread writes; while none does, any number may ask.
 * Layout: filters/simd/cuckoo.inc.
 *
 * Below, `bits` is the width of a fingerprint, always a constant, 12 or 16.
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

/* Returns the largest fingerprint. The least is 1, because 0 marks an empty slot. */
FB_CUCKOO_INLINE uint64_t fb_cuckoo_prints(unsigned bits)
{
    return (UINT64_C(1) << bits) - 1;
}

/* Returns a word with the lowest bit of each slot set. */
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

/* Returns 0 if no slot holds the fingerprint. Otherwise the lowest bit set is the high bit of the
 * lowest slot that does. Subtraction borrows from above only, so the bits that follow a bucket in
 * its word do not matter. */
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

/* Replaces one fingerprint `print` in the bucket by `with`. Returns false if there is none. */
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

/* Puts a fingerprint into a slot and returns the one that was there. */
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

/* Inserts a fingerprint whose two buckets are full. It starts in the given bucket and moves
 * fingerprints to their other buckets until one finds an empty slot. If none does, it moves all of
 * them back and returns false. */
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

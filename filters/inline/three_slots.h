/*
 * What lookups in fuse and xor filters share. A key may be present if the xor of its three slots is
 * its fingerprint.
 *
 *     hash = mix(digest + seed), a bijection
 *     fingerprint = the low bits of hash ^ hash >> 32
 *     slots of 8 or 16 bits, one behind the other, least significant byte first
 *
 * fuse.h and xor.h say where the slots of a hash lie.
 */
#ifndef FILTERBENCH_FILTERS_INLINE_THREE_SLOTS_H
#define FILTERBENCH_FILTERS_INLINE_THREE_SLOTS_H

#include "filters/core/filter.h"
#include "filters/core/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where geom.own has the seed. */
enum { FB_SLOT_SEED };

struct fb_slots {
    uint32_t at[3]; /* indexes of three different slots */
};

static inline uint64_t fb_slot_hash(const struct fb_geometry *geom, uint64_t digest)
{
    return fb_mix64(digest + geom->own[FB_SLOT_SEED]);
}

/* Returns a word whose low bits are the fingerprint. */
static inline uint64_t fb_slot_print(uint64_t hash)
{
    return hash ^ hash >> 32;
}

/*
 * Defines design##_query and design##_prefetch.
 *
 *     WORD                uint8_t or uint16_t, one slot
 *     SLOTS(geom, hash)   the struct fb_slots of a hash
 */
#define FB_SLOT_FUNCTIONS(design, WORD, SLOTS)                                                     \
    static inline bool design##_query(const struct fb_filter *f, const uint64_t *digest)           \
    {                                                                                              \
        const WORD *all = (const WORD *)(const void *)f->bytes;                                    \
        const uint64_t hash = fb_slot_hash(&f->geom, *digest);                                     \
        const struct fb_slots s = SLOTS(&f->geom, hash);                                           \
        return (WORD)(all[s.at[0]] ^ all[s.at[1]] ^ all[s.at[2]]) == (WORD)fb_slot_print(hash);    \
    }                                                                                              \
    static inline void design##_prefetch(const struct fb_filter *f, const uint64_t *digest)        \
    {                                                                                              \
        const struct fb_slots s = SLOTS(&f->geom, fb_slot_hash(&f->geom, *digest));                \
        for (int i = 0; i < 3; i++)                                                                \
            __builtin_prefetch((const WORD *)(const void *)f->bytes + s.at[i]);                    \
    }

#ifdef __cplusplus
}
#endif

#endif

/*
 * What the designs of three_slots.inc share that does not depend on where a key's slots lie.
 */
#ifndef FILTERBENCH_FILTERS_CORE_INTERNAL_THREE_SLOTS_H
#define FILTERBENCH_FILTERS_CORE_INTERNAL_THREE_SLOTS_H

#include "filters/core/filter.h"
#include "filters/inline/walk.h"
#include "filters/simd/slot_steps.h"

/* A number that a macro stands for, as text. */
#define SLOT_TEXT_(number) #number
#define SLOT_TEXT(number)  SLOT_TEXT_(number)

/* The seed of attempt 0, 1, ...: of the stream splitmix64. */
uint64_t fb_slot_seed(unsigned attempt);

enum {
    FB_ONE_KEY = 4, /* in a count; below it stand the roles of the slot's keys, folded by xor */
    FB_PEELING_PARTS = 2049,
    /* Slots whose counts and sums, 9 bytes each, fit into the second-level cache. */
    FB_PEELING_NEAR = 1 << 16,
};

/* What a build holds beside its filter. */
struct fb_peeling {
    size_t n_slots;
    uint64_t n_bytes;     /* of all arrays */
    struct fb_heap *heap; /* that they are taken from */
    uint64_t *sum;        /* [n_slots] the hashes of a slot's keys, folded by xor */
    uint64_t *order;      /* [n] hashes: sorted, then as they were peeled */
    uint32_t *alone;      /* [n_places] slots that were seen with one key, and wait */
    uint8_t *count; /* [n_slots] FB_ONE_KEY for each key, and their roles: the slot is the first,
                       second or third of a key's, 0, 1, 2 */
    uint8_t *role;  /* [n] of the slot in which a peeled key was alone */
    uint32_t start[FB_PEELING_PARTS]; /* of the parts that hashes are sorted into */
};

/* Counts and sums are zero. FB_ENOMEM. */
enum fb_err fb_peeling_open(struct fb_peeling *, struct fb_heap *, uint64_t n_slots,
                            uint64_t n_places, uint64_t n) FB_MUST_USE;
void fb_peeling_close(struct fb_peeling *);

/* Drops repeats of digests of one word, all of them where there are fewer than slots; returns how
 * many remain. Sums are lost. */
size_t fb_drop_repeats(struct fb_peeling *, uint64_t *digests, size_t n);

/* Slots in a part, log2: at most FB_PEELING_PARTS - 1 parts. */
unsigned fb_peeling_shift(uint64_t n_slots);

#endif

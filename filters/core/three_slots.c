#include "filters/core/internal/three_slots.h"

#include <string.h>

/* splitmix64 (Steele, Lea, Flood 2014), with the state of binaryfusefilter.h. */
uint64_t fb_slot_seed(unsigned attempt)
{
    uint64_t z = UINT64_C(0x726B2B9D438B9D4D) + (attempt + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* The table of digests seen is p->sum, by linear probing; 0 is an empty place. */
size_t fb_drop_repeats(struct fb_peeling *p, uint64_t *digests, size_t n)
{
    uint64_t *seen = p->sum;
    size_t kept = 0, taken = 0;
    bool zero = false;
    memset(seen, 0, p->n_slots * sizeof *seen);
    for (size_t i = 0; i < n; i++) {
        const uint64_t digest = digests[i];
        uint64_t at = fb_mulhi64(fb_mix64(digest), p->n_slots);
        while (seen[at] && seen[at] != digest && taken + 1 < p->n_slots)
            at = at + 1 < p->n_slots ? at + 1 : 0;
        if (digest ? seen[at] == digest : zero)
            continue;
        digests[kept++] = digest;
        zero |= !digest;
        if (!seen[at] && digest) {
            seen[at] = digest;
            taken++;
        }
    }
    return kept;
}

enum fb_err fb_peeling_open(struct fb_peeling *p, struct fb_heap *heap, uint64_t n_slots,
                            uint64_t n_places, uint64_t n)
{
    const uint64_t words = sizeof *p->sum, places = sizeof *p->alone;
    memset(p, 0, sizeof *p);
    p->n_slots = n_slots;
    p->heap = heap;
    p->n_bytes = n_slots * (words + 1) + n_places * places + n * (words + 1);
    p->sum = fb_heap_take(heap, p->n_bytes);
    if (!p->sum)
        return FB_ENOMEM;
    p->order = p->sum + n_slots;
    p->alone = (uint32_t *)(void *)(p->order + n);
    p->count = (uint8_t *)(p->alone + n_places);
    p->role = p->count + n_slots;
    memset(p->sum, 0, n_slots * words);
    memset(p->count, 0, n_slots);
    return FB_OK;
}

void fb_peeling_close(struct fb_peeling *p)
{
    fb_heap_give(p->heap, p->sum, p->n_bytes);
    memset(p, 0, sizeof *p);
}

unsigned fb_peeling_shift(uint64_t n_slots)
{
    unsigned shift = 0;
    while (n_slots >> shift >= FB_PEELING_PARTS - 1)
        shift++;
    return shift;
}

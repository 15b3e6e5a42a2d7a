#include "harness/store/block_cache.h"

#include <stdlib.h>

#include "filters/hash/hash.h"

/*
 * Entries stand in a ring: each knows the next one in the order in which they would leave (LRU:
 * longest untouched first; CLOCK: as the hand meets them). `first` leaves first; a new entry goes
 * to the end, just before `first`. A table with open addressing finds the entry of a block.
 */
struct entry {
    uint64_t block, bytes;
    uint32_t next, previous;
    bool marked;
};

enum { FIRST_SLOTS = 1024, MAX_ENTRIES = 1 << 30 };
#define NONE UINT32_MAX /* no entry */

struct fb_block_cache {
    enum fb_cache_policy policy;
    uint64_t capacity, bytes;
    struct entry
        *entries; /* [room], owned; those not in the ring are chained by next from `free` */
    uint32_t first, unused;
    uint32_t *slots; /* [mask + 1] entry or NONE, at most half of them taken, owned */
    uint64_t mask, n;
    enum fb_err err;
};

const struct fb_word fb_cache_policies[] = {
    {.name = "none"}, {.name = "lru"}, {.name = "clock"}, {0}};

/* ---- The table ---- */

static uint64_t home_of(const struct fb_block_cache *c, uint64_t block)
{
    return fb_mix64(block) & c->mask;
}

/* The slot of the block, or the empty one where it would go. */
static uint64_t slot_of(const struct fb_block_cache *c, uint64_t block)
{
    uint64_t slot = home_of(c, block);
    while (c->slots[slot] != NONE && c->entries[c->slots[slot]].block != block)
        slot = (slot + 1) & c->mask;
    return slot;
}

/* Empties a slot and moves up what stood behind it and may stand nearer to its home. */
static void slot_clear(struct fb_block_cache *c, uint64_t slot)
{
    for (uint64_t next = (slot + 1) & c->mask; c->slots[next] != NONE;
         next = (next + 1) & c->mask) {
        uint64_t home = home_of(c, c->entries[c->slots[next]].block);
        if (((next - home) & c->mask) >= ((next - slot) & c->mask)) {
            c->slots[slot] = c->slots[next];
            slot = next;
        }
    }
    c->slots[slot] = NONE;
}

/* Tables for n_slots / 2 entries; keeps the entries there are. */
static enum fb_err grow(struct fb_block_cache *c, uint64_t n_slots)
{
    const uint64_t before = c->entries ? (c->mask + 1) / 2 : 0;
    if (n_slots / 2 > MAX_ENTRIES)
        return FB_ENOMEM;
    struct entry *entries = realloc(c->entries, (size_t)(n_slots / 2) * sizeof *entries);
    if (!entries)
        return FB_ENOMEM;
    c->entries = entries;
    uint32_t *slots = malloc((size_t)n_slots * sizeof *slots);
    if (!slots)
        return FB_ENOMEM;
    for (uint64_t i = 0; i < n_slots; i++)
        slots[i] = NONE;
    free(c->slots);
    c->slots = slots;
    c->mask = n_slots - 1;
    for (uint64_t i = 0; i < before; i++) /* grown when full: all of them are in the ring */
        c->slots[slot_of(c, entries[i].block)] = (uint32_t)i;
    for (uint64_t i = before; i < n_slots / 2; i++)
        entries[i].next = i + 1 < n_slots / 2 ? (uint32_t)(i + 1) : NONE;
    c->unused = (uint32_t)before;
    return FB_OK;
}

/* ---- The ring ---- */

static void ring_remove(struct fb_block_cache *c, uint32_t i)
{
    struct entry *e = c->entries + i;
    c->entries[e->previous].next = e->next;
    c->entries[e->next].previous = e->previous;
    if (c->first == i)
        c->first = e->next == i ? NONE : e->next;
}

static void ring_append(struct fb_block_cache *c, uint32_t i)
{
    struct entry *e = c->entries + i;
    if (c->first == NONE) {
        c->first = e->next = e->previous = i;
        return;
    }
    e->next = c->first;
    e->previous = c->entries[c->first].previous;
    c->entries[e->previous].next = i;
    c->entries[e->next].previous = i;
}

/* The next one in the order of the policy leaves; its bytes. */
static uint64_t drop_one(struct fb_block_cache *c)
{
    for (; c->entries[c->first].marked; c->first = c->entries[c->first].next)
        c->entries[c->first].marked = false;
    uint32_t i = c->first;
    uint64_t bytes = c->entries[i].bytes;
    slot_clear(c, slot_of(c, c->entries[i].block));
    ring_remove(c, i);
    c->entries[i].next = c->unused;
    c->unused = i;
    c->bytes -= bytes;
    c->n--;
    return bytes;
}

enum fb_err fb_block_cache_open(enum fb_cache_policy policy, uint64_t capacity,
                                struct fb_block_cache **out)
{
    struct fb_block_cache *c = *out = calloc(1, sizeof *c);
    if (!c)
        return FB_ENOMEM;
    c->policy = policy;
    c->capacity = policy == FB_CACHE_NONE ? 0 : capacity;
    c->first = c->unused = NONE;
    enum fb_err err = c->capacity ? grow(c, FIRST_SLOTS) : FB_OK;
    if (err) {
        fb_block_cache_close(c);
        *out = NULL;
    }
    return err;
}

void fb_block_cache_close(struct fb_block_cache *c)
{
    if (!c)
        return;
    free(c->entries);
    free(c->slots);
    free(c);
}

bool fb_block_cache_touch(struct fb_block_cache *c, uint64_t block, uint64_t bytes)
{
    if (!c->capacity)
        return false;
    uint32_t i = c->slots[slot_of(c, block)];
    if (i != NONE) {
        if (c->policy == FB_CACHE_CLOCK) {
            c->entries[i].marked = true;
        } else {
            ring_remove(c, i);
            ring_append(c, i);
        }
        return true;
    }
    if (bytes > c->capacity)
        return false;
    while (c->bytes > c->capacity - bytes)
        drop_one(c);
    if (c->unused == NONE) {
        enum fb_err err = grow(c, 2 * (c->mask + 1));
        if (err) {
            c->err = err;
            return false;
        }
    }
    i = c->unused;
    struct entry *e = c->entries + i;
    c->unused = e->next;
    *e = (struct entry){.block = block, .bytes = bytes};
    c->slots[slot_of(c, block)] = i;
    ring_append(c, i);
    c->bytes += bytes;
    c->n++;
    return false;
}

void fb_block_cache_evict(struct fb_block_cache *c, double share)
{
    const double wanted = share * (double)c->capacity;
    for (uint64_t dropped = 0; c->n && (double)dropped < wanted;)
        dropped += drop_one(c);
}

enum fb_err fb_block_cache_error(const struct fb_block_cache *c)
{
    return c->err;
}

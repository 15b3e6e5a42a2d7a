/*
 * A simulated block cache: which block of which file is in memory. Blocks are numbers; no data
 * exists. Deterministic; one thread; O(1) a touch.
 *
 *     lru      what was touched longest ago leaves first
 *     clock    a hand goes round the blocks: a marked one loses its mark, an unmarked one leaves. A
 *              touch marks; a block comes in unmarked, just behind the hand.
 */
#ifndef FILTERBENCH_HARNESS_STORE_BLOCK_CACHE_H
#define FILTERBENCH_HARNESS_STORE_BLOCK_CACHE_H

#include "filters/core/base.h"

enum fb_cache_policy { FB_CACHE_NONE, FB_CACHE_LRU, FB_CACHE_CLOCK };
extern const struct fb_word fb_cache_policies[]; /* "none", "lru", "clock" */

struct fb_block_cache;

/* capacity in bytes. Blocks larger than that are never kept. FB_CACHE_NONE or 0: every touch
 * misses.
 */
enum fb_err fb_block_cache_open(enum fb_cache_policy, uint64_t capacity,
                                struct fb_block_cache **out) FB_MUST_USE;
void fb_block_cache_close(struct fb_block_cache *); /* NULL is accepted */

/* True: the block was there, with the bytes it came with. False: it is there now, and others may
 * have left; or memory ran out, which fb_block_cache_error tells. */
bool fb_block_cache_touch(struct fb_block_cache *, uint64_t block, uint64_t bytes);
/* Drops blocks in the order of the policy until they make up `share` of the capacity: what other
 * work would have pushed out. */
void fb_block_cache_evict(struct fb_block_cache *, double share);
enum fb_err fb_block_cache_error(const struct fb_block_cache *); /* FB_OK, FB_ENOMEM */

#endif

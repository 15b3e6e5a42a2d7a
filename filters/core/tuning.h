/*
 * The tuning: how many keys ahead a batch prefetches, and into which cache.
 *
 * A filter within the second-level cache needs little prefetching, because out-of-order execution
 * overlaps the loads by itself. Beyond it, throughput is latency divided by the lines in flight.
 * Processors differ in how many lines a core keeps in flight, and in which hint gets the most.
 *
 * Example: take lookups of 64-byte lines in memory. On AMD Zen 4 one takes 7.1 ns with 128 keys
 * ahead and 5.0 ns with 32. On Zen 5 it takes 3.7 ns with 128 keys ahead and 5.2 ns with 32.
 *
 * A struct fb_tuning is a row for one processor. It has an entry for each class of kernels at each
 * reach, which is the size of a filter beside the caches. A processor without a row of its own gets
 * the row "default". tuning.c says where each row comes from. Answers and counts never depend on
 * the tuning.
 *
 * Threads: call fb_tuning_set while no other thread is in this library. A batch reads the tuning
 * once, at its beginning.
 */
#ifndef FILTERBENCH_FILTERS_CORE_TUNING_H
#define FILTERBENCH_FILTERS_CORE_TUNING_H

#include "filters/core/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Into which cache a line is prefetched. */
enum fb_hint {
    FB_HINT_NONE,  /* not at all */
    FB_HINT_T0,    /* all levels */
    FB_HINT_T1,    /* the second level: more can be on their way than to the first */
    FB_HINT_WRITE, /* for ownership: prefetchw; of inserts only */
    FB_N_HINTS
};
extern const struct fb_word fb_hint_words[]; /* "none", "T0", "T1", "write" */

struct fb_prefetch {
    uint16_t ahead; /* keys (of scattered inserts: bits), a multiple of 8 from 8 to
                     * FB_AHEAD_MOST; 0 with FB_HINT_NONE */
    uint16_t hint;  /* of enum fb_hint */
};
enum { FB_AHEAD_MOST = 256 };

enum fb_tuned {
    FB_TUNED_BLOCK_32,  /* designs of one 32-byte block a key */
    FB_TUNED_LINE_64,   /* of one line of 64 bytes */
    FB_TUNED_SCATTERED, /* of several lines a key; ahead is that of a key's first line */
    FB_TUNED_TOUCH_32,  /* the yardsticks: a run of single filters sets theirs at each footprint */
    FB_TUNED_TOUCH_64,
    FB_TUNED_FETCH,
    FB_N_TUNED
};
extern const struct fb_word
    fb_tuned_words[]; /* "block-32", "line-64", "scattered", "touch-32", ... */

/* How far away a filter lies: the first of these bounds that its bytes do not exceed. */
enum fb_reach {
    FB_REACH_NEAR,       /* half of L2 */
    FB_REACH_L2,         /* L2 */
    FB_REACH_TWICE_L2,   /* twice L2 */
    FB_REACH_QUARTER_L3, /* a quarter of L3: what the second-level TLB still covers */
    FB_REACH_L3,         /* L3 */
    FB_REACH_MEMORY,     /* whatever is larger */
    FB_N_REACHES
};
extern const struct fb_word
    fb_reach_words[]; /* "half-L2", "L2", "twice-L2", "quarter-L3", "L3", "memory" */

enum fb_tuned_work { FB_TUNED_QUERY, FB_TUNED_INSERT, FB_N_TUNED_WORKS };
extern const struct fb_word fb_tuned_work_words[]; /* "query", "insert" */

struct fb_tuning {
    char name[32]; /* of the row: "amd-zen-5", "default"; "measured" for a profile */
    uint64_t l2_bytes, l3_bytes;
    struct fb_prefetch prefetch[FB_N_TUNED_WORKS][FB_N_TUNED][FB_N_REACHES];
};

/* Writes the row of this processor to *out, with the sizes of its caches. An x86-64 processor tells
 * them itself, so no file is read. Where it does not tell, and on other machines, L2 has 1 MiB and
 * L3 has 32 MiB. */
void fb_tuning_detect(struct fb_tuning *out);

/* Sets the cache sizes of a row, in bytes. L3 is limited to 1 to 16 times L2, because a virtual
 * machine sees the last-level cache of its whole host. The entries of the row "default" follow the
 * sizes: an L2 above 1 MiB is slow enough that prefetching from it pays. */
void fb_tuning_fit(struct fb_tuning *row, uint64_t l2_bytes, uint64_t l3_bytes);

/* The built-in rows, whose cache sizes are not set. By name, NULL if there is no such row, or by
 * index below fb_n_tunings(). Static. */
const struct fb_tuning *fb_tuning_find(const char *name);
const struct fb_tuning *fb_tuning_at(size_t i);
size_t fb_n_tunings(void);

/* Puts a copy of *tuning in force. NULL puts the result of fb_tuning_detect in force, as it is
 * before any call. FB_EINVAL, and nothing changes: a cache has 0 bytes, l3_bytes is below l2_bytes,
 * or struct fb_prefetch does not allow an entry. */
enum fb_err fb_tuning_set(const struct fb_tuning *tuning) FB_MUST_USE;
/* Returns the tuning in force. Static; fb_tuning_set changes it. */
const struct fb_tuning *fb_tuning_now(void);

/* The reach of a filter of n_bytes by the given tuning, and its entry in the tuning in force. */
enum fb_reach fb_tuning_reach(const struct fb_tuning *, uint64_t n_bytes);
struct fb_prefetch fb_prefetch_for(enum fb_tuned_work, enum fb_tuned, uint64_t n_bytes);

/* Returns the entry for a filter that is asked alone or among others (fb_filter_among). */
static inline struct fb_prefetch fb_prefetch_of(enum fb_tuned_work work, enum fb_tuned tuned,
                                                const struct fb_filter *f)
{
    return f->reach ? fb_tuning_now()->prefetch[work][tuned][f->reach - 1]
                    : fb_prefetch_for(work, tuned, f->geom.n_bytes);
}

/* Returns the reach of all filters of a walk together. It is what fb_filter_among told the first
 * of them, or else follows from the sum of their bytes. A NULL among them counts for nothing. */
enum fb_reach fb_reach_across(const struct fb_filter *const *filters, size_t n);

/* Returns the class of a design by the size of its blocks. It never is a yardstick's class. */
static inline enum fb_tuned fb_tuned_shape(const struct fb_geometry *geom)
{
    return geom->block_bits == 256 ? FB_TUNED_BLOCK_32
           : geom->block_bits      ? FB_TUNED_LINE_64
                                   : FB_TUNED_SCATTERED;
}

#ifdef __cplusplus
}
#endif

#endif

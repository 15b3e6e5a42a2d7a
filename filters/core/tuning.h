/*
 * Tuning: how far batches look ahead, and into which cache they fetch, as data.
 *
 * Below the second-level cache out-of-order execution overlaps the loads by itself, and a prefetch
 * is one more instruction. Beyond it throughput is latency over lines in flight. How many lines a
 * core keeps in flight, and which hint gets it the most, differs between processors. Example:
 * lookups of 64-byte lines in memory take 7.1 ns on AMD Zen 4 with 128 keys ahead and 5.0 with 32;
 * on Zen 5 3.7 with 128 and 5.2 with 32.
 *
 * A row of the table says it for a class of kernels at a reach: a footprint beside the second- and
 * third-level caches. Rows are named for processors (tuning.c says where each comes from); another
 * processor has the row "default". No answer and no count depends on the tuning.
 *
 * Threads: fb_tuning_set is called while no other thread is in this library. A batch reads the
 * tuning once, at its beginning.
 */
#ifndef FILTERBENCH_FILTERS_CORE_TUNING_H
#define FILTERBENCH_FILTERS_CORE_TUNING_H

#include "filters/core/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Into which cache a line is fetched before it is asked for. */
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

/* How far off a filter lies: the first of these bounds that its bytes do not pass. */
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

/* The row of this processor, and its caches as it tells them itself (no file is read): on x86-64;
 * elsewhere, and where it does not tell, 1 MiB and 32 MiB. */
void fb_tuning_detect(struct fb_tuning *out);

/* Gives a row these caches. A guest sees the last-level cache of its whole host: it is taken for at
 * least L2 and at most 16 times as much. The row "default" also follows them: an L2 above 1 MiB
 * answers late, so that fetching from it pays where a smaller one is fastest alone. */
void fb_tuning_fit(struct fb_tuning *row, uint64_t l2_bytes, uint64_t l3_bytes);

/* The rows, without caches, by name (NULL: no such row) and by index, below fb_n_tunings(). */
const struct fb_tuning *fb_tuning_find(const char *name);
const struct fb_tuning *fb_tuning_at(size_t i);
size_t fb_n_tunings(void);

/* A copy of *tuning is in force from now on; NULL: what fb_tuning_detect gives, which is in force
 * before any call. FB_EINVAL, and nothing changed: caches of 0 bytes, an l3_bytes below l2_bytes,
 * or an entry that struct fb_prefetch does not allow. */
enum fb_err fb_tuning_set(const struct fb_tuning *tuning) FB_MUST_USE;
/* What is in force. */
const struct fb_tuning *fb_tuning_now(void);

/* Its reach for a filter of n_bytes, and its entry. */
enum fb_reach fb_tuning_reach(const struct fb_tuning *, uint64_t n_bytes);
struct fb_prefetch fb_prefetch_for(enum fb_tuned_work, enum fb_tuned, uint64_t n_bytes);

/* The entry for a filter, alone or among others (fb_filter_among). */
static inline struct fb_prefetch fb_prefetch_of(enum fb_tuned_work work, enum fb_tuned tuned,
                                                const struct fb_filter *f)
{
    return f->reach ? fb_tuning_now()->prefetch[work][tuned][f->reach - 1]
                    : fb_prefetch_for(work, tuned, f->geom.n_bytes);
}

/* How far off the filters of a walk lie together: as the first of them says it (fb_filter_among),
 * else by the sum of their bytes. NULL among them counts for nothing. */
enum fb_reach fb_reach_across(const struct fb_filter *const *filters, size_t n);

/* The class of a design by its blocks; no yardstick's. */
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

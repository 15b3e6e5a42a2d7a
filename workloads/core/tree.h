/*
 * Trees: one model for all compaction styles. A tree is a list of runs, newest first; a run is a
 * list of segments (files) that do not overlap. A segment has one filter, or several: a *unit* is
 * what one filter covers (the file, a 2 KiB data block, a partition).
 *
 * Styles are Fluid-LSM pairs (Dayan & Idreos, Dostoevsky, SIGMOD 2018): K runs in each inner level,
 * Z runs in the last one.
 *
 *     leveled    K = 1, Z = 1            filters asked of an absent key: l0 + (levels - 1)
 *     tiered     K = Z = T - 1           l0 + (T - 1)(levels - 1), all runs
 *     lazy       K = T - 1, Z = 1        l0 + (T - 1)(levels - 2) + 1
 *     universal  run sizes given, each at most size_ratio times the sum of the newer ones
 *     flat       n_runs equal runs that overlap
 *
 * L0 counts as a level, also where it is empty (l0 = 0). Level 0 has l0 runs of one segment each.
 * Level i >= 1 has l0 * segment_keys * T^(i - 1) keys, or segment_keys * T^i where l0 is 0, in K
 * runs (the last level in Z). The last level is filled to `fill`. Where T is no integer, T - 1 is
 * rounded up for K and Z.
 *
 * With l0 = 4, T = 10 and 1000 keys a segment, levels 0, 1 and 2 have 4000, 4000 and 40000 keys.
 * Universal: the newest run is one segment, each older one size_ratio times the sum of the newer
 * ones.
 *
 * With fewer keys than the levels hold, every run shrinks in proportion; with more, the last level
 * grows (universal: refused). With levels = 0 (universal: n_runs = 0) there are as many levels as
 * the keys need, and segments keep their size. The last level takes the rest in as few runs as can
 * hold it, and `fill` says nothing. With l0 = 4 and 1000 keys a segment, 2500 keys make level 0
 * alone, of three runs.
 *
 * Runs may be given one by one, newest first, with their numbers of keys: those of files that a
 * store has. Style, ratio, levels and l0 then decide no size. Each run has as many segments as its
 * keys need. Another number of keys than theirs shrinks or grows every run in proportion, segments
 * stay as large.
 *
 * Threads: after it is made, any number of threads may read it.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_TREE_H
#define FILTERBENCH_WORKLOADS_CORE_TREE_H

#include "workloads/core/keyspace.h"

enum fb_style { FB_LEVELED, FB_TIERED, FB_LAZY, FB_UNIVERSAL, FB_FLAT };
extern const struct fb_word fb_styles[]; /* "leveled", "tiered", "lazy", "universal", "flat" */

enum fb_filter_unit { FB_UNIT_FILE, FB_UNIT_BLOCK, FB_UNIT_PARTITION };
/* "file", "block" (LevelDB: 2 KiB of data each), "partition" (4 KiB of filter each). */
extern const struct fb_word fb_filter_units[];

enum { FB_MAX_RUNS = 1024 };

/* A run on disk whose size is known. */
struct fb_given_run {
    uint64_t n_keys; /* at least 1 */
    unsigned level;
    uint64_t files; /* of about as many keys each; 0: as large as segment_bytes says */
};

struct fb_tree_shape {
    enum fb_style style;
    uint64_t n_keys; /* entries of the whole tree without updates; 0: what the levels hold */
    double key_bytes, value_bytes, entry_overhead; /* mean bytes; decide keys per segment */
    uint64_t segment_bytes;
    double ratio;           /* T > 1 */
    unsigned levels;        /* L0 included, at least 1; 0: as many as n_keys needs */
    unsigned l0;            /* runs in level 0; 0: none, level 1 is the newest */
    double fill;            /* of the last level, (0, 1] */
    unsigned n_runs;        /* flat; universal: 0: as many as n_keys needs */
    double size_ratio;      /* universal */
    double updates;         /* share of a run's keys that an older run holds too, [0, 1) */
    double tombstones;      /* share of those that are deletions, [0, 1] */
    unsigned memtables;     /* before the runs: the active one and immutable ones */
    uint64_t memtable_keys; /* each holds; 0: none. They are the newest arrivals. */
    enum fb_filter_unit unit;
    double bits_per_key; /* of a partition's 4 KiB */
    double scale;        /* keys per segment are divided by it; runs, T and bits per key stay */
    /* NULL, or [n_given] runs in ascending order of level, at most FB_MAX_RUNS. Borrowed. */
    const struct fb_given_run *given;
    size_t n_given;
};

/* Mean bytes of an entry. */
static inline double fb_tree_entry_bytes(const struct fb_tree_shape *s)
{
    return s->key_bytes + s->value_bytes + s->entry_overhead;
}

/* A stretch of a run whose keys lie evenly: indices low .. high - 1. */
struct fb_stretch {
    uint64_t low, high, first_rank, n_keys;
    uint64_t slope; /* n_keys / (high - low) as a fraction of 2^63 */
};
enum { FB_MAX_STRETCHES = 2 };

struct fb_run {
    unsigned level;
    bool memtable;   /* in memory: searched itself, no filter, no I/O; one segment and unit,
                        which is not among the tree's */
    uint64_t n_keys; /* own + updates */
    /* A run of a trace (workloads/core/trace_tree.h) is what its list says; n_own is 0. */
    uint64_t first, n_own; /* arrivals first .. first + n_own - 1 came here */
    /* An order of the older arrivals [0, first) that is the run's own. The first n_updates in it
     * were written again, and the first n_tombstones of these as deletions. As each run has its own
     * order, a key that this run has again says nothing of another run. Unset if n_updates is 0. */
    struct fb_permutation updates;
    uint64_t n_updates, n_tombstones;
    uint64_t low, high; /* indices of keys lie in [low, high) */
    size_t n_segments, units_per_segment;
    size_t first_unit;      /* number of its first unit in the tree */
    uint64_t *member;       /* [n_keys] indices, ascending, bit 63 set for tombstones; owned; NULL:
                               not listed, places are interpolated */
    uint64_t *segment_low;  /* [n_segments] lowest index of each; owned */
    uint64_t *segment_last; /* [n_segments] highest index of each, of listed runs; owned */

    /* How places are found: tree_runs.c. */
    struct fb_stretch stretch[FB_MAX_STRETCHES]; /* ascending; of runs that are not listed */
    unsigned n_stretches, guide_shift;
    uint32_t
        *guide; /* listed: rank of the first key in each 2^guide_shift indices from low; owned */
    uint64_t unit_slope, segment_slope;   /* units / keys, 1 / units_per_segment, of 2^63 */
    uint64_t segment_whole, segment_part; /* keys / segments and the rest as a fraction of 2^63 */
};
#define FB_MEMBER_TOMBSTONE (UINT64_C(1) << 63)

/* Index of the key of a rank, rank < n_keys; of listed runs. */
static inline uint64_t fb_run_member(const struct fb_run *r, uint64_t rank)
{
    return r->member[rank] & ~FB_MEMBER_TOMBSTONE;
}

static inline size_t fb_run_units(const struct fb_run *r)
{
    return r->n_segments * r->units_per_segment;
}

struct fb_tree {
    struct fb_run *runs; /* [n_runs] newest first, owned */
    size_t n_runs, n_units;
    unsigned n_levels;
    uint64_t n_keys;       /* entries, updates included */
    uint64_t segment_keys; /* of the fullest segment on disk; 0: there is none */
    uint64_t unit_keys;    /* keys a unit is meant to have */
    /* The keys that such a unit would have at scale 1, in a run that did not shrink. If the runs
     * follow from a given number of keys, no unit counts as larger than the largest run. Divide it
     * by unit_keys to learn how much larger the units of the unscaled tree are.
     *
     * Example: a file has 12 keys at scale 4 and 50 at scale 1. A tree of 100000 given keys has 50
     * here. A tree of 30 keys has 30, because at scale 1 one file holds them all. A tree of 10 keys
     * has 12, the same as unit_keys, because it is one file at either scale. */
    uint64_t whole_unit_keys;
    const struct fb_keyspace *space; /* borrowed */
};

/* Sets *n_keys to how many keys the shape holds. That is shape->n_keys, or what the levels hold if
 * it is 0. FB_EINVAL: the shape makes no sense, or it has more than 2^40 keys or FB_MAX_RUNS runs.
 * *why then says which, and *n_keys is 0. */
enum fb_err fb_tree_n_keys(const struct fb_tree_shape *, uint64_t *n_keys,
                           const char **why) FB_MUST_USE;

/*
 * Makes the runs and segments for the first space->n_present arrivals. That number replaces
 * shape->n_keys. The tree borrows the space, which must outlive it.
 *
 * FB_EINVAL: the shape makes no sense, and *why says what would be accepted. FB_ENOMEM: memory is
 * lacking. On failure *out is zeroed, so you may close it but need not.
 *
 * A tree of up to `list_limit` entries (at most 2^31 - 1) is listed, at 10 to 12 bytes each. Its
 * segments have equal numbers of keys, and ranks are exact. In a larger tree segments cut the run's
 * range of indices into equal parts, and ranks are interpolated.
 */
enum fb_err fb_tree_make(const struct fb_tree_shape *, const struct fb_keyspace *,
                         uint64_t list_limit, struct fb_tree *out, const char **why) FB_MUST_USE;
/* Frees what the tree owns and zeroes the struct. A zeroed tree is accepted. */
void fb_tree_close(struct fb_tree *);

/* Where a key would be in a run, present or not. */
struct fb_place {
    size_t segment, unit; /* of the run; unit counts over all its segments */
    uint64_t rank;        /* within the segment: keys of it below this one */
    uint64_t segment_keys;
};
/* Finds the place of an index in a run, in O(1). The unit of an absent key is that of the first key
 * behind it. Returns false if the index lies outside the range of every segment of the run. *out
 * then means nothing. */
bool fb_run_locate(const struct fb_run *, uint64_t index, struct fb_place *out);
/* Finds only the unit, and returns the same as fb_run_locate. It is faster in a listed run whose
 * segments have one unit each, because it does not read the list of keys. *unit means nothing if it
 * returns false. */
bool fb_run_unit(const struct fb_run *, uint64_t index, size_t *unit);

/* Returns the last of n segments whose lowest key is at or before the index, or 0 if none is.
 * low [n] has the lowest index of each segment, ascending. */
static inline size_t fb_segment_of(const uint64_t *low, size_t n, uint64_t index)
{
    size_t first = 0;
    while (n > 1) {
        size_t half = n / 2;
        first += low[first + half] <= index ? half : 0;
        n -= half;
    }
    return first;
}

/* Returns how many keys of a listed run lie below the index. */
uint64_t fb_run_rank(const struct fb_run *, uint64_t index);

/* Returns whether the run holds the key of an index. *tombstone is always set: to true if the run
 * holds a deletion of the key, and to false if it holds a value or does not hold the key. */
bool fb_run_holds(const struct fb_tree *, size_t run, uint64_t index, bool *tombstone);
/* Returns the index of key number `number` of a run, below its n_keys. The run's own keys come
 * first, in order of arrival, then those that were written again. In a run of a trace, keys are
 * numbered in the order of its list. */
uint64_t fb_run_key(const struct fb_tree *, size_t run, uint64_t number);
/* Returns the number of the newest run that holds the key of an index, or n_runs if none does. It
 * sets *tombstone as fb_run_holds does for that run, and to false if there is none. */
size_t fb_tree_holder(const struct fb_tree *, uint64_t index, bool *tombstone);

/* Calls each(arg, unit, index) for the keys of the run whose unit, as in fb_place, lies in
 * [first_unit, first_unit + n_units). Keys of a listed run come in ascending order, and cost a pass
 * over those asked for. Any other run costs a pass over all its keys: first its own in order of
 * arrival, then those written again. */
void fb_run_each(const struct fb_tree *, size_t run, size_t first_unit, size_t n_units,
                 void (*each)(void *arg, size_t unit, uint64_t index), void *arg);
/* The same for its keys number first_key .. first_key + n_keys - 1 alone, of run->n_keys (as
 * fb_run_key numbers them; listed runs: in the order of the list). Slices cover the run without
 * overlap, so threads may share it; each costs a pass over its own keys. */
void fb_run_slice(const struct fb_tree *, size_t run, uint64_t first_key, uint64_t n_keys,
                  size_t first_unit, size_t n_units,
                  void (*each)(void *arg, size_t unit, uint64_t index), void *arg);

#endif

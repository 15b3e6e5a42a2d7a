/*
 * Streams of point queries on a tree. Query i is a pure function of (stream, i): blocks can be made
 * in any order, by any thread, outside every clock.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_QUERIES_H
#define FILTERBENCH_WORKLOADS_CORE_QUERIES_H

#include "workloads/core/popularity.h"
#include "workloads/core/tree.h"

/*
 * Where absent keys come from. None of them is in the tree. Where the format can tell the index of
 * given bytes (keygen.read), arithmetic over arrivals makes sure of that. In key files a search
 * does. In other formats no key has these bytes, up to the accidents that keys.h names.
 */
enum fb_absent_kind {
    FB_IN_GAP,      /* a key of the same universe that never arrived */
    FB_NEIGHBOUR,   /* a present key, its last byte one up or down (a digit stays a digit) */
    FB_SUFFIX,      /* a present key and one byte more, '.' unless that makes a present key */
    FB_NEXT,        /* the sequence goes on: behind all keys */
    FB_OUT_RANGE,   /* outside every run: pruning alone */
    FB_OTHER_SPACE, /* in-gap, but the highest bit of its third byte (of a shorter key: of the last)
                       is another: a prefix that no present key has */
    FB_REPEAT,      /* zipf over a fixed set of absent keys */
    FB_ADVERSARIAL, /* absent keys that the filters are known to pass: chosen by the harness */
};
/* "in-gap", "neighbour", "suffix", "next", "out-range", "other-space", "repeat", "adversarial". */
extern const struct fb_word fb_absent_kinds[];

enum fb_holder_kind {
    FB_BY_POPULARITY, /* items are keys, their rank independent of age (but for "latest") */
    FB_PROPORTIONAL,  /* a run by the number of keys whose newest version it has, then one of these
                         by popularity */
    FB_RECENT,        /* P(run) ~ T^-age */
    FB_LEVEL,         /* all in one level, a run of it as above */
};

struct fb_query_spec {
    double absent; /* share of queries for keys not in the tree, [0, 1] */
    enum fb_absent_kind absent_kind;
    enum fb_holder_kind holder;
    unsigned level;                  /* FB_LEVEL; UINT_MAX: the last one */
    double recent_ratio;             /* T of FB_RECENT, at least 1 */
    struct fb_popularity popularity; /* of present keys, as parsed */
    uint64_t repeat_keys;            /* FB_REPEAT: size of the fixed set, at least 1 */
    double repeat_theta;
    const uint64_t *adversarial; /* [n_adversarial] indices; FB_ADVERSARIAL */
    size_t n_adversarial;
    /* NULL, or [n_given] indices below space->size: query i asks for given[i mod n_given], which
     * may be in the tree or not, and all of the above says nothing. Borrowed. */
    const uint64_t *given;
    size_t n_given;
};

/* "proportional", "popularity", "recent", "level:3", "last" (the last level). */
bool fb_holder_parse(const char *text, struct fb_query_spec *out, const char **why);

/*
 * Each absent key that a kind has is a slot, and query i may ask for slot i mod n_slots. Each slot
 * has a number of its own in [0, 1). In pass p = i / n_slots over the slots, the query asks for its
 * slot if that number lies in [p absent, (p + 1) absent), modulo 1.
 *
 * So every pass asks for a share `absent` of the slots, and for every slot once before any comes
 * again. Kinds that repeat keys have 2^63 slots.
 *
 * Threads: after it is made, any number of threads may read it.
 */
struct fb_queries {
    struct fb_query_spec spec;
    const struct fb_tree *tree; /* borrowed */
    uint64_t stream, popular;   /* streams: absent or present and which run; which key */
    uint64_t n_slots;
    struct fb_permutation slots; /* in which order absent keys, or keys they derive from, come */
    double *run_share;           /* [n_runs] cumulative P(holder), owned; FB_BY_POPULARITY: NULL */
    double *run_live;            /* [n_runs] keys whose newest version is here, owned */
    struct fb_items *items;      /* [n_runs], FB_BY_POPULARITY: [1]; owned */
    struct fb_popularity repeat;
    /* The effective number of different present, and of absent, given keys. It is
     * (sum of times)^2 / sum of times^2, where `times` counts how often each key is asked for. NaN:
     * there are none. With given keys spec.absent is the share that no run has. */
    double given_present, given_absent;
};

struct fb_query {
    uint64_t index;  /* its place in key order; derived keys stand where their origin does */
    uint32_t holder; /* run that ends the walk; n_runs: none, the key is absent */
    bool absent;     /* drawn as absent, or deleted */
    bool tombstone;  /* the holder has a deletion */
};

/* Makes a stream of queries. It borrows the tree, which must outlive *out. FB_EINVAL: the tree
 * cannot serve the spec, for example because it has no such level or no key with an absent
 * neighbour. *why then says the reason. FB_ENOMEM: memory is lacking. *out is zeroed on failure. */
enum fb_err fb_queries_init(const struct fb_query_spec *, const struct fb_tree *, uint64_t root,
                            struct fb_queries *out, const char **why) FB_MUST_USE;
void fb_queries_close(struct fb_queries *);

/* Makes queries first .. first + n - 1 into out [n], and their keys. It empties `keys` first and
 * grows it as needed; the caller closes it. FB_EINVAL: no absent key was found. */
enum fb_err fb_queries_make(const struct fb_queries *, uint64_t first, size_t n,
                            struct fb_query *out, struct fb_keyset *keys) FB_MUST_USE;
/*
 * Writes to share [n_runs] which part of the queries for present keys each run ends. The parts sum
 * to 1. All are 0 if no query asks for a present key.
 *
 * With FB_BY_POPULARITY this is an estimate. The run of each of the 65536 most popular keys is
 * looked up. All other queries are divided among the runs by the number of keys whose newest
 * version each run has. For "latest" they are divided by the age of these keys.
 */
void fb_queries_shares(const struct fb_queries *, double *share);
/* Returns the effective number of different present keys that are asked for: 1 / sum of squares of
 * their shares. It is at most the number of present keys. NaN: no present key is asked for. */
double fb_queries_effective(const struct fb_queries *);

/* ---- Between the files ---- */

/* Fills run_live and, unless NULL, run_share. */
enum fb_err fb_holders_init(struct fb_queries *, const char **why) FB_MUST_USE;

/* Fills what follows from spec.given, run_share among it. */
enum fb_err fb_given_init(struct fb_queries *, const char **why) FB_MUST_USE;

/* NULL, or why the tree has none of the kind. Both buffers are [fb_absent_max_len]. */
const char *fb_absent_init(struct fb_queries *, uint8_t *key, uint8_t *scratch);
/* Writes the index and the key of query i, which is drawn as absent. Returns the length of the key,
 * or SIZE_MAX if none was found. */
size_t fb_absent_make(const struct fb_queries *, uint64_t i, uint64_t *index, uint8_t *key,
                      uint8_t *scratch);
static inline size_t fb_absent_max_len(const struct fb_keyspace *space)
{
    return space->max_len + 8;
}

#endif

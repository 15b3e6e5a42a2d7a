/*
 * Streams of point queries on a tree. Query i is a pure function of (stream, i): blocks can be made
 * in any order, by any thread, outside every clock.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_QUERIES_H
#define FILTERBENCH_WORKLOADS_CORE_QUERIES_H

#include "workloads/core/popularity.h"
#include "workloads/core/tree.h"

enum fb_absent_kind {
    FB_IN_GAP,      /* a key of the same universe that never arrived; each asked once */
    FB_NEIGHBOUR,   /* a present key, its last byte one up or down, and not present */
    FB_SUFFIX,      /* a present key and one byte more */
    FB_NEXT,        /* the sequence goes on: behind all keys */
    FB_OUT_RANGE,   /* outside every run: pruning alone */
    FB_OTHER_SPACE, /* same format, another name space: another prefix */
    FB_REPEAT,      /* zipf over a fixed set of absent keys */
    FB_ADVERSARIAL, /* absent keys that the filters are known to pass: chosen by the harness */
};
/* "in-gap", "neighbour", "suffix", "next", "out-range", "other-space", "repeat", "adversarial";
 * NULL beyond the last. */
const char *fb_absent_kind_name(enum fb_absent_kind);

enum fb_holder_kind {
    FB_BY_POPULARITY, /* items are keys, their rank independent of age */
    FB_PROPORTIONAL,  /* a run by its size, a key of it by popularity */
    FB_RECENT,        /* P(run) ~ T^-age */
    FB_LEVEL,         /* all in one level */
};

struct fb_query_spec {
    double absent; /* share of queries for keys not in the tree, [0, 1] */
    enum fb_absent_kind absent_kind;
    enum fb_holder_kind holder;
    unsigned level;                  /* FB_LEVEL */
    double recent_ratio;             /* T of FB_RECENT */
    struct fb_popularity popularity; /* of present keys; initialised by fb_queries_init */
    uint64_t repeat_keys;            /* FB_REPEAT: size of the fixed set */
    double repeat_theta;
    const uint64_t *adversarial; /* [n_adversarial] indices; FB_ADVERSARIAL */
    size_t n_adversarial;
};

/* "proportional", "popularity", "recent", "level:3", "last" (the last level). */
bool fb_holder_parse(const char *text, struct fb_query_spec *out, const char **why);

struct fb_queries {
    struct fb_query_spec spec;
    const struct fb_tree *tree; /* borrowed */
    uint64_t stream;
    double *run_share; /* [n_runs] cumulative P(holder), owned */
    struct fb_popularity repeat;
};

struct fb_query {
    uint64_t index;  /* its place in key order; derived keys stand where their origin does */
    uint32_t holder; /* run that ends the walk; n_runs: none, the key is absent */
    bool absent;     /* drawn as absent, or deleted */
    bool tombstone;  /* the holder has a deletion */
};

/* FB_EINVAL with *why set where the tree cannot serve the spec (no such level, "neighbour" of a
 * format that has none). */
enum fb_err fb_queries_init(const struct fb_query_spec *, const struct fb_tree *, uint64_t root,
                            struct fb_queries *out, const char **why) FB_MUST_USE;
void fb_queries_close(struct fb_queries *);

/* Queries first .. first + n - 1 and their keys; keys is emptied first and grown as needed. */
enum fb_err fb_queries_make(const struct fb_queries *, uint64_t first, size_t n,
                            struct fb_query *out, struct fb_keyset *keys) FB_MUST_USE;
/* P(holder = run | present), [n_runs], for expectations. */
void fb_queries_shares(const struct fb_queries *, double *share);

#endif

/*
 * Trees that claims are judged on, and real filters and queries for them. Entries are 16-byte keys
 * and 100-byte values.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_GROVE_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_GROVE_H

#include "harness/kind/claims/procedure/procedure.h"
#include "harness/tree/forest.h"
#include "workloads/core/queries.h"

enum {
    FB_CLAIM_KEY_BYTES = 16,
    FB_CLAIM_VALUE_BYTES = 100,
    FB_CLAIM_OVERHEAD = 8,
    FB_CLAIM_ENTRY_BYTES = FB_CLAIM_KEY_BYTES + FB_CLAIM_VALUE_BYTES + FB_CLAIM_OVERHEAD,
};

/* The shape that the arguments ask for: style, n (keys in all), segment_keys, runs, levels, l0,
 * ratio. */
struct fb_tree_shape fb_claim_shape(struct fb_bench *, const json_t *args);
/* A tree of that shape, of keys of a format, with at least n_absent absent keys. The tree refers to
 * the space. */
void fb_claim_tree(struct fb_bench *, const json_t *args, const char *keys, uint64_t n_absent,
                   struct fb_keyspace *, struct fb_tree *);

/* A tree with filters and queries, each of which refers to the members above it. */
struct fb_grove {
    struct fb_keyspace space;
    struct fb_tree tree;
    struct fb_forest forest;
    struct fb_queries queries;
};
/* Arguments: tree as above; design, bits_per_key or fpr, k; absent, holder, popularity. Close it
 * after a failure as well. */
void fb_grove_open(struct fb_bench *, const json_t *args, const char *keys, uint64_t n_absent,
                   struct fb_grove *out);
void fb_grove_close(struct fb_grove *);

#endif

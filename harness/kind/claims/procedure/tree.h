/*
 * Trees that claims are judged on: entries of 16-byte keys and 100-byte values.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_TREE_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_TREE_H

#include "harness/kind/claims/procedure/arguments.h"
#include "workloads/core/tree.h"

enum {
    FB_CLAIM_KEY_BYTES = 16,
    FB_CLAIM_VALUE_BYTES = 100,
    FB_CLAIM_OVERHEAD = 8,
    FB_CLAIM_ENTRY_BYTES = FB_CLAIM_KEY_BYTES + FB_CLAIM_VALUE_BYTES + FB_CLAIM_OVERHEAD,
};

/* A tree of random keys, {style, n: keys in all, segment_keys, runs, levels, l0, ratio}, with at
 * least n_absent absent keys. The tree refers to the space. */
void fb_claim_tree(struct fb_bench *, const json_t *args, uint64_t n_absent, struct fb_keyspace *,
                   struct fb_tree *);

#endif

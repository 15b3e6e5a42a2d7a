/*
 * What a timed cell does with its filter.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_OPERATION_H
#define FILTERBENCH_HARNESS_FILTER_OPERATION_H

#include "filters/core/filter.h"

/* Digests of a block, 16 KiB: half of a 32 KiB L1. */
enum { FB_DIGEST_WORDS = 2048 };
enum { FB_BUILD_KEY_BYTES = 16 };

enum fb_operation {
    FB_OP_BATCH,      /* query_batch: independent, all digests at hand */
    FB_OP_EACH,       /* one by one, probe inlined, answers summed */
    FB_OP_BRANCH,     /* one by one, a branch taken on each answer */
    FB_OP_CHAIN,      /* each digest waits for the previous answer: latency */
    FB_OP_INSERT,     /* add_batch; of keys that are in already, where the design removes none */
    FB_OP_REMOVE,     /* remove_batch of keys that are in */
    FB_OP_MIXED,      /* removals, lookups and inserts in turn, at a steady load: mixed.h */
    FB_OP_BUILD,      /* from all digests at once, with the best kernel, into memory of its own */
    FB_OP_BUILD_KEYS, /* the same from keys of FB_BUILD_KEY_BYTES, hashing included */
    FB_OP_DIGEST,     /* what it hashes: all keys of a filter, into an array */
    FB_OP_WALK,       /* one key over `runs` filters, key after key: lookup shared-prefetch */
    FB_OP_WALK_BATCH, /* a batch of keys over `runs` filters: lookup batched */
    FB_OP_INLINE,     /* one by one, as a caller's own loop does: inline_loop.h */
    FB_OP_INSERT_INLINE, /* the same; of keys that are in already */
    FB_OP_BUILD_PEER,    /* FB_OP_BUILD, beside another library's structure: peer_build.h */
    FB_OP_PLAIN, /* a yardstick's batch as anyone would write it: plain_loop.h; not of "all" */
    /* Pieces of work, for claims about time that `run kernels` does not hold. Their input is random
     * words, or keys of key_len random bytes. From FB_OP_HASH on no filter is asked. */
    FB_OP_CHECK,      /* one lookup by key: digest, then query */
    FB_OP_HASH,       /* `probes` hashes, seeds 0, 1, ..., of a key */
    FB_OP_HASH_CHAIN, /* one hash, each key made from the last result: latency */
    FB_OP_FINALIZER,  /* abloom's mix of a number: the finalizer of MurmurHash3 */
    FB_OP_MODULO,     /* `probes` divisions by a value known at run time only, % */
    FB_OP_RECIPROCAL, /* the same by exact reciprocal (fb_mod) */
    FB_OP_MASK,       /* the same with a mask */
    FB_OP_BITS,       /* `probes` bits read at random places of the filter's first n_bits */
    FB_N_OPERATIONS
};
/* "batch", "each", "branch", "chain", "insert", "remove", "mixed", "build", "build-keys",
 * "digest", "walk", "walk-batch", "inline", "insert-inline", "build-peer", "plain", "check",
 * "hash", "hash-chain", "finalizer", "modulo", "reciprocal", "mask", "bits" */
const char *fb_operation_name(enum fb_operation);
/* In a sentence: "a batch lookup"; NULL: of use to no reader. */
const char *fb_operation_doing(enum fb_operation);
enum fb_operation fb_operation_find(const char *name); /* FB_N_OPERATIONS: no such name */
/* False: it asks. */
bool fb_operation_writes(enum fb_operation);
/* It is measured in two forms, of which the peer's is the yardstick: enum fb_inline_form. */
bool fb_operation_has_peer(enum fb_operation);
/* It takes all keys of a filter at once: a build, or a part of it. */
bool fb_operation_builds(enum fb_operation);
/* It asks several filters for a key. */
bool fb_operation_walks(enum fb_operation);
/* It takes keys out that must be in: random bits do not stand for them. */
bool fb_operation_removes(enum fb_operation);
/* True if the filter holds other keys afterwards; the cell has a filter of its own. But for
 * FB_OP_MIXED, which keeps its load, it has room for the keys of a block, and a measuring process
 * takes the change back before the next block. */
bool fb_operation_alters(enum fb_operation, const struct fb_design *);
/* Why a kernel cannot be timed at an operation that writes or has a peer, with a filter of n_keys;
 * NULL: it can. */
const char *fb_operation_why_not(enum fb_operation, const struct fb_design *,
                                 const struct fb_kernel *, uint64_t n_keys);

#endif

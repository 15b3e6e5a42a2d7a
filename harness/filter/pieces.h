/*
 * Pieces of work timed against each other: a hash of a key of some length, a filter asked by digest
 * or by key, the arithmetic inside a check. For claims about time that the grid of `run kernels`
 * does not hold.
 *
 * The pieces of a set are a part of a group (group.h): a process measures them in the same rounds.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_PIECES_H
#define FILTERBENCH_HARNESS_FILTER_PIECES_H

#include "harness/filter/timing.h"

enum fb_piece_kind {
    FB_PIECE_HASH,       /* `probes` hashes, seeds 0, 1, ..., of a key of key_len bytes */
    FB_PIECE_HASH_CHAIN, /* one hash, each key made from the last result: latency */
    FB_PIECE_FINALIZER,  /* abloom's mix of a number: the finalizer of MurmurHash3 */
    FB_PIECE_QUERY,      /* one lookup by digest, in batches */
    FB_PIECE_EACH,       /* the same, one by one */
    FB_PIECE_INSERT,     /* one insert by digest */
    FB_PIECE_CHECK,      /* one lookup by key of key_len bytes: digest, then query */
    FB_PIECE_MODULO,     /* `probes` divisions by a value known at run time only, % */
    FB_PIECE_RECIPROCAL, /* the same by exact reciprocal (fb_mod) */
    FB_PIECE_MASK,       /* the same with a mask */
    FB_PIECE_BITS,       /* `probes` bits read at random places of a filter of n_bits */
    FB_N_PIECES
};
const char *fb_piece_name(enum fb_piece_kind);

/* Plain data: travels to the measuring processes. */
struct fb_piece {
    uint32_t kind; /* enum fb_piece_kind */
    uint32_t hash; /* registry index: FB_PIECE_HASH* */
    uint32_t key_len;
    uint32_t probes;
    uint32_t design;         /* registry index: pieces that have a filter */
    uint32_t kernel;         /* index into the design's kernels */
    struct fb_params params; /* of the filter, resolved for n_keys */
    uint64_t n_keys;
    uint64_t n_bits;  /* addressed by FB_PIECE_BITS; the divisor of the reductions */
    double hit_ratio; /* share of present digests asked (FB_PIECE_QUERY, FB_PIECE_EACH) */
};

/* Whether it is built, and asked. */
bool fb_piece_has_filter(const struct fb_piece *);

enum { FB_MAX_PIECES = 8 };

/* Plain data. Zeroed but for the pieces to begin with. */
struct fb_piece_set {
    size_t n, n_filters;
    struct fb_piece pieces[FB_MAX_PIECES];
    struct fb_timing_filter filters[FB_MAX_PIECES]; /* of those that have one, in their order */
};

/* Builds the filters and makes *out the part that measures the set. Close the set in either case,
 * once the part has been measured. *why may say what is wrong. */
enum fb_err fb_pieces_open(struct fb_piece_set *, const struct fb_group_options *,
                           struct fb_part *out, const char **why) FB_MUST_USE;
void fb_pieces_close(struct fb_piece_set *);

/* The child's side, for fb_processes_child. */
extern const struct fb_child fb_pieces_child;

#endif

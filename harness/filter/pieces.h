/*
 * Pieces of work timed against each other: a hash of a key of some length, a filter asked by digest
 * or by key, the arithmetic inside a check. For claims about time that the grid of `run kernels`
 * does not hold.
 *
 * The pieces of a group are candidates of the same rounds, in several processes; only their ratios
 * are judged.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_PIECES_H
#define FILTERBENCH_HARNESS_FILTER_PIECES_H

#include "filters/core/filter.h"
#include "harness/measure/processes.h"
#include "harness/stats/paired.h"

enum fb_piece_kind {
    FB_PIECE_HASH,       /* `probes` hashes, seeds 0, 1, ..., of a key of key_len bytes */
    FB_PIECE_HASH_CHAIN, /* one hash, each key made from the last result: latency */
    FB_PIECE_QUERY,      /* one lookup by digest, in batches */
    FB_PIECE_EACH,       /* the same, one by one */
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
    uint32_t design;         /* registry index: FB_PIECE_QUERY, FB_PIECE_EACH, FB_PIECE_CHECK */
    uint32_t kernel;         /* index into the design's kernels */
    struct fb_params params; /* of the filter, resolved for n_keys */
    uint64_t n_keys;
    uint64_t n_bits;  /* addressed by FB_PIECE_BITS; the divisor of the reductions */
    double hit_ratio; /* share of present digests asked (FB_PIECE_QUERY, FB_PIECE_EACH) */
};

enum { FB_MAX_PIECES = 8 };

struct fb_piece_estimate {
    double ns; /* per operation, median over processes */
    struct fb_interval ns95;
    double ratio;               /* to piece 0 of the group */
    struct fb_interval ratio99; /* over processes */
};

/* Measures n pieces in n_processes processes (at least 8, so that a 99 % interval exists) of
 * `rounds` rounds. Stops early, with *complete false, when fb_interrupted(). */
enum fb_err fb_pieces_measure(const struct fb_piece *pieces, size_t n, size_t n_processes,
                              size_t rounds, uint64_t seed, struct fb_piece_estimate *out,
                              bool *complete) FB_MUST_USE;

/* The child's side, for fb_processes_child. */
extern const struct fb_child fb_pieces_child;

#endif

/*
 * A cell of a timing job inside a measuring process, ready to run. What is measured of it besides
 * samples is timing_extra.c.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_TIMED_H
#define FILTERBENCH_HARNESS_FILTER_TIMED_H

#include "filters/lookup/lookup.h"
#include "harness/filter/mixed.h"
#include "harness/filter/timing.h"
#include "harness/measure/counters.h"
#include "harness/measure/latency.h"

/* ---- Walks: keys asked of R filters of one design that lie one behind the other (walked.c) ----
 */

/* Keys of a block: digests, answers and bits of so many stay in L1. */
enum { FB_WALKED_KEYS = 1024 };

struct fb_walked {
    struct fb_walks walks; /* of FB_WALKED_KEYS keys; without digests */
    const struct fb_lookup *lookup;
    struct fb_filter *filters;    /* [runs], owned; their bytes are borrowed */
    const struct fb_filter **row; /* [runs], owned */
    uint32_t *holder;             /* [FB_WALKED_KEYS]: no filter holds a key; owned */
    uint8_t *answers;             /* [FB_WALKED_KEYS * runs], owned */
    uint64_t *maybe;              /* of every key, owned */
};

/* Filters like `first`, whose bytes are those of all. Asks with its kernel. FB_ENOMEM: close it
 * then as well. */
enum fb_err fb_walked_open(struct fb_walked *, const struct fb_timing_cell *,
                           const struct fb_timing_filter *,
                           const struct fb_filter *first) FB_MUST_USE;
void fb_walked_close(struct fb_walked *); /* a zeroed one is accepted */

/* Walks of n keys, at most FB_WALKED_KEYS. */
uint64_t fb_walked_run(const struct fb_walked *, uint64_t *digests, size_t n);

/* ---- A cell ---- */

struct fb_timed {
    struct fb_filter filter;
    const struct fb_timing_cell *cell;
    const struct fb_timing_filter *spec;
    size_t n;               /* operations per block */
    uint64_t warmed;        /* blocks used outside measurement */
    uint64_t block;         /* prepared last */
    size_t altered;         /* keys of it that went in or out since */
    uint64_t *keys;         /* of a build: its digests [n * words], or its keys; owned */
    uint64_t *offsets;      /* of a build from keys [n + 1], owned */
    uint64_t *made;         /* of FB_OP_DIGEST [n * words], owned */
    struct fb_filter built; /* what a build made */
    struct fb_walked walked;
    struct fb_mixed mixed;
    bool short_of_memory;
    struct fb_divisor divisor; /* by n_bits, of a piece of work */
    uint64_t *digests; /* [fb_timed_words], borrowed; or whatever a piece of work works on */
    uint8_t *maybe;    /* [FB_DIGEST_WORDS], borrowed */
};

/* Words of input that a block of the cell takes, at least FB_DIGEST_WORDS. */
size_t fb_timed_words(const struct fb_timing_cell *);

/* bytes: the filter's bits, borrowed. digests and maybe may be shared by all cells. The result
 * may be short_of_memory. */
struct fb_timed fb_timed_make(const struct fb_timing_cell *, const struct fb_timing_filter *,
                              uint8_t *bytes, uint64_t *digests, uint8_t *maybe);
void fb_timed_close(struct fb_timed *);
struct fb_candidate fb_timed_candidate(struct fb_timed *);

/* The first n operations of the digests at hand. */
uint64_t fb_timed_run(struct fb_timed *, size_t n);

/* Extra passes over one candidate, whose self is a struct fb_timed; block counts blocks used. */
void fb_timed_count(const struct fb_candidate *, uint64_t *block, const int fd[FB_N_COUNTERS],
                    struct fb_counters *out);
void fb_timed_latency(const struct fb_candidate *, uint64_t *block, struct fb_latency *out);
/* False: built without valgrind's header; nothing is counted. */
bool fb_timed_icounts(void);
/* Under callgrind: counts some blocks, and has it write what they took as "cell NUMBER". 0
 * operations: not under callgrind, or it does not run the cell's instruction set. */
void fb_timed_icount(const struct fb_candidate *, size_t number, uint64_t *operations);
/* Of FB_OP_MIXED: as many operations as replace all keys, or FB_MIXED_REPLACED of them, by one
 * kernel or another the same; zeros of all else. What they were answered. */
enum { FB_MIXED_REPLACED = 1 << 20 };
void fb_timed_mixed(const struct fb_candidate *, struct fb_mixed_counts *out);
enum fb_err fb_timed_scaling(const struct fb_candidate *, const struct fb_timing_options *,
                             double *per_s) FB_MUST_USE;

#endif

/*
 * The measurement core: candidates, blocks, batches, rounds. It knows no filter.
 *
 * A candidate does a fixed number of operations per *block*: prepare() makes fresh input outside
 * the clock, run() is timed. Blocks are repeated into a *batch* until the timed part reaches both
 * min_batch_ns and 1000 timer quanta, so the two clock reads around a block (of some thousand
 * operations) cost below one per cent and are themselves measured by a candidate that does nothing.
 *
 * A *round* visits every candidate once forward and once backward: whatever drifts linearly with
 * time cancels within the round. The sample of a candidate in a round is the mean of its two
 * batches. Comparisons are made inside a round, between samples. What a candidate leaves behind in
 * the processor can make the next one slower by some per cent, so each round has another order.
 * Candidates that are compared with each other can be kept together as a set. They stay
 * neighbours, and their order within the set is reversed in every other round.
 *
 * A batch during which the thread was pre-empted is repeated, up to max_retries times, and counted,
 * unless it is long (FB_LONG_BATCH_NS) and lost less than a hundredth of its time. What is still
 * disturbed after that stays in the data with its flag. Nothing is dropped.
 *
 * Placement (stack, heap, address of the data) lasts for a whole process, so a process is one
 * observation: see processes.h. Rounds within a process only sharpen it. Noise lasts beyond a
 * process: see serial.h.
 */
#ifndef FILTERBENCH_HARNESS_MEASURE_MEASURE_H
#define FILTERBENCH_HARNESS_MEASURE_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "filters/core/base.h"
#include "harness/measure/clock.h"

struct fb_candidate {
    void *self;
    size_t ops_per_block;
    /* Once before each batch, not timed: brings the data back into the caches that other candidates
     * pushed it out of, as steady use would. NULL: nothing to do. */
    void (*warm)(void *self);
    /* Input of block number `block` of the whole run; never the same twice. Not timed. */
    void (*prepare)(void *self, uint64_t block);
    /* ops_per_block operations; returns a value that depends on every answer. Timed. */
    uint64_t (*run)(void *self);
};

/* Half a second of one build is interrupted by every tick of another task. */
#define FB_LONG_BATCH_NS 5e7

enum fb_sample_flag {
    FB_SAMPLE_PREEMPTED = 1, /* still pre-empted after the last retry */
    FB_SAMPLE_GAP = 2,       /* one block took gap_ns longer than the batch's mean block */
};

/* One candidate in one round. Times are per operation. */
struct fb_sample {
    double wall_ns; /* mean of the forward and the backward batch, timed blocks only */
    double
        cpu_ns; /* wall_ns less the gaps in timed blocks that the thread's clock did not run in */
    uint32_t retries, flags;
};

struct fb_measure_options {
    size_t rounds;        /* at least 1 */
    uint64_t seed;        /* order of visits, numbering of blocks */
    size_t set;           /* candidates of a set, of which n is a multiple; 0: 1 */
    double min_batch_ns;  /* 1e6 */
    double quantum_ns;    /* of the timer */
    unsigned max_retries; /* 3 */
    double gap_ns;        /* 1e4 */
};

/*
 * Measures n candidates for options->rounds rounds into samples [rounds * n], round-major.
 * *sink receives the xor of what the blocks returned, so that no work can be optimised away.
 */
void fb_measure(const struct fb_clock *, const struct fb_candidate *, size_t n,
                const struct fb_measure_options *, struct fb_sample *samples, uint64_t *sink);

#endif

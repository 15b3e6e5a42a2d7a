/* What is measured of a cell besides its time: events and distributions, in a process of their own.
 */
#include <stdio.h>
#include <string.h>

#include "harness/filter/timed.h"

/* Requests to callgrind: a few instructions without effect where it does not run. */
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define CAN_ASK true
#else
#define CAN_ASK                     false
#define RUNNING_ON_VALGRIND         0
#define CALLGRIND_TOGGLE_COLLECT    ((void)0)
#define CALLGRIND_DUMP_STATS_AT(of) ((void)(of))
#endif

enum { COUNTED_BLOCKS = 400, COUNTED_BUILDS = 4, ICOUNT_BLOCKS = 8, SAMPLES = 16384 };
#define LONGEST_S 0.25 /* a cell's share of the time, however few samples that gives */

void fb_timed_count(const struct fb_candidate *candidate, uint64_t *block,
                    const int fd[FB_N_COUNTERS], struct fb_counters *out)
{
    const struct fb_timed *t = candidate->self;
    const int blocks = fb_operation_builds((enum fb_operation)t->cell->operation) ? COUNTED_BUILDS
                                                                                  : COUNTED_BLOCKS;
    double before[FB_N_COUNTERS], after[FB_N_COUNTERS];
    uint64_t sink = 0;
    if (candidate->warm)
        candidate->warm(candidate->self);
    fb_counters_read(fd, before);
    for (int i = 0; i < blocks; i++) {
        candidate->prepare(candidate->self, (*block)++);
        fb_counters_start(fd);
        sink ^= candidate->run(candidate->self);
        fb_counters_stop(fd);
    }
    fb_counters_read(fd, after);
    fb_opaque(sink);
    out->ops = (uint64_t)blocks * candidate->ops_per_block;
    for (int i = 0; i < FB_N_COUNTERS; i++) /* a first reading of an unused counter is NaN: 0 */
        out->per_op[i] = (after[i] - (before[i] > 0 ? before[i] : 0)) / (double)out->ops;
}

bool fb_timed_icounts(void)
{
    return CAN_ASK;
}

void fb_timed_icount(const struct fb_candidate *candidate, size_t number, uint64_t *operations)
{
    const struct fb_timed *t = candidate->self;
    char name[32];
    uint64_t sink = 0;
    *operations = 0;
    if (!RUNNING_ON_VALGRIND || !fb_cpu_has(t->filter.kernel->isa))
        return;
    for (uint64_t block = 0; block < ICOUNT_BLOCKS; block++) {
        candidate->prepare(candidate->self, block);
        CALLGRIND_TOGGLE_COLLECT;
        sink ^= candidate->run(candidate->self);
        CALLGRIND_TOGGLE_COLLECT;
    }
    snprintf(name, sizeof name, "cell %zu", number);
    CALLGRIND_DUMP_STATS_AT(name);
    fb_opaque(sink);
    *operations = ICOUNT_BLOCKS * candidate->ops_per_block;
}

static uint64_t now(void)
{
    return fb_system_clock.wall_ns(fb_system_clock.self);
}

/* One operation alone, as a caller of the design's header would ask it. */
static uint64_t single(struct fb_timed *t)
{
    const enum fb_operation operation = (enum fb_operation)t->cell->operation;
    if (fb_operation_writes(operation) || fb_operation_walks(operation) ||
        fb_operation_has_peer(operation) || operation == FB_OP_PLAIN)
        return fb_timed_run(t, 1);
    return t->filter.kernel->query(&t->filter, t->digests);
}

/* Block after block with every 1024th operation timed; the others keep caches and predictors as
 * steady use has them. */
static void singles(const struct fb_candidate *candidate, uint64_t *block, struct fb_histogram *op,
                    struct fb_histogram *empty)
{
    struct fb_timed *t = candidate->self;
    uint64_t took[FB_DIGEST_WORDS / FB_LATENCY_EVERY + 1],
        idle[FB_DIGEST_WORDS / FB_LATENCY_EVERY + 1];
    uint64_t sink = 0, end = now() + (uint64_t)(LONGEST_S * 1e9);
    size_t since = 0;
    while (op->n < SAMPLES && now() < end) {
        uint64_t *const first = t->digests;
        size_t n = 0;
        const size_t words = t->spec->geom.digest_words;
        candidate->prepare(t, (*block)++);
        for (size_t i = 0; i < t->n;) {
            size_t untimed = FB_LATENCY_EVERY - 1 - since;
            bool whole = i + untimed < t->n;
            untimed = whole ? untimed : t->n - i;
            t->digests = first + i * words;
            sink ^= fb_timed_run(t, untimed);
            since += untimed;
            i += untimed;
            if (!whole)
                break;
            t->digests = first + i++ * words;
            uint64_t t0 = now();
            uint64_t t1 = now();
            uint64_t answer = single(t);
            uint64_t t2 = now();
            sink ^= answer;
            idle[n] = t1 - t0;
            took[n++] = t2 - t1;
            since = 0;
        }
        t->digests = first;
        for (size_t i = 0; i < n; i++) {
            fb_histogram_add(empty, idle[i] * 1000, 1);
            fb_histogram_add(op, took[i] * 1000, 1);
        }
    }
    fb_opaque(sink);
}

static void batches(const struct fb_candidate *candidate, uint64_t *block, struct fb_histogram *h)
{
    struct fb_timed *t = candidate->self;
    uint64_t took[FB_DIGEST_WORDS / FB_LATENCY_BATCH], sink = 0,
                                                       end = now() + (uint64_t)(LONGEST_S * 1e9);
    while (h->n < SAMPLES && now() < end) {
        uint64_t *const first = t->digests;
        size_t n = t->n / FB_LATENCY_BATCH;
        candidate->prepare(t, (*block)++);
        uint64_t before = now();
        for (size_t i = 0; i < n; i++) {
            t->digests = first + i * FB_LATENCY_BATCH * t->spec->geom.digest_words;
            sink ^= fb_timed_run(t, FB_LATENCY_BATCH);
            uint64_t after = now();
            took[i] = after - before;
            before = after;
        }
        t->digests = first;
        for (size_t i = 0; i < n; i++)
            fb_histogram_add(h, took[i] * 1000 / FB_LATENCY_BATCH, 1);
    }
    fb_opaque(sink);
}

void fb_timed_mixed(const struct fb_candidate *candidate, struct fb_mixed_counts *out)
{
    struct fb_timed *t = candidate->self;
    const uint64_t replaced = fb_min_u64(t->spec->n_keys, FB_MIXED_REPLACED);
    memset(out, 0, sizeof *out);
    if (t->cell->operation != FB_OP_MIXED)
        return;
    candidate->prepare(t, 0);
    while (t->mixed.counts.inserts < replaced) {
        candidate->run(t);
        candidate->prepare(t, 0);
    }
    *out = t->mixed.counts;
}

enum fb_err fb_timed_scaling(const struct fb_candidate *candidate,
                             const struct fb_timing_options *o, double *per_s)
{
    const struct fb_timed *t = candidate->self;
    const struct fb_scaling_options options = {.threads = o->threads,
                                               .n = o->n_threads,
                                               .rounds = FB_SCALING_ROUNDS,
                                               .round_ns = 5e6,
                                               .seed = fb_mix64(o->group.seed ^ t->spec->stream)};
    if (t->cell->operation != FB_OP_BATCH || t->cell->hit_ratio > 0 ||
        t->filter.design->traits & FB_FALSE_NEGATIVES)
        return FB_OK;
    candidate->warm(candidate->self);
    return fb_scaling_measure(&t->filter, &options, per_s);
}

void fb_timed_latency(const struct fb_candidate *candidate, uint64_t *block, struct fb_latency *out)
{
    const struct fb_timed *t = candidate->self;
    memset(out, 0, sizeof *out);
    if (fb_operation_builds((enum fb_operation)t->cell->operation))
        return;
    if (candidate->warm)
        candidate->warm(candidate->self);
    batches(candidate, block, &out->kind[FB_BATCH64_MEAN]);
    singles(candidate, block, &out->kind[FB_SINGLE_OP_GROSS], &out->kind[FB_TIMER_EMPTY]);
}

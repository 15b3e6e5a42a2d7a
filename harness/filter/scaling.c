#include "harness/filter/scaling.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "harness/measure/clock.h"
#include "harness/measure/noise.h"
#include "harness/stats/paired.h"

enum { BLOCK_WORDS = 2048 }; /* of digests: half of a 32 KiB first-level cache */

/* What the threads of one measurement wait for: spinning, so that all begin within a microsecond.
 */
struct gate {
    atomic_uint waiting;
    _Atomic enum { CLOSED, OPEN, CANCELLED } state;
};

struct asker {
    const struct fb_filter *filter;
    struct gate *gate;
    uint64_t seed;
    double round_ns;
    unsigned index;
    double per_s; /* the result */
    bool preempted;
    pthread_t thread;
};

static void *ask(void *arg)
{
    struct asker *a = arg;
    const struct fb_clock *clock = &fb_system_clock;
    const struct fb_filter *f = a->filter;
    const size_t words = f->geom.digest_words, n = BLOCK_WORDS / words;
    uint64_t digests[BLOCK_WORDS], next = a->seed, spent = 0, asked = 0;
    uint8_t maybe[BLOCK_WORDS];
    fb_pin(fb_cpu_at(a->index));
    atomic_fetch_add(&a->gate->waiting, 1);
    while (atomic_load(&a->gate->state) == CLOSED)
        sched_yield();
    if (atomic_load(&a->gate->state) == CANCELLED)
        return NULL;
    const uint64_t preemptions = clock->preemptions(clock->self);
    const uint64_t start = clock->wall_ns(clock->self);
    for (uint64_t now = start; (double)(now - start) < a->round_ns;) {
        for (size_t i = 0; i < n * words; i++)
            digests[i] = fb_mix64(++next);
        uint64_t before = clock->wall_ns(clock->self);
        asked += n;
        f->kernel->query_batch(f, digests, n, maybe);
        now = clock->wall_ns(clock->self);
        spent += now - before;
    }
    a->preempted = clock->preemptions(clock->self) != preemptions;
    a->per_s = spent ? 1e9 * (double)asked / (double)spent : 0;
    return NULL;
}

/* Lookups a second of n threads together; *preempted: some other program ran in between. */
static enum fb_err once(const struct fb_filter *f, const struct fb_scaling_options *o, unsigned n,
                        uint64_t seed, double *per_s, bool *preempted)
{
    struct gate gate = {0};
    struct asker *askers = calloc(n, sizeof *askers);
    unsigned started = 0;
    *per_s = 0;
    *preempted = false;
    if (!askers)
        return FB_ENOMEM;
    for (; started < n; started++) {
        askers[started] = (struct asker){.filter = f,
                                         .gate = &gate,
                                         .seed = fb_mix64(seed ^ fb_mix64(started)),
                                         .round_ns = o->round_ns,
                                         .index = started};
        if (pthread_create(&askers[started].thread, NULL, ask, &askers[started]))
            break;
    }
    while (started == n && atomic_load(&gate.waiting) < n)
        sched_yield();
    atomic_store(&gate.state, started < n ? CANCELLED : OPEN);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(askers[i].thread, NULL);
        *per_s += askers[i].per_s;
        *preempted |= askers[i].preempted;
    }
    free(askers);
    return started < n ? FB_ENOMEM : FB_OK;
}

/* As the core measures: what was pre-empted is repeated, and the last try stands. More threads than
 * cores pre-empt each other. */
static enum fb_err measure(const struct fb_filter *f, const struct fb_scaling_options *o,
                           unsigned n, uint64_t seed, double *per_s)
{
    enum { MAX_RETRIES = 5 };
    const unsigned tries = n <= fb_parallel_cores() ? 1 + MAX_RETRIES : 1;
    bool preempted = true;
    enum fb_err err = FB_OK;
    for (unsigned i = 0; i < tries && !err && preempted; i++)
        err = once(f, o, n, fb_mix64(seed) + i, per_s, &preempted);
    return err;
}

size_t fb_scaling_cores(unsigned out[FB_SCALING_MOST])
{
    const unsigned cores = fb_parallel_cores();
    size_t n = 0;
    for (unsigned threads = 1; threads < cores && n < FB_SCALING_MOST - 1; threads *= 2)
        out[n++] = threads;
    out[n++] = cores;
    return n;
}

enum fb_err fb_scaling_measure(const struct fb_filter *f, const struct fb_scaling_options *o,
                               double *per_s)
{
    enum fb_err err = FB_OK;
    for (size_t round = 0; round < o->rounds; round++)
        for (size_t i = 0; i < o->n && !err; i++) {
            size_t at = round % 2 ? o->n - 1 - i : i;
            err = measure(f, o, o->threads[at], o->seed + round * o->n + at,
                          per_s + at * o->rounds + round);
        }
    return err;
}

enum fb_err fb_scaling_point(const double *first, const double *samples, size_t rounds,
                             struct fb_scaling_point *out)
{
    double *sorted = calloc(rounds + 1, sizeof *sorted);
    if (!sorted)
        return FB_ENOMEM;
    memcpy(sorted, samples, rounds * sizeof *sorted);
    out->per_s = fb_median(sorted, rounds);
    out->per_s_low = sorted[rounds / 4];
    out->per_s_high = sorted[rounds - 1 - rounds / 4];
    for (size_t r = 0; r < rounds; r++)
        sorted[r] = samples[r] / first[r];
    out->speedup = fb_median(sorted, rounds);
    out->speedup_low = sorted[rounds / 4];
    out->speedup_high = sorted[rounds - 1 - rounds / 4];
    free(sorted);
    return FB_OK;
}

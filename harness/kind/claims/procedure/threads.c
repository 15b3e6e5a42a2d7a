/*
 * Procedures: threads that add keys to one filter at the same time, which no kind does.
 *
 * A plain add of abloom reads a word, sets a bit in it and writes it back. Two threads that do so
 * to one word are a data race, which C leaves undefined. Here a plain add is a relaxed atomic load
 * and a relaxed atomic store of the word: the same instructions on the machines that the filters
 * know, with nothing undefined, and with the same window between reading and writing.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "filters/inline/sbbf_512.h"
#include "harness/base/parallel.h"
#include "harness/kind/claims/procedure/procedure.h"
#include "harness/measure/noise.h"
#include "harness/stats/stats.h"
#include "workloads/core/rng.h"

enum { MOST_THREADS = 8, RACES = 8 };

/* Rounds of adding to a filter each. All threads begin a round together. */
struct race {
    const struct fb_filter *empty; /* of every round's filter but for the bits */
    void (*add)(struct fb_filter *, const uint64_t *digest);
    uint8_t *bytes; /* [n_rounds * empty->geom.n_bytes] */
    uint64_t n_rounds, n_keys, root;
    unsigned n_threads;
    unsigned arrived; /* at all rounds together; atomic */
};

static struct fb_filter filter_of(const struct race *race, uint64_t round)
{
    struct fb_filter filter = *race->empty;
    filter.bytes = race->bytes + round * filter.geom.n_bytes;
    return filter;
}

static uint64_t digest_of(const struct race *race, uint64_t round, uint64_t key)
{
    return fb_stream_word(race->root, round * race->n_keys + key);
}

static void add_plain(struct fb_filter *f, const uint64_t *digest)
{
    uint64_t *word = (uint64_t *)(void *)(f->bytes + fb_sbbf_512_offset(f, *digest));
    for (int i = 0; i < FB_LANES; i++) {
        uint64_t read = __atomic_load_n(word + i, __ATOMIC_RELAXED);
        read |= UINT64_C(1) << fb_lane_bit(fb_lo32(*digest), i, FB_SBBF_512_WIDTH);
        __atomic_store_n(word + i, read, __ATOMIC_RELAXED);
    }
}

/* By the design's own kernel for several writers. */
static void add_atomic(struct fb_filter *f, const uint64_t *digest)
{
    f->kernel->add_batch(f, digest, 1);
}

/* Waits until every thread has come to the round. */
static void meet(struct race *race, uint64_t round)
{
    const unsigned all = (unsigned)(round + 1) * race->n_threads;
    __atomic_add_fetch(&race->arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&race->arrived, __ATOMIC_ACQUIRE) < all)
        sched_yield();
}

/* Thread i adds keys i, i + n_threads, ... of every round, on the i-th processor that the program
 * may run on: on one processor threads seldom meet. */
struct racer {
    struct race *race;
    unsigned number;
    pthread_t thread;
};

static void *run(void *arg)
{
    const struct racer *self = arg;
    struct race *race = self->race;
    fb_pin(fb_cpu_at(self->number));
    for (uint64_t round = 0; round < race->n_rounds; round++) {
        struct fb_filter filter = filter_of(race, round);
        meet(race, round);
        for (uint64_t key = self->number; key < race->n_keys; key += race->n_threads)
            race->add(&filter, &(uint64_t){digest_of(race, round, key)});
    }
    return NULL;
}

static void start(struct fb_bench *bench, struct race *race)
{
    struct racer racer[MOST_THREADS];
    const unsigned n = race->n_threads;
    unsigned started = 0;
    for (; started < n && !bench->err; started++) {
        racer[started] = (struct racer){.race = race, .number = started};
        if (pthread_create(&racer[started].thread, NULL, run, &racer[started]))
            break;
    }
    /* Those that run wait for the others, whose part nobody takes. */
    __atomic_add_fetch(&race->arrived, started < n ? UINT32_MAX / 2 : 0, __ATOMIC_ACQ_REL);
    for (unsigned i = 0; i < started; i++)
        pthread_join(racer[i].thread, NULL);
    if (started < n)
        fb_bench_fail(bench, FB_ENOMEM, "%u threads cannot be started", n);
}

/* Keys that a filter denies though they were added, of all rounds; *bits: bits that they lack. */
static uint64_t lost_keys(const struct race *race, uint64_t *bits)
{
    uint64_t lost = 0;
    for (uint64_t round = 0; round < race->n_rounds; round++) {
        const struct fb_filter filter = filter_of(race, round);
        for (uint64_t key = 0; key < race->n_keys; key++) {
            const uint64_t digest = digest_of(race, round, key);
            const uint64_t *word =
                (const uint64_t *)(const void *)(filter.bytes +
                                                 fb_sbbf_512_offset(&filter, digest));
            unsigned missing = 0;
            for (int i = 0; i < FB_LANES; i++)
                missing += !(word[i] >> fb_lane_bit(fb_lo32(digest), i, FB_SBBF_512_WIDTH) & 1);
            lost += missing > 0;
            *bits += missing;
        }
    }
    return lost;
}

/* What the races came to, each with threads of its own. */
struct loss {
    uint64_t threads, cores, keys[RACES], bits; /* keys and bits that were lost */
};

/* Race `number`: at least two threads, or one for each core, add n keys a round to a filter. */
static void run_race(struct fb_bench *bench, const struct fb_recipe *recipe, uint64_t n_rounds,
                     bool atomic, size_t number, struct loss *loss)
{
    struct fb_filter empty = fb_recipe_empty(bench, recipe);
    const unsigned cores = fb_parallel_cores();
    struct race race = {.empty = &empty,
                        .add = atomic ? add_atomic : add_plain,
                        .n_rounds = n_rounds,
                        .n_keys = recipe->n,
                        .root = fb_stream_word(bench->root, number),
                        .n_threads = cores < 2              ? 2
                                     : cores < MOST_THREADS ? cores
                                                            : MOST_THREADS};
    if (!bench->err && atomic)
        for (const struct fb_kernel *const *k = recipe->design->kernels; *k; k++)
            if ((*k)->concurrent_add)
                empty.kernel = *k;
    const size_t size = race.n_rounds * empty.geom.n_bytes;
    if (!bench->err)
        race.bytes = fb_alloc_lines(size);
    fb_bench_check(bench, race.bytes || bench->err ? FB_OK : FB_ENOMEM, "filters", NULL);
    if (!bench->err) {
        memset(race.bytes, 0, size);
        start(bench, &race);
    }
    if (!bench->err)
        loss->keys[number] = lost_keys(&race, &loss->bits);
    loss->threads = race.n_threads;
    loss->cores = cores;
    free(race.bytes);
    fb_filter_close(&empty);
}

/* Keys lost in each of such races; all the keys that are added in them. */
static double race_lost(struct fb_bench *bench, const json_t *args, bool atomic, double lost[RACES],
                        struct fb_finding *out)
{
    const struct fb_recipe recipe = fb_arg_recipe(bench, args);
    const uint64_t n_rounds = (fb_arg_count(args, "rounds", 100) + RACES - 1) / RACES;
    struct loss loss = {0};
    if (!bench->err && recipe.design != fb_design_find("sbbf-512"))
        fb_bench_fail(bench, FB_EINVAL, "threads add to sbbf-512 alone");
    for (size_t i = 0; i < RACES && bench->phase == FB_MEASURE; i++)
        run_race(bench, &recipe, n_rounds, atomic, i, &loss);
    fb_bench_facts(bench, (struct fb_fact[]){FB_FACT("threads", &loss.threads),
                                             FB_FACT("cores", &loss.cores),
                                             {"lost_keys", loss.keys, RACES},
                                             FB_FACT("lost_bits", &loss.bits),
                                             {0}});
    uint64_t sum = 0;
    for (size_t i = 0; i < RACES; i++) {
        lost[i] = (double)loss.keys[i];
        sum += loss.keys[i];
    }
    const uint64_t all = RACES * n_rounds * recipe.n;
    fb_find_remark(out, "%llu threads on %llu cores added %llu keys; %llu of them lost %llu bits",
                   (unsigned long long)loss.threads, (unsigned long long)loss.cores,
                   (unsigned long long)all, (unsigned long long)sum, (unsigned long long)loss.bits);
    return (double)all;
}

/* There is no theory of how many are lost: it is the machine's, and another number in each race, so
 * the interval is over races. A lost key proves that keys get lost; none proves nothing, so 0 is
 * given the upper bound of a Poisson variable that was 0. */
FB_PROCEDURE(plain_adds)
{
    double lost[RACES];
    const double all = race_lost(bench, args, false, lost, out);
    const struct fb_mean mean = fb_mean_of(lost, RACES);
    const double sum = RACES * mean.mean,
                 half = RACES * mean.se * fb_t_quantile(1 - FB_FIND_TAIL, RACES - 1);
    const struct fb_interval over = {sum - half, sum + half}, none = {0, -fb_log(FB_FIND_TAIL)};
    fb_find_time(out, sum, sum > 0 ? over : none, 0.999);
    fb_find_clip(out, fmin(sum, 1), all);
}

FB_PROCEDURE(atomic_adds)
{
    double lost[RACES];
    race_lost(bench, args, true, lost, out);
    fb_find_exact(out, 0, RACES * fb_mean_of(lost, RACES).mean);
}

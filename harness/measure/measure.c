#include "harness/measure/measure.h"

#include <math.h>
#include <stdbool.h>

#include "workloads/core/rng.h"

/* A batch is given up after this many times the wanted duration, its preparation included: work
 * that takes no time at all never adds up to it. */
enum { PATIENCE = 8 };

struct batch {
    double timed_ns;
    double stolen_ns; /* of timed_ns: by gaps, as far as the thread's clock stood still meanwhile */
    size_t blocks;
    uint32_t retries, flags;
};

struct run {
    const struct fb_clock *clock;
    const struct fb_measure_options *options;
    uint64_t next_block, sink;
};

static struct batch once(struct run *run, const struct fb_candidate *candidate)
{
    const struct fb_clock *clock = run->clock;
    double enough = run->options->min_batch_ns;
    if (enough < 1000 * run->options->quantum_ns)
        enough = 1000 * run->options->quantum_ns;
    const double gap = run->options->gap_ns;
    struct batch batch = {0};
    double slow_ns = 0, fastest = INFINITY, slowest = 0, elapsed = 0;
    size_t slow = 0;
    if (candidate->warm)
        candidate->warm(candidate->self);
    uint64_t preempted = clock->preemptions(clock->self);
    uint64_t cpu = clock->cpu_ns(clock->self), wall = clock->wall_ns(clock->self);
    while (batch.timed_ns < enough && elapsed < PATIENCE * enough) {
        candidate->prepare(candidate->self, run->next_block++);
        uint64_t before = clock->wall_ns(clock->self);
        run->sink ^= candidate->run(candidate->self);
        uint64_t after = clock->wall_ns(clock->self);
        double took = (double)(after - before);
        elapsed = (double)(after - wall);
        batch.timed_ns += took;
        batch.blocks++;
        slowest = fmax(slowest, took);
        fastest = fmin(fastest, took);
        if (took > fastest + gap) {
            slow_ns += took;
            slow++;
        }
    }
    double usual = (batch.timed_ns - slow_ns) / (double)(batch.blocks - slow);
    double gaps = slow ? slow_ns - (double)slow * usual : 0;
    double asleep = (double)(clock->wall_ns(clock->self) - wall);
    asleep -= (double)(clock->cpu_ns(clock->self) - cpu);
    batch.stolen_ns = fmax(0, fmin(gaps, asleep));
    /* A long batch is interrupted nearly always, and loses little by it. */
    const bool lost = elapsed < FB_LONG_BATCH_NS || asleep > 0.01 * elapsed;
    if (lost && clock->preemptions(clock->self) != preempted)
        batch.flags |= FB_SAMPLE_PREEMPTED;
    if (slowest > batch.timed_ns / (double)batch.blocks + gap)
        batch.flags |= FB_SAMPLE_GAP;
    return batch;
}

static struct batch undisturbed(struct run *run, const struct fb_candidate *candidate)
{
    struct batch batch = once(run, candidate);
    uint32_t retries = 0;
    while (batch.flags & FB_SAMPLE_PREEMPTED && retries < run->options->max_retries) {
        batch = once(run, candidate);
        retries++;
    }
    batch.retries = retries;
    return batch;
}

static void visit(struct run *run, const struct fb_candidate *candidate, struct fb_sample *sample)
{
    struct batch batch = undisturbed(run, candidate);
    double ops = (double)batch.blocks * (double)candidate->ops_per_block;
    sample->wall_ns += batch.timed_ns / ops / 2;
    sample->cpu_ns += (batch.timed_ns - batch.stolen_ns) / ops / 2;
    sample->retries += batch.retries;
    sample->flags |= batch.flags;
}

/* The order of a round: from a random set on by steps of a random length that meets all sets. */
struct order {
    size_t n, set, n_sets, start, stride;
    bool reversed; /* within a set */
};

static size_t common_divisor(size_t a, size_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

static struct order order_of(const struct fb_measure_options *options, size_t n, size_t round)
{
    struct order o = {.n = n, .set = options->set ? options->set : 1};
    const uint64_t word = fb_stream_word(options->seed, round);
    o.n_sets = n / o.set;
    o.start = (size_t)fb_uniform_below(word, o.n_sets);
    o.stride = 1 + (size_t)fb_uniform_below(fb_mix64(word), o.n_sets);
    while (common_divisor(o.n_sets, o.stride) != 1)
        o.stride = o.stride % o.n_sets + 1;
    o.reversed = (round ^ options->seed) & 1;
    return o;
}

static size_t visit_of(const struct order *o, size_t visited)
{
    const size_t step = visited < o->n ? visited : 2 * o->n - 1 - visited;
    const size_t set = (o->start + step / o->set * o->stride) % o->n_sets, i = step % o->set;
    return set * o->set + (o->reversed ? o->set - 1 - i : i);
}

void fb_measure(const struct fb_clock *clock, const struct fb_candidate *candidates, size_t n,
                const struct fb_measure_options *options, struct fb_sample *samples, uint64_t *sink)
{
    struct run run = {clock, options, options->seed << 20, 0};
    for (size_t round = 0; round < options->rounds; round++) {
        struct fb_sample *row = samples + round * n;
        const struct order order = order_of(options, n, round);
        for (size_t i = 0; i < n; i++)
            row[i] = (struct fb_sample){0};
        for (size_t visited = 0; visited < 2 * n; visited++) {
            const size_t at = visit_of(&order, visited);
            visit(&run, &candidates[at], &row[at]);
        }
    }
    *sink = run.sink;
}

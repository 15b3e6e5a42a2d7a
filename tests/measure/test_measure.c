/* The measurement core under synthetic clocks, and the paired estimate on synthetic samples. */
#include "tests/unit.h"

#include "harness/measure/measure.h"
#include "harness/stats/histogram.h"
#include "harness/stats/paired.h"
#include "workloads/core/rng.h"

/* ---- A simulated machine: time advances only by what candidates and interruptions cost ---- */

struct machine {
    double wall, cpu;
    uint64_t preempted, steps;
    double quantum;       /* clock reads are multiples of it */
    double drift;         /* cost grows by this share per simulated second */
    double preempt_every; /* blocks between pre-emptions of 4 ms; 0: never */
    double bimodal;       /* every other placement costs this share more */
};

struct work {
    struct machine *machine;
    double ns_per_op;
    uint64_t blocks;
};

static uint64_t quantised(const struct machine *m, double ns)
{
    return (uint64_t)(floor(ns / m->quantum) * m->quantum);
}

static uint64_t machine_wall(void *self)
{
    struct machine *m = self;
    m->wall += 20, m->cpu += 20; /* reading costs time */
    return quantised(m, m->wall);
}

static uint64_t machine_cpu(void *self)
{
    struct machine *m = self;
    return quantised(m, m->cpu);
}

static uint64_t machine_preemptions(void *self)
{
    return ((struct machine *)self)->preempted;
}

enum { OPS = 1024 };

static void work_prepare(void *self, uint64_t block)
{
    (void)block;
    struct work *w = self;
    w->machine->wall += 500, w->machine->cpu += 500;
    w->blocks++;
}

static uint64_t work_run(void *self)
{
    struct work *w = self;
    struct machine *m = w->machine;
    double ns = OPS * w->ns_per_op * (1 + m->drift * m->wall / 1e9);
    m->wall += ns, m->cpu += ns;
    if (m->preempt_every > 0 && ++m->steps % (uint64_t)m->preempt_every == 0) {
        m->wall += 4e6;
        m->preempted++;
    }
    return w->blocks;
}

/* Mean over rounds of ln(t_b / t_a) for two candidates on this machine. */
static double log_ratio(struct machine *m, double a_ns, double b_ns, uint64_t seed, size_t rounds,
                        uint32_t *retries)
{
    struct work a = {m, a_ns, 0}, b = {m, b_ns, 0};
    struct fb_candidate candidates[] = {{&a, OPS, NULL, work_prepare, work_run},
                                        {&b, OPS, NULL, work_prepare, work_run}};
    struct fb_clock clock = {m, machine_wall, machine_cpu, machine_preemptions};
    struct fb_measure_options options = {.rounds = rounds,
                                         .seed = seed,
                                         .min_batch_ns = 1e6,
                                         .quantum_ns = m->quantum,
                                         .max_retries = 3,
                                         .gap_ns = 1e4};
    struct fb_sample samples[2 * 64];
    uint64_t sink;
    double sum = 0;
    fb_measure(&clock, candidates, 2, &options, samples, &sink);
    for (size_t r = 0; r < rounds; r++) {
        sum += log(samples[2 * r + 1].wall_ns / samples[2 * r].wall_ns);
        if (retries)
            *retries += samples[2 * r].retries + samples[2 * r + 1].retries;
    }
    return sum / (double)rounds;
}

TEST(slower_by_the_right_amount)
{
    struct machine quiet = {.quantum = 10};
    assert_true(fabs(log_ratio(&quiet, 2, 3, 1, 8, NULL) - log(1.5)) < 0.01);
    struct machine coarse = {.quantum = 1000};
    assert_true(fabs(log_ratio(&coarse, 2, 3, 2, 8, NULL) - log(1.5)) < 0.02);
}

TEST(drift_cancels_within_a_round)
{
    struct machine drifting = {.quantum = 10, .drift = 2}; /* doubles within half a second */
    assert_true(fabs(log_ratio(&drifting, 2, 2, 3, 16, NULL)) < 0.002);
    struct machine again = {.quantum = 10, .drift = 2};
    assert_true(fabs(log_ratio(&again, 2, 2.1, 3, 16, NULL) - log(1.05)) < 0.004);
}

TEST(preempted_batches_are_repeated_and_counted)
{
    uint32_t retries = 0;
    struct machine busy = {.quantum = 10, .preempt_every = 1501};
    double ratio = log_ratio(&busy, 2, 2, 4, 32, &retries);
    assert_true(retries > 0);
    assert_true(fabs(ratio) < 0.002);
}

TEST(hopeless_preemption_is_flagged_not_dropped)
{
    struct machine m = {.quantum = 10, .preempt_every = 7};
    struct work a = {&m, 2, 0};
    struct fb_candidate candidate = {&a, OPS, NULL, work_prepare, work_run};
    struct fb_clock clock = {&m, machine_wall, machine_cpu, machine_preemptions};
    struct fb_measure_options options = {
        .rounds = 1, .min_batch_ns = 1e6, .quantum_ns = 10, .max_retries = 3, .gap_ns = 1e4};
    struct fb_sample sample;
    uint64_t sink;
    fb_measure(&clock, &candidate, 1, &options, &sample, &sink);
    assert_int_equal(sample.retries, 6);
    assert_true(sample.flags & FB_SAMPLE_PREEMPTED);
    assert_true(sample.flags & FB_SAMPLE_GAP);
    assert_true(sample.wall_ns > 2.5);                       /* the wall shows the theft... */
    assert_true(sample.cpu_ns > 1.5 && sample.cpu_ns < 2.6); /* ...the thread's clock does not */
}

/* Candidate i says so when its batch begins. */
enum { THREE = 3, FOUR = 4, MANY = 20 };
static int batches_of[2 * FOUR * MANY];
static size_t n_batches_of;

static void warm_0(void *self)
{
    (void)self;
    batches_of[n_batches_of++] = 0;
}

static void warm_1(void *self)
{
    (void)self;
    batches_of[n_batches_of++] = 1;
}

static void warm_2(void *self)
{
    (void)self;
    batches_of[n_batches_of++] = 2;
}

/* Each round visits every candidate on the way there and once more on the way back; which is the
 * first varies, and which are neighbours. Nothing disturbs the machine, and nothing is said to
 * have. */
TEST(rounds_go_there_and_back)
{
    struct machine m = {.quantum = 10};
    struct work w = {&m, 2, 0};
    const struct fb_candidate candidates[THREE] = {{&w, OPS, warm_0, work_prepare, work_run},
                                                   {&w, OPS, warm_1, work_prepare, work_run},
                                                   {&w, OPS, warm_2, work_prepare, work_run}};
    struct fb_clock clock = {&m, machine_wall, machine_cpu, machine_preemptions};
    struct fb_measure_options options = {
        .rounds = MANY, .seed = 5, .min_batch_ns = 1e4, .quantum_ns = 10, .gap_ns = 1e4};
    struct fb_sample samples[THREE * MANY];
    uint64_t sink;
    unsigned firsts = 0, seconds = 0;
    n_batches_of = 0;
    fb_measure(&clock, candidates, THREE, &options, samples, &sink);
    assert_int_equal(n_batches_of, 2 * THREE * MANY);
    for (size_t r = 0; r < MANY; r++) {
        const int *order = batches_of + 2 * THREE * r;
        assert_int_equal(1 << order[0] | 1 << order[1] | 1 << order[2], 7);
        for (size_t i = 0; i < THREE; i++)
            assert_int_equal(order[i], order[2 * THREE - 1 - i]);
        firsts |= 1u << order[0];
        seconds |= 1u << (order[1] - order[0] + THREE) % THREE;
    }
    assert_int_equal(firsts, 7);
    assert_int_equal(seconds, 6); /* upwards and downwards */
    for (size_t i = 0; i < THREE * MANY; i++) {
        assert_true(samples[i].flags == 0 && samples[i].retries == 0);
        assert_near(samples[i].wall_ns, 2, 0.1);
        assert_near(samples[i].cpu_ns, samples[i].wall_ns, 1e-9);
    }
}

static void warm_3(void *self)
{
    (void)self;
    batches_of[n_batches_of++] = 3;
}

/* Those of a set stay neighbours. Each is the first of them in half of the rounds, and comes after
 * either of the other set. */
TEST(sets_stay_together)
{
    struct machine m = {.quantum = 10};
    struct work w = {&m, 2, 0};
    const struct fb_candidate candidates[FOUR] = {{&w, OPS, warm_0, work_prepare, work_run},
                                                  {&w, OPS, warm_1, work_prepare, work_run},
                                                  {&w, OPS, warm_2, work_prepare, work_run},
                                                  {&w, OPS, warm_3, work_prepare, work_run}};
    struct fb_clock clock = {&m, machine_wall, machine_cpu, machine_preemptions};
    struct fb_measure_options options = {
        .rounds = MANY, .seed = 5, .set = 2, .min_batch_ns = 1e4, .quantum_ns = 10, .gap_ns = 1e4};
    struct fb_sample samples[FOUR * MANY];
    uint64_t sink;
    unsigned reversed = 0, after[FOUR] = {0};
    n_batches_of = 0;
    fb_measure(&clock, candidates, FOUR, &options, samples, &sink);
    assert_int_equal(n_batches_of, 2 * FOUR * MANY);
    for (size_t r = 0; r < MANY; r++) {
        const int *order = batches_of + 2 * FOUR * r;
        for (size_t i = 0; i < FOUR; i++)
            assert_int_equal(order[i], order[2 * FOUR - 1 - i]);
        assert_int_equal(order[0] / 2, order[1] / 2);
        assert_int_equal(order[2] / 2, order[3] / 2);
        assert_int_not_equal(order[0] / 2, order[2] / 2);
        after[order[2]] |= 1u << order[1];
        reversed += order[0] % 2;
    }
    assert_int_equal(reversed, MANY / 2);
    assert_true(after[0] && after[1] && after[2] && after[3]);
}

TEST(each_block_is_fresh_and_order_varies)
{
    struct machine m = {.quantum = 10};
    struct work a = {&m, 2, 0};
    struct fb_candidate candidate = {&a, OPS, NULL, work_prepare, work_run};
    struct fb_clock clock = {&m, machine_wall, machine_cpu, machine_preemptions};
    struct fb_measure_options options = {
        .rounds = 2, .min_batch_ns = 1e6, .quantum_ns = 10, .max_retries = 3, .gap_ns = 1e4};
    struct fb_sample samples[2];
    uint64_t sink;
    fb_measure(&clock, &candidate, 1, &options, samples, &sink);
    assert_true(a.blocks >= 4 * 480); /* 1 ms of 2068 ns blocks, twice a round */
}

/* ---- Hodges-Lehmann ---- */

TEST(interval_of_known_sample)
{
    /* n = 6: P(W = 0) = 1/64 = 0.0156, so the 95 % interval uses the extreme Walsh averages and
     * attains 1 - 2/64; at 5 observations no 95 % interval exists. */
    const double d[] = {3, 1, 2, 6, 4, 5};
    struct fb_paired p = fb_hodges_lehmann(d, 6, 0.95);
    assert_true(p.bounded);
    assert_near(p.estimate, 3.5, 1e-12);
    assert_near(p.interval.low, 1, 1e-12);
    assert_near(p.interval.high, 6, 1e-12);
    assert_near(p.level, 1 - 2.0 / 64, 1e-12);
    assert_false(fb_hodges_lehmann(d, 5, 0.95).bounded);
    /* n = 12, level 99 %: P(W < 8) = 19/4096 = 0.00464 is the largest tail below 0.005. */
    double e[12];
    for (int i = 0; i < 12; i++)
        e[i] = i;
    assert_near(fb_hodges_lehmann(e, 12, 0.99).level, 1 - 2 * 19.0 / 4096, 1e-12);
}

static double heavy_tailed(uint64_t stream, uint64_t i)
{
    double u = (double)(fb_stream_word(stream, i) >> 11) * 0x1p-53;
    double x = tan((u - 0.5) * 3.0); /* nearly Cauchy */
    return x;
}

TEST(interval_covers_under_heavy_tails)
{
    enum { TRIALS = 4000, N = 10 };
    int covered = 0;
    for (uint64_t t = 0; t < TRIALS; t++) {
        double d[N];
        for (uint64_t i = 0; i < N; i++)
            d[i] = 0.25 + heavy_tailed(77, t * N + i);
        struct fb_paired p = fb_hodges_lehmann(d, N, 0.95);
        covered += p.interval.low <= 0.25 && 0.25 <= p.interval.high;
    }
    assert_true(covered > 0.94 * TRIALS);
    assert_true(covered < 0.99 * TRIALS); /* not by being useless */
}

TEST(bimodal_processes_stay_covered)
{
    /* A placement that makes both candidates slower by 30 % in half of the processes. */
    double d[12];
    for (unsigned p = 0; p < 12; p++) {
        double slow = fb_stream_word(5, p) & 1 ? 1.3 : 1;
        struct machine m = {.quantum = 10};
        d[p] = log_ratio(&m, 2 * slow, 2.2 * slow, p, 4, NULL);
    }
    struct fb_paired result = fb_hodges_lehmann(d, 12, 0.99);
    assert_true(result.interval.low <= log(1.1) + 0.002 &&
                result.interval.high >= log(1.1) - 0.002);
    assert_true(fabs(result.estimate - log(1.1)) < 0.005);
}

/* ---- Histogram ---- */

TEST(histogram_layout)
{
    for (unsigned bin = 0; bin < FB_HISTOGRAM_BINS; bin++) {
        uint64_t low = fb_histogram_low(bin), middle = fb_histogram_middle(bin);
        assert_int_equal(fb_histogram_bin(low), bin);
        assert_int_equal(fb_histogram_bin(middle), bin);
        if (bin)
            assert_int_equal(fb_histogram_bin(low - 1), bin - 1);
        if (bin >= 128)
            assert_true((double)(middle - low) <= (double)low / 128);
    }
    assert_int_equal(fb_histogram_bin(UINT64_MAX), FB_HISTOGRAM_BINS - 1);
}

TEST(histogram_quantiles)
{
    static struct fb_histogram a;
    for (uint64_t i = 1; i <= 10000; i++)
        fb_histogram_add(&a, (i * 7919 % 10000 + 1) * 1000, 1);
    assert_int_equal(a.n, 10000);
    assert_true(a.sum_ps == 50005000e3);
    assert_int_equal(a.min_ps, 1000);
    assert_int_equal(a.max_ps, 10000000);
    const double q[] = {0.01, 0.5, 0.9, 0.99, 0.999};
    for (size_t i = 0; i < sizeof q / sizeof *q; i++)
        assert_true(fabs((double)fb_histogram_quantile(&a, q[i]) / (q[i] * 1e7) - 1) <= 1.0 / 128);
    assert_int_equal(fb_histogram_quantile(&a, 1), 10000000);
    assert_int_equal(fb_histogram_beyond(&a, 0.99), 100);
    static struct fb_histogram three;
    for (uint64_t ps = 10; ps <= 30; ps += 10)
        fb_histogram_add(&three, ps, 1);
    assert_int_equal(fb_histogram_quantile(&three, 0.3), 10);
    assert_int_equal(fb_histogram_quantile(&three, 0.5), 20); /* the 1.5th is the second */
    assert_int_equal(fb_histogram_quantile(&three, 0.7), 30);
    assert_int_equal(fb_histogram_quantile(&three, 0), 10);
}

/* A counter of some grain, read at intervals of 20 to 31 ns, each nearest multiple cut to ns. */
struct counter {
    double now, grain;
    uint64_t reads;
};

static uint64_t counter_ns(void *self)
{
    struct counter *c = self;
    c->now += 20 + (double)(fb_mix64(++c->reads) >> 60) * 0.75;
    return (uint64_t)(floor(c->now / c->grain) * c->grain);
}

TEST(grain_of_the_timer)
{
    static const struct {
        double grain, found;
    } cases[] = {{10.04, 10.04}, {40, 40}, {41.67, 41.67}, {1, 1}, {0.385, 1}, {1e6, 1e6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct counter counter = {.grain = cases[i].grain};
        struct fb_clock clock = {.self = &counter, .wall_ns = counter_ns};
        struct fb_timer_quality q = fb_clock_quality(&clock);
        assert_true(fabs(q.quantum_ns / cases[i].found - 1) < 0.02);
        assert_true(q.overhead_ns <= fmax(cases[i].grain, 32));
    }
}

TESTS(NULL, NULL)

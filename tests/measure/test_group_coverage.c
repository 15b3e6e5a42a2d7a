/* How often the intervals of a group hold: whole runs simulated, their memory estimated as in a
 * run. No clock is read. */
#include "tests/serial_noise.h"
#include "tests/unit.h"

#include <string.h>

#include "harness/measure/group.h"
#include "harness/stats/serial.h"

enum {
    PARTS = 4,
    EACH = 5, /* members of a part; the first is the base of the others */
    MEMBERS = PARTS * EACH,
    ROUNDS = 3,
    MOST = 48,
    TRIALS = 120,
};
static const size_t processes[] = {16, 24, 48};
enum { N_PROCESSES = sizeof processes / sizeof *processes };

#define SPREAD 0.05 /* sd of ln ns between processes */

static double true_ns(size_t member)
{
    return 3 + (double)member;
}

/* A run of n processes of each part. x [MEMBERS][n]: noise of ln ns; rounds and what members of a
 * part share come on top. */
static struct fb_group simulated(uint64_t stream, const double *x, size_t n, size_t stride)
{
    struct fb_group g;
    assert_int_equal(fb_group_open(&g, MEMBERS, PARTS, ROUNDS, n), FB_OK);
    for (size_t p = 0; p < PARTS; p++)
        g.parts[p].processes = n;
    for (size_t i = 0; i < MEMBERS; i++) {
        struct fb_member *m = &g.members[i];
        m->part = m->series = (uint32_t)(i / EACH);
        m->to = i % EACH ? (int32_t)(i - i % EACH) : -1;
        for (size_t s = 0; s < n * ROUNDS; s++) {
            double round = noise_at(stream, s * MEMBERS + i),
                   shared = noise_at(~stream, s * PARTS + m->part);
            double noise = SPREAD * x[i * stride + s / ROUNDS] + 0.01 * round + 0.02 * shared;
            m->samples[s].wall_ns = m->samples[s].cpu_ns = true_ns(i) * exp(noise);
        }
    }
    assert_int_equal(fb_group_estimate(&g), FB_OK);
    return g;
}

static bool holds(struct fb_interval x, double truth)
{
    return x.low <= truth && truth <= x.high;
}

struct coverage {
    double ratio95, ratio99, ns95; /* shares of the intervals that hold the truth */
    double width;                  /* of ratio95, to that of a mean of as many normal deviates */
};

/* Noise whose observations resemble the one before by `keep`. */
static struct coverage coverage_of(double keep, size_t n)
{
    struct coverage c = {0, 0, 0, 0};
    const double ideal = 2 * 1.96 * sqrt(2 / (double)n) * SPREAD;
    const double n_ratios = TRIALS * (MEMBERS - PARTS), n_times = TRIALS * MEMBERS;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        double x[MEMBERS * MOST];
        const uint64_t stream = fb_stream_word(17 + n, trial);
        for (size_t i = 0; i < MEMBERS; i++)
            noise_of_order_one(fb_stream_word(stream, i), keep, x + i * n, n);
        closed_by(fb_group_close) struct fb_group g = simulated(stream, x, n, n);
        assert_int_equal(g.independent, n < FB_MEMORY_LEAST);
        for (size_t i = 0; i < MEMBERS; i++) {
            const struct fb_estimate *e = &g.members[i].estimate;
            c.ns95 += holds(e->ns95, true_ns(i)) / n_times;
            if (g.members[i].to < 0)
                continue;
            double ratio = true_ns(i) / true_ns(i - i % EACH);
            c.ratio95 += holds(e->ratio95, ratio) / n_ratios;
            c.ratio99 += holds(e->ratio99, ratio) / n_ratios;
            c.width += log(e->ratio95.high / e->ratio95.low) / ideal / n_ratios;
        }
    }
    print_message("keep %.1f, %2zu processes: ratio 95 %% %.3f, 99 %% %.3f, ns 95 %% %.3f, "
                  "width %.2f\n",
                  keep, n, c.ratio95, c.ratio99, c.ns95, c.width);
    return c;
}

TEST(independent_noise_is_covered)
{
    for (size_t i = 0; i < N_PROCESSES; i++) {
        struct coverage c = coverage_of(0, processes[i]);
        assert_true(c.ratio95 >= 0.92 && c.ns95 >= 0.92 && c.ratio99 >= 0.98);
        assert_true(c.width < 2); /* not by being useless */
    }
}

TEST(noise_that_resembles_the_last_is_covered)
{
    for (size_t i = 0; i < N_PROCESSES; i++) {
        struct coverage c = coverage_of(0.8, processes[i]);
        assert_true(c.ratio95 >= 0.92 && c.ns95 >= 0.92 && c.ratio99 >= 0.98);
    }
}

/* Too few processes to tell a memory: the group says so, as its intervals may hold or not. */
TEST(few_processes_are_taken_for_independent)
{
    assert_true(coverage_of(0, 8).ratio95 >= 0.92);
    assert_true(coverage_of(0.8, 8).ratio95 < 0.7);
}

/* Two runs in a row, whose estimates agree within their intervals. */
TEST(halves_of_noise_without_a_mean_agree)
{
    for (size_t k = 0; k < N_PROCESSES; k++) {
        const size_t n = processes[k];
        double agree = 0, disjoint99 = 0;
        const double n_ratios = TRIALS / 2 * (MEMBERS - PARTS);
        for (uint64_t trial = 0; trial < TRIALS / 2; trial++) {
            static double x[MEMBERS * 2 * MOST];
            const uint64_t stream = fb_stream_word(91 + n, trial);
            for (size_t i = 0; i < MEMBERS; i++)
                noise_of_neighbours(fb_stream_word(stream, i), 0.5, x + i * 2 * n, 2 * n);
            closed_by(fb_group_close) struct fb_group a = simulated(stream, x, n, 2 * n),
                                                      b = simulated(stream ^ 1, x + n, n, 2 * n);
            for (size_t i = 0; i < MEMBERS; i++) {
                const struct fb_estimate *e = &a.members[i].estimate, *f = &b.members[i].estimate;
                if (a.members[i].to < 0)
                    continue;
                double width = hypot(log(e->ratio95.high / e->ratio95.low),
                                     log(f->ratio95.high / f->ratio95.low)) /
                               2;
                agree += (fabs(log(e->ratio / f->ratio)) <= width) / n_ratios;
                disjoint99 +=
                    (e->ratio99.high < f->ratio99.low || f->ratio99.high < e->ratio99.low) /
                    n_ratios;
            }
        }
        print_message("1/f, %2zu processes: %.3f agree at 95 %%, %.4f disjoint at 99 %%\n", n,
                      agree, disjoint99);
        assert_true(agree >= 0.94);
        assert_true(disjoint99 <= 0.01);
    }
}

TESTS(NULL, NULL)

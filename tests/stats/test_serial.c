/* Intervals over observations in the order of time: simulated noise with and without a memory. */
#include "tests/serial_noise.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

#include "harness/stats/serial.h"

enum { RUN = 32, SERIES = 12, TRIALS = 150 };

struct agreement {
    double plain, serial; /* shares of series whose two runs agree within their intervals */
    double memory;        /* mean */
};

static bool agree(struct fb_paired a, struct fb_paired b)
{
    double h = hypot(a.interval.high - a.interval.low, b.interval.high - b.interval.low) / 2;
    return fabs(a.estimate - b.estimate) <= h;
}

/* Two runs in a row, of some series each, again and again. */
static struct agreement two_runs(double slow)
{
    struct agreement result = {0};
    static double d[SERIES][2 * RUN];
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct fb_memory memory[2] = {0};
        double exponent[2];
        for (uint64_t s = 0; s < SERIES; s++)
            noise_of_neighbours(fb_stream_word(91, trial * SERIES + s), slow, d[s],
                                sizeof *d / sizeof **d);
        for (size_t run = 0; run < 2; run++) {
            for (size_t s = 0; s < SERIES; s++)
                fb_memory_add(&memory[run], d[s] + run * RUN, RUN, true);
            exponent[run] = fb_memory_exponent(&memory[run]);
            result.memory += exponent[run] / (2 * TRIALS);
        }
        for (size_t s = 0; s < SERIES; s++) {
            bool plain =
                agree(fb_hodges_lehmann(d[s], RUN, 0.95), fb_hodges_lehmann(d[s] + RUN, RUN, 0.95));
            bool serial = agree(fb_serial_interval(d[s], RUN, 0.95, exponent[0]),
                                fb_serial_interval(d[s] + RUN, RUN, 0.95, exponent[1]));
            result.plain += plain / (double)(TRIALS * SERIES);
            result.serial += serial / (double)(TRIALS * SERIES);
        }
    }
    return result;
}

TEST(independent_noise_has_no_memory)
{
    struct agreement a = two_runs(0);
    assert_true(a.memory < 0.1);
    assert_true(a.plain > 0.93 && a.serial > 0.94);
    assert_true(a.serial < 0.995); /* not by being useless */
}

TEST(runs_on_a_shared_machine_agree)
{
    struct agreement a = two_runs(0.5);
    assert_true(a.memory > 0.25);
    assert_true(a.plain < 0.8); /* as if a process were independent of the one before */
    assert_true(a.serial > 0.94);
}

TEST(memory_of_known_series)
{
    double d[16], far[64];
    struct fb_memory memory = {0};
    /* Pairs of equal values: a mean of two varies as one does, so the ratio at m = 2 is nearly 2.
     */
    for (int i = 0; i < 16; i++)
        d[i] = noise_at(3, (uint64_t)i / 2);
    assert_false(fb_memory_add(&memory, d, 15, true)); /* too short */
    assert_near(fb_memory_exponent(&memory), 0, 0);
    assert_true(fb_memory_add(&memory, d, 16, true));
    assert_near(memory.of[0].ratio / memory.of[0].weight, 2 * (15.0 / 16) / (7.0 / 8), 1e-9);
    assert_near(fb_memory_exponent(&memory), 0.95, 0);
    /* What repeats its noise makes the memory no surer. */
    memset(&memory, 0, sizeof memory);
    for (int i = 0; i < 64; i++)
        far[i] = noise_at(5, (uint64_t)i);
    fb_memory_add(&memory, far, 64, true);
    double once = fb_memory_exponent(&memory);
    fb_memory_add(&memory, far, 64, false);
    assert_near(fb_memory_exponent(&memory), once, 1e-12);
    fb_memory_add(&memory, far, 64, true);
    assert_true(fb_memory_exponent(&memory) < once);
    memset(&memory, 0, sizeof memory);
    for (int i = 0; i < 64; i++)
        far[i] = 1;
    assert_false(fb_memory_add(&memory, far, 64, true)); /* nothing varies */
    for (int i = 0; i < 64; i++)
        far[i] = i % 2;
    fb_memory_add(&memory, far, 64, true);
    assert_near(fb_memory_exponent(&memory), 0, 0); /* means do not vary: no negative memory */
}

TEST(interval_of_blocks)
{
    double d[24];
    for (int i = 0; i < 24; i++)
        d[i] = i;
    /* Up to eight observations are themselves the blocks. */
    for (size_t n = 1; n <= 8; n++) {
        struct fb_paired plain = fb_hodges_lehmann(d, n, 0.95);
        struct fb_paired serial = fb_serial_interval(d, n, 0.95, 0);
        assert_near(serial.estimate, plain.estimate, 1e-12);
        assert_int_equal(serial.bounded, plain.bounded);
        assert_int_equal(isfinite(serial.interval.low), n >= 6);
    }
    /* Blocks of three: 1, 4, ..., 22; 99 % takes the extremes. */
    struct fb_paired p = fb_serial_interval(d, 24, 0.99, 0);
    assert_true(p.bounded);
    assert_near(p.estimate, 11.5, 1e-12);
    assert_near(p.interval.low, 1, 1e-12);
    assert_near(p.interval.high, 22, 1e-12);
    p = fb_serial_interval(d, 24, 0.99, 2.0 / 3); /* 8^(2/3) (7/8) / (1 - 8^(-1/3)) = 7 */
    assert_near(p.interval.low, 11.5 - 10.5 * sqrt(7), 1e-9);
    assert_near(p.interval.high, 11.5 + 10.5 * sqrt(7), 1e-9);
}

TESTS(NULL, NULL)

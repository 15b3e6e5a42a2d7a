/* Two modes: found where there are two, and not where there is one. No clock is read. */
#include "tests/serial_noise.h"
#include "tests/unit.h"

#include <stdbool.h>

#include "harness/stats/modes.h"

enum { TRIALS = 2000 };

/* One observation; `apart` standard deviations between the modes, `heavy`: a tenth of the
 * observations vary ten times as much. */
static double observation(uint64_t stream, uint64_t i, double apart, bool heavy)
{
    const uint64_t coin = fb_stream_word(stream ^ 0xC01, i);
    double x = noise_at(stream, i) * (heavy && coin % 10 == 0 ? 10 : 1);
    return x + (coin >> 32 & 1 ? apart : 0);
}

static double share_with_two(size_t n, double apart, bool heavy)
{
    double two = 0, d[64];
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        for (uint64_t i = 0; i < n; i++)
            d[i] = observation(fb_stream_word(n, trial), i, apart, heavy);
        two += fb_modes_of(d, n).n_low > 0;
    }
    print_message("%zu observations, %.0f apart, %s tails: two modes in %.4f\n", n, apart,
                  heavy ? "heavy" : "light", two / TRIALS);
    return two / TRIALS;
}

TEST(one_mode_is_one)
{
    for (size_t n = 16; n <= 64; n *= 2) {
        assert_true(share_with_two(n, 0, false) <= 0.01);
        assert_true(share_with_two(n, 0, true) <= 0.01);
    }
}

TEST(two_modes_are_found)
{
    for (size_t n = 16; n <= 64; n *= 2)
        assert_true(share_with_two(n, 10, false) >= 0.97);
}

TEST(known_modes)
{
    const double d[] = {0.1, 10, 0, 10.2, 0.2, 10.1, 0, 10.3, 0.1, 0.2, 0, 0.2};
    struct fb_modes m = fb_modes_of(d, 12);
    assert_int_equal(m.n_low, 8);
    assert_near(m.low, 0.1, 1e-12);
    assert_near(m.high, 10.15, 1e-12);
    assert_int_equal(fb_modes_of(d, 11).n_low, 0); /* too few to tell */
    const double same[16] = {0};
    assert_int_equal(fb_modes_of(same, 16).n_low, 0);
}

TESTS(NULL, NULL)

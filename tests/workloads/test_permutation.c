/* Random bijections of [0, n): that they are, and that stretches of them look drawn at random. */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/core/permutation.h"
#include "workloads/core/rng.h"

TEST(bijection_of_every_small_range)
{
    uint8_t seen[2000];
    for (uint64_t n = 1; n <= sizeof seen; n++) {
        struct fb_permutation p;
        fb_permutation_init(&p, n, n);
        memset(seen, 0, sizeof seen);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t to = fb_permute(&p, i);
            assert_true(to < n && !seen[to]);
            seen[to] = 1;
            assert_int_equal(fb_unpermute(&p, to), i);
        }
    }
}

TEST(both_ways_in_large_ranges)
{
    static const uint64_t sizes[] = {(UINT64_C(1) << 40) - 1, UINT64_C(1) << 40,
                                     (UINT64_C(1) << 40) + 1, (UINT64_C(1) << 62) + 12345,
                                     UINT64_C(1) << 63};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct fb_permutation p;
        fb_permutation_init(&p, sizes[s], s);
        for (uint64_t i = 0; i < 20000; i++) {
            uint64_t x = i < 1000   ? i
                         : i < 2000 ? sizes[s] - i + 999
                                    : fb_uniform_below(fb_stream_word(s, i), sizes[s]);
            uint64_t to = fb_permute(&p, x);
            assert_true(to < sizes[s]);
            assert_int_equal(fb_unpermute(&p, to), x);
        }
    }
}

enum { BUCKETS = 64 };

/* Drawn without replacement, counts vary less by 1 - share. */
static double chi_square(const uint64_t *count, double share)
{
    double total = 0, sum = 0;
    for (size_t b = 0; b < BUCKETS; b++)
        total += (double)count[b];
    for (size_t b = 0; b < BUCKETS; b++) {
        double d = (double)count[b] - total / BUCKETS;
        sum += d * d;
    }
    return sum * BUCKETS / total / (1 - share);
}

enum { STREAMS = 64 };

/* Means over the streams of chi-squares of 63 degrees of freedom, variance 126: standard deviation
 * 1.4. Three rounds give 90 for the differences at powers of two. */
struct statistics {
    double position, difference, second;
};

static struct statistics measure(uint64_t n, uint64_t first, uint64_t taken)
{
    struct statistics s = {0};
    for (uint64_t stream = 0; stream < STREAMS; stream++) {
        struct fb_permutation p;
        uint64_t at[BUCKETS] = {0}, difference[BUCKETS] = {0}, second[BUCKETS] = {0};
        fb_permutation_init(&p, n, fb_stream_word(n, stream));
        uint64_t last = 0, before = 0;
        for (uint64_t i = 0; i < taken; i++) {
            uint64_t to = fb_permute(&p, first + i);
            at[(fb_u128)to * BUCKETS / n]++;
            if (i)
                difference[(fb_u128)((to + n - last) % n) * BUCKETS / n]++;
            if (i > 1) /* second difference */
                second[(fb_u128)(((fb_u128)to + n - last + before + n - last) % n) * BUCKETS / n]++;
            before = last;
            last = to;
        }
        double share = (double)taken / (double)n;
        s.position += chi_square(at, share) / STREAMS;
        s.difference += chi_square(difference, 0) / STREAMS;
        s.second += chi_square(second, 0) / STREAMS;
    }
    return s;
}

TEST(stretches_look_random)
{
    static const uint64_t sizes[] = {4096,
                                     5000,
                                     40000,
                                     65536,
                                     100001,
                                     UINT64_C(1) << 40,
                                     (UINT64_C(1) << 40) * 5 / 3,
                                     3 * (UINT64_C(1) << 61)};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t taken = sizes[i] / 8 < 8192 ? sizes[i] / 8 : 8192;
        for (uint64_t part = 0; part < 3; part++) {
            struct statistics s = measure(sizes[i], part * (sizes[i] / 3), taken);
            assert_near(s.position, BUCKETS - 1, 7);
            assert_near(s.difference, BUCKETS - 1, 7);
            assert_near(s.second, BUCKETS - 1, 7);
        }
    }
}

TESTS(NULL, NULL)

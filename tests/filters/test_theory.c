/* filters/core/theory.h: against values computed elsewhere (60-digit inclusion-exclusion, abloom's
 * published tables, RocksDB's comments), against the occupancy distribution computed the long way,
 * and against each other. */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "filters/core/theory.h"

static void check(const char *what, double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%s: %.17g, expected %.17g", what, got, want);
}

#define CHECK(got, want, relative) check(#got, got, want, relative)

TEST(bloom_against_high_precision)
{
    static const struct {
        uint64_t n, m;
        unsigned k;
        double fpr;
    } rows[] = {
        {100, 1000, 7, 0.0082662475148435663},
        {1000, 10000, 7, 0.00820095740476684},
        {10000, 100000, 7, 0.0081944454278173},
        {100000, 1000000, 7, 0.008193794400339355},
        {1000000000, 10000000000, 7, 0.008193722073095846},
        {UINT64_C(1) << 40, UINT64_C(1) << 43, 6, 0.021577141463235022},
        {UINT64_C(1) << 40, UINT64_C(1) << 46, 64, 1.7831775337243165e-13},
        {1000, 100000, 64, 1.5025075037138018e-21},
        {1000, 2000, 30, 0.99999092330725579},
        {3, 64, 2, 0.0081801254857509775},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char what[64];
        snprintf(what, sizeof what, "row %zu", i);
        check(what, fb_bloom_fpr(rows[i].n, rows[i].m, rows[i].k), rows[i].fpr, 1e-11);
    }
}

/* P(X = x) of the occupied bits after some throws, by adding one throw at a time. */
static double *occupancy(uint64_t throws, unsigned m)
{
    double *p = calloc(m + 1, sizeof *p);
    assert_non_null(p);
    p[0] = 1;
    for (uint64_t t = 0; t < throws; t++) {
        for (unsigned x = m; x > 0; x--)
            p[x] = p[x] * x / m + p[x - 1] * (m - x + 1) / m;
        p[0] = 0;
    }
    return p;
}

static double mean_fill_power(uint64_t throws, unsigned m, unsigned k)
{
    double *p = occupancy(throws, m), f = 0;
    for (unsigned x = 0; x <= m; x++)
        f += p[x] * pow((double)x / m, k);
    free(p);
    return f;
}

TEST(bloom_against_occupancy)
{
    static const struct {
        unsigned n, m, k;
    } rows[] = {{1, 1, 1},    {1, 2, 3},    {5, 3, 7},    {2, 8, 64},     {20, 64, 1},
                {20, 200, 6}, {50, 512, 6}, {7, 512, 30}, {100, 1000, 7}, {200, 1001, 40}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned n = rows[i].n, m = rows[i].m, k = rows[i].k;
        CHECK(fb_bloom_fpr(n, m, k), mean_fill_power((uint64_t)n * k, m, k), 1e-11);
    }
}

TEST(bloom_limits)
{
    CHECK(fb_bloom_fpr_limit(10, 7), 0.0081937, 1e-5);
    CHECK(fb_bloom_fpr_limit(10, 6), 0.0084362, 1e-5);
    CHECK(fb_bloom_fpr_limit(20, 14), 0.0000671, 1e-3);
    CHECK(fb_bloom_bits(0.01), 9.5851, 1e-5);
    CHECK(fb_bound_bits(0.01), 6.6439, 1e-5);
    CHECK(fb_bloom_absent_probes(10, 7), (1 - fb_bloom_fpr_limit(10, 7)) / exp(-0.7), 1e-12);
    CHECK(fb_bloom_absent_probes(10, 1), 1, 0);
    static const struct {
        double fpr, bits;
        unsigned k;
    } rows[] = {{0.5, 1.4427, 1},     {0.4, 1.9576, 1},    {0.3, 2.5206, 2},    {0.2, 3.3739, 2},
                {0.1, 4.8083, 3},     {0.05, 6.2470, 4},   {0.01, 9.5930, 7},   {0.005, 11.0347, 8},
                {0.001, 14.3776, 10}, {5e-4, 15.8203, 11}, {1e-4, 19.1730, 13}, {5e-5, 20.6154, 14},
                {1e-5, 23.9666, 17}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned k = 0;
        assert_true(fabs(fb_bloom_bits_integer(rows[i].fpr, &k) - rows[i].bits) < 6e-5);
        assert_int_equal(k, rows[i].k);
    }
}

TEST(nothing_stored_or_no_bits)
{
    assert_true(fb_bloom_fpr(0, 100, 7) == 0 && fb_bloom_fpr(100, 0, 7) == 0);
    assert_true(fb_blocked_fpr(0, 1, 512, 6) == 0 && fb_blocked_fpr(5, 0, 512, 6) == 0);
    assert_true(fb_sbbf_fpr(0, 1, 256, 8) == 0 && fb_double_hashing_excess(0, 100, 7) == 0);
    assert_true(fb_hash_collision(0, 32) == 0);
    assert_true(fb_bloom_fpr_limit(0, 7) == 1 && fb_rocksdb_estimate(0, 6, 512) == 1);
    assert_true(fb_sbbf_fpr_limit(0, 512, 8) == 1 && fb_blocked_fpr_limit(0, 512, 6) == 1);
    assert_true(fb_sbbf_fpr_limit(1e-9, 512, 8) > 1 - 1e-12);
    assert_true(fb_bloom_fpr(5, 1, 7) == 1 && fb_bloom_fpr(1 << 20, 64, 7) == 1);
}

/* ---- Blocks ---- */

/* P(X = i), X ~ Binomial(n, p), by adding one trial at a time. */
static double *binomial(unsigned n, double p)
{
    double *weight = calloc(n + 1, sizeof *weight);
    assert_non_null(weight);
    weight[0] = 1;
    for (unsigned t = 0; t < n; t++)
        for (unsigned i = t + 2; i-- > 0;)
            weight[i] = weight[i] * (1 - p) + (i ? weight[i - 1] * p : 0);
    return weight;
}

TEST(blocked_against_the_long_way)
{
    static const struct {
        unsigned n, n_blocks, bits, k;
    } rows[] = {
        {30, 3, 64, 3}, {60, 2, 512, 6}, {40, 40, 256, 4}, {1, 5, 512, 8}, {300, 6, 512, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        unsigned n = rows[r].n, z = rows[r].n_blocks, bits = rows[r].bits, k = rows[r].k;
        double *weight = binomial(n, 1.0 / z), blocked = 0, split = 0;
        for (unsigned i = 0; i <= n; i++) {
            blocked += weight[i] * mean_fill_power((uint64_t)i * k, bits, k);
            split += weight[i] * pow(1 - pow(1 - 8.0 / bits, i), 8);
        }
        free(weight);
        CHECK(fb_blocked_fpr(n, z, bits, k), blocked, 1e-11);
        CHECK(fb_sbbf_fpr(n, z, bits, 8), split, 1e-11);
    }
}

TEST(blocked_values)
{
    CHECK(fb_blocked_fpr_limit(10, 512, 6), 0.009665, 1e-4);
    CHECK(fb_blocked_fpr_limit(12, 512, 8), 0.004135, 1e-4);
    CHECK(fb_blocked_fpr_limit(16, 512, 9), 0.000844, 2e-4);
    CHECK(fb_blocked_fpr_limit(20, 512, 11), 0.000198, 1e-3);
    CHECK(fb_blocked_fpr_limit(4, 512, 3), 0.148116, 1e-5);
    CHECK(fb_rocksdb_estimate(10, 6, 512), 0.009533, 1e-4);
    CHECK(fb_rocksdb_estimate(16, 9, 512), 0.000797, 1e-3);
    CHECK(fb_rocksdb_estimate(20, 11, 512), 0.000171, 1e-3);
}

TEST(blocked_sizes)
{
    /* One block is a small Bloom filter, one lane a block of one probe. */
    for (unsigned n = 1; n < 400; n += 13) {
        CHECK(fb_blocked_fpr(n, 1, 512, 6), fb_bloom_fpr(n, 512, 6), 1e-12);
        CHECK(fb_sbbf_fpr(n, 1, 512, 1), fb_bloom_fpr(n, 512, 1), 1e-12);
        CHECK(fb_sbbf_fpr(n, 4, 512, 1), fb_blocked_fpr(n, 4, 512, 1), 1e-12);
    }
    /* Many blocks are the limit, to the order of 1 / blocks. */
    CHECK(fb_blocked_fpr(UINT64_C(1) << 30, UINT64_C(10) << 21, 512, 6),
          fb_blocked_fpr_limit(10, 512, 6), 1e-6);
    CHECK(fb_sbbf_fpr(UINT64_C(1) << 30, UINT64_C(10) << 21, 512, 8), fb_sbbf_fpr_limit(10, 512, 8),
          1e-6);
    CHECK(fb_blocked_fpr(1000000000, UINT64_C(1) << 31, 512, 6), 4.63039725e-11, 1e-8);
    /* Overfull ones pass everything, and tell it without a walk over all loads. */
    assert_true(fb_blocked_fpr(UINT64_C(1) << 40, 1, 512, 1) > 1 - 1e-12);
    assert_true(fb_blocked_fpr(UINT64_C(1) << 40, 2, 512, 64) > 1 - 1e-12);
    assert_true(fb_sbbf_fpr(UINT64_C(1) << 40, 1000, 256, 8) > 1 - 1e-12);
}

TEST(abloom_tables)
{
    static const struct {
        double fpr, bits_256, bits_512;
    } rows[] = {
        {0.5, 3.2472, 3.2304},    {0.4, 3.6472, 3.6221},     {0.3, 4.1393, 4.1015},
        {0.2, 4.8169, 4.7572},    {0.1, 5.9885, 5.8792},     {0.05, 7.2251, 7.0478},
        {0.01, 10.5292, 10.0993}, {0.005, 12.2040, 11.6100}, {0.001, 16.8898, 15.7246},
        {5e-4, 19.3360, 17.8138}, {1e-4, 26.3416, 23.6068},  {5e-5, 30.0733, 26.5915},
        {1e-5, 40.9854, 34.9841},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double bits = fb_sbbf_bits(rows[i].fpr, 512, 8);
        assert_true(fabs(bits - rows[i].bits_512) < 6e-5);
        assert_true(fabs(fb_sbbf_bits(rows[i].fpr, 256, 8) - rows[i].bits_256) < 6e-5);
        CHECK(fb_sbbf_fpr_limit(bits, 512, 8), rows[i].fpr, 1e-12);
    }
    CHECK(fb_sbbf_fpr_limit(14.0006, 512, 8), 0.0018782, 1e-4);
}

/* "SBBF stays within 10 % of a standard Bloom filter": only for these rates. */
TEST(sbbf_within_a_tenth_of_bloom)
{
    static const struct {
        double fpr;
        bool within;
    } rows[] = {{0.0349, false}, {0.0348, true}, {0.01, true}, {8.61e-4, true}, {8.60e-4, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double ratio = fb_sbbf_bits(rows[i].fpr, 512, 8) / fb_bloom_bits(rows[i].fpr);
        assert_true((ratio <= 1.1) == rows[i].within);
    }
}

/* ---- Double hashing, hash width ---- */

/* Lines through at least two points of a k x k grid, neither level nor upright, by listing them. */
static double excess_by_listing(uint64_t n, uint64_t m, unsigned k)
{
    double rho = 1 - exp(-(double)k * (double)n / (double)m);
    double pair = 0, lines = 0, points = 0, couples = 0.5 * k * (k - 1) * k * (k - 1);
    int size = (int)k;
    for (int x1 = 0; x1 < size; x1++)
        for (int y1 = 0; y1 < size; y1++)
            for (int x2 = x1 + 1; x2 < size; x2++)
                for (int y2 = 0; y2 < size; y2++) {
                    if (y1 == y2)
                        continue;
                    unsigned on_line = 0;
                    for (int x = 0; x < size; x++)
                        for (int y = 0; y < size; y++)
                            on_line += (x - x1) * (y2 - y1) == (y - y1) * (x2 - x1);
                    double share = 2.0 / (on_line * (on_line - 1)); /* one couple of its points */
                    lines += share;
                    points += share * on_line;
                    pair += share * pow(rho, k - on_line);
                }
    double once = 2 * couples - points, never = couples - lines - once;
    pair += once * pow(rho, k - 1) + never * pow(rho, k) - couples * pow(rho, k - 2);
    double order = 0;
    for (unsigned step = 0; step < m; step++) { /* distinct places of each step */
        unsigned places = 1;
        while (places < k && (uint64_t)places * step % m != 0)
            places++;
        order += pow(rho, places) - pow(rho, k);
    }
    return (pair * (double)n / (double)m + order) / (double)m;
}

TEST(double_hashing)
{
    static const struct {
        uint64_t n, m;
        unsigned k;
        double fpr;
    } rows[] = {{100, 1000, 7, 0.009679},
                {1000, 10000, 7, 0.008342},
                {100, 2000, 14, 0.000752},
                {1000, 20000, 14, 0.0001356}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t n = rows[i].n, m = rows[i].m;
        CHECK(fb_bloom_fpr(n, m, rows[i].k) + fb_double_hashing_excess(n, m, rows[i].k),
              rows[i].fpr, 3e-4);
    }
    for (unsigned k = 1; k <= 9; k++)
        for (uint64_t m = 997; m <= 1001; m++)
            CHECK(fb_double_hashing_excess(100, m, k), excess_by_listing(100, m, k), 1e-9);
    assert_true(fb_double_hashing_excess(1000, 8, 7) <= 1);
}

/* fjall-3: count the places that each step of Z_m reaches, by walking. */
TEST(multiplied_step)
{
    for (uint64_t m = 1000; m <= 1024; m += 4)
        for (unsigned k = 2; k <= 14; k += 3) {
            double rho = 1 - exp(-(double)k * 100 / (double)m), order = 0;
            for (uint64_t step = 0; step < m; step++) {
                uint64_t seen[14], h = 0, delta = step;
                unsigned places = 0;
                for (unsigned i = 1; i <= k; i++) {
                    unsigned j = 0;
                    while (j < places && seen[j] != h)
                        j++;
                    if (j == places)
                        seen[places++] = h;
                    h = (h + delta) % m;
                    delta = delta * i % m;
                }
                order += pow(rho, places) - pow(rho, k);
            }
            CHECK(fb_multiplied_step_excess(100, m, k) - fb_double_hashing_excess(100, m, k),
                  order / (double)m, 1e-9);
        }
}

TEST(hash_width)
{
    CHECK(fb_hash_collision(100000, 32), 0.000023283, 1e-4);
    CHECK(fb_hash_collision(10000000, 32), 0.0023256, 1e-4);
    CHECK(fb_hash_collision(40000000, 32), 0.0092700, 1e-4);
    CHECK(fb_hash_collision(1000000000, 64), 5.4210109e-11, 1e-6);
    CHECK(fb_half_hash_collision(1000000, 19532), 1.1920471e-8, 1e-6);
    assert_true(fb_half_hash_collision(0, 1) == 0);
    assert_true(fb_half_hash_collision(1, 0) == 0);
    CHECK(fb_either(0.1, 0.2), 0.28, 1e-15);
}

TESTS(NULL, NULL)

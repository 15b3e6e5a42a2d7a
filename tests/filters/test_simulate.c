/* filters/core/simulate.h: against another program's Monte Carlo of the same schemes, against the
 * designs that follow them, and against the closed form where that is exact. */
#include "tests/unit.h"

#include <stdlib.h>

#include "filters/core/filter.h"
#include "filters/core/simulate.h"

struct sample {
    double mean, se;
};

static struct sample sample_of(double sum, double squares, unsigned filters)
{
    double mean = sum / filters;
    return (struct sample){mean, sqrt((squares / filters - mean * mean) / (filters - 1))};
}

static struct sample simulate(enum fb_scheme scheme, uint64_t n, uint64_t m, unsigned k,
                              unsigned filters, uint64_t queries)
{
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < filters; i++) {
        uint64_t events;
        assert_int_equal(fb_simulate_filter(scheme, n, m, k, queries, i, &events), FB_OK);
        double rate = (double)events / (double)queries;
        sum += rate;
        squares += rate * rate;
    }
    return sample_of(sum, squares, filters);
}

static void check_near(const char *what, struct sample got, struct sample want)
{
    double sd = hypot(got.se, want.se);
    if (!(fabs(got.mean - want.mean) <= 4 * sd))
        fail_msg("%s: %.6f, expected %.6f, sd of the difference %.6f", what, got.mean, want.mean,
                 sd);
}

TEST(known_rates)
{
    static const struct {
        const char *what;
        enum fb_scheme scheme;
        uint64_t n, m;
        unsigned k, filters;
        uint64_t queries;
        struct sample want;
    } rows[] = {
        {"wrap, 100 keys", FB_SCHEME_WRAPPED, 100, 1000, 7, 1500, 10000, {0.00890, 3e-5}},
        {"wrap, 1000 keys", FB_SCHEME_WRAPPED, 1000, 10000, 7, 150, 50000, {0.00824, 3e-5}},
        {"wrap, 20 bits", FB_SCHEME_WRAPPED, 100, 2000, 14, 1000, 20000, {0.000265, 5e-6}},
        {"rotate, 20 keys", FB_SCHEME_ROTATE17, 20, 200, 6, 2000, 2000, {0.0120, 5e-5}},
        {"rotate, 1e5 keys", FB_SCHEME_ROTATE17, 100000, 1000000, 6, 2, 300000, {0.0145, 5e-5}},
        {"rotate, 3e5 keys", FB_SCHEME_ROTATE17, 300000, 3000000, 6, 2, 200000, {0.0204, 1e-4}},
        {"fjall, 100 keys", FB_SCHEME_MULTIPLIED_STEP, 100, 1000, 7, 1500, 10000, {0.00922, 3e-5}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sample got = simulate(rows[i].scheme, rows[i].n, rows[i].m, rows[i].k,
                                     rows[i].filters, rows[i].queries);
        if (rows[i].filters == 2) /* too few filters for their own spread: binomial, doubled */
            got.se = 2 * sqrt(got.mean / (2.0 * (double)rows[i].queries));
        check_near(rows[i].what, got, rows[i].want);
    }
}

/* With one probe every scheme is a plain filter, as long as its word is wide enough; of three lines
 * for the one that has lines. */
TEST(one_probe_is_exact)
{
    for (enum fb_scheme s = FB_SCHEME_WRAPPED; s < FB_N_SCHEMES; s++)
        check_near("one probe", simulate(s, 100, 1536, 1, 100, 5000),
                   (struct sample){fb_bloom_fpr(100, 1536, 1), 0});
}

TEST(power_of_two_follows_the_excess)
{
    double want = fb_bloom_fpr(819, 8192, 7) + fb_double_hashing_excess(819, 8192, 7);
    check_near("power of two", simulate(FB_SCHEME_WRAPPED_POW2, 819, 8192, 7, 200, 50000),
               (struct sample){want, 0});
}

/* ---- The designs themselves ---- */

static uint64_t next_word(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 32) * 0xD6E8FEB86659FD93u;
    z = (z ^ z >> 32) * 0xD6E8FEB86659FD93u;
    return z ^ z >> 32;
}

enum { N_KEYS = 1000, N_QUERIES = 20000, N_FILTERS = 120 };

static uint64_t words[N_QUERIES], offsets[N_QUERIES + 1];
static uint8_t maybe[N_QUERIES];

static struct fb_keys fresh_keys(uint64_t *state, size_t n)
{
    for (size_t i = 0; i <= n; i++)
        offsets[i] = 8 * i;
    for (size_t i = 0; i < n; i++)
        words[i] = next_word(state);
    return (struct fb_keys){.bytes = (const uint8_t *)words, .offset = offsets, .n = n};
}

static struct sample measure(const struct fb_design *design, struct fb_geometry *geom)
{
    double sum = 0, squares = 0;
    uint64_t state = 1;
    for (unsigned i = 0; i < N_FILTERS; i++) {
        struct fb_params params = {.bits_per_key = 10};
        struct fb_keys keys = fresh_keys(&state, N_KEYS);
        closed_by(fb_filter_close) struct fb_filter filter;
        const char *why = NULL;
        size_t hits;
        assert_int_equal(fb_filter_build(design, NULL, &params, &keys, &filter, &why), FB_OK);
        keys = fresh_keys(&state, N_QUERIES);
        assert_int_equal(fb_filter_query_keys(&filter, &keys, maybe, &hits), FB_OK);
        *geom = filter.geom;
        double rate = (double)hits / N_QUERIES;
        sum += rate;
        squares += rate * rate;
    }
    return sample_of(sum, squares, N_FILTERS);
}

TEST(designs_follow_their_schemes)
{
    unsigned n_checked = 0;
    for (size_t i = 0; i < fb_n_designs(); i++) {
        const struct fb_design *design = fb_design_at(i);
        if (design->scheme == FB_SCHEME_CLOSED)
            continue;
        struct fb_geometry geom;
        struct sample got = measure(design, &geom);
        check_near(
            design->name, got,
            simulate(design->scheme, N_KEYS, geom.n_bits, geom.probes, N_FILTERS, N_QUERIES));
        n_checked++;
    }
    assert_true(n_checked >= 1);
}

/* ---- Contract ---- */

TEST(counts_are_the_same_everywhere)
{
    static const struct {
        enum fb_scheme scheme;
        uint64_t m, events;
    } rows[] = {
        {FB_SCHEME_WRAPPED, 10001, 829},          {FB_SCHEME_WRAPPED_POW2, 8192, 2091},
        {FB_SCHEME_ROTATE17, 10000, 882},         {FB_SCHEME_MULTIPLIED_STEP, 10008, 766},
        {FB_SCHEME_WRAPPED_32, 10000, 845},       {FB_SCHEME_ROTATE17_LINE, 10752, 942},
        {FB_SCHEME_ENHANCED_REDUCED, 10000, 842}, {FB_SCHEME_MULTIPLIED_STEP_LINE, 10240, 9954}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t events, again, other;
        assert_int_equal(fb_simulate_filter(rows[i].scheme, 1000, rows[i].m, 6, 100000, 7, &events),
                         FB_OK);
        assert_int_equal(fb_simulate_filter(rows[i].scheme, 1000, rows[i].m, 6, 100000, 7, &again),
                         FB_OK);
        assert_int_equal(fb_simulate_filter(rows[i].scheme, 1000, rows[i].m, 6, 100000, 8, &other),
                         FB_OK);
        assert_int_equal(events, again);
        assert_int_not_equal(events, other);
        assert_int_equal(events, rows[i].events);
    }
}

TEST(bounds)
{
    uint64_t events = 1;
    assert_int_equal(fb_simulate_filter(FB_SCHEME_WRAPPED, 0, 100, 3, 10, 0, &events), FB_OK);
    assert_int_equal(events, 0);
    assert_int_equal(fb_simulate_filter(FB_SCHEME_WRAPPED, 10, 0, 3, 10, 0, &events), FB_OK);
    assert_int_equal(events, 0);
    assert_int_equal(fb_simulate_filter(FB_SCHEME_WRAPPED, 10, 1, 3, 10, 0, &events), FB_OK);
    assert_int_equal(events, 10);
    assert_int_equal(fb_simulate_filter(FB_SCHEME_CLOSED, 10, 100, 3, 10, 0, &events), FB_EINVAL);
    assert_int_equal(fb_simulate_filter((enum fb_scheme)99, 10, 100, 3, 10, 0, &events), FB_EINVAL);
}

TEST(when_to_simulate)
{
    static const struct {
        enum fb_scheme scheme;
        uint64_t n, m;
        unsigned k;
        bool needed;
    } rows[] = {
        {FB_SCHEME_CLOSED, 100, 1000, 7, false},
        {FB_SCHEME_WRAPPED, 100, 1000, 7, true},
        {FB_SCHEME_WRAPPED, 1000, 10000, 7, true},
        {FB_SCHEME_WRAPPED, 10000, 100000, 7, false},
        {FB_SCHEME_WRAPPED, 10000, 200000, 14, true},
        {FB_SCHEME_WRAPPED, 1000000, 20000000, 14, false},
        {FB_SCHEME_WRAPPED, 100, 1000, 1, false},
        {FB_SCHEME_WRAPPED_POW2, 6554, 65536, 7, true},
        {FB_SCHEME_WRAPPED_POW2, 65536, 1 << 20, 11, true},
        {FB_SCHEME_WRAPPED_POW2, 1000000, 1 << 24, 12, false},
        {FB_SCHEME_ROTATE17, 10000000, 100000000, 6, true},
        {FB_SCHEME_ROTATE17_LINE, 10000000, 100000256, 6, true},
        {FB_SCHEME_ENHANCED_REDUCED, 100, 1000, 7, true},
        {FB_SCHEME_ENHANCED_REDUCED, 1000000, 10000000, 7, false},
        {FB_SCHEME_MULTIPLIED_STEP_LINE, 1000000, 10000384, 5, true},
        {FB_SCHEME_WRAPPED_32, 1000000, 10000000, 7, false},
        {FB_SCHEME_WRAPPED_32, 10000000, 100000000, 7, true},
        {FB_SCHEME_MULTIPLIED_STEP, 1000, 10000, 6, true},
        {FB_SCHEME_MULTIPLIED_STEP, 100000, 1000000, 6, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (fb_scheme_needs_simulation(rows[i].scheme, rows[i].n, rows[i].m, rows[i].k) !=
            rows[i].needed)
            fail_msg("row %zu", i);
}

TESTS(NULL, NULL)

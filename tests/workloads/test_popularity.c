/* Popularity of keys: samplers against the laws they stand for. */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/core/popularity.h"
#include "workloads/core/rng.h"

static struct fb_popularity made(const char *text, uint64_t n)
{
    struct fb_popularity p;
    const char *why = NULL;
    if (!fb_popularity_parse(text, &p, &why))
        fail_msg("%s: %s", text, why);
    fb_popularity_init(&p, n);
    return p;
}

/* Standardised chi-square of counts against probabilities; cells of less than 10 expected are
 * thrown together with their neighbours. */
static double excess(const uint64_t *count, const double *p, size_t n, double draws)
{
    double sum = 0, expected = 0, seen = 0;
    size_t cells = 0;
    for (size_t i = 0; i < n; i++) {
        expected += draws * p[i];
        seen += (double)count[i];
        if (expected >= 10 || i + 1 == n) {
            sum += (seen - expected) * (seen - expected) / expected;
            cells++;
            expected = seen = 0;
        }
    }
    double degrees = (double)cells - 1;
    return (sum - degrees) / sqrt(2 * degrees);
}

TEST(zipf_is_exact)
{
    static const char *const kinds[] = {"zipf:0",        "zipf:0.5", "zipf:0.99",
                                        "zipf:0.999999", "zipf:1",   "zipf:1.2",
                                        "zipf:2",        "zipf:5",   "latest:0.8"};
    enum { N = 1000, DRAWS = 200000 };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct fb_popularity pop = made(kinds[k], N);
        uint64_t count[N] = {0};
        double p[N], total = 0, squares = 0;
        for (size_t i = 0; i < N; i++)
            total += p[i] = pow((double)(i + 1), -pop.theta);
        for (size_t i = 0; i < N; i++) {
            p[i] /= total;
            squares += p[i] * p[i];
        }
        for (uint64_t i = 0; i < DRAWS; i++)
            count[fb_popularity_rank(&pop, fb_stream_word(5, k), i)]++;
        assert_near(excess(count, p, N, DRAWS), 0, 4);
        assert_near(fb_popularity_effective(&pop) * squares, 1, 1e-9);
    }
}

TEST(small_ranges)
{
    for (uint64_t n = 1; n <= 3; n++) {
        struct fb_popularity pop = made("zipf:1.5", n);
        uint64_t count[3] = {0};
        double p[3], total = 0;
        for (uint64_t i = 0; i < 20000; i++) {
            uint64_t rank = fb_popularity_rank(&pop, 9, i);
            assert_true(rank < n);
            count[rank]++;
        }
        for (size_t i = 0; i < n; i++)
            total += p[i] = pow((double)(i + 1), -1.5);
        for (size_t i = 0; i < n; i++)
            assert_near((double)count[i] / 20000, p[i] / total, 0.015);
    }
}

/* Sum of k^-s over 1 .. n, another way than the code: midpoints beyond 10^5. */
static double law(double n, double s)
{
    double sum = 0, m = n < 1e5 ? n : 1e5;
    for (double k = m; k >= 1; k--)
        sum += pow(k, -s);
    if (n > m)
        sum += s == 1 ? log((n + 0.5) / (m + 0.5))
                      : (pow(n + 0.5, 1 - s) - pow(m + 0.5, 1 - s)) / (1 - s);
    return sum;
}

TEST(zipf_of_a_billion)
{
    static const double theta[] = {0.7, 0.99, 1, 1.1};
    static const double edge[] = {1, 10, 1e3, 1e5, 1e7, 1e8, 5e8, 9e8, 1e9};
    enum { DRAWS = 100000, EDGES = sizeof edge / sizeof *edge };
    for (size_t t = 0; t < sizeof theta / sizeof *theta; t++) {
        struct fb_popularity pop = {.kind = FB_ZIPF, .theta = theta[t]};
        fb_popularity_init(&pop, 1000000000);
        uint64_t count[EDGES] = {0};
        double p[EDGES], before = 0, total = law(1e9, theta[t]);
        for (size_t e = 0; e < EDGES; e++) {
            double below = law(edge[e], theta[t]) / total;
            p[e] = below - before;
            before = below;
        }
        for (uint64_t i = 0; i < DRAWS; i++) {
            double rank = (double)fb_popularity_rank(&pop, t, i);
            size_t e = 0;
            while (rank >= edge[e])
                e++;
            count[e]++;
        }
        assert_near(excess(count, p, EDGES, DRAWS), 0, 4);
        double expected = total * total / law(1e9, 2 * theta[t]);
        assert_near(fb_popularity_effective(&pop) / expected, 1, 1e-6);
    }
}

TEST(largest_range)
{
    static const char *const kinds[] = {"uniform", "zipf:0",   "zipf:0.99", "zipf:1",
                                        "zipf:3",  "zipf:100", "ycsb-zipf", "hotspot:0.001,0.5"};
    uint64_t n = UINT64_C(1) << 61;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct fb_popularity pop = made(kinds[k], n);
        for (uint64_t i = 0; i < 2000; i++)
            assert_true(fb_popularity_rank(&pop, k, i) < n);
    }
}

/* Item of rank r: what YCSB's hash sends it to. */
TEST(ycsb_top_items)
{
    enum { N = 1000000, DRAWS = 400000 };
    struct fb_popularity pop = made("ycsb-zipf", N);
    auto_free uint64_t *count = calloc(N, sizeof *count);
    assert_non_null(count);
    for (uint64_t i = 0; i < DRAWS; i++)
        count[fb_popularity_rank(&pop, 3, i)]++;
    /* FNV-1a of eight zero bytes: 0xA8C7F832281A39C5, negative, of which Math.abs. */
    assert_int_equal(fb_ycsb_hash(0), UINT64_C(0x573807CDD7E5C63B));
    double top = (double)count[fb_ycsb_hash(0) % N] / DRAWS;
    double second = (double)count[fb_ycsb_hash(1) % N] / DRAWS;
    assert_near(top, 0.03778, 0.0015);
    assert_near(second, 0.01902, 0.0011);
    double pairs = 0;
    for (size_t i = 0; i < N; i++)
        pairs += (double)count[i] * (double)(count[i] - (count[i] > 0));
    double effective = (double)DRAWS * (DRAWS - 1) / pairs;
    assert_near(effective / fb_popularity_effective(&pop), 1, 0.03);
}

/* The exact law over 10^10 items would have 421; YCSB's sampler favours the ranks behind the first
 * two. */
TEST(ycsb_effective)
{
    struct fb_popularity pop = made("ycsb-zipf", UINT64_C(1) << 50);
    struct fb_popularity exact = made("zipf:0.99", 10000000000);
    assert_near(fb_popularity_effective(&pop), 398.493, 0.001);
    assert_near(fb_popularity_effective(&exact), 421, 1);
    pop = made("ycsb-zipf", 100); /* ranks meet */
    assert_near(fb_popularity_effective(&pop), 80.1, 0.001);
}

TEST(the_others)
{
    struct fb_popularity pop = made("sequential", 7);
    for (uint64_t i = 0; i < 30; i++)
        assert_int_equal(fb_popularity_rank(&pop, 1, i), i % 7);
    pop = made("hotspot:0.2,0.8", 1000);
    uint64_t hot = 0, seen[1000] = {0};
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t rank = fb_popularity_rank(&pop, 1, i);
        hot += rank < 200;
        seen[rank]++;
    }
    assert_near(hot / 1e5, 0.8, 0.006);
    for (size_t i = 0; i < 1000; i++)
        assert_near(seen[i], i < 200 ? 400 : 25, i < 200 ? 100 : 30);
    assert_near(fb_popularity_effective(&pop), 1 / (0.64 / 200 + 0.04 / 800), 1e-9);
    pop = made("hotspot:1,0.5", 10); /* no cold keys: all alike */
    assert_near(fb_popularity_effective(&pop), 10, 1e-9);
    for (uint64_t i = 0; i < 100; i++)
        assert_true(fb_popularity_rank(&pop, 1, i) < 10);
    pop = made("uniform", 64);
    assert_near(fb_popularity_effective(&pop), 64, 1e-9);
    uint64_t count[64] = {0};
    double p[64];
    for (uint64_t i = 0; i < 64000; i++)
        count[fb_popularity_rank(&pop, 2, i)]++;
    for (size_t i = 0; i < 64; i++)
        p[i] = 1.0 / 64;
    assert_near(excess(count, p, 64, 64000), 0, 4);
}

/* The same on every machine. */
TEST(values_are_pinned)
{
    static const struct {
        const char *text;
        uint64_t n, sum, last;
    } pins[] = {
        {"uniform", 1000000000, UINT64_C(0xA034D415B4D60DF6), 37363216},
        {"zipf:0.99", 1000000000, UINT64_C(0xAC9C1713D3E4F014), 486780601},
        {"zipf:1", 1000000000, UINT64_C(0xD3AADC3C3B586B03), 450903649},
        {"zipf:0.5", 1000000000000, UINT64_C(0x14AA53ABCA81C892), 926669629570},
        {"zipf:1.3", 1000000000, UINT64_C(0xF3B536047D4D8DCF), 28233},
        {"ycsb-zipf", 1000000000, UINT64_C(0x8DBAFD1D2582E6AC), 667377211},
        {"latest", 1000000, UINT64_C(0x01220E364502F421), 604892},
        {"hotspot:0.2,0.8", 1000000, UINT64_C(0x781E506C4460F6E8), 181417},
    };
    for (size_t i = 0; i < sizeof pins / sizeof *pins; i++) {
        struct fb_popularity pop = made(pins[i].text, pins[i].n);
        uint64_t sum = 0, rank = 0;
        for (uint64_t q = 0; q < 5000; q++) {
            rank = fb_popularity_rank(&pop, 2024, q);
            sum = fb_mix64(sum + rank);
        }
        assert_int_equal(sum, pins[i].sum);
        assert_int_equal(rank, pins[i].last);
    }
}

/* Ranks of "latest" are ages; those of the others are scattered, or the keys themselves. */
TEST(items_of_ranks)
{
    struct fb_items items;
    const struct fb_popularity latest = made("latest", 10), uniform = made("uniform", 10),
                               zipf = made("zipf:0.99", 10);
    fb_items_init(&items, &latest, 10, 1);
    for (uint64_t rank = 0; rank < 10; rank++) {
        assert_int_equal(fb_item_of(&items, rank, 10), 9 - rank);
        assert_int_equal(fb_item_of(&items, rank, 4), rank < 4 ? 3 - rank : rank);
    }
    fb_items_init(&items, &uniform, 10, 1);
    for (uint64_t rank = 0; rank < 10; rank++)
        assert_int_equal(fb_item_of(&items, rank, 10), rank);
    fb_items_init(&items, &zipf, 10, 1);
    unsigned seen = 0, moved = 0;
    for (uint64_t rank = 0; rank < 10; rank++) {
        seen |= 1u << fb_item_of(&items, rank, 10);
        moved += fb_item_of(&items, rank, 10) != rank;
    }
    assert_true(seen == (1u << 10) - 1 && moved > 4);
}

TEST(texts)
{
    static const char *const bad[] = {"",
                                      "zipf",
                                      "zipf:",
                                      "zipf:-1",
                                      "zipf:1x",
                                      "zipf:101",
                                      "zipf:1.2.3",
                                      "ycsb",
                                      "latest:",
                                      "hotspot:0.2",
                                      "hotspot:0,1",
                                      "hotspot:1,2",
                                      "Uniform",
                                      "uniform ",
                                      "sequential:1",
                                      "zipf:1e3",
                                      "zipf:nan",
                                      "hotspot:.2,.8,",
                                      "zipf:0.1234567890123456"};
    struct fb_popularity p;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *why = NULL;
        assert_false(fb_popularity_parse(bad[i], &p, &why));
        assert_non_null(strstr(why, "zipf:THETA"));
    }
    p = made("zipf:.5", 10);
    assert_true(p.theta == 0.5);
    p = made("zipf:0.99", 10);
    assert_true(p.theta == 0.99);
    p = made("latest", 10);
    assert_true(p.kind == FB_LATEST && p.theta == 0.99);
    p = made("hotspot:0.05,0.95", 10);
    assert_true(p.hot_items == 0.05 && p.hot_queries == 0.95);
    for (const struct fb_popularity_name *n = fb_popularity_names; n->text; n++)
        assert_non_null(n->summary);
}

TESTS(NULL, NULL)

/* What a query reads and how long it takes, of cases that are small enough to be done by hand: a
 * walk takes 1 us, a read 100. */
#include "tests/unit.h"

#include <stdlib.h>

#include "harness/store/block_cache.h"
#include "harness/store/expectation.h"
#include "harness/store/query_latency.h"

/* Mean and quantiles of queries[i] queries of i reads, in us. */
static void assert_times(const uint64_t *queries, size_t n, double mean, double p50, double p99)
{
    struct fb_histogram *walk = calloc(1, sizeof *walk), *total = calloc(1, sizeof *total);
    struct fb_query_class classes[4];
    const struct fb_device device = {.read_ns = 100000};
    fb_histogram_add(walk, 1000000, 1);
    for (size_t i = 0; i < n; i++)
        classes[i] = (struct fb_query_class){queries[i], walk, (unsigned)i, 0};
    assert_int_equal(fb_query_total(classes, n, &device, 1, total), FB_OK);
    assert_near(total->sum_ps / (double)total->n / 1e6, mean, mean / 100);
    assert_near((double)fb_histogram_quantile(total, 0.5) / 1e6, p50, p50 / 64);
    assert_near((double)fb_histogram_quantile(total, 0.99) / 1e6, p99, p99 / 64);
    free(walk);
    free(total);
}

/* Level 2 has the key. Level 0 says maybe to one key in ten, level 1 to one in twenty. Of 1000
 * queries 855 read one block, 95 + 45 two, 5 three. */
TEST(a_hit_on_level_2)
{
    const struct fb_expected_run runs[] = {
        {.f = 0.1, .r = 1}, {.f = 0.05, .r = 1}, {.f = 0.01, .r = 1, .pi = 1}};
    struct fb_expectation e;
    fb_expect(runs, 3, 0, &e);
    assert_near(e.io, 1.15, 1e-12);
    assert_near(e.asked, 3, 1e-12);
    assert_near(e.io_variance, 0.855 + 0.14 * 4 + 0.005 * 9 - 1.15 * 1.15, 1e-12);
    assert_times((const uint64_t[]){0, 855, 140, 5}, 4, 1 + 115, 101, 201);
}

/* A deletion on level 1 ends the query there: one read, whatever level 2 has of older values. */
TEST(a_tombstone)
{
    const struct fb_expected_run runs[] = {
        {.f = 0.1, .r = 1}, {.f = 0.05, .r = 1, .pi = 1}, {.f = 0.01, .r = 1}};
    struct fb_expectation e;
    fb_expect(runs, 3, 0, &e);
    assert_near(e.io, 1.1, 1e-12);
    assert_near(e.asked, 2, 1e-12);
    assert_times((const uint64_t[]){0, 90, 10}, 3, 1 + 110, 101, 201);
}

/* Filter and index of a file are in parts of 4 KiB, which the first query brings into the cache.
 * The second is for another key of the same parts: the filter says maybe and only the data block is
 * read, in vain. The third is for that key again. Then a query of another file pushes the part of
 * the filter out, and it is read again. */
TEST(a_false_positive_behind_a_cached_partition)
{
    enum { FILTER, INDEX, DATA, OTHER_DATA, OTHER_FILE, ASKED = 3, QUERIES = 4 };
    static const uint64_t wanted[QUERIES][ASKED] = {{FILTER, INDEX, DATA},
                                                    {FILTER, INDEX, OTHER_DATA},
                                                    {FILTER, INDEX, OTHER_DATA},
                                                    {OTHER_FILE, FILTER, FILTER}};
    static const unsigned reads[QUERIES] = {3, 1, 0, 2};
    struct fb_block_cache *cache;
    uint64_t queries[4] = {0};
    assert_int_equal(fb_block_cache_open(FB_CACHE_LRU, 4 * 4096, &cache), FB_OK);
    for (size_t q = 0; q < QUERIES; q++) {
        unsigned read = 0;
        for (size_t i = 0; i < ASKED; i++)
            read += !fb_block_cache_touch(cache, wanted[q][i],
                                          wanted[q][i] == OTHER_FILE ? 3 * 4096 + 1 : 4096);
        assert_int_equal(read, reads[q]);
        queries[read]++;
    }
    fb_block_cache_close(cache);
    assert_times(queries, 4, 1 + 150, 101, 301);
}

TESTS(NULL, NULL)

/* Times of queries with the reads they needed. */
#include "tests/unit.h"

#include <stdlib.h>

#include "harness/store/query_latency.h"

/* Walks of 1 us; of ten queries five need no read, four one and one three of 100 us. */
TEST(queries_with_reads)
{
    static const uint64_t queries[] = {5000000, 4000000, 0, 1000000, 0};
    auto_free struct fb_latency *walk = calloc(1, sizeof *walk);
    struct fb_histogram *total = calloc(1, sizeof *total), *slow = calloc(1, sizeof *slow);
    closed_by(fb_device_close) struct fb_device device;
    struct fb_query_reads reads = {.queries = queries, .n = 5, .device = &device, .seed = 1};
    const char *why;
    fb_histogram_add(&walk->kind[FB_SINGLE_OP_GROSS], 1000000, 1000);
    fb_histogram_add(&walk->kind[FB_TIMER_EMPTY], 30000, 1000);
    assert_true(fb_device_parse("100us", &device, &why));
    assert_int_equal(fb_query_total(&walk->kind[FB_SINGLE_OP_GROSS], &reads, total), FB_OK);
    assert_int_equal(total->n, 1 << 20);
    assert_near(total->sum_ps / (double)total->n / 1e6, 1 + 0.4 * 100 + 0.1 * 300, 0.1);
    assert_near(fb_histogram_quantile(total, 0.49), 1e6, 1e4);
    assert_near(fb_histogram_quantile(total, 0.51), 101e6, 1e6);
    assert_near(fb_histogram_quantile(total, 0.91), 301e6, 3e6);

    static const uint64_t all_two[] = {0, 0, 7};
    reads = (struct fb_query_reads){.queries = all_two, .n = 3, .device = &device, .seed = 1};
    assert_int_equal(fb_query_total(&walk->kind[FB_SINGLE_OP_GROSS], &reads, total), FB_OK);
    assert_int_equal(total->n, 7);
    assert_near(total->sum_ps / 7e6, 1 + 200, 2);
    reads.queries = queries;
    reads.n = 5;

    /* A measured device adds its own spread. */
    fb_histogram_add(slow, 50000000, 99);
    fb_histogram_add(slow, 2000000000, 1);
    assert_int_equal(fb_device_of_histogram(slow, 1e9, true, &device), FB_OK);
    assert_int_equal(fb_query_total(&walk->kind[FB_SINGLE_OP_GROSS], &reads, total), FB_OK);
    assert_near(total->sum_ps / (double)total->n / 1e6, 1 + 0.7 * (0.99 * 50 + 0.01 * 2000), 1);
    assert_near(fb_histogram_quantile(total, 0.4), 1e6, 1e4);
    assert_true(fb_histogram_quantile(total, 0.999) > 1900000000);

    json_auto_t *list = fb_query_histograms(walk, 1, &reads);
    assert_int_equal(json_array_size(list), 3);
    const json_t *second = json_array_get(list, 1);
    assert_string_equal(json_string_value(json_object_get(second, "kind")), "query_total");
    assert_true(json_is_integer(json_object_get(json_object_get(second, "percentiles"), "p99_99")));
    static const uint64_t none[1];
    reads.queries = none;
    reads.n = 1;
    assert_int_equal(fb_query_total(&walk->kind[FB_SINGLE_OP_GROSS], &reads, total), FB_EINVAL);
    free(total);
}

TESTS(NULL, NULL)

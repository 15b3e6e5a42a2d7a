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
    const struct fb_histogram *cpu = &walk->kind[FB_SINGLE_OP_GROSS];
    const struct fb_query_class classes[] = {
        {5000000, cpu, 0, 0}, {4000000, cpu, 1, 0}, {0, NULL, 2, 0}, {1000000, cpu, 3, 0}};
    const char *why;
    fb_histogram_add(&walk->kind[FB_SINGLE_OP_GROSS], 1000000, 1000);
    fb_histogram_add(&walk->kind[FB_TIMER_EMPTY], 30000, 1000);
    assert_true(fb_device_parse("100us", &device, &why));
    assert_int_equal(fb_query_total(classes, 4, &device, 1, total), FB_OK);
    assert_int_equal(total->n, 1 << 20);
    assert_near(total->sum_ps / (double)total->n / 1e6, 1 + 0.4 * 100 + 0.1 * 300, 0.1);
    assert_near(fb_histogram_quantile(total, 0.49), 1e6, 1e4);
    assert_near(fb_histogram_quantile(total, 0.51), 101e6, 1e6);
    assert_near(fb_histogram_quantile(total, 0.91), 301e6, 3e6);

    const struct fb_query_class all_two = {7, cpu, 2, 0};
    assert_int_equal(fb_query_total(&all_two, 1, &device, 1, total), FB_OK);
    assert_int_equal(total->n, 7);
    assert_near(total->sum_ps / 7e6, 1 + 200, 2);

    /* A measured device adds its own spread. */
    fb_histogram_add(slow, 50000000, 99);
    fb_histogram_add(slow, 2000000000, 1);
    assert_int_equal(fb_device_of_histogram(slow, 1e9, true, &device), FB_OK);
    assert_int_equal(fb_query_total(classes, 4, &device, 1, total), FB_OK);
    assert_near(total->sum_ps / (double)total->n / 1e6, 1 + 0.7 * (0.99 * 50 + 0.01 * 2000), 1);
    assert_near(fb_histogram_quantile(total, 0.4), 1e6, 1e4);
    assert_true(fb_histogram_quantile(total, 0.999) > 1900000000);

    json_auto_t *list = fb_query_histograms(walk, 1, &reads);
    assert_int_equal(json_array_size(list), 3);
    const json_t *second = json_array_get(list, 1);
    assert_string_equal(json_string_value(json_object_get(second, "kind")), "query_total");
    assert_true(json_is_integer(json_object_get(json_object_get(second, "percentiles"), "p99_99")));
    assert_int_equal(fb_query_total(classes + 2, 1, &device, 1, total), FB_EINVAL);
    free(total);
}

/* Half of the Gets take 1 us and 300 ns more, half 5 us, a block of 3 us and 500 ns less; one that
 * would take less than nothing takes nothing. */
TEST(queries_of_classes)
{
    struct fb_histogram *none = calloc(1, sizeof *none), *one = calloc(1, sizeof *one),
                        *total = calloc(1, sizeof *total);
    const struct fb_device block = {.read_ns = 3000};
    const struct fb_query_class classes[] = {{100, none, 0, 300}, {100, one, 1, -500}},
                                less = {5, one, 0, -6000}, empty = {1, total, 0, 0};
    fb_histogram_add(none, 1000000, 7);
    fb_histogram_add(one, 5000000, 3);
    assert_int_equal(fb_query_total(classes, 2, &block, 0, total), FB_OK);
    assert_int_equal(total->n, 200);
    assert_near(fb_histogram_quantile(total, 0.5), 1.3e6, 2e4);
    assert_near(fb_histogram_quantile(total, 0.51), 7.5e6, 1e5);
    assert_int_equal(fb_query_total(&less, 1, &block, 0, total), FB_OK);
    assert_int_equal(total->n, 5);
    assert_int_equal(total->max_ps, 0);
    memset(total, 0, sizeof *total);
    assert_int_equal(fb_query_total(&empty, 1, &block, 0, one), FB_EINVAL);
    free(none);
    free(one);
    free(total);
}

TESTS(NULL, NULL)

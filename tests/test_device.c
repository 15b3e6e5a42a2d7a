/* Devices: names and times, and a file of segments written, read back and gone. */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "harness/device.h"

static void names_and_times(void **state)
{
    static const struct {
        const char *text;
        double ns;
    } good[] = {{"default", 1e5},    {"nvme", 15e3}, {"sata", 8e4},  {"hdd", 8e6},
                {"pagecache", 1200}, {"s3", 2e7},    {"100us", 1e5}, {"0.5ms", 5e5},
                {"8ms", 8e6},        {"2s", 2e9},    {"1ns", 1}};
    static const char *const bad[] = {"",     "nvm",    "100", "us",
                                      "-1us", "100 us", "0us", "nan",
                                      "1e9s", "100usx", "inf", "1234567890123456789012345678901us"};
    struct fb_device device;
    const char *why;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(fb_device_parse(good[i].text, &device, &why));
        assert_string_equal(device.name, good[i].text);
        assert_near(device.read_ns, good[i].ns, 1e-6);
        assert_true(device.bytes_per_s > 0 && fb_device_draw_ns(&device, 7) == device.read_ns);
        fb_device_close(&device);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        why = NULL;
        assert_false(fb_device_parse(bad[i], &device, &why));
        assert_non_null(why);
    }
}

/* A filter of 3.15 MB at 2 GB/s: 1.6 ms more than a block. */
static void large_reads(void **state)
{
    struct fb_device device;
    const char *why;
    (void)state;
    assert_true(fb_device_parse("nvme", &device, &why));
    assert_near(fb_device_read_ns(&device, 4096, 4096), 15e3, 1e-6);
    assert_near(fb_device_read_ns(&device, 3150000, 4096), 15e3 + 1.575e6, 1);
}

static void draws(void **state)
{
    struct fb_histogram *histogram = calloc(1, sizeof *histogram);
    struct fb_device device;
    (void)state;
    fb_histogram_add(histogram, 10000000, 900); /* 10 us */
    fb_histogram_add(histogram, 80000000, 99);
    fb_histogram_add(histogram, 1000000000, 1);
    assert_int_equal(fb_device_of_histogram("measured", histogram, 1e9, true, &device), FB_OK);
    size_t slow = 0, slowest = 0;
    double sum = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        double ns = fb_device_draw_ns(&device, i * (UINT64_MAX / 10000));
        sum += ns;
        slow += ns > 20e3;
        slowest += ns > 500e3;
    }
    assert_near(slow, 1000, 2);
    assert_near(slowest, 10, 1);
    assert_near(sum / 10000 / device.read_ns, 1, 0.01);
    assert_near(device.read_ns, 0.9 * 1e4 + 0.099 * 8e4 + 0.001 * 1e6, 1);
    fb_device_close(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_times),
        cmocka_unit_test(large_reads),
        cmocka_unit_test(draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

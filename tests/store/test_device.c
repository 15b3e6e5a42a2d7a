/* Devices: names and times, and what is measured on a file that is gone afterwards. */
#include "tests/store/tiny_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filters/core/filter.h"
#include "harness/base/parallel.h"
#include "harness/store/device.h"

TEST(names_and_times)
{
    static const struct {
        const char *text;
        double ns;
    } good[] = {{"default", 1e5},    {"nvme", 5e4}, {"optane", 15e3}, {"sata", 8e4},  {"hdd", 8e6},
                {"pagecache", 4500}, {"s3", 2e7},   {"100us", 1e5},   {"0.5ms", 5e5}, {"8ms", 8e6},
                {"2s", 2e9},         {"1ns", 1},    {"100 us", 1e5}};
    static const char *const bad[] = {
        "",    "nvm", "100",  "us",     "-1us", "100  us",
        "0us", "nan", "1e9s", "100usx", "inf",  "1234567890123456789012345678901us"};
    static const double per_s[] = {2e9,   2e9,  2e9, 5e8,
                                   1.5e8, 1e10, 1e8}; /* the others: the first */
    struct fb_device device;
    const char *why;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(fb_device_parse(good[i].text, &device, &why));
        assert_string_equal(device.name, good[i].text);
        assert_near(device.read_ns, good[i].ns, 1e-6);
        assert_true(device.bytes_per_s == per_s[i < 7 ? i : 0]);
        assert_int_equal(device.what != NULL, i < 7);
        assert_true(fb_device_draw_ns(&device, 7) == device.read_ns);
        fb_device_close(&device);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        why = NULL;
        assert_false(fb_device_parse(bad[i], &device, &why));
        assert_non_null(why);
    }
}

TEST(draws)
{
    struct fb_histogram *histogram = calloc(1, sizeof *histogram);
    closed_by(fb_device_close) struct fb_device device;
    fb_histogram_add(histogram, 10000000, 900); /* 10 us */
    fb_histogram_add(histogram, 80000000, 99);
    fb_histogram_add(histogram, 1000000000, 1);
    assert_int_equal(fb_device_of_histogram(histogram, 1e9, true, &device), FB_OK);
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
}

TEST(measured)
{
    struct fb_device_file file = tiny;
    closed_by(fb_device_close) struct fb_device device;
    json_t *about;
    bool complete;
    const char *why;
    file.block_bytes = 4096;
    assert_int_equal(fb_device_measure(&file, &device, &about, &complete, &why), FB_OK);
    assert_true(complete);
    assert_string_equal(device.name, "measured");
    assert_int_equal(device.histogram->n, 300);
    assert_true(device.read_ns > 0 && device.bytes_per_s > 0);
    assert_true(fb_device_draw_ns(&device, 0) > 0);
    assert_true(fb_device_draw_ns(&device, UINT64_MAX) >= fb_device_draw_ns(&device, 0));
    assert_int_equal(json_integer_value(json_object_get(about, "checksum_errors")), 0);
    assert_int_equal(json_integer_value(json_object_get(about, "reads")), 300);
    assert_non_null(json_string_value(json_object_get(about, "page_cache")));
    assert_true(json_boolean_value(json_object_get(about, "direct")) == device.direct);
    assert_true(device.direct == !json_object_get(about, "direct_reason"));
    json_decref(about);
    assert_int_equal(access(path, F_OK), -1);
}

static enum fb_err refused(const struct fb_device_file *file)
{
    struct fb_device device;
    json_t *about;
    bool complete;
    const char *why = NULL;
    enum fb_err err = fb_device_measure(file, &device, &about, &complete, &why);
    assert_true(err != FB_OK && why && !about && !device.histogram);
    return err;
}

TEST(refusals)
{
    struct fb_device_file file = tiny;
    file.block_bytes = 1000;
    assert_int_equal(refused(&file), FB_EINVAL);
    file = tiny, file.entry_bytes = 2000;
    assert_int_equal(refused(&file), FB_EINVAL);
    file = tiny, file.entry_bytes = NAN;
    assert_int_equal(refused(&file), FB_EINVAL);
    file = tiny, file.segment_bytes = 4096;
    assert_int_equal(refused(&file), FB_EINVAL);
    file = tiny, file.filter_bits_per_key = 0.1;
    assert_int_equal(refused(&file), FB_EINVAL);
    file = tiny, file.filter_bits_per_key = NAN;
    assert_int_equal(refused(&file), FB_EINVAL);
    file = tiny, file.reads = 0;
    assert_int_equal(refused(&file), FB_EINVAL);
    file = tiny, file.file_bytes = UINT64_C(1) << 55;
    assert_int_equal(refused(&file), FB_EIO);
    file = tiny, file.path = "/nowhere/segments";
    assert_int_equal(refused(&file), FB_EIO);
    assert_int_equal(access(path, F_OK), -1);
    file = tiny, file.path = folder;
    assert_int_equal(refused(&file), FB_EINVAL);
    if (geteuid() != 0) {
        assert_int_equal(chmod(folder, 0500), 0);
        assert_int_equal(refused(&tiny), FB_EIO);
        assert_int_equal(chmod(folder, 0700), 0);
    }
}

TEST(existing_file_stays)
{
    char text[8] = "";
    FILE *file = fopen(path, "w+");
    assert_non_null(file);
    fputs("mine", file);
    fflush(file);
    assert_int_equal(refused(&tiny), FB_EINVAL);
    rewind(file);
    assert_int_equal(fread(text, 1, 8, file), 4);
    assert_string_equal(text, "mine");
    fclose(file);
    unlink(path);
}

/* A limit on the size of files stands in for a disk that is full half-way. */
TEST(failing_write)
{
    struct rlimit old, small = {.rlim_cur = 40000, .rlim_max = RLIM_INFINITY};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum fb_err err = refused(&tiny);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(err, FB_EIO);
    assert_int_equal(access(path, F_OK), -1);
}

TEST(interrupted)
{
    struct fb_device device;
    json_t *about;
    bool complete;
    const char *why;
    fb_interrupt_install();
    raise(SIGINT);
    assert_int_equal(fb_device_measure(&tiny, &device, &about, &complete, &why), FB_OK);
    assert_true(!complete && !about && !device.histogram);
    assert_int_equal(access(path, F_OK), -1);
    fb_interrupt_install(); /* as if not interrupted */
    catch_signals();
}

TESTS(make_folder, remove_folder)

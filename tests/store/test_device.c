/* Devices: names and times, and a file of segments written, read back and gone. */
#include "tests/unit.h"

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
#include "harness/store/query_latency.h"
#include "harness/store/segment_file.h"

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

static void draws(void **state)
{
    struct fb_histogram *histogram = calloc(1, sizeof *histogram);
    struct fb_device device;
    (void)state;
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
    fb_device_close(&device);
}

/* ---- Segments ---- */

static char folder[4096], path[sizeof folder + 16];

static const struct fb_device_file tiny = {
    .path = path,
    .file_bytes = 2 * 65536,
    .segment_bytes = 65536,
    .block_bytes = 1024,
    .entry_bytes = 100,
    .filter_bits_per_key = 10,
    .reads = 300,
    .seed = 7,
};

/* Ends as the signal would have, with the folder gone. */
static void abandon(int number)
{
    unlink(path);
    rmdir(folder);
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signals(void)
{
    signal(SIGINT, abandon);
    signal(SIGTERM, abandon);
    signal(SIGHUP, abandon);
}

static int make_folder(void **state)
{
    const char *tmpdir = getenv("TMPDIR");
    (void)state;
    int len = snprintf(folder, sizeof folder, "%s/filterbench-device-XXXXXX",
                       tmpdir && *tmpdir ? tmpdir : "/tmp");
    assert_in_range(len, 1, sizeof folder - 1);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/segments", folder);
    catch_signals();
    return 0;
}

/* Nothing may have been left in it; what was is removed as well. */
static int remove_folder(void **state)
{
    bool left = !unlink(path);
    (void)state;
    return rmdir(folder) || left;
}

static struct fb_segment_file write_tiny(void)
{
    const char *why;
    struct fb_segment_file file = {.fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600)};
    assert_true(file.fd >= 0);
    unlink(path);
    assert_int_equal(fb_segment_layout_of(&tiny, &file.layout, &why), FB_OK);
    assert_int_equal(fb_segments_write(&file), FB_OK);
    assert_false(file.interrupted);
    return file;
}

/* Every block in order: entries ascend through the file, their keys are in the segment's filter,
 * and no more than the file was asked for is written. */
static void entries_are_sorted(void **state)
{
    struct fb_filter filter;
    struct stat about;
    const char *why;
    uint8_t block[1024], part[65536];
    uint64_t expected = 0, errors;
    const struct fb_design *design = fb_design_find("rocksdb-fastlocal");
    (void)state;
    struct fb_segment_file file = write_tiny();
    const struct fb_segment_layout l = file.layout;
    assert_int_equal(fstat(file.fd, &about), 0);
    assert_int_equal(about.st_size, fb_segment_file_bytes(&l));
    assert_true(l.n_segments == 2 && l.segment_blocks <= 64 && l.segment_blocks >= 63);
    assert_int_equal(l.entries_per_block, 10);
    assert_int_equal(fb_segments_open(&file, &errors), FB_OK);
    assert_int_equal(errors, 0);
    for (uint64_t i = 0; i < l.n_segments * l.data_blocks; i++) {
        uint64_t offset = fb_segment_data_offset(&l, i);
        if (i % l.data_blocks == 0) {
            uint64_t at = offset + (l.data_blocks + l.index_blocks) * l.block_bytes;
            assert_int_equal(fb_segment_read(&file, part, l.filter_blocks * l.block_bytes, at),
                             FB_OK);
            assert_int_equal(
                fb_filter_read(design, design->formats, part + 24, l.filter_bytes, &filter, &why),
                FB_OK);
        }
        assert_int_equal(fb_segment_read(&file, block, l.block_bytes, offset), FB_OK);
        assert_true(fb_segment_part_valid(&l, block, l.block_bytes, offset));
        for (uint64_t e = 0; e < l.entries_per_block; e++) {
            const uint8_t *entry = block + 24 + e * 100;
            uint64_t digest;
            assert_int_equal(fb_le32(entry), 8 | 88u << 16);
            assert_int_equal(fb_be64(entry + 4), expected++);
            design->digest(entry + 4, 8, 1, &digest);
            assert_true(filter.kernel->query(&filter, &digest));
        }
        if (i % l.data_blocks == l.data_blocks - 1)
            fb_filter_close(&filter);
    }
    close(file.fd);
}

static void flip(int fd, uint64_t offset)
{
    uint8_t byte;
    assert_int_equal(pread(fd, &byte, 1, (off_t)offset), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)offset), 1);
}

static void damage_is_seen(void **state)
{
    uint8_t block[1024];
    uint64_t errors;
    (void)state;
    struct fb_segment_file file = write_tiny();
    const struct fb_segment_layout l = file.layout;
    const uint64_t data = fb_segment_data_offset(&l, 5), index = l.data_blocks * l.block_bytes,
                   filter = index + l.index_blocks * l.block_bytes,
                   footer = filter + l.filter_blocks * l.block_bytes;
    /* The checksum, the header, an entry, and the padding at the end. */
    const uint64_t places[] = {0, 9, 30, 1023};
    for (size_t i = 0; i < 4; i++) {
        flip(file.fd, data + places[i]);
        assert_int_equal(fb_segment_read(&file, block, l.block_bytes, data), FB_OK);
        assert_false(fb_segment_part_valid(&l, block, l.block_bytes, data));
        flip(file.fd, data + places[i]);
    }
    assert_int_equal(fb_segment_read(&file, block, l.block_bytes, data), FB_OK);
    assert_true(fb_segment_part_valid(&l, block, l.block_bytes, data));
    assert_false(fb_segment_part_valid(&l, block, l.block_bytes, data + l.block_bytes));
    const uint64_t parts[] = {index, filter, footer};
    for (size_t i = 0; i < 3; i++) {
        flip(file.fd, parts[i] + 40);
        assert_int_equal(fb_segments_open(&file, &errors), FB_OK);
        assert_int_equal(errors, 1);
        flip(file.fd, parts[i] + 40);
    }
    assert_int_equal(ftruncate(file.fd, (off_t)footer), 0);
    assert_int_equal(fb_segments_open(&file, &errors), FB_EIO);
    close(file.fd);
}

static void measured(void **state)
{
    (void)state;
    for (int cold = 0; cold < 2; cold++) {
        struct fb_device_file file = tiny;
        struct fb_device device;
        json_t *about;
        bool complete;
        const char *why;
        file.cold = cold;
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
        assert_true(cold || !device.direct);
        assert_true(device.direct == !json_object_get(about, "direct_reason"));
        json_decref(about);
        fb_device_close(&device);
        assert_int_equal(access(path, F_OK), -1);
    }
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

static void refusals(void **state)
{
    struct fb_device_file file = tiny;
    (void)state;
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

static void existing_file_stays(void **state)
{
    char text[8] = "";
    FILE *file = fopen(path, "w+");
    (void)state;
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
static void failing_write(void **state)
{
    struct rlimit old, small = {.rlim_cur = 40000, .rlim_max = RLIM_INFINITY};
    (void)state;
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

static void interrupted(void **state)
{
    struct fb_device device;
    json_t *about;
    bool complete;
    const char *why;
    (void)state;
    fb_interrupt_install();
    raise(SIGINT);
    assert_int_equal(fb_device_measure(&tiny, &device, &about, &complete, &why), FB_OK);
    assert_true(!complete && !about && !device.histogram);
    assert_int_equal(access(path, F_OK), -1);
    fb_interrupt_install(); /* as if not interrupted */
    catch_signals();
}

/* Walks of 1 us; of ten queries five need no read, four one and one three of 100 us. */
static void queries_with_reads(void **state)
{
    static const uint64_t queries[] = {5000000, 4000000, 0, 1000000, 0};
    struct fb_latency *walk = calloc(1, sizeof *walk);
    struct fb_histogram *total = calloc(1, sizeof *total), *slow = calloc(1, sizeof *slow);
    struct fb_device device;
    struct fb_query_reads reads = {.queries = queries, .n = 5, .device = &device, .seed = 1};
    const char *why;
    (void)state;
    fb_histogram_add(&walk->kind[FB_SINGLE_OP_GROSS], 1000000, 1000);
    fb_histogram_add(&walk->kind[FB_TIMER_EMPTY], 30000, 1000);
    assert_true(fb_device_parse("100us", &device, &why));
    assert_int_equal(fb_query_total(&walk->kind[FB_SINGLE_OP_GROSS], &reads, total), FB_OK);
    assert_int_equal(total->n, 1 << 20);
    assert_near(total->sum_ps / (double)total->n / 1e6, 1 + 0.4 * 100 + 0.1 * 300, 0.1);
    assert_near(fb_histogram_quantile(total, 0.49), 1e6, 1e4);
    assert_near(fb_histogram_quantile(total, 0.51), 101e6, 1e6);
    assert_near(fb_histogram_quantile(total, 0.91), 301e6, 3e6);

    /* A measured device adds its own spread. */
    fb_histogram_add(slow, 50000000, 99);
    fb_histogram_add(slow, 2000000000, 1);
    assert_int_equal(fb_device_of_histogram(slow, 1e9, true, &device), FB_OK);
    assert_int_equal(fb_query_total(&walk->kind[FB_SINGLE_OP_GROSS], &reads, total), FB_OK);
    assert_near(total->sum_ps / (double)total->n / 1e6, 1 + 0.7 * (0.99 * 50 + 0.01 * 2000), 1);
    assert_near(fb_histogram_quantile(total, 0.4), 1e6, 1e4);
    assert_true(fb_histogram_quantile(total, 0.999) > 1900000000);

    json_t *list = fb_query_histograms(walk, 1, &reads);
    assert_int_equal(json_array_size(list), 3);
    const json_t *second = json_array_get(list, 1);
    assert_string_equal(json_string_value(json_object_get(second, "kind")), "query_total");
    assert_true(json_is_integer(json_object_get(json_object_get(second, "percentiles"), "p99_99")));
    json_decref(list);
    static const uint64_t none[1];
    reads.queries = none;
    reads.n = 1;
    assert_int_equal(fb_query_total(&walk->kind[FB_SINGLE_OP_GROSS], &reads, total), FB_EINVAL);
    fb_device_close(&device);
    free(walk);
    free(total);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_times),
        cmocka_unit_test(draws),
        cmocka_unit_test(entries_are_sorted),
        cmocka_unit_test(damage_is_seen),
        cmocka_unit_test(measured),
        cmocka_unit_test(refusals),
        cmocka_unit_test(existing_file_stays),
        cmocka_unit_test(failing_write),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(queries_with_reads),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

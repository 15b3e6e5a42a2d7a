/* Counts of reads and scans: their names, and how they add. */
#include "tests/unit.h"

#include <string.h>

#include "harness/tree/read_path.h"

TEST(every_count_has_its_name)
{
    const struct fb_read_counts r = {.queries = 1, .read_false = 2, .memtable_comparisons = 3};
    const struct fb_scan_counts s = {.scans = 1, .io_squares = 2};
    assert_string_equal(fb_read_count_names[0], "queries");
    assert_string_equal(fb_read_count_names[FB_READ_WORDS - 1], "memtable_comparisons");
    assert_int_equal((&r.queries)[FB_READ_WORDS - 1], 3);
    for (size_t i = 0; i < FB_READ_WORDS; i++)
        assert_int_equal(!strcmp(fb_read_count_names[i], "read_false"), (&r.queries)[i] == 2);
    assert_string_equal(fb_scan_count_names[0], "scans");
    assert_string_equal(fb_scan_count_names[FB_SCAN_WORDS - 1], "io_squares");
    assert_int_equal((&s.scans)[FB_SCAN_WORDS - 1], 2);
}

TEST(counts_add)
{
    closed_by(fb_read_counts_close) struct fb_read_counts sum = {0}, one, other;
    assert_int_equal(fb_read_counts_open(3, &one), FB_OK);
    one.queries = 2;
    one.memtable_comparisons = 5;
    one.asked_histogram[FB_READ_BINS - 1] = 1;
    one.io_histogram[0] = 7;
    one.run[2] = (struct fb_run_counts){1, 2, 3, 4};
    assert_int_equal(fb_read_counts_add(&sum, &one), FB_OK);
    assert_int_equal(fb_read_counts_add(&sum, &one), FB_OK);
    assert_true(sum.n_runs == 3 && sum.queries == 4 && sum.memtable_comparisons == 10);
    assert_true(sum.asked_histogram[FB_READ_BINS - 1] == 2 && sum.io_histogram[0] == 14);
    assert_true(sum.run[2].reached == 2 && sum.run[2].held == 8 && sum.run[1].asked == 0);
    assert_int_equal(fb_read_counts_open(2, &other), FB_OK);
    assert_int_equal(fb_read_counts_add(&sum, &other), FB_EINVAL);
    sum.read_found = 1, sum.read_false = 10, sum.read_tombstone = 100;
    sum.read_index = 1000, sum.read_filter = 10000;
    assert_int_equal(fb_read_total(&sum), 11111);
}

TESTS(NULL, NULL)

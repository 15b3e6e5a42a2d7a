/*
 * The theory of a walk is a forecast: it stands before a tree is built, agrees with the walk over a
 * right tree, and not with one that wrongly skips an eighth of the tables.
 */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/kind/claims/procedure/grove.h"
#include "harness/tree/read_path.h"

#define FLAT "\"tree\": {\"style\": \"flat\", \"runs\": 48, \"n\": 48000, \"segment_keys\": 250}"
#define LEVELED                                                                                    \
    "\"tree\": {\"style\": \"leveled\", \"levels\": 4, \"l0\": 5, \"ratio\": 3, "                  \
    "\"segment_keys\": 400}"
#define FILTER "\"design\": \"bloom-double\", \"bits_per_key\": 5"
enum { QUERIES = 50000 };

static json_t *arguments(const char *format, const char *more)
{
    char text[400];
    snprintf(text, sizeof text, "{%s, " FILTER ", %s}", format, more);
    json_t *args = json_loads(text, 0, NULL);
    assert_non_null(args);
    return args;
}

/* The counts of a walk, in which the runs 7, 15, 23, ... answer that nothing is in their range. */
static void count(struct fb_bench *bench, const json_t *args, bool skip_an_eighth,
                  struct fb_read_counts *counts)
{
    const struct fb_read_spec read = {.block_bytes = 4096,
                                      .entry_bytes = FB_CLAIM_ENTRY_BYTES,
                                      .index_entry_bytes = 24,
                                      .filters = FB_PINNED,
                                      .index = FB_PINNED};
    closed_by(fb_grove_close) struct fb_grove grove;
    bool complete;
    fb_grove_open(bench, args, "random", QUERIES, &grove);
    assert_int_equal(bench->err, FB_OK);
    for (size_t r = 7; skip_an_eighth && r < grove.tree.n_runs; r += 8)
        grove.tree.runs[r].high = grove.tree.runs[r].low;
    const struct fb_ask ask = {.forest = &grove.forest, .queries = &grove.queries, .n = QUERIES};
    assert_int_equal(fb_read_path_count(&ask, &read, counts, &complete), FB_OK);
    assert_true(complete);
}

/* Standard errors between theory and count: of the filters asked, and of the reads. */
struct distance {
    double asked, io;
};

static struct distance distance_of(const char *tree, const char *more, bool skip_an_eighth)
{
    json_auto_t *args = arguments(tree, more);
    closed_by(fb_bench_close) struct fb_bench bench = {.root = 0x5eed};
    struct fb_walk_theory t;
    closed_by(fb_read_counts_close) struct fb_read_counts c;
    fb_walk_theory(&bench, args, &t);
    assert_int_equal(bench.err, FB_OK);
    count(&bench, args, skip_an_eighth, &c);
    const double n = (double)c.queries, spread = t.f_noise * (t.expected.io - (1 - t.absent));
    const double runs = (double)t.n_runs;
    struct distance d = {
        .asked = ((double)c.asked / n - t.expected.asked) /
                 hypot(t.range_sd, sqrt((t.absent < 1 ? runs * runs : t.range_variance) / n)),
        .io = ((double)fb_read_total(&c) / n - t.expected.io) /
              hypot(spread, sqrt(t.expected.io_variance / n)),
    };
    return d;
}

static const char absent[] = "\"absent\": 1", mixed[] = "\"absent\": 0.5",
                  last[] = "\"absent\": 0.2, \"holder\": \"last\"",
                  level[] = "\"absent\": 0, \"holder\": \"level:2\"";

TEST(agrees_with_a_right_walk)
{
    static const char *const streams[] = {absent, mixed, last, level};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        const struct distance d = distance_of(LEVELED, streams[i], false);
        if (!(fabs(d.asked) < 4) || !(fabs(d.io) < 4))
            fail_msg("%s: %.1f, %.1f", streams[i], d.asked, d.io);
    }
    const struct distance flat = distance_of(FLAT, absent, false);
    assert_true(fabs(flat.asked) < 4 && fabs(flat.io) < 4);
}

TEST(disagrees_where_an_eighth_of_the_tables_is_skipped)
{
    const struct distance d = distance_of(FLAT, absent, true), p = distance_of(FLAT, mixed, true);
    assert_true(d.asked < -100 && d.io < -20);
    assert_true(p.io < -20);
}

/* No run of the tree, no filter and no query is there when a bench predicts: the same numbers come
 * out of a key space that could not be built. */
TEST(prediction_builds_nothing)
{
    static const char big[] = "\"tree\": {\"style\": \"leveled\", \"levels\": 6, \"l0\": 4, "
                              "\"ratio\": 10, \"segment_keys\": 4000000}";
    closed_by(fb_bench_close) struct fb_bench bench = {.phase = FB_PREDICT};
    struct fb_finding found;
    json_auto_t *args = arguments(big, "\"absent\": 1, \"report\": \"asked\"");
    assert_int_equal(fb_procedure_run("walk", &bench, args, &found), FB_OK);
    assert_int_equal(found.n, 1);
    assert_near(found.theory[0], 4 + 5, 1e-4);
}

TEST(ranges_leave_the_gaps_out)
{
    struct fb_bench bench = {0};
    struct fb_walk_theory t;
    json_t *args = arguments("\"tree\": {\"style\": \"flat\", \"runs\": 2, \"n\": 18, "
                             "\"segment_keys\": 3}",
                             absent);
    fb_walk_theory(&bench, args, &t);
    assert_int_equal(bench.err, FB_OK);
    assert_int_equal(t.n_runs, 2);
    assert_near(t.expected.asked, 2 * (9.0 - 3) / (9 + 1), 1e-12); /* 9 keys in 3 segments */
    assert_near(t.range_variance, 2 * 0.6 * 0.4, 1e-12);
    assert_near(t.range_sd, sqrt(2 * 0.6 * 0.4 / 11), 1e-12);
    json_decref(args);
    args = arguments(FLAT, "\"absent\": 0, \"holder\": \"recent\"");
    fb_walk_theory(&bench, args, &t);
    assert_int_equal(bench.err, FB_EUNSUPPORTED);
    json_decref(args);
}

TESTS(NULL, NULL)

/* What the read path counts against the formulas of expectation.h. */
#include "tests/tree/scene.h"

#include "harness/store/expectation.h"

/* Rates of each run, measured on another stream of absent keys. */
static void measure_runs(struct scene *s, uint64_t n, struct fb_expected_run *runs)
{
    const struct fb_query_spec absent = {.absent = 1};
    closed_by(fb_read_counts_close) struct fb_read_counts c;
    bool complete;
    double share[FB_MAX_RUNS];
    scene_ask(s, &absent, 77);
    const struct fb_ask ask = scene_queries(s, 0, n, 2);
    assert_int_equal(fb_read_path_count(&ask, &uncached, &c, &complete), FB_OK);
    for (size_t r = 0; r < s->tree.n_runs; r++)
        runs[r] = (struct fb_expected_run){
            .f = c.run[r].asked ? (double)c.run[r].wrong / (double)c.run[r].asked : 0,
            .r = (double)c.run[r].asked / (double)n,
            .memtable = s->tree.runs[r].memtable};
    fb_queries_close(&s->queries);
    const struct fb_query_spec mostly_absent = {.absent = 0.9, .holder = FB_PROPORTIONAL};
    scene_ask(s, &mostly_absent, 78);
    fb_queries_shares(&s->queries, share);
    for (size_t r = 0; r < s->tree.n_runs; r++)
        runs[r].pi = share[r];
}

TEST(agrees_with_the_formulas)
{
    static const struct {
        const char *design;
        double bits, last;
    } cases[] = {
        {"bloom-independent", 10, 10}, {"rocksdb-fastlocal", 12, 6}, {"sbbf-512-lanes", 8, 8}};
    struct fb_tree_shape shape = small;
    shape.segment_bytes = 124 * 20;
    shape.ratio = 10;
    shape.levels = 5;
    shape.l0 = 4;
    shape.fill = 0.05;
    shape.updates = 0;
    shape.memtables = 1;
    shape.memtable_keys = 200;
    const uint64_t n = 60000;
    for (size_t i = 0; i < 3; i++) {
        closed_by(scene_close) struct scene s;
        struct fb_expected_run runs[FB_MAX_RUNS];
        struct fb_expectation e, absent;
        closed_by(fb_read_counts_close) struct fb_read_counts c;
        bool complete;
        scene_open(&s, &shape, 0, cases[i].design, cases[i].bits, cases[i].last);
        assert_int_equal(s.tree.n_runs, 1 + 4 + 4);
        measure_runs(&s, n, runs);
        fb_expect(runs, s.tree.n_runs, 0.9, &e);
        fb_expect(runs, s.tree.n_runs, 1, &absent);
        const struct fb_ask ask = scene_queries(&s, 0, n, 2);
        assert_int_equal(fb_read_path_count(&ask, &uncached, &c, &complete), FB_OK);
        double io = (double)fb_read_total(&c) / (double)n;
        double any = (double)c.any_false / (double)c.absent, asked = 0;
        for (size_t r = 0; r < s.tree.n_runs; r++)
            asked += (double)c.run[r].asked / (double)n;
        assert_near(io, e.io, 4 * sqrt((e.io_variance + absent.io_variance) / (double)n));
        assert_near(any, e.any_false, 6 * sqrt(any * (1 - any) / (double)c.absent) + 1e-12);
        assert_near(asked, e.asked, 0.03);
    }
}

TESTS(NULL, NULL)

/* Sizes of the filters of a tree: what each run is asked for, how many keys its filters have, and
 * whether those of a scaled tree may be ranked. */
#include "tests/kind/lsm/lsm_documents.h"

#include <stdlib.h>

#include "harness/base/parallel.h"
#include "harness/kind/lsm/experiment.h"
#include "harness/kind/lsm/report/report.h"

enum { RUNS = 3 };

/* Runs of 100, 400 and 1600 keys in levels 0 to 2, each a file. */
static struct fb_tree three_runs(struct fb_run runs[RUNS])
{
    for (unsigned i = 0, n = 100; i < RUNS; i++, n *= 4)
        runs[i] = (struct fb_run){
            .level = i, .n_keys = n, .n_own = n, .n_segments = 1, .units_per_segment = 1};
    return (struct fb_tree){
        .runs = runs, .n_runs = RUNS, .n_levels = RUNS, .unit_keys = 1600, .whole_unit_keys = 1600};
}

/* Half of the queries are for keys that are there: a fifth of them in the newest run, three tenths
 * in the next. The newest is asked in vain by the absent half and by eight tenths of the others. */
TEST(memory_is_split_by_queries_in_vain)
{
    static const double share[RUNS] = {0.2, 0.3, 0.5}, weight[RUNS] = {0.9, 0.75, 0.5};
    static const enum fb_allocation allocations[] = {FB_ALLOC_MONKEY, FB_ALLOC_OPTIMAL};
    struct fb_run runs[RUNS];
    const struct fb_tree tree = three_runs(runs);
    for (size_t i = 0; i < 2; i++) {
        const struct fb_lsm_filter filter = {.design = fb_design_find("bloom-independent"),
                                             .sizing = FB_LSM_BITS,
                                             .size = 6,
                                             .allocation = allocations[i]};
        struct fb_allocation_run split[RUNS];
        struct fb_params params[RUNS];
        struct fb_lsm e = {0};
        const char *why = NULL;
        for (size_t r = 0; r < RUNS; r++)
            split[r] = (struct fb_allocation_run){.n_keys = runs[r].n_keys,
                                                  .unit_keys = runs[r].n_keys,
                                                  .weight = weight[r],
                                                  .last = r == RUNS - 1};
        assert_int_equal(fb_allocate(allocations[i], filter.design, 6, split, RUNS, &why), FB_OK);
        assert_int_equal(fb_lsm_params(&e, &filter, &tree, 0.5, share, params, &why), FB_OK);
        for (size_t r = 0; r < RUNS; r++)
            assert_near(params[r].bits_per_key, split[r].bits, 1e-9);
    }
}

/* The last number of bits is that of all levels below. */
TEST(bits_by_level)
{
    static const double bits[] = {16, 12, 8, 8, 8};
    closed_by(fb_lsm_close) struct fb_lsm e = resolved("{\"run_bits\": [16, 12, 8]}");
    for (unsigned level = 0; level < 5; level++)
        assert_near(fb_lsm_params_of_level(&e, e.filters, level).bits_per_key, bits[level], 0);
}

/* 2 keys where 3 are meant, and 10 at scale 1: 6.67. */
TEST(keys_at_scale_1_are_rounded)
{
    struct fb_run run = {.n_keys = 8, .n_segments = 4, .units_per_segment = 1};
    const struct fb_tree tree = {.unit_keys = 3, .whole_unit_keys = 10};
    assert_int_equal(fb_lsm_sizes(&tree, &run).scaled, 2);
    assert_int_equal(fb_lsm_sizes(&tree, &run).unscaled, 7);
    run.memtable = true;
    assert_int_equal(fb_lsm_sizes(&tree, &run).unscaled, 2);
}

/* One filter of 100 keys and nine of 50. */
TEST(means_are_over_filters)
{
    json_auto_t *cell =
        parsed("{\"design\": \"bloom-double\", \"unscaled\": [null, null], \"runs\": ["
               "{\"keys\": 100, \"units\": 1, \"probes\": 7, \"bits_asked\": 10, "
               "\"unscaled_unit_keys\": 200},"
               "{\"keys\": 450, \"units\": 9, \"probes\": 7, \"bits_asked\": 10, "
               "\"unscaled_unit_keys\": 100}]}");
    json_auto_t *per = fb_lsm_per_filter(cell);
    assert_near(fb_json_num(per, "keys"), 55, 1e-9);
    assert_near(fb_json_num(per, "unscaled_keys"), 110, 1e-9);
}

/* Equal rates of 1 %: within 1 % of each other where a million false positives say so, and not
 * where a hundred do. */
TEST(noise_keeps_a_filter_from_ranking)
{
    static const struct {
        json_int_t asked, wrong;
        bool ranked;
    } rows[] = {{10000, 100, false}, {1000000, 10000, false}, {100000000, 1000000, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_auto_t *cell = json_pack(
            "{s:s, s:[{s:i, s:i, s:i, s:f, s:i}], s:[{s:{s:I, s:I}, s:{s:I, s:I}}]}", "design",
            "leveldb", "runs", "keys", 100, "units", 1, "probes", 7, "bits_asked", 10.0,
            "unscaled_unit_keys", 1000, "unscaled", "scaled", "asked", rows[i].asked, "false",
            rows[i].wrong, "unscaled", "asked", rows[i].asked, "false", rows[i].wrong);
        assert_non_null(cell);
        json_auto_t *per = fb_lsm_per_filter(cell);
        assert_int_equal(json_is_true(json_object_get(per, "ranked")), rows[i].ranked);
        assert_near(fb_json_num(per, "rate"), 0.01, 1e-12);
        assert_near(fb_json_num(per, "unscaled_rate"), 0.01, 1e-12);
    }
}

/* Two runs of level 0 and a memtable, which has no filter. A cache is one for all queries, so one
 * core asks them. */
TEST(what_a_cell_takes)
{
    closed_by(fb_lsm_close) struct fb_lsm e =
        resolved("{\"bits_per_key\": 10, \"designs\": [\"nori\"], \"levels\": 1, "
                 "\"l0\": 2, \"segment_bytes\": 148000, \"memtables\": 1, "
                 "\"memtable_keys\": 500, \"cache_bytes\": [0, 65536]}");
    struct fb_lsm_demand demand[2];
    struct fb_problem problem;
    size_t n;
    auto_free struct fb_lsm_cell *cells = fb_lsm_cells(&e, &n);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < n; i++)
        assert_true(fb_lsm_demand(&e, &cells[i], &demand[i], &problem));
    assert_int_equal(demand[0].n_keys, 2 * 1000 + 500);
    assert_int_equal(demand[0].filter_keys, 2500 / 2);
    assert_near(demand[1].count_s / demand[0].count_s, fb_parallel_cores(), 1e-9);
}

TESTS(NULL, NULL)

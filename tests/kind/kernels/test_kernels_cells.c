/* Which cells an experiment of kind "kernels" has, their yardsticks, and their filters. */
#include "tests/kind/kernels/kernels_plan.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static size_t find(const struct fb_kernels_grid *grid, const char *id)
{
    for (size_t i = 0; i < grid->job.n_cells; i++)
        if (!strncmp(grid->id[i], id, strlen(id)))
            return i;
    fail_msg("no cell %s", id);
    return 0;
}

static bool skipped(const struct fb_kernels_grid *grid, const char *id)
{
    size_t i;
    json_t *row;
    json_array_foreach(grid->skipped, i, row) {
        if (!strcmp(json_string_value(json_object_get(row, "id")), id))
            return true;
    }
    return false;
}

static void test_cells_and_their_yardsticks(void **state)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    (void)state;
    plan("{\"kind\": \"kernels\", \"designs\": [\"all\"], \"operations\": \"all\", "
         "\"hit_ratios\": [0, 0.5, 1], \"isas\": \"all\", \"styles\": \"all\"}",
         UINT64_MAX, &e, &grid);
    for (size_t i = 0; i < grid.job.n_cells; i++) {
        const struct fb_timing_cell *cell = &grid.job.cells[i];
        const struct fb_timing_filter *filter = &grid.job.filters[cell->filter];
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(grid.id[i], grid.id[j]);
        assert_true(fb_cpu_has(fb_design_at(cell->design)->kernels[cell->kernel]->isa));
        bool synthetic =
            cell->footprint == FB_FOOT_DRAM && filter->geom.n_bits && !filter->geom.n_blocks;
        assert_int_equal(filter->synthetic_fill, synthetic); /* blocks: present keys are asked */
        assert_true(!synthetic || cell->hit_ratio <= 0);
        if (cell->yardstick < 0)
            continue;
        const struct fb_timing_cell *yardstick = &grid.job.cells[cell->yardstick];
        assert_int_equal(yardstick->footprint, cell->footprint);
        assert_int_equal(yardstick->yardstick, -1);
        assert_int_equal(yardstick->operation == FB_OP_CHAIN, cell->operation == FB_OP_CHAIN);
        assert_string_equal(fb_design_at(yardstick->design)->name,
                            filter->geom.block_bits == 256 ? "touch-32" : "touch-64");
    }
    find(&grid, "sbbf-256/L1/batch/absent/scalar-");
    find(&grid, "sbbf-256/DRAM/each/hits=0.5/scalar-");
    find(&grid, "sbbf-256/DRAM/chain/present/scalar-");
    find(&grid, "nori/DRAM/insert/scalar-");
    assert_true(skipped(&grid, "nori/DRAM/batch"));
    assert_true(skipped(&grid, "exact/L1"));
    unplan(&e, &grid);
}

static double share_of_ones(const struct fb_timing_filter *f)
{
    uint8_t bytes[4096];
    size_t ones = 0;
    assert_int_equal(pread(f->fd, bytes, sizeof bytes, 8192), sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        ones += (size_t)__builtin_popcount(bytes[i]);
    return (double)ones / (8 * sizeof bytes);
}

static void test_random_bits_beyond_the_caches(void **state)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    const char *why = NULL;
    (void)state;
    plan("{\"kind\": \"kernels\", \"designs\": [\"sbbf-256\", \"nori\"], \"footprints\": [\"L3\", "
         "\"DRAM\"], \"bits_per_key\": [1, 10]}",
         UINT64_MAX, &e, &grid);
    assert_int_equal(fb_timing_build(&grid.job, 2, NULL, &why), FB_OK);
    const struct fb_timing_cell *cells = grid.job.cells;
    const struct fb_timing_filter *filters = grid.job.filters,
                                  *full =
                                      &filters[cells[find(&grid, "sbbf-256/DRAM/bpk=1/")].filter],
                                  *nori = &filters[cells[find(&grid, "nori/DRAM/bpk=10/")].filter];
    assert_true(full->synthetic_fill && nori->synthetic_fill);
    assert_false(filters[cells[find(&grid, "sbbf-256/L3/bpk=1/")].filter].synthetic_fill);
    assert_true(share_of_ones(full) > 0.98); /* 8 bits set for each bit that there is */
    assert_true(fabs(share_of_ones(nori) - (1 - exp(-0.7))) < 0.02);
    unplan(&e, &grid);
}

static void test_footprints_shrink_to_a_bound_or_are_left_out(void **state)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    struct fb_footprints bound = {.caches = {.l1d_bytes = 100, .l2_bytes = 1000, .l3_bytes = 10000},
                                  .bytes = {50, 500, 5000, 40000}};
    (void)state;
    fb_footprints_bound(&bound, 2000);
    assert_int_equal(bound.bytes[FB_FOOT_L1], 50);
    assert_int_equal(bound.bytes[FB_FOOT_L2], 500);
    assert_int_equal(bound.bytes[FB_FOOT_L3], 2000);
    assert_int_equal(bound.bytes[FB_FOOT_DRAM], 0); /* it would lie in L3 */
    plan("{\"kind\": \"kernels\", \"designs\": [\"nori\"], \"most_bytes\": 20000}", UINT64_MAX, &e,
         &grid);
    assert_true(skipped(&grid, "all/L2"));
    for (size_t i = 0; i < grid.job.n_filters; i++)
        assert_true(grid.job.filters[i].geom.n_bytes <= 20064);
    unplan(&e, &grid);
}

static void test_detected_footprints_grow(void **state)
{
    struct fb_footprints f;
    (void)state;
    fb_footprints_detect(&f);
    for (int i = 1; i < FB_N_FOOTPRINTS; i++)
        assert_true(f.bytes[i] > f.bytes[i - 1]);
    assert_true(f.bytes[FB_FOOT_L3] <= f.caches.l3_bytes / 2 &&
                f.bytes[FB_FOOT_DRAM] > f.caches.l3_bytes);
}

static void test_what_memory_cannot_hold_is_skipped(void **state)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    (void)state;
    plan("{\"kind\": \"kernels\", \"designs\": [\"nori\"], \"footprints\": [\"L1\", \"DRAM\"]}",
         100000, &e, &grid);
    find(&grid, "nori/L1/batch/absent/");
    assert_true(skipped(&grid, "nori/DRAM"));
    unplan(&e, &grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_and_their_yardsticks),
        cmocka_unit_test(test_random_bits_beyond_the_caches),
        cmocka_unit_test(test_footprints_shrink_to_a_bound_or_are_left_out),
        cmocka_unit_test(test_detected_footprints_grow),
        cmocka_unit_test(test_what_memory_cannot_hold_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

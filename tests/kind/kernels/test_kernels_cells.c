/* Which cells an experiment of kind "kernels" has, their yardsticks, and their filters. */
#include "tests/kind/kernels/kernels_plan.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "harness/filter/inline_loop.h"
#include "harness/filter/timed.h"
#include "workloads/core/rng.h"

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

TEST(cells_and_their_yardsticks)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    plan("{\"kind\": \"kernels\", \"designs\": [\"all\"], \"operations\": \"all\", "
         "\"hit_ratios\": [0, 0.5, 1], \"isas\": \"all\", \"styles\": \"all\"}",
         UINT64_MAX, &e, &grid);
    for (size_t i = 0; i < grid.job.n_cells; i++) {
        const struct fb_timing_cell *cell = &grid.job.cells[i];
        const struct fb_timing_filter *filter = &grid.job.filters[cell->filter];
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(grid.id[i], grid.id[j]);
        assert_true(fb_cpu_has(fb_design_at(cell->design)->kernels[cell->kernel]->isa));
        const struct fb_design *design = fb_design_at(cell->design);
        bool synthetic = cell->footprint == FB_FOOT_DRAM && filter->geom.n_bits &&
                         !filter->geom.n_blocks && fb_design_random_stands(design) &&
                         !fb_operation_removes((enum fb_operation)cell->operation);
        assert_int_equal(filter->synthetic_fill, synthetic); /* blocks: present keys are asked */
        assert_true(!synthetic || cell->hit_ratio <= 0);
        if (cell->yardstick < 0 || fb_operation_has_peer((enum fb_operation)cell->operation))
            continue;
        const struct fb_timing_cell *yardstick = &grid.job.cells[cell->yardstick];
        assert_int_equal(yardstick->footprint, cell->footprint);
        assert_int_equal(yardstick->yardstick, -1);
        assert_int_equal(yardstick->operation == FB_OP_CHAIN, cell->operation == FB_OP_CHAIN);
        assert_int_equal(yardstick->operation == FB_OP_INSERT, cell->operation == FB_OP_INSERT);
        assert_string_equal(fb_design_at(yardstick->design)->name,
                            fb_yardstick_find(design->name) < FB_N_YARDSTICKS ? design->name
                            : filter->geom.block_bits == 256                  ? "touch-32"
                            : filter->geom.block_bits == 512                  ? "touch-64"
                                                                              : "fetch");
        assert_int_not_equal(cell->operation, FB_OP_PLAIN); /* only by its name */
    }
    find(&grid, "touch-32/L1/batch/absent/fastest");
    find(&grid, "fetch/DRAM/chain/absent/fastest");
    find(&grid, "sbbf-256/L1/batch/absent/scalar-");
    find(&grid, "sbbf-256/DRAM/each/hits=0.5/scalar-");
    find(&grid, "sbbf-256/DRAM/chain/present/scalar-");
    find(&grid, "nori/DRAM/insert/scalar-");
    assert_true(skipped(&grid, "nori/DRAM/batch"));
    unplan(&e, &grid);
}

/* Nothing is asked of the design. */
TEST(plain_loops_stand_beside_the_yardsticks)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    size_t n[FB_N_YARDSTICKS] = {0};
    plan("{\"kind\": \"kernels\", \"designs\": [\"sbbf-256\"], \"footprints\": [\"L1\"], "
         "\"operations\": [\"plain\"]}",
         UINT64_MAX, &e, &grid);
    for (size_t i = 0; i < grid.job.n_cells; i++) {
        const struct fb_timing_cell *cell = &grid.job.cells[i];
        const enum fb_yardstick which = fb_yardstick_find(fb_design_at(cell->design)->name);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(grid.id[i], grid.id[j]);
        assert_true(which < FB_N_YARDSTICKS || cell->yardstick < 0);
        if (cell->operation != FB_OP_PLAIN)
            continue;
        n[which]++;
        assert_true(cell->aside);
        assert_string_equal(fb_design_at(grid.job.cells[cell->yardstick].design)->name,
                            fb_yardstick_name(which));
    }
    assert_true(n[FB_YARD_TOUCH_32] >= 11 && n[FB_YARD_TOUCH_64] == n[FB_YARD_TOUCH_32]);
    assert_true(n[FB_YARD_FETCH] >= n[FB_YARD_TOUCH_64]);
    find(&grid, "touch-64/L1/plain/absent/scalar-T1-64");
    unplan(&e, &grid);
}

/* A header's loop is held to the peer's of its instruction set, once whatever the styles. */
TEST(headers_stand_beside_peers)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    size_t n = 0;
    plan("{\"kind\": \"kernels\", \"designs\": [\"sbbf-256\", \"nori\", \"fuse-8\", \"quotient\"], "
         "\"footprints\": [\"L1\"], \"operations\": [\"inline\", \"insert-inline\", "
         "\"build-peer\"], "
         "\"hit_ratios\": [0, 1], \"isas\": \"all\", \"styles\": \"all\"}",
         UINT64_MAX, &e, &grid);
    for (size_t i = 0; i < grid.job.n_cells; i++) {
        const struct fb_timing_cell *cell = &grid.job.cells[i];
        const char *design = fb_design_at(cell->design)->name;
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(grid.id[i], grid.id[j]);
        if (!fb_operation_has_peer((enum fb_operation)cell->operation))
            continue;
        assert_int_equal(cell->loop == FB_INLINE_PEER, cell->yardstick < 0);
        assert_false(cell->family);
        if (cell->yardstick < 0)
            continue;
        const struct fb_timing_cell *peer = &grid.job.cells[cell->yardstick];
        assert_int_equal(peer->operation, cell->operation);
        assert_int_equal(peer->design, cell->design);
        assert_int_equal(peer->kernel, cell->kernel);
        assert_near(peer->hit_ratio, cell->hit_ratio, 0);
        const bool spoils = !strcmp(design, "nori") && cell->operation == FB_OP_INSERT_INLINE;
        assert_int_equal(peer->filter != cell->filter, spoils);
        n++;
    }
    /* A header and a batch: lookups of absent and of present keys, and inserts, but for fuse-8,
     * whose build has a peer. */
    const size_t sets = (size_t)1 + fb_cpu_has(FB_ISA_AVX2) + fb_cpu_has(FB_ISA_AVX512);
    assert_int_equal(n, sets * 16 + 1);
    find(&grid, "nori/L1/inline/absent/");
    find(&grid, "sbbf-256/L1/insert-inline/");
    assert_true(skipped(&grid, "fuse-8/L1/insert-inline"));
    find(&grid, "fuse-8/L1/build-peer/");
    assert_true(skipped(&grid, "nori/L1/build-peer"));
    assert_true(skipped(&grid, "quotient/L1/inline"));
    unplan(&e, &grid);
}

/* A size by rate has the keys that the classic formula gives the footprint, 9.585 bits each at 1 %,
 * and a design of bits the fewest that reach it. The atomic kernel is the best of none. */
TEST(sizes_by_rate)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    plan("{\"kind\": \"kernels\", \"designs\": [\"bloom-double\", \"sbbf-512\"], "
         "\"footprints\": [\"L1\"], \"bits_per_key\": [], \"fpr\": [0.01]}",
         UINT64_MAX, &e, &grid);
    for (size_t i = 0; i < grid.job.n_cells; i++) {
        const struct fb_timing_cell *cell = &grid.job.cells[i];
        const struct fb_timing_filter *f = &grid.job.filters[cell->filter];
        const struct fb_design *design = fb_design_at(cell->design);
        assert_false(design->kernels[cell->kernel]->concurrent_add);
        if (design->traits & FB_CONTROL)
            continue;
        assert_near((double)f->n_keys, 12500 * 8 / 9.585, 1);
        const double rate = design->fpr(&f->geom, f->n_keys);
        assert_true(rate <= 0.01 && rate > 0.0095);
    }
    find(&grid, "bloom-double/L1/");
    find(&grid, "sbbf-512/L1/");
    unplan(&e, &grid);
}

/* 2^22 keys of ten bits each are built, eight more are not. */
TEST(builds_of_many_keys_are_skipped)
{
    const uint64_t most = (UINT64_C(1) << 22) * 10 / 8;
    for (uint64_t more = 0; more <= 10; more += 10) {
        struct fb_kernels e;
        struct fb_kernels_machine machine;
        struct fb_kernels_grid grid;
        struct fb_problem problem;
        json_auto_t *document = parsed("{\"kind\": \"kernels\", \"designs\": [\"sbbf-256\"], "
                                       "\"footprints\": [\"L1\"], \"operations\": [\"build\"]}");
        assert_true(fb_kernels_resolve(document, &e, &problem));
        fb_kernels_machine_detect(&machine);
        machine.footprints = small;
        machine.footprints.bytes[FB_FOOT_L1] = most + more;
        machine.memory_bytes = UINT64_MAX;
        assert_int_equal(fb_kernels_plan(&e, &machine, &grid), FB_OK);
        assert_int_equal(skipped(&grid, "sbbf-256/L1/build"), more > 0);
        unplan(&e, &grid);
    }
}

/* What writes: to a filter of its own where that holds other keys afterwards. */
TEST(cells_that_write)
{
    static const struct {
        const char *id;
        bool own_filter;
    } there[] = {
        {"nori/L1/insert/", false},    {"nori/L1/build/", false},     {"exact/L1/build/", false},
        {"xor-toy/L1/build/", false},  {"cuckoo-8/L1/build/", false}, {"cuckoo-8/L1/insert/", true},
        {"cuckoo-8/L1/remove/", true},
    };
    static const char *const not_there[] = {"nori/L1/remove", "xor-toy/L1/insert",
                                            "exact/L1/insert", "xor-toy/L1/remove",
                                            "key-set/L1/insert"};
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    const char *why = NULL;
    plan("{\"kind\": \"kernels\", \"designs\": [\"nori\", \"exact\", \"xor-toy\", \"cuckoo-8\", "
         "\"key-set\"], \"footprints\": [\"L1\"], \"operations\": \"all\"}",
         UINT64_MAX, &e, &grid);
    assert_int_equal(fb_timing_build(&grid.job, 2, NULL, &why), FB_OK);
    for (size_t i = 0; i < sizeof there / sizeof *there; i++) {
        const size_t cell = find(&grid, there[i].id);
        const uint32_t filter = grid.job.cells[cell].filter;
        size_t shared = 0;
        for (size_t j = 0; j < grid.job.n_cells; j++)
            shared += grid.job.cells[j].filter == filter;
        assert_int_equal(shared == 1, there[i].own_filter);
        assert_int_equal(grid.job.filters[filter].n_keys,
                         10000 - (there[i].own_filter ? FB_DIGEST_WORDS : 0));
    }
    for (size_t i = 0; i < sizeof not_there / sizeof *not_there; i++)
        assert_true(skipped(&grid, not_there[i]));
    assert_false(skipped(&grid, "null/L1/remove")); /* not asked for */
    unplan(&e, &grid);
}

/* A block that went in, or out, is taken back before the next. */
TEST(writes_are_taken_back)
{
    static const char *const ids[] = {"cuckoo-8/L1/insert/", "cuckoo-8/L1/remove/"};
    static uint64_t digests[FB_DIGEST_WORDS];
    static uint8_t maybe[FB_DIGEST_WORDS], bytes[1 << 15] __attribute__((aligned(64)));
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    const char *why = NULL;
    plan("{\"kind\": \"kernels\", \"designs\": [\"cuckoo-8\"], \"footprints\": [\"L1\"], "
         "\"operations\": \"all\"}",
         UINT64_MAX, &e, &grid);
    assert_int_equal(fb_timing_build(&grid.job, 2, NULL, &why), FB_OK);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const struct fb_timing_cell *cell = &grid.job.cells[find(&grid, ids[i])];
        const struct fb_timing_filter *spec = &grid.job.filters[cell->filter];
        struct fb_timed t = fb_timed_make(cell, spec, bytes, digests, maybe);
        const struct fb_candidate candidate = fb_timed_candidate(&t);
        const bool removes = cell->operation == FB_OP_REMOVE;
        assert_true(spec->geom.n_bytes <= sizeof bytes);
        assert_int_equal(pread(spec->fd, bytes, spec->geom.n_bytes, 0), spec->geom.n_bytes);
        const size_t full = count_prints(bytes, spec);
        assert_int_equal(full, spec->n_keys);
        for (uint64_t block = 0; block < 50; block++) {
            candidate.prepare(&t, block);
            assert_int_equal(count_prints(bytes, spec), full);
            candidate.run(&t);
            assert_int_equal(count_prints(bytes, spec), removes ? full - t.n : full + t.n);
        }
    }
    unplan(&e, &grid);
}

/* A walk holds the keys that its filters were given, each in its own, and is timed beside the same
 * walk over lines. */
static void check_walk(const struct fb_kernels_grid *grid, size_t i)
{
    enum { RUNS = 8 };
    static uint64_t digests[FB_DIGEST_WORDS];
    static uint8_t maybe[FB_DIGEST_WORDS], bytes[1 << 15] __attribute__((aligned(64)));
    const struct fb_timing_cell *cell = &grid->job.cells[i];
    const struct fb_timing_filter *spec = &grid->job.filters[cell->filter];
    const bool yardstick = fb_design_at(cell->design)->traits & FB_CONTROL;
    const size_t size = fb_timing_bytes(spec), words = spec->geom.digest_words;
    assert_int_equal(cell->yardstick < 0, yardstick);
    if (!yardstick) {
        const struct fb_timing_cell *to = &grid->job.cells[cell->yardstick];
        assert_int_equal(to->operation, cell->operation);
        assert_int_equal(to->runs, RUNS);
        assert_string_equal(fb_design_at(to->design)->name,
                            fb_yardstick_name(fb_yardstick_of(&spec->geom)));
    }
    assert_near((double)size, 12500, RUNS * 64);
    assert_int_equal(pread(spec->fd, bytes, size, 0), (ssize_t)size);
    closed_by(fb_timed_close) struct fb_timed t = fb_timed_make(cell, spec, bytes, digests, maybe);
    const struct fb_candidate candidate = fb_timed_candidate(&t);
    assert_false(t.short_of_memory);
    assert_true(t.n == FB_WALKED_KEYS);
    candidate.prepare(&t, 0);
    candidate.run(&t);
    for (size_t key = 0; key < RUNS * spec->n_keys; key += 97) {
        for (size_t w = 0; w < words; w++)
            digests[w] = fb_mix64(spec->stream + (key * words + w) * FB_GOLDEN64);
        const uint64_t yes = fb_walked_run(&t.walked, digests, 1);
        assert_true(yes >> key / spec->n_keys & 1);
        assert_true(yardstick || __builtin_popcountll(yes) < 4);
    }
}

TEST(walks)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    const char *why = NULL;
    size_t n_walks = 0;
    plan("{\"kind\": \"kernels\", \"designs\": [\"sbbf-256\", \"nori\", \"xor-toy\"], "
         "\"footprints\": [\"L1\"], \"operations\": [\"walk\", \"walk-batch\"], \"runs\": [8]}",
         UINT64_MAX, &e, &grid);
    assert_true(skipped(&grid, "xor-toy/L1/walk-8"));
    assert_int_equal(fb_timing_build(&grid.job, 2, NULL, &why), FB_OK);
    for (size_t i = 0; i < grid.job.n_cells; i++)
        if (fb_operation_walks((enum fb_operation)grid.job.cells[i].operation)) {
            check_walk(&grid, i);
            n_walks++;
        }
    assert_int_equal(n_walks, 10); /* five designs, two ways */
    unplan(&e, &grid);
    plan("{\"kind\": \"kernels\", \"designs\": [\"nori\"], \"runs\": [8]}", UINT64_MAX, &e, &grid);
    assert_null(json_object_get(e.document, "runs")); /* nor does it change an experiment's hash */
    unplan(&e, &grid);
}

/* From keys: all of them are hashed, and the filter holds them. */
TEST(builds_and_their_parts)
{
    static uint64_t digests[FB_DIGEST_WORDS];
    static uint8_t maybe[FB_DIGEST_WORDS], bytes[1 << 14] __attribute__((aligned(64)));
    static const char *const ids[] = {"sbbf-256/L1/build-keys/", "rocksdb-fastlocal/L1/build-keys/",
                                      "sbbf-256/L1/digest/", "rocksdb-fastlocal/L1/digest/"};
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    plan("{\"kind\": \"kernels\", \"designs\": [\"sbbf-256\", \"rocksdb-fastlocal\"], "
         "\"footprints\": [\"L1\"], \"operations\": [\"build-keys\", \"digest\"]}",
         UINT64_MAX, &e, &grid);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const struct fb_timing_cell *cell = &grid.job.cells[find(&grid, ids[i])];
        struct fb_timed t =
            fb_timed_make(cell, &grid.job.filters[cell->filter], bytes, digests, maybe);
        const struct fb_candidate candidate = fb_timed_candidate(&t);
        assert_false(t.short_of_memory);
        assert_int_equal(t.n, t.spec->n_keys);
        candidate.prepare(&t, 0);
        candidate.run(&t);
        for (size_t key = 0; key < t.n; key += 61) {
            uint64_t digest;
            t.filter.design->digest((const uint8_t *)t.keys + key * FB_BUILD_KEY_BYTES,
                                    FB_BUILD_KEY_BYTES, 1, &digest);
            assert_true(cell->operation == FB_OP_DIGEST ? t.made[key] == digest
                                                        : t.built.kernel->query(&t.built, &digest));
        }
        fb_timed_close(&t);
    }
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

TEST(random_bits_beyond_the_caches)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    const char *why = NULL;
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

TEST(footprints_shrink_to_a_bound_or_are_left_out)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    struct fb_footprints bound = {.caches = {.l1d_bytes = 100, .l2_bytes = 1000, .l3_bytes = 10000},
                                  .bytes = {50, 500, 5000, 40000}};
    fb_footprints_bound(&bound, 2000);
    assert_int_equal(bound.bytes[FB_FOOT_L1], 50);
    assert_int_equal(bound.bytes[FB_FOOT_L2], 500);
    assert_int_equal(bound.bytes[FB_FOOT_L3], 2000);
    assert_int_equal(bound.bytes[FB_FOOT_DRAM], 0); /* it would lie in L3 */
    fb_footprints_bound(&bound, 100);
    assert_int_equal(bound.bytes[FB_FOOT_L1], 50);
    assert_int_equal(bound.bytes[FB_FOOT_L2], 0); /* all of L1 is L1 */
    plan("{\"kind\": \"kernels\", \"designs\": [\"nori\"], \"most_bytes\": 20000}", UINT64_MAX, &e,
         &grid);
    assert_true(skipped(&grid, "all/L2"));
    for (size_t i = 0; i < grid.job.n_filters; i++)
        assert_true(grid.job.filters[i].geom.n_bytes <= 20064);
    unplan(&e, &grid);
}

TEST(detected_footprints_grow)
{
    struct fb_footprints f;
    fb_footprints_detect(&f);
    for (int i = 1; i < FB_N_FOOTPRINTS; i++)
        assert_true(f.bytes[i] > f.bytes[i - 1]);
    assert_true(f.bytes[FB_FOOT_L3] <= f.caches.l3_bytes / 2 &&
                f.bytes[FB_FOOT_DRAM] > f.caches.l3_bytes);
}

TEST(what_memory_cannot_hold_is_skipped)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    plan("{\"kind\": \"kernels\", \"designs\": [\"nori\"], \"footprints\": [\"L1\", \"DRAM\"]}",
         130000, &e, &grid);
    find(&grid, "nori/L1/batch/absent/");
    assert_true(skipped(&grid, "nori/DRAM"));
    unplan(&e, &grid);
}

TESTS(NULL, NULL)

/* Filters of a load, and operations that are mixed at a steady one. */
#include "tests/kind/kernels/kernels_plan.h"

#include <string.h>
#include <unistd.h>

#include "harness/base/exit.h"
#include "harness/filter/timed.h"
#include "harness/measure/processes.h"

static const struct fb_timing_filter *filter_of(const struct fb_kernels_grid *grid, const char *id)
{
    return &grid->job.filters[grid->job.cells[find(grid, id)].filter];
}

/* Why it is left out; NULL: it is not. */
static const char *why_skipped(const struct fb_kernels_grid *grid, const char *id)
{
    size_t i;
    json_t *row;
    json_array_foreach(grid->skipped, i, row)
        if (!strcmp(json_string_value(json_object_get(row, "id")), id))
            return json_string_value(json_object_get(row, "why"));
    return NULL;
}

/* ---- Which filters there are ---- */

TEST(filters_hold_what_the_load_says)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid, full;
    const char *why = NULL;
    plan("{\"kind\": \"kernels\", \"designs\": [\"cuckoo-8\", \"cuckoo-12\", \"quotient\", "
         "\"counting\", \"nori\", \"xor-toy\"], \"footprints\": [\"L1\", \"DRAM\"], "
         "\"bits_per_key\": [20], \"loads\": [0.5, 0.95], "
         "\"operations\": [\"batch\", \"insert\", \"remove\", \"mixed\"]}",
         UINT64_MAX, &e, &grid);
    assert_int_equal(fb_timing_build(&grid.job, 2, NULL, &why), FB_OK);
    /* 12500 bytes: 3126 buckets of four; 2083 and eight of them of 12 bits; 5000 keys. */
    const struct {
        const char *id;
        uint64_t n_keys;
    } there[] = {
        {"cuckoo-8/L1/load=0.5/batch/", 3126 * 4 / 2},
        {"cuckoo-8/L1/load=0.95/mixed/", 11878},
        {"cuckoo-8/L1/load=0.95/insert/", 11878 - FB_DIGEST_WORDS},
        {"cuckoo-8/L1/load=0.95/remove/", 11878 - FB_DIGEST_WORDS},
        {"counting/L1/load=0.5/batch/", 2500},
        {"counting/L1/load=0.95/mixed/", 4750},
        {"nori/L1/load=0.95/batch/", 4750},
    };
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        assert_int_equal(filter_of(&grid, there[i].id)->n_keys, there[i].n_keys);
    const struct fb_timing_filter *f = filter_of(&grid, "cuckoo-12/L1/load=0.95/batch/");
    assert_int_equal(f->n_keys, f->geom.own[0] * 4 * 95 / 100);
    assert_non_null(strstr(why_skipped(&grid, "quotient/L1/load=0.95"), "93 % of its slots"));
    assert_non_null(strstr(why_skipped(&grid, "xor-toy/L1/load=0.5"), "at once"));
    assert_non_null(why_skipped(&grid, "nori/L1/load=0.5/mixed"));
    assert_non_null(why_skipped(&grid, "counting/L1/load=0.5/mixed")); /* 2500 keys, two blocks */
    /* Keys that go are there, however many bytes. */
    assert_true(filter_of(&grid, "counting/DRAM/load=0.95/batch/")->synthetic_fill);
    assert_false(filter_of(&grid, "counting/DRAM/load=0.95/remove/")->synthetic_fill);
    assert_false(filter_of(&grid, "counting/DRAM/load=0.95/mixed/")->synthetic_fill);
    for (size_t i = 0; i < grid.job.n_cells; i++) {
        json_auto_t *cell = fb_kernels_cell(&grid, i, NULL);
        assert_int_equal(json_object_get(cell, "load") != NULL, grid.job.cells[i].load > 0);
    }
    const uint64_t bytes = filter_of(&grid, "cuckoo-12/L1/load=0.5/batch/")->geom.n_bytes;
    unplan(&e, &grid);
    plan("{\"kind\": \"kernels\", \"designs\": [\"cuckoo-12\"], \"footprints\": [\"L1\"], "
         "\"bits_per_key\": [20]}",
         UINT64_MAX, &e, &full);
    assert_int_equal(filter_of(&full, "cuckoo-12/L1/batch/")->geom.n_bytes, bytes);
    assert_null(json_object_get(e.document, "loads")); /* nor does it change an experiment's hash */
    unplan(&e, &full);
}

TEST(what_walks_and_plain_loops_do_not_ask_is_said)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    for (int present = 0; present < 2; present++) {
        plan(present
                 ? "{\"kind\": \"kernels\", \"designs\": [\"nori\"], \"footprints\": [\"L1\"], "
                   "\"operations\": [\"walk\", \"plain\"], \"runs\": [8], \"hit_ratios\": [0.5]}"
                 : "{\"kind\": \"kernels\", \"designs\": [\"nori\"], \"footprints\": [\"L1\"], "
                   "\"operations\": [\"walk\", \"plain\"], \"runs\": [8]}",
             UINT64_MAX, &e, &grid);
        find(&grid, "nori/L1/walk-8/absent/");
        assert_int_equal(why_skipped(&grid, "nori/L1/walk-8") != NULL, present);
        assert_int_equal(why_skipped(&grid, "all/L1/plain") != NULL, present);
        unplan(&e, &grid);
    }
}

/* ---- Mixed operations ---- */

/* Over the 12504 slots of a cuckoo-8, 0.95 of which are taken. */
struct scene {
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    const struct fb_timing_filter *spec;
    struct fb_timed timed;
    struct fb_candidate candidate;
    struct fb_kernel kernel; /* a copy, to be altered */
};

static uint64_t digests[FB_DIGEST_WORDS];
static uint8_t maybe[FB_DIGEST_WORDS], bytes[1 << 15] __attribute__((aligned(64)));

static void open_scene(struct scene *s)
{
    const char *why = NULL;
    plan("{\"kind\": \"kernels\", \"designs\": [\"cuckoo-8\"], \"footprints\": [\"L1\"], "
         "\"loads\": [0.95], \"operations\": [\"mixed\"]}",
         UINT64_MAX, &s->e, &s->grid);
    assert_int_equal(fb_timing_build(&s->grid.job, 2, NULL, &why), FB_OK);
    const struct fb_timing_cell *cell =
        &s->grid.job.cells[find(&s->grid, "cuckoo-8/L1/load=0.95/mixed/scalar")];
    s->spec = &s->grid.job.filters[cell->filter];
    assert_true(s->spec->geom.n_bytes <= sizeof bytes);
    assert_int_equal(pread(s->spec->fd, bytes, s->spec->geom.n_bytes, 0), s->spec->geom.n_bytes);
    s->timed = fb_timed_make(cell, s->spec, bytes, digests, maybe);
    assert_false(s->timed.short_of_memory);
    s->candidate = fb_timed_candidate(&s->timed);
    s->kernel = *s->timed.filter.kernel;
    s->timed.filter.kernel = &s->kernel;
}

static void close_scene(struct scene *s)
{
    fb_timed_close(&s->timed);
    unplan(&s->e, &s->grid);
}

/* The load before each block, and halfway through one; what was asked; nothing is denied. Parts of
 * a block, in any lengths, are the block. */
TEST(mixed_operations_keep_the_load)
{
    struct scene s;
    open_scene(&s);
    assert_int_equal(s.timed.n, 2046);
    for (uint64_t block = 0; block < 60; block++) {
        s.candidate.prepare(&s.timed, block);
        assert_int_equal(count_prints(bytes, s.spec), s.spec->n_keys);
        if (block % 3 == 0) {
            s.candidate.run(&s.timed);
        } else if (block % 3 == 1) { /* a removal and a lookup, or the first ones only */
            fb_timed_run(&s.timed, 2);
            assert_int_equal(count_prints(bytes, s.spec), s.spec->n_keys - 1);
            s.timed.digests += 2;
            fb_timed_run(&s.timed, block % 2 ? 1 : 1000);
            s.timed.digests -= 2;
        }
    }
    s.candidate.prepare(&s.timed, 60);
    const struct fb_mixed_counts *c = &s.timed.mixed.counts;
    assert_int_equal(c->inserts, 40 * 682); /* a third of the blocks was prepared, and not begun */
    assert_int_equal(c->removals, c->inserts);
    assert_int_equal(c->lookups, c->inserts);
    assert_near((double)c->present, 0.5 * (double)c->lookups, 0.02 * (double)c->lookups);
    assert_true(c->refused <= c->inserts / 100);
    assert_int_equal(c->missed + c->denied, 0);
    /* 8 slots of 255 fingerprints: 3 % of the other lookups */
    assert_near((double)c->false_positives, 0.03 * 0.5 * (double)c->lookups, 100);
    close_scene(&s);
}

static const struct fb_kernel *honest;

/* One key of ten finds no place. */
static size_t refuse_some(struct fb_filter *f, const uint64_t *digest, size_t n)
{
    return *digest % 10 == 0 ? 0 : honest->add_batch(f, digest, n);
}

TEST(refused_keys_are_counted_and_made_up_for)
{
    struct scene s;
    open_scene(&s);
    const struct fb_kernel before = s.kernel;
    honest = &before;
    s.kernel.add_batch = refuse_some;
    for (uint64_t block = 0; block < 60; block++) { /* all keys that are in came since */
        s.candidate.prepare(&s.timed, block);
        assert_int_equal(count_prints(bytes, s.spec), s.spec->n_keys);
        s.candidate.run(&s.timed);
    }
    s.candidate.prepare(&s.timed, 60);
    const struct fb_mixed_counts *c = &s.timed.mixed.counts;
    assert_near((double)c->refused, 0.1 * (double)c->inserts, 0.02 * (double)c->inserts);
    assert_int_equal(c->missed + c->denied, 0);
    assert_int_equal(c->fewest_in, s.spec->n_keys);
    close_scene(&s);
}

/* A removal that takes the fingerprint beside the one it found. */
static size_t take_neighbour(struct fb_filter *f, const uint64_t *digest, size_t n)
{
    static uint8_t before[sizeof bytes];
    memcpy(before, f->bytes, f->geom.n_bytes);
    const size_t found = honest->remove_batch(f, digest, n);
    for (uint64_t i = 0; i + 1 < f->geom.n_bytes; i++)
        if (before[i] != f->bytes[i]) {
            f->bytes[i] = before[i];
            f->bytes[i ^ 1] = 0;
            break;
        }
    return found;
}

TEST(a_removal_of_another_key_is_seen)
{
    struct scene s;
    open_scene(&s);
    const struct fb_kernel before = s.kernel;
    honest = &before;
    s.kernel.remove_batch = take_neighbour;
    for (uint64_t block = 0; block < 4; block++) {
        s.candidate.prepare(&s.timed, block);
        s.candidate.run(&s.timed);
    }
    s.candidate.prepare(&s.timed, 4);
    assert_true(fb_mixed_wrong(&s.timed.mixed.counts));
    assert_true(s.timed.mixed.counts.denied > 0);
    close_scene(&s);
}

/* ---- What a document says of them ---- */

/* The rules of the members refuse the other counts (tests/cli/impossible.sh). */
TEST(counts_are_facts)
{
    struct scene s;
    struct fb_mixed_counts first;
    open_scene(&s);
    const size_t i = find(&s.grid, "cuckoo-8/L1/load=0.95/mixed/");
    for (int again = 0; again < 2; again++) {
        assert_int_equal(fb_kernels_mix(&s.grid), FB_OK);
        if (again)
            assert_memory_equal(&first, &s.grid.mixed[i], sizeof first);
        first = s.grid.mixed[i];
        if (!again) {
            free(s.grid.mixed);
            s.grid.mixed = NULL;
        }
    }
    assert_int_equal(fb_kernels_mix_judge(&s.grid, "mixed"), FB_EXIT_OK);
    json_auto_t *cell = fb_kernels_cell(&s.grid, i, NULL);
    assert_null(fb_kernels_mixed_contradiction(s.spec, cell));
    json_auto_t *copy = json_deep_copy(cell);
    json_t *mixed = json_object_get(copy, "mixed");
    const json_int_t was = json_integer_value(json_object_get(mixed, "inserts"));
    json_object_set_new(mixed, "inserts", json_integer(was + 20000));
    assert_non_null(fb_kernels_mixed_contradiction(s.spec, copy));
    json_object_del(mixed, "inserts");
    assert_non_null(fb_kernels_mixed_contradiction(s.spec, copy));
    json_object_set_new(cell, "operation", json_string("insert"));
    assert_non_null(fb_kernels_mixed_contradiction(s.spec, cell));
    s.grid.mixed[i].denied = 1;
    assert_int_equal(fb_kernels_mix_judge(&s.grid, "mixed"), FB_EXIT_CORRECTNESS);
    close_scene(&s);
}

int main(int argc, char **argv)
{
    fb_processes_child(argc, argv, (const struct fb_child *const[]){&fb_timing_child, NULL});
    return run_unit_tests(NULL, NULL);
}

/* Times of lookups in documents: what follows from their samples, and samples that cannot be read.
 */
#include "tests/kind/lsm/lsm_documents.h"

#include "harness/kind/lsm/report/report.h"

enum { ROUNDS = 2, MOST_CELLS = 3 };

/* The time of something that takes `ns` in a process without noise; process p takes 1 + weather p
 * times as long, whatever it measures. */
static json_t *time_of(size_t processes, double ns, double weather)
{
    static const char *const names[] = {"samples_ns", "samples_cpu_ns", "sample_retries",
                                        "sample_flags"};
    json_t *time = json_object();
    for (int list = 0; list < 4; list++) {
        json_t *rows = json_array();
        for (size_t p = 0; p < processes; p++) {
            const double x = ns * (1 + weather * (double)p);
            json_array_append_new(rows, list < 2 ? json_pack("[f, f]", x, 1.01 * x)
                                                 : json_pack("[i, i]", 0, 0));
        }
        json_object_set_new(time, names[list], rows);
    }
    return time;
}

/* A cell of a control of 10 ns and two lookups, of 100 ns and of `ns`. */
static json_t *timed_cell(const char *id, int batch, size_t processes, double ns)
{
    return json_pack("{s:s, s:{s:i, s:s}, s:o, s:[{s:s, s:f, s:o}, {s:s, s:f, s:o}]}", "id", id,
                     "timed", "batch", batch, "pages", "own", "control",
                     time_of(processes, 10, 0.01), "lookups", "lookup", "rehash-each", "digests",
                     3.0, "time", time_of(processes, 100, 0.01), "lookup", "shared-digest",
                     "digests", 1.0, "time", time_of(processes, ns, 0.01));
}

/* Cell i was measured by processes[i] processes of batch i; batches end with 0. */
static json_t *timed_document(const size_t processes[MOST_CELLS])
{
    static const char *const ids[MOST_CELLS] = {"a", "b", "c"};
    json_t *cells = json_array();
    for (int i = 0; i < MOST_CELLS && processes[i]; i++)
        json_array_append_new(cells, timed_cell(ids[i], i, processes[i], 50));
    return json_pack("{s:{s:{}}, s:o}", "timing", "noise", "cells", cells);
}

static json_t *cell_of(const json_t *document, size_t i)
{
    return json_array_get(json_object_get(document, "cells"), i);
}

static json_t *lookup_of(const json_t *document, size_t cell, size_t i)
{
    return json_array_get(json_object_get(cell_of(document, cell), "lookups"), i);
}

static void derived(json_t *document)
{
    struct fb_problem problem;
    if (!fb_lsm_derive_times(document, &problem))
        fail_msg("%s", problem.text);
}

TEST(lookups_are_compared_with_the_first)
{
    json_auto_t *document = timed_document((size_t[MOST_CELLS]){8, 0, 0});
    derived(document);
    const json_t *first = lookup_of(document, 0, 0), *second = lookup_of(document, 0, 1);
    assert_true(json_is_null(fb_json_at(first, "time.ratio")));
    assert_true(json_is_null(fb_json_at(cell_of(document, 0), "control.ratio")));
    assert_string_equal(fb_json_str(second, "time.ratio_to"), "rehash-each");
    assert_near(at(second, "time.ratio"), 0.5, 1e-12);
    assert_near(at(second, "time.ratio_ci95.low"), 0.5, 1e-9);
    assert_near(at(second, "time.ratio_ci99.high"), 0.5, 1e-9);
    assert_true(at(second, "time.ci95.low") < at(second, "time.ci95.high"));
    assert_near(at(cell_of(document, 0), "control.min"), 10, 1e-12);
    assert_string_equal(fb_json_str(second, "time.clock"), "wall");
    assert_near(at(document, "timing.noise.samples"), 3 * 8 * ROUNDS, 0);
}

/* Below 16 processes each row says that its interval takes them for independent. From there on the
 * same weather is memory, and widens the interval; of one batch is enough for all. */
TEST(memory_is_of_all_batches)
{
    json_auto_t *few = timed_document((size_t[MOST_CELLS]){8, 8, 0});
    json_auto_t *one = timed_document((size_t[MOST_CELLS]){8, 16, 0});
    derived(few);
    derived(one);
    for (size_t i = 0; i < 2; i++) {
        assert_true(json_is_true(fb_json_at(lookup_of(few, i, 1), "time.independent")));
        assert_null(fb_json_at(lookup_of(one, i, 1), "time.independent"));
        assert_near(at(lookup_of(one, i, 1), "time.processes"), i ? 16 : 8, 0);
    }
    assert_true(json_is_true(fb_json_at(few, "timing.independent")));
    assert_near(at(few, "timing.memory.time"), 0, 0);
    assert_true(at(one, "timing.memory.time") > 0.5);
    assert_true(at(lookup_of(one, 0, 0), "time.ci95.high") >
                1.01 * at(lookup_of(few, 0, 0), "time.ci95.high"));
}

TEST(repeats_change_the_clock_of_all)
{
    json_auto_t *document = timed_document((size_t[MOST_CELLS]){6, 6, 0});
    json_t *time = json_object_get(lookup_of(document, 1, 0), "time");
    for (size_t p = 0; p < 6; p++)
        json_array_set_new(json_object_get(time, "sample_retries"), p, json_pack("[i, i]", 9, 9));
    derived(document);
    assert_string_equal(fb_json_str(document, "timing.clock"), "thread_cpu");
    assert_string_equal(fb_json_str(lookup_of(document, 0, 1), "time.clock"), "thread_cpu");
}

TEST(nothing_timed_derives_nothing)
{
    json_auto_t *document = small_document();
    derived(document);
    assert_null(json_object_get(document, "timing"));
}

static void refuse(json_t *document, const char *id)
{
    struct fb_problem problem;
    assert_false(fb_lsm_derive_times(document, &problem));
    assert_non_null(strstr(problem.text, id));
    json_decref(document);
}

TEST(samples_that_cannot_be_read)
{
    static const size_t two[MOST_CELLS] = {6, 7, 0};
    json_t *document = timed_document(two);
    json_object_set_new(json_object_get(cell_of(document, 1), "timed"), "batch", json_integer(0));
    refuse(document, "b: "); /* seven processes in a batch of six */
    document = timed_document(two);
    json_object_set_new(json_object_get(cell_of(document, 1), "timed"), "batch", json_integer(6));
    refuse(document, "b: "); /* more batches than times */
    document = timed_document(two);
    json_object_del(cell_of(document, 1), "control");
    refuse(document, "b: ");
    document = timed_document(two);
    json_object_del(json_object_get(lookup_of(document, 0, 1), "time"), "sample_flags");
    refuse(document, "a: ");
    document = timed_document(two);
    json_array_set_new(json_array_get(fb_json_at(lookup_of(document, 1, 0), "time.samples_ns"), 3),
                       1, json_real(-1));
    refuse(document, "b: ");
    document = timed_document(two);
    json_array_clear(json_array_get(fb_json_at(cell_of(document, 0), "control.samples_ns"), 0));
    refuse(document, "a: ");
}

TEST(parts_and_costs)
{
    json_auto_t *document = small_document();
    json_t *cell = cell_of(document, 0), *timed = timed_cell("x", 0, 8, 50);
    json_object_update(cell, timed);
    json_decref(timed);
    json_object_set_new(document, "timing", json_pack("{s:{}}", "noise"));
    derived(document);
    fb_lsm_derive(cell, document);
    const json_t *second = lookup_of(document, 0, 1);
    const double median = at(second, "time.median"), walk = at(cell, "control.median");
    assert_near(median, 52, 0.5);
    assert_near(at(second, "parts.walk_ns"), walk, 1e-9);
    /* (104 - 52) / 2 for a digest; what is left of 52 after 10 and 26 is asking. */
    assert_near(at(second, "parts.hash_ns"), median / 2, 1e-9);
    assert_near(at(second, "parts.probe_ns"), median / 2 - walk, 1e-9);
    assert_string_equal(fb_json_str(second, "bound"), "disk");
    const json_t *cost = json_object_get(json_object_get(second, "costs"), "a");
    assert_near(at(cost, "cost_ns"), 280 + median, 1e-9);
    /* The errors of reads, 280 ns of io 0.5, and of the time are independent. */
    const double read_ns = 280 / at(cell, "reads.io");
    assert_near(at(cost, "low"),
                280 + median -
                    hypot(read_ns * (at(cell, "reads.io") - at(cell, "reads.io_ci95.low")),
                          median - at(second, "time.ci95.low")),
                1e-9);
    assert_near(at(cost, "high"),
                280 + median +
                    hypot(read_ns * (at(cell, "reads.io_ci95.high") - at(cell, "reads.io")),
                          at(second, "time.ci95.high") - median),
                1e-9);
}

/* Of 90 ns 10 are the walk, 5 the hash and 75 asking: the memory where filters are beyond L2. */
TEST(bound_by_memory_beyond_l2)
{
    static const struct {
        double l2, l3;
        const char *footprint, *bound;
    } rows[] = {
        {1e6, 1e7, "L2", "probe"}, {1000, 1e7, "L3", "memory"}, {100, 200, "DRAM", "memory"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_auto_t *document = small_document();
        json_t *cell = cell_of(document, 0), *timed = timed_cell("x", 0, 8, 90);
        json_object_update(cell, timed);
        json_decref(timed);
        json_object_set_new(json_array_get(json_object_get(document, "devices"), 0), "read_ns",
                            json_real(1));
        json_object_set_new(document, "timing",
                            json_pack("{s:{}, s:{s:f, s:f, s:f}}", "noise", "caches", "l1d_bytes",
                                      50.0, "l2_bytes", rows[i].l2, "l3_bytes", rows[i].l3));
        derived(document);
        fb_lsm_derive(cell, document);
        assert_string_equal(fb_json_str(cell, "memory.footprint"), rows[i].footprint);
        assert_string_equal(fb_json_str(lookup_of(document, 0, 1), "bound"), rows[i].bound);
    }
}

TESTS(NULL, NULL)

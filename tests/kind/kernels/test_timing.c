/* Timing filters: the way of estimates through JSON, and the measuring processes themselves.
 * Nothing here depends on what a clock says. */
#include "tests/kind/kernels/kernels_plan.h"
#include "tests/made_group.h"

#include <stdlib.h>
#include <string.h>

#include "harness/filter/plain_loop.h"
#include "harness/measure/latency.h"
#include "workloads/core/rng.h"

/* ---- Through JSON ---- */

static json_t *document_of(const struct fb_group *g)
{
    char ids[MADE_MEMBERS][FB_KERNELS_ID] = {"a", "b"};
    json_t *cells = json_array();
    for (size_t c = 0; c < MADE_MEMBERS; c++)
        json_array_append_new(cells, json_pack("{s:s, s:s, s:o}", "id", ids[c], "footprint", "L1",
                                               "time", fb_kernels_time(g, ids, c)));
    json_t *document = json_pack("{s:o}", "cells", cells);
    auto_free char *text = json_dumps(document, JSON_REAL_PRECISION(15));
    json_decref(document);
    document = json_loads(text, 0, NULL);
    return document;
}

static json_t *time_of(json_t *document, size_t cell)
{
    return json_object_get(json_array_get(json_object_get(document, "cells"), cell), "time");
}

/* Whether what follows from the samples is what stands there. */
static enum fb_exit derived_again(const json_t *document)
{
    static const struct fb_kernels e;
    struct fb_problem problem;
    const char *where = NULL;
    json_auto_t *copy = json_deep_copy(document);
    json_object_set_new(copy, "timing", json_object());
    enum fb_exit code = FB_EXIT_USAGE;
    if (fb_kernels_derive(&e, copy, &problem))
        code = fb_json_agree(json_object_get(copy, "cells"), json_object_get(document, "cells"),
                             &where)
                   ? FB_EXIT_OK
                   : FB_EXIT_CORRECTNESS;
    return code;
}

TEST(what_is_written_is_derived_again)
{
    for (size_t processes = 1; processes <= 12; processes++) {
        closed_by(fb_group_close) struct fb_group g = make_group(processes, 1.25, processes % 2);
        json_auto_t *document = document_of(&g);
        assert_int_equal(derived_again(document), FB_EXIT_OK);
    }
}

TEST(altered_documents_are_found)
{
    static const struct {
        const char *member, *value;
        enum fb_exit code;
    } changes[] = {
        {"median", "2.5", FB_EXIT_CORRECTNESS},    {"clock", "\"thread_cpu\"", FB_EXIT_CORRECTNESS},
        {"retries", "1", FB_EXIT_CORRECTNESS},     {"ratio", "null", FB_EXIT_CORRECTNESS},
        {"ratio_to", "\"c\"", FB_EXIT_USAGE},      {"samples_ns", "[[1, 2, 3]]", FB_EXIT_USAGE},
        {"samples_ns", "\"none\"", FB_EXIT_USAGE}, {"sample_flags", "[]", FB_EXIT_USAGE},
        {"processes", "7", FB_EXIT_CORRECTNESS},   {"ratio_to", "null", FB_EXIT_CORRECTNESS},
        {"sample_retries", "null", FB_EXIT_USAGE},
    };
    closed_by(fb_group_close) struct fb_group g = make_group(6, 1.25, 0);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        json_t *document = document_of(&g);
        json_object_set_new(time_of(document, 1), changes[i].member,
                            json_loads(changes[i].value, JSON_DECODE_ANY, NULL));
        assert_int_equal(derived_again(document), changes[i].code);
        json_decref(document);
    }
    json_t *document = document_of(&g);
    json_array_set_new(json_array_get(json_object_get(time_of(document, 0), "samples_ns"), 2), 1,
                       json_real(1.75));
    assert_int_equal(derived_again(document), FB_EXIT_CORRECTNESS);
    json_decref(document);
}

/* ---- The measuring processes ---- */

/* Tiny: sampled for microseconds, so that emulators and sanitizers get through. */
static void plan_tiny(struct fb_kernels *e, struct fb_kernels_grid *grid)
{
    plan("{\"kind\": \"kernels\", \"designs\": [\"sbbf-256\", \"nori\"], \"footprints\": [\"L1\", "
         "\"DRAM\"], \"rounds\": 2, \"min_processes\": 2, \"max_processes\": 3, \"budget\": 0.001, "
         "\"cpu\": \"none\"}",
         UINT64_MAX, e, grid);
    grid->job.options.group.min_batch_ns = 1000;
    grid->job.options.group.quantum_ns = 1;
    const char *why = NULL;
    assert_int_equal(fb_timing_build(&grid->job, 2, NULL, &why), FB_OK);
}

TEST(processes_deliver_every_sample)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    closed_by(fb_group_close) struct fb_group g;
    plan_tiny(&e, &grid);
    assert_int_equal(fb_timing_run(&grid.job, NULL, &g), FB_OK);
    for (int f = 0; f < FB_N_FOOTPRINTS; f++) /* no budget beyond the least */
        assert_int_equal(g.parts[f].processes, f == FB_FOOT_L1 || f == FB_FOOT_DRAM ? 2 : 0);
    assert_int_equal(fb_group_processes(&g), 4);
    assert_int_equal(g.stopped, FB_STOP_BUDGET);
    assert_int_equal(g.n_members, grid.job.n_cells);
    for (size_t i = 0; i < g.n_members; i++) {
        const struct fb_sample *s = g.members[i].samples;
        for (; s < g.members[i].samples + 4; s++) {
            assert_true(isfinite(s->wall_ns) && s->wall_ns > 0);
            assert_true(s->cpu_ns <= s->wall_ns);
        }
        assert_int_equal(isnan(g.members[i].estimate.ratio), grid.job.cells[i].yardstick < 0);
    }
    unplan(&e, &grid);
}

TEST(filters_are_the_same_each_time)
{
    struct fb_kernels e[2];
    struct fb_kernels_grid grid[2];
    for (int i = 0; i < 2; i++)
        plan_tiny(&e[i], &grid[i]);
    for (size_t i = 0; i < grid[0].job.n_filters; i++) {
        const struct fb_timing_filter *a = &grid[0].job.filters[i], *b = &grid[1].job.filters[i];
        assert_true(a->checksum == b->checksum);
        for (size_t j = 0; j < i && a->geom.n_bytes; j++)
            assert_true(a->checksum != grid[0].job.filters[j].checksum ||
                        !strncmp(fb_design_at(a->design)->name, "touch", 5));
    }
    for (int i = 0; i < 2; i++)
        unplan(&e[i], &grid[i]);
}

TEST(distributions_of_every_cell)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    plan_tiny(&e, &grid);
    auto_free struct fb_latency *latency = calloc(grid.job.n_cells, sizeof *latency);
    assert_non_null(latency);
    grid.job.n_cells = 3; /* a quarter of a second each */
    assert_int_equal(fb_timing_once(&grid.job, FB_TIME_LATENCY, NULL, latency, sizeof *latency),
                     FB_OK);
    for (size_t i = 0; i < grid.job.n_cells; i++)
        for (int k = 0; k < FB_N_LATENCIES; k++)
            assert_true(latency[i].kind[k].n > 0);
    assert_int_equal(latency[0].kind[FB_SINGLE_OP_GROSS].n, latency[0].kind[FB_TIMER_EMPTY].n);
    unplan(&e, &grid);
}

TEST(plain_loops_answer_as_the_yardstick)
{
    const struct fb_plain_loop *loop;
    for (int which = 0; which < FB_N_YARDSTICKS; which++) {
        const struct fb_design *touch = fb_design_find(fb_yardstick_name(which));
        const struct fb_params params = {.bits_per_key = 400}; /* about half of the lines are hit */
        struct fb_geometry geom;
        closed_by(fb_filter_close) struct fb_filter filter;
        uint64_t digests[512];
        uint8_t plain[512], own[512];
        const char *why;
        assert_int_equal(fb_design_plan(touch, &params, 300, &geom, &why), FB_OK);
        assert_int_equal(fb_filter_alloc(touch, &geom, &filter), FB_OK);
        for (size_t k = 0; k < 512; k++)
            digests[k] = fb_stream_word(7, k);
        filter.kernel->add_batch(&filter, digests, 300);
        size_t hits = filter.kernel->query_batch(&filter, digests, 512, own);
        assert_true(hits >= 300 && hits < 512);
        for (size_t i = 0; (loop = fb_plain_loop_at(i)); i++) {
            if (!fb_cpu_has(loop->isa) || (loop->gathers && which != FB_YARD_FETCH))
                continue;
            for (size_t n = 499; n <= 512; n += 13) {
                memset(plain, 7, sizeof plain);
                hits = touch->kernels[0]->query_batch(&filter, digests, n, own);
                assert_int_equal(fb_plain_loop(loop, which, &filter, digests, n, plain), hits);
                assert_memory_equal(plain, own, n);
            }
        }
    }
}

/* ---- Yardsticks ---- */

/* Every member answers alike, and no two are the same loop. */
TEST(a_family_is_one_yardstick)
{
    struct fb_yardstick_member members[FB_FAMILY_MOST];
    bool isa[FB_N_ISAS];
    for (int i = 0; i < FB_N_ISAS; i++)
        isa[i] = i != FB_ISA_NONE && fb_cpu_has((enum fb_isa)i);
    for (int which = 0; which < FB_N_YARDSTICKS; which++) {
        const struct fb_design *design = fb_design_find(fb_yardstick_name(which));
        const struct fb_params params = {.bits_per_key = 400};
        struct fb_geometry geom;
        closed_by(fb_filter_close) struct fb_filter filter;
        uint64_t digests[1000];
        uint8_t first[1000], own[1000];
        const char *why;
        const size_t n = fb_yardstick_family(which, isa, FB_OP_BATCH, members);
        assert_true(n >= 11 && n <= FB_FAMILY_MOST);
        assert_int_equal(fb_design_plan(design, &params, 600, &geom, &why), FB_OK);
        assert_int_equal(fb_filter_alloc(design, &geom, &filter), FB_OK);
        for (size_t k = 0; k < 1000; k++)
            digests[k] = fb_stream_word(7, k);
        filter.kernel->add_batch(&filter, digests, 600);
        for (size_t m = 0; m < n; m++) {
            for (size_t other = 0; other < m; other++)
                assert_memory_not_equal(&members[m], &members[other], sizeof *members);
            struct fb_tuning tuning = *fb_tuning_now();
            for (int reach = 0; reach < FB_N_REACHES; reach++)
                tuning.prefetch[FB_TUNED_QUERY][fb_yardstick_tuned(which)][reach] = members[m].how;
            assert_int_equal(fb_tuning_set(&tuning), FB_OK);
            filter.kernel = design->kernels[members[m].kernel];
            filter.kernel->query_batch(&filter, digests, 1000, m ? own : first);
            if (m)
                assert_memory_equal(own, first, 1000);
        }
    }
    assert_int_equal(fb_tuning_set(NULL), FB_OK);
}

/* The fastest stands for the yardstick, and nothing that a document keeps says which. */
TEST(a_choice_changes_no_cell)
{
    struct fb_kernels e;
    struct fb_kernels_grid grid;
    json_t *before[64], *yardsticks, *y, *member;
    size_t i, m, n = 0;
    plan("{\"kind\": \"kernels\", \"designs\": [\"nori\"], \"footprints\": [\"L1\"], "
         "\"operations\": [\"batch\", \"chain\"], \"cpu\": \"none\"}",
         UINT64_MAX, &e, &grid);
    const char *why = NULL;
    assert_int_equal(fb_timing_build(&grid.job, 2, NULL, &why), FB_OK);
    grid.job.options.group.quantum_ns = 1;
    for (i = 0; i < grid.job.n_cells; i++)
        before[i] = fb_kernels_cell(&grid, i, NULL);
    assert_int_equal(fb_kernels_screen(&grid, 0, &(struct fb_turns){.name = "none"}, &yardsticks),
                     FB_OK);
    for (i = 0; i < grid.job.n_cells; i++) {
        json_auto_t *after = fb_kernels_cell(&grid, i, NULL);
        assert_true(json_equal(before[i], after));
        assert_int_equal(grid.job.cells[i].tries, grid.job.cells[i].family);
        n += grid.job.cells[i].family;
        json_decref(before[i]);
    }
    assert_int_equal(n, 2 * FB_N_YARDSTICKS);
    assert_int_equal(json_array_size(yardsticks), n);
    for (i = n = 0; i < grid.job.n_cells; i++) {
        const struct fb_timing_cell *cell = &grid.job.cells[i];
        const struct fb_design *design = fb_design_at(cell->design);
        if (!cell->family)
            continue;
        y = json_array_get(yardsticks, n++);
        assert_string_equal(fb_json_str(y, "design"), design->name);
        assert_string_equal(fb_json_str(y, "isa"), fb_isa_name(design->kernels[cell->kernel]->isa));
        assert_int_equal(fb_json_uint(y, "ahead"), cell->prefetch.ahead);
        assert_string_equal(fb_json_str(y, "hint"), fb_hint_words[cell->prefetch.hint].name);
    }
    json_array_foreach(yardsticks, i, y) {
        json_array_foreach(json_object_get(y, "members"), m, member)
            assert_true(fb_json_num(y, "ns") <= fb_json_num(member, "ns"));
        assert_true(m > 0 && m <= FB_FAMILY_MOST);
        assert_true(fb_json_num(y, "ns") > 0);
    }
    json_decref(yardsticks);
    unplan(&e, &grid);
}

/* A yardstick whose family lacks the loop that is the fastest. */
TEST(a_slow_yardstick_is_told)
{
    static const struct {
        double ratio;
        bool slow;
    } plain[] = {{1.2, false}, {0.96, false}, {0.94, true}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        json_auto_t *document = json_pack(
            "{s:[{s:s, s:s}, {s:s, s:s, s:s, s:s, s:s, s:{s:s, s:f}}, {s:s, s:{s:s, s:f}}], "
            "s:{s:s, s:s, s:f}, s:[]}",
            "cells", "id", "y", "operation", "batch", "design", "fetch", "footprint", "L2", "isa",
            "avx2", "style", "T0-16", "operation", "plain", "time", "ratio_to", "y", "ratio",
            plain[i].ratio, "operation", "plain", "time", "ratio_to", "y", "ratio", 1.3, "timing",
            "clock", "wall", "stopped", "precision", "widest_half_width", 0.01, "warnings");
        assert_non_null(document);
        json_auto_t *rows = fb_kernels_plain(json_object_get(document, "cells"));
        assert_int_equal(json_array_size(rows), 1);
        const json_t *row = json_array_get(rows, 0);
        assert_true(fb_json_num(row, "ratio") <= plain[i].ratio);
        assert_int_equal(json_is_true(json_object_get(row, "faster")), plain[i].slow);
        fb_kernels_warn(document);
        const json_t *warnings = json_object_get(document, "warnings");
        assert_int_equal(json_array_size(warnings), plain[i].slow);
        if (plain[i].slow)
            assert_string_equal(fb_json_str(json_array_get(warnings, 0), "code"), "yardstick");
    }
}

/* ---- Percentiles ---- */

TEST(percentiles_that_may_be_shown)
{
    static struct fb_latency latency;
    fb_histogram_add(&latency.kind[FB_SINGLE_OP_GROSS], 30000, 9800);
    fb_histogram_add(&latency.kind[FB_SINGLE_OP_GROSS], 70000, 200);
    fb_histogram_add(&latency.kind[FB_BATCH64_MEAN], 3000, 500);
    json_auto_t *single = fb_latency_json(&latency.kind[FB_SINGLE_OP_GROSS], "single_op_gross", 10);
    json_auto_t *batch = fb_latency_json(&latency.kind[FB_BATCH64_MEAN], "batch64_mean", 10);
    const json_t *shown = json_object_get(single, "percentiles");
    assert_true(json_is_null(json_object_get(shown, "p50"))); /* 30 ns of a 10 ns quantum */
    assert_non_null(json_object_get(shown, "p50_reason"));
    assert_near(json_integer_value(json_object_get(shown, "p99")), 70000, 70000 / 128);
    assert_true(json_is_null(json_object_get(shown, "p99_9"))); /* 10 samples beyond */
    assert_near(json_integer_value(json_object_get(json_object_get(batch, "percentiles"), "p50")),
                3000, 3000 / 128);
    auto_free struct fb_histogram *back = malloc(sizeof *back);
    assert_true(fb_latency_read(single, back));
    assert_int_equal(back->n, 10000);
    assert_memory_equal(back->count, latency.kind[FB_SINGLE_OP_GROSS].count, sizeof back->count);
    json_object_set_new(single, "bins", json_pack("[[i, i]]", -1, 2));
    assert_false(fb_latency_read(single, back));
}

int main(int argc, char **argv)
{
    fb_processes_child(argc, argv, (const struct fb_child *const[]){&fb_timing_child, NULL});
    return run_unit_tests(NULL, NULL);
}

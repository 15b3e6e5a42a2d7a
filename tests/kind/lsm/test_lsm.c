/* Experiments of kind "lsm": what resolves, what is refused with which words, which cells come out,
 * what is derived from counts. */
#include "tests/kind/lsm/lsm_documents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/lsm/report/report.h"
#include "harness/stats/stats.h"

TEST(resolves_to_itself)
{
    static const char *const texts[] = {
        "{\"bits_per_key\": 10}",
        "{\"fpr\": [0.01, 1e-4], \"designs\": \"filters\", \"style\": [\"tiered\", \"flat\"], "
        "\"runs\": [1, 24], \"keys\": [\"bin:40\", \"uuid7\"], \"absent\": [1, 0.5], "
        "\"absent_kind\": \"all\", \"hash\": [null, \"siphash-2-4\"], \"lookups\": \"all\", "
        "\"allocations\": \"all\", \"device\": \"15us\", \"popularity\": \"zipf:0.99\", "
        "\"holder\": \"level:1\", \"ci\": {\"scale\": 100}}",
        "{\"run_bits\": [16, 16, 10, -1], \"designs\": [\"rocksdb-fastlocal\"]}",
        "{\"run_bits\": [8, 4, 2, 0.5], \"designs\": [\"bloom-double\"]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        closed_by(fb_lsm_close) struct fb_lsm first = resolved(texts[i]), second;
        struct fb_problem problem;
        if (!fb_lsm_resolve(first.document, &second, &problem))
            fail_msg("again: %s", problem.text);
        assert_true(json_equal(first.document, second.document));
        assert_string_equal(hash_of(first.document).hex, hash_of(second.document).hex);
        assert_null(json_object_get(first.document, "ci"));
        assert_true(!first.n_run_bits || first.n_run_bits == 4); /* repeats stay */
    }
}

TEST(refuses)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"{}", "no size"},
        {"{\"bits_per_key\": 10, \"levels\": 0}", "tree: levels or n"},
        {"{\"bits_per_key\": 10, \"levels\": 40}", "tree: more than 2^40 keys"},
        {"{\"bits_per_key\": 10, \"run_bits\": [10, -2]}", "run_bits[1]: -2 is not accepted"},
        {"{\"bits_per_key\": 10, \"ci\": {\"scal\": 3}}", "ci: scal: unknown field"},
        {"{\"bits_per_key\": 10, \"ci\": 3}", "ci: 3 is not accepted"},
        {"{\"bits_per_key\": 10, \"min_processes\": 9, \"max_processes\": 8}", "max_processes: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_refused(rows[i].text, rows[i].words);
}

TEST(short_form)
{
    struct fb_problem problem;
    json_auto_t *document =
        parsed("{\"bits_per_key\": 10, \"queries\": 1000, \"ci\": {\"queries\": 7}}");
    assert_true(fb_lsm_ci(document, &problem));
    closed_by(fb_lsm_close) struct fb_lsm e;
    assert_true(fb_lsm_resolve(document, &e, &problem));
    assert_int_equal(e.n_queries, 7);
    assert_false(e.timed);
    assert_false(fb_lsm_ci(document, &problem)); /* it has none any more */
    assert_non_null(strstr(problem.text, "no short form"));
}

TEST(cells)
{
    closed_by(fb_lsm_close) struct fb_lsm e = resolved(
        "{\"designs\": [\"sbbf-512\", \"always\"], \"bits_per_key\": [8, 10], \"fpr\": 0.01, "
        "\"run_bits\": [12, 8], \"allocations\": [\"uniform\", \"optimal\"], \"style\": "
        "[\"leveled\", \"flat\"], \"runs\": [2, 3], \"keys\": \"pad40\", \"absent\": [0, 0.5], "
        "\"absent_kind\": [\"in-gap\", \"suffix\"], \"cache_bytes\": [0, 4096], \"scale\": 100}");
    size_t n;
    auto_free struct fb_lsm_cell *cells = fb_lsm_cells(&e, &n);
    assert_non_null(cells);
    /* trees: leveled, flat-2, flat-3; filters: 3 sizes x 2 splits + by level, and a control;
     * streams: none absent, and half by two kinds; two caches. */
    assert_int_equal(n, 3 * (3 * 2 + 1 + 1) * 3 * 2);
    assert_string_equal(cells[0].id, "leveled/pad40/sbbf-512/bpk=8/uniform/absent=0");
    assert_string_equal(cells[1].id, "leveled/pad40/sbbf-512/bpk=8/uniform/absent=0/cache=4096");
    assert_string_equal(cells[n - 1].id, "flat-3/pad40/always/absent=0.5-suffix/cache=4096");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(cells[i].id, cells[j].id);
    struct fb_lsm_demand demand;
    struct fb_problem problem;
    assert_true(fb_lsm_demand(&e, &cells[0], &demand, &problem));
    assert_in_range(demand.filter_bytes, demand.n_keys * 7 / 8, demand.n_keys * 9 / 8);
}

/* Of a run without a filter there is no rate: it says nothing of absent keys. */
TEST(a_run_without_filter_has_no_rate)
{
    json_auto_t *document = small_document();
    json_t *cell = json_array_get(json_object_get(document, "cells"), 0);
    json_t *run = json_array_get(json_object_get(cell, "runs"), 0);
    json_object_set_new(run, "probes", json_null());
    fb_lsm_derive(cell, document);
    const json_t *rate = json_array_get(json_object_get(cell, "rates"), 0);
    assert_true(json_is_null(json_object_get(rate, "estimate")));
    assert_true(json_is_null(json_object_get(rate, "wilson95")));
    assert_string_equal(fb_json_str(rate, "estimate_reason"), "no filter");
}

TEST(derived)
{
    json_auto_t *document = small_document();
    json_t *cell = json_array_get(json_object_get(document, "cells"), 0);
    fb_lsm_derive(cell, document);
    assert_near(at(cell, "reads.io"), 0.28, 1e-12);
    assert_near(at(cell, "reads.by_cause.false"), 0.08, 1e-12);
    assert_near(at(cell, "reads.any_false"), 0.1, 1e-12);
    /* Found blocks are no chance: 0.28 +- 1.96 sqrt(0.08 / 1000). */
    assert_near(at(cell, "reads.io_ci95.high"), 0.28 + 1.959964 * sqrt(0.08 / 1000), 1e-6);
    assert_near(at(cell, "expectation.data_blocks"), 0.8 * 0.1 + 0.2, 1e-9);
    assert_near(at(cell, "expectation.z"), 0, 1e-9);
    assert_near(at(cell, "memory.bits_per_key"), 10, 1e-12);
    const json_t *cost = json_object_get(json_object_get(cell, "costs"), "a");
    assert_near(at(cost, "cost_ns"), 280, 1e-9);
    const json_t *rate = json_array_get(json_object_get(cell, "rates"), 0);
    assert_near(at(rate, "estimate"), 0.1, 1e-12);
    assert_near(at(rate, "ratio"), 1, 1e-12);
    assert_near(at(cell, "reads.any_false_wilson95.low"), fb_wilson(80, 800, 0.95).low, 1e-12);
    json_object_set_new(json_object_get(cell, "counts"), "any_false", json_integer(800));
    fb_lsm_derive(cell, document);
    assert_near(at(cell, "reads.any_false_wilson95.high"), 1, 0);
    assert_near(at(cell, "reads.any_false_wilson95.low"), fb_wilson(800, 800, 0.95).low, 1e-12);
    json_object_set_new(json_object_get(cell, "counts"), "any_false", json_integer(80));
    /* What is read beyond whole blocks, 1000 bytes a query, comes at 1e9 bytes a second. */
    json_object_set_new(json_object_get(cell, "counts"), "read_bytes", json_integer(2146880));
    fb_lsm_derive(cell, document);
    assert_near(at(cell, "reads.bytes"), 2146.88, 1e-9);
    assert_near(at(cell, "costs.a.cost_ns"), 280 + 1000, 1e-9);
    assert_near(at(cell, "costs.a.high"), 1280 * at(cell, "reads.io_ci95.high") / 0.28, 1e-9);
    assert_near(at(cell, "costs.a.low"), 1280 * at(cell, "reads.io_ci95.low") / 0.28, 1e-9);
}

/* Three runs, of which the first is out of range for a quarter and the last has no formula: the
 * expected reads and their error, worked out once more. */
TEST(expectation_of_three_runs)
{
    json_auto_t *document = small_document();
    json_t *cell = json_array_get(json_object_get(document, "cells"), 0);
    json_auto_t *more = parsed(
        "{\"params\": {\"absent\": 0.5, \"absent_kind\": \"in-gap\"}, "
        "\"effective\": {\"present\": 5000, \"absent\": 100000}, \"runs\": ["
        "{\"memtable\": false, \"keys\": 1000, \"bytes\": 1250, \"probes\": 7, \"model\": 0.1, "
        "\"in_range\": 0.75, \"holder_share\": 0.25}, "
        "{\"memtable\": false, \"keys\": 2000, \"bytes\": 5000, \"probes\": 6, \"model\": 0.02, "
        "\"holder_share\": 0.75}, "
        "{\"memtable\": false, \"keys\": 4000, \"bytes\": 5000, \"probes\": 7, \"model\": null, "
        "\"holder_share\": 0}]}");
    json_auto_t *counts =
        parsed("{\"queries\": 2000, \"absent\": 1000, \"present\": 1000, "
               "\"data_found\": 1000, \"data_false\": 171, \"run_reached\": [2000, "
               "1750, 1000], \"run_asked\": [1600, 1750, 1000], \"run_false\": [130, 1, "
               "40], \"run_held\": [250, 750, 0]}");
    json_object_update(cell, more);
    json_object_update(json_object_get(cell, "counts"), counts);
    fb_lsm_derive(cell, document);
    const double a = 0.75 * 0.1, b = 0.02, c = 0.04; /* read in vain, if reached */
    const double io_absent = a + b + c, io_present = 1 + 0.75 * a;
    const double variance_absent = a * (1 - a) + b * (1 - b) + c * (1 - c);
    const double squares = 0.25 + 0.75 * ((1 + a) * (1 + a) + a * (1 - a));
    const double variance = (variance_absent + squares - io_present * io_present) / 2;
    /* Queries, and how many keys they are of. */
    const double one_over_n = 1.0 / 2000 + 0.25 / 5000 + 0.25 / 100000;
    /* Present keys of older runs come by the first one. */
    const double first = (0.5 + 0.5 * 0.75) * a, second = 0.5 * b;
    const double between = pow(first * 7 / sqrt(10000), 2) + pow(second * 6 / sqrt(40000), 2);
    const double bias = 0.003 * (first + second);
    const double se = sqrt(variance * one_over_n + between + bias * bias);
    assert_near(at(cell, "expectation.data_blocks_absent"), io_absent, 1e-12);
    assert_near(at(cell, "expectation.data_blocks_present"), io_present, 1e-12);
    assert_near(at(cell, "expectation.data_blocks"), (io_absent + io_present) / 2, 1e-12);
    assert_near(at(cell, "expectation.any_false"), 1 - (1 - a) * (1 - b) * (1 - c), 1e-12);
    assert_near(at(cell, "expectation.simulated"), 1171.0 / 2000, 1e-12);
    assert_near(at(cell, "expectation.se"), se, 1e-12);
    assert_true(json_is_null(fb_json_at(cell, "expectation.z")));
    assert_string_equal(fb_json_str(cell, "expectation.z_reason"),
                        "a rate was measured, as no formula fits");
    assert_string_equal(fb_json_str(cell, "expectation.rates"), "measured where no formula fits");
    const json_t *rates = json_object_get(cell, "rates");
    assert_near(at(json_array_get(rates, 0), "estimate"), 130.0 / 1350, 1e-12);
    assert_near(at(json_array_get(rates, 1), "estimate"), 1.0 / 1000, 1e-12);
    assert_near(at(json_array_get(rates, 1), "ratio"), 1.0 / 1000 / 0.02, 1e-12);
    assert_near(at(json_array_get(rates, 1), "bits_per_key"), 20, 1e-12);

    /* With a formula for the last run too. */
    json_object_set_new(json_array_get(json_object_get(cell, "runs"), 2), "model", json_real(c));
    fb_lsm_derive(cell, document);
    const double third = 0.5 * c;
    const double all_bias = 0.003 * (first + second + third);
    const double all_se = sqrt(variance * one_over_n + between + pow(third * 7 / sqrt(40000), 2) +
                               all_bias * all_bias);
    assert_near(at(cell, "expectation.se"), all_se, 1e-12);
    assert_near(at(cell, "expectation.z"), (1171.0 / 2000 - (io_absent + io_present) / 2) / all_se,
                1e-9);
    assert_string_equal(fb_json_str(cell, "expectation.rates"), "theory");
}

/* Of 100 queries for absent keys ten read in vain, 15 times in all, and an index block each time.
 * The squares of their numbers lie between 225 / 10 and 9 + 36, and are odd as 15 is. */
TEST(sums_of_squares)
{
    static const struct {
        int squares;
        const char *wrong;
    } rows[] = {{27, NULL},
                {23, NULL},
                {45, NULL},
                {21, "false_squares * any_false"},
                {26, "false_squares % 2"},
                {47, "false_squares <= any_false"},
                {9, "any_false <= false_squares"}};
    json_auto_t *counts = parsed(
        "{\"queries\": 100, \"absent\": 100, \"present\": 0, \"deleted\": 0, \"asked\": 100, "
        "\"range_checks\": 100, \"pruned\": 0, \"memtable_searches\": 0, \"memtable_found\": 0, "
        "\"memtable_comparisons\": 0, \"false_negatives\": 0, \"index_blocks\": 15, "
        "\"filter_blocks\": 0, \"data_found\": 0, \"data_false\": 15, \"data_tombstone\": 0, "
        "\"read_found\": 0, \"read_false\": 15, \"read_tombstone\": 0, \"read_index\": 15, "
        "\"read_filter\": 0, \"read_bytes\": 70000, \"io_squares\": 108, \"any_false\": 10, "
        "\"asked_histogram\": [0, 100], \"io_histogram\": [90, 0, 6, 0, 3, 0, 1], "
        "\"run_reached\": [100], \"run_asked\": [100], \"run_false\": [15], \"run_held\": [0]}");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_object_set_new(counts, "false_squares", json_integer(rows[i].squares));
        const char *broken = broken_rule("read_counts", counts, NULL);
        if (!*broken != !rows[i].wrong ||
            (rows[i].wrong && strncmp(broken, rows[i].wrong, strlen(rows[i].wrong)) != 0))
            fail_msg("%d: %s", rows[i].squares, broken);
    }
}

/* What a broken document lacks is not read: each of its cells is a group of one row. */
TEST(table_of_little)
{
    json_auto_t *document =
        parsed("{\"devices\": [{\"name\": \"a\"}], \"cells\": [{\"design\": \"x\"}, {}]}");
    FILE *file = tmpfile();
    char line[200];
    size_t groups = 0;
    assert_non_null(file);
    fb_lsm_table(file, document, FB_TABLE_MARKDOWN);
    rewind(file);
    while (fgets(line, sizeof line, file))
        groups += strstr(line, "; a read takes ") != NULL;
    assert_int_equal(groups, 2);
    fclose(file);
}

TESTS(NULL, NULL)

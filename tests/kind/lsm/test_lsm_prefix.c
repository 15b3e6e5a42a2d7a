/* Experiments of kind "lsm" with prefixes: which cells come out, what is derived from scans, keys
 * that are sorted to be scanned. */
#include "tests/kind/lsm/lsm_documents.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/kind/lsm/report/report.h"
#include "workloads/core/sorted_space.h"

/* ---- Cells ---- */

TEST(cells)
{
    static const char *const ids[] = {
        "flat-2/n=100/norad/sbbf-512/bpk=10/uniform/absent=1",
        "flat-2/n=100/norad/sbbf-512/fixed:3/bpk=10/uniform/absent=1",
        "flat-2/n=100/norad/sbbf-512/capped:5/bpk=10/uniform/absent=1",
        "flat-2/n=100/norad/sbbf-512/key+fixed:3/bpk=10/uniform/absent=1",
        "flat-2/n=100/norad/sbbf-512/key+capped:5/bpk=10/uniform/absent=1",
        "flat-2/n=100/norad/always/absent=1",
        "flat-2/n=100/norad/arrival/sbbf-512/bpk=10/uniform/absent=1",
    };
    struct fb_lsm e =
        resolved("{\"designs\": [\"sbbf-512\", \"always\"], \"bits_per_key\": 10, \"style\": "
                 "\"flat\", \"runs\": 2, \"n\": 100, \"keys\": \"norad\", \"scans\": 5, "
                 "\"order\": [\"shuffle\", \"arrival\"], \"prefix_whole_key\": [false, true], "
                 "\"prefixes\": [\"fixed:3\", \"none\", \"capped:5\"]}");
    size_t n;
    auto_free struct fb_lsm_cell *cells = fb_lsm_cells(&e, &n);
    assert_non_null(cells);
    assert_int_equal(n, 2 * (5 + 1)); /* a control holds nothing, hence no prefixes */
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        assert_string_equal(cells[i].id, ids[i]);
    assert_int_equal(e.n_scan_prefixes, 2); /* those of prefixes, as no scan_prefix is given */
    assert_string_equal(e.scan_prefixes[1].text, "capped:5");
    assert_true(fb_lsm_sorts(&e, &e.trees[0], 100));
    assert_false(fb_lsm_sorts(&e, &e.trees[0], FB_LSM_SORT_LIMIT));
    fb_lsm_close(&e);
}

TEST(refuses)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"{\"bits_per_key\": 10, \"scans\": 5}", "scans: no prefix to scan for"},
        {"{\"bits_per_key\": 10, \"prefixes\": [\"fixed:0\"]}",
         "prefixes: 'fixed:0' is not accepted"},
        {"{\"bits_per_key\": 10, \"scan_prefix\": \"none\"}", "a scan needs a prefix"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_refused(rows[i].text, rows[i].words);
}

/* ---- Rates ---- */

/* Four scans of six files in four runs: (in range, read, read in vain) 4 2 1, 4 1 0, 2 2 2, 0 0 0.
 */
static json_t *four_scans(void)
{
    return parsed(
        "{\"runs\": [{\"memtable\": true, \"segments\": 1}, "
        "{\"memtable\": false, \"segments\": 1, \"model\": 0.2}, "
        "{\"memtable\": false, \"segments\": 1, \"model\": 0.2}, "
        "{\"memtable\": false, \"segments\": 1, \"model\": 0.2}, "
        "{\"memtable\": false, \"segments\": 3, \"model\": 0.24}], \"scans\": [{\"prefix\": "
        "\"fixed:3\", \"scans\": 4, \"held\": 2, \"blind\": 0, \"memtable_searches\": 4, "
        "\"range_checks\": 16, \"pruned\": 6, \"asked\": 10, \"read_true\": 2, \"read_false\": 3, "
        "\"skipped\": 5, \"false_negatives\": 0, \"range_squares\": 36, \"range_reads\": 16, "
        "\"range_false\": 8, \"reads_false\": 6, \"false_squares\": 5, \"pruned_squares\": 20, "
        "\"io_squares\": 9, \"io_histogram\": [1, 1, 2]}]}");
}

/* The rule that a cell of four scans breaks. */
static const char *wrong_scan(const json_t *cell)
{
    json_auto_t *document = parsed("{\"experiment\": {\"scans\": 4}}");
    const char *broken =
        broken_rule("scan_counts", json_array_get(json_object_get(cell, "scans"), 0), document);
    return *broken ? broken : broken_rule("lsm_cell", cell, document);
}

TEST(rates)
{
    json_auto_t *cell = four_scans();
    assert_string_equal(wrong_scan(cell), "");
    json_auto_t *rates = fb_lsm_scan_rates(cell);
    const json_t *r = json_array_get(rates, 0);
    assert_int_equal(json_array_size(rates), 1);
    assert_near(at(r, "files_in_range"), 2.5, 1e-12);
    assert_near(at(r, "reads"), 1.25, 1e-12);
    assert_near(at(r, "runs_pruned"), 6.0 / 16, 1e-12);
    assert_near(at(r, "skipped"), 0.5, 1e-12);
    assert_near(at(r, "read_in_vain"), 3.0 / 8, 1e-12);
    assert_near(at(r, "unread"), 1 - 1.25 / 6, 1e-12);
    assert_near(at(r, "held"), 0.5, 1e-12);
    assert_near(at(r, "model"), (3 * 0.2 + 3 * 0.24) / 6, 1e-12);
    assert_near(at(r, "ratio"), 0.375 / 0.22, 1e-12);
    /* Reads 2 1 2 0: variance 9 / 4 - 25 / 16, of the mean of four. */
    double half = 1.959963984540054 * sqrt((9.0 / 4 - 25.0 / 16) / 4);
    assert_near(at(r, "reads_ci95.high"), 1.25 + half, 1e-12);
    assert_near(at(r, "reads_ci95.low"), 1.25 - half, 1e-12);
    /* Skipped 2 3 0 0 of 4 4 2 0: left of half of them 0 1 -1 0. */
    half = 1.959963984540054 * sqrt(2) / 10;
    assert_near(at(r, "skipped_ci95.high"), 0.5 + half, 1e-12);
    /* In vain 1 0 2 0 of 3 3 2 0 without: left of 3 / 8 of them -1/8 -9/8 10/8 0. */
    half = 1.959963984540054 * sqrt((1 + 81 + 100) / 64.0) / 8;
    assert_near(at(r, "read_in_vain_ci95.high"), 0.375 + half, 1e-12);
    assert_near(at(r, "read_in_vain_ci95.low"), fmax(0, 0.375 - half), 1e-12);
}

/* A formula is for scans that asked filters, each of them by a prefix. */
TEST(models_of_scans)
{
    static const struct {
        const char *name;
        json_int_t value;
    } edits[] = {{"blind", 1}, {"asked", 0}};
    for (size_t i = 0; i < 2; i++) {
        json_auto_t *cell = four_scans();
        json_object_set_new(json_array_get(json_object_get(cell, "scans"), 0), edits[i].name,
                            json_integer(edits[i].value));
        json_auto_t *rates = fb_lsm_scan_rates(cell);
        assert_true(json_is_null(fb_json_at(json_array_get(rates, 0), "model")));
        assert_true(json_is_null(fb_json_at(json_array_get(rates, 0), "ratio")));
    }
}

TEST(contradictions)
{
    static const struct {
        const char *name;
        json_int_t value;
        const char *says;
    } edits[] = {{"held", 5, "held <= scans"},
                 {"scans", 5, "sum(io_histogram) = scans"},
                 {"read_true", 3, "sum(at * io_histogram) = read_true + read_false if"},
                 {"asked", 4, "asked >= skipped"},
                 {"asked", 11, "asked <= read_true + read_false + skipped"},
                 {"pruned", 17, "pruned <= range_checks"},
                 {"range_checks", 17, "least(scans.range_checks)"},
                 {"memtable_searches", 3, "least(scans.memtable_searches)"},
                 {"io_squares", 10, "sum(at * at * io_histogram) = io_squares"},
                 {"range_squares", 15, "range_reads <= range_squares"},
                 {"range_reads", 8, "io_squares <= range_reads"},
                 {"reads_false", 10, "reads_false <= io_squares"},
                 {"false_squares", 7, "false_squares <= reads_false"},
                 {"range_false", 5, "reads_false <= range_false"},
                 {"range_false", 17, "range_false <= range_reads"}};
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        json_auto_t *cell = four_scans();
        json_t *scan = json_array_get(json_object_get(cell, "scans"), 0);
        json_object_set_new(scan, edits[i].name, json_integer(edits[i].value));
        const char *broken = wrong_scan(cell);
        if (strncmp(broken, edits[i].says, strlen(edits[i].says)) != 0)
            fail_msg("%s: %s", edits[i].name, broken);
    }
}

/* ---- Expectation ---- */

/* Two runs of the same size, all keys absent. */
static double error_of(const char *params)
{
    char text[2000];
    static const char *const run = "{\"memtable\": false, \"keys\": 1000, \"segments\": 1, "
                                   "\"units\": 1, \"bytes\": 1250, \"probes\": 7, \"model\": 0.1, "
                                   "\"holder_share\": 0, \"in_range\": 1}";
    snprintf(text, sizeof text,
             "{\"devices\": [], \"cells\": [{\"params\": {\"absent\": 1, %s}, \"filter\": "
             "{\"bytes\": 2500}, \"n\": 2000, \"effective\": {}, \"runs\": [%s, %s], \"counts\": "
             "{\"queries\": 100000000, \"absent\": 100000000, \"data_false\": 20000000, "
             "\"data_found\": 0, \"data_tombstone\": 0, \"run_reached\": [100000000, 100000000], "
             "\"run_asked\": [100000000, 100000000], \"run_false\": [10000000, 10000000], "
             "\"run_held\": [0, 0]}}]}",
             params, run, run);
    json_auto_t *document = parsed(text);
    json_t *cell = json_array_get(json_object_get(document, "cells"), 0);
    fb_lsm_derive(cell, document);
    double se = at(cell, "expectation.se");
    return se;
}

TEST(shared_prefixes_deviate_together)
{
    double apart = error_of("\"prefix\": null, \"whole_key\": true");
    double together = error_of("\"prefix\": \"fixed:3\", \"whole_key\": true");
    assert_near(together / apart, sqrt(2), 0.01);
    /* Prefixes alone: no formula, hence the measured rates. */
    assert_true(error_of("\"prefix\": \"fixed:3\", \"whole_key\": false") < apart / 10);
}

/* ---- Sorted spaces ---- */

TEST(sorted_space)
{
    static const enum fb_order orders[] = {FB_ORDER_SHUFFLE, FB_ORDER_ARRIVAL};
    for (int o = 0; o < 2; o++) {
        struct fb_keyspace from, space;
        closed_by(fb_sorted_space_close) struct fb_sorted_space owned;
        uint8_t a[64], b[64];
        fb_keyspace_generate_sparse(fb_keygen_find("norad"), orders[o], 20000, 2, 7, &from);
        assert_int_equal(fb_sorted_space_make(&from, &owned, &space), FB_OK);
        assert_int_equal(space.size, from.size);
        assert_int_equal(space.n_present, from.n_present);
        for (uint64_t arrival = 0; arrival < from.size; arrival += 7) {
            uint64_t index = fb_keyspace_index(&space, arrival);
            size_t len = fb_keyspace_write(&space, index, a);
            assert_int_equal(fb_keyspace_arrival(&space, index), arrival);
            assert_int_equal(fb_keyspace_write(&from, fb_keyspace_index(&from, arrival), b), len);
            assert_memory_equal(a, b, len);
        }
        size_t below = fb_keyspace_write(&space, 0, a);
        for (uint64_t i = 1; i < space.size; i++) {
            size_t len = fb_keyspace_write(&space, i, b);
            assert_int_equal(len, below); /* of norad all are as long */
            assert_true(memcmp(a, b, len) < 0);
            memcpy(a, b, len);
        }
    }
}

TESTS(NULL, NULL)

/* Running cells into a document: false negatives, cells that cannot be, and cells read back. */
#include <stdlib.h>
#include <string.h>

#include "harness/filter/bits_taken.h"
#include "harness/kind/fpr/rates.h"
#include "tests/documents.h"

static struct fb_rates_cell small_cell(const struct fb_design *design)
{
    struct fb_rates_cell cell = {
        .keys = "random",
        .capacity_factor = 1,
        .spec = {.design = design,
                 .params = {.bits_per_key =
                                design->traits & FB_CONTROL ? 0 : fb_bits_taken(design, 10)},
                 .n_keys = 100,
                 .keygen = fb_keygen_find("random"),
                 .filters = 3,
                 .probes_per_filter = 500,
                 .root = 1},
    };
    snprintf(cell.id, sizeof cell.id, "%s/test", design->name);
    return cell;
}

static json_t *empty_document(void)
{
    char *argv[] = {"run", "te\xffst", NULL};
    return fb_result_begin("fpr", 2, argv, 1, NULL);
}

static int run(const struct fb_rates_cell *cells, size_t n, json_t *document)
{
    struct fb_work whole = {.shard = FB_WHOLE, .document = document};
    return fb_rates_run(cells, n, 1, &whole, document);
}

static size_t count_of(const json_t *document, const char *list)
{
    return json_array_size(json_object_get(document, list));
}

TEST(every_design_comes_back)
{
    for (size_t i = 0; i < fb_n_designs(); i++) {
        struct fb_rates_cell cell = small_cell(fb_design_at(i));
        closed_by(fb_fpr_counts_close) struct fb_fpr_counts counts;
        struct fb_problem problem;
        json_auto_t *document = empty_document();
        assert_int_equal(run(&cell, 1, document), FB_EXIT_OK);
        assert_true(fb_rates_derive(&cell, 1, document, &problem));
        const json_t *json = json_array_get(json_object_get(document, "cells"), 0);
        auto_free char *text = json_dumps(json, JSON_REAL_PRECISION(17));
        assert_non_null(text);
        json_auto_t *copy = json_loads(text, 0, NULL);
        assert_non_null(copy);
        if (!fb_rates_counts_read(&cell, copy, &counts, &problem))
            fail_msg("%s", problem.text);
        json_auto_t *summary = fb_rates_summary(&cell, &counts);
        assert_true(json_equal(summary, json_object_get(json, "fpr")));
        assert_null(fb_rates_contradiction(&cell, copy));
    }
}

/* The document has the very counts, and the figures that are summarised from them under their own
 * names. */
TEST(counts_are_those_measured)
{
    static const char *const designs[] = {"nori", "leveldb", "sbbf-512-lanes"};
    for (size_t i = 0; i < sizeof designs / sizeof *designs; i++) {
        struct fb_rates_cell cell = small_cell(fb_design_find(designs[i]));
        closed_by(fb_fpr_counts_close) struct fb_fpr_counts c;
        struct fb_fpr_summary s;
        const char *why;
        bool complete;
        assert_int_equal(fb_fpr_measure(&cell.spec, 1, &c, &complete, &why), FB_OK);
        fb_fpr_summarise(&cell.spec, &c, &s);
        json_auto_t *json = fb_rates_cell_json(&cell, &c), *fpr = fb_rates_summary(&cell, &c);
        const json_t *counts = json_object_get(json, "counts");
        uint64_t sum = 0, different = 0;
        for (size_t f = 0; f < c.filters; f++) {
            assert_int_equal(
                json_integer_value(json_array_get(json_object_get(counts, "events"), f)),
                c.events[f]);
            sum += c.events[f];
            different += c.events[f] != c.events[0];
        }
        assert_true(different > 0);
        assert_true(at(counts, "filters") == 3 && at(counts, "probes_each") == 500);
        assert_true(at(counts, "n_keys") == 100 && at(counts, "n_entries") == 100);
        assert_true(at(counts, "filter_bytes") == (double)c.filter_bytes);
        assert_true(at(counts, "block_bytes") == (double)c.block_bytes);
        assert_true(strtoull(fb_json_str(counts, "block_checksum"), NULL, 16) == c.block_checksum);
        assert_true(at(fpr, "events") == (double)sum && at(fpr, "probes") == 1500);
        assert_true(at(fpr, "estimate") == s.estimate && at(fpr, "se") == s.se);
        assert_true(at(fpr, "wilson95.low") == s.wilson95.low);
        assert_true(at(fpr, "wilson95.high") == s.wilson95.high);
        assert_true(at(fpr, "t95.low") == s.rate95.low && at(fpr, "t95.high") == s.rate95.high);
        assert_true(at(fpr, "worst") == s.worst && at(fpr, "best") == s.best);
        assert_true(at(fpr, "sd_filters") == s.sd_filters && at(fpr, "z") == s.z);
        assert_true(at(fpr, "model.value") == s.model && at(fpr, "model.se") == s.model_se);
        assert_true(at(fpr, "ratio") == s.ratio && at(fpr, "upper95") == s.upper95);
        assert_true(at(fpr, "bits_per_key") == s.bits_per_key && at(fpr, "wasted") == s.wasted);
        assert_true(at(fpr, "bound_bits") == s.bound_bits);
    }
}

/* A cell with a precision may have several times the filters that it asks for. */
TEST(filters_come_by_the_number_asked_for)
{
    struct fb_rates_cell cell = small_cell(fb_design_find("bloom-double"));
    closed_by(fb_fpr_counts_close) struct fb_fpr_counts c;
    const char *why;
    bool complete;
    cell.spec.filters = 6;
    assert_int_equal(fb_fpr_measure(&cell.spec, 1, &c, &complete, &why), FB_OK);
    json_auto_t *json = fb_rates_cell_json(&cell, &c);
    static const struct {
        size_t filters;
        double precision;
        bool fits;
    } rows[] = {{6, 0, true},   {3, 0, false},   {2, 0.1, true},  {3, 0.1, true},
                {6, 0.1, true}, {4, 0.1, false}, {5, 0.1, false}, {12, 0.1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cell.spec.filters = rows[i].filters;
        cell.spec.precision = rows[i].precision;
        assert_int_equal(!fb_rates_contradiction(&cell, json), rows[i].fits);
    }
}

static bool deny(const struct fb_filter *f, const uint64_t *digest)
{
    (void)f, (void)digest;
    return false;
}

static size_t deny_batch(const struct fb_filter *f, const uint64_t *digests, size_t n,
                         uint8_t *maybe)
{
    (void)f, (void)digests;
    memset(maybe, 0, n);
    return 0;
}

/* A design that forgets its keys ends the run, and the document says which cell it was. */
TEST(false_negative)
{
    struct fb_design lossy = *fb_design_find("bloom-independent");
    struct fb_kernel kernel = *lossy.kernels[0];
    const struct fb_kernel *kernels[] = {&kernel, NULL};
    kernel.query = deny;
    kernel.query_batch = deny_batch;
    lossy.kernels = kernels;
    lossy.name = "lossy";
    struct fb_rates_cell cells[] = {small_cell(fb_design_find("nori")), small_cell(&lossy),
                                    small_cell(fb_design_find("leveldb"))};
    json_auto_t *document = empty_document();
    assert_int_equal(run(cells, 3, document), FB_EXIT_CORRECTNESS);
    assert_int_equal(count_of(document, "cells"), 2);
    const json_t *last = json_array_get(json_object_get(document, "cells"), 1);
    const json_t *counts = json_object_get(last, "counts");
    assert_string_equal(json_string_value(json_object_get(last, "id")), "lossy/test");
    assert_int_equal(json_integer_value(json_object_get(counts, "false_negatives")), 300);
    assert_int_equal(count_of(document, "warnings"), 1);
}

/* A rate far from theory is a warning, not an end. */
static double optimist(const struct fb_geometry *geom, uint64_t n_keys)
{
    (void)geom, (void)n_keys;
    return 1e-4;
}

TEST(wrong_theory)
{
    struct fb_design wrong = *fb_design_find("bloom-independent");
    wrong.fpr = optimist;
    struct fb_rates_cell cell = small_cell(&wrong);
    cell.spec.probes_per_filter = 20000;
    json_auto_t *document = empty_document();
    assert_int_equal(run(&cell, 1, document), FB_EXIT_OK);
    struct fb_problem problem;
    assert_true(fb_rates_derive(&cell, 1, document, &problem));
    fb_rates_warn(document);
    const json_t *warning = json_array_get(json_object_get(document, "warnings"), 0);
    assert_string_equal(json_string_value(json_object_get(warning, "code")), "theory");
}

TEST(skipped)
{
    struct fb_rates_cell cells[] = {small_cell(fb_design_find("nori")),
                                    small_cell(fb_design_find("nori"))};
    json_t *document = empty_document();
    cells[0].why = "no such filter";
    assert_int_equal(run(cells, 2, document), FB_EXIT_OK);
    assert_int_equal(count_of(document, "skipped"), 1);
    assert_int_equal(count_of(document, "cells"), 1);
    json_decref(document);
    document = empty_document();
    assert_int_equal(run(cells, 1, document), FB_EXIT_USAGE);
    json_decref(document);
}

/* Cells are data from outside once they stand in a file. */
TEST(bad_cells)
{
    static const char *const changes[] = {
        "{\"counts\": {\"filters\": 4}}",
        "{\"counts\": {\"events\": [1, 2]}}",
        "{\"counts\": {\"false_negatives\": 1}}",
        "{\"counts\": {\"probes_each\": -1}}",
        "{\"counts\": {\"checksum\": 7}}",
        "{\"design\": \"nori0\"}",
        "{\"n\": \"100\"}",
        "{\"geometry\": {\"probes\": 1000000}}",
        "{\"params\": {\"fpr\": \"x\"}}",
        "{\"params\": {\"hash\": \"none\"}}",
        "{\"counts\": {\"n_entries\": 4611686018427387904}}",
        ("{\"counts\": {\"model\": {\"filters\": 1, \"probes\": 0, \"events\": 0, "
         "\"squares\": 0}}}"),
    };
    struct fb_rates_cell cell = small_cell(fb_design_find("nori"));
    json_auto_t *document = empty_document();
    assert_int_equal(run(&cell, 1, document), FB_EXIT_OK);
    const json_t *good = json_array_get(json_object_get(document, "cells"), 0);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        json_auto_t *bad = json_deep_copy(good), *change = json_loads(changes[i], 0, NULL);
        assert_int_equal(json_object_update_recursive(bad, change), 0);
        if (!fb_rates_contradiction(&cell, bad))
            fail_msg("accepted: %s", changes[i]);
    }
}

TESTS(NULL, NULL)

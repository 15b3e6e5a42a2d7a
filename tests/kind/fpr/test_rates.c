/* Experiments: what resolves to what, what is refused with which words, which cells come out. */
#include "tests/documents.h"

#include <stdlib.h>

#include "harness/document/points.h"
#include "harness/kind/fpr/rates.h"

static struct fb_rates resolved(const char *text)
{
    struct fb_rates e;
    struct fb_problem problem;
    json_auto_t *document = parsed(text);
    if (!fb_rates_resolve(document, &e, &problem))
        fail_msg("%s: %s", text, problem.text);
    return e;
}

TEST(defaults)
{
    closed_by(fb_rates_close) struct fb_rates e = resolved("{\"bits_per_key\": 10}");
    assert_string_equal(fb_json_str(e.document, "name"), "experiment");
    assert_int_equal(fb_rates_list(&e, "bits_per_key"), 1);
    assert_true(fb_rates_entry(&e, "bits_per_key", 0) == 10);
    assert_int_equal(fb_rates_list(&e, "fpr"), 0);
    assert_int_equal(fb_rates_list(&e, "n"), 1);
    assert_true(fb_rates_entry(&e, "n", 0) == 10000);
    assert_int_equal(e.asked.filters, 32);
    assert_int_equal(e.asked.probes_per_filter, 65536);
    assert_true(e.asked.precision == 0);
    assert_int_equal(e.asked.root, 0x5eed);
    assert_null(e.asked.hash);
    assert_int_equal(fb_rates_list(&e, "keys"), 1);
    assert_string_equal(e.keygens[0].name, "random");
    const json_t *designs = json_object_get(e.document, "designs");
    for (size_t i = 0; i < json_array_size(designs); i++)
        assert_false(fb_is_control(json_string_value(json_array_get(designs, i))));
}

TEST(resolves_to_itself)
{
    static const char *const texts[] = {
        "{\"bits_per_key\": 10.5}",
        "{\"fpr\": [0.1, 1e-5], \"designs\": \"all\", \"n\": {\"from\": 10, \"to\": 99, "
        "\"per_octave\": 3}, \"keys\": [\"dec6\", \"file\"], \"seed\": \"0xFFFFFFFFFFFFFFFF\", "
        "\"hash\": \"xxh3-64\", \"capacity_factor\": [0.5, 1, 2], \"precision\": 0.02}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        closed_by(fb_rates_close) struct fb_rates first = resolved(texts[i]), second;
        struct fb_problem problem;
        assert_true(fb_rates_resolve(first.document, &second, &problem));
        assert_true(json_equal(first.document, second.document));
        assert_string_equal(hash_of(first.document).hex, hash_of(second.document).hex);
    }
}

/* The hash says what is measured: not the words, not how a number is written. */
TEST(hash)
{
    static const char *const same[] = {
        "{\"designs\": [\"nori\"], \"bits_per_key\": [10], \"n\": [1000]}",
        ("{\"n\": 1e3, \"bits_per_key\": 10.0, \"designs\": \"nori\", \"name\": \"other\", "
         "\"summary\": \"words\", \"source\": \"s\", \"runtime\": \"r\"}"),
        "{\"n\": [1000, 1000], \"bits_per_key\": [10, 1e1], \"designs\": [\"nori\", \"nori\"]}",
    };
    static const char *const others[] = {
        "{\"designs\": [\"nori\"], \"bits_per_key\": [10], \"n\": [1001]}",
        "{\"designs\": [\"nori\"], \"bits_per_key\": [10], \"n\": [1000], \"seed\": \"0x1\"}",
        "{\"designs\": [\"leveldb\"], \"bits_per_key\": [10], \"n\": [1000]}",
        "{\"designs\": [\"nori\"], \"bits_per_key\": [10], \"n\": [1000], \"hash\": \"xxh64\"}",
    };
    closed_by(fb_rates_close) struct fb_rates e = resolved(same[0]);
    for (size_t i = 1; i < sizeof same / sizeof *same; i++) {
        closed_by(fb_rates_close) struct fb_rates again = resolved(same[i]);
        assert_string_equal(hash_of(e.document).hex, hash_of(again.document).hex);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        closed_by(fb_rates_close) struct fb_rates other = resolved(others[i]);
        assert_string_not_equal(hash_of(e.document).hex, hash_of(other.document).hex);
    }
}

TEST(sweep)
{
    static const uint64_t expected[] = {100, 141, 200, 283, 400, 450};
    struct fb_rates e =
        resolved("{\"fpr\": 0.01, \"n\": {\"from\": 100, \"to\": 450, \"per_octave\": 2}}");
    assert_int_equal(fb_rates_list(&e, "n"), 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(fb_rates_entry(&e, "n", i), expected[i]);
    fb_rates_close(&e);
    /* Rounding makes no repeats. */
    e = resolved("{\"fpr\": 0.01, \"n\": {\"from\": 1, \"to\": 8, \"per_octave\": 256}}");
    assert_int_equal(fb_rates_list(&e, "n"), 8);
    fb_rates_close(&e);
}

TEST(refusals)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"{}", "no size; give at least one"},
        {"{\"bits_per_key\": []}", "no size; give at least one"},
        {"{\"bits_per_key\": [10, 0]}",
         "bits_per_key[1]: 0 is not accepted; give a number above 0"},
        {"{\"fpr\": 0.1, \"n\": -1}", "n: -1 is not accepted; give a count from 0 to 1e9"},
        {"{\"fpr\": 0.1, \"n\": 1.5}", "n: 1.5 is not accepted"},
        {"{\"fpr\": 0.1, \"n\": {\"from\": 1, \"too\": 2}}", "n.too: unknown field, did you mean"},
        {"{\"fpr\": 0.1, \"n\": {\"from\": 1}}", "n.to: "},
        {"{\"fpr\": 0.1, \"n\": {\"from\": 9, \"to\": 5, \"per_octave\": 1}}", "n.to: below from"},
        {"{\"fpr\": 0.1, \"n\": {\"from\": 1, \"to\": 5, \"per_octave\": 0}}", "n.per_octave: 0"},
        {"{\"fpr\": 0.1, \"keys\": [\"randm\"]}",
         "keys: there is no kind of keys 'randm', did you mean "
         "'random'?"},
        {"{\"fpr\": [0.1, 0.01, 0.001], \"designs\": \"nori\", \"n\": {\"from\": 1, \"to\": "
         "1000000000, \"per_octave\": 256}, \"keys\": [\"random\", \"sequential\", \"dec6\"], "
         "\"capacity_factor\": [1, 2, 3, 4]}",
         "cells; at most 100000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        closed_by(fb_rates_close) struct fb_rates e = {0};
        struct fb_problem problem = {"accepted"};
        json_auto_t *document = experiment_of(cases[i].text, strlen(cases[i].text), &problem);
        if (document && fb_rates_resolve(document, &e, &problem))
            fail_msg("accepted: %s", cases[i].text);
        assert_says(cases[i].text, &problem, cases[i].words);
    }
}

TEST(set)
{
    static const struct {
        const char *field, *value;
        bool accepted;
    } cases[] = {
        {"filters", "4", true},
        {"designs", "nori", true},
        {"bits_per_key", "[8, 12]", true},
        {"n", "{\"from\": 2000, \"to\": 4000, \"per_octave\": 1}", true},
        {"keys", "[\"dec6\"]", true},
        {"summary", "\xff", false},
    };
    struct fb_problem problem;
    closed_by(fb_rates_close) struct fb_rates e;
    json_auto_t *document =
        parsed("{\"bits_per_key\": [8, 10], \"filters\": 32, \"n\": {\"from\": 1000, "
               "\"to\": 4000, \"per_octave\": 1}}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (fb_experiment_set(document, cases[i].field, cases[i].value, &problem) !=
            cases[i].accepted)
            fail_msg("%s=%s", cases[i].field, cases[i].value);
    assert_true(fb_rates_resolve(document, &e, &problem));
    assert_int_equal(e.asked.filters, 4);
    assert_int_equal(fb_rates_list(&e, "designs"), 1);
    assert_true(fb_rates_entry(&e, "bits_per_key", 0) == 8);
    assert_true(fb_rates_entry(&e, "bits_per_key", 1) == 12);
    assert_int_equal(fb_rates_entry(&e, "n", 0), 2000);
    assert_string_equal(e.keygens[0].name, "dec6");
}

TEST(cells)
{
    static const struct {
        const char *id;
        uint64_t capacity;
        bool possible;
    } expected[] = {
        {"nori/bpk=10.5/n=1000/random/capacity=0.5", 500, false},
        {"leveldb/bpk=8/n=1000/random/capacity=0.5", 500, true},
        {"null/n=1000/random", 0, true},
        {"leveldb/fpr=0.01/n=1000/random", 0, true},
    };
    struct fb_rates e =
        resolved("{\"designs\": [\"nori\", \"leveldb\", \"null\"], \"bits_per_key\": [8, 10.5], "
                 "\"fpr\": 0.01, \"n\": 1000, \"capacity_factor\": [0.5, 1]}");
    size_t n_cells, found = 0;
    auto_free struct fb_rates_cell *cells = fb_rates_cells(&e, NULL, &n_cells);
    assert_non_null(cells);
    assert_int_equal(n_cells, 2 * 3 * 2 + 1);
    for (size_t i = 0; i < n_cells; i++) {
        assert_true(cells[i].spec.params.bits_per_key == 0 || cells[i].spec.params.fpr == 0);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(cells[i].id, cells[j].id);
        for (size_t j = 0; j < sizeof expected / sizeof *expected; j++) {
            if (strcmp(cells[i].id, expected[j].id))
                continue;
            assert_int_equal(cells[i].spec.params.capacity, expected[j].capacity);
            assert_int_equal(!cells[i].why, expected[j].possible);
            found++;
        }
    }
    assert_int_equal(found, sizeof expected / sizeof *expected);
    fb_rates_close(&e);
}

/* A file's keys: half present, and no more asked than were held out. */
TEST(file_cells)
{
    static const uint64_t offset[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    struct fb_keys file = {.bytes = (const uint8_t *)"abcdefghijk", .offset = offset, .n = 11};
    closed_by(fb_rates_close) struct fb_rates e =
        resolved("{\"designs\": \"nori\", \"bits_per_key\": 10, \"n\": [7, 9], "
                 "\"keys\": [\"random\", \"file\"]}");
    size_t n_cells;
    auto_free struct fb_rates_cell *cells = fb_rates_cells(&e, &file, &n_cells);
    assert_non_null(cells);
    assert_int_equal(n_cells, 3);
    assert_string_equal(cells[2].id, "nori/bpk=10/n=5/file");
    assert_ptr_equal(cells[2].spec.file, &file);
    assert_null(cells[2].spec.keygen);
    assert_int_equal(cells[2].spec.probes_per_filter, 6);
}

TESTS(NULL, NULL)

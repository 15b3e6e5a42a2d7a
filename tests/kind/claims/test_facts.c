/* Facts of a row: noted, taken back, and refused where they are not those that were counted. */
#include "tests/unit.h"

#include <string.h>

#include "harness/kind/claims/procedure/procedure.h"

/* One record of a number and a list under a bench. */
static void record(struct fb_bench *bench, uint64_t *one, uint64_t *list, size_t n)
{
    bench->taken = 0;
    bench->err = FB_OK;
    fb_bench_facts(bench, (struct fb_fact[]){FB_FACT("one", one), {"list", list, n}, {0}});
}

TEST(what_was_noted_is_taken)
{
    uint64_t one = 5, list[2] = {INT64_MAX, 0}, back = 0, backs[2] = {0};
    struct fb_bench bench = {.facts = json_array()};
    record(&bench, &one, list, 2);
    assert_int_equal(json_array_size(bench.facts), 1);
    bench.phase = FB_PREDICT;
    record(&bench, &back, backs, 2);
    assert_int_equal(back, 0);
    assert_int_equal(bench.taken, 1);
    bench.phase = FB_DERIVE;
    record(&bench, &back, backs, 2);
    assert_int_equal(bench.err, FB_OK);
    assert_int_equal(bench.taken, 1);
    assert_int_equal(back, 5);
    assert_memory_equal(backs, list, sizeof list);
    json_decref(bench.facts);
}

TEST(others_are_refused)
{
    static const struct {
        const char *facts, *why;
    } documents[] = {
        {"[]", "facts: record 0 lacks 'one'"},
        {"[{\"one\": 1}]", "facts: record 0 lacks 'list'"},
        {"[{\"one\": 1.5, \"list\": [1, 2]}]", "facts: record 0 lacks 'one'"},
        {"[{\"one\": -1, \"list\": [1, 2]}]", "facts: record 0 lacks 'one'"},
        {"[{\"one\": 1, \"list\": [1]}]", "facts: record 0 lacks 'list'"},
        {"[{\"one\": 1, \"list\": [1, null]}]", "facts: record 0 lacks 'list'"},
        {"[{\"one\": 1, \"list\": [1, 2], \"two\": 1}]",
         "facts: record 0 says more than was counted"},
    };
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        uint64_t one, list[2];
        struct fb_bench bench = {.phase = FB_DERIVE,
                                 .facts = json_loads(documents[i].facts, 0, NULL)};
        record(&bench, &one, list, 2);
        assert_string_equal(bench.why, documents[i].why);
        json_decref(bench.facts);
    }
}

/* ---- Procedures ---- */

static const struct row {
    const char *procedure, *args; /* JSON with ' in place of " */
} rows[] = {
#define FINDING(procedure, answer, args) {procedure, args},
#include "tests/kind/claims/procedures.def"
#undef FINDING
};

static void assert_same_numbers(const struct row *row, const double *a, const double *b, size_t n)
{
    if (memcmp(a, b, n * sizeof *a) != 0)
        fail_msg("%s of %s: %.17g instead of %.17g", row->procedure, row->args, b[0], a[0]);
}

/* From what a procedure noted it finds what it found, whatever its root. */
TEST(findings_follow_from_facts)
{
    size_t n_noted = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        char text[600];
        struct fb_finding found, derived;
        struct fb_bench bench = {.threads = 1, .root = 11, .facts = json_array()};
        snprintf(text, sizeof text, "%s", row->args);
        for (char *p = text; *p; p++)
            *p = *p == '\'' ? '"' : *p;
        json_auto_t *args = json_loads(text, 0, NULL);
        assert_int_equal(fb_procedure_run(row->procedure, &bench, args, &found), FB_OK);
        n_noted += json_array_size(bench.facts) > 0;
        fb_bench_close(&bench); /* forgets the cells it counted */
        bench.phase = FB_DERIVE;
        if (fb_procedure_run(row->procedure, &bench, args, &derived))
            fail_msg("%s of %s: %s", row->procedure, row->args, bench.why);
        assert_int_equal(derived.n, found.n);
        assert_same_numbers(row, found.theory, derived.theory, found.n);
        assert_same_numbers(row, found.measured, derived.measured, found.n);
        assert_same_numbers(row, found.low, derived.low, found.n);
        assert_same_numbers(row, found.high, derived.high, found.n);
        assert_same_numbers(row, &found.tolerance, &derived.tolerance, 1);
        assert_same_numbers(row, &found.p, &derived.p, 1);
        assert_int_equal(derived.events, found.events);
        assert_int_equal(derived.probes, found.probes);
        assert_int_equal(derived.false_negatives, found.false_negatives);
        assert_int_equal(derived.simulated, found.simulated);
        assert_string_equal(derived.remark, found.remark);
        json_decref(bench.facts);
        fb_bench_close(&bench);
    }
    assert_true(n_noted > 5);
}

TESTS(NULL, NULL)

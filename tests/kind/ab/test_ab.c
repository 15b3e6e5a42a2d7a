/* What derive says of base and head, from samples made by hand: no clock. */
#include "tests/documents.h"

#include <math.h>

#include "harness/kind/ab/ab.h"

enum { MOST = 8 };

/* What a cell's processes see. Process p of n has the speed of its machine, which both share, and a
 * log ratio spread evenly over centre +- half. */
struct seen {
    const char *design, *footprint;
    int processes;
    double centre, half;
    bool second_group; /* half of the processes are so much slower: centre + 0.2 */
};

static json_t *time_of(const struct seen *s, bool head)
{
    json_t *j = json_pack("{s:[], s:[], s:[], s:[]}", "samples_ns", "samples_cpu_ns",
                          "sample_retries", "sample_flags");
    for (int p = 0; p < s->processes; p++) {
        const double even =
            s->processes > 1 ? 2.0 * (p * 7 % s->processes) / (s->processes - 1) - 1 : 0;
        const double speed = 2 * (1 + 0.1 * (p % 3));
        const double d = s->centre + s->half * even + (s->second_group && p % 2 ? 0.2 : 0);
        const double ns = speed * (head ? exp(d) : 1);
        json_array_append_new(json_object_get(j, "samples_ns"), json_pack("[f, f]", ns, ns));
        json_array_append_new(json_object_get(j, "samples_cpu_ns"), json_pack("[f, f]", ns, ns));
        json_array_append_new(json_object_get(j, "sample_retries"), json_pack("[i, i]", 0, 0));
        json_array_append_new(json_object_get(j, "sample_flags"), json_pack("[i, i]", 0, 0));
    }
    return j;
}

static json_t *times_of(const struct seen *s)
{
    return json_pack("{s:o, s:o}", "base", time_of(s, false), "head", time_of(s, true));
}

/* A document of cells; again[i].processes 0: not measured again. */
static json_t *document_of(const struct seen *first, const struct seen *again, size_t n)
{
    json_t *cells = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *cell = times_of(&first[i]);
        json_object_set_new(cell, "id",
                            json_sprintf("%s/%s/batch", first[i].design, first[i].footprint));
        json_object_set_new(cell, "design", json_string(first[i].design));
        json_object_set_new(cell, "footprint", json_string(first[i].footprint));
        json_object_set_new(cell, "operation", json_string("batch"));
        json_object_set_new(cell, "again",
                            again && again[i].processes ? times_of(&again[i]) : json_null());
        json_array_append_new(cells, cell);
    }
    return json_pack("{s:o, s:{s:{s:[]}, s:{s:[]}}, s:{s:{s:f, s:f}}, s:[]}", "cells", cells,
                     "exact", "base", "cells", "head", "cells", "timing", "process_s", "L1", 0.5,
                     "L2", 0.25, "warnings");
}

/* Derived by an experiment of these fields, on a machine of that calibration (NULL: of none). It is
 * there until the next is. */
static const json_t *derived_with(json_t *calibration, const char *experiment,
                                  const struct seen *first, const struct seen *again, size_t n)
{
    closed_by(fb_ab_close) struct fb_ab ab;
    struct fb_problem problem = {""};
    static json_t *document;
    json_auto_t *given = parsed(experiment);
    json_decref(document);
    document = document_of(first, again, n);
    json_object_set_new(document, "calibration", calibration ? calibration : json_null());
    if (!fb_ab_resolve(given, &ab, &problem) || !fb_ab_derive(&ab, document, &problem))
        fail_msg("%s", problem.text);
    fb_ab_warn(document);
    return document;
}

static const json_t *derived(const char *experiment, const struct seen *first,
                             const struct seen *again, size_t n)
{
    return derived_with(NULL, experiment, first, again, n);
}

static const json_t *change(const json_t *document, size_t i)
{
    return json_object_get(json_array_get(json_object_get(document, "cells"), i), "change");
}

static bool warns(const json_t *document, const char *code)
{
    const json_t *warning;
    size_t i;
    json_array_foreach(json_object_get(document, "warnings"), i, warning)
        if (!strcmp(fb_json_str(warning, "code"), code))
            return true;
    return false;
}

static void assert_verdict(const json_t *document, const char *verdict, enum fb_exit code,
                           enum fb_exit strict_code)
{
    assert_string_equal(fb_json_str(document, "verdict.verdict"), verdict);
    assert_int_equal(fb_ab_judge(document, false), code);
    assert_int_equal(fb_ab_judge(document, true), strict_code);
}

static const char plain[] = "{\"kind\": \"ab\"}";

TEST(nothing_changed)
{
    const struct seen seen[] = {{"a", "L1", 16, 0, 0.02, false},
                                {"a", "L2", 32, 0.01, 0.02, false}};
    const json_t *d = derived(plain, seen, NULL, 2);
    assert_verdict(d, "unchanged", FB_EXIT_OK, FB_EXIT_OK);
    assert_int_equal(at(d, "verdict.unchanged"), 2);
    assert_near(at(d, "verdict.delta"), 0.05, 1e-12);
    assert_near(at(change(d, 1), "ratio"), exp(0.01), 1e-3);
    assert_int_equal(at(change(d, 1), "processes"), 32);
    assert_int_equal(at(change(d, 0), "more_processes"), 0);
    assert_true(json_is_null(json_object_get(change(d, 0), "confirmed")));
    assert_true(warns(d, "uncalibrated") && !warns(d, "modes") && !warns(d, "advisory"));
}

/* 10 % slower is found, once fresh processes find it as well. */
TEST(a_regression_is_confirmed)
{
    const struct seen seen[] = {{"a", "L1", 16, log(1.1), 0.02, false},
                                {"a", "L2", 16, 0, 0.02, false}},
                      same[] = {{"a", "L1", 32, log(1.1), 0.02, false}, {0}},
                      gone[] = {{"a", "L1", 32, 0, 0.02, false}, {0}},
                      faster[] = {{"a", "L1", 32, -log(1.1), 0.02, false}, {0}};
    const json_t *d = derived(plain, seen, same, 2);
    assert_verdict(d, "regressed", FB_EXIT_REGRESSED, FB_EXIT_REGRESSED);
    assert_int_equal(at(d, "verdict.regressed"), 1);
    assert_true(json_is_true(json_object_get(change(d, 0), "confirmed")));
    assert_near(at(change(d, 0), "again.ratio"), 1.1, 1e-2);
    assert_int_equal(at(change(d, 0), "again.processes"), 32);

    const struct seen *const others[] = {gone, faster};
    for (int i = 0; i < 2; i++) {
        d = derived(plain, seen, others[i], 2);
        assert_verdict(d, "inconclusive", FB_EXIT_OK, FB_EXIT_INCONCLUSIVE);
        assert_string_equal(fb_json_str(change(d, 0), "verdict"), "inconclusive");
        assert_true(json_is_false(json_object_get(change(d, 0), "confirmed")));
    }
    d = derived(plain, seen, NULL, 2); /* interrupted before it was measured again */
    assert_verdict(d, "inconclusive", FB_EXIT_OK, FB_EXIT_INCONCLUSIVE);
}

TEST(an_improvement)
{
    const struct seen seen[] = {{"a", "L1", 16, -log(1.1), 0.02, false},
                                {"a", "L2", 16, 0, 0.02, false}},
                      again[] = {{"a", "L1", 32, -log(1.1), 0.02, false}, {0}};
    const json_t *d = derived(plain, seen, again, 2);
    assert_verdict(d, "improved", FB_EXIT_OK, FB_EXIT_OK);
    assert_int_equal(at(d, "verdict.improved"), 1);
}

/* +-10 % says nothing of 5 %; how much longer it would take follows from the width. */
TEST(too_wide)
{
    const struct seen seen[] = {{"a", "L1", 16, 0, 0.02, false}, {"a", "L2", 16, 0, 0.15, false}};
    const json_t *d = derived(plain, seen, NULL, 2);
    assert_verdict(d, "inconclusive", FB_EXIT_OK, FB_EXIT_INCONCLUSIVE);
    const double more = at(change(d, 1), "more_processes");
    assert_true(more > 5);
    assert_near(at(change(d, 1), "more_s"), more / 4, 1e-9);
    assert_int_equal(at(change(d, 0), "more_s"), 0);
}

/* A delta that was asked for and that 64 processes would not show; where 5 % was not asked for,
 * nothing says that the machine cannot. */
TEST(what_the_machine_cannot_resolve)
{
    const struct seen seen[] = {{"a", "L1", 16, 0, 0.02, false}, {"a", "L2", 16, 0, 0.5, false}},
                      slow[] = {{"a", "L1", 16, 0.3, 0.02, false}, {"a", "L2", 16, 0, 0.5, false}},
                      again[] = {{"a", "L1", 32, 0.3, 0.02, false}, {0}};
    const json_t *d = derived("{\"kind\": \"ab\", \"delta\": 0.05}", seen, NULL, 2);
    assert_verdict(d, "unresolved", FB_EXIT_UNRESOLVED, FB_EXIT_UNRESOLVED);
    assert_true(json_is_true(json_object_get(change(d, 0), "resolves")));
    assert_true(json_is_false(json_object_get(change(d, 1), "resolves")));
    d = derived(plain, seen, NULL, 2);
    assert_verdict(d, "inconclusive", FB_EXIT_OK, FB_EXIT_INCONCLUSIVE);
    d = derived("{\"kind\": \"ab\", \"delta\": 0.05}", slow, again, 2); /* found all the same */
    assert_verdict(d, "regressed", FB_EXIT_REGRESSED, FB_EXIT_REGRESSED);
    d = derived("{\"kind\": \"ab\", \"delta\": 0.9}", seen, NULL, 2);
    assert_verdict(d, "unchanged", FB_EXIT_OK, FB_EXIT_OK);
}

/* A profile of n comparisons of equal designs whose ratios are spread over 1 +- 0.0001 n in L1 and
 * twice as far in L2, every tenth of them a false alarm, and of 8 with a slower revision. */
static json_t *profile_of(int n)
{
    json_t *profile = fb_profile_new();
    for (int i = 0; i < n + 8; i++) {
        const double away = (i % 2 ? 0.0001 : -0.0001) * (i + 1);
        json_auto_t *document =
            json_pack("{s:[{s:s, s:{s:f}}, {s:s, s:{s:f}}]}", "cells", "footprint", "L1", "change",
                      "ratio", 1 + away, "footprint", "L2", "change", "ratio", 1 + 2 * away);
        const bool regressed = i < n ? i % 10 == 9 : i != n;
        fb_profile_add(profile, document, i < n ? 0 : 0.05, i % 2, regressed ? 1 : 3, 2.5);
    }
    return profile;
}

TEST(a_profile)
{
    char text[400];
    json_auto_t *profile = profile_of(300), *summary = fb_profile_summary(profile);
    assert_int_equal(fb_profile_count(profile, 0), 300);
    assert_int_equal(at(summary, "comparisons"), 300);
    assert_int_equal(at(summary, "false_alarms"), 30);
    assert_near(fb_profile_floor(summary, FB_FOOT_L1), 0.0297, 1e-9); /* the fourth largest */
    assert_near(fb_profile_floor(summary, FB_FOOT_L2), 0.0594, 1e-9);
    assert_true(isnan(fb_profile_floor(summary, FB_FOOT_L3)));
    fb_profile_say(summary, 0, text, sizeof text);
    assert_string_equal(text, "30 of 300 comparisons of equal designs were false alarms (at most "
                              "13.3 %, 95 % sure); 5 % slower was found in 7 of 8");
    json_auto_t *none = fb_profile_new(), *of_none = fb_profile_summary(none);
    fb_profile_say(of_none, 0, text, sizeof text);
    assert_string_equal(text, "0 of 0 comparisons of equal designs were false alarms");
    assert_true(isnan(fb_profile_alarms_at_most(of_none)));
}

/* 4 % slower matters where the machine shows less of nothing, in L1, and is nothing in L2. */
TEST(a_calibrated_machine)
{
    const struct seen seen[] = {{"a", "L1", 16, log(1.04), 0.005, false},
                                {"a", "L2", 16, log(1.04), 0.005, false},
                                {"a", "L3", 16, log(1.04), 0.005, false}},
                      again[] = {{"a", "L1", 32, log(1.04), 0.005, false}, {0}, {0}};
    json_auto_t *profile = profile_of(300);
    const json_t *d = derived_with(fb_profile_summary(profile), plain, seen, again, 3);
    assert_verdict(d, "regressed", FB_EXIT_REGRESSED, FB_EXIT_REGRESSED);
    assert_string_equal(fb_json_str(change(d, 0), "verdict"), "regressed");
    assert_string_equal(fb_json_str(change(d, 1), "verdict"), "unchanged");
    assert_near(at(change(d, 0), "delta"), 0.03, 1e-12);
    assert_near(at(change(d, 1), "delta"), 0.0594, 1e-9);
    assert_near(at(change(d, 2), "delta"), 0.05, 1e-12); /* nobody measured L3 */
    assert_near(at(d, "verdict.false_alarms_at_most"), 0.1331, 1e-4);
    assert_false(warns(d, "uncalibrated"));
    const struct seen same[] = {{"a", "L2", 16, 0, 0.005, false}};
    d = derived_with(fb_profile_summary(profile), plain, same, NULL, 1);
    assert_verdict(d, "unchanged", FB_EXIT_OK, FB_EXIT_OK);
    /* Asked for less than the machine can tell. */
    d = derived_with(fb_profile_summary(profile), "{\"kind\": \"ab\", \"delta\": 0.05}", same, NULL,
                     1);
    assert_verdict(d, "unresolved", FB_EXIT_UNRESOLVED, FB_EXIT_UNRESOLVED);
}

/* Few processes cannot tell the noise's memory: nobody is to act on them. */
TEST(few_processes_only_advise)
{
    const struct seen seen[] = {{"a", "L1", 12, log(1.1), 0.001, false}},
                      again[] = {{"a", "L1", 24, log(1.1), 0.001, false}};
    const json_t *d = derived("{\"kind\": \"ab\", \"processes\": 12}", seen, again, 1);
    assert_string_equal(fb_json_str(change(d, 0), "verdict"), "regressed");
    assert_verdict(d, "inconclusive", FB_EXIT_OK, FB_EXIT_INCONCLUSIVE);
    assert_true(warns(d, "advisory"));
}

TEST(two_modes_and_a_uniform_shift)
{
    static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    struct seen seen[MOST];
    for (int i = 0; i < MOST; i++)
        seen[i] = (struct seen){names[i], "L1", 16, 0.02, 0.005, false};
    const json_t *d = derived(plain, seen, NULL, MOST);
    assert_string_equal(fb_json_str(d, "verdict.uniform_shift"), "slower");
    assert_true(warns(d, "uniform-shift"));
    d = derived(plain, seen, NULL, 2);
    assert_true(json_is_null(fb_json_at(d, "verdict.uniform_shift")));
    seen[0].second_group = true;
    d = derived(plain, seen, NULL, 1);
    assert_int_equal(at(change(d, 0), "modes.n_low"), 8);
    assert_near(at(change(d, 0), "modes.high") / at(change(d, 0), "modes.low"), exp(0.2), 0.01);
    assert_true(warns(d, "modes"));
}

/* What was derived is derived again from the samples alone. */
TEST(derived_twice)
{
    const struct seen seen[] = {{"a", "L1", 16, log(1.1), 0.02, false},
                                {"a", "L2", 32, 0, 0.2, false}},
                      again[] = {{"a", "L1", 32, log(1.1), 0.02, false}, {0}};
    closed_by(fb_ab_close) struct fb_ab ab;
    struct fb_problem problem = {""};
    const json_t *d = derived(plain, seen, again, 2);
    json_auto_t *given = parsed(plain), *twice = json_deep_copy(d);
    assert_true(fb_ab_resolve(given, &ab, &problem));
    assert_true(fb_ab_derive(&ab, twice, &problem));
    assert_true(json_equal(d, twice));
    json_object_set_new(json_array_get(json_object_get(twice, "cells"), 0), "head", json_null());
    assert_false(fb_ab_derive(&ab, twice, &problem));
    assert_says("head", &problem, "a/L1/batch");
    json_object_del(json_object_get(twice, "exact"), "head");
    assert_false(fb_ab_derive(&ab, twice, &problem));
    assert_says("exact", &problem, "exact");
}

/* The first difference names design and fact; a design that is gone is one, a new one is none. */
TEST(exact_facts)
{
    static const struct {
        const char *base, *head;
        enum fb_exit code;
    } rows[] = {
        {"[{\"id\": \"a/n=1\", \"design\": \"a\", \"probes\": 7}]",
         "[{\"id\": \"a/n=1\", \"design\": \"a\", \"probes\": 7}]", FB_EXIT_OK},
        {"[{\"id\": \"a/n=1\", \"design\": \"a\", \"probes\": 7}]",
         "[{\"id\": \"a/n=1\", \"design\": \"a\", \"probes\": 8}]", FB_EXIT_CORRECTNESS},
        {"[{\"id\": \"a/n=1\", \"design\": \"a\"}]", "[]", FB_EXIT_CORRECTNESS},
        {"[]", "[{\"id\": \"a/n=1\", \"design\": \"a\"}]", FB_EXIT_OK},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_auto_t *exact =
            json_pack("{s:{s:o}, s:{s:o}}", "base", "cells", json_loads(rows[i].base, 0, NULL),
                      "head", "cells", json_loads(rows[i].head, 0, NULL));
        fb_ab_exact_derive(exact);
        assert_int_equal(fb_ab_exact_judge(exact), rows[i].code);
    }
}

TEST(experiments)
{
    struct fb_ab ab;
    struct fb_problem problem;
    json_auto_t *loops = parsed("{\"operations\": [\"plain\"]}");
    assert_false(fb_ab_resolve(loops, &ab, &problem));
    assert_says("plain", &problem, "operation");
    fb_ab_close(&ab);
    json_auto_t *given = parsed("{\"kind\": \"ab\", \"designs\": [\"a\", \"b\"], \"operations\": "
                                "\"all\", \"processes\": 20}");
    assert_true(fb_ab_resolve(given, &ab, &problem));
    assert_int_equal(ab.n_cells, 28);
    assert_string_equal(ab.cells[27].id, "b/L2/build");
    assert_int_equal(ab.group.min_processes, 20);
    assert_int_equal(ab.group.max_processes, FB_PAIRED_MAX); /* 80 are too many */
    fb_ab_close(&ab);
}

TESTS(NULL, NULL)

/* What derive says of base and head, from samples made by hand: no clock. */
#include "tests/documents.h"

#include <math.h>

#include "harness/kind/ab/ab.h"

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

static const struct seen *plains;  /* of each cell, with the ordinary links; NULL: none */
static const struct seen *control; /* NULL: there is none */
static bool links;

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
        json_object_set_new(cell, "plain",
                            plains && plains[i].processes ? times_of(&plains[i]) : json_null());
        json_array_append_new(cells, cell);
    }
    json_t *controls = json_array();
    if (control) {
        json_t *times = times_of(control);
        json_object_update_new(times, json_pack("{s:s, s:s, s:s}", "id", "c/L1/batch", "footprint",
                                                "L1", "operation", "batch"));
        json_array_append_new(controls, times);
    }
    return json_pack("{s:o, s:o, s:b, s:{s:{s:[]}, s:{s:[]}}, s:[], s:[]}", "cells", cells,
                     "controls", controls, "links", links, "exact", "base", "cells", "head",
                     "cells", "warnings", "skipped");
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

static const char *verdict_of(const json_t *document, size_t i)
{
    return fb_json_str(change(document, i), "verdict");
}

/* Links of their own for each process, unless a test says otherwise. */
static int fresh(void **state)
{
    (void)state;
    links = true;
    plains = control = NULL;
    return 0;
}

TEST(nothing_seen)
{
    const struct seen seen[] = {{"a", "L1", 8, 0, 0.02, false}, {"a", "L2", 8, 0.005, 0.02, false}};
    const json_t *d = derived(plain, seen, NULL, 2);
    assert_verdict(d, "none seen", FB_EXIT_OK, FB_EXIT_OK);
    assert_int_equal(at(d, "verdict.none_seen"), 2);
    assert_near(at(d, "verdict.delta"), 0.03, 1e-12);
    assert_near(at(change(d, 1), "ratio"), exp(0.005), 1e-3);
    assert_int_equal(at(change(d, 1), "processes"), 8);
    assert_near(at(change(d, 0), "gate"), 0.02, 1e-12);
    assert_true(at(change(d, 0), "finds") > 0.02 && at(change(d, 0), "finds") < 0.03);
    assert_near(at(d, "verdict.finds"), at(change(d, 0), "finds"), 1e-12);
    assert_true(json_is_null(json_object_get(change(d, 0), "p")));
    assert_true(warns(d, "uncalibrated") && !warns(d, "one-link"));
}

/* The second set decides: by itself, and whatever the size of the effect does. */
TEST(slower_by_the_second_set)
{
    const struct seen seen[] = {{"a", "L1", 8, log(1.1), 0.02, false},
                                {"a", "L2", 8, 0, 0.02, false}},
                      same[] = {{"a", "L1", 40, log(1.1), 0.02, false}, {0}},
                      varies[] = {{"a", "L1", 40, 0.4, 0.39, false}, {0}},
                      modes[] = {{"a", "L1", 40, 0.03, 0.02, true}, {0}},
                      little[] = {{"a", "L1", 40, 0.01, 0.005, false}, {0}},
                      gone[] = {{"a", "L1", 40, 0, 0.02, false}, {0}},
                      faster[] = {{"a", "L1", 40, -log(1.1), 0.02, false}, {0}};
    const json_t *d = derived(plain, seen, same, 2);
    assert_verdict(d, "slower", FB_EXIT_REGRESSED, FB_EXIT_REGRESSED);
    assert_int_equal(at(d, "verdict.slower"), 1);
    assert_near(at(change(d, 0), "ratio"), 1.1, 1e-2);
    assert_int_equal(at(change(d, 0), "processes"), 40);
    assert_near(at(change(d, 0), "p") * 0x1p40, 1, 1e-9);
    assert_near(at(change(d, 0), "spread.low"), 1.1 * exp(-0.016), 2e-3);
    assert_near(at(change(d, 0), "spread.high"), 1.1 * exp(0.016), 2e-3);
    const struct seen *const also[] = {varies, modes};
    for (int i = 0; i < 2; i++)
        assert_verdict(derived(plain, seen, also[i], 2), "slower", FB_EXIT_REGRESSED,
                       FB_EXIT_REGRESSED);
    const struct seen *const others[] = {gone, faster};
    for (int i = 0; i < 2; i++)
        assert_verdict(derived(plain, seen, others[i], 2), "none seen", FB_EXIT_OK, FB_EXIT_OK);
    d = derived(plain, seen, little, 2);
    assert_string_equal(verdict_of(d, 0), "slightly slower");
    assert_verdict(d, "none seen", FB_EXIT_OK, FB_EXIT_OK);
    d = derived(plain, seen, NULL, 2); /* interrupted, or no time was left for it */
    assert_string_equal(verdict_of(d, 0), "not confirmed");
    assert_verdict(d, "cannot tell", FB_EXIT_OK, FB_EXIT_INCONCLUSIVE);
    const struct seen fast[] = {{"a", "L1", 8, -0.1, 0.02, false}};
    d = derived(plain, fast, faster, 1);
    assert_verdict(d, "faster", FB_EXIT_OK, FB_EXIT_OK);
    assert_int_equal(at(d, "verdict.faster"), 1);
}

/* Where 90 % of slowdowns of delta would not have been found, or cells are left out. */
TEST(what_cannot_be_told)
{
    const struct seen seen[] = {{"a", "L1", 8, 0, 0.02, false}, {"a", "L2", 8, 0, 0.2, false}};
    const json_t *d = derived(plain, seen, NULL, 2);
    assert_verdict(d, "cannot tell", FB_EXIT_OK, FB_EXIT_INCONCLUSIVE);
    assert_int_equal(at(d, "verdict.coarse"), 1);
    assert_verdict(derived("{\"kind\": \"ab\", \"delta\": 0.9}", seen, NULL, 2), "none seen",
                   FB_EXIT_OK, FB_EXIT_OK);
    closed_by(fb_ab_close) struct fb_ab ab;
    struct fb_problem problem = {""};
    json_auto_t *given = parsed(plain), *left = document_of(seen, NULL, 1);
    json_object_set_new(left, "calibration", json_null());
    json_array_append_new(
        json_object_get(left, "skipped"),
        json_pack("{s:s, s:s}", "id", "b/L1/batch", "why", FB_AB_NO_TIME " of 1 s"));
    json_array_append_new(json_object_get(left, "skipped"),
                          json_pack("{s:s, s:s}", "id", "c/L1/batch", "why", "another"));
    assert_true(fb_ab_resolve(given, &ab, &problem) && fb_ab_derive(&ab, left, &problem));
    assert_int_equal(at(left, "verdict.left_out"), 1);
    assert_verdict(left, "cannot tell", FB_EXIT_OK, FB_EXIT_INCONCLUSIVE);
}

/* Slower with the ordinary links alone: by its place. */
TEST(layout)
{
    const struct seen seen[] = {{"a", "L1", 8, 0, 0.02, false}},
                      placed[] = {{"a", "L1", 8, 0.1, 0.02, false}},
                      doubtful[] = {{"a", "L1", 8, 0.1, 0.12, false}},
                      small[] = {{"a", "L1", 8, 0.01, 0.005, false}};
    plains = placed;
    const json_t *d = derived(plain, seen, NULL, 1);
    assert_string_equal(verdict_of(d, 0), "layout");
    assert_near(at(change(d, 0), "plain_ratio"), exp(0.1), 1e-2);
    assert_int_equal(at(d, "verdict.layout"), 1);
    assert_verdict(d, "none seen", FB_EXIT_OK, FB_EXIT_OK);
    /* A suspicious cell that was not measured again is open, and no link acquits it. */
    const struct seen suspicious[] = {{"a", "L1", 8, 0.1, 0.02, false}};
    d = derived(plain, suspicious, NULL, 1);
    assert_string_equal(verdict_of(d, 0), "not confirmed");
    assert_verdict(d, "cannot tell", FB_EXIT_OK, FB_EXIT_INCONCLUSIVE);
    const struct seen *const others[] = {doubtful, small};
    for (int i = 0; i < 2; i++) {
        plains = others[i];
        assert_string_equal(verdict_of(derived(plain, seen, NULL, 1), 0), "none seen");
    }
}

/* Equal code that moves: nothing that the machine says counts. */
TEST(controls)
{
    const struct seen seen[] = {{"a", "L1", 8, 0.1, 0.02, false}},
                      again[] = {{"a", "L1", 40, 0.1, 0.02, false}},
                      moved = {"c", "L1", 40, -0.05, 0.02, false},
                      still = {"c", "L1", 40, 0.001, 0.02, false},
                      loud = {"c", "L1", 40, 0.03, 0.5, false};
    control = &moved;
    const json_t *d = derived(plain, seen, again, 1);
    assert_verdict(d, "machine", FB_EXIT_UNRESOLVED, FB_EXIT_UNRESOLVED);
    assert_int_equal(at(d, "verdict.controls_moved"), 1);
    assert_true(warns(d, "control"));
    const struct seen *const others[] = {&still, &loud};
    for (int i = 0; i < 2; i++) {
        control = others[i];
        assert_verdict(derived(plain, seen, again, 1), "slower", FB_EXIT_REGRESSED,
                       FB_EXIT_REGRESSED);
    }
}

/* ---- Profiles ---- */

/* 20 comparisons of equal designs, of 80 cells in L1 and one in L2; in the last the largest change
 * in L1 is `away`, of processes that vary by `sd`. And 8 with a plant, of which 7 were found. */
static json_t *profile_of(double away, double sd, bool fresh_links)
{
    json_t *profile = fb_profile_new();
    for (int i = 0; i < 28; i++) {
        json_auto_t *document = json_pack("{s:[], s:b}", "cells", "links", fresh_links);
        for (int c = 0; c < 81; c++) {
            const double ratio = i < 20 ? (i == 19 && !c ? 1 - away : 1.001) : 1.05 + 0.001 * i;
            json_array_append_new(json_object_get(document, "cells"),
                                  json_pack("{s:o, s:s, s:{}, s:{s:f, s:i, s:f, s:s}}", "id",
                                            json_sprintf("a/%d", c), "footprint",
                                            c         ? "L1"
                                            : i == 19 ? "L1"
                                                      : "L2",
                                            "again", "change", "ratio", ratio, "processes", 40,
                                            "sd", sd, "verdict", i > 20 ? "slower" : "none seen"));
        }
        fb_profile_add(profile, document, i < 20 ? "" : "batch_40", i % 2,
                       i == 3   ? 1
                       : i == 5 ? 3
                                : 0,
                       2.5);
    }
    return profile;
}

TEST(a_profile)
{
    char text[400];
    json_auto_t *profile = profile_of(0.02, 0.05, true), *summary = fb_profile_summary(profile);
    assert_int_equal(fb_profile_count(profile, ""), 20);
    assert_int_equal(fb_profile_count(profile, "batch_40"), 8);
    assert_int_equal(fb_profile_cells(profile), 20 * 81);
    assert_int_equal(at(summary, "comparisons"), 20);
    assert_int_equal(at(summary, "false_alarms"), 1);
    assert_near(fb_profile_floor(summary, true, FB_FOOT_L1), 0, 1e-12); /* q = 2.6 */
    assert_near(fb_profile_floor(summary, true, FB_FOOT_L3), 0, 1e-12);
    assert_near(fb_profile_floor(summary, false, FB_FOOT_L1), 0.1, 1e-12); /* nobody measured it */
    json_t *power = json_array_get(json_object_get(summary, "power"), 0);
    assert_string_equal(fb_json_str(power, "cell"), "a/0");
    assert_int_equal(at(power, "found"), 7);
    assert_near(at(power, "size"), 0.0735, 1e-9);
    fb_profile_say(summary, 0.08, text, sizeof text);
    assert_string_equal(text, "1 of 20 comparisons of equal designs were false alarms (at most "
                              "21.6 %, 95 % sure)");
    json_auto_t *far = profile_of(0.02, 0.02, true), *of_far = fb_profile_summary(far);
    assert_near(fb_profile_floor(of_far, true, FB_FOOT_L1), 1.25 * (1 / 0.98 - 1),
                1e-9); /* q = 6.4 */
    assert_near(fb_profile_floor(of_far, true, FB_FOOT_L2), 0, 1e-12);
    json_auto_t *one = profile_of(0.02, 0.05, false), *of_one = fb_profile_summary(one);
    assert_near(fb_profile_floor(of_one, false, FB_FOOT_L1), 1.25 * (1 / 0.98 - 1), 1e-9);
    json_auto_t *none = fb_profile_new(), *of_none = fb_profile_summary(none);
    fb_profile_say(of_none, 0, text, sizeof text);
    assert_string_equal(text, "0 of 0 comparisons of equal designs were false alarms");
    assert_true(isnan(fb_profile_alarms_at_most(of_none)));
}

/* 6 % slower is a slowdown, but not on a machine that has shown 8 % of equal code, nor where each
 * side has one link. */
TEST(gates)
{
    const struct seen seen[] = {{"a", "L1", 8, log(1.06), 0.005, false}},
                      again[] = {{"a", "L1", 40, log(1.06), 0.005, false}};
    json_auto_t *quiet = profile_of(0.02, 0.05, true), *loud = profile_of(0.08, 0.02, true);
    const json_t *d = derived_with(fb_profile_summary(quiet), plain, seen, again, 1);
    assert_verdict(d, "slower", FB_EXIT_REGRESSED, FB_EXIT_REGRESSED);
    assert_near(at(d, "verdict.false_alarms_at_most"), 0.2161, 1e-4);
    assert_false(warns(d, "uncalibrated"));
    d = derived_with(fb_profile_summary(loud), plain, seen, again, 1);
    assert_string_equal(verdict_of(d, 0), "slightly slower");
    assert_verdict(d, "cannot tell", FB_EXIT_OK, FB_EXIT_INCONCLUSIVE);
    links = false;
    d = derived(plain, seen, again, 1);
    assert_string_equal(verdict_of(d, 0), "slightly slower");
    assert_near(at(change(d, 0), "gate"), 0.1, 1e-12);
    assert_true(warns(d, "one-link"));
    links = true;
}

/* What was derived is derived again from the samples alone. */
TEST(derived_twice)
{
    const struct seen seen[] = {{"a", "L1", 8, log(1.1), 0.02, false},
                                {"a", "L2", 8, 0, 0.2, false}},
                      again[] = {{"a", "L1", 40, log(1.1), 0.02, false}, {0}};
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
    json_auto_t *given = parsed("{\"kind\": \"ab\", \"designs\": [\"a\", \"b\"], \"second\": 20, "
                                "\"delta\": 0.06, \"rounds\": 16}");
    assert_true(fb_ab_resolve(given, &ab, &problem));
    assert_int_equal(ab.n_cells, 30); /* 6 operations, one footprint first; then the others */
    assert_string_equal(ab.cells[0].id, "a/L2/batch");
    assert_string_equal(ab.cells[1].id, "b/L2/batch");
    assert_string_equal(ab.cells[11].id, "b/L1/digest");
    assert_string_equal(ab.cells[12].id, "a/DRAM/batch");
    assert_int_equal(ab.processes[1], 20);
    assert_near(ab.rules.delta, 0.04, 1e-12);
    assert_near(ab.cells[1].expected_s, 0.0045, 1e-12); /* half of the rounds */
    fb_ab_close(&ab);
    json_auto_t *all =
        parsed("{\"kind\": \"ab\", \"operations\": \"all\", \"footprints\": \"all\"}");
    assert_true(fb_ab_resolve(all, &ab, &problem));
    for (size_t i = 0; i < ab.n_cells;
         i++) { /* builds and digests of small filters only, each cell once */
        const bool small = ab.cells[i].footprint == FB_FOOT_L1;
        assert_true(small || (ab.cells[i].operation != FB_OP_BUILD &&
                              ab.cells[i].operation != FB_OP_DIGEST));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(ab.cells[i].id, ab.cells[j].id);
    }
    fb_ab_close(&ab);
}

TESTS_EACH(fresh, NULL)

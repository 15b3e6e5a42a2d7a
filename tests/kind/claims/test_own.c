/* Numbers that rows of one's own take from results, made here by hand. */
#include "tests/unit.h"

#include "harness/kind/claims/own.h"

/* JSON with ' in place of ". */
static json_t *json_of(const char *text)
{
    char quoted[4000];
    json_error_t error;
    size_t i = 0;
    for (; text[i] && i + 1 < sizeof quoted; i++)
        quoted[i] = text[i] == '\'' ? '"' : text[i];
    quoted[i] = 0;
    json_t *json = json_loads(quoted, JSON_DECODE_ANY, &error);
    if (!json)
        fail_msg("%s: %s", error.text, text);
    return json;
}

/* Rates of two designs at two sizes: 1, 2, 4 and 8 per mille, with intervals of a tenth. */
static const char rates[] =
    "{'kind': 'fpr', 'cells': ["
    "{'id': 'a8', 'design': 'nori', 'n': 100, 'params': {'bits_per_key': 8, 'fpr': null},"
    " 'fpr': {'estimate': 0.004, 't95': {'low': 0.0036, 'high': 0.0044}, 't95_pooled': true,"
    " 'bits_per_key': 8.0, 'model': {'value': 0.0041}, 'z': 0.5}},"
    "{'id': 'a10', 'design': 'nori', 'n': 100, 'params': {'bits_per_key': 10, 'fpr': null},"
    " 'fpr': {'estimate': 0.001, 't95': {'low': 0.0009, 'high': 0.0011}, 't95_pooled': true,"
    " 'bits_per_key': 10.0, 'model': {'value': 0.001}, 'z': null, 'bound_bits': 9.965784}},"
    "{'id': 'b8', 'design': 'leveldb', 'n': 100, 'params': {'bits_per_key': 8, 'fpr': null},"
    " 'fpr': {'estimate': 0.008, 't95': {'low': 0.0072, 'high': 0.0088}, 't95_pooled': true,"
    " 'model': {'value': 0.0081}}},"
    "{'id': 'b10', 'design': 'leveldb', 'n': 100, 'params': {'bits_per_key': 10, 'fpr': null},"
    " 'fpr': {'estimate': 0.002, 't95': {'low': 0.0018, 'high': 0.0022}, 't95_pooled': true,"
    " 'bits_per_key': 10.0, 'model': {'value': 0.002}}}]}";

static const double wide = 3.2905267 / 1.9599640; /* 99.9 % beside 95 % */

static bool take(const char *measure, const char *result, struct fb_finding *out,
                 struct fb_problem *problem)
{
    json_t *m = json_of(measure), *r = json_of(result);
    const bool taken = fb_take(m, r, NULL, out, problem);
    json_decref(m);
    json_decref(r);
    return taken;
}

static void check(const char *measure, double measured, double low, double high)
{
    struct fb_finding found;
    struct fb_problem problem;
    if (!take(measure, rates, &found, &problem))
        fail_msg("%s: %s", measure, problem.text);
    assert_int_equal(found.n, 1);
    if (fabs(found.measured[0] - measured) > 1e-7 * fabs(measured) ||
        fabs(found.low[0] - low) > 1e-5 * fabs(low) ||
        fabs(found.high[0] - high) > 1e-5 * fabs(high))
        fail_msg("%s: %.9g [%.9g, %.9g]", measure, found.measured[0], found.low[0], found.high[0]);
}

static void refuse(const char *measure, const char *why)
{
    struct fb_finding found;
    struct fb_problem problem;
    if (take(measure, rates, &found, &problem))
        fail_msg("%s: taken", measure);
    assert_string_equal(problem.text, why);
}

TEST(one_cell)
{
    const double half = 0.0001 * wide;
    check("{'take': 'fpr.estimate', 'where': {'design': 'nori', 'params.bits_per_key': 10}}", 0.001,
          0.001 - half, 0.001 + half);
    check("{'take': 'fpr.estimate', 'where': {'id': 'a10'}, 'scale': 100}", 0.1, 0.1 - 100 * half,
          0.1 + 100 * half);
    /* A negative factor turns the interval round. */
    check("{'take': 'fpr.estimate', 'where': {'id': 'a10'}, 'scale': -100, 'offset': 1}", 0.9,
          0.9 - 100 * half, 0.9 + 100 * half);
    check("{'take': 'n', 'where': {'id': 'a10'}}", 100, 100, 100);
    /* log2(1/f) has the interval of f. */
    check("{'take': 'fpr.bound_bits', 'where': {'id': 'a10'}}", 9.965784, -log2(0.001 + half),
          -log2(0.001 - half));
}

TEST(of_a_ratio_the_errors_add_in_squares)
{
    const double half = 0.1 * wide;
    const double up = hypot(log1p(half), -log1p(-half));
    check("{'take': 'fpr.estimate', 'where': {'design': 'leveldb', 'params.bits_per_key': 8},"
          " 'over': {'where': {'design': 'nori'}}}",
          2, 2 * exp(-up), 2 * exp(up));
    /* Two members of one cell. */
    check("{'take': 'fpr.bits_per_key', 'where': {'id': 'a10'}, 'over': {'take': 'n'}}", 0.1, 0.1,
          0.1);
}

TEST(of_several_the_largest_or_smallest)
{
    const double half = 0.1 * wide;
    check("{'take': 'fpr.estimate', 'pick': 'largest'}", 0.008, 0.008 * (1 - half),
          0.008 * (1 + half));
    check("{'take': 'fpr.estimate', 'pick': 'smallest'}", 0.001, 0.001 * (1 - half),
          0.001 * (1 + half));
}

TEST(a_prediction_is_taken_with_its_test)
{
    struct fb_finding found;
    struct fb_problem problem;
    assert_true(take("{'take': 'fpr.estimate', 'where': {'id': 'a8'}, 'scale': 100}", rates, &found,
                     &problem));
    assert_true(fabs(found.theory[0] - 0.41) < 1e-12);
    assert_true(fabs(found.p - 0.6170751) < 1e-6); /* two-sided, of 0.5 */
    assert_true(
        take("{'take': 'fpr.bits_per_key', 'where': {'id': 'a8'}}", rates, &found, &problem));
    assert_true(isnan(found.theory[0]) && isnan(found.p));
}

/* A rate of 1 per mille where 1.1 is predicted by a simulation that is off by a twentieth, and
 * ratios of times of two trees. */
static const char others[] =
    "{'kind': 'fpr', 'cells': ["
    "{'id': 's', 'n': 100, 'fpr': {'estimate': 0.001, 't95': {'low': 0.0009, 'high': 0.0011},"
    " 't95_pooled': true, 'bits_per_key': 12.0, 'bound_bits': 9.965784, 'z': -1.5,"
    " 'model': {'kind': 'simulated', 'value': 0.0011, 'se': 0.000055}}}]}";
static const char walks[] = "{'kind': 'lsm', 'cells': ["
                            "{'id': 'a', 'lookups': [{}, {'time': {'ratio': 3, 'processes': 20,"
                            " 'ratio_ci99': {'low': 2, 'high': 4}}}]},"
                            "{'id': 'b', 'lookups': [{}, {'time': {'ratio': 12, 'processes': 20,"
                            " 'ratio_ci99': {'low': 10, 'high': 14}}}]}]}";

TEST(a_simulated_prediction_has_an_error)
{
    struct fb_finding found;
    struct fb_problem problem;
    assert_true(take("{'take': 'fpr.estimate'}", others, &found, &problem));
    assert_true(found.simulated && fabs(found.theory_error - 0.05) < 1e-12);
    assert_true(take("{'take': 'fpr.bits_per_key', 'over': {'take': 'fpr.bound_bits'}}", others,
                     &found, &problem));
    assert_true(found.simulated && fabs(found.theory[0] - 12 / log2(1 / 0.0011)) < 1e-9);
    /* 1.4 % off; the rate's error and the simulation's are 0.7 % of log2 of the rate each. */
    assert_true(found.p > 0.1 && found.p < 0.3);
    assert_true(take("{'take': 'fpr.estimate', 'pick': 'largest'}", rates, &found, &problem));
    assert_true(isnan(found.p) || found.p <= 1);
}

TEST(ratios_of_times_are_compared)
{
    struct fb_finding found;
    struct fb_problem problem;
    if (!take("{'take': 'lookups.1.time.ratio', 'where': {'id': 'b'},"
              " 'over': {'where': {'id': 'a'}}}",
              walks, &found, &problem))
        fail_msg("%s", problem.text);
    assert_near(found.measured[0], 4, 1e-12);
    assert_near(found.low[0], 2.5, 1e-12);
    assert_near(found.high[0], 7, 1e-12);
    assert_int_equal(found.processes, 20);
}

/* What a row leaves open of the work: a row's printed figure, and the batch that tells whether 10
 * bits, of which 0.82 % pass, have that rate. */
TEST(work_is_planned_from_theory)
{
    static const struct {
        const char *design, *n, *printed;
        double precision;
        int filters, probes, most_probes;
        enum fb_effort effort;
    } rows[] = {
        {"bloom-independent", "100000", "5", 0.05, 32, 65536, 400000000, FB_DEFAULT},
        {"bloom-independent", "100000", "0.9", 0.012, 32, 65536, 400000000, FB_DEFAULT},
        {"bloom-independent", "100000", "0.82", 0.0016, 32, 1048576, 400000000, FB_DEFAULT},
        {"bloom-independent", "1000000", "0.82", 0.0016, 8, 16777216, 400000000, FB_DEFAULT},
        {"bloom-independent", "1000000", "0.9", 0.012, 8, 524288, 400000000, FB_DEFAULT},
        {"bloom-independent", "100", "0.9", 0.009, 32, 16384, 400000000, FB_DEFAULT},
        {"bloom-independent", "100000", "0.82", 0.05, 32, 65536, 4000000, FB_QUICK},
        /* A digit that no work decides, and a rate that no formula tells. */
        {"bloom-independent", "100000", "0.8194", 0.05, 32, 65536, 400000000, FB_DEFAULT},
        {"rocksdb-legacy", "100000", "1.2", 0.005, 32, 262144, 400000000, FB_DEFAULT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        struct fb_problem problem;
        snprintf(text, sizeof text,
                 "{'claims': [{'id': 'a', 'claim': 'x', 'claimed': {'printed': '%s', 'unit': '%%'},"
                 " 'measure': {'experiment': {'kind': 'fpr', 'designs': ['%s'],"
                 " 'bits_per_key': [10], 'n': [%s]}, 'take': 'fpr.estimate', 'scale': 100}}]}",
                 rows[i].printed, rows[i].design, rows[i].n);
        json_t *given = json_of(text), *seed = json_string("0x1");
        json_t *ledger = fb_own_resolve(given, rows[i].effort, seed, &problem);
        if (!ledger)
            fail_msg("%s", problem.text);
        const json_t *row = json_array_get(json_object_get(ledger, "claims"), 0),
                     *e = fb_json_at(row, "measure.experiment");
        if (fb_json_num(e, "precision") != rows[i].precision ||
            fb_json_num(e, "filters") != rows[i].filters ||
            fb_json_num(e, "probes") != rows[i].probes ||
            fb_json_num(e, "max_probes") != rows[i].most_probes)
            fail_msg("row %zu: precision %g, %g filters of %g probes, at most %g", i,
                     fb_json_num(e, "precision"), fb_json_num(e, "filters"),
                     fb_json_num(e, "probes"), fb_json_num(e, "max_probes"));
        json_decref(ledger);
        json_decref(given);
        json_decref(seed);
    }
}

TEST(what_is_not_there_is_told)
{
    refuse("{'take': 'fpr.estimate', 'where': {'design': 'course'}}",
           "where: no cell of the result is such");
    refuse("{'take': 'fpr.estimate'}",
           "where: 4 cells of the result are such; say more of the one, or pick the largest or "
           "smallest");
    refuse("{'take': 'fpr.bound_bits', 'where': {'id': 'a8'}}",
           "take: fpr.bound_bits of a8 is not known: the cell has no such number");
    refuse("{'take': 'fpr.estimate', 'where': {'id': 'a8'}, 'over': {'where': {'design': 'x'}}}",
           "over.where: no cell of the result is such");
}

TEST(what_a_number_is)
{
    static const struct {
        const char *kind, *measure;
        enum fb_nature nature;
    } rows[] = {
        {"fpr", "{'take': 'fpr.estimate'}", FB_COUNTED},
        {"kernels", "{'take': 'time.median'}", FB_MACHINE_ONLY},
        {"kernels", "{'take': 'time.median', 'over': {}}", FB_TIMED},
        {"kernels", "{'take': 'time.ratio'}", FB_TIMED},
        {"kernels", "{'take': 'filter.bytes'}", FB_COUNTED},
        {"lsm", "{'take': 'reads.io'}", FB_COUNTED},
        {"lsm", "{'take': 'lookups.time.median'}", FB_MACHINE_ONLY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *measure = json_of(rows[i].measure);
        if (fb_take_nature(rows[i].kind, measure) != rows[i].nature)
            fail_msg("%s of %s", rows[i].measure, rows[i].kind);
        json_decref(measure);
    }
    assert_true(fb_take_exists("kernels", "time.median"));
    assert_true(fb_take_exists("lsm", "lookups.0.time.median"));
    assert_false(fb_take_exists("fpr", "design"));
    assert_false(fb_take_exists("fpr", "reads.io"));
}

/* Times of two designs in eight processes of one round: the second takes twice the first's, though
 * both waver. */
TEST(times_are_held_against_each_other_round_by_round)
{
    json_t *cells = json_array();
    for (int c = 0; c < 2; c++) {
        json_t *ns = json_array(), *zero = json_array();
        for (int p = 0; p < 16; p++) {
            json_array_append_new(ns, json_pack("[f]", (1.0 + c) * (10 + p % 5)));
            json_array_append_new(zero, json_pack("[i]", 0));
        }
        json_array_append_new(
            cells,
            json_pack("{s:s, s:s, s:s, s:{s:f, s:i, s:O, s:o, s:O, s:o}}", "id", c ? "b" : "a",
                      "design", c ? "leveldb" : "nori", "operation", "batch", "time", "median",
                      (1 + c) * 12.0, "processes", 16, "samples_ns", ns, "samples_cpu_ns",
                      json_incref(ns), "sample_retries", zero, "sample_flags", json_incref(zero)));
        json_decref(ns);
        json_decref(zero);
    }
    json_t *result = json_pack("{s:s, s:o}", "kind", "kernels", "cells", cells);
    json_t *measure = json_of("{'take': 'time.median', 'where': {'design': 'leveldb'},"
                              " 'over': {'where': {'design': 'nori'}}}");
    struct fb_finding found;
    struct fb_problem problem;
    if (!fb_take(measure, result, NULL, &found, &problem))
        fail_msg("%s", problem.text);
    assert_true(fabs(found.measured[0] - 2) < 1e-9);
    assert_true(fabs(found.low[0] - 2) < 1e-6 && fabs(found.high[0] - 2) < 1e-6);
    assert_true(found.level == 0.99 && found.processes == 16);
    json_decref(measure);
    json_decref(result);
}

TESTS(NULL, NULL)

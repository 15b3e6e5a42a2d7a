/* Procedures that do again what a text prints, and those beside them whose answers are known. */
#include "tests/unit.h"

#include <string.h>

#include "filters/core/filter.h"
#include "harness/kind/claims/procedure/procedure.h"

/* What a procedure predicts, then finds, under a root. */
static void run(const char *procedure, const char *args, uint64_t root, struct fb_finding *found)
{
    closed_by(fb_bench_close) struct fb_bench bench = {
        .effort = FB_QUICK, .phase = FB_PREDICT, .root = root};
    struct fb_finding predicted;
    json_auto_t *arguments = json_loads(args, 0, NULL);
    assert_non_null(arguments);
    if (fb_procedure_run(procedure, &bench, arguments, &predicted))
        fail_msg("%s: %s", procedure, bench.why);
    bench.phase = FB_MEASURE;
    assert_int_equal(fb_procedure_run(procedure, &bench, arguments, found), FB_OK);
    assert_int_equal(predicted.n, found->n);
    for (size_t i = 0; i < found->n && fb_procedure_nature(procedure) < FB_TIMED; i++)
        assert_near(predicted.theory[i], found->theory[i], 0);
}

static bool agrees(const struct fb_finding *found, size_t i)
{
    return fabs(found->measured[i] - found->theory[i]) <= found->tolerance;
}

/* 100,000 keys key000000 ... and as many absent ones: the counts of another program. */
TEST(the_printed_test_gives_one_count_under_every_root)
{
    static const struct {
        const char *args;
        unsigned passed;
    } tests[] = {
        {"{\"design\": \"nori\", \"bits_per_key\": 8, \"n\": 100000, \"keys\": \"dec6\"}", 2169},
        {"{\"design\": \"nori\", \"bits_per_key\": 10, \"n\": 100000, \"keys\": \"dec6\"}", 790},
        {"{\"design\": \"nori\", \"bits_per_key\": 12, \"n\": 100000, \"keys\": \"dec6\"}", 293},
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        for (uint64_t root = 1; root <= 2; root++) {
            struct fb_finding found;
            run("replay-test", tests[i].args, root, &found);
            assert_int_equal(found.events, tests[i].passed);
            assert_near(found.measured[0], tests[i].passed / 1000.0, 1e-12);
            assert_near(found.high[0] - found.low[0], 0, 0);
            assert_int_equal(found.false_negatives, 0);
            assert_true(found.p > 0.05);
        }
}

TEST(hashes_are_those_of_another_program)
{
    struct fb_finding found;
    run("replay-hash",
        "{\"design\": \"nori\", \"key\": \"user:12345\", \"word\": 1, \"as\": \"halves\", "
        "\"known\": \"0xE5C20F14E37251D9\"}",
        1, &found);
    assert_int_equal(found.n, 2);
    assert_true(agrees(&found, 0) && agrees(&found, 1));
    assert_near(found.measured[0], 0xE5C20F14, 0);
    assert_near(found.measured[1], 0xE37251D9, 0);
    run("replay-hash", "{\"design\": \"leveldb\", \"key\": \"user:42\", \"known\": \"0x327B5658\"}",
        1, &found);
    assert_near(found.measured[0], 0x327B5659, 0);
    assert_false(agrees(&found, 0)); /* another value is not taken */
}

/* Of a key, with right and with wrong hashes beside it; of hashes alone. */
TEST(positions_follow_from_the_key)
{
#define POSITIONS(h1)                                                                              \
    "{\"design\": \"nori\", \"n\": 100000, \"bits_per_key\": 10, \"key\": \"user:12345\", "        \
    "\"h1\": \"" h1 "\", \"h2\": \"0xE5C20F14E37251D9\", \"probes\": 3}"
    static const double expected[] = {117333, 612974, 108615};
    struct fb_finding found;
    run("probe-position", POSITIONS("0x92311303C610C195"), 1, &found);
    assert_int_equal(found.n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_near(found.measured[i], expected[i], 0);
        assert_true(agrees(&found, i));
    }
    run("probe-position", POSITIONS("0x92311303C610C194"), 1, &found);
    assert_false(agrees(&found, 0));
#undef POSITIONS
}

/* Each listing gives every probe of its design, and not of the other. */
TEST(listings_are_those_of_their_designs)
{
    static const struct {
        const char *design, *reading;
        bool agrees;
    } pairs[] = {
        {"sbbf-512", "salted, modulo", true},
        {"sbbf-512-pow2", "salted, mask", true},
        {"sbbf-512-pow2", "salted, modulo", true}, /* a remainder by a power of two is a mask */
        {"sbbf-512", "salted, mask", false},
        {"nori", "wrapped", true},
        {"course", "wrapped", true},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct fb_finding found;
        char args[200];
        snprintf(args, sizeof args,
                 "{\"design\": \"%s\", \"reading\": \"%s\", \"n\": 1000, \"bits_per_key\": 10, "
                 "\"samples\": 500}",
                 pairs[i].design, pairs[i].reading);
        run("probe-agreement", args, 1, &found);
        if ((found.measured[0] == 100) != pairs[i].agrees)
            fail_msg("%s: %s", pairs[i].design, pairs[i].reading);
    }
}

TEST(probes_in_a_line_are_uniform)
{
#define LINE(reading)                                                                              \
    "{\"design\": \"rocksdb-fastlocal\", \"bits_per_key\": 10, \"n\": 100, \"samples\": 50000, "   \
    "\"reading\": \"" reading "\"}"
    struct fb_finding found;
    run("line-uniformity", LINE("probe first"), 1, &found);
    assert_near(found.measured[0], 0, 0);
    assert_true(agrees(&found, 0) && found.p > 1e-3);
    run("line-uniformity", LINE("multiply first"), 1, &found);
    assert_false(agrees(&found, 0)); /* these are not the design's probes */
#undef LINE
}

TEST(powers_of_two_are_told_from_others)
{
#define ROUNDED(design) "{\"design\": \"" design "\", \"rates\": [0.01, 0.001], \"keys_to\": 10000}"
    struct fb_finding found;
    run("rounded-blocks", ROUNDED("sbbf-256"), 1, &found);
    assert_near(found.measured[0], 0, 0);
    assert_string_equal(found.remark, "98 sizes");
    run("rounded-blocks", ROUNDED("sbbf-512"), 1, &found);
    assert_true(found.measured[0] > 50);
#undef ROUNDED
}

TEST(a_tiered_tree_grows_with_the_logarithm)
{
    struct fb_finding found;
    run("tiered-growth", "{\"ratio\": 4, \"levels\": 3}", 1, &found);
    assert_near(found.measured[0], 2, 0);
    assert_string_equal(found.remark, "at most 9 segments in 63 flushes, 18 in 4095");
    run("tree-fact",
        "{\"report\": \"every-run\", \"tree\": {\"style\": \"tiered\", \"ratio\": 3, \"l0\": 2, "
        "\"levels\": 4, \"segment_keys\": 50}}",
        1, &found);
    assert_near(found.theory[0], 8, 0);
    assert_near(found.measured[0], 8, 0);
}

TEST(clearing_a_key_denies_others)
{
    struct fb_finding found;
    run("cleared-key",
        "{\"design\": \"bloom-independent\", \"bits_per_key\": 10, \"k\": 7, \"n\": 501, "
        "\"rounds\": 500}",
        1, &found);
    /* 500 (1 - (1 - 7/5010)^7) */
    assert_near(found.theory[0], 500 * (1 - pow(1 - 7 / 5010.0, 7)), 1e-9);
    assert_true(found.low[0] < found.theory[0] && found.theory[0] < found.high[0]);
    assert_true(found.p > 1e-3);
}

TEST(atomic_adds_lose_nothing_and_plain_ones_may)
{
    static const char args[] =
        "{\"design\": \"sbbf-512\", \"bits_per_key\": 10, \"n\": 800, \"rounds\": 50}";
    struct fb_finding found;
    run("atomic-adds", args, 1, &found);
    assert_near(found.measured[0], 0, 0);
    assert_true(agrees(&found, 0));
    run("plain-adds", args, 1, &found);
    if (found.measured[0] > 0) /* one proves that keys get lost; so many at most were added */
        assert_true(found.low[0] >= 1 && found.low[0] <= found.measured[0] &&
                    found.high[0] > found.measured[0] && found.high[0] <= 7 * 8 * 800);
    else /* none in a sample proves nothing: less than 7.6 in as many are to be expected */
        assert_near(found.high[0], 7.6, 0.1);
}

TESTS(NULL, NULL)

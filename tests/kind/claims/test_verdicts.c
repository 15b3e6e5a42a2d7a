/* Judging claims: when a number or a bound is reproduced, a model fails, a verdict is clear. */
#include "tests/unit.h"

#include <string.h>

#include "harness/kind/claims/claims.h"

static void printed_digits(void **state)
{
    static const struct {
        const char *printed;
        double value, half;
    } rows[] = {{"0.82", 0.82, 0.005}, {"8,100", 8100, 0.5},         {"+46.1", 46.1, 0.05},
                {"1", 1, 0.5},         {"0x000F4240", 1000000, 0.5}, {"14.00", 14, 0.005},
                {"1e-5", 1e-5, 5e-6},  {"0.00001", 1e-5, 5e-6}};
    double value, half;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(fb_printed_number(rows[i].printed, &value, &half));
        assert_near(value, rows[i].value, 1e-12 * rows[i].value);
        assert_near(half, rows[i].half, 1e-12);
    }
    assert_false(fb_printed_number("about 7", &value, &half));
    assert_false(fb_printed_number("", &value, &half));
    assert_false(fb_printed_number("nan", &value, &half));
}

/* A finding whose theory and measurement are x +- width. */
static struct fb_finding found_at(double x, double width, double p)
{
    return (struct fb_finding){.n = 1,
                               .theory = {x},
                               .measured = {x},
                               .low = {x - width},
                               .high = {x + width},
                               .tolerance = NAN,
                               .p = p};
}

/* A claim of one number, a finding with an interval around theory = measured = middle. */
static enum fb_verdict verdict_of(enum fb_relation relation, const char *printed, double middle,
                                  double width)
{
    struct fb_claim claim = {.id = "x", .document = "d", .kind = "fpr", .procedure = "fpr"};
    struct fb_judged judged = {.claim = &claim, .n_findings = 1};
    claim.claimed.n = 1;
    claim.claimed.unit = "%";
    claim.claimed.relation = relation;
    assert_true(fb_printed_number(printed, claim.claimed.value, claim.claimed.half));
    judged.finding[0] = found_at(middle, width, 1);
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.model, FB_MODEL_CONFIRMED);
    assert_int_equal(judged.why[0] != 0, judged.verdict == FB_VERDICT_NOT_REPRODUCED ||
                                             strstr(judged.why, "theory") != NULL);
    return judged.verdict;
}

static void a_number_is_reproduced_within_its_rounding(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(FB_EQUAL, "0.82", 0.8194, 0.001), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_EQUAL, "0.9", 0.8194, 0.01), FB_VERDICT_NOT_REPRODUCED);
    assert_int_equal(verdict_of(FB_EQUAL, "0.9", 0.8194, 0.05), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_EQUAL, "9.2", 9.1953, 0), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_EQUAL, "7", 7, 0), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_EQUAL, "7", 8, 0), FB_VERDICT_NOT_REPRODUCED);
    assert_int_equal(verdict_of(FB_EQUAL, "0.0066", 0.00671, 0.00002), FB_VERDICT_NOT_REPRODUCED);
}

static void bounds_are_exact(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(FB_AT_MOST, "1.1", 0.82, 0.03), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_AT_MOST, "1.1", 1.14, 0.03), FB_VERDICT_NOT_REPRODUCED);
    assert_int_equal(verdict_of(FB_AT_MOST, "10", 10, 0), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_BELOW, "10", 10, 0), FB_VERDICT_NOT_REPRODUCED);
    assert_int_equal(verdict_of(FB_AT_LEAST, "90", 99, 0.1), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_AT_LEAST, "90", 89, 0.1), FB_VERDICT_NOT_REPRODUCED);
    assert_int_equal(verdict_of(FB_ABOVE, "0", 0, 0), FB_VERDICT_NOT_REPRODUCED);
    assert_int_equal(verdict_of(FB_ABOVE, "0", 0.01, 0.001), FB_VERDICT_REPRODUCED);
}

/* An interval that holds a number at which the verdict turns leaves it open. */
static void a_verdict_is_clear_away_from_where_it_turns(void **state)
{
    static const struct {
        enum fb_relation relation;
        double low, high;
        bool clear;
    } rows[] = {{FB_EQUAL, 0.9, 0.94, true},     {FB_EQUAL, 0.9, 0.96, false},
                {FB_EQUAL, 0.96, 1.04, true},    {FB_EQUAL, 0.96, 1.06, false},
                {FB_EQUAL, 0.9, 1.2, false},     {FB_AT_MOST, 0.96, 0.99, true},
                {FB_AT_MOST, 0.99, 1.01, false}, {FB_AT_LEAST, 1.01, 1.1, true},
                {FB_BELOW, 0.5, 1, false},       {FB_ABOVE, 1, 1, true}};
    const struct fb_claimed bound = {.n = 1, .value = {1}, .half = {0.05}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fb_claimed claimed = bound;
        const struct fb_finding found = {.n = 1, .low = {rows[i].low}, .high = {rows[i].high}};
        claimed.relation = rows[i].relation;
        if (fb_finding_is_clear(&found, &claimed) != rows[i].clear)
            fail_msg("row %zu", i);
    }
}

static void models_fail_exactly_or_beyond_chance(void **state)
{
    enum { N = 100 };
    static struct fb_judged judged[N];
    struct fb_claim claim = {.id = "x", .document = "d", .kind = "fpr", .procedure = "fpr"};
    (void)state;
    claim.claimed = (struct fb_claimed){.n = 1, .value = {1}, .half = {0.5}, .unit = ""};
    for (size_t i = 0; i < N; i++) {
        judged[i] = (struct fb_judged){.claim = &claim, .n_findings = 1};
        judged[i].finding[0] = found_at(1, 0, 0.5);
    }
    judged[0].finding[0].p = 1e-4; /* one in a hundred rows: 0.01 after Holm */
    judged[1].finding[0].p = 1e-7;
    judged[2].finding[0].tolerance = 0; /* exact and right */
    judged[3].finding[0].tolerance = 0;
    judged[3].finding[0].measured[0] = 1.001;
    judged[4].finding[0].tolerance = 0.01; /* within the tolerance */
    judged[4].finding[0].measured[0] = 1.001;
    judged[5].finding[0].false_negatives = 1;
    judged[6].finding[0].p = NAN; /* nothing random: not part of the correction */
    assert_int_equal(fb_claims_draw(judged, N), FB_OK);
    static const enum fb_model expected[] = {
        FB_MODEL_CONFIRMED, FB_MODEL_FAILED, FB_MODEL_CONFIRMED, FB_MODEL_FAILED,
        FB_MODEL_CONFIRMED, FB_MODEL_FAILED, FB_MODEL_CONFIRMED, FB_MODEL_CONFIRMED};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(judged[i].model, expected[i]);
        assert_int_equal(judged[i].verdict, FB_VERDICT_REPRODUCED); /* never mixed */
    }
    assert_near(judged[0].p_holm, 98 * 1e-4, 1e-12); /* second smallest of 99 */
    assert_true(isnan(judged[6].p_holm));
    assert_non_null(strstr(judged[5].why, "1 false negatives"));
}

static void a_second_root_must_agree(void **state)
{
    struct fb_claim claim = {.id = "x", .document = "d", .kind = "size", .procedure = "fpr"};
    struct fb_judged judged = {.claim = &claim, .n_findings = 2};
    (void)state;
    claim.claimed = (struct fb_claimed){.n = 1, .value = {1}, .half = {0.5}, .unit = ""};
    judged.finding[0] = judged.finding[1] = found_at(1, 0, NAN);
    judged.finding[0].tolerance = judged.finding[1].tolerance = 0;
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.model, FB_MODEL_CONFIRMED);
    judged.finding[1].measured[0] = judged.finding[1].low[0] = judged.finding[1].high[0] = 2;
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.model, FB_MODEL_FAILED);
    assert_int_equal(judged.verdict, FB_VERDICT_NOT_REPRODUCED);
}

static void unmeasured_rows(void **state)
{
    struct fb_claim pending = {.id = "x", .needs = "tree"},
                    documentary = {.id = "y", .cite = "file", .says = "so it is", .holds = 1};
    struct fb_judged judged[2] = {{.claim = &pending}, {.claim = &documentary}};
    (void)state;
    assert_int_equal(fb_claims_draw(judged, 2), FB_OK);
    assert_int_equal(judged[0].model, FB_MODEL_PENDING);
    assert_int_equal(judged[0].verdict, FB_VERDICT_PENDING);
    assert_non_null(strstr(judged[0].why, "tree"));
    assert_int_equal(judged[1].model, FB_MODEL_DOCUMENTARY);
    assert_int_equal(judged[1].verdict, FB_VERDICT_DOCUMENTARY);
    assert_non_null(strstr(judged[1].why, "file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_digits),
        cmocka_unit_test(a_number_is_reproduced_within_its_rounding),
        cmocka_unit_test(bounds_are_exact),
        cmocka_unit_test(a_verdict_is_clear_away_from_where_it_turns),
        cmocka_unit_test(models_fail_exactly_or_beyond_chance),
        cmocka_unit_test(a_second_root_must_agree),
        cmocka_unit_test(unmeasured_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

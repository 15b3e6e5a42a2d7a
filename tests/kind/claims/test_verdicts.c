/* Judging claims: when a number or a bound is reproduced, a model fails, a verdict is clear. */
#include <string.h>

#include "tests/kind/claims/claimed_of.h"

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

/* A claim of one number as printed; bounds are exact. */
static struct fb_claimed claim_of(enum fb_relation relation, const char *printed)
{
    char json[200];
    const char *wrong;
    double value, half;
    assert_true(fb_printed_number(printed, &value, &half));
    snprintf(json, sizeof json, "{'value': %.17g, 'printed': '%s', 'unit': '%%', 'relation': '%s'}",
             value, printed, fb_relation_texts[relation]);
    struct fb_claimed claimed = claimed_of(json, &wrong);
    assert_null(wrong);
    claimed.unit = "%";
    return claimed;
}

/* Of a finding with an interval around theory = measured = middle. */
static enum fb_verdict verdict_of(enum fb_relation relation, const char *printed, double middle,
                                  double width)
{
    struct fb_claim claim = {.id = "x", .document = "d", .kind = "fpr", .procedure = "fpr"};
    struct fb_judged judged = {.claim = &claim, .n_findings = 1};
    claim.claimed = claim_of(relation, printed);
    judged.finding[0] = found_at(middle, width, 1);
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.model, FB_MODEL_CONFIRMED);
    assert_int_equal(judged.why[0] != 0, judged.verdict != FB_VERDICT_REPRODUCED);
    return judged.verdict;
}

static const enum fb_verdict yes = FB_VERDICT_REPRODUCED, no = FB_VERDICT_NOT_REPRODUCED,
                             open = FB_VERDICT_UNDECIDED;

TEST(a_number_is_reproduced_within_its_digits)
{
    assert_int_equal(verdict_of(FB_EQUAL, "0.82", 0.8194, 0.001), yes);
    assert_int_equal(verdict_of(FB_EQUAL, "0.82", 0.8194, 0.005), open); /* 0.8144 */
    assert_int_equal(verdict_of(FB_EQUAL, "0.82", 0.8194, 0.1), open);   /* both limits */
    assert_int_equal(verdict_of(FB_EQUAL, "0.9", 0.8194, 0.01), no);
    assert_int_equal(verdict_of(FB_EQUAL, "0.9", 0.8194, 0.05), open); /* 0.8694 */
    assert_int_equal(verdict_of(FB_EQUAL, "9.2", 9.1953, 0), yes);
    assert_int_equal(verdict_of(FB_EQUAL, "9.2", 9.15, 0), yes); /* on the limit */
    assert_int_equal(verdict_of(FB_EQUAL, "7", 7, 0), yes);
    assert_int_equal(verdict_of(FB_EQUAL, "7", 8, 0), no);
    assert_int_equal(verdict_of(FB_EQUAL, "8,100", 8145, 4), yes);
    assert_int_equal(verdict_of(FB_EQUAL, "8,100", 8194, 4), no);
    assert_int_equal(verdict_of(FB_EQUAL, "0.0066", 0.00671, 0.00002), no);
}

TEST(bounds_have_one_limit)
{
    assert_int_equal(verdict_of(FB_AT_MOST, "1.1", 0.82, 0.03), yes);
    assert_int_equal(verdict_of(FB_AT_MOST, "1.1", 1.14, 0.03), no);
    assert_int_equal(verdict_of(FB_AT_MOST, "1.1", 1.12, 0.03), open);
    assert_int_equal(verdict_of(FB_AT_MOST, "1.1", 1.08, 0.03), open);
    assert_int_equal(verdict_of(FB_AT_MOST, "10", 10, 0), yes);
    assert_int_equal(verdict_of(FB_BELOW, "10", 10, 0), no);
    assert_int_equal(verdict_of(FB_BELOW, "10", 9, 1), open);
    assert_int_equal(verdict_of(FB_AT_LEAST, "90", 99, 0.1), yes);
    assert_int_equal(verdict_of(FB_AT_LEAST, "90", 89, 0.1), no);
    assert_int_equal(verdict_of(FB_AT_LEAST, "90", 90.05, 0.1), open);
    assert_int_equal(verdict_of(FB_AT_LEAST, "90", 90, 0), yes);
    assert_int_equal(verdict_of(FB_ABOVE, "0", 0, 0), no);
    assert_int_equal(verdict_of(FB_ABOVE, "0", 0.01, 0.001), yes);
    assert_int_equal(verdict_of(FB_ABOVE, "0", 0.001, 0.001), open);
}

/* Of several numbers one outside is enough, and one between leaves the others open. */
TEST(every_number_counts)
{
    const struct fb_claimed two = {
        .n = 2, .value = {1, 5}, .low = {0.5, 4.5}, .high = {1.5, 5.5}, .relation = FB_EQUAL};
    assert_int_equal(fb_claimed_stand(&two, (double[]){1, 5}, (double[]){1, 5}), FB_WITHIN);
    assert_int_equal(fb_claimed_stand(&two, (double[]){1, 5}, (double[]){2, 5}), FB_BETWEEN);
    assert_int_equal(fb_claimed_stand(&two, (double[]){1, 6}, (double[]){2, 7}), FB_OUTSIDE);
}

/* An interval that holds a number at which the verdict turns leaves it open. */
TEST(a_verdict_is_clear_away_from_where_it_turns)
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fb_claimed claimed = claim_of(rows[i].relation, "1.0");
        const struct fb_finding found = {.n = 1, .low = {rows[i].low}, .high = {rows[i].high}};
        if (fb_finding_is_clear(&found, &claimed) != rows[i].clear)
            fail_msg("row %zu", i);
    }
}

/* 0.8194 lies 0.0044 from the limit of 0.82, 0.815: an interval of +-0.0088 is to become a quarter
 * as wide, twice as narrow as the distance, which takes sixteen times the work. */
TEST(an_undecided_row_says_what_would_tell)
{
    struct fb_claim claim = {.id = "x", .document = "d", .kind = "fpr", .procedure = "fpr"};
    struct fb_judged judged = {.claim = &claim, .n_findings = 1};
    struct fb_finding *found = &judged.finding[0];
    static const struct {
        double middle, deciding;
        size_t processes;
        enum fb_effort effort;
        const char *says;
    } rows[] = {
        {0.8194, 0, 0, FB_EFFORTS, "about 16 times the samples would tell"},
        {0.8194, 4.5e7, 0, FB_DEFAULT,
         "4.5e+07 probes would tell; a run without --quick spends them"},
        {0.8194, 4.5e7, 0, FB_FULL, "4.5e+07 probes would tell; --full spends them"},
        {0.8194, 4.5e12, 0, FB_EFFORTS, "4.5e+12 probes would tell, more than --full spends"},
        {0.8194, 1000, 0, FB_QUICK, "1e+03 probes would tell, and were spent; one sample in"},
        {0.8194, INFINITY, 0, FB_EFFORTS, "too close to tell at any effort"},
        {0.8194, 0, 24, FB_EFFORTS, "about 384 processes would tell, more than --full takes (64)"},
        {0.8194, 0, 2, FB_EFFORTS,
         "about 32 processes would tell; a run without --quick takes up to 48"},
        {0.8194, 0, 4, FB_EFFORTS, "about 64 processes would tell; --full takes up to 64"},
        {0.815001, 0, 0, FB_EFFORTS, "too close to tell at any effort"},
        /* An estimate happens to lie on the limit; the theory, which plans, does not. */
        {0.815001, 4.5e7, 0, FB_FULL, "4.5e+07 probes would tell; --full spends them"},
    };
    claim.claimed = claim_of(FB_EQUAL, "0.82");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *found = found_at(rows[i].middle, 0.0088, 1);
        found->processes = rows[i].processes;
        found->deciding = rows[i].deciding;
        found->deciding_effort = rows[i].effort;
        found->probes = 1000;
        assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
        assert_int_equal(judged.verdict, FB_VERDICT_UNDECIDED);
        if (!strstr(judged.why, rows[i].says))
            fail_msg("%s: %s", rows[i].says, judged.why);
    }
}

TEST(models_fail_exactly_or_beyond_chance)
{
    enum { N = 100 };
    static struct fb_judged judged[N];
    struct fb_claim claim = {.id = "x", .document = "d", .kind = "fpr", .procedure = "fpr"};
    claim.claimed = claim_of(FB_EQUAL, "1");
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
    judged[8].finding[0].tolerance = 0.01; /* beyond it */
    judged[8].finding[0].measured[0] = 1.015;
    judged[6].finding[0].p = NAN; /* nothing random: not part of the correction */
    assert_int_equal(fb_claims_draw(judged, N), FB_OK);
    static const enum fb_model expected[] = {
        FB_MODEL_CONFIRMED, FB_MODEL_FAILED,    FB_MODEL_CONFIRMED,
        FB_MODEL_FAILED,    FB_MODEL_CONFIRMED, FB_MODEL_FAILED,
        FB_MODEL_CONFIRMED, FB_MODEL_CONFIRMED, FB_MODEL_FAILED};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(judged[i].model, expected[i]);
        assert_int_equal(judged[i].verdict, FB_VERDICT_REPRODUCED); /* never mixed */
    }
    assert_near(judged[0].p_holm, 98 * 1e-4, 1e-12); /* second smallest of 99 */
    assert_true(isnan(judged[6].p_holm));
    assert_non_null(strstr(judged[5].why, "1 false negatives"));
}

TEST(a_second_root_must_agree)
{
    struct fb_claim claim = {.id = "x", .document = "d", .kind = "size", .procedure = "fpr"};
    struct fb_judged judged = {.claim = &claim, .n_findings = 2};
    claim.claimed = claim_of(FB_EQUAL, "1");
    judged.finding[0] = judged.finding[1] = found_at(1, 0, NAN);
    judged.finding[0].tolerance = judged.finding[1].tolerance = 0;
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.model, FB_MODEL_CONFIRMED);
    judged.finding[1].measured[0] = judged.finding[1].low[0] = judged.finding[1].high[0] = 2;
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.model, FB_MODEL_FAILED);
    assert_int_equal(judged.verdict, FB_VERDICT_NOT_REPRODUCED);
}

/* Undecided under one root, the row stays open whatever the other says, but for a contradiction. */
TEST(both_roots_decide)
{
    struct fb_claim claim = {.id = "x", .document = "d", .kind = "fpr", .procedure = "fpr"};
    struct fb_judged judged = {.claim = &claim, .n_findings = 2};
    claim.claimed = claim_of(FB_EQUAL, "1");
    judged.finding[0] = found_at(1, 0.1, 1);
    judged.finding[1] = found_at(1, 0.6, 1);
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.verdict, FB_VERDICT_UNDECIDED);
    judged.finding[1] = found_at(2, 0.1, 1);
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.verdict, FB_VERDICT_NOT_REPRODUCED);
}

/* Two tests of one model: twice the smaller p, at most 1. */
TEST(both_roots_test_the_model)
{
    static const double rows[][3] = {
        {0.3, 0.02, 0.04}, {0.02, 0.3, 0.04}, {0.6, 0.7, 1}, {1e-5, 1, 2e-5}};
    struct fb_claim claim = {.id = "x", .document = "d", .kind = "fpr", .procedure = "fpr"};
    struct fb_judged judged = {.claim = &claim, .n_findings = 2};
    claim.claimed = claim_of(FB_EQUAL, "1");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        judged.finding[0] = found_at(1, 0.1, rows[i][0]);
        judged.finding[1] = found_at(1, 0.1, rows[i][1]);
        assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
        assert_near(judged.p_holm, rows[i][2], 1e-15);
    }
}

/* Both sides are arithmetic: nothing is confirmed by their agreement, but they must agree. */
TEST(arithmetic_confirms_nothing)
{
    struct fb_claim claim = {.id = "x",
                             .document = "d",
                             .kind = "analytic",
                             .procedure = "hash-cost",
                             .nature = FB_COMPUTED};
    struct fb_judged judged = {.claim = &claim, .n_findings = 1};
    claim.claimed = claim_of(FB_EQUAL, "1");
    judged.finding[0] = found_at(1, 0, NAN);
    judged.finding[0].tolerance = 0;
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.model, FB_MODEL_COMPUTED);
    assert_int_equal(judged.verdict, FB_VERDICT_REPRODUCED);
    judged.finding[0].theory[0] = 1.25;
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.model, FB_MODEL_FAILED);
}

/* Whatever was measured; but the model is tested as any other. */
TEST(a_finding_of_ours_is_nobodys_claim)
{
    struct fb_claim claim = {.id = "x", .procedure = "fpr", .ours = true, .claimed.unit = "%"};
    struct fb_judged judged = {.claim = &claim, .n_findings = 1};
    judged.finding[0] = found_at(0.8, 0.1, 1);
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.verdict, FB_VERDICT_FINDING);
    assert_int_equal(judged.model, FB_MODEL_CONFIRMED);
    judged.finding[0].p = 1e-9;
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.verdict, FB_VERDICT_FINDING);
    assert_int_equal(judged.model, FB_MODEL_FAILED);
}

TEST(unmeasured_rows)
{
    struct fb_claim pending = {.id = "x", .needs = "tree"},
                    documentary = {.id = "y", .cite = "file", .says = "so it is", .holds = 1};
    struct fb_judged judged[2] = {{.claim = &pending}, {.claim = &documentary}};
    assert_int_equal(fb_claims_draw(judged, 2), FB_OK);
    assert_int_equal(judged[0].model, FB_MODEL_PENDING);
    assert_int_equal(judged[0].verdict, FB_VERDICT_PENDING);
    assert_non_null(strstr(judged[0].why, "tree"));
    assert_int_equal(judged[1].model, FB_MODEL_DOCUMENTARY);
    assert_int_equal(judged[1].verdict, FB_VERDICT_DOCUMENTARY);
    assert_non_null(strstr(judged[1].why, "file"));
}

TESTS(NULL, NULL)

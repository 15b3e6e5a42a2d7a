#include "tests/unit.h"

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/kind/claims/claims.h"

static bool near(double x, double y)
{
    return fabs(x - y) <= 1e-9 * fabs(y);
}

/* ---- Limits ---- */

static bool digits_are_read(void)
{
    static const struct {
        const char *printed;
        double value, half;
    } rows[] = {{"8,100", 8100, 50}, {"100", 100, 5},       {"20", 20, 0.5}, {"7", 7, 0.5},
                {"1.0", 1, 0.05},    {"0.82", 0.82, 0.005}, {"0x1F", 31, 0}, {"1e-5", 1e-5, 5e-6}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value, half;
        if (!fb_printed_number(rows[i].printed, &value, &half) || !near(value, rows[i].value) ||
            !near(half, rows[i].half))
            return false;
    }
    return true;
}

/* The claim of a row: the number `printed` in a relation, with a tolerance or none. */
static bool claim_of(const char *relation, const char *printed, const char *tolerance,
                     struct fb_claimed *out)
{
    double value, half;
    if (!fb_printed_number(printed, &value, &half))
        return false;
    json_t *claimed = json_pack("{s:f, s:s, s:s, s:s}", "value", value, "printed", printed, "unit",
                                "", "relation", relation);
    if (tolerance)
        json_object_set_new(claimed, "tolerance", json_pack("{s:b}", tolerance, 1));
    bool read = !fb_claimed_read(claimed, out);
    json_decref(claimed);
    out->unit = ""; /* the row's own text is gone */
    return read;
}

static bool limits_are_set(void)
{
    static const struct {
        const char *relation, *printed, *tolerance;
        double low, high;
    } rows[] = {{"=", "38", NULL, 37.5, 38.5},
                {"=", "38", "about", 38 - 0.05 * 38, 38 + 0.05 * 38},
                {"=", "8,100", "exact", 8100, 8100},
                {"<=", "10", NULL, -INFINITY, 10},
                {">", "90", NULL, 90, INFINITY}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fb_claimed claimed;
        if (!claim_of(rows[i].relation, rows[i].printed, rows[i].tolerance, &claimed) ||
            claimed.low[0] != rows[i].low || claimed.high[0] != rows[i].high)
            return false;
    }
    return true;
}

/* ---- Verdicts ---- */

/* Measured +-0.1 under each of two roots, with the p of its model; theory is 1. */
static const struct {
    const char *relation;
    double measured[2], p[2], within; /* of the model: NaN, none */
    enum fb_verdict verdict;
    enum fb_model model;
    double p_holm;
} known[] = {
    {"=", {1, 1}, {1, 1}, NAN, FB_VERDICT_REPRODUCED, FB_MODEL_CONFIRMED, 1},
    {"=", {1, 1.45}, {1, 1}, NAN, FB_VERDICT_UNDECIDED, FB_MODEL_CONFIRMED, 1},
    {"=", {1.45, 1}, {1, 1}, NAN, FB_VERDICT_UNDECIDED, FB_MODEL_CONFIRMED, 1},
    {"=", {1.45, 1.7}, {1, 1}, NAN, FB_VERDICT_NOT_REPRODUCED, FB_MODEL_CONFIRMED, 1},
    {"=", {1, 1}, {0.3, 0.02}, NAN, FB_VERDICT_REPRODUCED, FB_MODEL_CONFIRMED, 0.04},
    {"=", {1, 1}, {1e-4, 0.3}, NAN, FB_VERDICT_REPRODUCED, FB_MODEL_FAILED, 2e-4},
    {"=", {1.1, 1.1}, {NAN, NAN}, 0.2, FB_VERDICT_REPRODUCED, FB_MODEL_CONFIRMED, NAN},
    {"=", {1.1, 1.1}, {NAN, NAN}, 0.04, FB_VERDICT_REPRODUCED, FB_MODEL_FAILED, NAN},
    {"<=", {0.8, 0.8}, {1, 1}, NAN, FB_VERDICT_REPRODUCED, FB_MODEL_CONFIRMED, 1},
    {"<=", {1.05, 1.05}, {1, 1}, NAN, FB_VERDICT_UNDECIDED, FB_MODEL_CONFIRMED, 1},
    {"<=", {1.2, 1.2}, {1, 1}, NAN, FB_VERDICT_NOT_REPRODUCED, FB_MODEL_CONFIRMED, 1},
    {">", {0.95, 0.95}, {1, 1}, NAN, FB_VERDICT_UNDECIDED, FB_MODEL_CONFIRMED, 1},
    {">", {1.05, 1.05}, {1, 1}, NAN, FB_VERDICT_UNDECIDED, FB_MODEL_CONFIRMED, 1},
    {">", {1.15, 1.15}, {1, 1}, NAN, FB_VERDICT_REPRODUCED, FB_MODEL_CONFIRMED, 1},
};

static bool verdicts_are_drawn(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct fb_claim claim = {.id = "", .document = "", .kind = "fpr", .procedure = "fpr"};
        struct fb_judged judged = {.claim = &claim, .n_findings = 2};
        if (!claim_of(known[i].relation, "1", NULL, &claim.claimed))
            return false;
        for (size_t r = 0; r < 2; r++) {
            const double x = known[i].measured[r];
            judged.finding[r] = (struct fb_finding){.n = 1,
                                                    .theory = {1},
                                                    .measured = {x},
                                                    .low = {x - 0.1},
                                                    .high = {x + 0.1},
                                                    .tolerance = known[i].within,
                                                    .p = known[i].p[r]};
        }
        if (fb_claims_draw(&judged, 1) || judged.verdict != known[i].verdict ||
            judged.model != known[i].model || isnan(judged.p_holm) != isnan(known[i].p_holm) ||
            (!isnan(judged.p_holm) && !near(judged.p_holm, known[i].p_holm)))
            return false;
    }
    return true;
}

TEST(digits)
{
    assert_true(digits_are_read());
}
TEST(limits)
{
    assert_true(limits_are_set());
}
TEST(verdicts)
{
    assert_true(verdicts_are_drawn());
}

TESTS(NULL, NULL)

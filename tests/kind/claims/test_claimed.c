/* What a row claims: the digits that are meant, limits, and whose they are. */
#include <string.h>

#include "tests/kind/claims/claimed_of.h"

TEST(printed_digits)
{
    static const struct {
        const char *printed;
        double value, half;
    } rows[] = {{"0.82", 0.82, 0.005},
                {"8,100", 8100, 50},
                {"18,000", 18000, 500},
                {"100", 100, 5},
                {"1,000", 1000, 50},
                {"90", 90, 0.5},
                {"20", 20, 0.5},
                {"10", 10, 0.5},
                {"7", 7, 0.5},
                {"0", 0, 0.5},
                {"-300", -300, 5},
                {"125,016", 125016, 0.5},
                {"+46.1", 46.1, 0.05},
                {"1.0", 1, 0.05},
                {"100.0", 100, 0.05},
                {"1", 1, 0.5},
                {"0x000F4240", 1000000, 0},
                {"14.00", 14, 0.005},
                {"1e-5", 1e-5, 5e-6},
                {"0.00001", 1e-5, 5e-6}};
    double value, half;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(fb_printed_number(rows[i].printed, &value, &half));
        assert_near(value, rows[i].value, 1e-12 * fabs(rows[i].value));
        if (fabs(half - rows[i].half) > 1e-12)
            fail_msg("%s: +-%g", rows[i].printed, half);
    }
    assert_false(fb_printed_number("about 7", &value, &half));
    assert_false(fb_printed_number("", &value, &half));
    assert_false(fb_printed_number("nan", &value, &half));
}

TEST(digits_and_value_are_one_number)
{
    static const struct {
        const char *claimed;
        bool same;
    } rows[] = {
        {"{'value': 0.82, 'printed': '0.82', 'unit': '', 'relation': '='}", true},
        {"{'value': 0.8201, 'printed': '0.82', 'unit': '', 'relation': '='}", false},
        {"{'value': 8194, 'printed': '8,194', 'unit': '', 'relation': '='}", true},
        {"{'value': 8194.01, 'printed': '8,194', 'unit': '', 'relation': '='}", false},
        {"{'value': [1, 2], 'printed': ['1', '2'], 'unit': '', 'relation': '='}", true},
        {"{'value': [1, 2], 'printed': ['1', '3'], 'unit': '', 'relation': '='}", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *wrong = NULL;
        claimed_of(rows[i].claimed, &wrong);
        if (!wrong != rows[i].same)
            fail_msg("%s: %s", rows[i].claimed, wrong ? wrong : "nothing wrong");
    }
}

TEST(limits_of_a_claim)
{
    static const struct {
        const char *claimed;
        double low, high;
        enum fb_whose whose;
    } rows[] = {
        {"{'value': 38, 'printed': '38', 'unit': '', 'relation': '='}", 37.5, 38.5, FB_PRINTED},
        {"{'value': 38, 'printed': '38', 'unit': '', 'relation': '=', 'tolerance': {'about': "
         "true}}",
         36.1, 39.9, FB_PRINTED}, /* 5 % of it; twice its digit's half would be 1 */
        {"{'value': 8100, 'printed': '8,100', 'unit': '', 'relation': '=', 'tolerance': {'exact': "
         "true}}",
         8100, 8100, FB_PRINTED},
        {"{'value': 0, 'unit': '', 'relation': '=', 'tolerance': {'exact': true, 'whose': "
         "'words'}}",
         0, 0, FB_WORDS},
        {"{'value': 1, 'unit': '', 'relation': '=', 'tolerance': {'half': 0.25, 'whose': 'ours'}}",
         0.75, 1.25, FB_OURS},
        {"{'value': 1.0625, 'unit': '', 'relation': '=', 'tolerance': {'low': 1, 'high': 1.25, "
         "'whose': 'printed'}}",
         1, 1.25, FB_PRINTED},
        {"{'value': 1, 'printed': '1', 'unit': '', 'relation': '=', 'tolerance': {'about': true}}",
         0.75, 1.25, FB_PRINTED},
        {"{'value': 40, 'printed': '40', 'unit': '', 'relation': '=', 'tolerance': {'about': "
         "true}}",
         30, 50, FB_PRINTED},
        {"{'value': 0.5, 'printed': '0.5', 'unit': '', 'relation': '=', 'tolerance': {'about': "
         "true}}",
         0.4, 0.6, FB_PRINTED},
        {"{'value': 8100, 'printed': '8,100', 'unit': '', 'relation': '=', 'tolerance': {'whole': "
         "true}}",
         8099.5, 8100.5, FB_PRINTED},
        {"{'value': 1, 'unit': '', 'relation': '=', 'tolerance': {'same': true}}", 0.95, 1.05,
         FB_OURS},
        {"{'value': 2.5, 'printed': '2.5', 'unit': '', 'relation': '=', 'tolerance': {'times': "
         "true}}",
         2, 3.125, FB_OURS},
        {"{'value': 100, 'printed': '100.0', 'unit': '', 'relation': '=', 'tolerance': {'counted': "
         "true}}",
         97, 103, FB_OURS},
        {"{'value': 0.1, 'printed': '0.1', 'unit': '', 'relation': '=', 'tolerance': {'counted': "
         "true, 'whose': 'printed'}}",
         0.05, 0.15000000000000002, FB_PRINTED},
        {"{'value': 10, 'printed': '10', 'unit': '', 'relation': '<='}", -INFINITY, 10, FB_PRINTED},
        {"{'value': 90, 'unit': '', 'relation': '>', 'tolerance': {'whose': 'words'}}", 90,
         INFINITY, FB_WORDS},
    };
    const char *wrong;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fb_claimed claimed = claimed_of(rows[i].claimed, &wrong);
        if (wrong || claimed.low[0] != rows[i].low || claimed.high[0] != rows[i].high ||
            claimed.whose != rows[i].whose)
            fail_msg("%s: %s, %g to %g, %s", rows[i].claimed, wrong ? wrong : "right",
                     claimed.low[0], claimed.high[0], fb_whose_texts[claimed.whose]);
    }
}

TEST(limits_that_nobody_gave)
{
    static const struct {
        const char *claimed, *wrong;
    } rows[] = {
        {"{'value': 1, 'unit': '', 'relation': '='}",
         "nothing is printed: tolerance must say whose it is"},
        {"{'value': 1, 'unit': '', 'relation': '<'}",
         "nothing is printed: tolerance must say whose it is"},
        {"{'value': 1, 'unit': '', 'relation': '=', 'tolerance': {'whose': 'ours'}}",
         "nothing says how near a measurement must come: printed digits or a tolerance"},
        {"{'value': 1, 'unit': '', 'relation': '=', 'tolerance': {'about': true}}",
         "nothing is printed: tolerance must say whose it is"},
        {"{'value': 1, 'printed': '1', 'unit': '', 'relation': '<', 'tolerance': {'times': true}}",
         "tolerance: a bound has no width"},
        {"{'value': 1, 'printed': '1', 'unit': '', 'relation': '=', 'tolerance': {'about': true, "
         "'exact': true}}",
         "tolerance: one rule, or half, or low with high"},
        {"{'value': 3, 'unit': '', 'relation': '=', 'tolerance': {'low': 1, 'high': 2, 'whose': "
         "'ours'}}",
         "tolerance: the value is not within its limits"},
        {"{'value': 1, 'printed': '1', 'unit': '', 'relation': '<', 'tolerance': {'half': 1}}",
         "tolerance: a bound has no width"},
        {"{'value': 1, 'printed': '1', 'unit': '', 'relation': '=', 'tolerance': {'whose': "
         "'mine'}}",
         "tolerance: whose must be printed, words or ours"},
        {"{'value': 1, 'printed': '1', 'unit': '', 'relation': 'about'}",
         "relation must be =, <=, >=, < or >"},
        {"{'value': 1, 'printed': '2', 'unit': '', 'relation': '='}",
         "the printed digits and the value differ"},
        {"{'value': 1, 'printed': '1'}", "claimed needs value, unit and relation"},
    };
    const char *wrong;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        claimed_of(rows[i].claimed, &wrong);
        if (!wrong || strcmp(wrong, rows[i].wrong))
            fail_msg("%s: %s", rows[i].claimed, wrong ? wrong : "accepted");
    }
}

TESTS(NULL, NULL)

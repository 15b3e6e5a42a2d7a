/* What tables say of a claim: its figure, its test, and what an effort left out. */
#include "tests/documents.h"

#include "harness/kind/claims/claims.h"

/* Figure and test of a row whose "claimed" this is; quotes are single here. */
static void says(const char *text, const char *figure, const char *test)
{
    char said[200];
    struct fb_claim claim = {.id = "x"};
    json_auto_t *row = json_pack("{s:o}", "claimed", quoted(text));
    claim.row = row;
    assert_null(fb_claimed_read(json_object_get(row, "claimed"), &claim.claimed));
    fb_claim_figure(&claim, said, sizeof said);
    assert_string_equal(said, figure);
    fb_claim_test(&claim, said, sizeof said);
    assert_string_equal(said, test);
}

TEST(figures_and_tests)
{
    says("{'value': 0.82, 'printed': '0.82', 'unit': '%', 'relation': '='}", "0.82",
         "0.815 to 0.825 % (as printed)");
    says("{'value': 125016, 'printed': '125,016', 'unit': 'B', 'relation': '='}", "125,016",
         "125015.5 to 125016.5 B (as printed)");
    says("{'value': 10, 'unit': 'x', 'relation': '>=', 'tolerance': {'whose': 'printed', 'why': "
         "'10x or more'}}",
         ">= 10", ">= 10 x (printed: 10x or more)");
    says("{'value': 1, 'unit': 'x', 'relation': '=', 'tolerance': {'half': 0.05, 'whose': 'ours', "
         "'why': 'constant: within 5 %'}}",
         "0.95 to 1.05", "0.95 to 1.05 x (ours: constant: within 5 %)");
    says("{'value': 0, 'unit': 'keys lost', 'relation': '=', 'tolerance': {'exact': true, 'whose': "
         "'words'}}",
         "0", "0 keys lost (words)");
    says("{'value': [1, 30], 'printed': ['1', '30'], 'unit': 'probes', 'relation': '='}", "1, 30",
         "1, 30 +-0.5 probes (as printed)");
    says("{'value': 2654435769, 'printed': '0x9e3779b9', 'unit': '', 'relation': '='}",
         "0x9e3779b9", "0x9e3779b9 (as printed)");
    says("{'value': null, 'printed': '7.0', 'unit': 'version', 'relation': '='}", "7.0", "");
}

/* Neither an exponent nor digits that nobody reads. */
TEST(numbers_are_plain)
{
    const double values[] = {0.00012345, 3.14159, 9999.6, 21577.3, 4294967296, 2e15};
    const struct fb_claim claim = {.id = "x"};
    char text[200];
    fb_claim_numbers(&claim, values, sizeof values / sizeof *values, text, sizeof text);
    assert_string_equal(text, "0.0001234, 3.142, 10000, 21577, 4294967296, 2e+15");
}

TEST(what_is_fewer)
{
    char text[200];
    json_auto_t *row = quoted("{'probes': 500000}"), *probes = quoted("{'probes_asked': 10000000}");
    fb_claim_fewer(row, text, sizeof text);
    assert_string_equal(text, "");
    json_object_set(row, "fewer", probes);
    fb_claim_fewer(row, text, sizeof text);
    assert_string_equal(text, "500,000 probes instead of the ledger's 10,000,000");
}

TESTS(NULL, NULL)

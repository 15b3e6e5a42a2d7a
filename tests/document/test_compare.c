/* Facts as texts, and the differences of two documents. */
#include "tests/unit.h"

#include <string.h>

#include "harness/base/json.h"
#include "harness/document/compare.h"

static json_t *parsed(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    return value;
}

TEST(facts_as_texts)
{
    static const struct {
        const char *fact, *text;
    } rows[] = {{"[1, 20, 300]", "321 in 3 filters"},
                {"[7]", "7 in 1 filters"},
                {"[1, 2.5]", "[1,2.5]"},
                {"[]", "[]"},
                {"\"nori\"", "nori"},
                {"0.25", "0.25"},
                {"null", "null"}};
    char text[40];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_auto_t *fact = parsed(rows[i].fact);
        fb_fact_text(fact, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
    fb_fact_text(NULL, text, sizeof text);
    assert_string_equal(text, "nothing");
}

/* Rows are found by id: one is equal, one differs in two members and lacks a third, one is gone,
 * one is new. */
TEST(differences)
{
    json_auto_t *base =
        parsed("{\"kind\": \"fpr\", \"cells\": [{\"id\": \"a\", \"x\": 1}, {\"id\": \"b\", "
               "\"design\": \"nori\", \"x\": 1, \"y\": {\"z\": [1, 2]}, \"only\": 0}, "
               "{\"id\": \"c\"}]}");
    json_auto_t *head =
        parsed("{\"kind\": \"fpr\", \"cells\": [{\"id\": \"d\"}, {\"id\": \"b\", \"design\": "
               "\"nori\", \"x\": 2, \"y\": {\"z\": [1, 3]}}, {\"id\": \"a\", \"x\": 1}]}");
    json_auto_t *report = fb_compare(base, head);
    json_auto_t *expected = parsed(
        "{\"missing\": [\"c\"], \"new\": [\"d\"], \"equal\": 1, \"differing\": 1, \"differences\": "
        "["
        "{\"cell\": \"b\", \"design\": \"nori\", \"fact\": \"x\", \"base\": 1, \"head\": 2}, "
        "{\"cell\": \"b\", \"design\": \"nori\", \"fact\": \"y.z\", \"base\": [1, 2], \"head\": "
        "[1, "
        "3]}, {\"cell\": \"b\", \"design\": \"nori\", \"fact\": \"only\", \"base\": 0, \"head\": "
        "null}]}");
    if (!json_equal(report, expected))
        fail_msg("%s", json_dumps(report, 0));
}

TESTS(NULL, NULL)

/* The five lines of an answer, and its flips in words. */
#include "tests/documents.h"

#include <string.h>

#include "harness/kind/advise/advise.h"

#define PICK                                                                                       \
    "{'design': 'rocksdb-ribbon', 'allocation': 'uniform', 'name': 'rocksdb-ribbon', "             \
    "'bits_per_key': 10, 'pick': true, 'present': false, 'bytes': 7.2e6, 'cost_ns': {'value': "    \
    "4100}}"
#define TODAY                                                                                      \
    "{'design': 'rocksdb-fastlocal', 'allocation': 'drop-last', 'name': 'rocksdb-fastlocal "       \
    "drop-last', 'bits_per_key': 12.5, 'pick': false, 'present': true, 'bytes': 1e7, 'cost_ns': "  \
    "{'value': 4e3}}"
#define NONE                                                                                       \
    "{'design': null, 'allocation': null, 'name': 'no filter', 'bits_per_key': 0, 'pick': true, "  \
    "'present': false, 'bytes': 0, 'cost_ns': {'value': 900}}"

/* An answer of these rows and flips. */
static json_t *answer_of(const char *rows, const char *flips)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{'ranking': [%s], 'flips': [%s], 'confidence': 'MEDIUM', 'p': 0.9912, 'why': 'So it "
             "is', 'without_ns': 45100, 'n': 1e6, 'read_ns': 1e5, 'absent': 0.5}",
             rows, flips);
    json_t *answer = quoted(text);
    fb_advise_say(answer);
    return answer;
}

static void assert_line(const json_t *answer, size_t line, const char *text)
{
    assert_string_equal(json_string_value(json_array_get(json_object_get(answer, "card"), line)),
                        text);
}

static void a_change_is_held_against_today(void **state)
{
    (void)state;
    json_t *a = answer_of(PICK ", " TODAY, "");
    assert_line(a, 0, "Use rocksdb-ribbon at 10 bits per key.");
    assert_line(a, 1,
                "A query takes 4.1 us, 2.5 % more than today. Filters take 7.2 MB, 28 % less.");
    assert_line(a, 2, "Confidence MEDIUM, not HIGH: so it is.");
    assert_line(a, 3, "No read time and no share of absent keys changes the setting.");
    assert_line(a, 4, "Next: filterbench describe rocksdb-ribbon");
    assert_int_equal(json_array_size(json_object_get(a, "card")), 5);
    json_decref(a);
}

static void without_today_no_filter_is_the_measure(void **state)
{
    (void)state;
    json_t *a = answer_of(PICK, "");
    assert_line(a, 1,
                "A query takes 4.1 us, the filters of 1000000 keys 7.2 MB. Without: 45.1 us.");
    json_decref(a);
    a = answer_of(NONE, "");
    assert_line(a, 0, "Use no filter.");
    assert_line(a, 1, "A query takes 900 ns.");
    json_decref(a);
}

static void what_is_good_is_kept(void **state)
{
    (void)state;
    json_t *a = answer_of(TODAY, "");
    json_object_set_new(json_array_get(json_object_get(a, "ranking"), 0), "pick", json_true());
    fb_advise_say(a);
    assert_line(a, 0,
                "Keep what you have: rocksdb-fastlocal at 12.5 bits per key, none in the last");
    assert_line(a, 1, "level.");
    assert_line(a, 2, "A query takes 4 us, the filters of 1000000 keys 10 MB. Without: 45.1 us.");
    json_decref(a);
}

/* The change that is nearest as a ratio stands in the card, and what comes next tries it. */
static void flips_are_sentences(void **state)
{
    (void)state;
    json_t *a = answer_of(
        PICK,
        "{'input': 'read_ns', 'side': 'below', 'at': 14000, 'low': 12000, 'high': 16000, 'after': "
        "{'design': 'sbbf-256', 'allocation': 'optimal', 'bits_per_key': 8}, 'next': {'design': "
        "'sbbf-256', 'allocation': 'optimal', 'bits_per_key': 9}}, {'input': 'absent', "
        "'side': 'above', 'at': 0.9, 'low': 0.85, 'high': 1, 'after': {'design': null}, 'next': "
        "{'design': null}}");
    const json_t *flips = json_object_get(a, "flips");
    assert_string_equal(
        fb_json_str(json_array_get(flips, 0), "text"),
        "If a read takes less than 14 us (90 %: 12 us to 16 us): sbbf-256 at 9 bits per "
        "key, split over the levels, and 2 % further sbbf-256 at 8 bits per key, split "
        "over the levels");
    assert_string_equal(
        fb_json_str(json_array_get(flips, 1), "text"),
        "If more than 90 % of the queries are for absent keys (90 %: 85 to 100): no "
        "filter");
    assert_line(a, 3, "Above 90 % absent keys (85 % to 100 %), use no filter.");
    json_decref(a);
}

static void a_kept_answer_is_asked_again(void **state)
{
    (void)state;
    json_t *document = json_pack(
        "{s:o}", "answer",
        answer_of(PICK, "{'input': 'read_ns', 'side': 'below', 'at': 14000, 'low': 12000, 'high': "
                        "16000, 'after': {'design': null}, 'next': {'design': null}}"));
    struct fb_card card = {0};
    fb_advise_card(document, "a.json", &card);
    assert_string_equal(card.part[FB_CARD_CHANGE], "Below 14 us a read (12 us to 16 us), use no "
                                                   "filter.");
    assert_string_equal(card.part[FB_CARD_NEXT], "filterbench advise --again a.json --io 12us");
    json_decref(document);
}

static void times_have_units(void **state)
{
    (void)state;
    static const struct {
        double ns;
        const char *text;
    } all[] = {{12.34, "12.3 ns"}, {999, "999 ns"}, {1000, "1 us"},
               {38400, "38.4 us"}, {2e11, "200 s"}, {8e6, "8 ms"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[32];
        fb_advise_time(all[i].ns, text);
        assert_string_equal(text, all[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_held_against_today),
        cmocka_unit_test(without_today_no_filter_is_the_measure),
        cmocka_unit_test(what_is_good_is_kept),
        cmocka_unit_test(flips_are_sentences),
        cmocka_unit_test(a_kept_answer_is_asked_again),
        cmocka_unit_test(times_have_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

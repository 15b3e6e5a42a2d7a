/* What follows from the counts of an engine's Gets. */
#include "tests/documents.h"

#include "harness/kind/engine/gets.h"

#define COUNTS                                                                                     \
    "{'absent': {'gets': 400, 'found': 0, 'checks': 1000, 'negatives': 980, 'data_reads': 100, "   \
    "'read_squares': 140}, 'present': {'gets': 200, 'found': 200, 'checks': 500, 'negatives': "    \
    "290, 'data_reads': 250, 'read_squares': 350}}"

/* Cells that are changed in what stands between ";": "o.gets=1 p.gets=2" of what was observed and
 * predicted of absent keys. */
static json_t *cells_with(const char *changes)
{
    json_t *cells = json_array();
    do {
        char path[64], value[20];
        json_t *cell = quoted(
            "{'id': 'nori', 'bits_per_key': 10, 'observed': " COUNTS ", 'predicted': " COUNTS
            ", 'differ': {'absent': 0, 'present': 0}, 'times': {'absent': {'spent_ns': 8000}, "
            "'present': {'spent_ns': 0}}, 'by_table': {'gets': 4, 'checks': 10, 'negatives': 9, "
            "'data_reads': 4, 'read_squares': 8}, 'by_table_reason': 'it is one'}");
        json_object_set(cell, "o", (json_t *)fb_json_at(cell, "observed.absent"));
        json_object_set(cell, "p", (json_t *)fb_json_at(cell, "predicted.absent"));
        for (int n; sscanf(changes, " %63[a-z_.]=%19[^; ]%n", path, value, &n) == 2; changes += n) {
            char *dot = strrchr(path, '.');
            *(dot ? dot : path + strlen(path)) = '\0';
            json_object_set_new(dot ? (json_t *)fb_json_at(cell, path) : cell, dot ? dot + 1 : path,
                                json_loads(value, JSON_DECODE_ANY, NULL));
        }
        json_array_append_new(cells, cell);
        changes += strcspn(changes, ";");
    } while (*changes++);
    return json_pack("{s:o}", "cells", cells);
}

#define UNKNOWN "the engine does not tell"

/* What members are in all cells: those of "rates" as "absent.verdict", or of one cell by its
 * number, "1:rank.observed". Intervals are (p + z2 / 2 -+ sqrt(z2 (p (1 - p) + z2 / 4))) / (1 + z2)
 * with z2 = 1.96^2 / asked, and mean -+ 1.96 sqrt((squares / gets - mean^2) / (gets - 1)). */
static const struct {
    const char *changes, *said;
} all[] = {
    {"", "absent.observed.checks=2.5;absent.observed.fpr=0.02;"
         "absent.observed.fpr_interval.low=0.0129837;absent.observed.fpr_interval.high=0.03069;"
         "absent.observed.reads_interval.low=0.197389;absent.observed.reads_interval.high=0.302611;"
         "present.predicted.fpr=0.0333333;present.predicted.fpr_interval.high=0.0602618;"
         "present.observed.reads_interval.low=1.18984;absent.by_table.reads=1;"
         "absent.by_table.fpr_interval.low=0.0178762;absent.by_table.reads_interval.high=2.13159;"
         "present.by_table.reads=nan;absent.by_table_reason=nan;absent.gets_per_s=5e+07;"
         "present.gets_per_s_reason=they took no time;"},
    {"o.found=100 o.negatives=810 o.gets=200",
     "absent.observed.fpr=0.1;absent.gets_per_s=2.5e+07;"},
    {"by_table=null", "absent.by_table_reason=it is one;"},
    /* One Get, and a variance below 0. */
    {"o.gets=1 o.data_reads=2 o.read_squares=4;o.gets=4 o.data_reads=8 o.read_squares=15",
     "absent.observed.reads_interval.low=2;absent.observed.reads_interval.high=2;"},
    {";differ.present=1;differ.absent=1;p.read_squares=0",
     "0:absent.verdict=equal;1:absent.verdict=equal;2:absent.verdict=within;3:absent.verdict=equal;"
     "0:present.verdict=equal;1:present.verdict=within;2:present.verdict=equal;"},
    /* The last three have an interval of one value, and intervals that end at 0 and 1. */
    {"p.gets=401;p.found=1;p.checks=1001;p.negatives=987;p.negatives=970;p.data_reads=79;"
     "p.data_reads=121;differ.absent=null;o.data_reads=null;o.negatives=null;p.negatives=null;"
     "o.data_reads=400 o.read_squares=400 p.gets=100;o.negatives=1000 p.checks=9 p.negatives=9;"
     "o.negatives=0 p.checks=9 p.negatives=0",
     "absent.verdict=within;"},
    {"p.negatives=988;p.negatives=969;p.data_reads=78;p.data_reads=122;p.gets=2 p.data_reads=1",
     "absent.verdict=differs;"},
    {"o.found=1000 o.negatives=0", "absent.observed.fpr_reason=none was "
                                   "asked;absent.observed.fpr_interval_reason=none was asked;"},
    {"o.checks=null o.negatives=0;o.negatives=null;o.found=1001 o.negatives=0;o.found=9 "
     "o.negatives=992",
     "absent.observed.fpr_reason=" UNKNOWN ";absent.observed.fpr_interval_reason=" UNKNOWN ";"
     "0:absent.observed.checks_reason=" UNKNOWN ";"},
    {"o.data_reads=null",
     "absent.observed.reads_reason=" UNKNOWN ";rank.observed_reason=" UNKNOWN ";"
     "absent.observed.reads_interval_reason=" UNKNOWN ";"},
    {";o.data_reads=90;p.data_reads=90;o.data_reads=101;o.data_reads=95 "
     "bits_per_key=12;o.data_reads=null",
     "0:rank.observed=2;1:rank.observed=1;2:rank.observed=2;3:rank.observed=4;4:rank.observed=1;"
     "5:rank.observed=nan;0:rank.predicted=2;1:rank.predicted=2;2:rank.predicted=1;4:rank."
     "predicted=1;"},
    /* Of those that are read in the same way. */
    {";o.data_reads=90;o.data_reads=90 residency=\"cached\";o.data_reads=80 reads=\"direct\"",
     "0:rank.observed=2;1:rank.observed=1;2:rank.observed=1;3:rank.observed=1;"},
    {";o.gets=0", NULL},
    {";observed.present.gets=0", NULL},
};

TEST(what_follows)
{
    struct fb_problem problem;
    for (size_t a = 0; a < sizeof all / sizeof *all; a++) {
        json_t *document = cells_with(all[a].changes), *cell;
        size_t i;
        assert_int_equal(fb_gets_derive(NULL, document, &problem), all[a].said != NULL);
        if (!all[a].said)
            assert_string_equal(problem.text, "nori: observed: nothing was asked");
        json_array_foreach(all[a].said ? json_object_get(document, "cells") : NULL, i, cell) {
            char path[80], is[40], number[40];
            json_object_update(cell, json_object_get(cell, "rates"));
            for (const char *said = all[a].said; *said; said += strcspn(said, ";") + 1) {
                const bool of_one = said[1] == ':';
                assert_int_equal(2, sscanf(said + 2 * of_one, "%79[^=]=%39[^;]", path, is));
                snprintf(number, sizeof number, "%.6g", fb_json_num(cell, path));
                if (!of_one || *said == (char)('0' + i))
                    assert_string_equal(*fb_json_str(cell, path) ? fb_json_str(cell, path) : number,
                                        is);
            }
        }
        json_decref(document);
    }
}

/* Times: 2.5 filters and 0.25 blocks of an absent key, 2.5 and 1.25 of a present one. A filter
 * takes 200, a block 4000, all else 300 and, of a stream, 50 more; a key that is there 1000. */
TEST(times)
{
    struct fb_problem problem;
    json_t *document = cells_with(""),
           *cell = json_array_get(json_object_get(document, "cells"), 0);
    json_t *timed = quoted(
        "{'times': {'absent': {'spent_ns': 8000, 'laps_ns': [1850, 1800, 1950]}, 'present': "
        "{'spent_ns': 9000, 'laps_ns': [6850]}}, 'groups': [{'found': false, 'checks': 0, 'reads': "
        "0, 'keys': 400, 'ns': [300]}, {'found': false, 'checks': 5, 'reads': 0, 'keys': 300, "
        "'ns': [1300, 1300]}, {'found': false, 'checks': 5, 'reads': 1, 'keys': 300, 'ns': "
        "[5300]}]}");
    json_object_update(cell, timed);
    json_decref(timed);
    assert_true(fb_gets_derive(NULL, document, &problem));
    assert_near(fb_json_num(cell, "rates.absent.ns.value"), 1850, 1e-6);
    assert_near(fb_json_num(cell, "rates.absent.ns.low"), 1800, 1e-6);
    assert_near(fb_json_num(cell, "rates.present.ns.value"), 6850, 1e-6);
    assert_near(fb_json_num(cell, "costs.base.value"), 350, 1e-6);
    assert_near(fb_json_num(cell, "costs.check.value"), 200, 1e-6);
    assert_near(fb_json_num(cell, "costs.read.value"), 4000, 1e-6);
    assert_near(fb_json_num(cell, "costs.found.value"), 1000, 1e-6);
    assert_near(fb_json_num(cell, "rates.absent.fitted.value"), 1850, 1e-6);
    assert_near(fb_json_num(cell, "rates.present.fitted.value"), 6850, 1e-6);
    json_object_set_new(cell, "groups", json_array());
    assert_true(fb_gets_derive(NULL, document, &problem));
    assert_true(json_is_null(json_object_get(cell, "costs")));
    assert_null(fb_json_at(cell, "rates.absent.fitted"));
    json_decref(document);
}

TESTS(NULL, NULL)

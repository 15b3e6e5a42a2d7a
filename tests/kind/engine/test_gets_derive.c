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

static const struct {
    const char *path, *is, *changes; /* of each cell, with "|" between them where they differ */
} all[] = {
    {"rates.absent.observed.checks", "2.5|2.25", ";o.checks=900 o.negatives=1"},
    {"rates.absent.observed.fpr", "0.02|0.1", ";o.found=100 o.negatives=810"},
    {"rates.present.predicted.fpr", "0.0333333", ""},
    {"rates.absent.by_table.reads", "1", ""},
    {"rates.present.by_table", "nan", ""},
    {"rates.absent.gets_per_s", "5e+07", ""},
    {"rates.absent.verdict", "equal", ";differ.present=1;p.read_squares=0"},
    {"rates.present.verdict", "equal|equal|within", ";differ.absent=1;differ.present=1"},
    /* The intervals of the observed are 78.96 to 121.04 reads, and 12.98 to 30.69 of 1000; others
     * have one value, or end at 0 or 1. */
    {"rates.absent.verdict", "within",
     "p.gets=401;p.found=1;p.checks=1001;p.negatives=987;p.negatives=970;p.data_reads=79;"
     "p.data_reads=121;differ.absent=1;differ.absent=null;o.data_reads=null;o.negatives=null;"
     "p.negatives=null;o.data_reads=400 o.read_squares=400 p.gets=100;"
     "o.negatives=1000 p.checks=9 p.negatives=9;o.negatives=0 p.checks=9 p.negatives=0"},
    {"rates.absent.verdict", "differs",
     "p.negatives=988;p.negatives=969;p.data_reads=78;p.data_reads=122;"
     "p.gets=2 p.data_reads=1 p.read_squares=1"},
    {"rates.absent.observed.reads_interval.low", "2", /* not NaN */
     "o.gets=1 o.data_reads=2 o.read_squares=4;"
     "o.gets=4 o.data_reads=8 o.read_squares=15"},
    {"rates.absent.observed.fpr_interval_reason", "none was asked|" UNKNOWN,
     "o.found=1000 o.negatives=0;o.checks=null"},
    {"rates.absent.observed.fpr_reason", "none was asked|" UNKNOWN,
     "o.found=1000 o.negatives=0;o.checks=null;o.negatives=null;o.found=1001 o.negatives=0;"
     "o.negatives=1001"},
    {"rates.absent.observed.checks_reason", UNKNOWN, "o.checks=null"},
    {"rates.absent.observed.reads_reason", UNKNOWN, "o.data_reads=null"},
    {"rates.absent.observed.reads_interval_reason", UNKNOWN, "o.data_reads=null"},
    {"rates.absent.by_table_reason", "it is one|nan", "by_table=null;"},
    {"rates.present.gets_per_s_reason", "they took no time", ""},
    {"rank.observed", "2|1|2|4|1|nan",
     ";o.data_reads=90;p.data_reads=90;o.data_reads=101;"
     "o.data_reads=95 bits_per_key=12;o.data_reads=null"},
    {"rank.predicted", "2|1|2", ";p.data_reads=90;o.data_reads=90"},
    {"rank.observed_reason", UNKNOWN, "o.data_reads=null"},
    {NULL, "nori: observed: nothing was asked", ";o.gets=0"},
    {NULL, "nori: observed: nothing was asked", ";observed.present.gets=0"},
};

TEST(what_follows)
{
    struct fb_problem problem;
    for (size_t a = 0; a < sizeof all / sizeof *all; a++) {
        const char *path = all[a].path, *is = all[a].is;
        json_t *document = cells_with(all[a].changes), *cell;
        size_t i;
        assert_int_equal(fb_gets_derive(document, &problem), path != NULL);
        if (!path)
            assert_string_equal(problem.text, is);
        json_array_foreach(path ? json_object_get(document, "cells") : NULL, i, cell) {
            char number[40], expected[40];
            snprintf(number, sizeof number, "%.6g", fb_json_num(cell, path));
            snprintf(expected, sizeof expected, "%.*s", (int)strcspn(is, "|"), is);
            assert_string_equal(*fb_json_str(cell, path) ? fb_json_str(cell, path) : number,
                                expected);
            is += is[strcspn(is, "|")] ? strcspn(is, "|") + 1 : 0;
        }
        json_decref(document);
    }
}

static void assert_interval(const json_t *rates, const char *name, double middle, double half)
{
    assert_near(fb_json_num(json_object_get(rates, name), "low"), middle - half, 1e-9);
    assert_near(fb_json_num(json_object_get(rates, name), "high"), middle + half, 1e-9);
}

TEST(intervals)
{
    static const struct {
        const char *path;
        double p, n, reads, variance, gets;
    } of[] = {{"rates.absent.observed", 0.02, 1000, 0.25, 0.35 - 0.0625, 400},
              {"rates.present.predicted", 1. / 30, 300, 1.25, 1.75 - 1.5625, 200},
              {"rates.absent.by_table", 0.1, 10, 1, 1, 4}};
    const double z = 1.959963984540054;
    json_t *document = cells_with("");
    struct fb_problem problem;
    assert_true(fb_gets_derive(document, &problem));
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const double p = of[i].p, z2 = z * z / of[i].n;
        const json_t *rates =
            fb_json_at(json_array_get(json_object_get(document, "cells"), 0), of[i].path);
        assert_interval(rates, "fpr_interval", (p + z2 / 2) / (1 + z2),
                        sqrt(z2 * (p * (1 - p) + z2 / 4)) / (1 + z2));
        assert_interval(rates, "reads_interval", of[i].reads,
                        z * sqrt(of[i].variance / (of[i].gets - 1)));
    }
    json_decref(document);
}

TESTS(NULL, NULL)

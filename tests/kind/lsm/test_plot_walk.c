/* The table of the figure of walks, from documents of kind "lsm". */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "harness/kind/lsm/report/report.h"

static json_t *lookup(const char *name, double ns)
{
    return json_pack("{s:s, s:{s:f, s:{s:f, s:f}}}", "lookup", name, "time", "median", ns, "ci95",
                     "low", ns - 1, "high", ns + 1);
}

static json_t *cell(const char *keys, int runs, double absent)
{
    return json_pack("{s:s, s:s, s:{s:f}, s:{s:i}, s:[o, o, o]}", "design", "sbbf-512", "keys",
                     keys, "params", "absent", absent, "tree", "runs", runs, "lookups",
                     lookup("rehash-each", 10 * runs), lookup("shared-digest", 5 * runs),
                     lookup("batched", 1));
}

/* The table, to be freed; *any as the figure says. */
static char *table_of(json_t *cells, const char *kind, bool *any)
{
    json_auto_t *documents = json_pack("[{s:s, s:o}]", "kind", kind, "cells", cells);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    *any = fb_lsm_plot_walk_segments(documents, file);
    fclose(file);
    return text;
}

TEST(lines_by_runs)
{
    static const char expected[] = "design\tlookup\tkey_bytes\truns\tns\tlow\thigh\n"
                                   "sbbf-512\trehash-each\t9\t2\t20\t19\t21\n"
                                   "sbbf-512\trehash-each\t9\t8\t80\t79\t81\n"
                                   "sbbf-512\tshared-digest\t9\t2\t10\t9\t11\n"
                                   "sbbf-512\tshared-digest\t9\t8\t40\t39\t41\n";
    bool any;
    json_t *cells = json_pack("[o, o, o, o, o]", cell("dec6", 8, 1), cell("dec6", 2, 1),
                              cell("dec6", 2, 1), cell("dec6", 4, 0.5), cell("file", 2, 1));
    auto_free char *text = table_of(cells, "lsm", &any);
    assert_true(any);
    assert_string_equal(text, expected);
}

TEST(one_number_of_runs_makes_no_line)
{
    bool any;
    free(table_of(json_pack("[o]", cell("dec6", 8, 1)), "lsm", &any));
    assert_false(any);
    free(table_of(json_pack("[o, o]", cell("dec6", 8, 1), cell("dec6", 2, 1)), "kernels", &any));
    assert_false(any);
}

TESTS(NULL, NULL)

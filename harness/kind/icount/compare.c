/* The instructions of two runs: they judge. */
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/screen.h"
#include "harness/base/table.h"
#include "harness/document/compare.h"
#include "harness/kind/icount/icount.h"

/* By how much they may rise. A lookup takes some 30 instructions: one more is 3 %. What a call
 * costs beside its lookups, some 20 for a block of 2048, is below 0.1 %. */
static const double limit = 0.01;

static bool comparable(const json_t *base, const json_t *head, struct fb_problem *why)
{
    static const char *const members[] = {"machine.arch", "build.compiler", "build.type",
                                          "build.flags"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!fb_same_at(base, head, members[i], why))
            return false;
    const json_t *sides[] = {base, head};
    for (int i = 0; i < 2; i++)
        if (!json_is_object(json_object_get(sides[i], "counter")))
            return fb_refuse(why, "%s counts none: %.120s", i ? "HEAD" : "BASE",
                             fb_json_str(sides[i], "counter_reason"));
    return true;
}

static json_t *compare(const json_t *base, const json_t *head, const char *against)
{
    json_t *rows = json_array(), *others = fb_result_by_id(head);
    json_int_t compared = 0, more = 0, fewer = 0;
    (void)against;
    FB_EACH(cell, json_object_get(base, "cells")) {
        const char *id = fb_json_str(cell, "id");
        const double was = fb_json_num(cell, "per_operation");
        const double is = fb_json_num(json_object_get(others, id), "per_operation");
        if (!(was > 0) || !(is > 0))
            continue;
        compared++;
        more += is > was * (1 + limit);
        fewer += is < was * (1 - limit);
        json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:f, s:b}", "cell", id, "base", was,
                                              "head", is, "change", is / was - 1, "regressed",
                                              is > was * (1 + limit)));
    }
    json_decref(others);
    return json_pack("{s:f, s:I, s:I, s:I, s:o}", "limit", limit, "compared", compared, "more",
                     more, "fewer", fewer, "cells", rows);
}

/* Those that changed at all. */
static void print(FILE *file, const json_t *report, enum fb_table_style style)
{
    static const struct fb_column columns[] = {{"cell", "cell", .left = true},
                                               {"base", "base", .format = "%.2f"},
                                               {"head", "head", .format = "%.2f"},
                                               {"%", "change", .format = "%+.2f", .scale = 100},
                                               {0}};
    struct fb_table table = {.columns = columns};
    bool any = false;
    fb_say_verdict(
        file, 8, fb_json_uint(report, "more") ? "more" : NULL,
        "icount  %llu cells compared: %llu take more instructions, %llu fewer, by more than "
        "%g %%\n",
        (unsigned long long)fb_json_uint(report, "compared"),
        (unsigned long long)fb_json_uint(report, "more"),
        (unsigned long long)fb_json_uint(report, "fewer"), 100 * limit);
    FB_EACH(row, json_object_get(report, "cells")) {
        if (fb_json_num(row, "change") == 0)
            continue;
        any = true;
        fb_table_row(&table, json_is_true(json_object_get(row, "regressed")) ? "! " : "  ", row);
    }
    if (any)
        fb_table_finish(&table, file, style);
}

static enum fb_exit judge(const json_t *report)
{
    FB_EACH(row, json_object_get(report, "cells")) {
        if (!json_is_true(json_object_get(row, "regressed")))
            continue;
        fb_error("compare: %llu cells take over %g %% more instructions, first %s: %.2f an "
                 "operation in BASE and %.2f in HEAD, %+.1f %%",
                 (unsigned long long)fb_json_uint(report, "more"), 100 * limit,
                 fb_json_str(row, "cell"), fb_json_num(row, "base"), fb_json_num(row, "head"),
                 100 * fb_json_num(row, "change"));
        return FB_EXIT_REGRESSED;
    }
    return FB_EXIT_OK;
}

const struct fb_costs_comparison fb_icount_comparison = {
    .name = "icount", .comparable = comparable, .compare = compare, .print = print, .judge = judge};

/* compare: two results of one experiment; exact facts must be equal, instructions no more. */
#include <getopt.h>

#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/base/print.h"
#include "harness/base/screen.h"
#include "harness/document/check.h"
#include "harness/document/compare.h"
#include "harness/document/kind.h"
#include "harness/document/result.h"
#include "harness/verb/verb.h"

/* BASE and HEAD of a comparison. */
struct side {
    const char *path;
    json_t *document, *counts; /* document NULL: a file of counts */
    bool unchecked;
};

/* The first differences, with their values on one line each; --format json has all. */
static json_t *first_of(const json_t *differences)
{
    enum { SHOWN = 24 };
    json_t *shown = json_array();
    FB_EACH_AT(i, row, differences) {
        char base[120], head[120];
        fb_fact_text(json_object_get(row, "base"), base, sizeof base);
        fb_fact_text(json_object_get(row, "head"), head, sizeof head);
        if (i < SHOWN)
            json_array_append_new(
                shown, json_pack("{s:O, s:O, s:s, s:s}", "cell", json_object_get(row, "cell"),
                                 "fact", json_object_get(row, "fact"), "base", base, "head", head));
    }
    return shown;
}

static void print_ids(const char *what, const json_t *ids)
{
    enum { SHOWN = 8 };
    for (size_t i = 0; i < json_array_size(ids) && i < SHOWN; i++)
        fb_say(stdout, 8, "%-8s%s\n", what, json_string_value(json_array_get(ids, i)));
    if (json_array_size(ids) > SHOWN)
        printf("%-8sand %zu more\n", what, json_array_size(ids) - SHOWN);
}

/* What the card does not say of the exact facts. */
static void print_exact(const json_t *report)
{
    static const char *const columns[] = {"cell", "fact", "base", "head", NULL};
    json_t *differences = json_object_get(report, "differences"), *rows = first_of(differences);
    print_ids("missing", json_object_get(report, "missing"));
    print_ids("new", json_object_get(report, "new"));
    if (json_array_size(rows)) {
        puts("the first differences:");
        fb_print_rows(stdout, rows, columns);
    }
    if (json_array_size(rows) || json_array_size(json_object_get(report, "missing")) ||
        json_array_size(json_object_get(report, "new")))
        putchar('\n');
    json_decref(rows);
}

/* Whether it is a document whose times can be read: not counts alone, nor of version 1. */
static bool is_current(const struct side *side)
{
    return json_integer_value(fb_json_at(side->document, "schema.major")) == FB_SCHEMA_MAJOR;
}

static enum fb_exit check_content(const struct side *side)
{
    if (!is_current(side))
        return FB_EXIT_OK;
    return side->unchecked ? fb_document_trust(side->path, true, side->document)
                           : fb_result_check_content(side->path, side->document);
}

static enum fb_exit check_shape(const struct side *side)
{
    return is_current(side) && !side->unchecked
               ? fb_document_check_shape(side->path, side->document)
               : FB_EXIT_OK;
}

/* The side whose document has runs side by side, with costs of their own each, or NULL. */
static const struct side *side_by_side(const struct side *base, const struct side *head)
{
    return fb_is_side_by_side(base->document)   ? base
           : fb_is_side_by_side(head->document) ? head
                                                : NULL;
}

/* Sets what the kind says of the costs in both, or why it cannot. */
static enum fb_exit compare_costs(const struct fb_costs_comparison *costs, const struct side *base,
                                  const struct side *head, const struct fb_design *against,
                                  json_t *report)
{
    struct fb_problem why;
    json_t *found = NULL;
    if (costs && is_current(base) && is_current(head)) {
        const struct side *several = side_by_side(base, head);
        if (several)
            fb_refuse(&why, "%s: runs side by side; costs are of one run: give its own result",
                      several->path);
        else if (costs->comparable(base->document, head->document, &why))
            found = costs->compare(base->document, head->document, against ? against->name : NULL);
        fb_json_known(report, costs->name, found, why.text);
    }
    if (fb_opt_wrong(against && !(found && costs->has_references), "compare",
                     "--against is for times: give two whole results of kind kernels, of one "
                     "machine"))
        return FB_EXIT_USAGE;
    if (against && !json_integer_value(json_object_get(found, "compared"))) {
        fb_error("compare: --against %s: no cell of it in both results is asked as another is",
                 against->name);
        return FB_EXIT_USAGE;
    }
    return FB_EXIT_OK;
}

static void print_costs(const struct fb_costs_comparison *costs, const json_t *report)
{
    const json_t *found = costs ? json_object_get(report, costs->name) : NULL;
    char reason[40];
    if (json_is_object(found)) {
        costs->print(stdout, found, FB_TABLE_TEXT);
    } else if (found) {
        snprintf(reason, sizeof reason, "%s_reason", costs->name);
        fb_say(stdout, 8, "%-8snot compared: %s\n", costs->name, fb_json_str(report, reason));
    }
}

/* ---- The card ---- */

static void say_next(const struct side *base, const struct side *head, bool equal,
                     struct fb_card *card)
{
    char one[FB_CARD_TEXT], two[FB_CARD_TEXT];
    const bool same = base->document && json_equal(base->document, head->document);
    fb_card_quoted(base->path, one);
    fb_card_quoted(head->path, two);
    if (equal && same)
        fb_card_set(card, FB_CARD_NEXT, "filterbench show %s", one);
    else if (equal && is_current(base) && is_current(head))
        fb_card_set(card, FB_CARD_NEXT, "filterbench report %s %s -o report.html", one, two);
    else
        fb_card_set(card, FB_CARD_NEXT, "filterbench compare %s %s --format json", one, two);
}

static void print_card(const struct side *base, const struct side *head, const struct fb_kind *kind,
                       const json_t *report)
{
    const json_t *exact = json_object_get(report, "exact");
    struct fb_card card = {0};
    fb_compare_card(report, kind, "BASE", "HEAD", &card);
    say_next(base, head, fb_compare_is_equal(exact), &card);
    json_auto_t *lines = fb_card_lines(&card);
    fb_card_print(stdout, lines, card.verdict);
}

/* ---- The verb ---- */

static enum fb_exit compare(const struct side *base, const struct side *head,
                            const struct fb_design *against, enum fb_output_format format)
{
    struct fb_problem why;
    if (!fb_comparable(base->counts, head->counts, &why)) {
        fb_error("compare: not the same experiment: %s; measure both with the same preset and "
                 "options",
                 why.text);
        return FB_EXIT_NOT_COMPARABLE;
    }
    const struct fb_kind *kind = fb_kind_find(fb_json_str(base->counts, "kind"));
    if (!kind) {
        fb_error("compare: %s: kind: this filterbench has no such kind of experiment", base->path);
        return FB_EXIT_USAGE;
    }
    json_t *report = json_pack("{s:o, s:o, s:s, s:o}", "base", fb_json_text(base->path), "head",
                               fb_json_text(head->path), "kind", kind->name, "exact",
                               fb_compare(base->counts, head->counts));
    const json_t *exact = json_object_get(report, "exact");
    enum fb_exit code = FB_EXIT_OK;
    if (base->unchecked)
        json_object_set_new(report, "unchecked", json_true());
    /* Of facts that differ one side contradicts this filterbench: the facts say more. */
    if (fb_compare_is_equal(exact))
        code = check_shape(base);
    if (fb_compare_is_equal(exact) && !code)
        code = check_shape(head);
    if (!code)
        code = compare_costs(kind->costs, base, head, against, report);
    if (code)
        goto out;
    if (format == FB_FORMAT_JSON) {
        struct fb_output out = {.file = stdout};
        code = fb_output_json(&out, report);
    } else {
        print_card(base, head, kind, report);
        print_exact(exact);
        print_costs(kind->costs, report);
        if (base->unchecked)
            puts("warning: neither was checked (--unchecked)");
    }
    if (!code)
        code = fb_compare_judge("compare", exact, kind->unit);
    const json_t *found = kind->costs ? json_object_get(report, kind->costs->name) : NULL;
    if (!code && json_is_object(found) && kind->costs->judge)
        code = kind->costs->judge(found);
out:
    json_decref(report);
    return code;
}

static int run(int argc, char **argv)
{
    enum fb_output_format format = FB_FORMAT_TABLE;
    const struct fb_design *against = NULL;
    bool unchecked = false;
    const struct fb_opt opts[] = {{"against", 0, FB_OPT_DESIGN, &against, 0, 0},
                                  {"unchecked", 0, FB_OPT_FLAG, &unchecked, 0, 0},
                                  {"format", 0, FB_OPT_FORMAT, &format, 0, 0},
                                  {0}};
    if (!fb_opt_parse(argc, argv, opts, 2) ||
        fb_opt_wrong(argc - optind < 2, "compare",
                     "which results? give two files: `filterbench compare BASE.json HEAD.json`"))
        return FB_EXIT_USAGE;
    struct side sides[2] = {{.path = argv[optind], .unchecked = unchecked},
                            {.path = argv[optind + 1], .unchecked = unchecked}};
    enum fb_exit code = FB_EXIT_OK;
    for (int i = 0; i < 2 && !code; i++)
        code = fb_counts_load(sides[i].path, &sides[i].document, &sides[i].counts);
    for (int i = 0; i < 2 && !code; i++)
        code = check_content(&sides[i]);
    if (!code)
        code = compare(&sides[0], &sides[1], against, format);
    for (int i = 0; i < 2; i++) {
        json_decref(sides[i].document);
        json_decref(sides[i].counts);
    }
    return (int)code;
}

const struct fb_verb fb_verb_compare = {
    .name = "compare",
    .example = "filterbench compare base.json head.json",
    .usage = "compare BASE.json HEAD.json [options]",
    .summary = "Compare two results of one experiment. The exact facts must be equal",
    .help = "BASE and HEAD are results, or what `export --to counts` made of them.\n"
            "\n"
            "--against DESIGN\tshow times as ratios to this design (default: to each cell's "
            "yardstick)\n"
            "--unchecked\tcompare results although their shape or hash is wrong\n"
            "--format table|json\thow to print the answer (table)\n"
            "\n"
            "Exact facts are false negatives, false positives, sizes, geometry, checksums, "
            "models and verdicts. They must be equal on every machine. Instruction counts of "
            "one compiler may rise by 1 %. Stored times are shown, and judge nothing: use "
            "`filterbench ab` for times.\n"
            "\n"
            "Exit codes:\n"
            "1\tHEAD takes more instructions\n"
            "4\tthe experiments differ\n"
            "5\tan exact fact differs, a cell of BASE is missing in HEAD, or a result "
            "contradicts its own counts\n",
    .main = run,
};

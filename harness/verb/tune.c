/* tune: which look-ahead and hint are fastest on this machine, as a profile for FB_TUNING; and
 * whether two tunings differ. */
#include <math.h>
#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/base/parallel.h"
#include "harness/base/print.h"
#include "harness/base/screen.h"
#include "harness/base/table.h"
#include "harness/filter/tuning.h"
#include "harness/verb/tune_contest.h"
#include "harness/verb/verb.h"

#include <getopt.h>

struct asked {
    const char *path, *tuned, *reach;
    double budget_s;
    bool compare, dry_run, all_designs;
    enum fb_output_format format;
};

static bool is_wanted(const void *arg, enum fb_tuned tuned, enum fb_reach reach)
{
    const struct asked *a = arg;
    return (!a->tuned || !strcmp(a->tuned, fb_tuned_words[tuned].name)) &&
           (!a->reach || !strcmp(a->reach, fb_reach_words[reach].name));
}

/* ---- Rows ---- */

static json_t *row_begin(const struct fb_contest *row, const struct fb_contests *c)
{
    json_t *j =
        json_pack("{s:s, s:s, s:s}", "reach", fb_reach_words[row->reach].name, "class",
                  fb_tuned_words[row->tuned].name, "work", fb_tuned_work_words[row->work].name);
    if (row->design) {
        json_object_set_new(j, "design", json_string(row->design->name));
        json_object_set_new(j, "n_keys", fb_json_int(row->n_keys));
    }
    json_t *bytes = json_array();
    for (size_t i = 0; i < c->n_places; i++)
        if (fb_contest_is_of(row, &c->places[i]))
            json_array_append_new(bytes, fb_json_int(c->places[i].n_bytes));
    json_object_set_new(j, "bytes", bytes);
    return j;
}

/* The times of entries 0 and i, and their ratio. */
static void set_times(json_t *j, const struct fb_contest *row, size_t i, const char *name,
                      const char *name_0)
{
    static const char *const none = "the entries are equal: nothing was measured";
    const bool any = row->processes;
    fb_json_real(j, name, any ? fb_contest_ns(row, i) : NAN, none);
    fb_json_real(j, name_0, any ? fb_contest_ns(row, 0) : NAN, none);
    fb_json_real(j, "ratio", any ? exp(row->paired.estimate) : NAN, none);
    fb_json_known(
        j, "interval",
        any ? fb_json_interval(exp(row->paired.interval.low), exp(row->paired.interval.high))
            : NULL,
        none);
    fb_json_real(j, "level", any ? row->paired.level : NAN, none);
    json_object_set_new(j, "processes", fb_json_int(row->processes));
}

static json_t *chosen_json(const struct fb_contest *row, const struct fb_contests *c)
{
    char chosen[FB_PREFETCH_TEXT], first[FB_PREFETCH_TEXT];
    json_t *j = row_begin(row, c);
    fb_prefetch_text(row->entries[row->chosen], chosen);
    fb_prefetch_text(row->entries[0], first);
    json_object_set_new(j, "chosen", json_string(chosen));
    json_object_set_new(j, "row", json_string(first));
    set_times(j, row, row->chosen, "ns", "row_ns");
    return j;
}

static json_t *compared_json(const struct fb_contest *row, const struct fb_contests *c)
{
    static const char *const words[FB_N_CHANGES] = {
        [FB_INCONCLUSIVE] = "not told apart",
        [FB_UNCHANGED] = "less than 3 %",
        [FB_IMPROVED] = "differ",
        [FB_REGRESSED] = "differ",
    };
    json_t *j = row_begin(row, c);
    for (size_t i = 0; i < 2; i++) {
        char text[FB_PREFETCH_TEXT];
        const struct fb_tuning *t = row->tunings[i];
        fb_prefetch_text(t->prefetch[row->work][row->tuned][row->reach], text);
        json_object_set_new(j, i ? "b" : "a", json_string(text));
    }
    set_times(j, row, 1, "b_ns", "a_ns");
    json_object_set_new(j, "verdict",
                        json_string(row->processes ? words[row->change] : "the same"));
    return j;
}

/* ---- Tables ---- */

/* Whether the chosen entry is that of the row. */
static bool is_of_row(const json_t *row)
{
    return json_object_get(row, "chosen") &&
           json_equal(json_object_get(row, "chosen"), json_object_get(row, "row"));
}

static void show_change(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const double ratio = fb_json_num(row, "ratio");
    (void)c;
    if (isfinite(ratio) && !is_of_row(row))
        snprintf(out, FB_TABLE_CELL, "%+.1f %%", 100 * (ratio - 1));
}

static void show_interval(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *interval = json_object_get(row, "interval");
    (void)c;
    if (json_is_object(interval) && !is_of_row(row))
        snprintf(out, FB_TABLE_CELL, "%+.1f .. %+.1f %%", 100 * (fb_json_num(interval, "low") - 1),
                 100 * (fb_json_num(interval, "high") - 1));
}

static void print_rows(FILE *file, const json_t *report, const struct fb_column *columns)
{
    struct fb_table table = {.columns = columns};
    FB_EACH(row, json_object_get(report, "rows"))
        fb_table_row(&table, "", row);
    fb_table_finish(&table, file, FB_TABLE_TEXT);
}

static void print_chosen(FILE *file, const json_t *report)
{
    static const struct fb_column columns[] = {{"reach", "reach", .left = true},
                                               {"class", "class", .left = true},
                                               {"work", "work", .left = true},
                                               {"chosen", "chosen", .left = true},
                                               {"ns", "ns", .format = "%.3f"},
                                               {"of the row", "row", .left = true},
                                               {"ns", "row_ns", .format = "%.3f"},
                                               {"change", .show = show_change, .spare = 1},
                                               {"interval", .show = show_interval, .spare = 2},
                                               {0}};
    const char *path = fb_json_str(report, "profile");
    print_rows(file, report, columns);
    fputc('\n', file);
    fb_say(file, 2, "ns: median time of a key. row: %s, kept unless another entry is 2 %% faster\n",
           fb_json_str(report, "row"));
    if (*path)
        fb_say(file, 2, "to use it: export FB_TUNING=\"%s%s\"\n", *path == '/' ? "" : "$PWD/",
               path);
}

static bool any_measured(const json_t *rows)
{
    FB_EACH(row, rows)
        if (fb_json_uint(row, "processes"))
            return true;
    return false;
}

/* Where B takes longest, beside A. */
static void print_furthest(FILE *file, const json_t *rows)
{
    const json_t *furthest = NULL;
    FB_EACH(row, rows)
        if (fb_json_num(row, "ratio") > (furthest ? fb_json_num(furthest, "ratio") : 1))
            furthest = row;
    if (furthest)
        fb_say(file, 2, "B takes at most %.2f times as long as A: %s, %s, %s\n",
               fb_json_num(furthest, "ratio"), fb_json_str(furthest, "reach"),
               fb_json_str(furthest, json_object_get(furthest, "design") ? "design" : "class"),
               fb_json_str(furthest, "work"));
}

static void print_compared(FILE *file, const json_t *report)
{
    static const struct fb_column columns[] = {
        {"design", "design", .left = true, .optional = true},
        {"keys", "n_keys", .format = "%.0f", .optional = true},
        {"reach", "reach", .left = true},
        {"class", "class", .left = true},
        {"work", "work", .left = true},
        {"A", "a", .left = true},
        {"ns", "a_ns", .format = "%.3f"},
        {"B", "b", .left = true},
        {"ns", "b_ns", .format = "%.3f"},
        {"B to A", .show = show_change},
        {"interval", .show = show_interval, .spare = 1},
        {"", "verdict", .left = true, .verdict = true},
        {0}};
    const uint64_t differ = fb_json_uint(report, "differ");
    print_rows(file, report, columns);
    fputc('\n', file);
    if (!any_measured(json_object_get(report, "rows")))
        fb_say(file, 2, "all entries are equal: nothing was measured\n");
    else if (differ)
        fb_say(file, 2, "they differ in %llu rows by 3 %% or more\n", (unsigned long long)differ);
    else
        fb_say(file, 2, "in no row are they shown to differ by 3 %% or more\n");
    print_furthest(file, json_object_get(report, "rows"));
}

static void print_plan(FILE *file, const json_t *report)
{
    static const struct fb_column columns[] = {{"reach", "reach", .left = true},
                                               {"class", "class", .left = true},
                                               {"work", "work", .left = true},
                                               {"of the row", "row", .left = true},
                                               {0}};
    print_rows(file, report, columns);
}

/* ---- The three ways ---- */

static enum fb_exit interrupted(void)
{
    fb_error("tune: interrupted; nothing written");
    return FB_EXIT_INTERRUPTED;
}

static json_t *rows_json(const struct fb_contests *c,
                         json_t *(*of)(const struct fb_contest *, const struct fb_contests *))
{
    json_t *rows = json_array();
    for (size_t i = 0; i < c->n; i++)
        json_array_append_new(rows, of(&c->rows[i], c));
    return rows;
}

static enum fb_exit write_profile(struct fb_output *out, const struct fb_contests *c,
                                  struct fb_tuning tuning, json_t *rows)
{
    snprintf(tuning.name, sizeof tuning.name, "measured");
    for (size_t i = 0; i < c->n; i++) {
        const struct fb_contest *row = &c->rows[i];
        tuning.prefetch[row->work][row->tuned][row->reach] = row->entries[row->chosen];
    }
    fb_tuning_follow(&tuning);
    json_auto_t *profile = fb_tuning_profile(&tuning, json_incref(rows));
    enum fb_exit code = fb_output_json(out, profile);
    return code ? code : fb_output_commit(out);
}

static enum fb_exit choose(const struct asked *a, struct fb_contests *c)
{
    const struct fb_tuning *row = fb_tuning_now();
    char own[FB_MACHINE_PATH];
    struct fb_output out = {0};
    fb_machine_file("tuning", own);
    const char *path = a->path ? a->path : own;
    if (fb_opt_wrong(!*path, "tune", "no home folder to keep the profile in; give a file with -o"))
        return FB_EXIT_USAGE;
    const bool is_file = !fb_output_is_stdout(path);
    enum fb_exit code = is_file ? fb_file_folders(path) : FB_EXIT_OK;
    if (!code)
        code = fb_output_open(path, &out);
    const enum fb_err err = code ? FB_OK : fb_contests_choose(c, row, a->budget_s);
    if (!code && fb_interrupted())
        code = interrupted();
    else if (!code && err)
        code = fb_fail("tune", err, "a measuring process failed");
    if (!code) {
        json_t *rows = rows_json(c, chosen_json);
        code = write_profile(&out, c, *row, rows);
        json_auto_t *report =
            json_pack("{s:s, s:s, s:o}", "profile", path, "row", row->name, "rows", rows);
        if (!code && is_file)
            code = fb_print_answer(json_incref(report), a->format, print_chosen);
    }
    fb_output_close(&out);
    return code;
}

static json_t *source_json(const struct fb_tuning_source *s)
{
    return json_pack("{s:s, s:s*, s:s*}", "name", s->tuning.name, "path", s->path, "forced",
                     s->forced);
}

static enum fb_exit compare(const struct asked *a, const struct fb_tuning_source sides[2],
                            struct fb_contests *c)
{
    const enum fb_err err = fb_contests_compare(c, &sides[0].tuning, &sides[1].tuning);
    uint64_t differ = 0;
    if (fb_interrupted())
        return interrupted();
    if (err)
        return fb_fail("tune", err, "a measuring process failed");
    for (size_t i = 0; i < c->n; i++)
        differ += c->rows[i].change == FB_REGRESSED || c->rows[i].change == FB_IMPROVED;
    json_t *report =
        json_pack("{s:o, s:o, s:o, s:o}", "a", source_json(&sides[0]), "b", source_json(&sides[1]),
                  "rows", rows_json(c, compared_json), "differ", fb_json_int(differ));
    const enum fb_exit code = fb_print_answer(report, a->format, print_compared);
    return code ? code : differ ? FB_EXIT_REGRESSED : FB_EXIT_OK;
}

static json_t *planned_json(const struct fb_contest *row, const struct fb_contests *c)
{
    char text[FB_PREFETCH_TEXT];
    json_t *j = row_begin(row, c);
    fb_prefetch_text(fb_tuning_now()->prefetch[row->work][row->tuned][row->reach], text);
    json_object_set_new(j, "row", json_string(text));
    return j;
}

/* ---- The verb ---- */

/* Whether the first n words of a table have the name; a line on stderr where not. NULL is fine. */
static bool is_word(const char *option, const char *given, const struct fb_word *words, size_t n)
{
    char list[200] = "";
    if (!given || fb_word_find(words, given) < n)
        return true;
    for (size_t i = 0; i < n; i++) {
        fb_append(list, sizeof list, "%s%s", i ? ", " : "", words[i].name);
    }
    fb_error("--%s: there is no '%s'; give one of %s", option, given, list);
    return false;
}

static enum fb_exit find_sides(int argc, char **argv, const struct asked *a,
                               struct fb_tuning_source sides[2])
{
    if (argc - optind != (a->compare ? 2 : 0)) {
        fb_error(a->compare ? "tune: --compare takes two tunings, files or names of rows"
                            : "tune: unexpected operand '%s'; --compare takes two tunings",
                 argv[optind]);
        return FB_EXIT_USAGE;
    }
    if (fb_opt_wrong(a->compare && (a->path || a->dry_run), "tune",
                     "--compare writes no profile and plans nothing: no -o, no --dry-run") ||
        fb_opt_wrong(!a->compare && a->all_designs, "tune",
                     "--all-designs goes with --compare: a profile has no entry of a design"))
        return FB_EXIT_USAGE;
    enum fb_exit code = FB_EXIT_OK;
    for (int i = 0; a->compare && i < 2 && !code; i++)
        code = fb_tuning_find_given(argv[optind + i], &sides[i]);
    return code;
}

static int tune(int argc, char **argv)
{
    struct asked a = {.budget_s = 40};
    const struct fb_opt opts[] = {{"output", 'o', FB_OPT_TEXT, &a.path, 0, 0},
                                  {"compare", 0, FB_OPT_FLAG, &a.compare, 0, 0},
                                  {"all-designs", 0, FB_OPT_FLAG, &a.all_designs, 0, 0},
                                  {"class", 0, FB_OPT_TEXT, &a.tuned, 0, 0},
                                  {"reach", 0, FB_OPT_TEXT, &a.reach, 0, 0},
                                  {"budget", 0, FB_OPT_SECONDS, &a.budget_s, 0, 3600},
                                  {"dry-run", 0, FB_OPT_FLAG, &a.dry_run, 0, 0},
                                  {"format", 0, FB_OPT_FORMAT, &a.format, 0, 0},
                                  {0}};
    struct fb_tuning_source sides[2] = {{.path = NULL}, {.path = NULL}};
    struct fb_contests contests = {.n = 0};
    if (!fb_opt_parse(argc, argv, opts, 2) ||
        !is_word("class", a.tuned, fb_tuned_words, FB_N_TUNED_DESIGNS) ||
        !is_word("reach", a.reach, fb_reach_words, FB_N_REACHES))
        return FB_EXIT_USAGE;
    enum fb_exit code = find_sides(argc, argv, &a, sides);
    const enum fb_err err =
        code ? FB_OK : fb_contests_open(&contests, fb_tuning_now(), a.all_designs, is_wanted, &a);
    if (!code && fb_interrupted())
        code = interrupted();
    else if (!code && err)
        code = fb_fail("tune", err, NULL);
    else if (!code && a.dry_run)
        code = fb_print_answer(json_pack("{s:o}", "rows", rows_json(&contests, planned_json)),
                               a.format, print_plan);
    else if (!code)
        code = a.compare ? compare(&a, sides, &contests) : choose(&a, &contests);
    fb_contests_close(&contests);
    for (int i = 0; i < 2; i++)
        fb_tuning_source_close(&sides[i]);
    return (int)code;
}

const struct fb_verb fb_verb_tune = {
    .name = "tune",
    .example = "filterbench tune --budget 60s",
    .usage = "tune [options] | tune --compare [options] A B",
    .summary = "Find the best prefetch distance for this machine",
    .help =
        "-o, --output FILE\tthe profile (tuning-KEY.json in ~/.cache/filterbench)\n"
        "--compare\ttime the kernels under two profiles or built-in tunings in the same rounds. "
        "Exit code 1 means that they differ by 3 % or more\n"
        "--all-designs\tcompare every design with 1M, 10M and 100M keys\n"
        "--class C\ttune only block-32, line-64 or scattered\n"
        "--reach R\ttune only half-L2, L2, twice-L2, quarter-L3, L3 or memory\n"
        "--budget S\tstart no process after S seconds (40); eight for each row run in any case\n"
        "--dry-run\tshow what would be measured, and the built-in values\n"
        "--format table|json\thow to print the answer (table)\n"
        "\n"
        "A batch of lookups fetches parts of the filter ahead of their use. How far "
        "ahead is best differs between processors. A tuning for this processor, or one for "
        "unknown ones, is built in: `filterbench doctor` names it. No answer and no count depends "
        "on it.\n"
        "\n"
        "FB_TUNING=FILE uses a profile, and FB_TUNING=NAME a built-in tuning. A profile "
        "of another machine is refused. FB_TUNING=force:FILE uses it, and results say so.\n",
    .main = tune,
    .polls_interrupt = true,
    .untuned = true,
};

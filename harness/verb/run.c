/* run: an experiment, from a preset or file, with what the options change, to its kind. */
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/document/presets.h"
#include "harness/document/run.h"
#include "harness/verb/verb.h"

/* ---- Values of fields ---- */

/* Appends the entries of "8,10" to [4] -> [4, 8, 10]; what is no number stays text: nori,null ->
 * ["nori", "null"]. False: not UTF-8. */
static bool append_entries(json_t *list, const char *text)
{
    for (;;) {
        size_t len = strcspn(text, ",");
        json_t *value = json_loadb(text, len, JSON_DECODE_ANY, NULL);
        if (!json_is_number(value)) {
            json_decref(value);
            value = json_stringn(text, len);
        }
        if (json_array_append_new(list, value))
            return false;
        if (!text[len])
            return true;
        text += len + 1;
    }
}

/* Of an option that takes a list: all that it was given, in order. */
static json_t *list_of(const struct fb_texts *given)
{
    json_t *list = json_array();
    for (size_t i = 0; i < given->n; i++) {
        if (!append_entries(list, given->at[i])) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *text_of(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    return value ? value : json_string(text);
}

/* ---- The options ---- */

enum { MOST_OPTIONS = 48 };

struct options {
    struct fb_texts field[MOST_OPTIONS]; /* of each row that sets a field, as given */
    struct fb_texts set;
    struct fb_run_options run;
};

/* An option: what it sets, a field of the experiment or a member of struct options, and what --help
 * says. */
static const struct row {
    const char *name, *value; /* value: what it takes, for --help; NULL: it is a flag */
    const char *field;
    json_t *(*read)(const char *text); /* of a field, NULL: not UTF-8; not set: it takes a list */
    const char *help;
    size_t at; /* of a member */
    enum fb_opt_kind kind;
    char letter;
    bool common; /* for experiments of every kind */
    double most; /* of a count */
} rows[] = {
#define FIELD(name, letter, value, field, read, help)                                              \
    {                                                                                              \
        name, value, field, read, help, 0, FB_OPT_TEXT, letter, false, 0                           \
    }
#define LIST(name, letter, value, field, help)                                                     \
    {                                                                                              \
        name, value, field, NULL, help, 0, FB_OPT_TEXTS, letter, false, 0                          \
    }
#define OPTION(name, letter, value, member, kind, common, help)                                    \
    {                                                                                              \
        name, value, NULL, NULL, help, offsetof(struct options, member), kind, letter, common,     \
            1024                                                                                   \
    }
    LIST("designs", 'd', "A,B", "designs",
         "designs, \"all\", or \"filters\" for all but the controls"),
    LIST("bits-per-key", 'b', "B,C", "bits_per_key", "sizes in bits per key"),
    LIST("fpr", 0, "P,Q", "fpr", "sizes by rate"),
    LIST("n", 'n', "N,M", "n", "keys per filter: 50M; with --keys that many of your own"),
    FIELD("hash", 0, "H", "hash", text_of, "replaces each design's own hash"),
    FIELD("filters", 0, "F", "filters", text_of, "filters per cell (32)"),
    FIELD("probes", 0, "P", "probes", text_of, "absent keys asked of each filter (65536)"),
    FIELD("seed", 0, "HEX", "seed", fb_seed_given, "root of all keys"),
    FIELD("precision", 0, "P", "precision", text_of, "1%: stop at intervals of +-1 %"),
    LIST("isa", 0, "A,B", "isas",
         "kernels, icount: all, scalar, neon, avx2, avx512;\nkernels: best"),
    LIST("footprints", 0, "A,B", "footprints", "kernels: L1, L2, L3, DRAM"),
    LIST("operations", 0, "A,B", "operations",
         "kernels, icount: batch, each, branch, chain, insert,\nremove, build, ..., or all but "
         "plain: describe operations"),
    LIST("hit-ratios", 0, "A,B", "hit_ratios",
         "kernels, icount: shares of present keys asked, 0 to 1"),
    FIELD("budget", 0, "T", "budget", text_of,
          "kernels: 60s or 2m, building included, above 0;\nmin_processes are always measured"),
    OPTION("quick", 0, NULL, run.quick, FB_OPT_FLAG, false,
           "kernels, attack, claims: less of everything, not for\npublication"),
    OPTION("full", 0, NULL, run.full, FB_OPT_FLAG, false, "kernels: everything"),
    OPTION("histograms", 0, NULL, run.histograms, FB_OPT_FLAG, false,
           "kernels, lsm: distributions of single operations too"),
    LIST("absent", 0, "P,Q", "absent", "lsm: shares of queries for absent keys, 0 to 1"),
    FIELD("device", 0, "D", "device", fb_json_text,
          "lsm: what a read costs: nvme, sata, hdd, s3, 100us, ...;\n"
          "measured:FOLDER times reads of a file there, of 1 GiB\n"
          "(--set device_bytes=N), which is gone afterwards"),
    LIST("lookups", 0, "A,B", "lookups", "lsm: how one query visits many filters, or all"),
    LIST("allocations", 0, "A,B", "allocations",
         "lsm: uniform, monkey, optimal, drop-last, or all"),
    FIELD("queries", 0, "N", "queries", text_of, "lsm: queries counted per cell"),
    LIST("cache", 0, "SIZE,SIZE", "cache_bytes", "lsm: block cache, 0 or 256Mi"),
    FIELD("scale", 0, "S", "scale", text_of,
          "lsm: divides keys per segment, keeps levels and runs;\n"
          "1 where --keys or --trace is given"),
    OPTION("ci", 0, NULL, run.ci, FB_OPT_FLAG, false,
           "lsm: the short form that the preset declares, counts only"),
    OPTION("set", 0, "FIELD=VALUE", set, FB_OPT_TEXTS, true,
           "any field of the experiment, as JSON or text; it wins over\n"
           "the option of that field, and of two the last holds"),
    OPTION("keys", 'k', "FILE", run.keys, FB_OPT_TEXT, false,
           "adds your own keys: half of them held out, again for each\n"
           "filter; repeats are dropped; of a pipe or device at\n"
           "most 1 GiB is read; lsm: in as many levels as they fill"),
    OPTION("keys-format", 0, "F", run.keys_format, FB_OPT_TEXT, false, FB_KEYS_FORMATS),
    OPTION("trace", 0, "FILE", run.trace, FB_OPT_TEXT, false,
           "lsm: puts go through memtable and compaction, gets are\n"
           "the queries, asked of the tree at its end"),
    OPTION("trace-format", 0, "F", run.trace_format, FB_OPT_TEXT, false,
           "ops (default: g KEY, p KEY VLEN, d KEY), twitter, kvgen"),
    OPTION("threads", 0, "T", run.threads, FB_OPT_COUNT, false,
           "default: one per core; counts do not depend on it"),
    {"memory", "SIZE", NULL, NULL,
     "lsm: at most so much of filters, and of keys that wait\n"
     "for them, at a time: 7G. Where they take more, they are\n"
     "built, asked and left window by window, and not timed;\n"
     "counts do not depend on it",
     offsetof(struct options, run.memory), FB_OPT_COUNT, 0, false, 1e15},
    OPTION("show-experiment", 0, NULL, run.show, FB_OPT_FLAG, true,
           "print the experiment with every field, run nothing; with\n"
           "--format json as a file that run takes"),
    OPTION("dry-run", 0, NULL, run.dry_run, FB_OPT_FLAG, true, "print the cells, run nothing"),
    OPTION("output", 'o', "FILE", run.output, FB_OPT_TEXT, true,
           "the result document; default results/runs/NAME.json"),
    OPTION(
        "resume", 0, NULL, run.resume, FB_OPT_FLAG, true,
        "go on from FILE.journal, which a run that was\ninterrupted, killed or out of disk left"),
    OPTION("shard", 0, "I/N", run.shard, FB_OPT_TEXT, true,
           "part I of N of the work, counted from 1; 'merge' makes\none result of all"),
    OPTION("format", 0, "table|json", run.format, FB_OPT_FORMAT, true, "on stdout"),
#undef FIELD
#undef LIST
#undef OPTION
};
enum { N_ROWS = sizeof rows / sizeof *rows };
_Static_assert(sizeof rows / sizeof *rows <= MOST_OPTIONS, "a place for each");

static void print_options(FILE *file)
{
    for (const struct row *r = rows; r < rows + N_ROWS; r++) {
        char option[40];
        size_t len;
        snprintf(option, sizeof option, "--%s %s", r->name, r->value ? r->value : "");
        fprintf(file, r->letter ? "  -%c, %-21s" : "  %c   %-21s", r->letter ? r->letter : ' ',
                option);
        for (const char *line = r->help; *line; line += len + (line[len] == '\n')) {
            len = strcspn(line, "\n");
            fprintf(file, "%*s%.*s\n", line == r->help ? 0 : 27, "", (int)len, line);
        }
    }
}

/* Whether --set keys replaces the kinds of keys, that of the file of --keys among them. */
static bool leaves_out_file(const struct fb_texts *set)
{
    bool left_out = false;
    for (size_t i = 0; i < set->n; i++)
        if (!strncmp(set->at[i], "keys=", 5))
            left_out = !strstr(set->at[i] + 5, "file");
    return left_out;
}

/* What the options say, over what the file says; a size given replaces the file's sizes, and -n is
 * of the user's keys too. */
static bool override(json_t *document, const struct fb_kind *kind, const struct options *o)
{
    json_t *given = json_object();
    for (size_t i = 0; i < N_ROWS; i++) {
        const struct row *row = &rows[i];
        const struct fb_texts *texts = &o->field[i];
        if (!texts->at[0])
            continue;
        json_t *value = row->read ? row->read(texts->at[0]) : list_of(texts);
        if (json_object_set_new(given, row->field, value)) {
            fb_error("--%s: not UTF-8", row->name);
            json_decref(given);
            return false;
        }
    }
    const bool of_file = o->run.keys && !leaves_out_file(&o->set);
    if (of_file && json_object_get(given, "n") && fb_kind_takes(kind, "", "file_n"))
        json_object_set(given, "file_n", json_object_get(given, "n"));
    if (json_object_get(given, "bits_per_key") || json_object_get(given, "fpr")) {
        json_object_del(document, "fpr");
        json_object_del(document, "bits_per_key");
    }
    const bool set = fb_experiment_set_all(given, &o->set);
    json_object_update_new(document, given);
    return set;
}

/* ---- Options that only some kinds take ---- */

static bool is_given(const struct fb_opt *opt)
{
    return opt->kind == FB_OPT_FLAG    ? *(bool *)opt->out
           : opt->kind == FB_OPT_COUNT ? *(uint64_t *)opt->out
                                       : *(const char **)opt->out != NULL;
}

/* False, with a line that names the option, its kinds and this one; opts [N_ROWS]. */
static bool check_options(const struct fb_opt *opts, const struct fb_kind *kind)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        const char *name = rows[i].name, *field = rows[i].field;
        char others[100] = "";
        if (rows[i].common || !is_given(&opts[i]) || fb_kind_takes(kind, name, field))
            continue;
        for (const struct fb_kind *const *other = fb_kinds; *other; other++) {
            size_t used = strlen(others);
            if (fb_kind_takes(*other, name, field))
                snprintf(others + used, sizeof others - used, "%s%s", used ? " or " : "",
                         (*other)->name);
        }
        fb_error("run: --%s is for experiments of kind %s, not %s", name, others, kind->name);
        return false;
    }
    return true;
}

static int run(int argc, char **argv)
{
    struct options o = {.run = {.format = FB_FORMAT_TABLE, .argc = argc, .argv = argv}};
    struct fb_run_options *r = &o.run;
    struct fb_opt opts[N_ROWS + 1] = {{0}};
    for (size_t i = 0; i < N_ROWS; i++) {
        const struct row *row = &rows[i];
        void *out = row->field ? (void *)&o.field[i] : (char *)&o + row->at;
        opts[i] = (struct fb_opt){row->name, row->letter, row->kind, out, 1, row->most};
    }
    if (!fb_opt_parse(argc, argv, opts, 1))
        return FB_EXIT_USAGE;
    const struct {
        bool wrong;
        const char *why;
    } rules[] = {
        {optind >= argc, "which experiment? give a preset or a file ('filterbench list presets')"},
        {r->quick && r->full, "--quick and --full exclude each other; give one of them"},
        {!r->keys && r->keys_format,
         "--keys-format is for a file of keys; give it with --keys FILE"},
        {!r->trace && r->trace_format, "--trace-format is for a trace; give it with --trace FILE"},
        {r->keys && r->trace, "--keys and --trace exclude each other; give one of them"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].wrong) {
            fb_error("run: %s", rules[i].why);
            return FB_EXIT_USAGE;
        }
    }
    json_t *given = NULL;
    const struct fb_kind *kind = NULL;
    struct fb_problem problem;
    r->name = argv[optind];
    enum fb_exit code = fb_experiment_find("run", r->name, &given);
    if (!code && !(kind = fb_kind_of(given, &problem))) {
        fb_error("%s: %s", r->name, problem.text);
        code = FB_EXIT_USAGE;
    }
    if (!code && !check_options(opts, kind))
        code = FB_EXIT_USAGE;
    if (!code && kind->prepare)
        kind->prepare(given, r);
    if (!code && !override(given, kind, &o))
        code = FB_EXIT_USAGE;
    if (!code)
        code = fb_run_experiment(kind, r, given, NULL);
    json_decref(given);
    return (int)code;
}

const struct fb_verb fb_verb_run = {
    .name = "run",
    .usage = "run PRESET|FILE.json [--keys FILE [--keys-format F]] [--set FIELD=VALUE]... "
             "[-o FILE]",
    .summary = "Measure rates and sizes, times, or lookups in a tree",
    .options = print_options,
    .help =
        "Ctrl-C keeps the finished cells in FILE.partial, and a run that ends in any way before "
        "it\n"
        "has written FILE keeps them in FILE.journal, for --resume. A false negative ends the run\n"
        "with exit 5.\n",
    .main = run,
    .polls_interrupt = true,
};

/* run: an experiment, from a preset or file, with what the options change, to its kind. */
#include <getopt.h>
#include <stddef.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/document/fields.h"
#include "harness/document/presets.h"
#include "harness/document/run.h"
#include "harness/verb/help.h"
#include "harness/verb/io.h"
#include "harness/verb/verb.h"

/* ---- Values of fields ---- */

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
    struct fb_io_given io;
    struct fb_run_options run;
};

/* What --help shows together, at most eight options each. */
enum group { FILTERS, KEYS, TIMES, TREE, READS, RUN, OUTPUT, N_GROUPS };
static const char *const headings[N_GROUPS] = {
    "Filters:", "Keys:", "Times:", "Tree and queries:", "Reads:", "The run:", "Output:"};

/* An option: what it sets, a field of the experiment or a member of struct options, and what --help
 * says. */
static const struct row {
    enum group group;
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
#define FIELD(group, name, letter, value, field, read, help)                                       \
    {                                                                                              \
        group, name, value, field, read, help, 0, FB_OPT_TEXT, letter, false, 0                    \
    }
#define LIST(group, name, letter, value, field, help)                                              \
    {                                                                                              \
        group, name, value, field, NULL, help, 0, FB_OPT_TEXTS, letter, false, 0                   \
    }
#define OPTION(group, name, letter, value, member, kind, common, help)                             \
    {                                                                                              \
        group, name, value, NULL, NULL, help, offsetof(struct options, member), kind, letter,      \
            common, 1024                                                                           \
    }
    LIST(FILTERS, "designs", 'd', "A,B", "designs",
         "designs, 'sbbf*', all, or filters for all but the controls"),
    LIST(FILTERS, "bits-per-key", 'b', "B,C", "bits_per_key",
         "memory in bits per key: 8,10 or 6..20"),
    LIST(FILTERS, "fpr", 0, "P,Q", "fpr",
         "target false-positive rates, instead of -b or beside it"),
    LIST(FILTERS, "n", 'n', "N,M", "n", "keys per filter; with --keys, that many of your own"),
    FIELD(FILTERS, "hash", 0, "H", "hash", text_of, "one hash function for all designs"),
    FIELD(FILTERS, "filters", 0, "F", "filters", text_of, "filters of each design and size (32)"),
    FIELD(FILTERS, "probes", 0, "P", "probes", text_of,
          "absent keys looked up in each filter (65536)"),
    FIELD(FILTERS, "precision", 0, "P", "precision", text_of,
          "stop when the interval is this narrow, such as 1%"),
    OPTION(KEYS, "keys", 'k', "FILE", run.keys, FB_OPT_TEXT, false,
           "measure your own keys: half of them go into the filters. The other half are looked up "
           "as absent keys. Duplicates are dropped. --set keys=random,file adds random keys"),
    OPTION(KEYS, "keys-format", 0, "F", run.keys_format, FB_OPT_TEXT, false,
           "lines (default), nul, hex, len32, fixed:L, csv:COLUMN, u64, i32, i64, f32, f64 or "
           "typed"),
    OPTION(KEYS, "trace", 0, "FILE", run.trace, FB_OPT_TEXT, false,
           "your own operations: puts fill the tree, gets are looked up at the end"),
    OPTION(KEYS, "trace-format", 0, "F", run.trace_format, FB_OPT_TEXT, false,
           "ops (default: g KEY, p KEY VLEN, d KEY), twitter or kvgen"),
    FIELD(KEYS, "seed", 0, "HEX", "seed", fb_seed_given, "root of all keys and queries"),
    LIST(TIMES, "isa", 0, "A,B", "isas",
         "kernels by instruction set: all, scalar, neon, avx2 or avx512; times also take best"),
    LIST(TIMES, "footprints", 0, "A,B", "footprints",
         "sizes of filters: those that fill L1, L2, L3 or DRAM"),
    LIST(TIMES, "operations", 0, "A,B", "operations",
         "batch, each, branch, chain, insert, remove, build and others (`filterbench describe "
         "operations`)"),
    LIST(TIMES, "hit-ratios", 0, "A,B", "hit_ratios",
         "shares of lookups that ask for present keys, 0 to 1"),
    FIELD(TIMES, "budget", 0, "T", "budget", text_of,
          "time for all, with builds, such as 60s or 2m; the fewest processes are always measured"),
    OPTION(TIMES, "full", 0, NULL, run.full, FB_OPT_FLAG, false, "measure everything"),
    OPTION(TIMES, "histograms", 0, NULL, run.histograms, FB_OPT_FLAG, false,
           "add the distribution of single operations"),
    LIST(TREE, "absent", 0, "P,Q", "absent", "shares of queries for absent keys, 0 to 1"),
    LIST(TREE, "lookups", 0, "A,B", "lookups", "how one query visits many filters, or all"),
    LIST(TREE, "allocations", 0, "A,B", "allocations",
         "how levels share memory: uniform, monkey, optimal, drop-last or all"),
    FIELD(TREE, "queries", 0, "N", "queries", text_of, "queries counted in each cell"),
    FIELD(TREE, "scale", 0, "S", "scale", text_of,
          "divide the keys per segment by S, and keep levels and runs (1 with --keys or --trace)"),
    OPTION(TREE, "ci", 0, NULL, run.ci, FB_OPT_FLAG, false,
           "the short form that the preset declares, counts only"),
    OPTION(
        READS, "io", 0, "D", io.io, FB_OPT_TEXT, false,
        "the time of one read: nvme, optane, sata, hdd, s3 or 100us. measured:FOLDER times reads "
        "of a file there (1 GiB; --set device_bytes=N). A FILE of 'engine cost' also says what an "
        "engine takes to ask a filter"),
    OPTION(READS, "device", 0, "D", io.io, FB_OPT_TEXT, false, "the same as --io"),
    OPTION(READS, "reads", 0, "R", io.reads, FB_OPT_TEXT, false,
           "with a file of 'engine cost': page-cache (default), mapped, direct or block-cache"),
    LIST(READS, "cache", 0, "SIZE,SIZE", "cache_bytes", "block cache, such as 0 or 256Mi"),
    OPTION(RUN, "set", 0, "FIELD=VALUE", set, FB_OPT_TEXTS, true,
           "set any field of the experiment, as JSON or text; wins over the option of that field"),
    OPTION(RUN, "threads", 0, "T", run.threads, FB_OPT_COUNT, false,
           "threads to use (one per core). Counts do not depend on it"),
    {RUN, "memory", "SIZE", NULL, NULL,
     "the most memory for filters and waiting keys at a time, such as 7G. Larger trees are built "
     "and asked in windows, and not timed",
     offsetof(struct options, run.memory), FB_OPT_COUNT, 0, false, 1e15},
    OPTION(RUN, "quick", 0, NULL, run.quick, FB_OPT_FLAG, false,
           "measure less of everything; do not publish it"),
    OPTION(RUN, "resume", 0, NULL, run.resume, FB_OPT_FLAG, true,
           "continue a run that was interrupted, killed or out of disk (from FILE.journal)"),
    OPTION(RUN, "shard", 0, "I/N", run.shard, FB_OPT_TEXT, true,
           "run only part I of N of the work; merge joins the parts"),
    OPTION(RUN, "show-experiment", 0, NULL, run.show, FB_OPT_FLAG, true,
           "print every field of the experiment, and run nothing; with --format json as a file "
           "that run takes"),
    OPTION(RUN, "dry-run", 0, NULL, run.dry_run, FB_OPT_FLAG, true,
           "print what would be measured, and run nothing"),
    OPTION(OUTPUT, "output", 'o', "FILE", run.output, FB_OPT_TEXT, true,
           "the result document (results/runs/NAME.json; an older one becomes NAME-1.json)"),
    OPTION(OUTPUT, "format", 0, "table|json", run.format, FB_OPT_FORMAT, true,
           "what to print on stdout (table)"),
    OPTION(OUTPUT, "versus", 0, "DESIGN", run.versus, FB_OPT_TEXT, false,
           "show every design as a multiple of this one"),
#undef FIELD
#undef LIST
#undef OPTION
};
enum { N_ROWS = sizeof rows / sizeof *rows };
_Static_assert(sizeof rows / sizeof *rows <= MOST_OPTIONS, "a place for each");

/* ---- Help ---- */

/* Of the preset or file *name that argv names; NULL: it names none. */
static const struct fb_kind *kind_named(int argc, char **argv, const char **name)
{
    const struct fb_kind *kind = NULL;
    struct fb_problem problem;
    for (int i = 1; i < argc && !kind; i++) {
        char path[4096];
        json_auto_t *given = NULL;
        if (fb_preset_find(argv[i], path, sizeof path) && !fb_experiment_load(path, &given))
            kind = fb_kind_of(given, &problem);
        *name = argv[i];
    }
    return kind;
}

static const char *example_of(int argc, char **argv)
{
    static char text[256];
    const char *name;
    const struct fb_kind *kind = kind_named(argc, argv, &name);
    if (!kind || !kind->example)
        return NULL;
    snprintf(text, sizeof text, "filterbench run %.100s %s", name, kind->example);
    return text;
}

/* "fpr or lsm": the kinds with presets that take an option; returns whether one does not. */
static bool list_kinds(const struct row *row, char text[200])
{
    bool lacks = false;
    *text = '\0';
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++) {
        if ((*kind)->example && fb_kind_takes(*kind, row->name, row->field))
            fb_append(text, 200, "%s%s", *text ? " or " : "", (*kind)->name);
        else
            lacks |= (*kind)->example != NULL;
    }
    return lacks;
}

/* Without a preset, what several kinds take. */
static bool is_shown(const struct row *row, const struct fb_kind *kind)
{
    if (row->common || kind)
        return row->common || fb_kind_takes(kind, row->name, row->field);
    size_t n = 0;
    for (const struct fb_kind *const *each = fb_kinds; *each; each++)
        n += fb_kind_takes(*each, row->name, row->field);
    return n > 1 && row->group != TIMES && row->group != TREE && row->group != READS;
}

static void print_options(FILE *file, int argc, char **argv)
{
    const struct fb_kind *kind = kind_named(argc, argv, &(const char *){NULL});
    char text[8192] = "", takers[200];
    int before = -1;
    for (const struct row *r = rows; r < rows + N_ROWS; r++) {
        if (!is_shown(r, kind))
            continue;
        if ((int)r->group != before)
            fb_append(text, sizeof text, "%s%s\n", before < 0 ? "" : "\n", headings[r->group]);
        before = (int)r->group;
        const bool some = !kind && !r->common && list_kinds(r, takers);
        fb_append(text, sizeof text, "%.*s%s--%s%s%s\t%s%s%s\n", r->letter ? 2 : 0,
                  (const char[]){'-', r->letter}, r->letter ? ", " : "", r->name,
                  r->value ? " " : "", r->value ? r->value : "", r->help, some ? "; for kind " : "",
                  some ? takers : "");
    }
    if (kind)
        fb_append(text, sizeof text, "\nThese are all options of experiments of kind %s.\n",
                  kind->name);
    else
        fb_append(
            text, sizeof text,
            "\nEach kind of experiment has more options. To see them, name a preset: "
            "`filterbench run fjall-leveled --help`. `filterbench list presets` names all.\n");
    fb_help_print(file, text);
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
static bool override(json_t *document, const struct fb_kind *kind, struct options *o)
{
    json_t *given = json_object();
    for (size_t i = 0; i < N_ROWS; i++) {
        const struct row *row = &rows[i];
        const struct fb_texts *texts = &o->field[i];
        if (!texts->at[0])
            continue;
        json_t *value = row->read ? row->read(texts->at[0]) : fb_list_given(texts);
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
    o->run.size_given = json_object_get(given, "bits_per_key") ? "-b"
                        : json_object_get(given, "fpr")        ? "--fpr"
                                                               : NULL;
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
static bool check_options(const struct fb_opt *opts, const struct fb_kind *kind,
                          const char *experiment)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        const char *name = rows[i].name, *field = rows[i].field;
        char others[200];
        if (rows[i].common || !is_given(&opts[i]) || fb_kind_takes(kind, name, field))
            continue;
        (void)list_kinds(&rows[i], others);
        fb_error("run: --%s is for experiments of kind %s, and %s is of kind %s; `filterbench run "
                 "%s --help` shows its options",
                 name, others, experiment, kind->name, experiment);
        return false;
    }
    return true;
}

/* The option that set the field which a problem begins with; NULL: none did. */
static const char *option_of(const struct options *o, const char *problem, size_t len)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].field && o->field[i].at[0] && strlen(rows[i].field) == len &&
            !strncmp(rows[i].field, problem, len))
            return rows[i].name;
    return len == 6 && fb_io_device(&o->io) && !strncmp("device", problem, len) ? "io" : NULL;
}

/* Whether the kind takes the experiment; else a line was printed, which names the option that gave
 * the wrong value, where one did, and not its field. */
static bool check_values(const struct fb_kind *kind, const json_t *given, const struct options *o)
{
    struct fb_opened opened;
    struct fb_problem problem;
    const bool good = fb_kind_open_as(kind, given, &opened, &problem);
    const size_t len = strcspn(problem.text, ":[");
    const char *option = good ? NULL : option_of(o, problem.text, len);
    if (option) /* its lists are written without brackets: no place in one is named */
        fb_error("%s: --%s%s", o->run.name, option, strchr(problem.text + len, ':'));
    else if (!good)
        fb_error("%s: %s", o->run.name, problem.text);
    fb_kind_close(&opened);
    return good;
}

/* What --io says of an experiment that is otherwise known. */
static enum fb_exit take_io(struct fb_io_given *io, json_t *given)
{
    const json_t *residencies = json_object_get(given, "filter_residency");
    if (!fb_io_device(io) && json_array_size(residencies) > 1) {
        fb_error("run: --io: a file of 'engine cost' is taken for filters in one place; give one "
                 "of them, --set filter_residency=cached");
        return FB_EXIT_USAGE;
    }
    const json_t *one = json_is_array(residencies) ? json_array_get(residencies, 0) : residencies;
    io->residency = json_string_value(one);
    return fb_io_read(io, "", given);
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
    if (!fb_opt_parse(argc, argv, opts, 1) ||
        fb_opt_wrong(optind >= argc, "run",
                     "which experiment? give a preset or a file, as in `filterbench run fpr` "
                     "(`filterbench list presets` shows the presets)") ||
        fb_opt_wrong(r->quick && r->full, "run",
                     "--quick and --full exclude each other; give one of them") ||
        fb_opt_wrong(!r->keys && r->keys_format, "run",
                     "--keys-format is for a file of keys; give --keys FILE too") ||
        fb_opt_wrong(!r->trace && r->trace_format, "run",
                     "--trace-format is for a trace; give --trace FILE too") ||
        fb_io_wrong("run", &o.io, &o.set) ||
        fb_opt_wrong(r->keys && r->trace, "run",
                     "--keys and --trace exclude each other; give one of them"))
        return FB_EXIT_USAGE;
    json_auto_t *given = NULL;
    const struct fb_kind *kind = NULL;
    struct fb_problem problem;
    r->name = argv[optind];
    enum fb_exit code = fb_experiment_find("run", r->name, &given);
    if (!code && !(kind = fb_kind_of(given, &problem))) {
        fb_error("%s: %s", r->name, problem.text);
        code = FB_EXIT_USAGE;
    }
    if (!code && !check_options(opts, kind, r->name))
        code = FB_EXIT_USAGE;
    json_t *found = json_copy(given);
    if (!code && kind->prepare)
        kind->prepare(given, r);
    if (!code && fb_io_device(&o.io))
        json_object_set_new(given, "device", fb_json_text(o.io.io));
    if (!code && !override(given, kind, &o))
        code = FB_EXIT_USAGE;
    if (!code && o.io.io)
        code = take_io(&o.io, given);
    if (!code && !check_values(kind, given, &o))
        code = FB_EXIT_USAGE;
    fb_experiment_retell(code ? NULL : kind, found, given);
    if (!code)
        code = fb_run_experiment(kind, r, given, NULL);
    return (int)code;
}

const struct fb_verb fb_verb_run = {
    .name = "run",
    .example = "filterbench run fpr -d nori,leveldb -b 8,10 -n 100k",
    .usage = "run PRESET|FILE.json [options]",
    .summary = "Run an experiment: false-positive rates, times, or lookups in a tree",
    .options = print_options,
    .example_of = example_of,
    .help = "If a run is interrupted, start it again with --resume. It continues where it "
            "stopped.\n"
            "A run that finds a false negative stops with exit code 5.\n",
    .main = run,
    .polls_interrupt = true,
};

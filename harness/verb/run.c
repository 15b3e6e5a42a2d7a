/* run: an experiment, from a preset or file, with what the options change, to its kind. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/document/presets.h"
#include "harness/document/run.h"
#include "harness/verb/verb.h"

/* ---- Options that set a field of the experiment ---- */

/* "8,10" -> [8, 10]; what is no number stays text: nori,null -> ["nori", "null"]. */
static json_t *list_of(const char *text)
{
    json_t *list = json_array();
    for (;;) {
        size_t len = strcspn(text, ",");
        json_t *value = json_loadb(text, len, JSON_DECODE_ANY, NULL);
        if (!json_is_number(value)) {
            json_decref(value);
            value = json_stringn(text, len);
        }
        if (json_array_append_new(list, value)) {
            json_decref(list);
            return NULL;
        }
        if (!text[len])
            return list;
        text += len + 1;
    }
}

static json_t *text_of(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    return value ? value : json_string(text);
}

/* "1%" -> 0.01, "60s" and "1m" -> 60; anything else stays as it is, for the field to refuse. */
static json_t *quantity_of(const char *text)
{
    static const struct {
        const char *suffix;
        double factor;
    } units[] = {{"", 1}, {"%", 0.01}, {"s", 1}, {"m", 60}};
    char *end;
    double x = strtod(text, &end);
    for (size_t i = 0; end > text && i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].suffix))
            return isfinite(x) ? json_real(x * units[i].factor) : json_string(text);
    return fb_json_text(text);
}

/* "5eed" -> "0x5eed" */
static json_t *seed_of(const char *text)
{
    char seed[40];
    snprintf(seed, sizeof seed, "%s%.20s", strncmp(text, "0x", 2) ? "0x" : "", text);
    return json_string(seed);
}

static const struct {
    const char *option;
    char letter;
    const char *field;
    json_t *(*read)(const char *text); /* NULL: not UTF-8 */
} fields[] = {
    {"designs", 'd', "designs", list_of},
    {"bits-per-key", 'b', "bits_per_key", list_of},
    {"fpr", 0, "fpr", list_of},
    {"n", 'n', "n", list_of},
    {"hash", 0, "hash", text_of},
    {"filters", 0, "filters", text_of},
    {"probes", 0, "probes", text_of},
    {"seed", 0, "seed", seed_of},
    {"isa", 0, "isas", list_of},
    {"operations", 0, "operations", list_of},
    {"footprints", 0, "footprints", list_of},
    {"hit-ratios", 0, "hit_ratios", list_of},
    {"precision", 0, "precision", quantity_of},
    {"budget", 0, "budget", quantity_of},
    {"absent", 0, "absent", list_of},
    {"device", 0, "device", fb_json_text},
    {"lookups", 0, "lookups", list_of},
    {"allocations", 0, "allocations", list_of},
    {"queries", 0, "queries", text_of},
    {"cache", 0, "cache_bytes", list_of},
    {"scale", 0, "scale", text_of},
};
enum {
    N_FIELDS = sizeof fields / sizeof *fields,
    N_COMMON = 5,   /* options that every kind takes */
    N_OPTIONS = 14, /* all that set no field */
};

struct options {
    const char *field[N_FIELDS]; /* as given; NULL: not */
    struct fb_texts set;
    struct fb_run_options run;
};

static const char *field_given(const struct options *o, const char *field)
{
    size_t i = 0;
    while (strcmp(fields[i].field, field))
        i++;
    return o->field[i];
}

static const char *field_of(const char *option)
{
    for (size_t i = 0; i < N_FIELDS; i++)
        if (!strcmp(fields[i].option, option))
            return fields[i].field;
    return NULL;
}

/* What the options say, over what the file says; a size given replaces the file's sizes. */
static bool override(json_t *document, const struct options *o)
{
    struct fb_problem problem;
    const char *bits = field_given(o, "bits_per_key"), *fpr = field_given(o, "fpr");
    if (bits && !fpr)
        json_object_del(document, "fpr");
    if (fpr && !bits)
        json_object_del(document, "bits_per_key");
    for (size_t i = 0; i < N_FIELDS; i++) {
        if (o->field[i] &&
            json_object_set_new(document, fields[i].field, fields[i].read(o->field[i]))) {
            fb_error("--%s: not UTF-8", fields[i].option);
            return false;
        }
    }
    for (size_t i = 0; i < o->set.n; i++) {
        char path[100];
        const char *equals = strchr(o->set.at[i], '=');
        if (!equals || equals - o->set.at[i] >= (long)sizeof path) {
            fb_error("--set: '%s' is not FIELD=VALUE", o->set.at[i]);
            return false;
        }
        snprintf(path, sizeof path, "%.*s", (int)(equals - o->set.at[i]), o->set.at[i]);
        if (!fb_experiment_set(document, path, equals + 1, &problem)) {
            fb_error("--set: %s", problem.text);
            return false;
        }
    }
    return true;
}

/* ---- Options that only some kinds take ---- */

static bool is_given(const struct fb_opt *opt)
{
    switch (opt->kind) {
    case FB_OPT_TEXT:
        return *(const char **)opt->out;
    case FB_OPT_FLAG:
        return *(bool *)opt->out;
    case FB_OPT_COUNT:
        return *(uint64_t *)opt->out;
    default:
        return false;
    }
}

/* False, with a line that names the option, its kinds and this one. */
static bool check_options(const struct fb_opt *opts, const struct fb_kind *kind)
{
    for (; opts->name; opts++) {
        const char *field = field_of(opts->name);
        char others[100] = "";
        if (!is_given(opts) || fb_kind_takes(kind, opts->name, field))
            continue;
        for (const struct fb_kind *const *other = fb_kinds; *other; other++) {
            size_t used = strlen(others);
            if (fb_kind_takes(*other, opts->name, field))
                snprintf(others + used, sizeof others - used, "%s%s", used ? " or " : "",
                         (*other)->name);
        }
        fb_error("run: --%s is for experiments of kind %s, not %s", opts->name, others, kind->name);
        return false;
    }
    return true;
}

static enum fb_exit load(const char *name, json_t **document)
{
    char path[4096];
    size_t len = strlen(name);
    bool is_file =
        !strcmp(name, "-") || strchr(name, '/') || (len > 5 && !strcmp(name + len - 5, ".json"));
    if (is_file)
        return fb_experiment_load(name, document);
    if (fb_preset_find(name, path, sizeof path))
        return fb_experiment_load(path, document);
    fb_error("run: no preset '%s'%s ('filterbench list presets' names them; a file ends in .json)",
             name, fb_preset_near(name));
    return FB_EXIT_USAGE;
}

static int run(int argc, char **argv)
{
    struct options o = {.run = {.format = FB_FORMAT_TABLE, .argc = argc, .argv = argv}};
    struct fb_run_options *r = &o.run;
    struct fb_opt opts[N_OPTIONS + N_FIELDS + 1] = {
        {"set", 0, FB_OPT_TEXTS, &o.set, 0, 0},
        {"output", 'o', FB_OPT_TEXT, &r->output, 0, 0},
        {"show-experiment", 0, FB_OPT_FLAG, &r->show, 0, 0},
        {"dry-run", 0, FB_OPT_FLAG, &r->dry_run, 0, 0},
        {"format", 0, FB_OPT_FORMAT, &r->format, 0, 0},
        [N_COMMON] = {"keys", 'k', FB_OPT_TEXT, &r->keys, 0, 0},
        {"keys-format", 0, FB_OPT_TEXT, &r->keys_format, 0, 0},
        {"trace", 0, FB_OPT_TEXT, &r->trace, 0, 0},
        {"trace-format", 0, FB_OPT_TEXT, &r->trace_format, 0, 0},
        {"threads", 0, FB_OPT_COUNT, &r->threads, 1, 1024},
        {"quick", 0, FB_OPT_FLAG, &r->quick, 0, 0},
        {"full", 0, FB_OPT_FLAG, &r->full, 0, 0},
        {"histograms", 0, FB_OPT_FLAG, &r->histograms, 0, 0},
        {"ci", 0, FB_OPT_FLAG, &r->ci, 0, 0},
    };
    for (size_t i = 0; i < N_FIELDS; i++)
        opts[N_OPTIONS + i] =
            (struct fb_opt){fields[i].option, fields[i].letter, FB_OPT_TEXT, &o.field[i], 0, 0};
    if (!fb_opt_parse(argc, argv, opts, 1))
        return FB_EXIT_USAGE;
    if (optind >= argc) {
        fb_error("run: which experiment? give a preset or a file ('filterbench list presets')");
        return FB_EXIT_USAGE;
    }
    if (r->quick && r->full) {
        fb_error("run: --quick and --full exclude each other; give one of them");
        return FB_EXIT_USAGE;
    }
    if (!r->keys && r->keys_format) {
        fb_error("run: --keys-format is for a file of keys; give it with --keys FILE");
        return FB_EXIT_USAGE;
    }
    if (!r->trace && r->trace_format) {
        fb_error("run: --trace-format is for a trace; give it with --trace FILE");
        return FB_EXIT_USAGE;
    }
    if (r->keys && r->trace) {
        fb_error("run: --keys and --trace exclude each other; give one of them");
        return FB_EXIT_USAGE;
    }
    json_t *given = NULL;
    const struct fb_kind *kind = NULL;
    struct fb_problem problem;
    r->name = argv[optind];
    enum fb_exit code = load(r->name, &given);
    if (!code && !(kind = fb_kind_of(given, &problem))) {
        fb_error("%s: %s", r->name, problem.text);
        code = FB_EXIT_USAGE;
    }
    if (!code && !check_options(opts + N_COMMON, kind))
        code = FB_EXIT_USAGE;
    if (!code && kind->prepare)
        kind->prepare(given, r);
    if (!code && !override(given, &o))
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
    .summary = "Measure what an experiment asks for: rates and sizes, times, or lookups in a tree",
    .help = "  -d, --designs A,B        designs, \"all\", or \"filters\" for all but the controls\n"
            "  -b, --bits-per-key B,C   sizes in bits per key\n"
            "      --fpr P,Q            sizes by rate\n"
            "  -n, --n N,M              keys per filter; 1e6 is understood\n"
            "      --hash H             replaces each design's own hash\n"
            "      --filters F          filters per cell (32)\n"
            "      --probes P           absent keys asked of each filter (65536)\n"
            "      --seed HEX           root of all keys\n"
            "      --precision P        1%: stop at intervals of +-1 %\n"
            "      --isa A,B            kernels: best, all, scalar, neon, avx2, avx512\n"
            "      --footprints A,B     kernels: L1, L2, L3, DRAM\n"
            "      --operations A,B     kernels: batch, each, branch, chain, insert, or all\n"
            "      --hit-ratios A,B     kernels: shares of present keys asked, 0 to 1\n"
            "      --budget T           kernels: 60s or 2m, building included, above 0;\n"
            "                           min_processes are always measured\n"
            "      --quick, --full      kernels: under 20 s, not for publication; or everything\n"
            "      --histograms         kernels, lsm: distributions of single operations too\n"
            "      --absent P,Q         lsm: shares of queries for absent keys, 0 to 1\n"
            "      --device D           lsm: what a read costs: nvme, sata, hdd, s3, 100us, ...;\n"
            "                           measured:FOLDER times reads of a file there, of 1 GiB\n"
            "                           (--set device_bytes=N), which is gone afterwards\n"
            "      --lookups A,B        lsm: how one query visits many filters, or all\n"
            "      --allocations A,B    lsm: uniform, monkey, optimal, drop-last, or all\n"
            "      --queries N          lsm: queries counted per cell\n"
            "      --cache SIZE,SIZE    lsm: block cache, 0 or 256Mi\n"
            "      --scale S            lsm: divides keys per segment, keeps levels and runs\n"
            "      --ci                 lsm: the short form that the preset declares, counts only\n"
            "      --set FIELD=VALUE    any field of the experiment, as JSON or text\n"
            "  -k, --keys FILE          adds your own keys: half of them held out, again for each\n"
            "                           filter; repeats are dropped; of a pipe or device at\n"
            "                           most 1 GiB is read\n"
            "      --keys-format F      " FB_KEYS_FORMATS "\n"
            "      --trace FILE         lsm: puts go through memtable and compaction, gets are\n"
            "                           the queries, asked of the tree at its end\n"
            "      --trace-format F     ops (default: g KEY, p KEY VLEN, d KEY), twitter, kvgen\n"
            "      --threads T          default: one per core; counts do not depend on it\n"
            "      --show-experiment    print the experiment with every field, run nothing\n"
            "      --dry-run            print the cells, run nothing\n"
            "  -o, --output FILE        the result document; default results/runs/NAME.json\n"
            "      --format table|json  on stdout\n"
            "\n"
            "Ctrl-C keeps the finished cells in FILE.partial. A false negative ends the run with\n"
            "exit 5.\n",
    .main = run,
    .polls_interrupt = true,
};

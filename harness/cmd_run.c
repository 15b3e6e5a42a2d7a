/* run: an experiment, from its file to its result document. */
#include <dirent.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/kernels.h"
#include "harness/parallel.h"
#include "harness/run_document.h"
#include "harness/runner.h"
#include "harness/table.h"

#define DEFAULT_FORMAT "lines"

struct options {
    struct fb_texts set;
    const char *designs, *bits_per_key, *fpr, *n, *seed, *filters, *probes, *hash;
    const char *keys, *keys_format, *output;
    const char *isas, *operations, *footprints, *hit_ratios, *precision, *budget;
    uint64_t threads;
    bool show, dry_run, quick, full, histograms;
    enum fb_cli_format format;
};

/* Keys of the user's file. */
struct user_keys {
    struct fb_keyset distinct;
    json_t *about; /* for the document */
};

/* ---- The experiment ---- */

static void unknown_preset(const char *name)
{
    enum { MOST = 64 };
    char path[4096], names[MOST][64];
    const char *candidates[MOST + 1] = {0};
    fb_data_path("workloads/presets", path, sizeof path);
    DIR *folder = opendir(path);
    struct dirent *entry;
    for (size_t n = 0; folder && n < MOST && (entry = readdir(folder));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || dot == entry->d_name || strcmp(dot, ".json"))
            continue;
        snprintf(names[n], sizeof *names, "%.*s", (int)(dot - entry->d_name), entry->d_name);
        candidates[n] = names[n];
        n++;
    }
    if (folder)
        closedir(folder);
    fb_error("run: no preset '%s'%s ('filterbench list presets' names them; a file ends in .json)",
             name, fb_did_you_mean(name, candidates));
}

static enum fb_exit load_experiment(const char *name, json_t **document)
{
    char path[4096];
    uint8_t *bytes;
    size_t n_bytes, len = strlen(name);
    struct fb_problem problem;
    bool is_file =
        !strcmp(name, "-") || strchr(name, '/') || (len > 5 && !strcmp(name + len - 5, ".json"));
    if (is_file) {
        snprintf(path, sizeof path, "%s", name);
    } else {
        char relative[300];
        snprintf(relative, sizeof relative, "workloads/presets/%.200s.json", name);
        fb_data_path(relative, path, sizeof path);
        if (access(path, R_OK)) {
            unknown_preset(name);
            return FB_EXIT_USAGE;
        }
    }
    enum fb_exit code = fb_cli_read_file(path, &bytes, &n_bytes);
    if (code)
        return code;
    *document = fb_experiment_parse((const char *)bytes, n_bytes, &problem);
    free(bytes);
    if (*document)
        return FB_EXIT_OK;
    fb_error("%s: %s", path, problem.text);
    return FB_EXIT_USAGE;
}

/* "8,10" -> [8, 10]; what is no JSON stays text: nori,leveldb -> ["nori", "leveldb"]. */
static json_t *list_of(const char *text)
{
    json_t *list = json_array();
    for (;;) {
        size_t len = strcspn(text, ",");
        json_t *value = json_loadb(text, len, JSON_DECODE_ANY, NULL);
        json_array_append_new(list, value ? value : json_stringn(text, len));
        if (!text[len])
            return list;
        text += len + 1;
    }
}

static bool set_list(json_t *document, const char *field, const char *text)
{
    if (text && json_object_set_new(document, field, list_of(text))) {
        fb_error("--%s: not UTF-8", field);
        return false;
    }
    return true;
}

/* "1%" -> 0.01, "60s" and "1m" -> 60; anything else stays as it is, for the field to refuse. */
static bool set_quantity(json_t *document, const char *field, const char *text)
{
    static const struct {
        const char *suffix;
        double factor;
    } units[] = {{"", 1}, {"%", 0.01}, {"s", 1}, {"m", 60}};
    char *end;
    json_t *value = NULL;
    if (!text)
        return true;
    double x = strtod(text, &end);
    for (size_t i = 0; end > text && !value && i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].suffix))
            value = json_real(x * units[i].factor);
    return !json_object_set_new(document, field, value ? value : fb_json_text(text));
}

static bool set_value(json_t *document, const char *origin, const char *path, const char *value)
{
    struct fb_problem problem;
    if (!value || fb_experiment_set(document, path, value, &problem))
        return true;
    fb_error("%s: %s", origin, problem.text);
    return false;
}

static bool is_kernels(const json_t *document)
{
    const char *kind = json_string_value(json_object_get(document, "kind"));
    return kind && !strcmp(kind, "kernels");
}

/* What the options say, over what the file says; a size given replaces the file's sizes. */
static bool override(json_t *document, const struct options *o)
{
    const char *kind = json_string_value(json_object_get(document, "kind"));
    if ((o->quick || o->full || o->histograms) && !is_kernels(document)) {
        fb_error("run: --%s is for experiments of kind kernels, not %.20s",
                 o->quick  ? "quick"
                 : o->full ? "full"
                           : "histograms",
                 kind ? kind : "fpr");
        return false;
    }
    if (o->quick)
        fb_kernels_quick(document);
    if (o->full)
        fb_kernels_full(document);
    if (o->histograms)
        json_object_set_new(document, "histograms", json_true());
    char seed[40];
    snprintf(seed, sizeof seed, "%s%.20s", o->seed && strncmp(o->seed, "0x", 2) ? "0x" : "",
             o->seed ? o->seed : "");
    if (o->bits_per_key && !o->fpr)
        json_object_del(document, "fpr");
    if (o->fpr && !o->bits_per_key)
        json_object_del(document, "bits_per_key");
    bool ok = set_list(document, "designs", o->designs) &&
              set_list(document, "bits_per_key", o->bits_per_key) &&
              set_list(document, "fpr", o->fpr) && set_list(document, "n", o->n) &&
              set_list(document, "isas", o->isas) &&
              set_list(document, "operations", o->operations) &&
              set_list(document, "footprints", o->footprints) &&
              set_list(document, "hit_ratios", o->hit_ratios) &&
              set_quantity(document, "precision", o->precision) &&
              set_quantity(document, "budget", o->budget) &&
              set_value(document, "--hash", "hash", o->hash) &&
              set_value(document, "--filters", "filters", o->filters) &&
              set_value(document, "--probes", "probes", o->probes) &&
              set_value(document, "--seed", "seed", o->seed ? seed : NULL);
    for (size_t i = 0; ok && i < o->set.n; i++) {
        char path[100];
        const char *equals = strchr(o->set.at[i], '=');
        if (!equals || equals - o->set.at[i] >= (long)sizeof path) {
            fb_error("--set: '%s' is not FIELD=VALUE", o->set.at[i]);
            return false;
        }
        snprintf(path, sizeof path, "%.*s", (int)(equals - o->set.at[i]), o->set.at[i]);
        ok = set_value(document, "--set", path, equals + 1);
    }
    return ok;
}

/* With a file of keys, "file" joins the kinds of keys unless the experiment names it itself. */
static void add_file_keys(json_t *document)
{
    json_t *keys = json_object_get(document, "keys");
    json_t *list = json_is_array(keys) ? json_copy(keys) : json_array();
    if (!keys)
        json_array_append_new(list, json_string("random"));
    else if (!json_is_array(keys))
        json_array_append(list, keys);
    json_array_append_new(list, json_string("file")); /* repeats are dropped */
    json_object_set_new(document, "keys", list);
}

/* ---- The user's keys ---- */

static enum fb_exit load_keys(const struct options *o, struct user_keys *user)
{
    struct fb_keyset all;
    size_t n_dropped = 0;
    enum fb_exit code = fb_cli_read_keys(o->keys, o->keys_format, &all);
    if (code)
        return code;
    enum fb_err err = fb_keyset_distinct(&all.keys, &user->distinct, &n_dropped);
    size_t n_given = all.keys.n, n = user->distinct.keys.n;
    fb_keyset_close(&all);
    if (err)
        return fb_cli_fail(o->keys, err, NULL);
    if (n < 2) {
        fb_error("%s: %zu distinct key%s; half of them are held out, so give 2 at least", o->keys,
                 n, n == 1 ? "" : "s");
        return FB_EXIT_USAGE;
    }
    if (n_dropped)
        fb_note("%s: %zu of %zu keys are repeats and were dropped", o->keys, n_dropped, n_given);
    const struct fb_keys *keys = &user->distinct.keys;
    uint64_t high, low;
    char hash[33];
    fb_xxh3_128(keys->bytes, keys->offset[n], 0, &high, &low);
    snprintf(hash, sizeof hash, "%016llx%016llx", (unsigned long long)high,
             (unsigned long long)low);
    user->about = json_pack("{s:o, s:s, s:I, s:I, s:I, s:s}", "name", fb_json_text(o->keys),
                            "format", o->keys_format ? o->keys_format : DEFAULT_FORMAT, "given",
                            (json_int_t)n_given, "dropped", (json_int_t)n_dropped, "bytes",
                            (json_int_t)keys->offset[n], "xxh3_128", hash);
    return FB_EXIT_OK;
}

/* ---- What to do with it ---- */

static enum fb_exit show(const json_t *resolved, enum fb_cli_format format)
{
    if (format == FB_FORMAT_JSON)
        return fb_run_print(resolved);
    fb_print_settings(stdout, resolved);
    return FB_EXIT_OK;
}

static enum fb_exit dry_run(const struct fb_cell *cells, size_t n, enum fb_cli_format format)
{
    static const char *const columns[] = {"id", "filters", "probes_each", "why_not", NULL};
    json_t *rows = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(rows, json_pack("{s:s, s:I, s:I, s:s?}", "id", cells[i].id, "filters",
                                              (json_int_t)cells[i].spec.filters, "probes_each",
                                              (json_int_t)cells[i].spec.probes_per_filter,
                                              "why_not", cells[i].why));
    json_t *document = json_pack("{s:I, s:o}", "n_cells", (json_int_t)n, "cells", rows);
    enum fb_exit code = FB_EXIT_OK;
    if (format == FB_FORMAT_JSON)
        code = fb_run_print(document);
    else
        fb_print_rows(stdout, rows, columns);
    json_decref(document);
    return code;
}

struct fpr_run {
    const struct fb_cell *cells;
    size_t n_cells;
    unsigned threads;
};

static enum fb_exit run_fpr(const void *self, json_t *document)
{
    const struct fpr_run *f = self;
    return fb_run_cells(f->cells, f->n_cells, f->threads, document);
}

static enum fb_exit run_kernels(const void *self, json_t *document)
{
    return fb_kernels_run(self, document);
}

static enum fb_exit dry_run_kernels(const struct fb_kernels *e, enum fb_cli_format format)
{
    static const char *const columns[] = {"id", "why_not", NULL};
    json_t *document = fb_kernels_cells(e);
    enum fb_exit code = FB_EXIT_OK;
    if (format == FB_FORMAT_JSON)
        code = fb_run_print(document);
    else
        fb_print_rows(stdout, json_object_get(document, "cells"), columns);
    json_decref(document);
    return code;
}

static enum fb_exit kernels(const struct options *o, const char *name, const json_t *given,
                            int argc, char **argv)
{
    struct fb_kernels e;
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_USAGE;
    if (o->keys || o->hash || o->threads) {
        fb_error("%s: --%s is for experiments of kind fpr; this one draws ideal digests on one "
                 "processor",
                 name,
                 o->keys   ? "keys"
                 : o->hash ? "hash"
                           : "threads");
        return code;
    }
    if (!fb_kernels_resolve(given, &e, &problem)) {
        fb_error("%s: %s", name, problem.text);
    } else if (o->show) {
        code = show(e.document, o->format);
    } else if (!fb_kernels_can_run(&e, &problem)) {
        fb_error("%s: %s", name, problem.text);
    } else if (o->dry_run) {
        code = dry_run_kernels(&e, o->format);
    } else {
        struct fb_run_subject s = {.output = o->output,
                                   .format = o->format,
                                   .quick = o->quick,
                                   .kind = "kernels",
                                   .name = e.name,
                                   .resolved = e.document,
                                   .hash_hex = e.hash_hex,
                                   .seed = e.options.seed,
                                   .into = run_kernels,
                                   .self = &e};
        code = fb_run_document(&s, argc, argv);
    }
    fb_kernels_close(&e);
    return code;
}

static int run(int argc, char **argv)
{
    struct options o = {.format = FB_FORMAT_TABLE};
    const struct fb_opt opts[] = {
        {"set", 0, FB_OPT_TEXTS, &o.set, 0, 0},
        {"designs", 'd', FB_OPT_TEXT, &o.designs, 0, 0},
        {"bits-per-key", 'b', FB_OPT_TEXT, &o.bits_per_key, 0, 0},
        {"fpr", 0, FB_OPT_TEXT, &o.fpr, 0, 0},
        {"n", 'n', FB_OPT_TEXT, &o.n, 0, 0},
        {"hash", 0, FB_OPT_TEXT, &o.hash, 0, 0},
        {"filters", 0, FB_OPT_TEXT, &o.filters, 0, 0},
        {"probes", 0, FB_OPT_TEXT, &o.probes, 0, 0},
        {"seed", 0, FB_OPT_TEXT, &o.seed, 0, 0},
        {"isa", 0, FB_OPT_TEXT, &o.isas, 0, 0},
        {"operations", 0, FB_OPT_TEXT, &o.operations, 0, 0},
        {"footprints", 0, FB_OPT_TEXT, &o.footprints, 0, 0},
        {"hit-ratios", 0, FB_OPT_TEXT, &o.hit_ratios, 0, 0},
        {"precision", 0, FB_OPT_TEXT, &o.precision, 0, 0},
        {"budget", 0, FB_OPT_TEXT, &o.budget, 0, 0},
        {"quick", 0, FB_OPT_FLAG, &o.quick, 0, 0},
        {"full", 0, FB_OPT_FLAG, &o.full, 0, 0},
        {"histograms", 0, FB_OPT_FLAG, &o.histograms, 0, 0},
        {"threads", 0, FB_OPT_COUNT, &o.threads, 1, 1024},
        {"keys", 'k', FB_OPT_TEXT, &o.keys, 0, 0},
        {"keys-format", 0, FB_OPT_TEXT, &o.keys_format, 0, 0},
        {"output", 'o', FB_OPT_TEXT, &o.output, 0, 0},
        {"show-experiment", 0, FB_OPT_FLAG, &o.show, 0, 0},
        {"dry-run", 0, FB_OPT_FLAG, &o.dry_run, 0, 0},
        {"format", 0, FB_OPT_FORMAT, &o.format, 0, 0},
        {0},
    };
    json_t *given = NULL;
    struct user_keys user = {0};
    struct fb_experiment e = {0};
    struct fb_problem problem;
    struct fb_cell *cells = NULL;
    size_t n_cells = 0;
    if (!fb_cli_parse(argc, argv, opts, 1))
        return FB_EXIT_USAGE;
    if (optind >= argc) {
        fb_error("run: which experiment? give a preset or a file ('filterbench list presets')");
        return FB_EXIT_USAGE;
    }
    const char *name = argv[optind];
    enum fb_exit code = load_experiment(name, &given);
    if (!code && !override(given, &o))
        code = FB_EXIT_USAGE;
    if (!code && is_kernels(given)) {
        code = kernels(&o, name, given, argc, argv);
        goto out;
    }
    if (!code && o.keys)
        add_file_keys(given);
    if (!code && !fb_experiment_resolve(given, &e, &problem)) {
        fb_error("%s: %s", name, problem.text);
        code = FB_EXIT_USAGE;
    }
    if (!code && o.show) {
        code = show(e.document, o.format);
        goto out;
    }
    for (size_t i = 0; !code && !o.keys && i < e.n_keys; i++) {
        if (!e.keys[i]) {
            fb_error("%s: keys: the experiment asks for \"file\"; give it with --keys FILE", name);
            code = FB_EXIT_USAGE;
        }
    }
    if (!code && o.keys)
        code = load_keys(&o, &user);
    if (code)
        goto out;
    cells = fb_experiment_cells(&e, o.keys ? &user.distinct.keys : NULL, &n_cells);
    if (!cells)
        code = fb_cli_fail(name, FB_ENOMEM, NULL);
    else if (o.dry_run)
        code = dry_run(cells, n_cells, o.format);
    else
        code = fb_run_document(
            &(struct fb_run_subject){.output = o.output,
                                     .format = o.format,
                                     .kind = "fpr",
                                     .name = e.name,
                                     .resolved = e.document,
                                     .about_keys = user.about,
                                     .hash_hex = e.hash_hex,
                                     .seed = e.seed,
                                     .into = run_fpr,
                                     .self =
                                         &(struct fpr_run){cells, n_cells, (unsigned)o.threads}},
            argc, argv);
out:
    free(cells);
    fb_keyset_close(&user.distinct);
    json_decref(user.about);
    fb_experiment_close(&e);
    json_decref(given);
    return (int)code;
}

const struct fb_verb fb_verb_run = {
    .name = "run",
    .usage = "run PRESET|FILE.json [--keys FILE [--keys-format F]] [--set FIELD=VALUE]... "
             "[-o FILE]",
    .summary = "Measure what an experiment asks for: false-positive rates and sizes, or times",
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
            "      --budget T           kernels: 60s or 2m, building included\n"
            "      --quick, --full      kernels: under 20 s, not for publication; or everything\n"
            "      --histograms         kernels: distributions of single operations as well\n"
            "      --set FIELD=VALUE    any field of the experiment, as JSON or text\n"
            "  -k, --keys FILE          adds your own keys: half of them held out, again for each\n"
            "                           filter; repeats are dropped\n"
            "      --keys-format F      " FB_KEYS_FORMATS "\n"
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

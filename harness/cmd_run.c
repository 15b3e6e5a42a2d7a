/* run: an experiment, from its file to its result document. */
#include <dirent.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/clock.h"
#include "harness/parallel.h"
#include "harness/runner.h"
#include "harness/table.h"

#define DEFAULT_FORMAT "lines"

struct options {
    struct fb_texts set;
    const char *designs, *bits_per_key, *fpr, *n, *seed, *filters, *probes, *hash;
    const char *keys, *keys_format, *output;
    uint64_t threads;
    bool show, dry_run;
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

static bool set_value(json_t *document, const char *origin, const char *path, const char *value)
{
    struct fb_problem problem;
    if (!value || fb_experiment_set(document, path, value, &problem))
        return true;
    fb_error("%s: %s", origin, problem.text);
    return false;
}

/* What the options say, over what the file says; a size given replaces the file's sizes. */
static bool override(json_t *document, const struct options *o)
{
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

/* ---- Output ---- */

static enum fb_exit print_json(const json_t *document)
{
    struct fb_output out;
    enum fb_exit code = fb_output_open(NULL, &out);
    if (!code)
        code = fb_output_json(&out, document);
    return code ? code : fb_output_commit(&out);
}

static enum fb_exit show(const struct fb_experiment *e, enum fb_cli_format format)
{
    if (format == FB_FORMAT_JSON)
        return print_json(e->document);
    fb_print_settings(stdout, e->document);
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
        code = print_json(document);
    else
        fb_print_rows(stdout, rows, columns);
    json_decref(document);
    return code;
}

/* An unfinished document, beside where the finished one would be. */
static enum fb_exit write_partial(const char *path, const json_t *document)
{
    char partial[4096 + 16];
    struct fb_output out;
    snprintf(partial, sizeof partial, "%s.partial", path);
    enum fb_exit code = fb_output_open(partial, &out);
    if (!code)
        code = fb_output_json(&out, document);
    if (!code)
        code = fb_output_commit(&out);
    fb_output_close(&out);
    if (!code)
        fb_note("the cells so far are in %s", partial);
    return code;
}

static enum fb_exit measure(const struct options *o, const struct fb_experiment *e,
                            const struct fb_cell *cells, size_t n_cells, json_t *about_keys,
                            int argc, char **argv)
{
    char path[4096] = "";
    struct fb_output out = {0};
    bool json = o->format == FB_FORMAT_JSON,
         to_stdout = o->output && fb_output_is_stdout(o->output);
    enum fb_exit code = FB_EXIT_OK;
    json |= to_stdout;
    if (o->output && !to_stdout)
        snprintf(path, sizeof path, "%s", o->output);
    else if (!json)
        code = fb_result_default_path(e->name, path, sizeof path);
    if (!code && *path)
        code = fb_output_open(path, &out);
    if (code)
        return code;
    fb_interrupt_install();
    uint64_t started_ns = fb_system_clock.wall_ns(fb_system_clock.self);
    json_t *subject =
        json_pack("{s:O, s:s}", "experiment", e->document, "experiment_hash", e->hash_hex);
    fb_json_known(subject, "key_file", about_keys ? json_incref(about_keys) : NULL,
                  "no key file was given");
    json_t *document = fb_result_begin("fpr", argc, argv, e->seed, subject);
    json_decref(subject);
    enum fb_exit ran = fb_run_cells(cells, n_cells, (unsigned)o->threads, document);
    uint64_t ended_ns = fb_system_clock.wall_ns(fb_system_clock.self);
    fb_result_finish(document, (double)(ended_ns - started_ns) * 1e-9, ran == FB_EXIT_OK);
    if (!ran && *path)
        code = fb_output_json(&out, document);
    if (!ran && *path && !code)
        code = fb_output_commit(&out);
    fb_output_close(&out);
    if (*path && (ran == FB_EXIT_INTERRUPTED || ran == FB_EXIT_CORRECTNESS))
        code = write_partial(path, document);
    if (!code && json && ran != FB_EXIT_USAGE)
        code = print_json(document);
    else if (!code && !ran)
        fb_table_print(stdout, document, FB_TABLE_TEXT);
    if (!code && !ran && *path)
        fb_note("wrote %s", path);
    json_decref(document);
    return ran ? ran : code;
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
    if (!code && o.keys)
        add_file_keys(given);
    if (!code && !fb_experiment_resolve(given, &e, &problem)) {
        fb_error("%s: %s", name, problem.text);
        code = FB_EXIT_USAGE;
    }
    if (!code && o.show) {
        code = show(&e, o.format);
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
        code = measure(&o, &e, cells, n_cells, user.about, argc, argv);
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
    .summary = "Measure the false-positive rates and sizes that an experiment asks for",
    .help = "  -d, --designs A,B        designs, \"all\", or \"filters\" for all but the controls\n"
            "  -b, --bits-per-key B,C   sizes in bits per key\n"
            "      --fpr P,Q            sizes by rate\n"
            "  -n, --n N,M              keys per filter; 1e6 is understood\n"
            "      --hash H             replaces each design's own hash\n"
            "      --filters F          filters per cell (32)\n"
            "      --probes P           absent keys asked of each filter (65536)\n"
            "      --seed HEX           root of all keys\n"
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

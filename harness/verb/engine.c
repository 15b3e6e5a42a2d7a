/* engine: a storage engine itself on the keys of an experiment, against what is predicted. */
#include <getopt.h>
#include <math.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/document/presets.h"
#include "harness/document/run.h"
#include "harness/engine/engine.h"
#include "harness/verb/verb.h"

/* What stands on the command line, over what the experiment says. */
struct given {
    const char *engine, *bits_per_key, *designs;
    uint64_t n, queries;
    struct fb_texts set;
};

static json_t *first_of(const json_t *value)
{
    return json_incref(json_is_array(value) ? json_array_get(value, 0) : (json_t *)value);
}

/* Of an experiment of kind lsm what an engine can be given: its keys, values, designs and sizes.
 * The engine makes a tree of its own. */
static json_t *of_tree(const json_t *tree)
{
    static const char *const whole[] = {"name", "summary", "designs", "block_bytes", "seed"},
                             *const first[] = {"keys", "order"};
    json_t *given = json_pack("{s:s}", "kind", "engine");
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (json_object_get(tree, whole[i]))
            json_object_set(given, whole[i], json_object_get(tree, whole[i]));
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (json_object_get(tree, first[i]))
            json_object_set_new(given, first[i], first_of(json_object_get(tree, first[i])));
    const json_t *bits = json_object_get(tree, "bits_per_key");
    const double value_bytes = fb_json_num(tree, "value_bytes");
    if (json_is_number(bits) || json_array_size(bits))
        json_object_set(given, "bits_per_key", (json_t *)bits);
    if (isfinite(value_bytes))
        json_object_set_new(given, "value_bytes", json_integer((json_int_t)round(value_bytes)));
    return given;
}

/* The experiment that `name` names, as one of kind engine; the caller's either way. */
static enum fb_exit find(const char *name, json_t **given)
{
    struct fb_problem problem;
    enum fb_exit code = fb_experiment_find("engine", name, given);
    const struct fb_kind *kind = code ? NULL : fb_kind_of(*given, &problem);
    if (code)
        return code;
    if (!kind) {
        fb_error("%s: %s", name, problem.text);
        return FB_EXIT_USAGE;
    }
    if (!strcmp(kind->name, "engine"))
        return FB_EXIT_OK;
    if (strcmp(kind->name, "lsm") != 0) {
        fb_error("engine: %s: an experiment of kind %.40s; give one of kind lsm, for its keys and "
                 "designs, or engine",
                 name, kind->name);
        return FB_EXIT_USAGE;
    }
    json_t *tree = *given;
    *given = of_tree(tree);
    json_decref(tree);
    return FB_EXIT_OK;
}

/* "8,10" as [8, 10]; what is no number stays text. */
static json_t *list_of(const char *text)
{
    json_t *list = json_array();
    for (;;) {
        const size_t len = strcspn(text, ",");
        json_t *value = json_loadb(text, len, JSON_DECODE_ANY, NULL);
        if (!json_is_number(value)) {
            json_decref(value);
            value = json_stringn(text, len);
        }
        json_array_append_new(list, value ? value : json_string("?"));
        if (!text[len])
            return list;
        text += len + 1;
    }
}

static bool override(json_t *experiment, const struct given *g)
{
    json_t *fields = json_object();
    if (g->engine)
        json_object_set_new(fields, "engine", fb_json_text(g->engine));
    const struct fb_engine *engine = g->engine ? fb_engine_find(g->engine) : NULL;
    const char *designs = g->designs || !engine ? g->designs : engine->designs;
    if (designs)
        json_object_set_new(fields, "designs", list_of(designs));
    if (g->bits_per_key)
        json_object_set_new(fields, "bits_per_key", list_of(g->bits_per_key));
    if (g->n)
        json_object_set_new(fields, "n", fb_json_int(g->n));
    if (g->queries)
        json_object_set_new(fields, "queries", fb_json_int(g->queries));
    const bool set = fb_experiment_set_all(fields, &g->set);
    json_object_update_new(experiment, fields);
    return set;
}

static int engine(int argc, char **argv)
{
    struct fb_run_options o = {.name = "engine", .quiet = true, .argc = argc, .argv = argv};
    struct given g = {0};
    const struct fb_opt opts[] = {{"engine", 0, FB_OPT_TEXT, &g.engine, 0, 0},
                                  {"designs", 'd', FB_OPT_TEXT, &g.designs, 0, 0},
                                  {"bits-per-key", 'b', FB_OPT_TEXT, &g.bits_per_key, 0, 0},
                                  {"n", 'n', FB_OPT_COUNT, &g.n, 2, 1e9},
                                  {"queries", 0, FB_OPT_COUNT, &g.queries, 1, 1e9},
                                  {"keys", 'k', FB_OPT_TEXT, &o.keys, 0, 0},
                                  {"keys-format", 0, FB_OPT_TEXT, &o.keys_format, 0, 0},
                                  {"folder", 0, FB_OPT_TEXT, &o.folder, 0, 0},
                                  {"keep", 0, FB_OPT_FLAG, &o.keep, 0, 0},
                                  {"set", 0, FB_OPT_TEXTS, &g.set, 0, 0},
                                  {"dry-run", 0, FB_OPT_FLAG, &o.dry_run, 0, 0},
                                  {"output", 'o', FB_OPT_TEXT, &o.output, 0, 0},
                                  {"resume", 0, FB_OPT_FLAG, &o.resume, 0, 0},
                                  {"format", 0, FB_OPT_FORMAT, &o.format, 0, 0},
                                  {0}};
    const struct fb_kind *kind = fb_kind_find("engine");
    json_t *given = NULL;
    if (!fb_opt_parse(argc, argv, opts, 1))
        return FB_EXIT_USAGE;
    if (optind >= argc) {
        fb_error("engine: which experiment? give a preset or a file of kind lsm, for its keys and "
                 "designs, or engine ('filterbench list presets')");
        return FB_EXIT_USAGE;
    }
    if (!o.keys && o.keys_format) {
        fb_error("engine: --keys-format is for a file of keys; give it with --keys FILE");
        return FB_EXIT_USAGE;
    }
    o.name = argv[optind];
    enum fb_exit code = find(o.name, &given);
    if (!code) {
        kind->prepare(given, &o);
        code = override(given, &g) ? fb_run_experiment(kind, &o, given, NULL) : FB_EXIT_USAGE;
    }
    json_decref(given);
    return (int)code;
}

const struct fb_verb fb_verb_engine = {
    .name = "engine",
    .usage = "engine PRESET|FILE.json [--engine leveldb|rocksdb] [-d A,B] [-n N] [-o FILE]",
    .summary = "Ask LevelDB or RocksDB itself, beside what is predicted",
    .help =
        "  PRESET|FILE.json   an experiment of kind lsm, of which the keys, values, designs and\n"
        "                     sizes are taken (10 bits/key where it has none), or of kind engine\n"
        "  --engine E         leveldb (default) or rocksdb\n"
        "  -d, --designs A,B  designs: LevelDB takes any as its policy, RocksDB has its own\n"
        "                     (rocksdb-fastlocal, rocksdb-ribbon; rocksdb-legacy)\n"
        "  -b, --bits-per-key B,C\n"
        "                     sizes of their filters\n"
        "  -n, --n N          keys that are put (200k)\n"
        "  --queries N        Gets of absent keys, and of present ones as many (100k)\n"
        "  -k, --keys FILE    keys of yours: half of them are put, half asked for in vain\n"
        "  --keys-format F    lines (default), csv:COLUMN and others, as of run\n"
        "  --folder DIR       where the databases are put (TMPDIR, or /tmp)\n"
        "  --keep             leave them there\n"
        "  --set FIELD=VALUE  any field of the experiment, as JSON or text\n"
        "  --dry-run          print the cells, run nothing\n"
        "  -o FILE            the result document (JSON)\n"
        "  --resume           go on from FILE.journal, which a run that ended early left\n"
        "  --format F         table (default) or json, on stdout\n"
        "\n"
        "Each filter has a database on disk: loaded, at rest, and asked in a fresh copy of its\n"
        "folder, without a block cache. The tree that the engine made is read back, and our\n"
        "filters of its tables say what each Get should read. A policy of ours under the name of\n"
        "the engine's own filter reads the blocks that the engine wrote.\n"
        "\n"
        "Exit 2: the engine is not built in; 5: a present key was not found, or an absent one\n"
        "was; 74: the folder cannot be written, or has no room.\n",
    .main = engine,
    .polls_interrupt = true,
};

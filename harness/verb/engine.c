/* engine: a storage engine itself on the keys of an experiment, against what is predicted. */
#include <getopt.h>
#include <math.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/document/fields.h"
#include "harness/document/presets.h"
#include "harness/document/run.h"
#include "harness/engine/engine.h"
#include "harness/verb/verb.h"

/* What stands on the command line, over what the experiment says. */
struct given {
    const char *engine;
    uint64_t n, queries;
    struct fb_texts set, designs, bits_per_key;
};

static json_t *first_of(const json_t *value)
{
    return json_incref(json_is_array(value) ? json_array_get(value, 0) : (json_t *)value);
}

/* Of an experiment of kind lsm what an engine can be given: its keys, values, designs and sizes.
 * The engine makes a tree of its own. */
static json_t *of_tree(const json_t *tree)
{
    static const char *const whole[] = {"name", "designs", "block_bytes", "seed"},
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
    json_auto_t *tree = *given;
    *given = of_tree(tree);
    return FB_EXIT_OK;
}

/* What LevelDB is asked in place of what a preset asks of RocksDB. */
static json_t *of_leveldb(void)
{
    return json_pack("{s:[s], s:[s], s:[s, s]}", "designs", "leveldb", "filter_residency", "pinned",
                     "reads", "page-cache", "mapped");
}

static bool override(json_t *experiment, const struct given *g, struct fb_run_options *o)
{
    json_t *fields = json_object();
    if (g->engine)
        json_object_set_new(fields, "engine", fb_json_text(g->engine));
    const struct fb_engine *engine = g->engine ? fb_engine_find(g->engine) : NULL;
    int failed = 0;
    if (g->designs.n)
        failed |= json_object_set_new(fields, "designs", fb_list_given(&g->designs));
    else if (engine && engine->designs)
        failed |= json_object_set_new(fields, "designs", json_string(engine->designs));
    else if (engine && !strcmp(fb_json_str(experiment, "engine"), "rocksdb"))
        json_object_update_new(fields, of_leveldb());
    if (g->bits_per_key.n)
        failed |= json_object_set_new(fields, "bits_per_key", fb_list_given(&g->bits_per_key));
    if (failed)
        fb_error("engine: an option's value is not UTF-8");
    if (g->n)
        json_object_set_new(fields, "n", fb_json_int(g->n));
    if (g->queries)
        json_object_set_new(fields, "queries", fb_json_int(g->queries));
    const bool set = !failed && fb_experiment_set_all(fields, &g->set);
    o->size_given = json_object_get(fields, "bits_per_key") ? "-b" : NULL;
    json_object_update_new(experiment, fields);
    return set;
}

static int engine(int argc, char **argv)
{
    struct fb_run_options o = {.name = "engine", .quiet = true, .argc = argc, .argv = argv};
    struct given g = {0};
    const struct fb_opt opts[] = {{"engine", 0, FB_OPT_TEXT, &g.engine, 0, 0},
                                  {"designs", 'd', FB_OPT_TEXTS, &g.designs, 0, 0},
                                  {"bits-per-key", 'b', FB_OPT_TEXTS, &g.bits_per_key, 0, 0},
                                  {"n", 'n', FB_OPT_COUNT, &g.n, 2, 1e9},
                                  {"queries", 0, FB_OPT_COUNT, &g.queries, 1, 1e9},
                                  {"keys", 'k', FB_OPT_TEXT, &o.keys, 0, 0},
                                  {"keys-format", 0, FB_OPT_TEXT, &o.keys_format, 0, 0},
                                  {"folder", 0, FB_OPT_TEXT, &o.folder, 0, 0},
                                  {"keep", 0, FB_OPT_FLAG, &o.keep, 0, 0},
                                  {"io", 0, FB_OPT_TEXT, &o.io, 0, 0},
                                  {"set", 0, FB_OPT_TEXTS, &g.set, 0, 0},
                                  {"dry-run", 0, FB_OPT_FLAG, &o.dry_run, 0, 0},
                                  {"output", 'o', FB_OPT_TEXT, &o.output, 0, 0},
                                  {"resume", 0, FB_OPT_FLAG, &o.resume, 0, 0},
                                  {"format", 0, FB_OPT_FORMAT, &o.format, 0, 0},
                                  {"versus", 0, FB_OPT_TEXT, &o.versus, 0, 0},
                                  {0}};
    const struct fb_kind *kind = fb_kind_find("engine");
    json_t *given = NULL;
    if (!fb_opt_parse(argc, argv, opts, 1) ||
        fb_opt_wrong(optind >= argc, "engine",
                     "which experiment? give a preset or a file of kind lsm, for its keys and "
                     "designs, or engine ('filterbench list presets')") ||
        fb_opt_wrong(!o.keys && o.keys_format, "engine",
                     "--keys-format is for a file of keys; give it with --keys FILE"))
        return FB_EXIT_USAGE;
    o.name = argv[optind];
    enum fb_exit code = find(o.name, &given);
    json_t *found = json_copy(given);
    if (!code) {
        kind->prepare(given, &o);
        code = override(given, &g, &o) ? FB_EXIT_OK : FB_EXIT_USAGE;
    }
    fb_experiment_retell(code ? NULL : kind, found, given);
    if (!code)
        code = fb_run_experiment(kind, &o, given, NULL);
    json_decref(given);
    return (int)code;
}

const struct fb_verb fb_verb_engine = {
    .name = "engine",
    .example = "filterbench engine fjall-leveled -d leveldb -n 100k",
    .usage = "engine PRESET|FILE.json [options]",
    .summary = "Run LevelDB or RocksDB and compare it with the prediction",
    .help = "PRESET is an experiment of kind lsm or engine. Its keys, values, designs and "
            "sizes are used. The preset cost measures what a filter and a read cost here.\n"
            "\n"
            "--engine E\tleveldb (default) or rocksdb\n"
            "-d, --designs A,B\tLevelDB takes any design; RocksDB takes rocksdb-fastlocal, "
            "rocksdb-ribbon and rocksdb-legacy\n"
            "-b, --bits-per-key B,C\tsizes of the filters (10 if the preset has none)\n"
            "-n, --n N\tkeys to put (200k)\n"
            "--queries N\tGets of absent keys, and as many of present keys (100k)\n"
            "-k, --keys FILE\tyour own keys: half are put, the other half are looked up as "
            "absent keys\n"
            "--keys-format F\tlines (default), csv:COLUMN and others, as for build\n"
            "--set FIELD=VALUE\tany field of the experiment, as JSON or text\n"
            "\n"
            "The run:\n"
            "--folder DIR\twhere to put the databases (TMPDIR, or /tmp)\n"
            "--keep\tkeep the databases\n"
            "--io FILE\ta file that 'engine cost -o FILE' made: times are foretold from it\n"
            "--dry-run\tprint what would run, and run nothing\n"
            "-o, --output FILE\twrite the result document (JSON)\n"
            "--resume\tcontinue a run that ended early\n"
            "--format table|json\twhat to print on stdout (table)\n"
            "--versus DESIGN\tshow every design as a multiple of this one, with its interval\n"
            "\n"
            "Each filter gets its own database. It is loaded, left at rest, and read in a "
            "fresh copy without a block cache. filterbench then reads the tree that the "
            "engine made, and predicts from its tables what each Get should read.\n"
            "\n"
            "Exit codes:\n"
            "2\tthe engine is not built in\n"
            "4\tthe file of --io is of another engine, or of blocks of another size\n"
            "5\ta present key was not found, or an absent one was\n"
            "74\tthe folder cannot be written or is full\n",
    .main = engine,
    .polls_interrupt = true,
};

/* ab: two revisions of the designs, loaded as plugins, compared in one interleaved run. */
#include <getopt.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/document/presets.h"
#include "harness/document/run.h"
#include "harness/filter/plugin.h"
#include "harness/kind/ab/ab.h"
#include "harness/verb/verb.h"

/* What stands on the command line, over what the experiment says. */
struct given {
    double delta, alpha, budget;
    struct fb_texts set;
    bool strict;
};

static bool is_of_kind(json_t *experiment, const char *name)
{
    const json_t *kind = json_object_get(experiment, "kind");
    if (!kind)
        return !json_object_set_new(experiment, "kind", json_string("ab"));
    if (!strcmp(fb_json_str(experiment, "kind"), "ab"))
        return true;
    fb_error("ab: %s: an experiment of kind %.40s; give one of kind ab", name,
             fb_json_str(experiment, "kind"));
    return false;
}

static bool override(json_t *experiment, const struct given *g)
{
    json_t *fields = json_object();
    if (g->delta > 0)
        json_object_set_new(fields, "delta", json_real(g->delta));
    if (g->alpha > 0)
        json_object_set_new(fields, "alpha", json_real(g->alpha));
    if (g->budget > 0)
        json_object_set_new(fields, "budget", json_real(g->budget));
    const bool set = fb_experiment_set_all(fields, &g->set);
    json_object_update_new(experiment, fields);
    return set;
}

static int ab(int argc, char **argv)
{
    static const char *const prefixes[] = {"base", "head"};
    struct fb_run_options o = {.name = "ab", .quiet = true, .argc = argc, .argv = argv};
    struct given g = {0};
    const struct fb_opt opts[] = {{"delta", 0, FB_OPT_SHARE, &g.delta, 1e-9, 1},
                                  {"alpha", 0, FB_OPT_SHARE, &g.alpha, 1e-6, 0.5},
                                  {"budget", 0, FB_OPT_SECONDS, &g.budget, 1e-3, 1e6},
                                  {"profile", 0, FB_OPT_TEXT, &o.profile, 0, 0},
                                  {"set", 0, FB_OPT_TEXTS, &g.set, 0, 0},
                                  {"strict", 0, FB_OPT_FLAG, &g.strict, 0, 0},
                                  {"output", 'o', FB_OPT_TEXT, &o.output, 0, 0},
                                  {"format", 0, FB_OPT_FORMAT, &o.format, 0, 0},
                                  {"dry-run", 0, FB_OPT_FLAG, &o.dry_run, 0, 0},
                                  {0}};
    const struct fb_kind *kind = fb_kind_find("ab");
    json_t *given = NULL, *document = NULL;
    if (!fb_opt_parse(argc, argv, opts, 3))
        return FB_EXIT_USAGE;
    if (argc - optind < 2) {
        fb_error("ab: which revisions? give two plugins, BASE.so and HEAD.so");
        return FB_EXIT_USAGE;
    }
    enum fb_exit code = FB_EXIT_OK;
    for (int i = 0; !code && i < 2; i++)
        code = fb_plugins_load(argv[optind + i], prefixes[i]);
    if (!code && argc - optind == 3)
        code = fb_experiment_find("ab", argv[optind + 2], &given);
    else if (!code)
        given = json_object();
    if (!code && !is_of_kind(given, argv[optind + 2]))
        code = FB_EXIT_USAGE;
    if (!code && !override(given, &g))
        code = FB_EXIT_USAGE;
    if (!code)
        code = fb_run_experiment(kind, &o, given, &document);
    if (!code && document)
        code = fb_ab_judge(document, g.strict);
    json_decref(given);
    json_decref(document);
    return (int)code;
}

const struct fb_verb fb_verb_ab = {
    .name = "ab",
    .usage = "ab BASE.so HEAD.so [PRESET|FILE.json] [--delta D] [--strict] [-o FILE]",
    .summary = "Compare two revisions of the designs, given as plugins",
    .help =
        "  PRESET|FILE.json   an experiment of kind ab; without one, two cells: sbbf-256 asked in\n"
        "                     batches for absent keys, in filters that fit L1 and L2\n"
        "  --delta D          the least change of time that matters: 0.03 is 3 % (3 % on a "
        "machine\n"
        "                     that `calibrate` has measured, else 5 %)\n"
        "  --alpha A          probability of a false alarm in the whole run (0.01)\n"
        "  --budget S         seconds that the first set of processes may take (4)\n"
        "  --profile FILE     what `calibrate` measured of this machine, or \"none\" (where "
        "calibrate\n"
        "                     keeps it)\n"
        "  --set FIELD=VALUE  any field of the experiment, as JSON or text\n"
        "  --strict           inconclusive is exit 3, not 0\n"
        "  --dry-run          print the cells, run nothing\n"
        "  -o FILE            the result document (JSON)\n"
        "  --format F         table (default) or json, on stdout\n"
        "\n"
        "Each is a shared object with designs (filters/core/plugin.h). First the exact facts of\n"
        "all designs of both are compared; then base and head are timed in the same rounds of\n"
        "many processes, and what changed is confirmed by twice as many fresh ones.\n"
        "\n"
        "Exit 5: an exact fact differs; 1: slower, confirmed; 3: inconclusive, with --strict;\n"
        "6: nothing was timed, or this machine cannot resolve the --delta that was asked for; 7:\n"
        "a plugin cannot be loaded or breaks the contract; 4: a plugin of another major version.\n",
    .main = ab,
    .polls_interrupt = true,
};

/* ab: two revisions of the designs, loaded as plugins: is HEAD slower? */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

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
    bool strict, exact;
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
    json_t *fields = json_pack(
        "{s:o*, s:o*, s:o*, s:o*}", "delta", g->delta > 0 ? json_real(g->delta) : NULL, "alpha",
        g->alpha > 0 ? json_real(g->alpha) : NULL, "budget",
        g->budget > 0 ? json_real(g->budget) : NULL, "first", g->exact ? json_integer(0) : NULL);
    const bool set = fb_experiment_set_all(fields, &g->set);
    json_object_update_new(experiment, fields);
    return set;
}

static int ab(int argc, char **argv)
{
    static const char *const prefixes[] = {"base", "head", "same", "twin"};
    struct fb_run_options o = {.name = "ab", .quiet = true, .argc = argc, .argv = argv};
    struct given g = {0};
    const struct fb_opt opts[] = {{"delta", 0, FB_OPT_SHARE, &g.delta, 1e-9, 1},
                                  {"alpha", 0, FB_OPT_SHARE, &g.alpha, 1e-6, 0.5},
                                  {"budget", 0, FB_OPT_SECONDS, &g.budget, 1e-3, 1e6},
                                  {"profile", 0, FB_OPT_TEXT, &o.profile, 0, 0},
                                  {"set", 0, FB_OPT_TEXTS, &g.set, 0, 0},
                                  {"exact", 0, FB_OPT_FLAG, &g.exact, 0, 0},
                                  {"strict", 0, FB_OPT_FLAG, &g.strict, 0, 0},
                                  {"output", 'o', FB_OPT_TEXT, &o.output, 0, 0},
                                  {"format", 0, FB_OPT_FORMAT, &o.format, 0, 0},
                                  {"dry-run", 0, FB_OPT_FLAG, &o.dry_run, 0, 0},
                                  {0}};
    const struct fb_kind *kind = fb_kind_find("ab");
    json_auto_t *given = NULL, *document = NULL;
    if (!fb_opt_parse(argc, argv, opts, 3))
        return FB_EXIT_USAGE;
    if (argc - optind < 2) {
        fb_error(
            "ab: which revisions? give two plugins, BASE.so and HEAD.so; `scripts/ab REV1 REV2` "
            "builds two revisions of filterbench and compares them");
        return FB_EXIT_USAGE;
    }
    if (access(argv[optind], F_OK) && access(argv[optind + 1], F_OK) &&
        !strstr(argv[optind], ".so")) {
        fb_error("ab: there are no plugins '%s' and '%s'; to compare two revisions of filterbench: "
                 "`scripts/ab %s %s`",
                 argv[optind], argv[optind + 1], argv[optind], argv[optind + 1]);
        return FB_EXIT_PLUGIN;
    }
    enum fb_exit code = FB_EXIT_OK;
    for (int i = 0; !code && i < 4; i++) /* BASE twice more: its code in other links */
        code = fb_plugins_load(argv[optind + (i == 1)], prefixes[i]);
    if (!code && argc - optind == 3)
        code = fb_experiment_find("ab", argv[optind + 2], &given);
    else if (!code)
        given = json_object();
    if (!code && !is_of_kind(given, argv[optind + 2]))
        code = FB_EXIT_USAGE;
    json_t *found = json_copy(given);
    if (!code && !override(given, &g))
        code = FB_EXIT_USAGE;
    if (!code && !json_object_get(given, "designs"))
        json_object_set_new(given, "designs", fb_ab_designs());
    fb_experiment_retell(code || argc - optind < 3 ? NULL : kind, found, given);
    if (!code)
        code = fb_run_experiment(kind, &o, given, &document);
    if (!code && document)
        code = fb_ab_judge(document, g.strict);
    return (int)code;
}

const struct fb_verb fb_verb_ab = {
    .name = "ab",
    .example = "filterbench ab base.so head.so --delta 5%",
    .usage = "ab BASE HEAD [PRESET|FILE.json] [options]",
    .summary = "Find out whether a revision of your designs is slower",
    .help =
        "BASE and HEAD are plugins (filters/core/plugin.h). Give shared objects, or better "
        "folders of links. scripts/links makes such a folder from object files. Each process "
        "then loads its own link, because the position of code in memory changes its speed. All "
        "designs that both have are timed.\n"
        "\n"
        "--delta D\tthe slowdown that is to be found (3%)\n"
        "--alpha A\tthe probability of a false alarm in the whole run (0.01)\n"
        "--exact\tcompare the exact facts, and time nothing\n"
        "--strict\texit 3 if the run cannot tell (default: exit 0)\n"
        "--budget S\tseconds that times may take (120)\n"
        "--profile FILE\tthe machine profile of calibrate, or none (default: where "
        "calibrate keeps it)\n"
        "--set FIELD=VALUE\tany field of the experiment, as JSON or text\n"
        "\n"
        "Output:\n"
        "-o, --output FILE\twrite the result document (JSON)\n"
        "--format table|json\twhat to print on stdout (table)\n"
        "--dry-run\tprint the cells, and run nothing\n"
        "\n"
        "First the exact facts of both revisions are compared. Then 8 processes time "
        "everything. 40 new processes time again what was suspicious, and decide.\n"
        "\n"
        "Exit codes:\n"
        "1\tHEAD is slower\n"
        "3\tcannot tell, with --strict\n"
        "4\ta plugin has another major version\n"
        "5\tan exact fact differs\n"
        "6\tnothing was timed, or equal code was found different: the machine cannot be "
        "trusted\n"
        "7\ta plugin cannot be loaded or breaks the contract\n",
    .main = ab,
    .polls_interrupt = true,
};

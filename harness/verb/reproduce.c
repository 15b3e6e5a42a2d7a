/* reproduce: the claims of a ledger, beside theory and measurement. */
#include <getopt.h>
#include <string.h>

#include "harness/base/option.h"
#include "harness/document/run.h"
#include "harness/verb/verb.h"

/* An experiment of kind "claims". */
static json_t *experiment(int n_globs, char **globs, const char *ledger, const char *seed)
{
    json_t *given = json_pack("{s:s, s:s}", "kind", "claims", "claims", "all");
    json_t *claims = json_array();
    for (int i = 0; i < n_globs; i++)
        json_array_append_new(claims, fb_json_text(globs[i]));
    if (n_globs)
        json_object_set(given, "claims", claims);
    if (ledger)
        json_object_set_new(given, "ledger", fb_json_text(ledger));
    if (seed)
        json_object_set_new(given, "seed", fb_seed_given(seed));
    json_decref(claims);
    return given;
}

static enum fb_exit draw(const char *folder, json_t *document)
{
    json_t *drawn = NULL, *documents = json_pack("[O]", document);
    enum fb_exit code = fb_plot(documents, folder, NULL, true, &drawn);
    json_decref(documents);
    json_decref(drawn);
    return code;
}

static bool any_model_failed(const json_t *document)
{
    size_t i;
    json_t *claim;
    json_array_foreach(json_object_get(document, "cells"), i, claim) {
        if (!strcmp(fb_json_str(claim, "model"), "failed"))
            return true;
    }
    return false;
}

static int reproduce(int argc, char **argv)
{
    const char *ledger = NULL, *seed = NULL, *plots = NULL;
    struct fb_run_options o = {.name = "reproduce", .quiet = true, .argc = argc, .argv = argv};
    const struct fb_opt opts[] = {
        {"quick", 0, FB_OPT_FLAG, &o.quick, 0, 0},
        {"full", 0, FB_OPT_FLAG, &o.full, 0, 0},
        {"ledger", 0, FB_OPT_TEXT, &ledger, 0, 0},
        {"output", 'o', FB_OPT_TEXT, &o.output, 0, 0},
        {"plots", 0, FB_OPT_TEXT, &plots, 0, 0},
        {"format", 0, FB_OPT_FORMAT, &o.format, 0, 0},
        {"threads", 0, FB_OPT_COUNT, &o.threads, 1, 1024},
        {"seed", 0, FB_OPT_TEXT, &seed, 0, 0},
        {"resume", 0, FB_OPT_FLAG, &o.resume, 0, 0},
        {"shard", 0, FB_OPT_TEXT, &o.shard, 0, 0},
        {"dry-run", 0, FB_OPT_FLAG, &o.dry_run, 0, 0},
        {0},
    };
    const struct fb_kind *kind = fb_kind_find("claims");
    json_t *document;
    if (!fb_opt_parse(argc, argv, opts, 1 << 20) ||
        fb_opt_wrong(o.quick && o.full, "reproduce", "--quick and --full exclude each other"))
        return FB_EXIT_USAGE;
    json_t *given = experiment(argc - optind, argv + optind, ledger, seed);
    kind->prepare(given, &o);
    enum fb_exit code = fb_run_experiment(kind, &o, given, &document);
    json_decref(given);
    if (!code && plots && document)
        code = draw(plots, document);
    if (!code && any_model_failed(document))
        code = FB_EXIT_CORRECTNESS;
    json_decref(document);
    return (int)code;
}

const struct fb_verb fb_verb_reproduce = {
    .name = "reproduce",
    .example = "filterbench reproduce 'nori.fpr.*' --quick",
    .usage = "reproduce [GLOB]... [options]",
    .summary = "Check claims that others printed, by measuring them here",
    .help = "GLOB selects claims by id, such as 'nori.fpr.*'. Without one, all claims are "
            "checked.\n"
            "\n"
            "--ledger NAME\tdocuments (default): the five source documents; beyond: papers "
            "and engines\n"
            "--quick\tfewer probes and smaller filters; the intervals are wider\n"
            "--full\tall probes of the ledger, every key set and two seeds\n"
            "--seed HEX\tthe root seed (5eed0f1ab1e5eed5)\n"
            "--threads N\thow many threads measure (default: one per core)\n"
            "--dry-run\tprint the claims, and check none\n"
            "\n"
            "Output:\n"
            "-o, --output FILE\twrite the result document (JSON)\n"
            "--plots DIR\tdraw pictures of it in DIR\n"
            "--format table|json\twhat to print on stdout (table)\n"
            "--resume\tcontinue a run that ended early\n"
            "--shard I/N\trun only part I of N of the claims; merge joins the parts\n"
            "\n"
            "Each row has a model and a verdict. The model is confirmed if theory and "
            "measurement agree. The verdict says whether the measurement agrees with what "
            "was printed.\n"
            "\n"
            "!\tthe claim does not hold here\n"
            "?\tundecided: the interval contains a limit of the claim\n"
            "~\tbefore a theory: a simulation with a standard error above 1 %\n"
            "*\tafter a time: fewer than 16 processes measured it\n"
            "\n"
            "A self-check runs first (`filterbench doctor --check`). If it fails, no claim "
            "is checked.\n"
            "\n"
            "Exit codes:\n"
            "5\ta model failed\n"
            "6\tthe self-check failed\n",
    .main = reproduce,
    .polls_interrupt = true,
};

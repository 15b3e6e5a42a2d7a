/* reproduce: the claims of a ledger, beside theory and measurement. */
#include <getopt.h>
#include <string.h>

#include "harness/base/message.h"
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
    if (!fb_opt_parse(argc, argv, opts, 1 << 20))
        return FB_EXIT_USAGE;
    if (o.quick && o.full) {
        fb_error("reproduce: --quick and --full exclude each other");
        return FB_EXIT_USAGE;
    }
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
    .usage = "reproduce [GLOB]... [--ledger NAME] [--quick|--full] [-o FILE] [--plots DIR]",
    .summary = "Judge the claims of the source documents by measurement",
    .help = "  GLOB             claims to judge, by id: 'nori.fpr.*'; all of them without one\n"
            "  --ledger NAME    documents (default), the five source documents; or beyond: papers\n"
            "                   on filters, and engines\n"
            "  --quick          fewer probes, filters of 300,000 keys at most: wider intervals\n"
            "  --full           the ledger's own numbers of probes, every key set, two roots\n"
            "  -o FILE          the result document (JSON)\n"
            "  --plots DIR      pictures of it\n"
            "  --resume         go on from FILE.journal, which a run that ended early left\n"
            "  --shard I/N      part I of N of the claims, counted from 1; 'merge' unites them\n"
            "  --dry-run        print the claims, judge none\n"
            "  --format F       table (default) or json, on stdout\n"
            "  --threads N      threads to measure on (default: all cores)\n"
            "  --seed HEX       another root seed than 5eed0f1ab1e5eed5\n\n"
            "A row's model is confirmed when theory and measurement agree; its verdict says\n"
            "whether the measurement agrees with what was printed. Exit code 5: a model failed.\n"
            "Below a row stand its sentence, the test with its limits and whose they are (as\n"
            "printed, the text's words, or ours), what was found instead or would decide, and\n"
            "where fewer keys or probes were spent than the ledger asks for.\n\n"
            "  !  the claim does not hold: not reproduced, or its source says otherwise\n"
            "  ?  undecided: the interval holds a limit of the claim\n"
            "  ~  before a theory: a simulation with a standard error above 1 %\n"
            "  *  after a time: of fewer than 16 processes, which are taken for independent\n\n"
            "First the parts that verdicts rest on give their known answers (doctor --check); if\n"
            "one does not, nothing is judged: exit code 6.\n"
            "Ctrl-C keeps the claims judged so far in FILE.partial.\n",
    .main = reproduce,
    .polls_interrupt = true,
};

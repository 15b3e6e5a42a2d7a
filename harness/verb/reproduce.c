/* reproduce: the claims of a ledger, beside theory and measurement. */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/document/run.h"
#include "harness/kind/claims/own.h"
#include "harness/verb/verb.h"

/* A path, and not the name of a ledger. */
static bool is_file(const char *ledger)
{
    const size_t n = strlen(ledger);
    return strchr(ledger, '/') || (n > 5 && !strcmp(ledger + n - 5, ".json"));
}

/* The value of --ledger as the experiment has it: a name, or the rows of a file. */
static enum fb_exit read_ledger(const char *given, json_t **ledger)
{
    *ledger = NULL;
    if (!given)
        return FB_EXIT_OK;
    if (!is_file(given)) {
        *ledger = fb_json_text(given);
        return FB_EXIT_OK;
    }
    enum fb_exit code = fb_json_load(given, ledger);
    if (!code && !json_is_object(*ledger)) {
        fb_error("%s: no ledger; 'filterbench reproduce --new-ledger FILE' writes an example",
                 given);
        code = FB_EXIT_USAGE;
    }
    return code;
}

static enum fb_exit write_example(const char *path)
{
    struct fb_output out = {0};
    json_auto_t *example = json_loads(fb_own_example, 0, NULL);
    enum fb_exit code = access(path, F_OK) ? fb_output_open(path, &out) : FB_EXIT_USAGE;
    if (code == FB_EXIT_USAGE)
        fb_error("%s: it is there already; give another name", path);
    if (!code)
        code = fb_output_json(&out, example);
    if (!code)
        code = fb_output_commit(&out);
    if (!code)
        fb_note("wrote %s, a ledger of five rows; `filterbench reproduce --ledger %s%s` checks it",
                path, is_file(path) ? "" : "./", path);
    fb_output_close(&out);
    return code;
}

/* An experiment of kind "claims". Takes the ledger. */
static json_t *experiment(int n_globs, char **globs, json_t *ledger, const char *seed)
{
    json_t *given = json_pack("{s:s, s:s}", "kind", "claims", "claims", "all");
    json_auto_t *claims = json_array();
    for (int i = 0; i < n_globs; i++)
        json_array_append_new(claims, fb_json_text(globs[i]));
    if (n_globs)
        json_object_set(given, "claims", claims);
    if (ledger)
        json_object_set_new(given, "ledger", ledger);
    if (seed)
        json_object_set_new(given, "seed", fb_seed_given(seed));
    return given;
}

static enum fb_exit draw(const char *folder, json_t *document)
{
    json_auto_t *drawn = NULL, *documents = json_pack("[O]", document);
    return fb_plot(documents, folder, NULL, true, &drawn);
}

static int reproduce(int argc, char **argv)
{
    const char *ledger = NULL, *example = NULL, *seed = NULL, *plots = NULL;
    struct fb_run_options o = {.name = "reproduce", .quiet = true, .argc = argc, .argv = argv};
    const struct fb_opt opts[] = {
        {"quick", 0, FB_OPT_FLAG, &o.quick, 0, 0},
        {"full", 0, FB_OPT_FLAG, &o.full, 0, 0},
        {"ledger", 0, FB_OPT_TEXT, &ledger, 0, 0},
        {"new-ledger", 0, FB_OPT_TEXT, &example, 0, 0},
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
    json_auto_t *document = NULL;
    if (!fb_opt_parse(argc, argv, opts, 1 << 20) ||
        fb_opt_wrong(o.quick && o.full, "reproduce", "--quick and --full exclude each other"))
        return FB_EXIT_USAGE;
    json_t *rows;
    if (example)
        return (int)write_example(example);
    enum fb_exit code = read_ledger(ledger, &rows);
    if (code) {
        json_decref(rows);
        return (int)code;
    }
    if (ledger && is_file(ledger))
        o.name = ledger;
    json_auto_t *given = experiment(argc - optind, argv + optind, rows, seed);
    kind->prepare(given, &o);
    code = fb_run_experiment(kind, &o, given, &document);
    if (!code && plots && document)
        code = draw(plots, document);
    if (!code && fb_json_find(json_object_get(document, "cells"), "model", "failed"))
        code = FB_EXIT_CORRECTNESS;
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
            "--ledger NAME|FILE\tdocuments (default): the five source documents; beyond: "
            "papers and engines; or a file of your own rows\n"
            "--new-ledger FILE\twrite an example of such a file, with five rows\n"
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

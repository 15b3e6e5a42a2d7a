/* reproduce: the claims of the source documents, beside theory and measurement. */
#include <fnmatch.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/base/parallel.h"
#include "harness/document/figure.h"
#include "harness/document/result.h"
#include "harness/kind/claims/claims.h"
#include "harness/measure/clock.h"
#include "harness/verb/verb.h"

/* The root seed of a run that names none: the same numbers every time. */
#define DEFAULT_ROOT "5eed0f1ab1e5eed5"

struct options {
    const char *seed, *output, *plots;
    bool quick, full;
    uint64_t threads;
    enum fb_output_format format;
};

/* Marks the claims that any pattern matches; a pattern without a match is an error. */
static bool select_claims(const struct fb_ledger *ledger, int n_globs, char **globs,
                          struct fb_judged *judged, size_t *n)
{
    bool *chosen = calloc(ledger->n + 1, sizeof *chosen);
    const char **ids = calloc(ledger->n + 1, sizeof *ids);
    bool ok = chosen && ids;
    for (size_t i = 0; i < ledger->n && ok; i++) {
        ids[i] = ledger->claims[i].id;
        chosen[i] = n_globs == 0;
    }
    for (int g = 0; g < n_globs && ok; g++) {
        bool found = false;
        for (size_t i = 0; i < ledger->n; i++)
            if (!fnmatch(globs[g], ids[i], 0))
                found = chosen[i] = true;
        if (!found) {
            fb_error("reproduce: no claim matches '%s'%s ('filterbench list claims' lists them)",
                     globs[g], fb_did_you_mean(globs[g], ids, sizeof *ids));
            ok = false;
        }
    }
    *n = 0;
    for (size_t i = 0; i < ledger->n && ok; i++)
        if (chosen[i])
            judged[(*n)++].claim = &ledger->claims[i];
    free(chosen);
    free(ids);
    return ok;
}

static bool parse_seed(const char *text, uint64_t *root)
{
    char *end;
    *root = strtoull(text, &end, 16);
    if (!*text || *end || strlen(text) > 16 ||
        strspn(text, "0123456789abcdefABCDEF") != strlen(text)) {
        fb_error("--seed: '%s' is not a number of 1 to 16 hexadecimal digits", text);
        return false;
    }
    return true;
}

/* The claims as a result document, in rows. */
static void set_claims(json_t *document, const struct fb_judged *judged, size_t n)
{
    json_t *claims = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(claims, fb_judged_json(&judged[i]));
    json_object_set_new(document, "claims", claims);
}

static enum fb_exit write_document(struct fb_output *file, const json_t *document)
{
    enum fb_exit code = fb_output_json(file, document);
    return code ? code : fb_output_commit(file);
}

static enum fb_exit draw(const char *folder, json_t *document)
{
    json_t *drawn = NULL, *documents = json_pack("[O]", document);
    enum fb_exit code = fb_plot(documents, folder, NULL, &drawn);
    json_decref(documents);
    json_decref(drawn);
    return code;
}

static enum fb_exit print(const struct options *options, const json_t *document,
                          const struct fb_bench *bench, const struct fb_ledger *ledger,
                          const struct fb_judged *judged, size_t n)
{
    struct fb_output out;
    enum fb_exit code = fb_output_open(NULL, &out);
    if (!code && options->format == FB_FORMAT_JSON) {
        code = fb_output_json(&out, document);
    } else if (!code) {
        fprintf(out.file, "root seed %016llx\n\n", (unsigned long long)bench->root);
        fb_claims_print(out.file, judged, n, ledger);
    }
    return code ? code : fb_output_commit(&out);
}

static enum fb_exit judge(const struct options *options, struct fb_bench *bench,
                          const struct fb_ledger *ledger, struct fb_judged *judged, size_t n,
                          json_t *document)
{
    struct fb_output file = {0};
    struct fb_progress progress;
    bool complete = false;
    enum fb_exit code = options->output ? fb_output_open(options->output, &file) : FB_EXIT_OK;
    if (code)
        return code;
    fb_interrupt_install();
    uint64_t started_ns = fb_system_clock.wall_ns(fb_system_clock.self);
    fb_progress_start(&progress, "reproduce", n * (bench->effort == FB_FULL ? 2 : 1));
    enum fb_err err = fb_claims_judge(bench, judged, n, &progress, &complete);
    fb_progress_end(&progress);
    uint64_t ended_ns = fb_system_clock.wall_ns(fb_system_clock.self);
    if (fb_interrupted() && (err || !complete)) {
        fb_error("reproduce: interrupted; nothing written");
        code = FB_EXIT_INTERRUPTED;
    } else if (err) {
        code = fb_fail("reproduce", err, bench->why[0] ? bench->why : NULL);
    }
    if (!code) {
        set_claims(document, judged, n);
        fb_result_finish(document, (double)(ended_ns - started_ns) * 1e-9, true);
        code = options->output ? write_document(&file, document) : FB_EXIT_OK;
    }
    fb_output_close(&file);
    if (!code)
        code = print(options, document, bench, ledger, judged, n);
    if (!code && options->plots)
        code = draw(options->plots, document);
    for (size_t i = 0; i < n && !code; i++)
        if (judged[i].model == FB_MODEL_FAILED)
            code = FB_EXIT_CORRECTNESS;
    return code;
}

static int reproduce(int argc, char **argv)
{
    struct options options = {.seed = DEFAULT_ROOT};
    const struct fb_opt opts[] = {
        {"quick", 0, FB_OPT_FLAG, &options.quick, 0, 0},
        {"full", 0, FB_OPT_FLAG, &options.full, 0, 0},
        {"output", 'o', FB_OPT_TEXT, &options.output, 0, 0},
        {"plots", 0, FB_OPT_TEXT, &options.plots, 0, 0},
        {"format", 0, FB_OPT_FORMAT, &options.format, 0, 0},
        {"threads", 0, FB_OPT_COUNT, &options.threads, 1, 1024},
        {"seed", 0, FB_OPT_TEXT, &options.seed, 0, 0},
        {0},
    };
    struct fb_bench bench = {0};
    struct fb_ledger ledger = {0};
    struct fb_judged *judged = NULL;
    char folder[4096], why[4600];
    size_t n;
    if (!fb_opt_parse(argc, argv, opts, 1 << 20) || !parse_seed(options.seed, &bench.root))
        return FB_EXIT_USAGE;
    if (options.quick && options.full) {
        fb_error("reproduce: --quick and --full exclude each other");
        return FB_EXIT_USAGE;
    }
    bench.effort = options.quick ? FB_QUICK : options.full ? FB_FULL : FB_DEFAULT;
    bench.threads = (unsigned)options.threads;
    fb_data_path("results/claims", folder, sizeof folder);
    int code = fb_ledger_load(folder, &ledger, why, sizeof why) ? FB_EXIT_USAGE : FB_EXIT_OK;
    if (code)
        fb_error("%s", why);
    if (!code && !(judged = calloc(ledger.n + 1, sizeof *judged)))
        code = fb_fail("reproduce", FB_ENOMEM, NULL);
    if (!code && !select_claims(&ledger, argc - optind, argv + optind, judged, &n))
        code = FB_EXIT_USAGE;
    if (!code) {
        json_t *document = fb_result_begin("claims", argc, argv, bench.root, NULL);
        code = judge(&options, &bench, &ledger, judged, n, document);
        json_decref(document);
    }
    free(judged);
    fb_ledger_close(&ledger);
    fb_bench_close(&bench);
    return code;
}

const struct fb_verb fb_verb_reproduce = {
    .name = "reproduce",
    .usage = "reproduce [GLOB]... [--quick|--full] [-o FILE] [--plots DIR]",
    .summary = "Judge the claims of the source documents by theory and measurement",
    .help = "  GLOB             claims to judge, by id: 'nori.fpr.*'; all of them without one\n"
            "  --quick          fewer probes: wider intervals\n"
            "  --full           the ledger's own numbers of probes, every key set, two roots\n"
            "  -o FILE          the result document (JSON)\n"
            "  --plots DIR      pictures of it\n"
            "  --format F       table (default) or json, on stdout\n"
            "  --threads N      threads to measure on (default: all cores)\n"
            "  --seed HEX       another root seed than " DEFAULT_ROOT "\n\n"
            "A row's model is confirmed when theory and measurement agree; its verdict says\n"
            "whether the measurement agrees with what was printed. Exit code 5: a model failed.\n",
    .main = reproduce,
    .polls_interrupt = true,
};

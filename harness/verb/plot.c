/* plot: result documents in, data files and pictures out. */
#include <getopt.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/document/check.h"
#include "harness/document/figure.h"
#include "harness/document/result.h"
#include "harness/document/within.h"
#include "harness/verb/verb.h"

static enum fb_exit load(int n, char **paths, bool unchecked, json_t *documents)
{
    for (int i = 0; i < n; i++) {
        json_t *document;
        enum fb_exit code = fb_result_load(paths[i], &document);
        if (code)
            return code;
        code = fb_document_trust(paths[i], unchecked, document);
        const struct fb_kind *kind = fb_kind_find(fb_json_str(document, "kind"));
        if (!code && kind && !kind->figures)
            fb_note(
                "%s: results of kind %s have no picture; 'filterbench report' sets them as a page",
                paths[i], kind->name);
        json_t *within = fb_documents_within(document);
        json_array_extend(documents, within);
        json_decref(within);
        json_decref(document);
        if (code)
            return code;
    }
    return FB_EXIT_OK;
}

static enum fb_exit print_drawn(const json_t *drawn, enum fb_output_format format)
{
    struct fb_output out;
    enum fb_exit code = fb_output_open(NULL, &out);
    if (code)
        return code;
    if (format == FB_FORMAT_JSON)
        code = fb_output_json(&out, drawn);
    for (size_t i = 0; format != FB_FORMAT_JSON && i < json_array_size(drawn); i++) {
        const json_t *row = json_array_get(drawn, i);
        const char *of = fb_json_str(row, "of"), *missing = fb_json_str(row, "missing");
        fprintf(out.file, "%-24s %s%s%s\n", fb_json_str(row, "svg"), fb_json_str(row, "summary"),
                *of ? ", " : "", of);
        if (*missing)
            fprintf(out.file, "    %s\n", missing);
    }
    return code ? code : fb_output_commit(&out);
}

static int plot(int argc, char **argv)
{
    const char *folder = NULL, *only = NULL;
    bool unchecked = false;
    enum fb_output_format format = FB_FORMAT_TABLE;
    const struct fb_opt opts[] = {
        {"output", 'o', FB_OPT_TEXT, &folder, 0, 0},
        {"only", 0, FB_OPT_TEXT, &only, 0, 0},
        {"unchecked", 0, FB_OPT_FLAG, &unchecked, 0, 0},
        {"format", 0, FB_OPT_FORMAT, &format, 0, 0},
        {0},
    };
    if (!fb_opt_parse(argc, argv, opts, 1000))
        return FB_EXIT_USAGE;
    if (optind == argc) {
        fb_error("plot: no result: give the files of run or reproduce");
        return FB_EXIT_USAGE;
    }
    json_t *documents = json_array(), *drawn = NULL;
    enum fb_exit code = load(argc - optind, argv + optind, unchecked, documents);
    if (!code)
        code = fb_plot(documents, folder, only, true, &drawn);
    if (!code)
        code = print_drawn(drawn, format);
    json_decref(drawn);
    json_decref(documents);
    return (int)code;
}

const struct fb_verb fb_verb_plot = {
    .name = "plot",
    .example = "filterbench plot r.json -o pictures",
    .usage = "plot RESULT.json... [options]",
    .summary = "Draw results: each figure as data, SVG and PNG (needs gnuplot)",
    .help = "-o, --output DIR\tthe folder for the files (plots/out); its last part is created\n"
            "--only FIGURE\tdraw this figure alone (default: every figure that has data)\n"
            "--unchecked\tdraw results although their shape or hash is wrong\n"
            "--format table|json\thow to list the figures (table)\n"
            "\n"
            "Figures:\n"
            "fpr\tfpr-bits, fpr-n, overhead\n"
            "kernels\tthroughput, chain, cost-fpr, pareto, build-cost, scaling, load, latency\n"
            "lsm\tlsm-cost, lsm-memory, lsm-cache, lsm-latency, walk-segments\n"
            "claims\tclaims\n"
            "any kind\tKIND-cells: the cells that no other figure shows\n"
            "\n"
            "A picture holds one size, one number of keys and one kind of keys. The others get "
            "pictures of their own, such as fpr-bits-n=1000.svg and fpr-bits-result-2.svg. "
            "throughput and cost-fpr draw batches of absent keys with the fastest kernel.\n",
    .main = plot,
};

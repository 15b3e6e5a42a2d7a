/* plot: result documents in, data files and pictures out. */
#include <getopt.h>

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
        fprintf(out.file, "%-24s %s\n", json_string_value(json_object_get(row, "svg")),
                json_string_value(json_object_get(row, "summary")));
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
    .usage = "plot RESULT.json... [-o DIR] [--only FIGURE] [--format table|json]",
    .summary = "Draw result documents: each figure as data, SVG and PNG",
    .help =
        "  -o, --output DIR     where the files go, made if only its last part is missing;\n"
        "                       default: plots/out\n"
        "      --only FIGURE    fpr-bits, fpr-n, overhead; throughput, chain, cost-fpr, pareto,\n"
        "                       build-cost, scaling, load, latency; lsm-cost, lsm-memory,\n"
        "                       lsm-cache, lsm-latency, walk-segments; claims; fpr-cells,\n"
        "                       kernels-cells, icount-cells, lsm-cells, ab-cells,\n"
        "                       engine-cells. Default: each whose data is there\n"
        "      --unchecked      draw results that `validate --no-schema` would refuse\n"
        "      --format FORMAT  table (one line a figure) or json\n"
        "\n"
        "fpr-bits shows a document's largest number of keys, fpr-n its size nearest to ten\n"
        "bits per key, both one kind of keys: the user's own (run --keys), else the first.\n"
        "throughput and cost-fpr show batches of absent keys, the fastest kernel of each\n"
        "design. KIND-cells shows a row for each cell of a result that no other figure shows.\n"
        "Needs gnuplot.\n",
    .main = plot,
};

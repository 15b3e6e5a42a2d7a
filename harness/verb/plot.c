/* plot: result documents in, data files and pictures out. */
#include <getopt.h>

#include "harness/base/json.h"
#include "harness/base/option.h"
#include "harness/base/print.h"
#include "harness/base/screen.h"
#include "harness/document/check.h"
#include "harness/document/figure.h"
#include "harness/document/shown.h"
#include "harness/verb/verb.h"

static void print_drawn(FILE *file, const json_t *drawn)
{
    FB_EACH(row, drawn) {
        const char *of = fb_json_str(row, "of"), *missing = fb_json_str(row, "missing");
        fb_say(file, 4, "%-24s %s%s%s\n", fb_json_str(row, "svg"), fb_json_str(row, "summary"),
               *of ? ", " : "", of);
        if (*missing)
            fb_say(file, 4, "    %s\n", missing);
    }
}

static int plot(int argc, char **argv)
{
    const char *folder = NULL, *only = NULL, *versus = NULL;
    bool unchecked = false;
    enum fb_output_format format = FB_FORMAT_TABLE;
    const struct fb_opt opts[] = {
        {"output", 'o', FB_OPT_TEXT, &folder, 0, 0},
        {"only", 0, FB_OPT_TEXT, &only, 0, 0},
        {"versus", 0, FB_OPT_TEXT, &versus, 0, 0},
        {"unchecked", 0, FB_OPT_FLAG, &unchecked, 0, 0},
        {"format", 0, FB_OPT_FORMAT, &format, 0, 0},
        {0},
    };
    if (!fb_opt_parse(argc, argv, opts, 1000) ||
        fb_opt_wrong(optind == argc, "plot",
                     "which results? give the files that `filterbench run` or `reproduce` wrote"))
        return FB_EXIT_USAGE;
    json_auto_t *documents = json_array(), *names = json_array(), *drawn = NULL;
    enum fb_exit code =
        fb_documents_load(argc - optind, argv + optind, unchecked, documents, names);
    if (!code && versus)
        code = fb_versus_take(documents, names, versus);
    else if (!code)
        fb_drawn_letter(documents, names);
    if (!code)
        code = fb_plot(documents, folder, only, true, &drawn);
    if (!code)
        code = fb_print_answer(json_incref(drawn), format, print_drawn);
    return (int)code;
}

const struct fb_verb fb_verb_plot = {
    .name = "plot",
    .example = "filterbench plot r.json -o pictures",
    .usage = "plot RESULT.json... [options]",
    .summary = "Draw results: each figure as data, SVG and PNG (needs gnuplot)",
    .help = "-o, --output DIR\tthe folder for the files (plots/out); its last part is created\n"
            "--only FIGURE\tdraw this figure alone (default: every figure that has data)\n"
            "--versus DESIGN\tdraw each design as a multiple of this one, and nothing else\n"
            "--unchecked\tdraw results although their shape or hash is wrong\n"
            "--format table|json\thow to list the figures (table)\n"
            "\n"
            "Figures:\n"
            "fpr\tfpr-bits, fpr-n, overhead\n"
            "kernels\tthroughput, chain, cost-fpr, pareto, build-cost, scaling, load, latency\n"
            "lsm\tlsm-cost, lsm-memory, lsm-cache, lsm-latency, walk-segments\n"
            "engine\tengine-cells, engine-times\n"
            "claims\tclaims\n"
            "advise\tadvise-memory\n"
            "any kind\tKIND-cells: the cells that no other figure shows\n"
            "\n"
            "A picture holds one size, one number of keys and one kind of keys. The others get "
            "pictures of their own, such as fpr-bits-n=1000.svg. Results of one experiment share "
            "a picture, where nori(B) is nori in the second result. "
            "throughput and cost-fpr draw batches of absent keys with the fastest kernel.\n",
    .main = plot,
};

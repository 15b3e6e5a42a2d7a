/* report: result documents in, one page out. */
#include <getopt.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/document/check.h"
#include "harness/document/within.h"
#include "harness/report/report.h"
#include "harness/verb/verb.h"

enum { MOST_RESULTS = 1000 };

/* Takes the document: each of its runs, where they stand side by side. */
static void add(const char *path, json_t *document, json_t *documents, json_t *names)
{
    json_t *within = fb_documents_within(document);
    const size_t n = json_array_size(within);
    json_array_extend(documents, within);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(names, n == 1 ? fb_json_text(path)
                                            : json_sprintf("%s, run %zu", path, i + 1));
    json_decref(within);
    json_decref(document);
}

static enum fb_exit load(int n, char **paths, bool unchecked, json_t *documents, json_t *names)
{
    for (int i = 0; i < n; i++) {
        json_t *document;
        enum fb_exit code = fb_result_load(paths[i], &document);
        if (code)
            return code;
        if (!fb_kind_find(fb_json_str(document, "kind"))) {
            fb_error("%s: kind: this filterbench has no such kind of experiment", paths[i]);
            code = FB_EXIT_USAGE;
        }
        if (!code)
            code = fb_document_trust(paths[i], unchecked, document);
        add(paths[i], document, documents, names);
        if (code)
            return code;
    }
    return FB_EXIT_OK;
}

static int report(int argc, char **argv)
{
    const char *path = NULL;
    bool unchecked = false;
    const struct fb_opt opts[] = {{"output", 'o', FB_OPT_TEXT, &path, 0, 0},
                                  {"unchecked", 0, FB_OPT_FLAG, &unchecked, 0, 0},
                                  {0}};
    struct fb_output out;
    if (!fb_opt_parse(argc, argv, opts, MOST_RESULTS))
        return FB_EXIT_USAGE;
    if (optind == argc) {
        fb_error("report: no result: give the files of run or reproduce");
        return FB_EXIT_USAGE;
    }
    json_t *documents = json_array(), *names = json_array();
    enum fb_exit code = load(argc - optind, argv + optind, unchecked, documents, names);
    if (!code) {
        code = fb_output_open(path, &out);
        if (!code)
            code = fb_report(out.file, documents, names);
        if (!code)
            code = fb_output_commit(&out);
        fb_output_close(&out);
    }
    json_decref(documents);
    json_decref(names);
    return (int)code;
}

const struct fb_verb fb_verb_report = {
    .name = "report",
    .example = "filterbench report r.json -o r.html",
    .usage = "report RESULT.json... [-o FILE.html]",
    .summary = "Write results as one HTML page",
    .help = "-o, --output FILE\tthe file to write (default: stdout)\n"
            "--unchecked\tshow results although their shape or hash is wrong\n"
            "\n"
            "The page needs no network. Click the title of a column to sort its table. "
            "Results of one experiment from two machines stand side by side. Figures need "
            "gnuplot; without it the page shows their data.\n",
    .main = report,
};

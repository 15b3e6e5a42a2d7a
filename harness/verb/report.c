/* report: result documents in, one page out. */
#include <getopt.h>

#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/document/check.h"
#include "harness/document/shown.h"
#include "harness/report/report.h"
#include "harness/verb/verb.h"

enum { MOST_RESULTS = 1000 };

static int report(int argc, char **argv)
{
    const char *path = NULL, *versus = NULL;
    bool unchecked = false;
    const struct fb_opt opts[] = {{"output", 'o', FB_OPT_TEXT, &path, 0, 0},
                                  {"versus", 0, FB_OPT_TEXT, &versus, 0, 0},
                                  {"unchecked", 0, FB_OPT_FLAG, &unchecked, 0, 0},
                                  {0}};
    struct fb_output out;
    if (!fb_opt_parse(argc, argv, opts, MOST_RESULTS) ||
        fb_opt_wrong(optind == argc, "report",
                     "which results? give the files that `filterbench run` or `reproduce` wrote"))
        return FB_EXIT_USAGE;
    json_auto_t *documents = json_array(), *names = json_array();
    enum fb_exit code =
        fb_documents_load(argc - optind, argv + optind, unchecked, documents, names);
    for (size_t i = 0; !code && versus && i < json_array_size(documents); i++)
        code = fb_versus_refused(json_string_value(json_array_get(names, i)),
                                 json_array_get(documents, i), versus);
    if (!code && !(code = fb_output_open(path, &out)))
        code = fb_output_end(&out, fb_report(out.file, documents, names, versus));
    return (int)code;
}

const struct fb_verb fb_verb_report = {
    .name = "report",
    .example = "filterbench report r.json -o r.html",
    .usage = "report RESULT.json... [-o FILE.html]",
    .summary = "Write results as one HTML page",
    .help = "-o, --output FILE\tthe file to write (default: stdout)\n"
            "--versus DESIGN\tadd every design as a multiple of this one\n"
            "--unchecked\tshow results although their shape or hash is wrong\n"
            "\n"
            "The page needs no network. Click the title of a column to sort its table. "
            "Results of one experiment from two machines stand side by side. Figures need "
            "gnuplot; without it the page shows their data.\n",
    .main = report,
};

/* show: a stored result as the tables that its run printed. */
#include <getopt.h>

#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/document/check.h"
#include "harness/document/shown.h"
#include "harness/verb/explain.h"
#include "harness/verb/verb.h"

static int show(int argc, char **argv)
{
    bool unchecked = false, explain = false;
    struct fb_shown shown = {.style = FB_TABLE_TEXT};
    const struct fb_opt opts[] = {{"unchecked", 0, FB_OPT_FLAG, &unchecked, 0, 0},
                                  {"explain", 0, FB_OPT_FLAG, &explain, 0, 0},
                                  {"versus", 0, FB_OPT_TEXT, &shown.versus, 0, 0},
                                  {0}};
    json_t *document;
    if (!fb_opt_parse(argc, argv, opts, 1))
        return FB_EXIT_USAGE;
    if (optind >= argc) {
        fb_error("show: which result? give a file of run or reproduce");
        return FB_EXIT_USAGE;
    }
    enum fb_exit code = fb_result_load(argv[optind], &document);
    if (code)
        return (int)code;
    const struct fb_kind *kind = fb_kind_find(fb_json_str(document, "kind"));
    if (kind) {
        code = fb_document_trust(argv[optind], unchecked, document);
    } else {
        fb_error("%s: kind: this filterbench has no such kind of experiment", argv[optind]);
        code = FB_EXIT_USAGE;
    }
    shown.path = argv[optind];
    if (!code && shown.versus)
        code = fb_versus_refused(shown.path, document, shown.versus);
    if (!code && explain)
        fb_explain_begin(document);
    if (!code)
        fb_document_table(stdout, document, &shown);
    if (!code && explain)
        fb_explain_end(stdout);
    json_decref(document);
    return (int)code;
}

const struct fb_verb fb_verb_show = {
    .name = "show",
    .example = "filterbench show r.json",
    .usage = "show RESULT.json [options]",
    .summary = "Print a stored result as the tables that its run printed",
    .help = "--versus DESIGN\tshow every design as a multiple of this one\n"
            "--explain\tsay below the tables what each of their columns means\n"
            "--unchecked\tshow a result although its shape or its hash is wrong\n",
    .main = show,
};

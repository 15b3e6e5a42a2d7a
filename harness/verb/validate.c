/* validate: the shape of a result, its limits, its hash, and its numbers by deriving them again. */
#include <getopt.h>

#include "harness/base/option.h"
#include "harness/base/screen.h"
#include "harness/document/card.h"
#include "harness/document/check.h"
#include "harness/verb/verb.h"

static int validate(int argc, char **argv)
{
    enum fb_output_format format = FB_FORMAT_TABLE;
    const struct fb_opt opts[] = {{"format", 0, FB_OPT_FORMAT, &format, 0, 0}, {0}};
    json_t *document;
    if (!fb_opt_parse(argc, argv, opts, 1) ||
        fb_opt_wrong(optind >= argc, "validate",
                     "which result? give the file that `filterbench run -o FILE` wrote"))
        return FB_EXIT_USAGE;
    const char *path = argv[optind];
    enum fb_exit code = fb_result_load(path, &document);
    if (code)
        return (int)code;
    code = fb_document_check_experiment(path, document); /* each kind has a shape of its own */
    if (!code)
        code = fb_document_validate(path, document);
    char counted[64];
    bool complete = json_is_true(fb_json_at(document, "run.complete"));
    size_t n = json_array_size(json_object_get(document, "cells"));
    if (!code && format == FB_FORMAT_JSON)
        printf("{\"file\": \"valid\", \"cells\": %zu, \"complete\": %s}\n", n,
               complete ? "true" : "false");
    else if (!code)
        fb_say_verdict(
            stdout, 2, "valid", "valid%s: %s derived again from what was counted\n",
            complete ? "" : ", of a run that did not finish",
            fb_card_count(n, fb_kind_find(fb_json_str(document, "kind"))->unit, counted));
    json_decref(document);
    return (int)code;
}

const struct fb_verb fb_verb_validate = {
    .name = "validate",
    .example = "filterbench validate r.json",
    .usage = "validate RESULT.json [options]",
    .summary = "Check a result: its shape and limits, its hash, its numbers from the raw counts",
    .help = "--format table|json\thow to print the answer (table)\n"
            "\n"
            "Exit codes:\n"
            "2\tthe file is no result, or a member has a value that it cannot have\n"
            "4\tits schema has another major version\n"
            "5\ta number does not follow from the counts, a cell is missing, or there are "
            "false negatives\n",
    .main = validate,
};

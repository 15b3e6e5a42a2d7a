/* validate: the shape of a result document by its schema, its numbers by deriving them again. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/screen.h"
#include "harness/document/check.h"
#include "harness/verb/verb.h"

/* ---- Shape: python3-jsonschema, a validator that shares nothing with us ---- */

static enum fb_exit check_schema(const char *path)
{
    static const char command[] = "for python in python3 /usr/bin/python3; do\n"
                                  "    command -v $python >/dev/null || continue\n"
                                  "    $python \"$FB_SCRIPT\" \"$FB_SCHEMA\" \"$FB_RESULT\"\n"
                                  "    status=$?\n"
                                  "    [ $status = 3 ] || exit $status\n"
                                  "done\n"
                                  "exit 3\n"; /* 3: none has jsonschema */
    char schema[4096], script[4096];
    fb_data_path("results/result.schema.json", schema, sizeof schema);
    fb_data_path("results/check_schema.py", script, sizeof script);
    if (access(schema, R_OK)) {
        fb_error("%s: %s; FILTERBENCH_DATA names the folder of the project's data", schema,
                 strerror(errno));
        return FB_EXIT_USAGE;
    }
    setenv("FB_SCRIPT", script, 1);
    setenv("FB_SCHEMA", schema, 1);
    setenv("FB_RESULT", path, 1);
    fflush(NULL);
    const int ended = system(command), status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 1;
    if (status == 3)
        fb_error("validate needs Python 3 with jsonschema (Debian: python3-jsonschema); "
                 "--no-schema checks the numbers alone");
    else if (status != 0 && status != 4) /* 4: said by the script */
        fb_error("%s: the schema validator failed", path);
    return status ? FB_EXIT_USAGE : FB_EXIT_OK;
}

static int validate(int argc, char **argv)
{
    bool no_schema = false;
    enum fb_output_format format = FB_FORMAT_TABLE;
    const struct fb_opt opts[] = {{"no-schema", 0, FB_OPT_FLAG, &no_schema, 0, 0},
                                  {"format", 0, FB_OPT_FORMAT, &format, 0, 0},
                                  {0}};
    json_t *document;
    if (!fb_opt_parse(argc, argv, opts, 1))
        return FB_EXIT_USAGE;
    if (optind >= argc) {
        fb_error("validate: which result? give a file");
        return FB_EXIT_USAGE;
    }
    const char *path = argv[optind];
    if (!no_schema && !strcmp(path, "-")) {
        fb_error("validate: the schema validator reads a file, not stdin");
        return FB_EXIT_USAGE;
    }
    enum fb_exit code = fb_result_load(path, &document);
    if (code)
        return (int)code;
    code = fb_document_check_experiment(path, document); /* each kind has a shape of its own */
    if (!code && !no_schema)
        code = check_schema(path);
    if (!code)
        code = fb_document_trust(path, false, document);
    bool complete = json_is_true(fb_json_at(document, "run.complete"));
    size_t n = json_array_size(json_object_get(document, "cells"));
    if (!code && format == FB_FORMAT_JSON)
        printf("{\"file\": \"valid\", \"cells\": %zu, \"complete\": %s}\n", n,
               complete ? "true" : "false");
    else if (!code)
        fb_say(stdout, 2, "valid%s: %zu %s derived again from what was counted\n",
               complete ? "" : ", of a run that did not finish", n,
               fb_kind_find(fb_json_str(document, "kind"))->unit);
    json_decref(document);
    return (int)code;
}

const struct fb_verb fb_verb_validate = {
    .name = "validate",
    .example = "filterbench validate r.json",
    .usage = "validate RESULT.json [options]",
    .summary = "Check a result: its shape by the schema, its numbers from the raw counts",
    .help = "--no-schema\tskip the schema, which needs Python's jsonschema\n"
            "--format table|json\thow to print the answer (table)\n"
            "\n"
            "Exit codes:\n"
            "2\tthe file is no result\n"
            "4\tits schema has another major version\n"
            "5\ta number does not follow from the counts, a cell is missing, or there are "
            "false negatives\n",
    .main = validate,
};

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
#include "harness/document/check.h"
#include "harness/verb/verb.h"

/* ---- Shape: python3-jsonschema, a validator that shares nothing with us ---- */

/* Exit status of the script under one interpreter; 3 where that lacks it, 127 where there is none.
 */
static int run_python(const char *python, const char *script, const char *schema, const char *path)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execlp(python, python, script, schema, path, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static enum fb_exit check_schema(const char *path)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    char schema[4096], script[4096];
    fb_data_path("results/result.schema.json", schema, sizeof schema);
    fb_data_path("results/check_schema.py", script, sizeof script);
    if (access(schema, R_OK)) {
        fb_error("%s: %s; FILTERBENCH_DATA names the folder of the project's data", schema,
                 strerror(errno));
        return FB_EXIT_USAGE;
    }
    for (size_t i = 0; i < 2; i++) {
        switch (run_python(pythons[i], script, schema, path)) {
        case 0:
            return FB_EXIT_OK;
        case 3:
        case 127:
            continue;
        case 4:
            return FB_EXIT_USAGE; /* said by the script */
        default:
            fb_error("%s: the schema validator failed", path);
            return FB_EXIT_USAGE;
        }
    }
    fb_error("validate needs Python 3 with jsonschema (Debian: python3-jsonschema); --no-schema "
             "checks the numbers alone");
    return FB_EXIT_USAGE;
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
        code = fb_document_check(path, document);
    if (!code)
        code = fb_result_check_content(path, document);
    bool complete = json_is_true(fb_json_at(document, "run.complete"));
    size_t n = json_array_size(json_object_get(document, "cells"));
    if (!code && format == FB_FORMAT_JSON)
        printf("{\"file\": \"valid\", \"cells\": %zu, \"complete\": %s}\n", n,
               complete ? "true" : "false");
    else if (!code)
        printf("valid%s: %zu %s derived again from what was counted\n",
               complete ? "" : ", of a run that did not finish", n,
               fb_kind_find(fb_json_str(document, "kind"))->unit);
    json_decref(document);
    return (int)code;
}

const struct fb_verb fb_verb_validate = {
    .name = "validate",
    .usage = "validate RESULT.json [--no-schema]",
    .summary = "Check a result: its shape by the schema, its numbers from the raw counts",
    .help =
        "  --no-schema   do without Python's jsonschema: only derive the numbers again\n"
        "\n"
        "Exit 2: no result document; 4: of another major version of the schema; 5: a number is\n"
        "not what the counts give, a cell is missing, or there are false negatives.\n",
    .main = validate,
};

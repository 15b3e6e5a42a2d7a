/* merge: results of several runs of one experiment as one. */
#include <getopt.h>
#include <stdlib.h>

#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/document/check.h"
#include "harness/document/merge.h"
#include "harness/document/shown.h"
#include "harness/verb/merge.h"
#include "harness/verb/verb.h"

enum { MOST_RESULTS = 1 << 20 };

static enum fb_exit load(size_t n, char **paths, json_t **documents)
{
    enum fb_exit code = FB_EXIT_OK;
    for (size_t i = 0; i < n && !code; i++) {
        code = fb_result_load(paths[i], &documents[i]);
        if (!code)
            code = fb_document_validate(paths[i], documents[i]);
    }
    return code;
}

static void print_summary(const json_t *merged, const char *output)
{
    const unsigned long long runs = fb_json_uint(merged, "merged.runs"),
                             machines = fb_json_uint(merged, "merged.machines"),
                             of = fb_json_uint(merged, "merged.shards.of");
    const char *to = output && !fb_output_is_stdout(output) ? output : "";
    char shards[64] = "";
    if (of)
        snprintf(shards, sizeof shards, ", %zu of %llu shards",
                 json_array_size(fb_json_at(merged, "merged.shards.there")), of);
    fb_note("%s%s%s%llu run%s of %llu machine%s%s", *to ? "wrote " : "", to, *to ? ": " : "", runs,
            runs == 1 ? "" : "s", machines, machines == 1 ? "" : "s", shards);
}

enum fb_exit fb_merge_files(size_t n, char **paths, bool partial, const char *output)
{
    json_t *merged = NULL, **documents = calloc(n + 1, sizeof(json_t *));
    enum fb_exit code = documents ? load(n, paths, documents) : fb_fail("merge", FB_ENOMEM, NULL);
    if (!code)
        code = fb_merge((const json_t *const *)documents, (const char *const *)paths, n, partial,
                        &merged);
    if (!code && partial)
        fb_document_table(stdout, merged, &(struct fb_shown){.interim = true});
    else if (!code)
        code = fb_output_write(output, merged);
    if (!code && !partial)
        print_summary(merged, output);
    json_decref(merged);
    for (size_t i = 0; documents && i < n; i++)
        json_decref(documents[i]);
    free(documents);
    return code;
}

static int merge(int argc, char **argv)
{
    const char *path = NULL;
    const struct fb_opt opts[] = {{"output", 'o', FB_OPT_TEXT, &path, 0, 0}, {0}};
    if (!fb_opt_parse(argc, argv, opts, MOST_RESULTS) ||
        fb_opt_wrong(optind == argc, "merge",
                     "which results? give the files that `filterbench run` or `reproduce` wrote"))
        return FB_EXIT_USAGE;
    return (int)fb_merge_files((size_t)(argc - optind), argv + optind, false, path);
}

const struct fb_verb fb_verb_merge = {
    .name = "merge",
    .example = "filterbench merge part-1.json part-2.json -o whole.json",
    .usage = "merge RESULT.json... [-o FILE]",
    .summary = "Join results of one experiment, from shards or from several machines",
    .help = "-o, --output FILE\tthe file to write (default: stdout)\n"
            "\n"
            "Counts of shards add up to exactly those of one run. Cells that two results "
            "share must be equal, or the exit code is 5. Times are never pooled: runs with "
            "times stand side by side.\n"
            "\n"
            "You may merge a merged result again. The order of the files changes nothing. "
            "Results of another experiment, key file or split are refused with exit code 4.\n",
    .main = merge,
};

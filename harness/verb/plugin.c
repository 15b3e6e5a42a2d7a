/* plugin: designs in shared objects, held to the contract, and begun. */
#include <getopt.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/print.h"
#include "harness/check/plugin_check.h"
#include "harness/verb/plugin_new.h"
#include "harness/verb/verb.h"

static void print_report(FILE *file, const json_t *report)
{
    static const char *const columns[] = {"design", "parts_held", "code", "wrong", NULL};
    const char *code = fb_json_str(report, "code");
    fprintf(file, "%s %s\n", fb_json_str(report, "name"), fb_json_str(report, "revision"));
    fb_print_rows(file, json_object_get(report, "designs"), columns);
    fprintf(file, "verification code %s\n", *code ? code : "none: it breaks the contract");
}

static enum fb_exit check(const char *path, double limit_s, enum fb_output_format format)
{
    json_t *report;
    const enum fb_exit code = fb_plugin_check(path, limit_s, &report);
    const enum fb_exit printed = report ? fb_print_answer(report, format, print_report) : code;
    return code ? code : printed;
}

static int plugin(int argc, char **argv)
{
    enum fb_output_format format = FB_FORMAT_TABLE;
    const char *folder = NULL;
    double limit_s = 600;
    const struct fb_opt opts[] = {{"limit", 0, FB_OPT_SECONDS, &limit_s, 0.1, 1e6},
                                  {"output", 'o', FB_OPT_TEXT, &folder, 0, 0},
                                  {"format", 0, FB_OPT_FORMAT, &format, 0, 0},
                                  {0}};
    if (!fb_opt_parse(argc, argv, opts, 2))
        return FB_EXIT_USAGE;
    const char *what = optind < argc ? argv[optind] : "";
    const bool checks = !strcmp(what, "check");
    if (!checks && strcmp(what, "new") != 0) {
        static const char *const actions[] = {"check", "new", NULL};
        fb_error("plugin: %s%s%s; give 'check FILE.so' or 'new NAME'%s", *what ? "no action '" : "",
                 *what ? what : "which action?", *what ? "'" : "",
                 *what ? fb_did_you_mean(what, actions, sizeof *actions) : "");
        return FB_EXIT_USAGE;
    }
    if (optind + 1 >= argc) {
        fb_error("plugin %s: give a %s", what, checks ? "file" : "name");
        return FB_EXIT_USAGE;
    }
    return (int)(checks ? check(argv[optind + 1], limit_s, format)
                        : fb_plugin_new(argv[optind + 1], folder));
}

const struct fb_verb fb_verb_plugin = {
    .name = "plugin",
    .usage = "plugin check FILE.so [--limit S] | plugin new NAME [-o FOLDER]",
    .summary = "Hold a plugin to the contract of designs, or begin one",
    .help =
        "  check FILE.so      asks every design for all that the contract has: no false negative,\n"
        "                     a rate near the predicted one, batches and kernels that agree,\n"
        "                     blocks that read back the same and do no harm, builds in steps,\n"
        "                     removal, failed adds and retries; in a process of its own\n"
        "  --limit S          of check: seconds of processor time that loading, or one question\n"
        "                     to a design, may take (600); ten times as long where it waits\n"
        "  new NAME           writes a design that keeps it, and a Makefile\n"
        "  -o, --output DIR   of new: where to; default NAME\n"
        "  --format F         of check: table (default) or json\n"
        "\n"
        "The verification code is folded of answers and blocks for fixed keys: equal on every\n"
        "machine, for every instruction set. Exit 7: a part does not hold, or the plugin cannot\n"
        "be loaded. Other verbs take --plugin FILE.so.\n",
    .main = plugin,
};

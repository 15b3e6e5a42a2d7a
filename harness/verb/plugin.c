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
    .example = "filterbench plugin new my-filter",
    .usage = "plugin new NAME [-o FOLDER] | check FILE.so [options]",
    .summary = "Create a new plugin with your own filter, or check one",
    .help = "new NAME\twrite a small working design and a Makefile\n"
            "  -o, --output DIR\twhere to write them (default: NAME)\n"
            "check FILE.so\ttest every design of the plugin, in a process of its own\n"
            "  --limit S\tprocessor time for loading and for each question, in seconds (600)\n"
            "  --format F\ttable (default) or json\n"
            "\n"
            "check asks each design for everything that the contract has. There must be no "
            "false negatives and a rate near the predicted one. Kernels must agree, and "
            "blocks must read back the same. Builds in steps, removal, failed adds and "
            "retries are tried as well.\n"
            "\n"
            "The verification code is a checksum of answers and blocks for fixed keys. It is "
            "equal on every machine. Exit code 7 means that a part of the contract does not "
            "hold, or that the plugin cannot be loaded.\n"
            "\n"
            "Every other verb takes --plugin FILE.so to use the design.\n",
    .main = plugin,
};

/* plugin: designs in shared objects, held to the contract, and begun. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filters/core/filter.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/output.h"
#include "harness/base/print.h"
#include "harness/check/contract.h"
#include "harness/verb/verb.h"

/* ---- new: a design that keeps the contract, and what builds it ---- */

enum { MOST_NAME = 31, MOST_PATH = 4096 };

/* The text with @NAME@ and @ID@ filled in; an id is a name with '_' for '-'. */
static void fill(FILE *file, const char *text, size_t len, const char *name, const char *id)
{
    for (const char *end = text + len; text < end; text++) {
        const bool is_name = !strncmp(text, "@NAME@", 6), is_id = !strncmp(text, "@ID@", 4);
        if (is_name || is_id) {
            fputs(is_name ? name : id, file);
            text += is_name ? 5 : 3;
        } else {
            fputc(*text, file);
        }
    }
}

static enum fb_exit write_file(const char *template, const char *folder, const char *file_name,
                               const char *name, const char *id)
{
    char from[MOST_PATH], to[MOST_PATH];
    uint8_t *text = NULL;
    size_t len;
    struct fb_output out = {0};
    fb_data_path(template, from, sizeof from);
    if (snprintf(to, sizeof to, "%s/%s", folder, file_name) >= (int)sizeof to)
        return FB_EXIT_USAGE;
    if (fb_opt_wrong(!access(to, F_OK), to, "it is there already; give another folder with -o"))
        return FB_EXIT_USAGE;
    enum fb_exit code = fb_file_read(from, &text, &len);
    if (!code)
        code = fb_output_open(to, &out);
    if (!code)
        fill(out.file, (const char *)text, len, name, id);
    free(text);
    return fb_output_end(&out, code);
}

static void remove_file(const char *folder, const char *file_name)
{
    char path[MOST_PATH];
    if (snprintf(path, sizeof path, "%s/%s", folder, file_name) < (int)sizeof path)
        unlink(path);
}

static bool is_name(const char *name)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    return *name >= 'a' && *name <= 'z' && strlen(name) <= MOST_NAME &&
           !name[strspn(name, letters)];
}

/* pkg-config does not look into a build folder. */
static void tell_next(const char *folder, const char *source)
{
    char built[MOST_PATH];
    fb_module_path("filterbench-filters-uninstalled.pc", built, sizeof built);
    char *slash = strrchr(built, '/');
    if (slash && !access(built, F_OK)) {
        *slash = '\0';
        fb_note("wrote %s/%s and %s/Makefile; next: PKG_CONFIG_PATH=%s make -C %s "
                "FILTERBENCH=%s/filterbench check",
                folder, source, folder, built, folder, built);
    } else {
        fb_note("wrote %s/%s and %s/Makefile; next: make -C %s check", folder, source, folder,
                folder);
    }
}

/* Writes NAME.c and Makefile into a folder, which is made where it is missing; NULL: NAME. What is
 * there already is not written over. */
static enum fb_exit begin(const char *name, const char *folder)
{
    char id[MOST_NAME + 1], source[MOST_NAME + 3];
    if (!is_name(name)) {
        fb_error("plugin new: '%s' is no name for a design; give up to %d of a-z, 0-9 and '-', "
                 "first a letter",
                 name, MOST_NAME);
        return FB_EXIT_USAGE;
    }
    if (fb_design_find(name)) {
        fb_error("plugin new: there is a design '%s' already; give another name", name);
        return FB_EXIT_USAGE;
    }
    snprintf(id, sizeof id, "%s", name);
    for (char *c = id; *c; c++)
        *c = *c == '-' ? '_' : *c;
    snprintf(source, sizeof source, "%s.c", id);
    folder = folder ? folder : name;
    bool made;
    enum fb_exit code = fb_file_folder(folder, &made);
    if (code)
        return code;
    code = write_file("filters/plugin/skeleton.c.in", folder, source, name, id);
    if (!code) {
        code = write_file("filters/plugin/skeleton.mk.in", folder, "Makefile", name, id);
        if (code)
            remove_file(folder, source);
    }
    if (code && made)
        rmdir(folder);
    if (!code)
        tell_next(folder, source);
    return code;
}

/* ---- check ---- */

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
        fb_error("plugin: %s%s%s%s (give `check FILE.so` or `new NAME`)",
                 *what ? "there is no action '" : "", *what ? what : "which action?",
                 *what ? "'" : "", *what ? fb_did_you_mean(what, actions, sizeof *actions) : "");
        return FB_EXIT_USAGE;
    }
    if (optind + 1 >= argc) {
        fb_error("plugin %s: give a %s, as in `filterbench plugin %s %s`", what,
                 checks ? "file" : "name", what, checks ? "FILE.so" : "my-filter");
        return FB_EXIT_USAGE;
    }
    return (int)(checks ? check(argv[optind + 1], limit_s, format)
                        : begin(argv[optind + 1], folder));
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
            "check asks each design for everything that the contract has. There must be no false "
            "negatives. The rate must be near the predicted one, at 1, 2 and 4 bits per key too. "
            "Kernels must agree, and "
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

/* The verb table. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filters/core/version.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/base/parallel.h"
#include "harness/base/quantity.h"
#include "harness/base/table.h"
#include "harness/base/temporary.h"
#include "harness/filter/plugin.h"
#include "harness/filter/timing.h"
#include "harness/filter/tuning.h"
#include "harness/tree/build_timing.h"
#include "harness/tree/walk_timing.h"
#include "harness/verb/help.h"
#include "harness/verb/verb.h"

/* Each is harness/verb/<name>.c; --help shows them in this order. */
/* clang-format off */
#define VERBS(VERB) \
    VERB(list)      \
    VERB(describe)  \
    VERB(build)     \
    VERB(query)     \
    VERB(inspect)   \
    VERB(run)       \
    VERB(engine)    \
    VERB(claim) \
    VERB(reproduce) \
    VERB(plot)      \
    VERB(show)      \
    VERB(export)    \
    VERB(merge)     \
    VERB(study)     \
    VERB(report)    \
    VERB(validate)  \
    VERB(compare)   \
    VERB(advise)    \
    VERB(ab)        \
    VERB(calibrate) \
    VERB(tune)      \
    VERB(plugin)    \
    VERB(doctor)
/* clang-format on */

#define DECLARE(name) extern const struct fb_verb fb_verb_##name;
VERBS(DECLARE)
#define ADDRESS(name) &fb_verb_##name,
static const struct fb_verb *const verbs[] = {VERBS(ADDRESS)};
enum { N_VERBS = sizeof verbs / sizeof *verbs };

static const struct fb_verb *verb_find(const char *name)
{
    for (size_t i = 0; i < N_VERBS; i++)
        if (!strcmp(verbs[i]->name, name))
            return verbs[i];
    const char *names[N_VERBS + 4] = {"--help", "--version", "help"};
    for (size_t i = 0; i < N_VERBS; i++)
        names[3 + i] = verbs[i]->name;
    fb_error("no verb '%s'%s ('filterbench --help' lists them)", name,
             fb_did_you_mean(name, names, sizeof *names));
    return NULL;
}

static const char overview[] =
    "\n`filterbench VERB --help` explains one.\n"
    "\n"
    "Every verb also takes:\n"
    "--plugin FILE.so\tuse the designs of a shared object too; may be repeated\n"
    "--wide\tprint every column of a table, also on a narrow terminal\n"
    "--verbose\tprint all tables, and what times rest on: noise, clock and caches\n"
    "\n"
    "Results go to stdout, everything else to stderr. All verbs but export print results as JSON "
    "with --format json.\n"
    "\n"
    "Exit codes:\n"
    "0\tdone\n"
    "1\tslower than before, or a shard of a study has failed\n"
    "2\twrong usage or bad input\n"
    "3\tcannot tell (`ab --strict`)\n"
    "4\tthe two cannot be compared\n"
    "5\twrong: a false negative, a model that fails, or facts that differ\n"
    "6\tnothing was judged: a failed self-check, or a machine too noisy for --delta\n"
    "7\ta plugin cannot be loaded or breaks the contract\n"
    "71\tout of memory\n"
    "74\ta file could not be read or written\n"
    "130\tinterrupted\n"
    "\n";

static void print_overview(FILE *file)
{
    fputs("Example:\n    filterbench run fpr -d nori,leveldb -b 8,10\n\n"
          "filterbench compares membership filters the way storage engines use them.\n\n",
          file);
    for (size_t i = 0; i < N_VERBS; i++) {
        char line[256];
        snprintf(line, sizeof line, "filterbench %s\t%s\n", verbs[i]->name, verbs[i]->summary);
        fb_help_print(file, line);
    }
    fb_help_print(file, overview);
    fb_help_print(file, fb_quantity_help);
}

static void print_help(const struct fb_verb *verb, int argc, char **argv)
{
    char text[512];
    const char *of = verb->example_of ? verb->example_of(argc, argv) : NULL;
    printf("Example:\n    %s\n\n", of ? of : verb->example);
    snprintf(text, sizeof text, "%s.\n\nUsage: filterbench %s\n\n", verb->summary, verb->usage);
    fb_help_print(stdout, text);
    if (verb->options) {
        verb->options(stdout, argc, argv);
        putchar('\n');
    }
    fb_help_print(stdout, verb->help);
}

static bool wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    return false;
}

/* The file of a --plugin FILE or --plugin=FILE at argv[*i], which moves on to the word that holds
 * it; NULL: there is none. Shortened as getopt takes it: "--plug". */
static const char *plugin_at(int argc, char **argv, int *i)
{
    static const char option[] = "--" FB_OPT_PLUGIN;
    const size_t len = strcspn(argv[*i], "=");
    if (len < 3 || len >= sizeof option || strncmp(argv[*i], option, len) != 0)
        return NULL;
    if (argv[*i][len])
        return argv[*i] + len + 1;
    return *i + 1 < argc ? argv[++*i] : NULL;
}

static enum fb_exit load_plugins(int argc, char **argv)
{
    enum fb_exit code = FB_EXIT_OK;
    for (int i = 1; i < argc && !code && strcmp(argv[i], "--"); i++) {
        const char *path = plugin_at(argc, argv, &i);
        if (path && fb_plugins_load(path, NULL))
            code = FB_EXIT_PLUGIN;
    }
    return code;
}

/* A descriptor that was closed by the caller must not become that of a file opened later; opened
 * the wrong way round, so that its use still fails. */
static void guard_standard_files(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    if (argc < 2) {
        print_overview(stderr);
        return FB_EXIT_USAGE;
    }
    if (!strcmp(name, "--version")) {
        puts("filterbench " FB_VERSION);
        return FB_EXIT_OK;
    }
    bool help = !strcmp(name, "help");
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || (help && argc == 2)) {
        print_overview(stdout);
        return FB_EXIT_OK;
    }
    const struct fb_verb *verb = verb_find(help ? argv[2] : name);
    if (!verb)
        return FB_EXIT_USAGE;
    if (help || wants_help(argc - 1, argv + 1)) {
        print_help(verb, argc - 1, argv + 1);
        return FB_EXIT_OK;
    }
    enum fb_exit code = fb_tuning_begin(verb->untuned ? NULL : getenv("FB_TUNING"));
    if (!code)
        code = load_plugins(argc - 1, argv + 1);
    if (code)
        return (int)code;
    fb_temporary_exit_on_signal();
    if (verb->polls_interrupt)
        fb_interrupt_install();
    const int ended = verb->main(argc - 1, argv + 1);
    fb_table_tell_left_out();
    return ended;
}

static const struct fb_child *const children[] = {&fb_timing_child, &fb_walk_child, &fb_build_child,
                                                  NULL};

static bool came_back;

/* A plugin may call exit(): what was asked was not answered then. */
static void at_exit(void)
{
    if (came_back || !fb_plugin_last())
        return;
    fb_error("plugin %s: it ended the process", fb_plugin_last());
    fflush(NULL);
    _exit(FB_EXIT_PLUGIN);
}

int main(int argc, char **argv)
{
    fb_processes_child(argc, argv, children);
    guard_standard_files();
    atexit(at_exit);
    int code = run(argc, argv);
    struct fb_output out = {.file = stdout};
    if (!code)
        code = (int)fb_output_commit(&out);
    came_back = true;
    return code;
}

/* calibrate: what `ab` makes of revisions whose difference is known, on this machine. */
#define _DEFAULT_SOURCE /* flock, mkdtemp */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/base/environment.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/base/parallel.h"
#include "harness/base/print.h"
#include "harness/base/progress.h"
#include "harness/base/same_file.h"
#include "harness/base/screen.h"
#include "harness/base/table.h"
#include "harness/kind/ab/profile.h"
#include "harness/measure/clock.h"
#include "harness/stats/stats.h"
#include "harness/verb/trial.h"
#include "harness/verb/verb.h"
#include "workloads/core/rng.h"

enum { MOST_PATH = 4096 };

/* What HEAD is: the designs themselves, or a plant of plugins/slower. */
static const char *const plants[] = {"",           "batch_40", "batch_160", "each_1",
                                     "insert_160", "some_160", "chunk_8"};
enum { N_SORTS = sizeof plants / sizeof *plants };

struct work {
    uint64_t wanted[N_SORTS]; /* comparisons */
    const char *links;        /* folder of folders of links; NULL: the installed plugins */
    const char *path;         /* of the profile */
    json_t *profile;
    double budget_s;
    char folder[64]; /* of scratch files; "": none yet */
    char base[MOST_PATH], head[N_SORTS][MOST_PATH];
    char document[80], errors[80];
};

/* ---- Scratch files ---- */

static enum fb_exit copy_file(const char *from, const char *to)
{
    uint8_t *bytes = NULL;
    size_t n;
    struct fb_output out = {0};
    enum fb_exit code = fb_file_read(from, &bytes, &n);
    if (!code)
        code = fb_output_open(to, &out);
    if (!code) {
        fwrite(bytes, 1, n, out.file);
        code = fb_output_commit(&out);
    }
    fb_output_close(&out);
    free(bytes);
    return code;
}

/* The designs' plugin, a copy of it, which is loaded beside it as another revision would be, and
 * those with plants; or their folders of links, of which one beside itself is in other links. */
static enum fb_exit open_folder(struct work *w)
{
    const char *under = getenv("TMPDIR");
    char copy[80];
    snprintf(w->folder, sizeof w->folder, "%.30s/filterbench-XXXXXX",
             under && *under && strlen(under) <= 30 ? under : "/tmp");
    if (!mkdtemp(w->folder)) {
        fb_error("%s: no folder for scratch files can be made there", w->folder);
        *w->folder = '\0';
        return FB_EXIT_IO;
    }
    snprintf(copy, sizeof copy, "%s/copy.so", w->folder);
    snprintf(w->document, sizeof w->document, "%s/ab.json", w->folder);
    snprintf(w->errors, sizeof w->errors, "%s/errors", w->folder);
    for (int i = 0; i < N_SORTS; i++) {
        char name[64];
        snprintf(name, sizeof name, i ? "filterbench_plant_%.30s.so" : "filterbench_designs.so",
                 plants[i]);
        if (w->links)
            snprintf(w->head[i], sizeof w->head[i], "%.4000s/%.60s", w->links,
                     i ? plants[i] : "designs");
        else
            fb_module_path(name, w->head[i], sizeof w->head[i]);
    }
    snprintf(w->base, sizeof w->base, "%s", w->head[0]);
    if (w->links)
        return FB_EXIT_OK;
    snprintf(w->head[0], sizeof w->head[0], "%s", copy);
    return copy_file(w->base, copy);
}

static void close_folder(const struct work *w)
{
    if (!*w->folder)
        return;
    char partial[96];
    snprintf(partial, sizeof partial, "%s.partial", w->document); /* of one that was interrupted */
    unlink(partial);
    unlink(w->document);
    unlink(w->errors);
    if (!w->links)
        unlink(w->head[0]);
    rmdir(w->folder);
}

/* The profile is one calibrate's at a time: two would each write over what the other found, and be
 * measured beside each other. Locks path.lock until the process ends. */
static enum fb_exit lock_profile(const char *path)
{
    char name[MOST_PATH];
    snprintf(name, sizeof name, "%s.lock", path);
    const int fd = open(name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) {
        fb_error("%s: cannot be written: %s", name, strerror(errno));
        return FB_EXIT_IO;
    }
    if (flock(fd, LOCK_EX | LOCK_NB)) {
        fb_error("%s: another calibrate is at it", path);
        close(fd);
        return FB_EXIT_USAGE;
    }
    return FB_EXIT_OK;
}

/* ---- Comparisons ---- */

/* The sort of which the smallest share is done; N_SORTS: all are. */
static int next_sort(const struct work *w)
{
    int next = N_SORTS;
    double least = 1;
    for (int i = 0; i < N_SORTS; i++) {
        const double share =
            w->wanted[i] ? (double)fb_profile_count(w->profile, plants[i]) / (double)w->wanted[i]
                         : 1;
        if (share < least) {
            least = share;
            next = i;
        }
    }
    return next;
}

static enum fb_exit save(const struct work *w)
{
    struct fb_output out;
    enum fb_exit code = fb_output_open(w->path, &out);
    if (!code)
        code = fb_output_json(&out, w->profile);
    if (!code)
        code = fb_output_commit(&out);
    fb_output_close(&out);
    return code;
}

/* What an `ab` that did not compare said. */
static enum fb_exit failed(const struct work *w, int exit)
{
    char line[512];
    (void)fb_file_line(w->errors, "filterbench: ", line, sizeof line);
    fb_error("calibrate: a comparison ended with exit code %d: %s", exit,
             *line         ? line
             : exit == 127 ? "this program cannot be started anew here (an emulator?)"
                           : "it said nothing");
    return exit == FB_EXIT_PLUGIN || exit == FB_EXIT_IO || exit == FB_EXIT_USAGE
               ? (enum fb_exit)exit
               : FB_EXIT_SELF_CHECK;
}

static enum fb_exit compare(struct work *w, int sort)
{
    const size_t n = fb_profile_count(w->profile, plants[sort]);
    const bool load = n % 2 && fb_trial_has_neighbour();
    char seed[48];
    snprintf(seed, sizeof seed, "seed=0x%016llx",
             (unsigned long long)fb_stream_word((uint64_t)sort, n));
    /* Of equal designs all cells are measured by both sets; of slower ones, what a user measures.
     */
    char *argv[] = {
        "filterbench",
        "ab",
        w->base,
        w->head[sort],
        "--profile",
        "none",
        "--set",
        sort ? "designs=[\"sbbf-256\"]" : "again=all",
        "--set",
        sort ? "operations=[\"batch\", \"each\", \"insert\"]" : "operations=[\"batch\"]",
        "--set",
        "footprints=[\"L1\", \"L2\"]",
        "--set",
        "plain=0",
        "--set",
        seed,
        "-o",
        w->document,
        NULL};
    struct fb_trial trial;
    json_t *document = NULL;
    unlink(w->document);
    if (!fb_trial_run(argv, w->errors, load, &trial))
        return FB_EXIT_IO;
    if (fb_interrupted())
        return FB_EXIT_INTERRUPTED;
    if (!fb_profile_takes(trial.exit))
        return failed(w, trial.exit);
    if (fb_json_load(w->document, &document))
        return FB_EXIT_IO;
    fb_same_file_goes_on(w->document); /* the profile's next file may get its inode */
    fb_profile_add(w->profile, document, plants[sort], load, trial.exit, trial.seconds);
    json_decref(document);
    return save(w);
}

static enum fb_exit compare_all(struct work *w)
{
    const double started = fb_seconds();
    struct fb_progress progress;
    uint64_t total = 0;
    enum fb_exit code = FB_EXIT_OK;
    int sort;
    for (int i = 0; i < N_SORTS; i++) {
        const uint64_t has = fb_profile_count(w->profile, plants[i]);
        total += w->wanted[i] > has ? w->wanted[i] - has : 0;
    }
    fb_progress_start(&progress, "calibrate", total);
    fb_progress_add(&progress, 0, "comparisons");
    while (!code && (sort = next_sort(w)) < N_SORTS && fb_seconds() - started < w->budget_s) {
        if (!*w->folder)
            code = open_folder(w);
        if (!code)
            code = compare(w, sort);
        fb_progress_add(&progress, 1, "comparisons");
    }
    fb_progress_end(&progress);
    return code;
}

/* ---- What is shown ---- */

/* Of the comparisons of equal designs: beside how many a processor was busy, and what they took. */
static json_t *equal_json(const json_t *profile)
{
    double seconds = 0, longest = 0;
    uint64_t n = 0, exit_1 = 0, loaded = 0;
    FB_EACH(row, json_object_get(profile, "comparisons")) {
        if (*fb_json_str(row, "plant"))
            continue;
        n++;
        exit_1 += fb_json_num(row, "exit") == FB_EXIT_REGRESSED;
        loaded += json_is_true(json_object_get(row, "load"));
        seconds += fb_json_num(row, "seconds");
        longest = fmax(longest, fb_json_num(row, "seconds"));
    }
    json_t *found = json_pack("{s:o, s:o, s:o, s:o}", "comparisons", fb_json_int(n), "cells",
                              fb_json_int(fb_profile_cells(profile)), "false_alarms",
                              fb_json_int(exit_1), "beside_load", fb_json_int(loaded));
    static const char *const none = "there is no comparison";
    fb_json_real(found, "at_most", n ? fb_binomial_upper(exit_1, n, 0.95) : NAN, none);
    fb_json_real(found, "seconds_mean", n ? seconds / (double)n : NAN, none);
    fb_json_real(found, "seconds_longest", n ? longest : NAN, none);
    return found;
}

static json_t *report_of(const struct work *w)
{
    json_t *report = fb_profile_summary(w->profile);
    json_object_del(report, "cells");
    json_object_del(report, "comparisons");
    json_object_del(report, "false_alarms");
    json_object_update_new(report, json_pack("{s:s, s:o, s:b}", "profile", w->path, "equal",
                                             equal_json(w->profile), "calibrated",
                                             fb_profile_cells(w->profile) >= FB_PROFILE_LEAST));
    return report;
}

static void show_found(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    (void)c;
    snprintf(out, FB_TABLE_CELL, "%llu of %llu", (unsigned long long)fb_json_uint(row, "found"),
             (unsigned long long)fb_json_uint(row, "comparisons"));
}

static void print_floors(FILE *file, const json_t *report, const char *member, const char *what)
{
    char text[200] = "";
    FB_EACH_MEMBER(footprint, floor, json_object_get(report, member))
        fb_append(text, sizeof text, " %s %.2g %%", footprint, 100 * json_number_value(floor));
    if (*text)
        fb_say(file, 2, "noise floor with %s:%s\n", what, text);
}

static void print_report(FILE *file, const json_t *report)
{
    static const struct fb_column columns[] = {{"plant", "plant", .left = true},
                                               {"cell", "cell", .left = true},
                                               {"size", "size", .format = "%+.1f %%", .scale = 100},
                                               {"found", .show = show_found},
                                               {0}};
    struct fb_table table = {.columns = columns};
    const json_t *row, *equal = json_object_get(report, "equal");
    size_t i;
    fb_say(file, 2, "equal designs: %llu comparisons of %llu cells, %llu false alarms",
           (unsigned long long)fb_json_uint(equal, "comparisons"),
           (unsigned long long)fb_json_uint(equal, "cells"),
           (unsigned long long)fb_json_uint(equal, "false_alarms"));
    if (fb_json_num(equal, "at_most") >= 0)
        fprintf(file, " (at most %.3g %%, 95 %% sure)", 100 * fb_json_num(equal, "at_most"));
    fputc('\n', file);
    print_floors(file, report, "floors", "fresh links");
    print_floors(file, report, "one_link_floors", "one link a side");
    json_array_foreach(json_object_get(report, "power"), i, row)
        fb_table_row(&table, "", row);
    if (i)
        fb_table_finish(&table, file, FB_TABLE_TEXT);
    fprintf(file, "%s: %s\n", fb_json_str(report, "profile"),
            json_is_true(json_object_get(report, "calibrated"))
                ? "`ab` judges by it"
                : "too few comparisons for `ab`; run it again to go on");
}

static int calibrate(int argc, char **argv)
{
    uint64_t equal = 20, slower = 10;
    char own[FB_MACHINE_PATH];
    enum fb_output_format format = FB_FORMAT_TABLE;
    bool dry_run = false;
    struct work w = {.budget_s = INFINITY};
    const struct fb_opt opts[] = {{"comparisons", 0, FB_OPT_COUNT, &equal, 0, 1e6},
                                  {"slower", 0, FB_OPT_COUNT, &slower, 0, 1e6},
                                  {"budget", 0, FB_OPT_SECONDS, &w.budget_s, 0, 1e9},
                                  {"output", 'o', FB_OPT_TEXT, &w.path, 0, 0},
                                  {"dry-run", 0, FB_OPT_FLAG, &dry_run, 0, 0},
                                  {"format", 0, FB_OPT_FORMAT, &format, 0, 0},
                                  {0}};
    if (!fb_opt_parse(argc, argv, opts, 1))
        return FB_EXIT_USAGE;
    w.links = optind < argc ? argv[optind] : NULL;
    for (int i = 0; i < N_SORTS; i++)
        w.wanted[i] = i ? slower : equal;
    fb_machine_file("machine", own);
    w.path = w.path ? w.path : own;
    if (!*w.path) {
        fb_error("calibrate: no home folder to keep the profile in; give a file with -o");
        return FB_EXIT_USAGE;
    }
    enum fb_exit code = dry_run ? FB_EXIT_OK : fb_file_folders(w.path);
    if (!code && !dry_run)
        code = lock_profile(w.path);
    if (!code)
        code = fb_profile_load(w.path, &w.profile);
    fb_same_file_goes_on(w.path);
    if (!code && !w.profile)
        w.profile = fb_profile_new();
    if (!code && !dry_run)
        code = compare_all(&w);
    close_folder(&w);
    if (code == FB_EXIT_OK || code == FB_EXIT_INTERRUPTED) {
        json_t *report = report_of(&w);
        const enum fb_exit printed = fb_print_answer(report, format, print_report);
        code = code ? code : printed;
    }
    json_decref(w.profile);
    return (int)code;
}

const struct fb_verb fb_verb_calibrate = {
    .name = "calibrate",
    .example = "filterbench calibrate --budget 5m",
    .usage = "calibrate [FOLDER] [options]",
    .summary = "Measure how often `ab` errs on this machine",
    .help = "FOLDER has folders of links: designs, and one for each plant. scripts/calibrate "
            "builds them. Without FOLDER the installed plugins are compared, which have one link "
            "each.\n"
            "\n"
            "--comparisons N\tcomparisons of equal designs (20); ab wants 1200 cells of them\n"
            "--slower N\tcomparisons with each planted slowdown (10)\n"
            "--budget S\tstart no comparison after S seconds; the next call continues\n"
            "-o, --output FILE\tthe profile (machine-KEY.json in ~/.cache/filterbench, where "
            "ab looks)\n"
            "--dry-run\tshow what the profile has, and compare nothing\n"
            "--format table|json\thow to print the answer (table)\n"
            "\n"
            "A comparison of equal designs measures all cells by both sets and takes about half a "
            "minute. Every second comparison runs beside a busy processor, where there is one to "
            "spare.\n",
    .main = calibrate,
    .polls_interrupt = true,
};

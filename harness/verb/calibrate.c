/* calibrate: what `ab` makes of revisions whose difference is known, on this machine. */
#define _DEFAULT_SOURCE /* flock, mkdtemp */
#include <errno.h>
#include <fcntl.h>
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
#include "harness/base/table.h"
#include "harness/kind/ab/profile.h"
#include "harness/measure/clock.h"
#include "harness/stats/stats.h"
#include "harness/verb/trial.h"
#include "harness/verb/verb.h"
#include "workloads/core/rng.h"

enum { N_SORTS = 3, MOST_PATH = 4096 };

/* A sort of comparison: of the built-in designs with this plugin. */
struct sort {
    double slower;
    const char *plugin;
    uint64_t wanted;
};

struct work {
    struct sort sorts[N_SORTS];
    const char *path; /* of the profile */
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
 * the slower ones. */
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
    fb_module_path("filterbench_designs.so", w->base, sizeof w->base);
    snprintf(w->head[0], sizeof w->head[0], "%s", copy);
    for (int i = 1; i < N_SORTS; i++)
        fb_module_path(w->sorts[i].plugin, w->head[i], sizeof w->head[i]);
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
    unlink(w->head[0]);
    rmdir(w->folder);
}

/* The profile is one calibrate's at a time: two would each write over what the other found, and be
 * measured beside each other. Locks path.lock until the process ends. */
static enum fb_exit lock_profile(const char *path)
{
    char name[MOST_PATH];
    snprintf(name, sizeof name, "%s.lock", path);
    const int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
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
        const struct sort *s = &w->sorts[i];
        const double share =
            s->wanted ? (double)fb_profile_count(w->profile, s->slower) / (double)s->wanted : 1;
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
    const size_t n = fb_profile_count(w->profile, w->sorts[sort].slower);
    const bool load = n % 2 && fb_trial_has_neighbour();
    char seed[48];
    snprintf(seed, sizeof seed, "seed=0x%016llx",
             (unsigned long long)fb_stream_word((uint64_t)sort, n));
    /* Of equal designs all cells are measured by both sets; of slower ones, what a user measures. */
    char *argv[] = {"filterbench",
                    "ab",
                    w->base,
                    w->head[sort],
                    "--profile",
                    "none",
                    "--set",
                    sort ? "designs=[\"sbbf-256\"]" : "again=all",
                    "--set",
                    "operations=[\"batch\"]",
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
    fb_profile_add(w->profile, document, w->sorts[sort].slower, load, trial.exit, trial.seconds);
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
        const uint64_t has = fb_profile_count(w->profile, w->sorts[i].slower);
        total += w->sorts[i].wanted > has ? w->sorts[i].wanted - has : 0;
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

/* Of the rows of a sort: beside how many a processor was busy, and what they took. */
static json_t *sort_json(const json_t *profile, double slower)
{
    const json_t *row;
    double seconds = 0, longest = 0, low = INFINITY, high = 0;
    uint64_t n = 0, exit_1 = 0, loaded = 0;
    size_t i;
    json_array_foreach(json_object_get(profile, "comparisons"), i, row) {
        const json_t *seen;
        const char *name;
        if (fabs(fb_json_num(row, "slower") - slower) > 1e-9)
            continue;
        n++;
        exit_1 += fb_json_num(row, "exit") == FB_EXIT_REGRESSED;
        loaded += json_is_true(json_object_get(row, "load"));
        seconds += fb_json_num(row, "seconds");
        longest = fmax(longest, fb_json_num(row, "seconds"));
        json_object_foreach(json_object_get(row, "seen"), name, seen) {
            low = fmin(low, fb_json_num(seen, "low"));
            high = fmax(high, fb_json_num(seen, "high"));
        }
    }
    json_t *found =
        json_pack("{s:f, s:o, s:o, s:o}", "slower", slower, "comparisons", fb_json_int(n),
                  "regressed", fb_json_int(exit_1), "beside_load", fb_json_int(loaded));
    static const char *const none = "there is no comparison";
    fb_json_real(found, "at_least", n ? 1 - fb_binomial_upper(n - exit_1, n, 0.95) : NAN, none);
    fb_json_real(found, "at_most", n ? fb_binomial_upper(exit_1, n, 0.95) : NAN, none);
    fb_json_real(found, "ratio_low", low, none);
    fb_json_real(found, "ratio_high", n ? high : NAN, none);
    fb_json_real(found, "seconds_mean", n ? seconds / (double)n : NAN, none);
    fb_json_real(found, "seconds_longest", n ? longest : NAN, none);
    return found;
}

static json_t *report_of(const struct work *w)
{
    json_t *sorts = json_array(), *summary = fb_profile_summary(w->profile);
    for (int i = 0; i < N_SORTS; i++)
        json_array_append_new(sorts, sort_json(w->profile, w->sorts[i].slower));
    json_t *report = json_pack("{s:s, s:s, s:O, s:o, s:b}", "profile", w->path, "machine",
                               fb_json_str(w->profile, "key"), "floors",
                               json_object_get(summary, "floors"), "sorts", sorts, "calibrated",
                               fb_profile_cells(w->profile) >= FB_PROFILE_LEAST);
    json_decref(summary);
    return report;
}

static void show_sort(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const double slower = fb_json_num(row, c->path);
    if (slower > 0)
        snprintf(out, FB_TABLE_CELL, "%.3g %% slower", 100 * slower);
    else
        snprintf(out, FB_TABLE_CELL, "equal");
}

static void show_bound(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const bool equal = fb_json_num(row, "slower") == 0;
    const double share = fb_json_num(row, equal ? "at_most" : "at_least");
    (void)c;
    if (isfinite(share))
        snprintf(out, FB_TABLE_CELL, "%s %.3g %%", equal ? "at most" : "at least", 100 * share);
}

static void show_ratios(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const double low = fb_json_num(row, "ratio_low"), high = fb_json_num(row, "ratio_high");
    (void)c;
    if (isfinite(low))
        snprintf(out, FB_TABLE_CELL, "%+.1f .. %+.1f %%", 100 * (low - 1), 100 * (high - 1));
}

static void print_report(FILE *file, const json_t *report)
{
    static const struct fb_column columns[] = {{"HEAD", "slower", .show = show_sort, .left = true},
                                               {"comparisons", "comparisons", .format = "%.0f"},
                                               {"beside load", "beside_load", .format = "%.0f"},
                                               {"exit 1", "regressed", .format = "%.0f"},
                                               {"95 % sure", "slower", .show = show_bound},
                                               {"changes seen", "ratio_low", .show = show_ratios},
                                               {"s each", "seconds_mean", .format = "%.1f"},
                                               {"longest", "seconds_longest", .format = "%.1f"},
                                               {0}};
    struct fb_table table = {.columns = columns};
    const json_t *row, *floor;
    const char *footprint;
    size_t i;
    json_array_foreach(json_object_get(report, "sorts"), i, row)
        fb_table_row(&table, "", row);
    fb_table_finish(&table, file, FB_TABLE_TEXT);
    fputs("\nnoise floor, the 99th percentile of changes seen of equal designs:", file);
    json_object_foreach(json_object_get(report, "floors"), footprint, floor)
        fprintf(file, " %s %.2g %%", footprint, 100 * json_number_value(floor));
    fprintf(file, "\n%s: %s\n", fb_json_str(report, "profile"),
            json_is_true(json_object_get(report, "calibrated"))
                ? "`ab` judges by it"
                : "too few comparisons for `ab`; run it again to go on");
}

static int calibrate(int argc, char **argv)
{
    uint64_t equal = FB_PROFILE_LEAST, slower = 40;
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
    if (!fb_opt_parse(argc, argv, opts, 0))
        return FB_EXIT_USAGE;
    w.sorts[0] = (struct sort){0, NULL, equal};
    w.sorts[1] = (struct sort){0.05, "filterbench_slower_5.so", slower};
    w.sorts[2] = (struct sort){0.10, "filterbench_slower_10.so", slower};
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
    .usage = "calibrate [options]",
    .summary = "Measure how often `ab` errs on this machine",
    .help = "--comparisons N\tcomparisons of equal designs; ab wants at least 300 (300)\n"
            "--slower N\tcomparisons with a revision that is 5 % slower, and as many with one "
            "that is 10 % slower (40)\n"
            "--budget S\tstart no comparison after S seconds; the next call continues\n"
            "-o, --output FILE\tthe profile (machine-KEY.json in ~/.cache/filterbench, where "
            "ab looks)\n"
            "--dry-run\tshow what the profile has, and compare nothing\n"
            "--format table|json\thow to print the answer (table)\n"
            "\n"
            "A comparison is a run of `ab --delta 3%` and takes about three seconds. Every "
            "second one runs beside a busy loop. The profile is saved after each, so you can "
            "stop with Ctrl-C and continue with the same command.\n"
            "\n"
            "From then on `ab` prints its share of false alarms. It reports no change "
            "smaller than what it saw between equal designs.\n",
    .main = calibrate,
    .polls_interrupt = true,
};

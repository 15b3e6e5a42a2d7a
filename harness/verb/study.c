/* study: an experiment in shards, which other programs run. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/base/print.h"
#include "harness/base/screen.h"
#include "harness/document/card.h"
#include "harness/study/attempt.h"
#include "harness/study/study.h"
#include "harness/verb/merge.h"
#include "harness/verb/trial.h"
#include "harness/verb/verb.h"
#include "harness/work/shard.h"

struct options {
    uint64_t shards;
    bool trust, partial, watch;
    const char *trusted; /* hash of the study that another host trusts */
    enum fb_output_format format;
};

/* ---- new ---- */

/* Whether the command only tells of itself: a shard would never be finished. */
static const char *tells_only(char **command, int n)
{
    static const char *const options[] = {"--dry-run", "--show", "--help", "-h"};
    for (int i = 0; i < n; i++)
        for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
            const size_t len = strlen(command[i]); /* shortened as getopt takes it: "--dry" */
            if (!strncmp(command[i], options[o], len) && len >= fb_min_u64(strlen(options[o]), 5))
                return options[o];
        }
    return NULL;
}

/* Plans the first shard: what is wrong with the command is wrong with all of them. */
static enum fb_exit try_command(const struct fb_study *study)
{
    char errors[] = "/tmp/filterbench-study-XXXXXX";
    struct fb_study_room room;
    struct fb_trial trial = {.exit = FB_EXIT_IO};
    const int fd = mkstemp(errors);
    char **argv = fb_study_command(study, 1, true, &room);
    if (!argv || fd < 0) {
        fb_error("%s: %s", study->path, strerror(errno));
    } else if (fb_trial_run(argv, errors, false, &trial) && trial.exit) {
        uint8_t *said = NULL;
        size_t n_said = 0;
        if (!fb_file_read(errors, &said, &n_said))
            fwrite(said, 1, n_said, stderr);
        free(said);
    }
    if (fd >= 0) {
        close(fd);
        unlink(errors);
    }
    free(argv);
    return (enum fb_exit)trial.exit;
}

static enum fb_exit begin(const char *path, const struct options *o, char **command, int n)
{
    static const char *const verbs[] = {"run", "reproduce", NULL};
    if (!o->shards || !n || !fb_named(command[0], verbs, sizeof *verbs)) {
        fb_error("study new: give --shards N and a command, as in `filterbench study new DIR "
                 "--shards 8 -- "
                 "run fpr`");
        return FB_EXIT_USAGE;
    }
    for (int i = 0; i < n; i++) {
        if (strcmp(command[i], "-o") != 0 && strncmp(command[i], "--output", 8) != 0 &&
            strcmp(command[i], "--resume") != 0 && strncmp(command[i], "--shard", 7) != 0)
            continue;
        fb_error("study new: %s: leave it out; each shard writes %s/shard-I.json, and continues it",
                 command[i], path);
        return FB_EXIT_USAGE;
    }
    if (tells_only(command, n)) {
        fb_error("study new: %s: a shard with it would measure nothing; leave it out",
                 tells_only(command, n));
        return FB_EXIT_USAGE;
    }
    struct fb_study study;
    enum fb_exit code = fb_study_plan(path, (unsigned)o->shards, command, (size_t)n, &study);
    if (!code)
        code = try_command(&study);
    if (!code)
        code = fb_study_make(&study);
    fb_study_close(&study);
    if (!code)
        fb_note("%s: %llu shards; run each with 'filterbench study shard %s I', or all with "
                "scripts/cluster",
                path, (unsigned long long)o->shards, path);
    return code;
}

/* ---- shard ---- */

/* A study that somebody else made runs what they wrote: it is shown, and not run. */
static enum fb_exit check_trust(const struct fb_study *study, const struct options *o)
{
    char hash[33] = "";
    const bool elsewhere =
                   o->trusted && fb_json_hash(study->about, hash) && !strcmp(hash, o->trusted),
               trust = o->trust || elsewhere;
    if (o->trust)
        fb_study_trust(study);
    if (trust || fb_study_is_trusted(study))
        return FB_EXIT_OK;
    char *command = json_dumps(json_object_get(study->about, "command"), JSON_COMPACT);
    fb_say(stderr, 4, "filterbench: %s runs %s in %s\n", study->path, command ? command : "",
           fb_json_str(study->about, "folder"));
    fb_error("study shard: you did not make this study on this machine; if you trust that command, "
             "give --trust");
    free(command);
    return FB_EXIT_USAGE;
}

static int run_shard(const struct fb_study *study, unsigned shard)
{
    struct fb_study_room room;
    char here[FB_STUDY_PATH], path[FB_STUDY_PATH];
    char **argv = fb_study_command(study, shard, false, &room);
    if (!argv)
        return (int)fb_fail(study->path, FB_ENOMEM, NULL);
    /* Files that the command names are told from where the study was made. */
    if (*room.path != '/' && getcwd(here, sizeof here)) {
        snprintf(path, sizeof path, "%s", room.path);
        snprintf(room.path, sizeof room.path, "%.*s/%.*s", FB_STUDY_PATH / 2 - 1, here,
                 FB_STUDY_PATH / 2 - 1, path);
    }
    const int code = fb_attempt_run(study->path, study->about, shard, argv, room.path);
    free(argv);
    return code;
}

/* ---- status ---- */

static void say_left(double left_s, char *text, size_t size)
{
    if (!isfinite(left_s))
        snprintf(text, size, "time left unknown");
    else if (left_s < 100)
        snprintf(text, size, "%.0f s left", left_s);
    else if (left_s < 6000)
        snprintf(text, size, "%.0f min left", left_s / 60);
    else
        snprintf(text, size, "%.1f h left", left_s / 3600);
}

/* "1, 5, 6, ...": the shards in that state; NULL: those that are not done. */
static void list_shards(const json_t *rows, const char *state, char *text, size_t size)
{
    enum { MOST_NAMED = 12 };
    unsigned n = 0;
    size_t i;
    json_t *row;
    *text = '\0';
    json_array_foreach((json_t *)rows, i, row) {
        const size_t len = strlen(text);
        const int other = strcmp(fb_json_str(row, "state"), state ? state : "done");
        if ((state ? other : !other) || n++ > MOST_NAMED)
            continue;
        if (n > MOST_NAMED)
            snprintf(text + len, size - len, ", ...");
        else
            snprintf(text + len, size - len, "%s%llu", n > 1 ? ", " : "",
                     (unsigned long long)fb_json_uint(row, "shard"));
    }
}

/* Failed and waiting shards are listed as `numbers`. */
static void say_next(const char *path, const json_t *status, const char *numbers,
                     struct fb_card *card)
{
    char word[FB_CARD_TEXT], result[FB_STUDY_PATH];
    snprintf(result, sizeof result, "%s/result.json", path);
    fb_card_quoted(path, word);
    if (fb_json_uint(status, "running"))
        fb_card_set(card, FB_CARD_NEXT, "filterbench study status %s --watch", word);
    else if (*numbers)
        fb_card_set(card, FB_CARD_NEXT, "filterbench study shard %s %d", word, atoi(numbers));
    else if (fb_json_uint(status, "done") < fb_json_uint(status, "shards"))
        fb_card_set(card, FB_CARD_NEXT, "filterbench study status %s", word);
    else if (access(result, F_OK))
        fb_card_set(card, FB_CARD_NEXT, "filterbench study merge %s", word);
    else
        fb_card_set(card, FB_CARD_NEXT, "filterbench show %s", fb_card_quoted(result, word));
}

/* Sets "card". */
static void add_card(const char *path, json_t *status)
{
    const json_t *rows = json_object_get(status, "rows");
    const unsigned long long running = fb_json_uint(status, "running");
    const double left_s = fb_json_num(status, "left_s");
    struct fb_card card = {0};
    char left[40], failed[160], waiting[160];
    say_left(left_s, left, sizeof left);
    list_shards(rows, "failed", failed, sizeof failed);
    list_shards(rows, "waiting", waiting, sizeof waiting);
    fb_card_set(&card, FB_CARD_ANSWER,
                "%llu shards: %llu done, %llu running, %llu failed, %llu waiting; %s",
                (unsigned long long)fb_json_uint(status, "shards"),
                (unsigned long long)fb_json_uint(status, "done"), running,
                (unsigned long long)fb_json_uint(status, "failed"),
                (unsigned long long)fb_json_uint(status, "waiting"), left);
    if (*waiting)
        fb_card_set(&card, FB_CARD_AMOUNT, "Waiting: %s.", waiting);
    if (left_s > 0)
        fb_card_set(&card, FB_CARD_SURE, "The time left assumes %llu at a time, as now.",
                    running ? running : 1);
    if (*failed)
        fb_card_set(&card, FB_CARD_CHANGE, "Failed: %s. Run one again, and it continues.", failed);
    say_next(path, status, *failed ? failed : waiting, &card);
    json_object_set_new(status, "card", fb_card_lines(&card));
}

static void print_status(FILE *file, const json_t *status)
{
    static const char *const columns[] = {"shard",     "state",  "steps", "of_steps",
                                          "elapsed_s", "left_s", NULL};
    static const char *const times[] = {"elapsed_s", "left_s"};
    json_t *rows = json_deep_copy(json_object_get(status, "rows")), *row;
    size_t i;
    fb_card_print(file, json_object_get(status, "card"), NULL);
    fb_json_drop_reasons(rows);
    json_array_foreach(rows, i, row)
        for (size_t t = 0; t < 2; t++)
            if (json_is_real(json_object_get(row, times[t])))
                json_object_set_new(row, times[t],
                                    json_real(round(fb_json_num(row, times[t]) * 10) / 10));
    fb_print_rows(file, rows, columns);
    json_array_foreach(rows, i, row) {
        const char *host = fb_json_str(row, "host"), *ended = fb_json_str(row, "ended");
        if (!*host && !*fb_json_str(row, "why"))
            continue;
        fprintf(file, "shard %llu: ", (unsigned long long)fb_json_uint(row, "shard"));
        if (*ended)
            fb_say(file, 4, "exit code %llu on %s at %s",
                   (unsigned long long)fb_json_uint(row, "exit"), host, ended);
        else if (*host)
            fb_say(file, 4, "process %llu on %s since %s",
                   (unsigned long long)fb_json_uint(row, "pid"), host, fb_json_str(row, "since"));
        fb_say(file, 4, "%s%s\n", *host && *fb_json_str(row, "why") ? ": " : "",
               fb_json_str(row, "why"));
    }
    json_decref(rows);
}

/* The status with its card; NULL with a line on stderr. */
static json_t *status_of(const struct fb_study *study)
{
    json_t *status = fb_study_status(study);
    if (status) {
        add_card(study->path, status);
        char hash[33];
        const bool trusted = fb_study_is_trusted(study) && fb_json_hash(study->about, hash);
        fb_json_known(status, "trusted", trusted ? json_string(hash) : NULL,
                      "this user did not make it on this machine");
    }
    return status;
}

/* ---- merge ---- */

/* Of each shard that is done, to be freed at once; NULL: out of memory. */
static char **paths_done(const struct fb_study *study, const json_t *rows)
{
    char **paths = calloc(study->shards, sizeof *paths + FB_STUDY_PATH);
    size_t n = 0, i;
    json_t *row;
    json_array_foreach((json_t *)rows, i, row) {
        if (!paths || strcmp(fb_json_str(row, "state"), "done") != 0)
            continue;
        paths[n] = (char *)(paths + study->shards) + i * FB_STUDY_PATH;
        fb_study_shard_path(study, (unsigned)i + 1, paths[n++]);
    }
    return paths;
}

/* With `partial` the tables of the shards that are done, else result.json of all. */
static enum fb_exit merge_all(const struct fb_study *study, bool partial)
{
    char result[FB_STUDY_PATH], missing[160];
    json_t *status = status_of(study);
    char **paths = paths_done(study, json_object_get(status, "rows"));
    const uint64_t done = fb_json_uint(status, "done");
    enum fb_exit code = FB_EXIT_USAGE;
    snprintf(result, sizeof result, "%s/result.json", study->path);
    list_shards(json_object_get(status, "rows"), NULL, missing, sizeof missing);
    if (!paths)
        code = fb_fail(study->path, FB_ENOMEM, NULL);
    else if (*missing && partial && done)
        fb_note("%s: what %llu of %u shards have counted; missing: %s", study->path,
                (unsigned long long)done, study->shards, missing);
    else if (*missing)
        fb_error("%s: %llu of %u shards are not there yet: %s; run each with 'filterbench study "
                 "shard %s I'",
                 study->path, (unsigned long long)(study->shards - done), study->shards, missing,
                 study->path);
    if (paths && (partial ? done : status && !*missing))
        code = fb_merge_files(done, paths, partial, result);
    if (!code && !partial) {
        add_card(study->path, status);
        fb_card_print(stdout, json_object_get(status, "card"), NULL);
    }
    json_decref(status);
    free(paths);
    return code;
}

/* ---- The verb ---- */

/* With --watch again and again, until no shard runs or waits. FB_EXIT_SHARD_FAILED: one has failed.
 */
static enum fb_exit tell(const struct fb_study *study, const struct options *o)
{
    enum { PAUSE_S = 2 };
    for (;; sleep(PAUSE_S)) {
        json_t *status = status_of(study);
        if (!status)
            return FB_EXIT_USAGE;
        const bool failed = fb_json_uint(status, "failed"),
                   ends = !fb_json_uint(status, "running") && !fb_json_uint(status, "waiting");
        if (o->watch && isatty(STDOUT_FILENO))
            fputs("\033[H\033[J", stdout); /* in the place of the last one */
        const enum fb_exit code = fb_print_answer(status, o->format, print_status);
        fflush(stdout);
        if (code || ends || !o->watch)
            return !code && failed ? FB_EXIT_SHARD_FAILED : code;
    }
}

static void cancel(const struct fb_study *study)
{
    unsigned asked, elsewhere;
    fb_attempt_cancel(study->path, study->shards, &asked, &elsewhere);
    fb_note("%s: asked %u shard%s on this host to stop; a launcher that runs may start others%s",
            study->path, asked, asked == 1 ? "" : "s",
            elsewhere ? "; others run on other hosts: cancel them there" : "");
}

/* The shard of that number, from 1; 0 with a line on stderr. */
static unsigned numbered(const struct fb_study *study, const char *action, const char *number)
{
    char text[64];
    struct fb_shard shard;
    snprintf(text, sizeof text, "%.20s/%u", number, study->shards);
    if (fb_shard_parse(text, &shard))
        return shard.index + 1;
    fb_error("study %s: there is no shard '%.20s'; give a number from 1 to %u", action, number,
             study->shards);
    return 0;
}

static int act(const char *action, const char *path, const char *number, const struct options *o)
{
    struct fb_study study;
    int code = (int)fb_study_open(path, &study);
    const unsigned shard = !code && number ? numbered(&study, action, number) : 0;
    if (!code && number && !shard)
        code = FB_EXIT_USAGE;
    else if (!code && !strcmp(action, "shard"))
        code = check_trust(&study, o) ? FB_EXIT_USAGE : run_shard(&study, shard);
    else if (!code && !strcmp(action, "reset"))
        code = (int)fb_attempt_reset(study.path, shard);
    else if (!code && !strcmp(action, "cancel"))
        cancel(&study);
    else if (!code && !strcmp(action, "status"))
        code = (int)tell(&study, o);
    else if (!code)
        code = (int)merge_all(&study, o->partial);
    fb_study_close(&study);
    return code;
}

static int study(int argc, char **argv)
{
    static const char *const actions[] = {"new",   "shard",  "status", "merge",
                                          "reset", "cancel", NULL};
    enum { MOST_WORDS = 1000 };
    struct options o = {.format = FB_FORMAT_TABLE};
    const struct fb_opt opts[] = {{"shards", 0, FB_OPT_COUNT, &o.shards, 2, FB_MAX_SHARDS},
                                  {"format", 0, FB_OPT_FORMAT, &o.format, 0, 0},
                                  {"watch", 0, FB_OPT_FLAG, &o.watch, 0, 0},
                                  {"partial", 0, FB_OPT_FLAG, &o.partial, 0, 0},
                                  {"trust", 0, FB_OPT_FLAG, &o.trust, 0, 0},
                                  {"trusted", 0, FB_OPT_TEXT, &o.trusted, 0, 0},
                                  {0}};
    if (!fb_opt_parse(argc, argv, opts, MOST_WORDS))
        return FB_EXIT_USAGE;
    const int n = argc - optind;
    char **words = argv + optind;
    const char *action = n ? words[0] : "";
    if (!fb_named(action, actions, sizeof *actions)) {
        fb_error("study: %s%s%s%s (give new, shard, status, merge, reset or cancel)",
                 n ? "there is no action '" : "", n ? action : "which action?", n ? "'" : "",
                 n ? fb_did_you_mean(action, actions, sizeof *actions) : "");
        return FB_EXIT_USAGE;
    }
    const bool is_new = !strcmp(action, "new"),
               is_shard = !strcmp(action, "shard") || !strcmp(action, "reset");
    if (n < (is_shard ? 3 : 2) || (!is_new && n > (is_shard ? 3 : 2))) {
        fb_error("study %s: give a folder%s", action,
                 is_shard ? " and the number of a shard"
                 : is_new ? ""
                          : ", and nothing else");
        return FB_EXIT_USAGE;
    }
    return is_new ? (int)begin(words[1], &o, words + 2, n - 2)
                  : act(action, words[1], is_shard ? words[2] : NULL, &o);
}

const struct fb_verb fb_verb_study = {
    .name = "study",
    .example = "filterbench study new my-study --shards 4 -- run fpr",
    .usage = "study new DIR --shards N -- run|reproduce ... | shard DIR I | status DIR [--watch] | "
             "merge DIR [--partial] | reset DIR I | cancel DIR",
    .summary = "Run an experiment in shards, watch its progress, and merge the results",
    .help =
        "new DIR\tcreate DIR for the command behind --, which is tried first\n"
        "  --shards N\thow many shards, at least 2\n"
        "shard DIR I\trun shard I, counted from 1, or continue it; writes DIR/shard-I.json\n"
        "  --trust\trun the command of a study that you did not make on this machine\n"
        "  --trusted HASH\trun it if this is its hash, which `status --format json` prints of a "
        "study that is trusted\n"
        "status DIR\tprint which shards are done, running, failed or waiting, and the "
        "time left\n"
        "  --watch\tprint it again every two seconds, until no shard runs or waits\n"
        "  --format F\ttable (default) or json\n"
        "merge DIR\tjoin all shards as DIR/result.json\n"
        "  --partial\tprint what the shards that are done have counted, and write nothing\n"
        "reset DIR I\tdelete all files of shard I, so that it begins anew\n"
        "cancel DIR\tstop the shards that run on this host; they continue when they are run again\n"
        "\n"
        "Anything may run the shards: a loop, scripts/cluster/parallel (GNU parallel, "
        "also on several hosts) or scripts/cluster/slurm (a job array).\n"
        "\n"
        "DIR/shard-I.log keeps what a shard said. status ends with exit code 1 if a shard has "
        "failed. Run the shard again, and it continues where it stopped. The time left assumes "
        "that as many shards run at once as now.\n",
    .main = study,
};

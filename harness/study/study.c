#include "harness/study/study.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/environment.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/output.h"
#include "harness/study/attempt.h"
#include "harness/study/pin.h"
#include "harness/work/journal.h"
#include "harness/work/shard.h"

static void about_path(const char *folder, char path[FB_STUDY_PATH])
{
    snprintf(path, FB_STUDY_PATH, "%s/study.json", folder);
}

enum fb_exit fb_study_plan(const char *path, unsigned shards, char **command, size_t n,
                           struct fb_study *study)
{
    char folder[FB_STUDY_PATH];
    json_t *words = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(words, fb_json_text(command[i]));
    *study = (struct fb_study){.path = path, .shards = shards};
    if (!getcwd(folder, sizeof folder)) {
        json_decref(words);
        return fb_file_error(path, "this folder", errno);
    }
    study->about = json_pack("{s:i, s:i, s:s, s:o, s:o, s:o}", "study", 1, "shards", (int)shards,
                             "folder", folder, "command", words, "tool", fb_environment_tool(),
                             "files", fb_pin_files(words));
    return study->about ? FB_EXIT_OK : fb_fail(path, FB_ENOMEM, NULL);
}

/* Where the copy is that says that it is trusted; "": nowhere. */
static void trust_path(const struct fb_study *study, char path[FB_MACHINE_PATH])
{
    char hex[33] = "", name[48];
    (void)fb_json_hash(study->about, hex);
    snprintf(name, sizeof name, "study-%s", hex);
    fb_machine_file(name, path);
}

bool fb_study_is_trusted(const struct fb_study *study)
{
    char path[FB_MACHINE_PATH];
    trust_path(study, path);
    json_t *copy = *path ? json_load_file(path, 0, NULL) : NULL;
    const bool is = copy && json_equal(copy, study->about);
    json_decref(copy);
    return is;
}

void fb_study_trust(const struct fb_study *study)
{
    char path[FB_MACHINE_PATH];
    trust_path(study, path);
    if (*path)
        fb_machine_store(path, study->about);
}

enum fb_exit fb_study_make(const struct fb_study *study)
{
    char file[FB_STUDY_PATH];
    struct fb_study there = {0};
    enum fb_exit code = FB_EXIT_OK;
    bool made;
    about_path(study->path, file);
    if (!access(file, F_OK)) {
        code = fb_study_open(study->path, &there);
        if (!code && !json_equal(study->about, there.about)) {
            fb_error("%s: another study; give an empty folder, or remove that one", file);
            code = FB_EXIT_USAGE;
        }
        fb_study_close(&there);
    } else if (!(code = fb_file_folder(study->path, &made))) {
        code = fb_output_write(file, study->about);
    }
    if (!code)
        fb_study_trust(study);
    return code;
}

static bool all_texts(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return false;
    return json_array_size(list);
}

/* A pipe, which would be waited for, a folder or a device. */
static bool is_no_file(const char *path)
{
    struct stat there;
    return !stat(path, &there) && !S_ISREG(there.st_mode);
}

enum fb_exit fb_study_open(const char *path, struct fb_study *study)
{
    char file[FB_STUDY_PATH];
    memset(study, 0, sizeof *study);
    study->path = path;
    about_path(path, file);
    enum fb_exit code = is_no_file(file) ? FB_EXIT_OK : fb_json_load(file, &study->about);
    const uint64_t shards = fb_json_uint(study->about, "shards");
    study->shards = (unsigned)shards;
    if (code || (json_integer_value(json_object_get(study->about, "study")) == 1 && shards &&
                 shards <= FB_MAX_SHARDS && all_texts(json_object_get(study->about, "command"))))
        return code;
    fb_error("%s: no study; give a folder that 'filterbench study new' made", file);
    return FB_EXIT_USAGE;
}

void fb_study_close(struct fb_study *study)
{
    json_decref(study->about);
    study->about = NULL;
}

void fb_study_shard_path(const struct fb_study *study, unsigned shard, char path[FB_STUDY_PATH])
{
    snprintf(path, FB_STUDY_PATH, "%s/shard-%u.json", study->path, shard);
}

char **fb_study_command(const struct fb_study *study, unsigned shard, bool dry_run,
                        struct fb_study_room *room)
{
    const json_t *words = json_object_get(study->about, "command");
    const size_t n = json_array_size(words);
    char *const more[] = {
        "--shard", room->shard, "-o", room->path, "--resume", dry_run ? "--dry-run" : NULL, NULL};
    char **argv = calloc(n + 1 + sizeof more / sizeof *more, sizeof *argv);
    if (!argv)
        return NULL;
    snprintf(room->shard, sizeof room->shard, "%u/%u", shard, study->shards);
    fb_study_shard_path(study, shard, room->path);
    argv[0] = "filterbench";
    for (size_t i = 0; i < n; i++)
        argv[i + 1] = (char *)json_string_value(json_array_get(words, i));
    memcpy(argv + n + 1, more, sizeof more);
    return argv;
}

/* ---- How far it is ---- */

/* What is there of a shard; false with a line on stderr. */
static bool look(const struct fb_study *study, unsigned shard, json_t *rows)
{
    static const char *const told[] = {"host", "pid", "since", "ended", "exit", "why"};
    char path[FB_STUDY_PATH];
    struct fb_journal_state at = {0};
    long watcher;
    json_t *document = NULL, *row = json_pack("{s:i}", "shard", (int)shard),
           *attempt = fb_attempt_look(study->path, shard, &watcher);
    const char *state = "waiting";
    fb_study_shard_path(study, shard, path);
    if (is_no_file(path)) {
        fb_error("%s: it is no file; remove it", path);
        json_decref(row);
        json_decref(attempt);
        return false;
    }
    const bool there = !access(path, F_OK), done = there && !fb_json_load(path, &document),
               read = there || fb_journal_look(path, &at);
    if (there && !done) {
        json_decref(attempt);
        attempt = json_pack("{s:s}", "why", "its result is damaged");
    }
    if (done)
        state = "done";
    else if (at.running || watcher)
        state = "running";
    else if (at.exists || attempt)
        state = "failed";
    const json_t *exit_code = json_object_get(attempt, "exit");
    if (!strcmp(state, "failed") && json_is_integer(exit_code) && !json_integer_value(exit_code))
        json_object_set_new(attempt, "why", json_string("it ended well, and its result is gone"));
    if (!strcmp(state, "failed") && attempt && !json_object_get(attempt, "why"))
        json_object_set_new(attempt, "why", json_string("it was killed, and left no exit code"));
    const bool tells = !strcmp(state, "running") || !strcmp(state, "failed");
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        fb_json_known(row, told[i], tells ? json_incref(json_object_get(attempt, told[i])) : NULL,
                      state);
    json_object_set_new(row, "state", json_string(state));
    fb_json_known(row, "steps", at.exists ? fb_json_int(at.done) : NULL, state);
    fb_json_known(row, "of_steps", at.steps ? fb_json_int(at.steps) : NULL, state);
    fb_json_known(row, "elapsed_s",
                  done        ? json_real(fb_json_num(document, "run.elapsed_s"))
                  : at.exists ? json_real(at.elapsed_s)
                              : NULL,
                  state);
    json_array_append_new(rows, row);
    json_decref(document);
    json_decref(attempt);
    return read;
}

/* ---- Time left ---- */

/* Seconds of a whole shard like this one; NaN: it does not tell. */
static double whole_s(const json_t *row)
{
    const double elapsed_s = fb_json_num(row, "elapsed_s"), steps = fb_json_num(row, "steps");
    if (!strcmp(fb_json_str(row, "state"), "done"))
        return elapsed_s;
    return steps > 0 ? elapsed_s / steps * fmax(steps, fb_json_num(row, "of_steps")) : NAN;
}

/* "left_s" of each row; of a shard without finished steps as much as the others take on average.
 * Returns the sum; NaN where nothing tells. */
static double estimate(const json_t *rows)
{
    double sum_s = 0, n = 0, left_s = 0;
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)rows, i, row) {
        if (isfinite(whole_s(row))) {
            sum_s += whole_s(row);
            n++;
        }
    }
    json_array_foreach((json_t *)rows, i, row) {
        const bool done = !strcmp(fb_json_str(row, "state"), "done");
        const double its_s =
            isfinite(whole_s(row)) ? whole_s(row) - fb_json_num(row, "elapsed_s") : sum_s / n;
        fb_json_real(row, "left_s", done ? 0 : its_s, "no finished step tells");
        left_s += done ? 0 : its_s;
    }
    return left_s;
}

json_t *fb_study_status(const struct fb_study *study)
{
    static const char *const states[] = {"done", "running", "failed", "waiting"};
    json_t *rows = json_array(), *status = json_pack("{s:i}", "shards", (int)study->shards), *row;
    json_int_t count[4] = {0};
    bool read = true;
    for (unsigned s = 1; s <= study->shards && read; s++)
        read = look(study, s, rows);
    const double left_s = estimate(rows);
    size_t i;
    json_array_foreach(rows, i, row) {
        for (size_t s = 0; s < 4; s++)
            count[s] += !strcmp(fb_json_str(row, "state"), states[s]);
    }
    for (size_t s = 0; s < 4; s++)
        json_object_set_new(status, states[s], json_integer(count[s]));
    /* As many at a time as run now. */
    fb_json_real(status, "left_s", left_s / fmax(1, (double)count[1]), "no finished step tells");
    json_object_set_new(status, "rows", rows);
    if (read)
        return status;
    json_decref(status);
    return NULL;
}

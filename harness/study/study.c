#include "harness/study/study.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/output.h"
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
    study->about = json_pack("{s:i, s:i, s:s, s:o}", "study", 1, "shards", (int)shards, "folder",
                             folder, "command", words);
    return study->about ? FB_EXIT_OK : fb_fail(path, FB_ENOMEM, NULL);
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
    return code;
}

static bool all_texts(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return false;
    return json_array_size(list);
}

enum fb_exit fb_study_open(const char *path, struct fb_study *study)
{
    char file[FB_STUDY_PATH];
    memset(study, 0, sizeof *study);
    study->path = path;
    about_path(path, file);
    enum fb_exit code = fb_json_load(file, &study->about);
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

#include "harness/study/study.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/output.h"
#include "harness/work/shard.h"

static void about_path(const char *folder, char path[FB_STUDY_PATH])
{
    snprintf(path, FB_STUDY_PATH, "%s/study.json", folder);
}

static json_t *describe(unsigned shards, char **command, size_t n)
{
    char folder[FB_STUDY_PATH];
    json_t *words = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(words, fb_json_text(command[i]));
    return json_pack("{s:i, s:i, s:s, s:o}", "study", 1, "shards", (int)shards, "folder",
                     getcwd(folder, sizeof folder) ? folder : ".", "command", words);
}

enum fb_exit fb_study_make(const char *path, unsigned shards, char **command, size_t n)
{
    char file[FB_STUDY_PATH];
    struct fb_study there = {0};
    struct fb_output out;
    enum fb_exit code = FB_EXIT_OK;
    json_t *about = describe(shards, command, n);
    about_path(path, file);
    if (!access(file, F_OK)) {
        code = fb_study_open(path, &there);
        if (!code && !json_equal(about, there.about)) {
            fb_error("%s: another study; give an empty folder, or remove that one", file);
            code = FB_EXIT_USAGE;
        }
        fb_study_close(&there);
    } else if (mkdir(path, 0777) && errno != EEXIST) {
        fb_error("%s: cannot be made: %s", path, strerror(errno));
        code = FB_EXIT_IO;
    } else if (!(code = fb_output_open(file, &out))) {
        code = fb_output_json(&out, about);
        code = code ? code : fb_output_commit(&out);
        fb_output_close(&out);
    }
    json_decref(about);
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

char **fb_study_command(const struct fb_study *study, unsigned shard, struct fb_study_room *room)
{
    const json_t *words = json_object_get(study->about, "command");
    const size_t n = json_array_size(words);
    char *const more[] = {"--shard", room->shard, "-o", room->path, "--resume", NULL};
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

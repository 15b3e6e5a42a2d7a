#include "harness/engine/survey.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/engine/scratch.h"

enum { MOST_WHOLE = 1 << 30 };

/* ---- Which engine ---- */

/* What is copied whole, or read whole into memory. */
static bool is_read_whole(const char *name)
{
    static const char *const begins[] = {"CURRENT", "IDENTITY", "MANIFEST-", "OPTIONS-"};
    const char *dot = strrchr(name, '.');
    bool is = dot && !strcmp(dot, ".log");
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        is |= !strncmp(name, begins[i], strlen(begins[i]));
    return is;
}

/* RocksDB alone writes files of these names. */
static enum fb_exit find_engine(const char *folder, const char **name)
{
    DIR *all = opendir(folder);
    bool current = false;
    uint64_t whole = 0;
    *name = "leveldb";
    if (!all) {
        fb_error("%s: cannot be opened: %s; give the folder of a database with --db", folder,
                 strerror(errno));
        return FB_EXIT_USAGE;
    }
    for (const struct dirent *e; (e = readdir(all));) {
        struct stat there;
        if (fstatat(dirfd(all), e->d_name, &there, 0))
            continue;
        whole += is_read_whole(e->d_name) ? (uint64_t)there.st_size : 0;
        if (!S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) { /* an engine would wait */
            fb_error("%s: %s is a pipe or a device; no database has one", folder, e->d_name);
            closedir(all);
            return FB_EXIT_USAGE;
        }
        current |= !strcmp(e->d_name, "CURRENT");
        if (!strcmp(e->d_name, "IDENTITY") || !strncmp(e->d_name, "OPTIONS-", 8))
            *name = "rocksdb";
    }
    closedir(all);
    if (!current)
        fb_error("%s: no database of RocksDB or LevelDB, as it has no file CURRENT; give the "
                 "folder that "
                 "has one",
                 folder);
    if (whole > MOST_WHOLE)
        fb_error("%s: its logs and manifests have %.3g GB, and at most 1 GiB of them is read; let "
                 "its own program flush them first",
                 folder, (double)whole / 1e9);
    return current && whole <= MOST_WHOLE ? FB_EXIT_OK : FB_EXIT_USAGE;
}

/* ---- Reading ---- */

static bool take_file(void *self, const struct fb_engine_file *file)
{
    struct fb_survey *s = self;
    if (s->n_files == s->room) {
        const size_t room = 2 * s->room + 64;
        struct fb_engine_file *files = realloc(s->files, room * sizeof *files);
        if (!files)
            return false;
        s->files = files;
        s->room = room;
    }
    s->files[s->n_files++] = *file;
    return true;
}

static bool take_key(void *self, const void *key, size_t len)
{
    struct fb_survey *s = self;
    return fb_key_list_add(&s->keys, key, len);
}

static void forget(struct fb_survey *s)
{
    free(s->files);
    free(s->settings);
    fb_key_list_close(&s->keys);
    s->files = NULL;
    s->settings = NULL;
    s->n_files = s->room = 0;
}

/* Whether what the engine says is that a file is gone. */
static bool is_gone(const struct fb_engine_why *why)
{
    return strstr(why->text, "No such file") || strstr(why->text, "became shorter");
}

/* What the engine misses in the scratch folder is what the user's own lacks. */
static void name_folder(struct fb_engine_why *why, const char *scratch, const char *folder)
{
    char text[sizeof why->text];
    const char *at = *scratch ? strstr(why->text, scratch) : NULL;
    if (!at)
        return;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - why->text), why->text, folder,
             at + strlen(scratch));
    memcpy(why->text, text, sizeof text);
}

enum fb_exit fb_survey_read(const char *folder, const char *family, uint64_t keys,
                            struct fb_survey *out)
{
    enum { TIMES = 3 };
    const char *name;
    struct fb_scratch scratch = {.path = ""};
    struct fb_engine_why why = {""};
    memset(out, 0, sizeof *out);
    enum fb_exit code = find_engine(folder, &name);
    if (code)
        return code;
    out->engine = fb_engine_find(name);
    if (family && strcmp(name, "rocksdb") != 0) {
        fb_error("%s: a database of %s has no column families", folder, name);
        return FB_EXIT_USAGE;
    }
    const struct fb_engine_driver *driver = fb_engine_load(out->engine);
    if (!driver)
        return FB_EXIT_USAGE;
    out->version = driver->version;
    bool done = false;
    for (int i = 0; i < TIMES && !done && !code && (!i || is_gone(&why)); i++) {
        forget(out);
        code = fb_scratch_open(NULL, 0, false, &scratch);
        const struct fb_engine_survey survey = {.folder = folder,
                                                .family = family,
                                                .scratch = scratch.path,
                                                .keys = keys,
                                                .self = out,
                                                .file = take_file,
                                                .key = take_key};
        done = !code && driver->survey(&survey, &out->settings, &why);
        name_folder(&why, scratch.path, folder);
        fb_scratch_close(&scratch);
    }
    if (!code && !done) {
        fb_error("%s: %s%s", folder, why.text,
                 is_gone(&why) ? "; the database changes while it is read, try again" : "");
        code = FB_EXIT_IO;
    }
    if (!code && !out->n_files) {
        fb_error("%s: it has no tables: all it holds is in its log, which no filter is asked for",
                 folder);
        code = FB_EXIT_USAGE;
    }
    return code;
}

void fb_survey_close(struct fb_survey *s)
{
    forget(s);
    memset(s, 0, sizeof *s);
}

/* ---- What it says ---- */

/* The value of a setting, into out [size]; "" where it is not known. */
static void read_setting(const struct fb_survey *s, const char *name, char *out, size_t size)
{
    const size_t n = strlen(name);
    *out = '\0';
    for (const char *line = s->settings; line && *line;) {
        const size_t len = strcspn(line, "\n");
        if (!strncmp(line, name, n) && !strncmp(line + n, " = ", 3) && len >= n + 3)
            snprintf(out, size, "%.*s", (int)(len - n - 3), line + n + 3);
        line += len + (line[len] != '\0');
    }
}

static const struct fb_json_count counts[] = {FB_JSON_COUNT(struct fb_engine_file, number),
                                              FB_JSON_COUNT(struct fb_engine_file, file_bytes),
                                              FB_JSON_COUNT(struct fb_engine_file, entries),
                                              FB_JSON_COUNT(struct fb_engine_file, deletions),
                                              FB_JSON_COUNT(struct fb_engine_file, key_bytes),
                                              FB_JSON_COUNT(struct fb_engine_file, value_bytes),
                                              FB_JSON_COUNT(struct fb_engine_file, data_bytes),
                                              FB_JSON_COUNT(struct fb_engine_file, data_blocks),
                                              FB_JSON_COUNT(struct fb_engine_file, filters),
                                              FB_JSON_COUNT(struct fb_engine_file, filter_keys),
                                              FB_JSON_COUNT(struct fb_engine_file, filter_bytes),
                                              {0}};

static json_t *settings_json(const struct fb_survey *s)
{
    json_t *json = json_object();
    for (const char *line = s->settings; line && *line;) {
        const size_t len = strcspn(line, "\n"), name = strcspn(line, " ");
        char key[64], value[400];
        snprintf(key, sizeof key, "%.*s", (int)name, line);
        read_setting(s, key, value, sizeof value);
        json_object_set_new(json, key, fb_json_text(value));
        line += len + (line[len] != '\0');
    }
    return json;
}

json_t *fb_survey_json(const struct fb_survey *s)
{
    json_t *files = json_array();
    for (size_t i = 0; i < s->n_files; i++) {
        const struct fb_engine_file *f = &s->files[i];
        json_t *file = json_pack("{s:i, s:b}", "level", (int)f->level, "estimated", f->estimated);
        fb_json_set_counts(file, counts, f);
        fb_json_known(file, "design", *f->design ? json_string(f->design) : NULL,
                      f->filters ? "its filters are none of ours" : "it has no filter");
        json_object_set_new(file, "compression", fb_json_text(f->compression));
        json_array_append_new(files, file);
    }
    return json_pack("{s:s, s:s, s:o, s:o}", "engine", s->engine->name, "version", s->version,
                     "files", files, "settings", settings_json(s));
}

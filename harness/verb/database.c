#define _DEFAULT_SOURCE /* mkdtemp */
#include "harness/verb/database.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/output.h"
#include "harness/engine/survey.h"
#include "harness/kind/advise/advise.h"

/* Half of them are in the trees that are measured, and half are asked for in vain. */
enum { SAMPLE = 200000 };

/* Where the sample goes. */
static enum fb_exit find_path(struct fb_database_given *g, const struct fb_run_options *run)
{
    char path[sizeof g->keys - 8];
    g->temporary = run->dry_run || run->show || run->format == FB_FORMAT_JSON ||
                   (run->output && fb_output_is_stdout(run->output));
    if (run->output && !g->temporary) {
        snprintf(g->keys, sizeof g->keys, "%s.keys", run->output);
        return FB_EXIT_OK;
    }
    if (!g->temporary) {
        const enum fb_exit code = fb_result_default_path("advise", FB_WHOLE, path, sizeof path);
        snprintf(g->keys, sizeof g->keys, "%s.keys", path);
        return code;
    }
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/filterbench-XXXXXX", folder && *folder ? folder : "/tmp");
    if (!mkdtemp(path)) /* which nobody else can read */
        return fb_file_error(path, "cannot make a folder for keys", errno);
    snprintf(g->keys, sizeof g->keys, "%s/keys", path);
    return FB_EXIT_OK;
}

/* In format len32: the length in four bytes, then the key. */
static enum fb_exit write_keys(const char *path, const struct fb_key_list *list)
{
    struct fb_output out = {0};
    enum fb_exit code = fb_output_open(path, &out);
    const struct fb_keys keys = fb_key_list_part(list, 0, list->n);
    for (size_t i = 0; i < keys.n && !code; i++) {
        const size_t len = fb_key_len(&keys, i);
        const uint8_t length[] = {(uint8_t)len, (uint8_t)(len >> 8), (uint8_t)(len >> 16),
                                  (uint8_t)(len >> 24)};
        fwrite(length, 1, sizeof length, out.file);
        fwrite(fb_key_at(&keys, i), 1, len, out.file);
    }
    return code ? code : fb_output_end(&out, FB_EXIT_OK);
}

enum fb_exit fb_database_take(struct fb_database_given *g, struct fb_run_options *run,
                              json_t *fields)
{
    struct fb_survey survey;
    enum fb_exit code = fb_survey_read(g->folder, g->family, run->keys ? 0 : SAMPLE, &survey);
    if (!code) {
        g->database = fb_survey_json(&survey);
        json_object_set_new(g->database, "folder", fb_json_text(g->folder));
        run->database = g->database;
        fb_advise_take_database(g->database, fields);
    }
    if (!code && !run->keys) {
        code = find_path(g, run);
        if (!code)
            code = write_keys(g->keys, &survey.keys);
        run->keys = g->keys;
        run->keys_format = "len32";
    }
    if (!code && run->dry_run && run->format != FB_FORMAT_JSON)
        fb_advise_database_table(stdout, g->database, FB_TABLE_TEXT);
    fb_survey_close(&survey);
    return code;
}

void fb_database_close(struct fb_database_given *g)
{
    char *slash = strrchr(g->keys, '/');
    if (slash && g->temporary) {
        (void)unlink(g->keys);
        *slash = '\0';
        (void)rmdir(g->keys);
    }
    json_decref(g->database);
}

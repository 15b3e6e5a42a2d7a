#include "harness/document/presets.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/document/check.h"

bool fb_preset_find(const char *name, char *path, size_t size)
{
    char relative[256];
    if (strchr(name, '/') || snprintf(relative, sizeof relative, "workloads/presets/%s.json",
                                      name) >= (int)sizeof relative)
        return false;
    fb_data_path(relative, path, size);
    return !access(path, R_OK);
}

const char *fb_preset_near(const char *name, const char *const *others)
{
    enum { MOST = 2047 };
    const char *names[MOST + 1] = {0};
    json_auto_t *presets = NULL;
    size_t n = 0;
    while (others && others[n] && n < MOST) {
        names[n] = others[n];
        n++;
    }
    (void)fb_json_folder("workloads/presets", &presets);
    FB_EACH(preset, presets)
        if (n < MOST)
            names[n++] = fb_json_str(preset, "name");
    return fb_did_you_mean(name, names, sizeof *names);
}

/* The document that an experiment stands in: a result, or counts, which have neither version nor
 * hash of the content. Of a result of version 1 the experiment may be measured again, as it stands.
 */
static enum fb_exit check_around(const char *name, const json_t *whole)
{
    const bool counts =
        !json_object_get(whole, "schema") && !json_object_get(whole, "content_xxh3_128");
    enum fb_exit code = counts ? FB_EXIT_OK : fb_result_check_version(name, whole, true);
    if (code || json_integer_value(fb_json_at(whole, "schema.major")) == 1)
        return code;
    code = fb_document_check_experiment(name, whole);
    return code || counts ? code : fb_result_check_content(name, whole);
}

/* What --show-experiment prints where nobody asked for JSON. */
static bool is_settings(const uint8_t *bytes, size_t n_bytes)
{
    static const char first[] = "name = ";
    return n_bytes >= sizeof first - 1 && !memcmp(bytes, first, sizeof first - 1);
}

enum fb_exit fb_experiment_load(const char *path, json_t **document)
{
    uint8_t *bytes;
    size_t n_bytes;
    struct fb_problem problem;
    char why[FB_JSON_WHY];
    const char *name = fb_file_name(path);
    *document = NULL;
    enum fb_exit code = fb_file_read(path, &bytes, &n_bytes);
    if (code)
        return code;
    json_auto_t *whole = fb_json_parse((const char *)bytes, n_bytes, 0, why);
    const bool settings = is_settings(bytes, n_bytes);
    free(bytes);
    if (whole)
        *document = fb_experiment_in(whole, &problem);
    if (!*document) {
        fb_error("%s: %s%s", name, whole ? problem.text : why,
                 settings ? "; add --format json to --show-experiment to print JSON" : "");
        code = FB_EXIT_USAGE;
    } else if (*document != whole) {
        code = check_around(name, whole);
    }
    return code;
}

enum fb_exit fb_experiment_find(const char *verb, const char *name, json_t **document)
{
    char path[4096];
    size_t len = strlen(name);
    bool is_file =
        !strcmp(name, "-") || strchr(name, '/') || (len > 5 && !strcmp(name + len - 5, ".json"));
    *document = NULL;
    if (is_file)
        return fb_experiment_load(name, document);
    if (fb_preset_find(name, path, sizeof path))
        return fb_experiment_load(path, document);
    fb_error("%s: there is no preset '%s'%s (`filterbench list presets` shows them all; to give a "
             "file, its name must end in .json)",
             verb, name, fb_preset_near(name, NULL));
    return FB_EXIT_USAGE;
}

void fb_experiment_retell(const struct fb_kind *kind, json_t *found, json_t *given)
{
    static const char *const texts[] = {"name", "summary", "source", "runtime", NULL};
    struct fb_opened was = {0}, is = {0};
    struct fb_problem problem;
    const char *before = fb_json_str(found, "summary");
    const bool again = !strncmp(before, "Like ", 5);
    char text[1000];
    bool changed = false;
    if (kind && fb_kind_open_as(kind, found, &was, &problem) &&
        !fb_kind_open_as(kind, given, &is, &problem))
        fb_kind_close(&is);
    snprintf(text, sizeof text, again ? "%.300s" : "Like %.200s, but these fields are changed:",
             again ? before : fb_json_str(was.resolved, "name"));
    FB_EACH_MEMBER(field, value, is.resolved) {
        if (fb_named(field, texts, sizeof *texts) ||
            json_equal(value, json_object_get(was.resolved, field)))
            continue;
        fb_append(text, sizeof text, "%s %s", changed || again ? "," : "", field);
        changed = true;
    }
    for (const char *const *told = texts + 1; changed && *told; told++)
        if (json_equal(json_object_get(given, *told), json_object_get(found, *told)))
            json_object_del(given, *told);
    if (changed && !json_object_get(given, "summary"))
        json_object_set_new(given, "summary", fb_json_text(text));
    fb_kind_close(&was);
    fb_kind_close(&is);
    json_decref(found);
}

#include "harness/document/presets.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"

bool fb_preset_find(const char *name, char *path, size_t size)
{
    char relative[256];
    if (strchr(name, '/') || snprintf(relative, sizeof relative, "workloads/presets/%s.json",
                                      name) >= (int)sizeof relative)
        return false;
    fb_data_path(relative, path, size);
    return !access(path, R_OK);
}

const char *fb_preset_near(const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST + 1] = {0};
    json_t *presets, *preset;
    size_t i;
    (void)fb_json_folder("workloads/presets", &presets);
    json_array_foreach(presets, i, preset)
        if (i < MOST)
            names[i] = fb_json_str(preset, "name");
    const char *near = fb_did_you_mean(name, names, sizeof *names);
    json_decref(presets);
    return near;
}

enum fb_exit fb_experiment_load(const char *path, json_t **document)
{
    uint8_t *bytes;
    size_t n_bytes;
    struct fb_problem problem;
    *document = NULL;
    enum fb_exit code = fb_file_read(path, &bytes, &n_bytes);
    if (code)
        return code;
    *document = fb_experiment_parse((const char *)bytes, n_bytes, &problem);
    free(bytes);
    if (*document)
        return FB_EXIT_OK;
    fb_error("%s: %s", path, problem.text);
    return FB_EXIT_USAGE;
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
    fb_error("%s: no preset '%s'%s ('filterbench list presets' names them; a file ends in .json)",
             verb, name, fb_preset_near(name));
    return FB_EXIT_USAGE;
}

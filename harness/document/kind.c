#include "harness/document/kind.h"

#include <string.h>

#include "harness/base/message.h"
#include "harness/document/result.h"

extern const struct fb_run_kind fb_run_kind_fpr, fb_run_kind_kernels, fb_run_kind_lsm;

const struct fb_run_kind *const fb_run_kinds[] = {&fb_run_kind_fpr, &fb_run_kind_kernels,
                                                  &fb_run_kind_lsm, NULL};

const struct fb_run_kind *fb_run_kind_of(const json_t *experiment, struct fb_problem *problem)
{
    const json_t *given = json_object_get(experiment, "kind");
    const char *name = given ? json_string_value(given) : fb_run_kinds[0]->name;
    char accepted[100] = "";
    for (const struct fb_run_kind *const *kind = fb_run_kinds; *kind; kind++) {
        size_t used = strlen(accepted);
        if (name && !strcmp((*kind)->name, name))
            return *kind;
        snprintf(accepted + used, sizeof accepted - used, "%s%s", used ? ", " : "", (*kind)->name);
    }
    fb_refuse(problem, "kind: %s%.40s%s is no kind of experiment; give one of %s", name ? "'" : "",
              name ? name : "this", name ? "'" : "", accepted);
    return NULL;
}

static bool hash_of(const json_t *experiment, char hex[33], struct fb_problem *problem)
{
    const struct fb_run_kind *kind = fb_run_kind_of(experiment, problem);
    json_t *resolved = kind ? kind->resolve(experiment, hex, problem) : NULL;
    json_decref(resolved);
    return resolved;
}

enum fb_exit fb_result_check_experiment(const char *path, const json_t *json)
{
    const json_t *experiment = json_object_get(json, "experiment");
    struct fb_problem problem;
    char hash[33];
    if (!experiment)
        return FB_EXIT_OK;
    if (!hash_of(experiment, hash, &problem)) {
        fb_error("%s: experiment: %s", path, problem.text);
        return FB_EXIT_USAGE;
    }
    if (!strcmp(fb_json_str(json, "experiment_hash"), hash))
        return FB_EXIT_OK;
    fb_error("%s: experiment_hash is not that of the experiment (%s)", path, hash);
    return FB_EXIT_CORRECTNESS;
}

bool fb_run_kind_takes(const struct fb_run_kind *kind, const char *option, const char *field)
{
    for (const struct fb_field *f = kind->fields; field && f->name; f++)
        if (!strcmp(f->name, field))
            return true;
    for (const char *const *own = kind->options; *own; own++)
        if (!strcmp(*own, option))
            return true;
    return false;
}

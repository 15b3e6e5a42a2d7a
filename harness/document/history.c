#include "harness/document/history.h"

#include <math.h>
#include <string.h>

#include "harness/base/environment.h"

/* The runs, the latest last; an empty list where there are none yet. */
static json_t *load(char path[FB_MACHINE_PATH])
{
    fb_machine_file("history-2", path);
    json_auto_t *file = *path ? json_load_file(path, JSON_REJECT_DUPLICATES, NULL) : NULL;
    json_t *runs = json_object_get(file, "runs");
    return json_is_array(runs) ? json_incref(runs) : json_array();
}

void fb_history_add(const struct fb_opened *e, double work, const json_t *document)
{
    char path[FB_MACHINE_PATH];
    json_auto_t *runs = load(path);
    if (!*path)
        return;
    json_array_append_new(runs, json_pack("{s:s, s:s, s:O, s:f, s:f}", "kind", e->kind->name,
                                          "experiment_hash", e->hash_hex, "started",
                                          fb_json_at(document, "run.started"), "seconds",
                                          fb_json_num(document, "run.elapsed_s"), "work", work));
    while (json_array_size(runs) > FB_HISTORY_RUNS)
        json_array_remove(runs, 0);
    json_auto_t *file = json_pack("{s:O}", "runs", runs);
    fb_machine_store(path, file);
}

size_t fb_history_rates(const struct fb_opened *e, bool same_experiment, double *out, size_t room)
{
    const char *member = same_experiment ? "experiment_hash" : "kind";
    const char *value = same_experiment ? e->hash_hex : e->kind->name;
    char path[FB_MACHINE_PATH];
    json_auto_t *runs = load(path);
    size_t n = 0;
    for (size_t i = json_array_size(runs); i-- && n < room;) {
        const json_t *run = json_array_get(runs, i);
        const double rate = fb_json_num(run, "seconds") / fb_json_num(run, "work");
        if (!strcmp(fb_json_str(run, member), value) && rate > 0 && isfinite(rate))
            out[n++] = rate;
    }
    return n;
}

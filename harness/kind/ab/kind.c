/* Kind "ab" of experiments. */
#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/message.h"
#include "harness/filter/plugin.h"
#include "harness/kind/ab/ab.h"

static const json_t *open(void *self, const json_t *given, struct fb_problem *problem)
{
    struct fb_ab *ab = self;
    return fb_ab_resolve(given, ab, problem) ? ab->document : NULL;
}

static void close(void *self)
{
    fb_ab_close(self);
}

static bool is_loaded(const char *prefix)
{
    for (size_t i = 0; i < fb_n_plugins(); i++)
        if (fb_plugin_at(i)->prefix && !strcmp(fb_plugin_at(i)->prefix, prefix))
            return true;
    return false;
}

/* path: of a profile that must be there, "none", or NULL: the machine's own, if there is one. */
static enum fb_exit load_profile(struct fb_ab *ab, const char *path)
{
    static char why[80];
    char own[FB_MACHINE_PATH];
    json_auto_t *profile = NULL;
    ab->no_profile = "no profile was to be used";
    if (path && !strcmp(path, "none"))
        return FB_EXIT_OK;
    fb_machine_file("machine", own);
    const enum fb_exit code = fb_profile_load(path ? path : own, &profile);
    if (code)
        return code;
    if (path && !profile) {
        fb_error("%s: there is no such file; `filterbench calibrate` writes one", path);
        return FB_EXIT_USAGE;
    }
    ab->no_profile = "no profile of this machine; `filterbench calibrate` makes one";
    const size_t n = fb_profile_cells(profile);
    if (n >= FB_PROFILE_LEAST) {
        ab->profile = fb_profile_summary(profile);
    } else if (profile) {
        snprintf(why, sizeof why, "its profile has %zu of %d cells of equal designs", n,
                 FB_PROFILE_LEAST);
        ab->no_profile = why;
    }
    return FB_EXIT_OK;
}

/* Both plugins must be there, and have the designs. */
static enum fb_exit load(void *self, const struct fb_run_options *o, json_t **about)
{
    struct fb_ab *ab = self;
    (void)about;
    if (!is_loaded("base") || !is_loaded("head") || !is_loaded("same") || !is_loaded("twin")) {
        fb_error("%s: it compares two plugins: filterbench ab BASE HEAD [EXPERIMENT]", o->name);
        return FB_EXIT_USAGE;
    }
    ab->links = true;
    for (size_t i = 0; i < fb_n_plugins(); i++)
        ab->links = ab->links && (!fb_plugin_at(i)->prefix || fb_plugin_at(i)->n_links);
    for (size_t i = 0; i < ab->n_cells; i++) {
        static const char *const sides[] = {"base", "head"};
        for (int side = 0; side < 2; side++) {
            char name[64];
            snprintf(name, sizeof name, "%s:%.50s", sides[side], ab->cells[i].design);
            if (fb_design_find(name))
                continue;
            fb_error("%s: designs: no design '%s' in %s", o->name, ab->cells[i].design,
                     side ? "HEAD" : "BASE");
            return FB_EXIT_USAGE;
        }
    }
    return load_profile(ab, o->profile);
}

static json_t *plan(const void *self)
{
    const struct fb_ab *ab = self;
    return fb_plan_rows(ab->cells->id, ab->n_cells, sizeof *ab->cells, NULL);
}

static enum fb_exit run(void *self, const struct fb_run_options *o, struct fb_work *work,
                        json_t *document)
{
    (void)work;
    return fb_ab_run(self, (unsigned)o->threads, document);
}

/* Whether there is such a filter, only the plugins can tell. */
static json_t *ids(void *self, const json_t *document, struct fb_problem *problem)
{
    const struct fb_ab *ab = self;
    json_t *ids = json_object();
    (void)document, (void)problem;
    for (size_t i = 0; ab->processes[0] && i < ab->n_cells; i++)
        json_object_set_new(ids, ab->cells[i].id, json_null());
    return ids;
}

static const char *contradiction(void *self, size_t number, const json_t *cell)
{
    static const char *const members[] = {"design", "footprint", "operation"};
    static char text[80];
    const char *rest = fb_json_str(cell, "id"); /* "sbbf-256/L1/batch" */
    (void)self, (void)number;
    for (size_t i = 0; i < 3; i++) {
        const size_t len = strcspn(rest, "/");
        const char *written = fb_json_str(cell, members[i]);
        snprintf(text, sizeof text, "%s: its id says %.*s", members[i], (int)len, rest);
        if (strlen(written) != len || strncmp(written, rest, len) != 0)
            return text;
        rest += len + (rest[len] == '/');
    }
    return NULL;
}

static bool derive(void *self, json_t *document, struct fb_problem *problem)
{
    FB_EACH_AT(i, control, json_object_get(document, "controls")) {
        const json_t *before =
            i ? json_array_get(json_object_get(document, "controls"), i - 1) : NULL;
        const char *why = contradiction(self, 0, control);
        if (why || json_equal(json_object_get(before, "id"), json_object_get(control, "id")))
            return fb_refuse(problem, "controls: %s", why ? why : "one is there twice");
    }
    return fb_ab_derive(self, document, problem);
}

static json_t *exact(const json_t *cell)
{
    static const char *const members[] = {"id", "design", "footprint", "operation", "filter", NULL};
    return fb_json_members(cell, members);
}

static void exact_beside(const json_t *document, json_t *counts)
{
    json_object_set(counts, "exact", json_object_get(document, "exact"));
}

static const char *const options[] = {"threads", NULL};

const struct fb_kind fb_kind_ab = {
    .name = "ab",
    .summary = "two revisions of the designs: what is not equal, and what became slower",
    .unit = "cells",
    .fields = fb_ab_fields,
    .options = options,
    .self_bytes = sizeof(struct fb_ab),
    .open = open,
    .close = close,
    .load = load,
    .plan = plan,
    .run = run,
    .ids = ids,
    .contradiction = contradiction,
    .derive = derive,
    .warn = fb_ab_warn,
    .exact = exact,
    .exact_beside = exact_beside,
    .card = fb_ab_card,
    .table = fb_ab_table,
    .figures = fb_ab_figures,
};

#include "harness/document/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"

#define KIND(name) extern const struct fb_kind fb_kind_##name;
#include "kinds.def"
#undef KIND

#define KIND(name) &fb_kind_##name,
const struct fb_kind *const fb_kinds[] = {
#include "kinds.def"
    NULL};
#undef KIND

const struct fb_kind *fb_kind_find(const char *name)
{
    const struct fb_kind *const *kind = fb_kinds;
    while (*kind && strcmp((*kind)->name, name) != 0)
        kind++;
    return *kind;
}

const struct fb_kind *fb_kind_of(const json_t *experiment, struct fb_problem *problem)
{
    const json_t *given = json_object_get(experiment, "kind");
    const char *name = given ? json_string_value(given) : fb_kinds[0]->name;
    const struct fb_kind *found = name ? fb_kind_find(name) : NULL;
    enum { MOST = 31 };
    const char *names[MOST + 1] = {0};
    char accepted[200] = "";
    if (found)
        return found;
    for (size_t i = 0; i < MOST && fb_kinds[i]; i++) {
        size_t used = strlen(accepted);
        names[i] = fb_kinds[i]->name;
        snprintf(accepted + used, sizeof accepted - used, "%s%s", used ? ", " : "", names[i]);
    }
    fb_refuse(problem, "kind: %s%.40s%s is no kind of experiment; give one of %s%s",
              name ? "'" : "", name ? name : "this", name ? "'" : "", accepted,
              name ? fb_did_you_mean(name, names, sizeof *names) : "");
    return NULL;
}

bool fb_kind_takes(const struct fb_kind *kind, const char *option, const char *field)
{
    for (const struct fb_field *f = kind->fields; field && f->name; f++)
        if (!strcmp(f->name, field))
            return true;
    for (const char *const *own = kind->options; *own; own++)
        if (!strcmp(*own, option))
            return true;
    return false;
}

json_t *fb_ids_planned(const json_t *rows)
{
    json_t *ids = json_object();
    FB_EACH(row, rows)
        json_object_set_new(ids, fb_json_str(row, "id"),
                            json_boolean(json_is_null(json_object_get(row, "why_not"))));
    return ids;
}

json_t *fb_ids_written(const json_t *document)
{
    static const char *const lists[] = {"cells", "skipped"};
    json_t *ids = json_object();
    for (size_t l = 0; l < 2; l++)
        FB_EACH(row, json_object_get(document, lists[l]))
            json_object_set_new(ids, fb_json_str(row, "id"), json_null());
    return ids;
}

json_t *fb_plan_rows(const char *ids, size_t n, size_t stride, const json_t *skipped)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(rows, json_pack("{s:s, s:n}", "id", ids + i * stride, "why_not"));
    FB_EACH(row, skipped)
        json_array_append_new(rows, json_pack("{s:O, s:O}", "id", json_object_get(row, "id"),
                                              "why_not", json_object_get(row, "why")));
    return rows;
}

void fb_skip(json_t *skipped, const char *id, const char *why)
{
    const json_t *last = json_array_get(skipped, json_array_size(skipped) - 1);
    if (strcmp(fb_json_str(last, "id"), id) != 0)
        json_array_append_new(skipped, json_pack("{s:s, s:s}", "id", id, "why", why));
}

const char *fb_otherwise(json_t *expected, const json_t *cell)
{
    static char text[200];
    const char *where = NULL;
    const bool agrees = fb_json_agree(expected, cell, &where);
    snprintf(text, sizeof text, "%.100s: this filterbench has it otherwise", where ? where : "it");
    json_decref(expected);
    return agrees ? NULL : text;
}

bool fb_kind_open_as(const struct fb_kind *kind, const json_t *experiment, struct fb_opened *out,
                     struct fb_problem *problem)
{
    *out = (struct fb_opened){.kind = kind, .self = calloc(1, kind->self_bytes)};
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    out->resolved = out->self ? kind->open(out->self, experiment, problem) : NULL;
    json_t *early = out->resolved ? fb_fields_early(kind->fields, out->resolved) : NULL;
    const bool hashed = early && fb_experiment_hash(early, out->hash_hex);
    json_decref(early);
    return hashed;
}

bool fb_kind_open(const json_t *experiment, struct fb_opened *out, struct fb_problem *problem)
{
    const struct fb_kind *kind = fb_kind_of(experiment, problem);
    memset(out, 0, sizeof *out);
    return kind && fb_kind_open_as(kind, experiment, out, problem);
}

void fb_kind_close(struct fb_opened *opened)
{
    if (opened->self)
        opened->kind->close(opened->self);
    free(opened->self);
    memset(opened, 0, sizeof *opened);
}

bool fb_is_timed(const struct fb_opened *opened)
{
    const struct fb_sharing *sharing = opened->kind->sharing;
    return sharing->timed ? sharing->timed(opened->self) : sharing->always_timed;
}

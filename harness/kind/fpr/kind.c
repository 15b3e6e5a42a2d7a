/* Experiments of kind "fpr", from `run` to the cells that are counted. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/document/kind.h"
#include "harness/document/run.h"
#include "harness/document/user_keys.h"
#include "harness/kind/fpr/check.h"
#include "harness/kind/fpr/runner.h"

/* With a file of keys, "file" joins the kinds of keys unless the experiment names it itself. */
static void add_file_keys(json_t *document)
{
    json_t *keys = json_object_get(document, "keys");
    json_t *list = json_is_array(keys) ? json_copy(keys) : json_array();
    if (!keys)
        json_array_append_new(list, json_string("random"));
    else if (!json_is_array(keys))
        json_array_append(list, keys);
    json_array_append_new(list, json_string("file")); /* repeats are dropped */
    json_object_set_new(document, "keys", list);
}

/* ---- What to do with the experiment ---- */

static json_t *resolve(const json_t *given, char hash_hex[33], struct fb_problem *problem)
{
    struct fb_experiment e;
    json_t *resolved = NULL;
    if (fb_experiment_resolve(given, &e, problem)) {
        resolved = json_incref(e.document);
        memcpy(hash_hex, e.hash_hex, sizeof e.hash_hex);
    }
    fb_experiment_close(&e);
    return resolved;
}

static enum fb_exit plan(const struct fb_cell *cells, size_t n, enum fb_output_format format)
{
    static const char *const columns[] = {"id", "filters", "probes_each", "why_not", NULL};
    json_t *rows = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(rows, json_pack("{s:s, s:I, s:I, s:s?}", "id", cells[i].id, "filters",
                                              (json_int_t)cells[i].spec.filters, "probes_each",
                                              (json_int_t)cells[i].spec.probes_per_filter,
                                              "why_not", cells[i].why));
    json_t *document = json_pack("{s:I, s:o}", "n_cells", (json_int_t)n, "cells", rows);
    enum fb_exit code = fb_run_plan(document, columns, format);
    json_decref(document);
    return code;
}

struct measuring {
    const struct fb_cell *cells;
    size_t n_cells;
    unsigned threads;
};

static enum fb_exit measure(const void *self, json_t *document)
{
    const struct measuring *m = self;
    return fb_run_cells(m->cells, m->n_cells, m->threads, document);
}

/* False, with a line, where the experiment wants a file of keys and there is none. */
static bool has_keys(const struct fb_run_options *o, const struct fb_experiment *e)
{
    for (size_t i = 0; !o->keys && i < e->n_keys; i++) {
        if (!e->keys[i]) {
            fb_error("%s: keys: the experiment asks for \"file\"; give it with --keys FILE",
                     o->name);
            return false;
        }
    }
    return true;
}

static enum fb_exit plan_or_measure(const struct fb_run_options *o, const struct fb_experiment *e)
{
    struct fb_user_keys user = {0};
    struct fb_cell *cells = NULL;
    size_t n_cells = 0;
    enum fb_exit code = has_keys(o, e) ? FB_EXIT_OK : FB_EXIT_USAGE;
    if (!code && o->keys)
        code = fb_user_keys_load(o->keys, o->keys_format, FB_USER_KEYS_AS_GIVEN, &user);
    if (code)
        goto out;
    cells = fb_experiment_cells(e, o->keys ? &user.distinct.keys : NULL, &n_cells);
    if (!cells) {
        code = fb_fail(o->name, FB_ENOMEM, NULL);
    } else if (o->dry_run) {
        code = plan(cells, n_cells, o->format);
    } else {
        struct measuring measuring = {cells, n_cells, (unsigned)o->threads};
        struct fb_run_subject s = {.output = o->output,
                                   .format = o->format,
                                   .kind = "fpr",
                                   .name = e->name,
                                   .resolved = e->document,
                                   .about_keys = user.about,
                                   .hash_hex = e->hash_hex,
                                   .seed = e->seed,
                                   .into = measure,
                                   .self = &measuring};
        code = fb_run_document(&s, o->argc, o->argv);
    }
out:
    free(cells);
    fb_user_keys_close(&user);
    return code;
}

static enum fb_exit run(const struct fb_run_options *o, json_t *given)
{
    struct fb_experiment e;
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_USAGE;
    if (o->keys)
        add_file_keys(given);
    if (!fb_experiment_resolve(given, &e, &problem))
        fb_error("%s: %s", o->name, problem.text);
    else if (o->show)
        code = fb_run_show(e.document, o->format);
    else
        code = plan_or_measure(o, &e);
    fb_experiment_close(&e);
    return code;
}

static const char *const options[] = {"keys", "keys-format", "threads", NULL};

const struct fb_run_kind fb_run_kind_fpr = {
    .name = "fpr",
    .fields = fb_experiment_fields,
    .options = options,
    .resolve = resolve,
    .run = run,
    .check = fb_fpr_check,
};

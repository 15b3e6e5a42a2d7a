/* Experiments of kind "lsm", from `run` to the trees that are built. */
#include <string.h>

#include "harness/base/message.h"
#include "harness/document/kind.h"
#include "harness/document/run.h"
#include "harness/document/user_keys.h"
#include "harness/kind/lsm/trace.h"

enum { CI_DEVICE_BYTES = 16 << 20 };

/* With a file, half of its keys are those of the tree, which keeps its levels; a trace says what is
 * asked as well. Where there is no short form, null is left for the field to refuse. */
static void prepare(json_t *given, const struct fb_run_options *o)
{
    struct fb_problem problem;
    if (o->ci && !fb_lsm_ci(given, &problem))
        json_object_set_new(given, "ci", json_null());
    if (o->ci)
        json_object_set_new(given, "device_bytes", json_integer(CI_DEVICE_BYTES));
    if (o->histograms)
        json_object_set_new(given, "histograms", json_true());
    if (!o->keys && !o->trace)
        return;
    json_object_set_new(given, "keys", json_string(o->trace ? "trace" : "file"));
    json_object_set_new(given, "n", json_integer(0));
    if (o->trace)
        json_object_set_new(given, "absent", json_integer(0));
}

static json_t *resolve(const json_t *given, char hash_hex[33], struct fb_problem *problem)
{
    struct fb_lsm e;
    json_t *resolved = NULL;
    if (fb_lsm_resolve(given, &e, problem)) {
        resolved = json_incref(e.document);
        memcpy(hash_hex, e.hash_hex, sizeof e.hash_hex);
    }
    fb_lsm_close(&e);
    return resolved;
}

struct measuring {
    struct fb_lsm *e; /* its device is set */
    const struct fb_keys *file;
    unsigned threads;
};

static enum fb_exit measure(const void *self, json_t *document)
{
    const struct measuring *m = self;
    enum fb_exit code = fb_lsm_measure_device(m->e, m->file, document);
    if (code)
        json_object_del(document, "cells");
    return code ? code : fb_lsm_run(m->e, m->file, m->threads, document);
}

static enum fb_exit plan(const struct fb_lsm *e, const struct fb_keys *file,
                         enum fb_output_format format)
{
    static const char *const columns[] = {"id", "keys", "filter_bytes", "seconds", "why_not", NULL};
    json_t *document = fb_lsm_plan(e, file);
    enum fb_exit code = fb_run_plan(document, columns, format);
    json_decref(document);
    return code;
}

/* False, with a line, where a tree cannot stand: a file is missing or too small, for one. */
static bool trees_stand(const struct fb_lsm *e, const struct fb_keys *file, const char *name)
{
    for (size_t i = 0; i < e->n_trees; i++) {
        struct fb_tree_shape shape;
        struct fb_problem problem;
        if (!fb_lsm_shape(e, i, file, &shape, &problem)) {
            fb_error("%s: %s", name, problem.text);
            return false;
        }
    }
    return true;
}

static enum fb_exit plan_or_measure(const struct fb_run_options *o, struct fb_lsm *e)
{
    struct fb_user_keys user = {0};
    struct fb_lsm_trace trace = {0};
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_OK;
    if (o->keys)
        code = fb_user_keys_load(o->keys, o->keys_format, FB_USER_KEYS_SORTED, &user);
    if (o->trace) {
        code = fb_lsm_trace_load(o->trace, o->trace_format, &trace);
        e->trace = &trace;
        e->n_queries = trace.gets;
    }
    const struct fb_keys *file = o->keys ? &user.distinct.keys : NULL;
    if (!code && !trees_stand(e, file, o->keys ? o->keys : o->name))
        code = FB_EXIT_USAGE;
    if (!code && o->dry_run) {
        code = plan(e, file, o->format);
    } else if (!code && !fb_lsm_fits(e, file, &problem)) {
        fb_error("%s: %s", o->name, problem.text);
        code = FB_EXIT_USAGE;
    } else if (!code) {
        struct measuring measuring = {e, file, (unsigned)o->threads};
        struct fb_run_subject s = {.output = o->output,
                                   .format = o->format,
                                   .kind = "lsm",
                                   .name = e->name,
                                   .resolved = e->document,
                                   .about_keys = o->trace ? trace.about : user.about,
                                   .hash_hex = e->hash_hex,
                                   .seed = e->seed,
                                   .into = measure,
                                   .self = &measuring};
        code = fb_run_document(&s, o->argc, o->argv);
    }
    fb_user_keys_close(&user);
    fb_lsm_trace_close(&trace);
    e->trace = NULL;
    return code;
}

/* False, with a line, where a file is given that no tree is made of. */
static bool uses_file(const struct fb_run_options *o, const struct fb_lsm *e)
{
    bool used = !o->keys && !o->trace;
    for (size_t i = 0; i < e->n_trees; i++)
        used = used || (o->trace ? e->trees[i].trace : e->trees[i].file);
    if (!used)
        fb_error("%s: keys: the experiment does not ask for the file of --%s; leave out keys, or "
                 "name \"%s\" there",
                 o->name, o->trace ? "trace" : "keys", o->trace ? "trace" : "file");
    return used;
}

static enum fb_exit run(const struct fb_run_options *o, json_t *given)
{
    struct fb_lsm e = {0};
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_USAGE;
    if (!fb_lsm_resolve(given, &e, &problem))
        fb_error("%s: %s", o->name, problem.text);
    else if (!uses_file(o, &e))
        code = FB_EXIT_USAGE;
    else if (o->show)
        code = fb_run_show(e.document, o->format);
    else
        code = plan_or_measure(o, &e);
    fb_lsm_close(&e);
    return code;
}

static const char *const options[] = {"keys",    "keys-format", "trace",      "trace-format",
                                      "threads", "ci",          "histograms", NULL};

const struct fb_run_kind fb_run_kind_lsm = {
    .name = "lsm",
    .fields = fb_lsm_fields,
    .options = options,
    .prepare = prepare,
    .resolve = resolve,
    .run = run,
    .check = fb_lsm_check,
};

/* Experiments of kind "kernels", from `run` to the grid that measures times. */
#include <string.h>

#include "harness/base/message.h"
#include "harness/document/kind.h"
#include "harness/document/run.h"
#include "harness/kind/kernels/kernels.h"

static void prepare(json_t *given, const struct fb_run_options *o)
{
    if (o->quick)
        fb_kernels_quick(given);
    if (o->full)
        fb_kernels_full(given);
    if (o->histograms)
        json_object_set_new(given, "histograms", json_true());
}

static json_t *resolve(const json_t *given, char hash_hex[33], struct fb_problem *problem)
{
    struct fb_kernels e;
    json_t *resolved = NULL;
    if (fb_kernels_resolve(given, &e, problem)) {
        resolved = json_incref(e.document);
        memcpy(hash_hex, e.hash_hex, sizeof e.hash_hex);
    }
    fb_kernels_close(&e);
    return resolved;
}

static enum fb_exit measure(const void *self, json_t *document)
{
    return fb_kernels_run(self, document);
}

static enum fb_exit plan(const struct fb_kernels *e, enum fb_output_format format)
{
    static const char *const columns[] = {"id", "why_not", NULL};
    json_t *document = fb_kernels_cells(e);
    enum fb_exit code = fb_run_plan(document, columns, format);
    json_decref(document);
    return code;
}

static enum fb_exit run(const struct fb_run_options *o, json_t *given)
{
    struct fb_kernels e;
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_USAGE;
    if (!fb_kernels_resolve(given, &e, &problem)) {
        fb_error("%s: %s", o->name, problem.text);
    } else if (o->show) {
        code = fb_run_show(e.document, o->format);
    } else if (!fb_kernels_can_run(&e, &problem)) {
        fb_error("%s: %s", o->name, problem.text);
    } else if (o->dry_run) {
        code = plan(&e, o->format);
    } else {
        struct fb_run_subject s = {.output = o->output,
                                   .format = o->format,
                                   .quick = o->quick,
                                   .kind = "kernels",
                                   .name = e.name,
                                   .resolved = e.document,
                                   .hash_hex = e.hash_hex,
                                   .seed = e.options.group.seed,
                                   .into = measure,
                                   .self = &e};
        code = fb_run_document(&s, o->argc, o->argv);
    }
    fb_kernels_close(&e);
    return code;
}

static enum fb_exit check(const char *path, const json_t *document)
{
    enum fb_exit code = fb_kernels_check_cells(path, document);
    return code ? code : fb_kernels_check(path, document);
}

static const char *const options[] = {"quick", "full", "histograms", NULL};

const struct fb_run_kind fb_run_kind_kernels = {
    .name = "kernels",
    .fields = fb_kernels_fields,
    .options = options,
    .prepare = prepare,
    .resolve = resolve,
    .run = run,
    .check = check,
};

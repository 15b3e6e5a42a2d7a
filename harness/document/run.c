#include "harness/document/run.h"

#include "harness/base/message.h"
#include "harness/base/output.h"
#include "harness/base/parallel.h"
#include "harness/base/print.h"
#include "harness/measure/clock.h"

enum fb_exit fb_run_print(const json_t *document)
{
    struct fb_output out;
    enum fb_exit code = fb_output_open(NULL, &out);
    if (!code)
        code = fb_output_json(&out, document);
    return code ? code : fb_output_commit(&out);
}

enum fb_exit fb_run_show(const json_t *resolved, enum fb_output_format format)
{
    if (format == FB_FORMAT_JSON)
        return fb_run_print(resolved);
    fb_print_settings(stdout, resolved);
    return FB_EXIT_OK;
}

enum fb_exit fb_run_plan(const json_t *document, const char *const *columns,
                         enum fb_output_format format)
{
    if (format == FB_FORMAT_JSON)
        return fb_run_print(document);
    fb_print_rows(stdout, json_object_get(document, "cells"), columns);
    return FB_EXIT_OK;
}

/* An unfinished document, beside where the finished one would be. */
static enum fb_exit write_partial(const char *path, const json_t *document)
{
    char partial[4096 + 16];
    struct fb_output out;
    snprintf(partial, sizeof partial, "%s.partial", path);
    enum fb_exit code = fb_output_open(partial, &out);
    if (!code)
        code = fb_output_json(&out, document);
    if (!code)
        code = fb_output_commit(&out);
    fb_output_close(&out);
    if (!code)
        fb_note("the cells so far are in %s", partial);
    return code;
}

enum fb_exit fb_run_document(const struct fb_run_subject *s, int argc, char **argv)
{
    char path[4096] = "";
    struct fb_output out = {0};
    bool json = s->format == FB_FORMAT_JSON,
         to_stdout = s->output && fb_output_is_stdout(s->output);
    enum fb_exit code = FB_EXIT_OK;
    json |= to_stdout;
    if (s->output && !to_stdout)
        snprintf(path, sizeof path, "%s", s->output);
    else if (!json)
        code = fb_result_default_path(s->name, path, sizeof path);
    if (!code && *path)
        code = fb_output_open(path, &out);
    if (code)
        return code;
    fb_interrupt_install();
    uint64_t started_ns = fb_system_clock.wall_ns(fb_system_clock.self);
    json_t *subject =
        json_pack("{s:O, s:s}", "experiment", s->resolved, "experiment_hash", s->hash_hex);
    fb_json_known(subject, "key_file", s->about_keys ? json_incref(s->about_keys) : NULL,
                  "no key file was given");
    json_t *document = fb_result_begin(s->kind, argc, argv, s->seed, subject);
    json_decref(subject);
    if (s->quick)
        fb_result_warn(document, "quick", NULL, "--quick: a smoke test, not for publication");
    enum fb_exit ran = s->into(s->self, document);
    uint64_t ended_ns = fb_system_clock.wall_ns(fb_system_clock.self);
    fb_result_finish(document, (double)(ended_ns - started_ns) * 1e-9, ran == FB_EXIT_OK);
    if (!ran && *path)
        code = fb_output_json(&out, document);
    if (!ran && *path && !code)
        code = fb_output_commit(&out);
    fb_output_close(&out);
    bool begun = json_object_get(document, "cells");
    bool partial = begun && (ran == FB_EXIT_INTERRUPTED || ran == FB_EXIT_CORRECTNESS);
    if (*path && partial)
        code = write_partial(path, document);
    if (!code && json && (!ran || partial))
        code = fb_run_print(document);
    else if (!code && !ran)
        fb_table_print(stdout, document, FB_TABLE_TEXT);
    if (!code && !ran && *path)
        fb_note("wrote %s", path);
    json_decref(document);
    return ran ? ran : code;
}

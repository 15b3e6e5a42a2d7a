#include "harness/document/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/base/print.h"
#include "harness/base/same_file.h"
#include "harness/base/table.h"
#include "harness/document/history.h"
#include "harness/document/resume.h"
#include "harness/document/shown.h"
#include "harness/filter/tuning.h"
#include "harness/measure/clock.h"
#include "harness/measure/noise.h"

enum { PATH_SIZE = 4096, PARTIAL_SIZE = PATH_SIZE + 16 };

/* An interrupted run may have to write there: a file that was read is refused before any work. */
static enum fb_exit partial_is_free(const char *path)
{
    char partial[PARTIAL_SIZE];
    snprintf(partial, sizeof partial, "%s.partial", path);
    return fb_same_file_writes(partial);
}

/* older [PATH_SIZE]: as of fb_output_commit_beside; NULL: what stands there is replaced. */
static enum fb_exit write_whole(struct fb_output *out, const json_t *document, char *older)
{
    enum fb_exit code = fb_output_json(out, document);
    return code ? code : fb_output_commit_beside(out, older, PATH_SIZE);
}

/* The finished document has what the interrupted run that it went on from left there. */
static void drop_partial(const char *path)
{
    char partial[PARTIAL_SIZE];
    snprintf(partial, sizeof partial, "%s.partial", path);
    (void)!unlink(partial);
}

/* An unfinished document, beside where the finished one would be. */
static void write_partial(const char *path, bool journal, const json_t *document)
{
    char partial[PARTIAL_SIZE];
    snprintf(partial, sizeof partial, "%s.partial", path);
    if (!fb_output_write(partial, document))
        fb_note("the %s so far are in %s%s", fb_kind_find(fb_json_str(document, "kind"))->unit,
                partial, journal ? "; --resume goes on" : "");
}

/* Half of a user's keys are held out and asked for: of 500 absent keys a filter of 1 % lets five
 * through, and a filter of 500 keys is fuller or emptier than most by a twentieth of its rate. */
enum { FEW_KEYS = 1000 };

/* The document before anything is measured. */
static json_t *begin(const struct fb_opened *e, const struct fb_run_options *o,
                     struct fb_shard shard, json_t *about)
{
    uint64_t seed = strtoull(fb_json_str(e->resolved, "seed"), NULL, 16);
    json_t *subject = json_pack("{s:O, s:s}", "experiment", (json_t *)e->resolved,
                                "experiment_hash", e->hash_hex);
    const uint64_t n_keys = fb_json_uint(about, "given") - fb_json_uint(about, "dropped");
    fb_json_known(subject, "key_file", json_incref(about), "no key file was given");
    json_t *document = fb_result_begin(e->kind->name, o->argc, o->argv, seed, subject);
    json_decref(subject);
    if (shard.of > 1) {
        json_object_set_new(json_object_get(document, "run"), "shard", fb_shard_json(shard));
        json_object_set_new(document, "fragments", json_array());
    }
    if (o->quick && !json_object_get(e->resolved, "effort")) /* else its kind warns */
        fb_result_warn(document, "quick", NULL, "--quick: a smoke test, not for publication");
    if (o->keys && n_keys < FEW_KEYS)
        fb_result_warn(document, "few-keys", NULL,
                       "%s: %llu distinct keys are few: what they show need not hold for more",
                       o->keys, (unsigned long long)n_keys);
    return document;
}

/* Of a document with times: "timing.tuning". */
static void tell_tuning(json_t *document)
{
    json_t *timing = json_object_get(document, "timing");
    if (!timing && !json_object_get(document, "times"))
        return;
    if (!timing)
        json_object_set_new(document, "timing", timing = json_object());
    json_object_set_new(timing, "tuning", fb_tuning_json());
}

/* Measures and derives. */
static enum fb_exit fill(const struct fb_opened *e, const struct fb_run_options *o,
                         struct fb_work *work, json_t *document)
{
    struct fb_problem problem;
    fb_refuse(&problem, "%s", fb_err_text(FB_ENOMEM));
    double started_s = fb_seconds();
    work->document = document;
    enum fb_exit code = e->kind->run(e->self, o, work, document);
    tell_tuning(document);
    bool kept = !code || code == FB_EXIT_INTERRUPTED || code == FB_EXIT_CORRECTNESS;
    if (kept && !e->kind->derive(e->self, document, &problem)) {
        fb_error("%s: %s", o->name, problem.text);
        code = FB_EXIT_CORRECTNESS;
    }
    if (kept && e->kind->warn)
        e->kind->warn(document);
    if (kept)
        fb_result_warn_tuning(document);
    fb_result_finish(document, fb_seconds() - started_s, !code);
    return code;
}

/* Where the document goes; "": to stdout alone. */
static enum fb_exit find_path(const struct fb_opened *e, const struct fb_run_options *o,
                              struct fb_shard shard, char *path, size_t size)
{
    path[0] = '\0';
    if (o->output && !fb_output_is_stdout(o->output))
        snprintf(path, size, "%s", o->output);
    else if (!o->output && !o->quiet && o->format != FB_FORMAT_JSON)
        return fb_result_default_path(fb_json_str(e->resolved, "name"), shard, path, size);
    return FB_EXIT_OK;
}

static bool is_json(const struct fb_run_options *o)
{
    return o->format == FB_FORMAT_JSON || (o->output && fb_output_is_stdout(o->output));
}

static enum fb_exit print(const struct fb_run_options *o, json_t *document)
{
    if (is_json(o))
        return fb_print_answer(json_incref(document), FB_FORMAT_JSON, NULL);
    fb_document_table(stdout, document, FB_TABLE_TEXT);
    return FB_EXIT_OK;
}

/* Of a run that did not finish: the cells there are, kept and printed. */
static void keep(const struct fb_opened *e, const struct fb_run_options *o, const char *path,
                 bool journal, enum fb_exit ran, json_t *document)
{
    const bool any_cell = json_array_size(json_object_get(document, "cells"));
    if (ran != FB_EXIT_INTERRUPTED && ran != FB_EXIT_CORRECTNESS)
        return;
    if (any_cell && *path)
        write_partial(path, journal, document);
    if (any_cell)
        print(o, document);
    if (ran != FB_EXIT_INTERRUPTED || (any_cell && *path))
        return;
    if (any_cell)
        fb_error("%s: interrupted; the %s so far are printed", o->name, e->kind->unit);
    else if (journal)
        fb_error("%s: interrupted; --resume goes on", o->name);
    else
        fb_error("%s: interrupted; nothing written", o->name);
}

/* Whether something was measured. */
static bool any(const json_t *document)
{
    return json_array_size(json_object_get(document, "cells")) ||
           json_array_size(json_object_get(document, "fragments"));
}

/* What stands at `path` is not of this run. */
static enum fb_exit measure_anew(const struct fb_opened *e, const struct fb_run_options *o,
                                 struct fb_work *work, json_t *about, const char *path, char *older,
                                 json_t **document)
{
    struct fb_output out = {0};
    enum fb_exit code = *path ? partial_is_free(path) : FB_EXIT_OK;
    if (!code && *path)
        code = fb_output_open(path, &out);
    if (!code)
        code = fb_resume_open(e, o, work->shard, about, path, &work->journal);
    if (code) {
        fb_output_close(&out);
        return code;
    }
    const bool anew = !fb_journal_steps(work->journal);
    *document = begin(e, o, work->shard, about);
    enum fb_exit ran = fill(e, o, work, *document);
    if (!ran && *path)
        code = write_whole(&out, *document, o->output ? NULL : older);
    fb_output_close(&out);
    if (!ran && !code && !anew)
        drop_partial(path);
    if (ran)
        keep(e, o, path, fb_journal_steps(work->journal), ran, *document);
    if (!ran && anew)
        fb_history_add(e, work->shard, *document);
    fb_journal_close(work->journal, (!ran && !code) || (ran == FB_EXIT_USAGE && !any(*document)));
    work->journal = NULL;
    if (ran) {
        json_decref(*document);
        *document = NULL;
    }
    return ran ? ran : code;
}

static enum fb_exit measure(const struct fb_opened *e, const struct fb_run_options *o,
                            struct fb_shard shard, json_t *about, json_t **measured)
{
    char path[PATH_SIZE], older[PATH_SIZE] = "";
    struct fb_work work = {.shard = shard};
    json_t *document = NULL;
    enum fb_exit code = find_path(e, o, shard, path, sizeof path);
    if (!code)
        code = fb_resume_finished(e, o, shard, about, path, &document);
    if (code)
        return code;
    const bool wrote = !document && *path && !o->quiet, replaces = wrote && !access(path, F_OK);
    if (document)
        fb_note("%s: it is finished; nothing is left to do", path);
    else
        code = measure_anew(e, o, &work, about, path, older, &document);
    if (document) {
        const enum fb_exit printed = print(o, document);
        if (!code && wrote)
            fb_note("wrote %s%s%s", path,
                    *older     ? "; the older result is now "
                    : replaces ? ", in place of the file that was there"
                               : "",
                    older);
        code = code ? code : printed;
    }
    if (measured)
        *measured = json_incref(document);
    json_decref(document);
    return code;
}

/* What of the experiment this run does. */
static enum fb_exit read_shard(const struct fb_opened *e, const struct fb_run_options *o,
                               struct fb_shard *shard)
{
    const struct fb_sharing *sharing = e->kind->sharing;
    *shard = FB_WHOLE;
    if (!o->shard)
        return FB_EXIT_OK;
    const char *why = !sharing           ? "an experiment of this kind is one measurement"
                      : sharing->refused ? sharing->refused(e->self)
                                         : NULL;
    if (!fb_shard_parse(o->shard, shard))
        fb_error("%s: --shard: '%.40s' is no I/N; give 3/8 for the third of eight", o->name,
                 o->shard);
    else if (why)
        fb_error("%s: --shard: %s", o->name, why);
    else
        return FB_EXIT_OK;
    return FB_EXIT_USAGE;
}

/* Says where a shard gets whole cells alone. */
static void tell_whole(const struct fb_opened *e, const struct fb_run_options *o)
{
    const struct fb_sharing *sharing = e->kind->sharing;
    const char *why = sharing->whole ? sharing->whole(e->self) : NULL;
    if (why)
        fb_note("%s: shards get whole %s: %s", o->name, e->kind->unit, why);
}

/* A processor that the experiment names: a stored document may be of a machine with more of them.
 */
static enum fb_exit check_cpu(const struct fb_opened *e, const char *name)
{
    const json_t *cpu = json_object_get(e->resolved, "cpu");
    char usable[200];
    if (!json_is_integer(cpu) || fb_cpu_usable((int)json_integer_value(cpu)))
        return FB_EXIT_OK;
    fb_cpus_usable(usable, sizeof usable);
    fb_error("%s: cpu: this process may not run on processor %d; give auto, none, or one of %s",
             name, (int)json_integer_value(cpu), usable);
    return FB_EXIT_USAGE;
}

enum fb_exit fb_run_experiment(const struct fb_kind *kind, const struct fb_run_options *o,
                               const json_t *given, json_t **document)
{
    struct fb_opened e;
    struct fb_problem problem;
    struct fb_shard shard;
    json_t *about = NULL;
    enum fb_exit code = FB_EXIT_OK;
    if (document)
        *document = NULL;
    if (!fb_kind_open_as(kind, given, &e, &problem) ||
        (o->size_given && !fb_experiment_takes_size(e.resolved, o->size_given, 0, &problem))) {
        fb_error("%s: %s", o->name, problem.text);
        code = FB_EXIT_USAGE;
    } else if (o->show) {
        code = fb_print_answer(json_incref((json_t *)e.resolved), o->format, fb_print_settings);
    } else {
        code = check_cpu(&e, o->name);
        if (!code)
            code = read_shard(&e, o, &shard);
        if (!code && kind->load)
            code = kind->load(e.self, o, &about);
        if (!code && shard.of > 1)
            tell_whole(&e, o);
        if (!code)
            code = o->dry_run ? fb_dry_run(&e, shard, o->format)
                              : measure(&e, o, shard, about, document);
    }
    json_decref(about);
    fb_kind_close(&e);
    return code;
}

enum fb_exit fb_run_part(const struct fb_run_options *o, const json_t *given, json_t **document)
{
    struct fb_opened e;
    struct fb_problem problem;
    json_t *about = NULL;
    enum fb_exit code = FB_EXIT_OK;
    *document = NULL;
    if (!fb_kind_open(given, &e, &problem)) {
        fb_error("%s: %s", o->name, problem.text);
        code = FB_EXIT_USAGE;
    }
    if (!code)
        code = check_cpu(&e, o->name);
    if (!code && e.kind->load)
        code = e.kind->load(e.self, o, &about);
    if (!code) {
        struct fb_work work = {.shard = FB_WHOLE};
        *document = begin(&e, o, FB_WHOLE, about);
        code = fill(&e, o, &work, *document);
    }
    if (*document && code && code != FB_EXIT_INTERRUPTED && code != FB_EXIT_CORRECTNESS) {
        json_decref(*document);
        *document = NULL;
    }
    json_decref(about);
    fb_kind_close(&e);
    return code;
}

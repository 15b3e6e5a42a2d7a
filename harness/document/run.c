#include "harness/document/run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/environment.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/base/print.h"
#include "harness/base/same_file.h"
#include "harness/base/table.h"
#include "harness/document/check.h"
#include "harness/document/dry_run.h"
#include "harness/document/history.h"
#include "harness/document/members.h"
#include "harness/document/shown.h"
#include "harness/filter/tuning.h"
#include "harness/measure/clock.h"
#include "harness/measure/noise.h"

enum { PATH_SIZE = 4096, PARTIAL_SIZE = PATH_SIZE + 16 };

struct run {
    const struct fb_run_options *o;
    struct fb_opened e;
    struct fb_work work;
    json_t *about;        /* "key_file" of the document, owned; NULL without a file */
    char path[PATH_SIZE]; /* where the document goes; "": to stdout alone */
    char partial[PARTIAL_SIZE];
};

/* ---- The document ---- */

/* Half of a user's keys are held out and asked for: of 500 absent keys a filter of 1 % lets five
 * through, and a filter of 500 keys is fuller or emptier than most by a twentieth of its rate. */
enum { FEW_KEYS = 1000 };

/* The document before anything is measured. */
static json_t *begin(const struct run *r)
{
    const struct fb_run_options *o = r->o;
    const json_t *resolved = r->e.resolved;
    uint64_t seed = strtoull(fb_json_str(resolved, "seed"), NULL, 16);
    json_t *subject =
        json_pack("{s:O, s:s}", "experiment", (json_t *)resolved, "experiment_hash", r->e.hash_hex);
    const uint64_t n_keys = fb_json_uint(r->about, "given") - fb_json_uint(r->about, "dropped");
    fb_json_known(subject, "key_file", json_incref(r->about), "no key file was given");
    json_t *document = fb_result_begin(r->e.kind->name, o->argc, o->argv, seed, subject);
    json_decref(subject);
    if (r->work.shard.of > 1) {
        json_object_set_new(json_object_get(document, "run"), "shard",
                            fb_shard_json(r->work.shard));
        json_object_set_new(document, "fragments", json_array());
    }
    if (o->quick && !json_object_get(resolved, "effort")) /* else its kind warns */
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
static enum fb_exit fill(struct run *r, json_t *document)
{
    const struct fb_kind *kind = r->e.kind;
    struct fb_problem problem;
    fb_refuse(&problem, "%s", fb_err_text(FB_ENOMEM));
    double started_s = fb_seconds();
    r->work.document = document;
    enum fb_exit code = kind->run(r->e.self, r->o, &r->work, document);
    tell_tuning(document);
    bool kept = !code || code == FB_EXIT_INTERRUPTED || code == FB_EXIT_CORRECTNESS;
    if (kept && !kind->derive(r->e.self, document, &problem)) {
        fb_error("%s: %s", r->o->name, problem.text);
        code = FB_EXIT_CORRECTNESS;
    }
    if (kept && kind->warn)
        kind->warn(document);
    if (kept)
        fb_result_warn_tuning(document);
    fb_result_finish(document, fb_seconds() - started_s, !code);
    return code;
}

/* ---- What an earlier run left ---- */

/* What "key_file" says of the keys, wherever their file is. */
static json_t *keys_of(const json_t *about)
{
    json_t *keys = json_is_object(about) ? json_copy((json_t *)about) : json_null();
    json_object_del(keys, "name");
    return keys;
}

/* Counts are the same everywhere, so another node of a cluster may go on with them. */
static bool depends_on_machine(const struct fb_opened *e)
{
    const struct fb_sharing *sharing = e->kind->sharing;
    return !sharing || sharing->of_machine || fb_is_timed(e);
}

/* What two runs must share for one to go on with what the other measured. */
static json_t *identity(const struct run *r)
{
    char key[17] = "";
    if (depends_on_machine(&r->e))
        fb_machine_key(key);
    return json_pack("{s:s, s:s, s:s, s:o, s:b, s:o, s:o, s:o, s:s}", "kind", r->e.kind->name,
                     "name", fb_json_str(r->e.resolved, "name"), "experiment_hash", r->e.hash_hex,
                     "shard", fb_shard_json(r->work.shard), "quick", r->o->quick, "key_file",
                     keys_of(r->about), "tool", fb_environment_tool(), "build",
                     fb_environment_build(), "machine", key);
}

/* Whoever changes a record can make its seal anew. */
static enum fb_exit check_steps(struct run *r)
{
    const char *why = NULL;
    FB_EACH_MEMBER(step, record, fb_journal_records(r->work.journal)) {
        if (!(why = fb_step_wrong(r->e.kind->name, record)))
            continue;
        fb_error("%s.journal: step %.300s: %s; leave out --resume to start again", r->path, step,
                 why);
        fb_journal_close(r->work.journal, false);
        r->work.journal = NULL;
        break;
    }
    return why ? FB_EXIT_CORRECTNESS : FB_EXIT_OK;
}

/* Opens the journal beside a regular file, there or not yet; there is none where the run has no
 * such file: FB_EXIT_USAGE if --resume asks for one. Codes as fb_journal_open, with a line on
 * stderr. */
static enum fb_exit open_journal(struct run *r)
{
    struct stat there;
    const bool file = *r->path && (stat(r->path, &there) || S_ISREG(there.st_mode));
    if (!file && r->o->resume) {
        fb_error("%s: --resume needs the file that the interrupted run wrote to; give -o FILE",
                 r->o->name);
        return FB_EXIT_USAGE;
    }
    if (!file)
        return FB_EXIT_OK;
    json_t *header = identity(r);
    enum fb_exit code = fb_journal_open(r->path, header, r->o->resume, &r->work.journal);
    json_decref(header);
    code = code ? code : check_steps(r);
    if (!code && fb_journal_steps(r->work.journal))
        fb_note("%s: continuing after %zu finished step%s", r->path,
                fb_journal_steps(r->work.journal),
                fb_journal_steps(r->work.journal) == 1 ? "" : "s");
    else if (!code && r->o->resume)
        fb_note("%s: there is nothing to resume; the run starts from the beginning", r->path);
    return code;
}

/* What the document is of another run by; NULL: it is that of this very run, finished. */
static const char *difference(const struct run *r, const json_t *document)
{
    struct fb_shard its;
    json_t *ours = keys_of(r->about), *theirs = keys_of(json_object_get(document, "key_file"));
    const bool same_keys = json_equal(ours, theirs);
    json_decref(ours);
    json_decref(theirs);
    if (strcmp(fb_json_str(document, "experiment_hash"), r->e.hash_hex) != 0)
        return "experiment_hash";
    if (!same_keys)
        return "key_file";
    if (!fb_shard_read(document, &its) || its.index != r->work.shard.index ||
        its.of != r->work.shard.of)
        return "run.shard";
    return json_is_true(fb_json_at(document, "run.complete")) ? NULL : "run.complete";
}

/* With --resume: *document, to be released, is what stands at the path, finished by this very run:
 * nothing is left to do. NULL: nothing stands there, or a later run has left a journal beside it.
 * FB_EXIT_NOT_COMPARABLE with a line on stderr where it is the result of another run, else codes as
 * fb_result_load. */
static enum fb_exit find_finished(const struct run *r, json_t **document)
{
    struct fb_journal_state journal = {0};
    struct stat there;
    *document = NULL;
    if (!r->o->resume || !*r->path || stat(r->path, &there) || !S_ISREG(there.st_mode))
        return FB_EXIT_OK;
    if (!fb_journal_look(r->path, &journal))
        return FB_EXIT_IO;
    if (journal.exists)
        return FB_EXIT_OK;
    const enum fb_exit code = fb_result_load(r->path, document);
    const char *differs = code ? NULL : difference(r, *document);
    if (!differs)
        return code;
    fb_error(
        "%s: --resume cannot continue it, because its %s is that of another run; give the same "
        "experiment and options, give another -o, or leave out --resume to start again",
        r->path, differs);
    json_decref(*document);
    *document = NULL;
    return FB_EXIT_NOT_COMPARABLE;
}

/* ---- Files ---- */

static enum fb_exit find_path(struct run *r)
{
    const struct fb_run_options *o = r->o;
    enum fb_exit code = FB_EXIT_OK;
    if (o->output && !fb_output_is_stdout(o->output))
        snprintf(r->path, sizeof r->path, "%s", o->output);
    else if (!o->output && !o->quiet && o->format != FB_FORMAT_JSON)
        code = fb_result_default_path(fb_json_str(r->e.resolved, "name"), r->work.shard, r->path,
                                      sizeof r->path);
    snprintf(r->partial, sizeof r->partial, "%s.partial", r->path);
    return code;
}

/* path: of the file that has it. */
static enum fb_exit print(const struct run *r, const char *path, json_t *document)
{
    const struct fb_run_options *o = r->o;
    const struct fb_shown shown = {.path = *r->path ? path : NULL, .versus = o->versus};
    if (o->format == FB_FORMAT_JSON || (o->output && fb_output_is_stdout(o->output)))
        return fb_print_answer(json_incref(document), FB_FORMAT_JSON, NULL);
    fb_document_table(stdout, document, &shown);
    return FB_EXIT_OK;
}

/* Of a run that did not finish: the cells there are, kept beside where the finished document would
 * be, and printed. */
static void keep(const struct run *r, bool journal, enum fb_exit ran, json_t *document)
{
    const bool any_cell = json_array_size(json_object_get(document, "cells"));
    const char *unit = r->e.kind->unit;
    if (ran != FB_EXIT_INTERRUPTED && ran != FB_EXIT_CORRECTNESS)
        return;
    if (any_cell && *r->path && !fb_output_write(r->partial, document))
        fb_note("the %s so far are in %s%s", unit, r->partial,
                journal ? "; run it again with --resume to continue" : "");
    if (any_cell)
        print(r, r->partial, document);
    if (ran != FB_EXIT_INTERRUPTED || (any_cell && *r->path))
        return;
    if (any_cell)
        fb_error("%s: interrupted; the %s so far are printed", r->o->name, unit);
    else if (journal)
        fb_error("%s: interrupted; run it again with --resume to continue", r->o->name);
    else
        fb_error("%s: interrupted; nothing written", r->o->name);
}

/* Whether something was measured. */
static bool any(const json_t *document)
{
    return json_array_size(json_object_get(document, "cells")) ||
           json_array_size(json_object_get(document, "fragments"));
}

/* ---- A run ---- */

/* What stands at the path is not of this run. older [PATH_SIZE]: as of fb_output_commit_beside. */
static enum fb_exit measure_anew(struct run *r, char *older, json_t **document)
{
    struct fb_output out = {0};
    /* An interrupted run may have to write there: a file that was read is refused before any work.
     */
    enum fb_exit code = *r->path ? fb_same_file_writes(r->partial) : FB_EXIT_OK;
    if (!code && *r->path)
        code = fb_output_open(r->path, &out);
    if (!code)
        code = open_journal(r);
    if (code) {
        fb_output_close(&out);
        return code;
    }
    const bool anew = !fb_journal_steps(r->work.journal);
    double work = 0;
    *document = begin(r);
    enum fb_exit ran = anew ? fb_dry_run_check(&r->e, r->work.shard, r->o, &work) : FB_EXIT_OK;
    if (!ran)
        ran = fill(r, *document);
    if (!ran && !anew) /* what the journal had may be anybody's */
        ran = fb_document_validate(r->path, *document);
    if (!ran && *r->path)
        code = fb_output_json(&out, *document);
    if (!ran && *r->path && !code)
        code = fb_output_commit_beside(&out, r->o->output ? NULL : older, PATH_SIZE);
    fb_output_close(&out);
    if (!ran && !code && !anew) /* the finished document has what was left there */
        (void)!unlink(r->partial);
    if (ran)
        keep(r, ran == FB_EXIT_INTERRUPTED && fb_journal_steps(r->work.journal), ran, *document);
    if (!ran && anew)
        fb_history_add(&r->e, work, *document);
    fb_journal_close(r->work.journal, (!ran && !code) || (ran == FB_EXIT_USAGE && !any(*document)));
    r->work.journal = NULL;
    if (ran) {
        json_decref(*document);
        *document = NULL;
    }
    return ran ? ran : code;
}

static enum fb_exit measure(struct run *r, json_t **measured)
{
    char older[PATH_SIZE] = "";
    json_t *document = NULL;
    enum fb_exit code = find_path(r);
    if (!code)
        code = find_finished(r, &document);
    if (code)
        return code;
    const bool wrote = !document && *r->path && !r->o->quiet,
               replaces = wrote && !access(r->path, F_OK);
    if (document)
        fb_note("%s: this run is finished; nothing is left to do", r->path);
    else
        code = measure_anew(r, older, &document);
    if (document) {
        const enum fb_exit printed = print(r, r->path, document);
        if (!code && wrote)
            fb_note("wrote %s%s%s", r->path,
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

/* False, with a line: others cannot be held against the design that --versus names. */
static bool check_versus(const struct run *r)
{
    const char *design = r->o->versus;
    bool measured = !design || !json_is_array(json_object_get(r->e.resolved, "designs"));
    FB_EACH(each, json_object_get(r->e.resolved, "designs"))
        measured |= design && !strcmp(json_string_value(each), design);
    if (!measured)
        fb_error("%s: --versus %.40s: that design is not among those to be measured; add it to -d",
                 r->o->name, design);
    return measured;
}

/* What of the experiment this run does. */
static enum fb_exit read_shard(struct run *r)
{
    const struct fb_sharing *sharing = r->e.kind->sharing;
    if (!r->o->shard)
        return FB_EXIT_OK;
    const char *why = !sharing           ? "an experiment of this kind is one measurement"
                      : sharing->refused ? sharing->refused(r->e.self)
                                         : NULL;
    if (!fb_shard_parse(r->o->shard, &r->work.shard))
        fb_error("%s: --shard: '%.40s' is not I/N; give 3/8 for the third part of eight",
                 r->o->name, r->o->shard);
    else if (why)
        fb_error("%s: --shard: %s", r->o->name, why);
    else
        return FB_EXIT_OK;
    return FB_EXIT_USAGE;
}

/* Says where a shard gets whole cells alone. */
static void tell_whole(const struct run *r)
{
    const struct fb_sharing *sharing = r->e.kind->sharing;
    const char *why = sharing->whole ? sharing->whole(r->e.self) : sharing->why_whole;
    if (why)
        fb_note("%s: shards get whole %s: %s", r->o->name, r->e.kind->unit, why);
}

/* A processor that the experiment names: a stored document may be of a machine with more of them.
 */
static enum fb_exit check_cpu(const struct run *r)
{
    const json_t *cpu = json_object_get(r->e.resolved, "cpu");
    char usable[200];
    if (!json_is_integer(cpu) || fb_cpu_usable((int)json_integer_value(cpu)))
        return FB_EXIT_OK;
    fb_cpus_usable(usable, sizeof usable);
    fb_error("%s: cpu: this process may not run on processor %d; give auto, none, or one of %s",
             r->o->name, (int)json_integer_value(cpu), usable);
    return FB_EXIT_USAGE;
}

/* Makes sure that what was opened can run here, and reads its files. */
static enum fb_exit prepare(struct run *r)
{
    enum fb_exit code = check_versus(r) ? check_cpu(r) : FB_EXIT_USAGE;
    if (!code)
        code = read_shard(r);
    if (!code && r->e.kind->load)
        code = r->e.kind->load(r->e.self, r->o, &r->about);
    return code;
}

static void finish(struct run *r)
{
    json_decref(r->about);
    fb_kind_close(&r->e);
    free(r);
}

enum fb_exit fb_run_experiment(const struct fb_kind *kind, const struct fb_run_options *o,
                               const json_t *given, json_t **document)
{
    struct run *r = calloc(1, sizeof *r);
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_OK;
    if (document)
        *document = NULL;
    if (!r)
        return fb_fail(o->name, FB_ENOMEM, NULL);
    r->o = o;
    r->work.shard = FB_WHOLE;
    if (!fb_kind_open_as(kind, given, &r->e, &problem) ||
        (o->size_given && !fb_experiment_takes_size(r->e.resolved, o->size_given, 0, &problem))) {
        fb_error("%s: %s", o->name, problem.text);
        code = FB_EXIT_USAGE;
    } else if (o->show) {
        code = fb_print_answer(json_incref((json_t *)r->e.resolved), o->format, fb_print_settings);
    } else {
        code = prepare(r);
        if (!code && r->work.shard.of > 1)
            tell_whole(r);
        if (!code)
            code = o->dry_run ? fb_dry_run(&r->e, r->work.shard, o) : measure(r, document);
    }
    finish(r);
    return code;
}

enum fb_exit fb_run_part(const struct fb_run_options *o, const json_t *given, json_t **document)
{
    struct run *r = calloc(1, sizeof *r);
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_OK;
    *document = NULL;
    if (!r)
        return fb_fail(o->name, FB_ENOMEM, NULL);
    r->o = o;
    r->work.shard = FB_WHOLE;
    if (!fb_kind_open(given, &r->e, &problem)) {
        fb_error("%s: %s", o->name, problem.text);
        code = FB_EXIT_USAGE;
    }
    if (!code)
        code = prepare(r);
    if (!code) {
        *document = begin(r);
        code = fill(r, *document);
    }
    if (*document && code && code != FB_EXIT_INTERRUPTED && code != FB_EXIT_CORRECTNESS) {
        json_decref(*document);
        *document = NULL;
    }
    finish(r);
    return code;
}

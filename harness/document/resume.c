#include "harness/document/resume.h"

#include <string.h>
#include <sys/stat.h>

#include "harness/base/environment.h"
#include "harness/base/message.h"

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
    return !sharing || sharing->of_machine || (sharing->timed && sharing->timed(e->self));
}

/* What two runs must share for one to go on with what the other measured. */
static json_t *identity(const struct fb_opened *e, const struct fb_run_options *o,
                        struct fb_shard shard, const json_t *about)
{
    char key[17] = "";
    if (depends_on_machine(e))
        fb_machine_key(key);
    return json_pack("{s:s, s:s, s:s, s:o, s:b, s:o, s:o, s:o, s:s}", "kind", e->kind->name, "name",
                     fb_json_str(e->resolved, "name"), "experiment_hash", e->hash_hex, "shard",
                     fb_shard_json(shard), "quick", o->quick, "key_file", keys_of(about), "tool",
                     fb_environment_tool(), "build", fb_environment_build(), "machine", key);
}

enum fb_exit fb_resume_open(const struct fb_opened *e, const struct fb_run_options *o,
                            struct fb_shard shard, const json_t *about, const char *path,
                            struct fb_journal **journal)
{
    struct stat there;
    *journal = NULL;
    const bool file = *path && (stat(path, &there) || S_ISREG(there.st_mode));
    if (!file && o->resume) {
        fb_error("%s: --resume: there is no journal without a file; give -o FILE", o->name);
        return FB_EXIT_USAGE;
    }
    if (!file)
        return FB_EXIT_OK;
    json_t *header = identity(e, o, shard, about);
    const enum fb_exit code = fb_journal_open(path, header, o->resume, journal);
    json_decref(header);
    if (!code && fb_journal_steps(*journal))
        fb_note("%s: going on after %zu finished steps", path, fb_journal_steps(*journal));
    return code;
}

/* What the document is of another run by; NULL: it is that of this very run, finished. */
static const char *difference(const struct fb_opened *e, struct fb_shard shard, const json_t *about,
                              const json_t *document)
{
    struct fb_shard its;
    json_t *ours = keys_of(about), *theirs = keys_of(json_object_get(document, "key_file"));
    const bool same_keys = json_equal(ours, theirs);
    json_decref(ours);
    json_decref(theirs);
    if (strcmp(fb_json_str(document, "experiment_hash"), e->hash_hex) != 0)
        return "experiment_hash";
    if (!same_keys)
        return "key_file";
    if (!fb_shard_read(document, &its) || its.index != shard.index || its.of != shard.of)
        return "run.shard";
    return json_is_true(fb_json_at(document, "run.complete")) ? NULL : "run.complete";
}

enum fb_exit fb_resume_finished(const struct fb_opened *e, const struct fb_run_options *o,
                                struct fb_shard shard, const json_t *about, const char *path,
                                json_t **document)
{
    struct fb_journal_state journal = {0};
    struct stat there;
    *document = NULL;
    if (!o->resume || !*path || stat(path, &there) || !S_ISREG(there.st_mode))
        return FB_EXIT_OK;
    if (!fb_journal_look(path, &journal))
        return FB_EXIT_IO;
    json_decref(journal.header);
    if (journal.exists)
        return FB_EXIT_OK;
    const enum fb_exit code = fb_result_load(path, document);
    const char *differs = code ? NULL : difference(e, shard, about, *document);
    if (!differs)
        return code;
    fb_error("%s: %s: that of another run; give the same experiment and options, another -o, or "
             "start anew without --resume",
             path, differs);
    json_decref(*document);
    *document = NULL;
    return FB_EXIT_NOT_COMPARABLE;
}

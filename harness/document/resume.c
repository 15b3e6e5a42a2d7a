#include "harness/document/resume.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/environment.h"
#include "harness/base/message.h"

/* What two runs must share for one to go on with what the other measured. */
static json_t *identity(const struct fb_opened *e, const struct fb_run_options *o,
                        struct fb_shard shard, const json_t *about)
{
    char key[17];
    fb_machine_key(key);
    return json_pack("{s:s, s:s, s:s, s:o, s:b, s:O?, s:o, s:o, s:s}", "kind", e->kind->name,
                     "name", fb_json_str(e->resolved, "name"), "experiment_hash", e->hash_hex,
                     "shard", fb_shard_json(shard), "quick", o->quick, "key_file", about, "tool",
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

json_t *fb_resume_finished(const struct fb_opened *e, const struct fb_run_options *o,
                           struct fb_shard shard, const char *path)
{
    struct fb_shard its;
    struct fb_journal_state journal = {0};
    json_t *document = NULL;
    if (!o->resume || !*path || access(path, R_OK) || !fb_journal_look(path, &journal))
        return NULL;
    json_decref(journal.header);
    if (journal.exists || fb_result_load(path, &document))
        return NULL;
    if (json_is_true(fb_json_at(document, "run.complete")) && fb_shard_read(document, &its) &&
        its.index == shard.index && its.of == shard.of &&
        !strcmp(fb_json_str(document, "experiment_hash"), e->hash_hex))
        return document;
    json_decref(document);
    return NULL;
}

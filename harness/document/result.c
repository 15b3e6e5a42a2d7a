#include "harness/document/result.h"

#include <stdarg.h>
#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/screen.h"
#include "harness/document/kind.h"
#include "harness/filter/plugin.h"
#include "harness/filter/tuning.h"
#define CONTENT_HASH "content_xxh3_128"

json_t *fb_result_begin(const char *kind, int argc, char **argv, uint64_t seed_root,
                        json_t *subject)
{
    json_t *words = json_array();
    json_array_append_new(words, json_string("filterbench"));
    for (int i = 0; i < argc; i++)
        json_array_append_new(words, fb_json_text(argv[i]));
    json_t *run =
        json_pack("{s:o, s:f, s:b, s:o, s:o}", "started", fb_environment_now(), "elapsed_s", 0.0,
                  "complete", 0, "argv", words, "seed_root", fb_json_word(seed_root));
    json_t *plugins = fb_plugins_json();
    if (plugins)
        json_object_set_new(run, "plugins", plugins);
    json_t *document = json_pack(
        "{s:s, s:{s:i, s:i}, s:s, s:o, s:o, s:o, s:o}", "$schema", FB_SCHEMA_ID, "schema", "major",
        FB_SCHEMA_MAJOR, "minor", FB_SCHEMA_MINOR, "kind", kind, "tool", fb_environment_tool(),
        "run", run, "machine", fb_environment_machine(), "build", fb_environment_build());
    if (subject)
        json_object_update(document, subject);
    json_object_set_new(document, "cells", json_array());
    json_object_set_new(document, "skipped", json_array());
    json_object_set_new(document, "warnings", json_array());
    return document;
}

/* XXH3-128 of all members but this one, in *hex. */
static void hash_content(const json_t *document, char hex[33])
{
    json_t *content = json_copy((json_t *)document);
    json_object_del(content, CONTENT_HASH);
    if (!fb_json_hash(content, hex))
        hex[0] = '\0';
    json_decref(content);
}

void fb_result_finish(json_t *document, double elapsed_s, bool complete)
{
    char hex[33];
    json_t *run = json_object_get(document, "run");
    json_object_set_new(run, "elapsed_s", json_real(elapsed_s));
    json_object_set_new(run, "complete", json_boolean(complete));
    hash_content(document, hex);
    json_object_set_new(document, CONTENT_HASH, json_string(hex));
}

enum fb_exit fb_result_check_content(const char *path, const json_t *document)
{
    char hex[33];
    const char *written = json_string_value(json_object_get(document, CONTENT_HASH));
    hash_content(document, hex);
    if (written && !strcmp(written, hex))
        return FB_EXIT_OK;
    fb_error("%s: %s %s (%s); the file was changed after it was written, so measure again", path,
             CONTENT_HASH, written ? "is not that of the document" : "is missing", hex);
    return FB_EXIT_CORRECTNESS;
}

void fb_result_warn(json_t *document, const char *code, const char *cell, const char *format, ...)
{
    char detail[512];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    json_t *warning =
        json_pack("{s:s, s:s?, s:o}", "code", code, "cell", cell, "detail", fb_json_text(detail));
    json_array_append_new(json_object_get(document, "warnings"), warning);
}

enum fb_exit fb_result_check_version(const char *path, const json_t *document, bool facts)
{
    const json_t *schema = json_object_get(document, "schema");
    const json_t *major = json_object_get(schema, "major"),
                 *minor = json_object_get(schema, "minor");
    const json_int_t version = json_integer_value(major);
    const bool claims = !strcmp(fb_json_str(document, "kind"), "claims");
    if (!json_is_integer(major) || !json_is_integer(minor)) {
        fb_error("%s: not a result: %s; give a file that `filterbench run` wrote", path,
                 schema ? "its schema is not {\"major\": number, \"minor\": number}"
                        : "it has no schema version");
        return FB_EXIT_USAGE;
    }
    if (version == FB_SCHEMA_MAJOR || (version == 1 && facts))
        return FB_EXIT_OK;
    if (version == 1)
        fb_error("%s: it has schema version 1.%lld, and this filterbench reads %d.x; measure it "
                 "again: `filterbench %s%s%s`",
                 path, (long long)json_integer_value(minor), FB_SCHEMA_MAJOR,
                 claims ? "reproduce" : "run ", claims ? "" : path, claims ? "" : " -o NEW.json");
    else
        fb_error("%s: it has schema version %lld.%lld, and this filterbench reads %d.x; use the "
                 "filterbench that wrote it",
                 path, (long long)version, (long long)json_integer_value(minor), FB_SCHEMA_MAJOR);
    return FB_EXIT_NOT_COMPARABLE;
}

/* What every reader of cells relies on. */
static enum fb_exit check_cells(const char *path, const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    if (!json_is_array(cells)) {
        fb_error("%s: cells: give a list", path);
        return FB_EXIT_USAGE;
    }
    FB_EACH_AT(i, cell, cells) {
        if (json_is_object(cell))
            continue;
        fb_error("%s: cells.%zu: give an object", path, i);
        return FB_EXIT_USAGE;
    }
    return FB_EXIT_OK;
}

void fb_result_rename(json_t *document)
{
    json_t *claims = json_object_get(document, "claims");
    if (!claims)
        return;
    FB_EACH(claim, claims) {
        json_object_set(claim, "id", json_object_get(claim, "claim"));
        json_object_del(claim, "claim");
    }
    json_object_set(document, "cells", claims);
    json_object_del(document, "claims");
}

static enum fb_exit load(const char *path, bool facts, json_t **document)
{
    enum fb_exit code = fb_json_load(path, document);
    if (!code)
        code = fb_result_check_version(path, *document, facts);
    if (!code)
        fb_result_rename(*document);
    if (!code)
        code = check_cells(path, *document);
    if (!code && !fb_kind_find(fb_json_str(*document, "kind"))) {
        fb_error(
            "%s: kind: this filterbench has no such kind of experiment (`filterbench list kinds`)",
            path);
        code = FB_EXIT_USAGE;
    }
    if (code) {
        json_decref(*document);
        *document = NULL;
    }
    return code;
}

enum fb_exit fb_result_load(const char *path, json_t **document)
{
    return load(path, false, document);
}

enum fb_exit fb_result_load_facts(const char *path, json_t **document)
{
    return load(path, true, document);
}

json_t *fb_result_rows(const json_t *documents, const char *list)
{
    json_t *index = json_object();
    FB_EACH(document, documents) {
        FB_EACH(row, json_object_get(document, list)) {
            const char *id = json_string_value(json_object_get(row, "id"));
            if (id && !json_object_get(index, id))
                json_object_set(index, id, row);
        }
    }
    return index;
}

json_t *fb_result_by_id(const json_t *document)
{
    json_t *alone = json_pack("[O]", document), *index = fb_result_rows(alone, "cells");
    json_decref(alone);
    return index;
}

enum fb_exit fb_result_default_path(const char *name, struct fb_shard shard, char *path,
                                    size_t size)
{
    char part[32] = "";
    if (shard.of > 1)
        snprintf(part, sizeof part, "-%u-of-%u", shard.index + 1, shard.of);
    snprintf(path, size, "results/runs/%s%s.json", name, part);
    const enum fb_exit code = fb_file_refuse_links("results/runs");
    return code ? code : fb_file_folders("results/runs/");
}

void fb_result_warn_tuning(json_t *document)
{
    const char *cpu = fb_json_str(document, "timing.tuning.forced");
    if (*cpu)
        fb_result_warn(document, "tuning", NULL,
                       "the look-ahead of batches was measured on another machine, %s", cpu);
}

void fb_result_say_tuning(FILE *file, const json_t *document)
{
    const json_t *tuning = fb_json_at(document, "timing.tuning");
    char text[400];
    fb_tuning_say(tuning, text, sizeof text);
    if (tuning)
        fb_say_aside(file, 2, "tuning: %s\n", text);
}

/* With how many more there are behind the last. */
static void say_first(FILE *file, const json_t *list, const char *what, const char *member)
{
    const size_t n = json_array_size(list), most = fb_screen_is_verbose() ? 12 : 4;
    for (size_t i = 0; i < n && i < most; i++) {
        const json_t *each = json_array_get(list, i);
        char more[32] = "";
        if (i + 1 == most && n > most)
            snprintf(more, sizeof more, "; and %zu more", n - most);
        fb_say(file, 4, "%s: %s%s%s%s\n", what, *what == 'l' ? fb_json_str(each, "id") : "",
               *what == 'l' ? ": " : "", fb_json_str(each, member), more);
    }
}

void fb_result_notes(FILE *file, const json_t *document)
{
    if (fb_screen_flows(file))
        return;
    say_first(file, json_object_get(document, "skipped"), "left out", "why");
    say_first(file, json_object_get(document, "warnings"), "warning", "detail");
}

/* ---- Merged documents ---- */

bool fb_is_merged(const json_t *document)
{
    return json_object_get(document, "merged");
}

bool fb_is_side_by_side(const json_t *document)
{
    return json_is_true(fb_json_at(document, "merged.side_by_side"));
}

json_t *fb_runs_within(const json_t *document)
{
    json_t *runs = json_array();
    if (!fb_is_merged(document))
        json_array_append(runs, (json_t *)document);
    else
        FB_EACH_MEMBER(hash, run, json_object_get(document, "parts"))
            json_array_append(runs, run);
    return runs;
}

json_t *fb_documents_within(const json_t *document)
{
    return fb_is_side_by_side(document) ? fb_runs_within(document)
                                        : json_pack("[O]", (json_t *)document);
}

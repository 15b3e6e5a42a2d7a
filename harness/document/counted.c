#include "harness/document/counted.h"

#include "harness/base/json.h"

#define CONTENT   "content_xxh3_128"
#define FRAGMENTS "fragments_xxh3_128"

/* What runs of one group have in common. */
static json_t *surroundings(const json_t *run)
{
    return json_pack("{s:O, s:O, s:O, s:O*}", "tool", json_object_get(run, "tool"), "machine",
                     json_object_get(run, "machine"), "build", json_object_get(run, "build"),
                     "plugins", fb_json_at(run, "run.plugins"));
}

/* The hash of a run's fragments, kept or to be taken. */
static json_t *hash_fragments(const json_t *run)
{
    char hex[33] = "";
    const json_t *kept = json_object_get(run, FRAGMENTS),
                 *there = json_object_get(run, "fragments");
    if (!kept && !fb_json_hash(there, hex))
        *hex = '\0';
    return kept ? json_incref((json_t *)kept) : json_string(hex);
}

bool fb_counted_same(const json_t *one, const json_t *other)
{
    json_auto_t *ours = hash_fragments(one), *theirs = hash_fragments(other);
    return json_equal(ours, theirs);
}

void fb_counted_keep(json_t *merged)
{
    json_t *groups = json_array(), *run, *group = NULL, *last = NULL;
    void *next;
    const char *hash;
    json_object_foreach_safe(json_object_get(merged, "parts"), next, hash, run) {
        const json_t *shard = fb_json_at(run, "run.shard");
        if (!shard)
            continue;
        json_t *around = surroundings(run);
        if (!json_equal(around, last)) {
            json_array_append_new(groups, group = json_copy(around));
            json_object_set_new(group, "runs", json_array());
        }
        json_array_append_new(
            json_object_get(group, "runs"),
            json_pack("{s:O, s:O, s:O, s:O, s:o, s:s, s:O}", "started",
                      fb_json_at(run, "run.started"), "elapsed_s", fb_json_at(run, "run.elapsed_s"),
                      "shard", json_object_get(shard, "index"), "of", json_object_get(shard, "of"),
                      FRAGMENTS, hash_fragments(run), CONTENT, hash, "warnings",
                      json_object_get(run, "warnings")));
        json_decref(last);
        last = around;
        json_object_del(json_object_get(merged, "parts"), hash);
    }
    json_decref(last);
    if (json_array_size(groups))
        json_object_set(merged, "counted", groups);
    json_decref(groups);
}

/* A run of the group as a document. */
static json_t *document_of(const json_t *merged, const json_t *group, const json_t *row)
{
    static const char *const shared[] = {
        "$schema",  "schema",          "kind", "experiment", "experiment_hash",
        "key_file", "key_file_reason", NULL};
    static const char *const own[] = {CONTENT, FRAGMENTS, "warnings", NULL};
    json_t *document =
        json_pack("{s:{s:O, s:O, s:b, s:O, s:{s:O, s:O}, s:O*}, s:[], s:[]}", "run", "started",
                  json_object_get(row, "started"), "elapsed_s", json_object_get(row, "elapsed_s"),
                  "complete", 1, "seed_root", fb_json_at(merged, "run.seed_root"), "shard", "index",
                  json_object_get(row, "shard"), "of", json_object_get(row, "of"), "plugins",
                  json_object_get(group, "plugins"), "cells", "skipped");
    json_object_update(document, (json_t *)group);
    json_object_del(document, "runs");
    json_object_del(document, "plugins");
    for (size_t i = 0; shared[i]; i++)
        json_object_set(document, shared[i], json_object_get(merged, shared[i]));
    for (size_t i = 0; own[i]; i++)
        json_object_set(document, own[i], json_object_get(row, own[i]));
    return document;
}

void fb_counted_recall(const json_t *merged, json_t *by_hash, json_t *wholes)
{
    const json_t *groups = json_object_get(merged, "counted");
    FB_EACH(group, groups)
        FB_EACH(row, json_object_get(group, "runs"))
            json_object_set_new(by_hash, fb_json_str(row, CONTENT),
                                document_of(merged, group, row));
    if (json_array_size(groups))
        json_array_append(wholes, (json_t *)merged);
}

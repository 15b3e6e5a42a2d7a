#include "harness/document/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/document/result.h"

static void copy_members(json_t *to, const json_t *from, const char *const *names)
{
    for (; *names; names++) {
        json_t *value = json_object_get(from, *names);
        if (value)
            json_object_set(to, *names, value);
    }
}

static json_t *exact_cell(const json_t *cell)
{
    static const char *const members[] = {
        "id",    "design", "keys",  "n",    "params",    "derived",   "geometry",  "counts", "isa",
        "style", "tree",   "scans", "runs", "operation", "footprint", "hit_ratio", "filter", NULL};
    json_t *exact = json_object();
    copy_members(exact, cell, members);
    return exact;
}

/* Nine digits of a number, or of each of a list: what the last bits of libraries cannot change. */
static json_t *rounded(const json_t *value)
{
    char text[40];
    if (json_is_array(value)) {
        json_t *list = json_array(), *each;
        size_t i;
        json_array_foreach((json_t *)value, i, each) json_array_append_new(list, rounded(each));
        return list;
    }
    if (!json_is_real(value))
        return json_incref((json_t *)value);
    snprintf(text, sizeof text, "%.9g", json_real_value(value));
    return json_real(strtod(text, NULL));
}

/* What was found, once. */
static json_t *exact_finding(const json_t *row)
{
    static const char *const members[] = {"events", "probes", "false_negatives", NULL};
    static const char *const numbers[] = {"theory", "measured", NULL};
    json_t *exact = json_object();
    copy_members(exact, row, members);
    for (const char *const *name = numbers; *name; name++)
        if (json_object_get(row, *name))
            json_object_set_new(exact, *name, rounded(json_object_get(row, *name)));
    return exact;
}

/* Of a claim about times only what was printed: the rest is this machine's. */
static json_t *exact_claim(const json_t *claim)
{
    static const char *const printed[] = {"claim",    "claimed", "printed", "claimed_text",
                                          "relation", "unit",    NULL};
    static const char *const verdicts[] = {"model", "verdict", NULL};
    const char *kind = json_string_value(json_object_get(claim, "kind"));
    const json_t *repeat = json_object_get(claim, "repeat");
    bool timed = kind && !strncmp(kind, "time-", 5);
    json_t *exact = timed ? json_object() : exact_finding(claim);
    copy_members(exact, claim, printed);
    if (!timed)
        copy_members(exact, claim, verdicts);
    if (!timed && repeat)
        json_object_set_new(exact, "repeat", exact_finding(repeat));
    return exact;
}

static json_t *exact_list(const json_t *list, json_t *(*exact)(const json_t *))
{
    json_t *result = json_array(), *each;
    size_t i;
    json_array_foreach(list, i, each)
    {
        json_array_append_new(result, exact(each));
    }
    return result;
}

json_t *fb_counts(const json_t *document)
{
    static const char *const members[] = {"kind", "experiment_hash", "key_file", "skipped", NULL};
    const json_t *experiment = json_object_get(document, "experiment");
    const json_t *claims = json_object_get(document, "claims");
    json_t *shallow = json_object();
    copy_members(shallow, document, members);
    if (experiment)
        json_object_set_new(shallow, "experiment", fb_experiment_measured(experiment));
    const json_t *footprints = json_object_get(json_object_get(document, "timing"), "footprints");
    if (footprints)
        json_object_set(shallow, "footprints", json_object_get(footprints, "filter_bytes"));
    json_object_set_new(shallow, "cells",
                        exact_list(json_object_get(document, "cells"), exact_cell));
    if (claims) {
        json_t *root = json_object_get(json_object_get(document, "run"), "seed_root");
        if (root)
            json_object_set(shallow, "seed_root", root);
        json_object_set_new(shallow, "claims", exact_list(claims, exact_claim));
    }
    json_t *counts = json_deep_copy(shallow); /* the document stays as it is */
    json_decref(shallow);
    json_object_del(json_object_get(counts, "key_file"), "name");
    fb_json_drop_reasons(counts);
    return counts;
}

static enum fb_exit load(const char *path, json_t **document, json_t **counts)
{
    json_t *json;
    *document = *counts = NULL;
    enum fb_exit code = fb_json_load(path, &json);
    if (code)
        return code;
    bool bare = json_is_string(json_object_get(json, "kind")) &&
                json_is_array(json_object_get(json, "cells")) && !json_object_get(json, "schema");
    if (bare) {
        *counts = json;
        return FB_EXIT_OK;
    }
    code = fb_result_check_schema(path, json);
    if (code) {
        json_decref(json);
        return code;
    }
    *document = json;
    *counts = fb_counts(json);
    return FB_EXIT_OK;
}

enum fb_exit fb_counts_load(const char *path, json_t **document, json_t **counts)
{
    enum fb_exit code = load(path, document, counts);
    if (!code)
        code = fb_result_check_experiment(path, *counts);
    return code;
}

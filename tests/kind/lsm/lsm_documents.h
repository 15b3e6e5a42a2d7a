/* Experiments of kind "lsm" as texts. */
#ifndef FILTERBENCH_TESTS_KIND_LSM_LSM_DOCUMENTS_H
#define FILTERBENCH_TESTS_KIND_LSM_LSM_DOCUMENTS_H

#include "tests/documents.h"

#include "harness/document/members.h"
#include "harness/document/rules.h"
#include "harness/kind/lsm/experiment.h"

/* Release with fb_lsm_close(). */
static inline struct fb_lsm resolved(const char *text)
{
    struct fb_lsm e;
    struct fb_problem problem;
    json_auto_t *document = parsed(text);
    if (!fb_lsm_resolve(document, &e, &problem))
        fail_msg("%s: %s", text, problem.text);
    return e;
}

static inline void assert_refused(const char *text, const char *words)
{
    struct fb_lsm e;
    struct fb_problem problem;
    json_auto_t *document = parsed(text);
    if (fb_lsm_resolve(document, &e, &problem))
        fail_msg("accepted: %s", text);
    assert_says(text, &problem, words);
    fb_lsm_close(&e);
}

/* The first rule of a record that the object breaks; "": it keeps all. */
static inline const char *broken_rule(const char *record, const json_t *object,
                                      const json_t *document)
{
    const json_t *of = json_object_get(json_object_get(fb_schema(), "$defs"), record);
    size_t i;
    json_t *rule;
    json_array_foreach(json_object_get(of, "x-rules"), i, rule)
        if (!fb_rule_kept(json_string_value(rule), object, document))
            return json_string_value(rule);
    return "";
}

/* A cell of one run whose figures can be worked out by hand: 1000 queries, 800 of them absent, a
 * tenth of these false. Release with json_decref(). */
static inline json_t *small_document(void)
{
    return parsed(
        "{\"devices\": [{\"name\": \"a\", \"read_ns\": 1000, \"bytes_per_s\": 1e9, "
        "\"block_bytes\": 4096}], \"cells\": [{\"id\": \"x\", \"n\": 1000, "
        "\"params\": {\"absent\": 0.8, \"absent_kind\": \"in-gap\"}, "
        "\"filter\": {\"bytes\": 1250}, \"effective\": {\"present\": null, \"absent\": null}, "
        "\"runs\": [{\"level\": 0, \"memtable\": false, \"keys\": 1000, \"segments\": 1, "
        "\"units\": 1, \"bytes\": 1250, \"probes\": 7, \"model\": 0.1, \"holder_share\": 1, "
        "\"in_range\": 1}], "
        "\"counts\": {\"queries\": 1000, \"absent\": 800, \"present\": 200, \"asked\": 1000, "
        "\"pruned\": 0, \"data_found\": 200, \"data_false\": 80, \"data_tombstone\": 0, "
        "\"read_found\": 200, \"read_false\": 80, \"read_tombstone\": 0, \"read_index\": 0, "
        "\"read_filter\": 0, \"read_bytes\": 1146880, \"io_squares\": 280, \"any_false\": 80, "
        "\"false_squares\": 80, \"run_reached\": [1000], \"run_asked\": [1000], "
        "\"run_false\": [80], \"run_held\": [200]}}]}");
}

#endif

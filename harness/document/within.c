#include "harness/document/within.h"

#include "harness/base/json.h"

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
    json_t *runs = json_array(), *run;
    const char *hash;
    if (!fb_is_merged(document))
        json_array_append(runs, (json_t *)document);
    else
        json_object_foreach(json_object_get(document, "parts"), hash, run)
            json_array_append(runs, run);
    return runs;
}

json_t *fb_documents_within(const json_t *document)
{
    return fb_is_side_by_side(document) ? fb_runs_within(document)
                                        : json_pack("[O]", (json_t *)document);
}

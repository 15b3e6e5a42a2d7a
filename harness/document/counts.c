#include "harness/document/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/document/check.h"

json_t *fb_counts(const json_t *document)
{
    static const char *const members[] = {"kind", "experiment_hash", "key_file", "skipped", NULL};
    const struct fb_kind *kind = fb_kind_find(fb_json_str(document, "kind"));
    const json_t *experiment = json_object_get(document, "experiment");
    json_t *shallow = fb_json_members(document, members), *cells = json_array(), *cell;
    size_t i;
    if (experiment)
        json_object_set_new(shallow, "experiment", fb_experiment_measured(experiment));
    json_array_foreach(json_object_get(document, "cells"), i, cell) {
        if (kind)
            json_array_append_new(cells, kind->exact(cell));
    }
    json_object_set_new(shallow, "cells", cells);
    if (kind && kind->exact_beside)
        kind->exact_beside(document, shallow);
    json_t *counts = json_deep_copy(shallow); /* the document stays as it is */
    json_decref(shallow);
    json_object_del(json_object_get(counts, "key_file"), "name");
    fb_json_drop_reasons(counts);
    return counts;
}

static bool is_counts(const json_t *json)
{
    return json_is_string(json_object_get(json, "kind")) &&
           json_is_array(json_object_get(json, "cells")) && !json_object_get(json, "schema");
}

enum fb_exit fb_counts_load(const char *path, json_t **document, json_t **counts)
{
    *document = *counts = NULL;
    enum fb_exit code = fb_json_load(path, counts);
    if (!code && is_counts(*counts)) {
        fb_result_rename(*counts);
    } else if (!code) {
        json_decref(*counts);
        *counts = NULL;
        code = fb_result_load_facts(path, document);
        if (!code)
            *counts = fb_counts(*document);
    }
    return code ? code : fb_document_check_experiment(path, *counts);
}

#include "harness/document/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/document/kind.h"

static json_t *counts_of_run(const json_t *document)
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

/* The cells of runs that stand side by side, and what they skipped, each once, in the order of the
 * experiment. */
static void gather_rows(const json_t *runs, json_t *counts)
{
    static const char *const lists[] = {"cells", "skipped"};
    struct fb_opened e;
    struct fb_problem problem;
    json_t *all = json_array(), *run, *ids = NULL, *value;
    const char *id;
    size_t r;
    json_array_foreach((json_t *)runs, r, run)
        json_array_append_new(all, counts_of_run(run));
    json_t *whole = json_deep_copy(json_array_get(runs, 0)); /* no shard: all cells have a place */
    json_object_del(json_object_get(whole, "run"), "shard");
    if (fb_kind_open(json_object_get(whole, "experiment"), &e, &problem))
        ids = e.kind->ids(e.self, whole, &problem);
    fb_kind_close(&e);
    json_decref(whole);
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        json_t *by_id = fb_result_rows(all, lists[l]), *rows = json_array();
        json_object_foreach(ids, id, value)
            json_array_append(rows, json_object_get(by_id, id));
        json_object_set_new(counts, lists[l], rows);
        json_decref(by_id);
    }
    json_decref(ids);
    json_decref(all);
}

json_t *fb_counts(const json_t *document)
{
    if (!fb_is_side_by_side(document))
        return counts_of_run(document);
    json_t *runs = fb_documents_within(document);
    json_t *counts = counts_of_run(json_array_get(runs, 0));
    gather_rows(runs, counts);
    json_decref(runs);
    return counts;
}

/* Result documents of kind "lsm": derived again, and held against what was asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/kind/lsm/lsm.h"

static bool readable(const json_t *time)
{
    const json_t *processes = json_object_get(time, "samples_ns");
    size_t rounds = json_array_size(json_array_get(processes, 0));
    bool fine = json_array_size(processes) && json_array_size(processes) <= FB_PAIRED_MAX &&
                rounds && rounds <= 1000;
    for (size_t p = 0; fine && p < json_array_size(processes); p++) {
        const json_t *row = json_array_get(processes, p);
        fine = json_array_size(row) == rounds;
        for (size_t i = 0; fine && i < rounds; i++)
            fine = json_number_value(json_array_get(row, i)) > 0;
    }
    return fine;
}

static bool samples_readable(const json_t *cell)
{
    const json_t *lookups = json_object_get(cell, "lookups");
    bool fine = !json_array_size(lookups) || readable(json_object_get(cell, "control"));
    for (size_t i = 0; i < json_array_size(lookups); i++)
        fine = fine && readable(json_object_get(json_array_get(lookups, i), "time"));
    return fine;
}

static enum fb_exit check_cell(const char *path, const struct fb_lsm *e,
                               const struct fb_lsm_cell *planned, const json_t *cell,
                               const json_t *document, struct fb_lsm_facts *facts)
{
    const char *id = planned->id, *where = NULL;
    const char *wrong = fb_lsm_contradiction(e, planned, cell, facts);
    const struct fb_design *design = fb_design_find(fb_json_str(cell, "design"));
    json_int_t missed =
        json_integer_value(fb_json_at(cell, "counts.false_negatives")) + fb_lsm_scans_missed(cell);
    if (!design) {
        fb_error("%s: %.200s: design: give one that this filterbench has", path, id);
        return FB_EXIT_USAGE;
    }
    if (!samples_readable(cell)) {
        fb_error("%s: %.200s: its samples cannot be read", path, id);
        return FB_EXIT_USAGE;
    }
    if (missed && !(design->traits & FB_FALSE_NEGATIVES)) {
        fb_error("%s: %.200s: %lld false negatives", path, id, (long long)missed);
        return FB_EXIT_CORRECTNESS;
    }
    if (wrong) {
        fb_error("%s: %.200s: %s does not fit the experiment or the other facts", path, id, wrong);
        return FB_EXIT_CORRECTNESS;
    }
    json_t *again = json_deep_copy(cell);
    fb_lsm_derive(again, document);
    bool agree = fb_json_agree(again, cell, &where);
    if (!agree)
        fb_error("%s: %.200s: %s is not what the counts and samples give", path, id,
                 where ? where : "a value"); /* where: a text of `again` */
    json_decref(again);
    return agree ? FB_EXIT_OK : FB_EXIT_CORRECTNESS;
}

/* The devices that stand in the document are those of the experiment and of this filterbench. */
static bool same_devices(const struct fb_lsm *e, const json_t *document)
{
    const char *where = NULL;
    json_t *devices = fb_lsm_devices(e);
    bool same = fb_json_agree(devices, json_object_get(document, "devices"), &where);
    json_decref(devices);
    return same;
}

static const struct fb_lsm_cell *find_cell(const struct fb_lsm_cell *cells, size_t n,
                                           const json_t *cell)
{
    const char *id = fb_json_str(cell, "id");
    for (size_t i = 0; i < n; i++)
        if (!strcmp(cells[i].id, id))
            return &cells[i];
    return NULL;
}

enum fb_exit fb_lsm_check(const char *path, const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    struct fb_lsm e;
    struct fb_lsm_facts facts = {0};
    struct fb_problem problem;
    size_t n = 0;
    struct fb_lsm_cell *planned = NULL;
    enum fb_exit code = FB_EXIT_OK;
    if (!fb_lsm_resolve(json_object_get(document, "experiment"), &e, &problem)) {
        fb_error("%s: experiment: %s", path, problem.text);
        code = FB_EXIT_USAGE;
    } else if (!(planned = fb_lsm_cells(&e, &n))) {
        code = fb_fail(path, FB_ENOMEM, NULL);
    } else if (!fb_lsm_take_device(&e, document) || !same_devices(&e, document)) {
        fb_error("%s: devices: not those of the experiment", path);
        code = FB_EXIT_CORRECTNESS;
    }
    for (size_t i = 0; i < json_array_size(cells) && !code; i++) {
        const json_t *cell = json_array_get(cells, i);
        const struct fb_lsm_cell *found = find_cell(planned, n, cell);
        if (!found) {
            fb_error("%s: %.200s: no cell of the experiment", path, fb_json_str(cell, "id"));
            code = FB_EXIT_CORRECTNESS;
        } else {
            code = check_cell(path, &e, found, cell, document, &facts);
        }
    }
    free(planned);
    fb_tree_close(&facts.tree);
    fb_lsm_close(&e);
    return code;
}

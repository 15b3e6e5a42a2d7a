/* The cells of a result document of kind "kernels", planned again. */
#include <math.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/kind/kernels/kernels.h"

struct planned {
    const char *path;
    struct fb_kernels experiment;
    struct fb_footprints footprints;
    json_t *ids;     /* cells seen */
    json_t *filters; /* "design/L1/bpk=8" -> the first cell of that filter */
};

static enum fb_exit wrong(const struct planned *p, const char *id, const char *what)
{
    fb_error("%s: %s: %s", p->path, id, what);
    return FB_EXIT_CORRECTNESS;
}

/* The footprints, their bytes derived from the caches again. */
static enum fb_exit read_footprints(struct planned *p, const json_t *document)
{
    const json_t *written = fb_json_at(document, "timing.footprints");
    struct fb_footprints *f = &p->footprints;
    fb_caches_read(written, &f->caches);
    fb_footprints_derive(f);
    if (p->experiment.most_bytes)
        fb_footprints_bound(f, p->experiment.most_bytes);
    for (int i = 0; i < FB_N_FOOTPRINTS; i++) {
        const char *name = fb_footprint_name((enum fb_footprint)i);
        const json_t *bytes = json_object_get(json_object_get(written, "filter_bytes"), name);
        if ((uint64_t)json_integer_value(bytes) != f->bytes[i]) /* none: 0 */
            return wrong(p, name, "timing.footprints.filter_bytes is not that of the caches");
    }
    return FB_EXIT_OK;
}

/* What "timing" says of the samples and of what was asked for. */
static enum fb_exit check_timing(const struct planned *p, const json_t *document)
{
    const json_t *timing = json_object_get(document, "timing");
    const json_t *cell = json_array_get(json_object_get(document, "cells"), 0);
    const json_t *time = json_object_get(cell, "time"), *asked = p->experiment.document;
    const struct {
        const char *name;
        const json_t *value;
    } members[] = {{"rounds", json_object_get(time, "rounds")},
                   {"clock", json_object_get(time, "clock")},
                   {"precision", json_object_get(asked, "precision")},
                   {"huge_pages_asked", json_object_get(asked, "huge_pages")}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const char *where = NULL;
        if (!fb_json_agree(members[i].value, json_object_get(timing, members[i].name), &where)) {
            fb_error("%s: timing.%s is not that of the cells and the experiment", p->path,
                     members[i].name);
            return FB_EXIT_CORRECTNESS;
        }
    }
    return FB_EXIT_OK;
}

/* Whether the experiment asks for that share; yardsticks are asked for absent keys anyway. */
static bool asked_hits(const struct fb_kernels *e, const json_t *cell)
{
    const json_t *ratio = json_object_get(cell, "hit_ratio");
    double x = json_number_value(ratio);
    bool insert = !strcmp(fb_json_str(cell, "operation"), "insert");
    bool found = insert || x == 0;
    for (size_t i = 0; i < e->n_hit_ratios; i++)
        found = found || x == e->hit_ratio[i];
    return found && (insert ? json_is_null(ratio) : json_is_number(ratio));
}

/* Whether the experiment asks for that size; a control has none. */
static bool asked_size(const struct fb_kernels *e, bool control, double bits_per_key, double fpr)
{
    bool found = control && bits_per_key == 0 && fpr == 0;
    for (size_t i = 0; i < e->n_bits_per_key && !control; i++)
        found = found || (bits_per_key == e->bits_per_key[i] && fpr == 0);
    for (size_t i = 0; i < e->n_fpr && !control; i++)
        found = found || (fpr == e->fpr[i] && bits_per_key == 0);
    return found;
}

static enum fb_exit differs(const struct planned *p, const char *id, const char *member,
                            const char *where)
{
    fb_error("%s: %s: %s%s%s: this filterbench sizes that filter otherwise", p->path, id, member,
             where ? "." : "", where ? where : "");
    return FB_EXIT_CORRECTNESS;
}

/* The filter of a cell, and the rate predicted for it; cells of one filter agree. */
static enum fb_exit check_filter(struct planned *p, json_t *cell, const char *owner,
                                 const struct fb_design *design,
                                 const struct fb_timing_filter *filter)
{
    const char *id = fb_json_str(cell, "id"), *where = NULL;
    const json_t *written = json_object_get(cell, "filter");
    const json_t *predicted = json_object_get(cell, "predicted_fpr");
    const json_t *first = json_object_get(p->filters, owner);
    if (first && !json_equal(json_object_get(json_object_get(first, "filter"), "checksum"),
                             json_object_get(written, "checksum")))
        return wrong(p, id, "filter.checksum is not that of the design's other cells");
    if (first && !json_equal(json_object_get(first, "predicted_fpr"), predicted))
        return wrong(p, id, "predicted_fpr is not that of the design's other cells");
    json_t *planned = fb_kernels_filter_json(filter);
    json_object_set(planned, "checksum", json_object_get(written, "checksum"));
    bool same = fb_json_agree(planned, written, &where);
    json_decref(planned);
    if (!same)
        return differs(p, id, "filter", where);
    if (first)
        return FB_EXIT_OK;
    json_object_set(p->filters, owner, cell);
    planned = json_object();
    fb_json_real(planned, "predicted_fpr",
                 design->traits & FB_CONTROL ? NAN : fb_kernels_predict(filter, design), "none");
    same = fb_json_agree(json_object_get(planned, "predicted_fpr"), predicted, &where);
    json_decref(planned);
    return same ? FB_EXIT_OK : differs(p, id, "predicted_fpr", NULL);
}

static enum fb_exit check_cell(struct planned *p, json_t *cell)
{
    char name[FB_KERNELS_ID], place[FB_KERNELS_PLACE], owner[FB_KERNELS_ID];
    struct fb_timing_filter filter;
    const struct fb_kernels *e = &p->experiment;
    const char *id = fb_json_str(cell, "id"), *why = NULL;
    const struct fb_design *design = fb_design_find(fb_json_str(cell, "design"));
    int operation = fb_operation_find(fb_json_str(cell, "operation"));
    int footprint = fb_footprint_find(fb_json_str(cell, "footprint"));
    double bits_per_key = json_number_value(fb_json_at(cell, "params.bits_per_key"));
    double fpr = json_number_value(fb_json_at(cell, "params.fpr"));
    if (!design || operation == FB_N_OPERATIONS || footprint == FB_N_FOOTPRINTS) {
        fb_error("%s: %.100s: give a design, an operation and a footprint that this filterbench "
                 "has",
                 p->path, id);
        return FB_EXIT_USAGE;
    }
    fb_kernels_place(e, (enum fb_footprint)footprint, bits_per_key, fpr, place);
    fb_kernels_name(design->name, place, (enum fb_operation)operation,
                    json_number_value(json_object_get(cell, "hit_ratio")), fb_json_str(cell, "isa"),
                    fb_json_str(cell, "style"), name);
    if (strcmp(name, id) != 0)
        return wrong(p, id,
                     "design, size, footprint, operation, hit_ratio, isa or style is not "
                     "that of the id");
    if (!asked_hits(e, cell) || !e->footprint[footprint] ||
        !asked_size(e, design->traits & FB_CONTROL, bits_per_key, fpr))
        return wrong(p, id, "the experiment has no such cell");
    if (json_object_get(p->ids, id))
        return wrong(p, id, "it is there twice");
    json_object_set(p->ids, id, cell);
    if (fb_kernels_filter(e, design, (enum fb_footprint)footprint, p->footprints.bytes[footprint],
                          bits_per_key, fpr, &filter, &why))
        return wrong(p, id, why ? why : "there is no such filter");
    snprintf(owner, sizeof owner, "%.40s/%s", design->name, place);
    return check_filter(p, cell, owner, design, &filter);
}

/* Whether an id of `rows` starts with the prefix. */
static bool any_starts(const json_t *rows, const char *prefix)
{
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)rows, i, row)
    {
        if (!strncmp(fb_json_str(row, "id"), prefix, strlen(prefix)))
            return true;
    }
    return false;
}

static bool skipped(const json_t *document, const char *design, const char *place, int operation)
{
    size_t i;
    json_t *row;
    char whole[FB_KERNELS_ID], one[FB_KERNELS_ID + 10];
    snprintf(whole, sizeof whole, "%.40s/%s", design, place);
    snprintf(one, sizeof one, "%s/%s", whole, fb_operation_name((enum fb_operation)operation));
    json_array_foreach(json_object_get(document, "skipped"), i, row)
    {
        const char *id = fb_json_str(row, "id");
        if (!strcmp(id, whole) || !strcmp(id, one))
            return true;
    }
    return false;
}

/* Every operation and share of hits asked for is measured with some kernel of the design, or
 * skipped. */
static enum fb_exit check_operations(struct planned *p, const json_t *document,
                                     const struct fb_design *design, const char *place)
{
    const struct fb_kernels *e = &p->experiment;
    for (int o = 0; o < FB_OP_PLAIN; o++) {
        size_t n = o == FB_OP_INSERT ? 1 : e->n_hit_ratios;
        if (!e->operation[o] || skipped(document, design->name, place, o))
            continue;
        for (size_t h = 0; h < n; h++) {
            char prefix[FB_KERNELS_ID];
            fb_kernels_name(design->name, place, (enum fb_operation)o, e->hit_ratio[h], "", "",
                            prefix);
            prefix[strlen(prefix) - 1] = '\0'; /* whichever instruction set */
            if (!any_starts(json_object_get(document, "cells"), prefix))
                return wrong(p, prefix, "the cell is missing");
        }
    }
    return FB_EXIT_OK;
}

static enum fb_exit check_all_there(struct planned *p, const json_t *document)
{
    const struct fb_kernels *e = &p->experiment;
    size_t n_sizes = e->n_bits_per_key + e->n_fpr;
    enum fb_exit code = FB_EXIT_OK;
    for (size_t i = 0; i < e->n_designs * n_sizes * FB_N_FOOTPRINTS && !code; i++) {
        const struct fb_design *design = e->designs[i / n_sizes / FB_N_FOOTPRINTS];
        size_t size = i / FB_N_FOOTPRINTS % n_sizes, f = i % FB_N_FOOTPRINTS;
        bool by_bits = size < e->n_bits_per_key;
        char place[FB_KERNELS_PLACE];
        if (design->traits & FB_CONTROL || !e->footprint[f] || !p->footprints.bytes[f])
            continue; /* yardsticks are measured as others need them */
        fb_kernels_place(e, (enum fb_footprint)f, by_bits ? e->bits_per_key[size] : 0,
                         by_bits ? 0 : e->fpr[size - e->n_bits_per_key], place);
        code = check_operations(p, document, design, place);
    }
    return code;
}

enum fb_exit fb_kernels_check_cells(const char *path, const json_t *document)
{
    struct planned p = {.path = path, .ids = json_object(), .filters = json_object()};
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_OK;
    size_t i;
    json_t *cell, *cells = json_object_get(document, "cells");
    if (!fb_kernels_resolve(json_object_get(document, "experiment"), &p.experiment, &problem)) {
        fb_error("%s: experiment: %s", path, problem.text);
        code = FB_EXIT_USAGE;
    }
    if (!code && json_array_size(cells))
        code = check_timing(&p, document);
    if (!code && json_array_size(cells))
        code = read_footprints(&p, document);
    json_array_foreach(cells, i, cell)
    {
        if (!code)
            code = check_cell(&p, cell);
    }
    if (!code && json_is_true(fb_json_at(document, "run.complete")))
        code = check_all_there(&p, document);
    json_decref(p.ids);
    json_decref(p.filters);
    fb_kernels_close(&p.experiment);
    return code;
}

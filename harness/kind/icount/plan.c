/* The cells of an experiment of kind "icount". */
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/document/fields.h"
#include "harness/document/points.h"
#include "harness/kind/icount/icount.h"
#include "workloads/core/rng.h"

static const struct fb_word operations[] = {{"batch", NULL}, {"each", NULL},   {"branch", NULL},
                                            {"chain", NULL}, {"insert", NULL}, {NULL, NULL}};
static const struct fb_word isas[] = {
    {"scalar", NULL}, {"neon", NULL}, {"avx2", NULL}, {"avx512", NULL}, {NULL, NULL}};

const struct fb_field fb_icount_fields[] = {
    FB_FIELDS_FIRST("icount", "icount"),
    FB_FIELD_DESIGNS("[\"filters\"]"),
    FB_FIELD_REALS("bits_per_key", "[10]", 1, 100, false, "a number from 1 to 100",
                   .meaning = "size of a filter: bits of memory for each key that it holds",
                   .of = "bits per key", .example = "[8, 12]"),
    FB_FIELD_COUNTS("n", "[10000]", 1, 1e8, "a count of keys from 1 to 100000000",
                    .meaning = "how many keys a filter holds", .of = "keys",
                    .example = "[1000, 100000]"),
    FB_FIELD_WORDS("operations", "[\"batch\", \"insert\"]", operations, "operation", true,
                   .meaning = "what is counted: batch (many keys a call), each (a call for each), "
                              "branch, chain, insert",
                   .example = "[\"batch\", \"chain\"]"),
    FB_FIELD_SHARES("hit_ratios", "[0]", 0, 1, false, "a share of present keys from 0 to 1",
                    .meaning = "which share of the keys that are asked for is in the filter",
                    .of = "a share", .example = "[0, 1]"),
    FB_FIELD_WORDS("isas", "[\"all\"]", isas, "instruction set", true,
                   .meaning = "which instruction sets are counted", .example = "[\"scalar\"]"),
    FB_FIELD_SEED,
    {0},
};

/* ---- Planning ---- */

static const json_t *list_of(const struct fb_icount_plan *p, const char *name)
{
    return json_object_get(p->document, name);
}

static void skip(struct fb_icount_plan *p, const char *place, const char *what, const char *why)
{
    char id[FB_ICOUNT_ID];
    snprintf(id, sizeof id, "%.80s%s", place, what);
    fb_skip(p->skipped, id, why);
}

/* A filter of the design; false where there is none, and the reason is with the skipped ones. */
static bool add_filter(struct fb_icount_plan *p, const struct fb_design *design, const char *place,
                       double bits_per_key, uint64_t n_keys)
{
    const uint64_t seed = strtoull(fb_json_str(p->document, "seed"), NULL, 16);
    const char *why = NULL;
    struct fb_timing_filter f = {
        .params = {.bits_per_key = bits_per_key},
        .n_keys = n_keys,
        .stream = fb_stream_word(fb_xxh64(design->name, strlen(design->name), seed), 0),
        .fd = -1,
        .design = (uint32_t)fb_place_of(design->name)};
    enum fb_err err = FB_OK;
    if (!(design->traits & FB_CONTROL))
        err = fb_params_resolve(design, f.n_keys, &f.params, &why);
    if (!err)
        err = fb_design_plan(design, &f.params, f.n_keys, &f.geom, &why);
    if (err)
        skip(p, place, "", why ? why : fb_err_text(err));
    else
        p->job.filters[p->job.n_filters++] = f;
    return !err;
}

static void add_cell(struct fb_icount_plan *p, const char *place, size_t kernel,
                     enum fb_operation operation, double hit_ratio, double bits_per_key)
{
    struct fb_timing_job *job = &p->job;
    const uint32_t filter = (uint32_t)job->n_filters - 1, design = job->filters[filter].design;
    const struct fb_kernel *k = fb_design_at(design)->kernels[kernel];
    char hits[32] = "";
    if (operation != FB_OP_INSERT && hit_ratio > 0 && hit_ratio < 1)
        snprintf(hits, sizeof hits, "/hits=%.6g", hit_ratio);
    else if (operation != FB_OP_INSERT)
        snprintf(hits, sizeof hits, hit_ratio > 0 ? "/present" : "/absent");
    snprintf(p->id[job->n_cells], FB_ICOUNT_ID, "%.80s/%s%s/%s-%.24s", place,
             fb_operation_name(operation), hits, fb_isa_name(k->isa), k->style);
    job->cells[job->n_cells++] = (struct fb_timing_cell){.design = design,
                                                         .kernel = (uint32_t)kernel,
                                                         .operation = operation,
                                                         .footprint = FB_FOOT_L1,
                                                         .yardstick = -1,
                                                         .hit_ratio = hit_ratio,
                                                         .bits_per_key = bits_per_key,
                                                         .filter = filter};
}

static void add_kernel(struct fb_icount_plan *p, const struct fb_design *design, const char *place,
                       size_t kernel, double bits_per_key)
{
    const json_t *hit_ratios = list_of(p, "hit_ratios");
    for (int o = 0; o < FB_OP_INSERT; o++)
        for (size_t h = 0; h < json_array_size(hit_ratios); h++)
            if (fb_json_lists(list_of(p, "operations"), fb_operation_name((enum fb_operation)o)))
                add_cell(p, place, kernel, (enum fb_operation)o,
                         json_number_value(json_array_get(hit_ratios, h)), bits_per_key);
    if (!fb_json_lists(list_of(p, "operations"), fb_operation_name(FB_OP_INSERT)))
        return;
    if (!design->kernels[kernel]->add_batch)
        skip(p, place, "/insert", "not every kernel adds");
    else if (design->when_full || fb_operation_alters(FB_OP_INSERT, design))
        skip(p, place, "/insert", "each insert takes room, and there is none for a block");
    else
        add_cell(p, place, kernel, FB_OP_INSERT, 0, bits_per_key);
}

/* The kernels of a design with filters of that size; 0: of a design that takes none. */
static void add_size(struct fb_icount_plan *p, const struct fb_design *design, double bits_per_key,
                     uint64_t n_keys)
{
    char place[80];
    bool any = false;
    snprintf(place, sizeof place, "%.40s", design->name);
    if (bits_per_key > 0)
        snprintf(place + strlen(place), 20, "/bpk=%.6g", bits_per_key);
    snprintf(place + strlen(place), 20, "/n=%llu", (unsigned long long)n_keys);
    for (size_t k = 0; design->kernels[k]; k++) {
        if (!fb_json_lists(list_of(p, "isas"), fb_isa_name(design->kernels[k]->isa)))
            continue;
        if (!any && !add_filter(p, design, place, bits_per_key, n_keys))
            return;
        any = true;
        add_kernel(p, design, place, k, bits_per_key);
    }
    if (!any)
        skip(p, place, "", "no kernel of the instruction sets asked for");
}

/* All sizes of it. */
static void add_design(struct fb_icount_plan *p, const struct fb_design *design)
{
    const json_t *sizes = list_of(p, "bits_per_key"), *counts = list_of(p, "n");
    const bool sized = fb_design_sized(design);
    for (size_t s = 0; s < (sized ? json_array_size(sizes) : 1); s++)
        for (size_t n = 0; n < json_array_size(counts); n++)
            add_size(p, design, sized ? json_number_value(json_array_get(sizes, s)) : 0,
                     (uint64_t)json_integer_value(json_array_get(counts, n)));
}

static size_t n_kernels(const json_t *designs)
{
    size_t n = 0;
    FB_EACH(name, designs) {
        const struct fb_design *design = fb_design_find(json_string_value(name));
        for (size_t k = 0; design->kernels[k]; k++)
            n++;
    }
    return n;
}

static bool plan_cells(struct fb_icount_plan *out, struct fb_shard shard)
{
    const json_t *designs = list_of(out, "designs");
    const size_t n_designs = json_array_size(designs),
                 n_sizes = json_array_size(list_of(out, "bits_per_key")) *
                           json_array_size(list_of(out, "n")),
                 n_cells = n_kernels(designs) * n_sizes *
                           (FB_OP_INSERT * json_array_size(list_of(out, "hit_ratios")) + 1);
    out->job.filters = calloc(n_designs * n_sizes + 1, sizeof *out->job.filters);
    out->job.cells = calloc(n_cells + 1, sizeof *out->job.cells);
    out->id = calloc(n_cells + 1, sizeof *out->id);
    out->skipped = json_array();
    out->job.options.group.cpu = FB_CPU_NONE;
    if (!out->job.filters || !out->job.cells || !out->id || !out->skipped)
        return false;
    for (size_t d = 0; d < n_designs; d++)
        if (fb_shard_has(shard, d))
            add_design(out, fb_design_find(json_string_value(json_array_get(designs, d))));
    return true;
}

const json_t *fb_icount_open(void *self, const json_t *given, struct fb_problem *problem)
{
    struct fb_icount_plan *out = self;
    out->document = fb_fields_resolve(fb_icount_fields, given, problem);
    return out->document && plan_cells(out, FB_WHOLE) ? out->document : NULL;
}

static void drop_cells(struct fb_icount_plan *p)
{
    fb_timing_job_close(&p->job);
    free(p->id);
    json_decref(p->skipped);
    memset(&p->job, 0, sizeof p->job);
    p->id = NULL;
    p->skipped = NULL;
}

bool fb_icount_take(struct fb_icount_plan *p, struct fb_shard shard)
{
    if (shard.of == 1)
        return true;
    drop_cells(p);
    return plan_cells(p, shard);
}

void fb_icount_close(void *self)
{
    struct fb_icount_plan *p = self;
    drop_cells(p);
    json_decref(p->document);
}

void fb_icount_describe(const struct fb_icount_plan *p, size_t i, json_t *cell)
{
    const struct fb_timing_cell *c = &p->job.cells[i];
    const struct fb_timing_filter *f = &p->job.filters[c->filter];
    const struct fb_kernel *kernel = fb_design_at(c->design)->kernels[c->kernel];
    json_t *own =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:{s:o, s:o, s:o}}", "id", p->id[i], "design",
                  fb_design_at(c->design)->name, "isa", fb_isa_name(kernel->isa), "style",
                  kernel->style, "operation", fb_operation_name((enum fb_operation)c->operation),
                  "filter", "bytes", fb_json_int(f->geom.n_bytes), "n_keys", fb_json_int(f->n_keys),
                  "probes", fb_json_int(f->geom.probes));
    fb_json_known(own, "hit_ratio", c->operation == FB_OP_INSERT ? NULL : json_real(c->hit_ratio),
                  "inserts add keys that are in already");
    fb_json_known(own, "bits_per_key", c->bits_per_key > 0 ? json_real(c->bits_per_key) : NULL,
                  fb_why_no_size(fb_design_at(c->design)));
    json_object_update_new(cell, own);
}

/* The cells of an experiment of kind "kernels". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/kernels/planning.h"

/* Whether the experiment asks for this kernel. */
static bool wanted(const struct fb_planning *p, const struct fb_design *design,
                   const struct fb_kernel *kernel)
{
    const json_t *isas = json_object_get(p->e->document, "isas");
    const json_t *styles = json_object_get(p->e->document, "styles");
    if (!p->grid->machine.isa[kernel->isa])
        return false;
    bool isa = fb_json_lists(isas, "all") || fb_json_lists(isas, fb_isa_name(kernel->isa)) ||
               (fb_json_lists(isas, "best") &&
                kernel->isa == fb_planning_best(p, design, FB_ISA_NONE)->isa);
    bool style =
        fb_json_lists(styles, "all") || fb_json_lists(styles, kernel->style) ||
        (fb_json_lists(styles, "best") && kernel == fb_planning_best(p, design, kernel->isa));
    return isa && style;
}

/* Why the kernel at hand has no cell of an operation that writes. */
static const char *why_not(const struct fb_planning *p, size_t kernel, enum fb_operation operation)
{
    const struct fb_design *design = p->design;
    if (fb_operation_builds(operation) &&
        design->kernels[kernel] != fb_planning_best(p, design, FB_ISA_NONE))
        return "a build takes the best kernel";
    return fb_operation_why_not(operation, design, design->kernels[kernel],
                                p->grid->job.filters[p->filter].n_keys);
}

/* asked: the experiment names the design. */
static void add_writing(struct fb_planning *p, size_t kernel, enum fb_operation operation,
                        int32_t yardstick, bool asked)
{
    const char *why = why_not(p, kernel, operation);
    const uint32_t shared = p->filter;
    const uint64_t spare = operation == FB_OP_MIXED ? 0 : FB_DIGEST_WORDS;
    p->removes = fb_operation_removes(operation);
    if (why && asked)
        fb_planning_skip(p, p->design->name, fb_operation_name(operation), why);
    else if (!why && (!fb_operation_alters(operation, p->design) ||
                      fb_planning_filter(p, p->design, spare)))
        fb_planning_cell(p, kernel, operation, 0, yardstick);
    p->removes = false;
    p->filter = shared;
}

/* Whether an operation is of a single filter. */
static bool asks_one(const struct fb_kernels *e)
{
    for (int o = 0; o < FB_OP_PLAIN; o++)
        if (e->operation[o] && !fb_operation_walks((enum fb_operation)o))
            return true;
    return false;
}

static const enum fb_operation own_operations[FB_N_OWN] = {FB_OP_BATCH, FB_OP_CHAIN, FB_OP_INSERT};

static int own_of(enum fb_operation operation)
{
    return operation == FB_OP_CHAIN    ? FB_OF_CHAINS
           : operation == FB_OP_INSERT ? FB_OF_INSERTS
                                       : FB_OF_BATCHES;
}

/* Every operation asked for, of one kernel. */
static void add_operations(struct fb_planning *p, size_t kernel, bool absent_only)
{
    const struct fb_kernels *e = p->e;
    const struct fb_timing_job *job = &p->grid->job;
    const struct fb_timing_filter *f = &job->filters[p->filter];
    const struct fb_design *design = p->design;
    const enum fb_yardstick own = fb_yardstick_find(design->name);
    const enum fb_yardstick which = own < FB_N_YARDSTICKS ? own : fb_yardstick_of(&f->geom);
    for (int o = 0; o < FB_OP_PLAIN; o++) {
        enum fb_operation operation = (enum fb_operation)o;
        int32_t yardstick = p->yardstick[which][own_of(operation)];
        const bool it_is = design->traits & FB_CONTROL && yardstick >= 0 &&
                           job->cells[yardstick].filter == p->filter &&
                           own_operations[own_of(operation)] == operation;
        if (!e->operation[o] || fb_operation_walks(operation))
            continue;
        if (fb_operation_has_peer(operation) && fb_operation_writes(operation)) {
            fb_planning_inline(p, kernel, operation, 0, !absent_only);
        } else if (fb_operation_writes(operation)) {
            if (!it_is)
                add_writing(p, kernel, operation, yardstick, !absent_only);
        } else {
            for (size_t h = 0; h < e->n_hit_ratios; h++) {
                double hits = e->hit_ratio[h];
                if (hits == 0 ? it_is : absent_only)
                    continue;
                if (hits > 0 && f->synthetic_fill)
                    fb_planning_skip(p, design->name, fb_operation_name(operation),
                                     "filled without keys: none are present");
                else if (operation == FB_OP_INLINE)
                    fb_planning_inline(p, kernel, operation, hits, !absent_only);
                else
                    fb_planning_cell(p, kernel, operation, hits, yardstick);
            }
        }
    }
}

/* The plain loops beside a yardstick that this machine runs. */
static void add_plain(struct fb_planning *p, enum fb_yardstick which)
{
    const struct fb_plain_loop *loop;
    for (size_t i = 0; p->e->operation[FB_OP_PLAIN] && (loop = fb_plain_loop_at(i)); i++)
        if (p->grid->machine.isa[loop->isa] && (!loop->gathers || which == FB_YARD_FETCH))
            fb_planning_loop(p, 0, FB_OP_PLAIN, 0, p->yardstick[which][FB_OF_BATCHES], (uint32_t)i);
}

/* A yardstick, the plain loops beside it, and whatever else is asked for of its best kernel. */
static void add_yardstick(struct fb_planning *p, enum fb_yardstick which)
{
    const struct fb_design *design = fb_design_find(fb_yardstick_name(which));
    size_t best = 0;
    if (!design || !fb_planning_filter(p, design, 0))
        return;
    memset(p->row, -1, sizeof p->row);
    while (design->kernels[best] != fb_planning_best(p, design, FB_ISA_NONE))
        best++;
    for (int own = 0; own < FB_N_OWN; own++)
        p->yardstick[which][own] = own == FB_OF_BATCHES || p->e->operation[own_operations[own]]
                                       ? fb_planning_cell(p, best, own_operations[own], 0, -1)
                                       : p->yardstick[which][FB_OF_BATCHES];
    add_plain(p, which);
    add_operations(p, best, true);
    fb_planning_walks(p, best, true);
}

static void add_design(struct fb_planning *p, const struct fb_design *design)
{
    bool any = false, filter = false;
    p->design = design;
    memset(p->row, -1, sizeof p->row);
    for (size_t k = 0; design->kernels[k]; k++) {
        if (!wanted(p, design, design->kernels[k]))
            continue;
        any = true;
        filter = filter || (asks_one(p->e) && fb_planning_filter(p, design, 0));
        if (!filter && asks_one(p->e))
            return;
        if (filter)
            add_operations(p, k, false);
        fb_planning_walks(p, k, false);
    }
    if (!any)
        fb_planning_skip(p, design->name, "",
                         "no kernel of the instruction sets and styles asked for");
}

/* Size number `size` of the experiment, or none. */
static void set_size(struct fb_planning *p, size_t size)
{
    const struct fb_kernels *e = p->e;
    size_t n_sizes = e->n_bits_per_key + e->n_fpr;
    p->load = 0;
    p->bits_per_key = size < e->n_bits_per_key ? e->bits_per_key[size] : 0;
    p->fpr = size >= e->n_bits_per_key && size < n_sizes ? e->fpr[size - e->n_bits_per_key] : 0;
    const char *name = fb_footprint_name(p->footprint);
    if (size < n_sizes && n_sizes > 1)
        snprintf(p->place, FB_KERNELS_PLACE, p->fpr > 0 ? "%s/fpr=%.15g" : "%s/bpk=%.15g", name,
                 p->fpr > 0 ? p->fpr : p->bits_per_key);
    else
        snprintf(p->place, FB_KERNELS_PLACE, "%s", name);
}

/* The design at every size and load; where it takes no size, once. */
static void add_sizes(struct fb_planning *p, const struct fb_design *design)
{
    size_t n_sizes = p->e->n_bits_per_key + p->e->n_fpr;
    const bool control = design->traits & FB_CONTROL, sized = fb_design_sized(design);
    const size_t n_loads = control ? 0 : p->e->n_loads;
    const size_t first = control ? n_sizes : sized ? 0 : p->e->n_bits_per_key;
    const bool own = control || (!sized && p->e->n_bits_per_key);
    for (size_t size = first; size < n_sizes + own; size++) {
        for (size_t load = 0; load < (n_loads ? n_loads : 1); load++) {
            set_size(p, size);
            if (n_loads)
                fb_planning_load(p, load);
            add_design(p, design);
        }
    }
}

/* Whether anything is asked of the designs: plain loops are beside yardsticks only. */
static bool asks_designs(const struct fb_kernels *e)
{
    for (int o = 0; o < FB_OP_PLAIN; o++)
        if (e->operation[o])
            return true;
    return false;
}

static void add_footprint(struct fb_planning *p)
{
    set_size(p, SIZE_MAX);
    p->copied = 0;
    if (!p->grid->machine.footprints.bytes[p->footprint]) {
        fb_planning_skip(p, "all", "", "filters of most_bytes fit a smaller cache");
        return;
    }
    if (fb_planning_asks_present(p->e) && p->e->operation[FB_OP_PLAIN])
        fb_planning_skip(p, "all", fb_operation_name(FB_OP_PLAIN),
                         "plain loops ask for absent keys, whatever hit_ratios says");
    memset(p->yardstick, -1, sizeof p->yardstick);
    memset(p->walk_yardstick, -1, sizeof p->walk_yardstick);
    for (int which = 0; which < FB_N_YARDSTICKS; which++)
        add_yardstick(p, (enum fb_yardstick)which);
    const struct fb_design *null = fb_design_find("null");
    if (null && fb_planning_filter(p, null, 0))
        add_operations(p, 0, true);
    for (size_t d = 0; d < p->e->n_designs; d++) {
        const struct fb_design *design = p->e->designs[d];
        if (design != null && asks_designs(p->e) && fb_shard_has(p->e->shard, d) &&
            fb_yardstick_find(design->name) == FB_N_YARDSTICKS)
            add_sizes(p, design);
    }
}

static size_t most_kernels(void)
{
    size_t most = 1;
    for (size_t d = 0; d < fb_n_designs(); d++) {
        size_t n = 0;
        while (fb_design_at(d)->kernels[n])
            n++;
        most = n > most ? n : most;
    }
    return most;
}

enum fb_err fb_kernels_plan(const struct fb_kernels *e, const struct fb_kernels_machine *machine,
                            struct fb_kernels_grid *out)
{
    struct fb_planning p = {.e = e, .grid = out};
    size_t n_sized = (e->n_designs + FB_N_YARDSTICKS + 1) * (e->n_bits_per_key + e->n_fpr) *
                     (e->n_loads ? e->n_loads : 1);
    size_t n_plain = 0;
    while (fb_plain_loop_at(n_plain))
        n_plain++;
    size_t n_cells =
        FB_N_FOOTPRINTS *
        (n_sized * most_kernels() * (FB_N_OPERATIONS * (e->n_hit_ratios + 1) + 2 * e->n_runs) +
         FB_N_YARDSTICKS * n_plain);
    memset(out, 0, sizeof *out);
    out->machine = *machine;
    if (e->most_bytes)
        fb_footprints_bound(&out->machine.footprints, e->most_bytes);
    out->job.options = e->options;
    out->job.cells = calloc(n_cells, sizeof *out->job.cells);
    /* The cells of one design and size share a filter, but for those that alter it. */
    out->job.filters = calloc(FB_N_FOOTPRINTS * n_sized * (1 + 4 * most_kernels() + e->n_runs),
                              sizeof *out->job.filters);
    out->id = calloc(n_cells, sizeof *out->id);
    out->skipped = json_array();
    if (!out->job.cells || !out->job.filters || !out->id || !out->skipped)
        return FB_ENOMEM;
    for (int i = 0; i < FB_N_FOOTPRINTS; i++) {
        p.footprint = (enum fb_footprint)i;
        if (e->footprint[i])
            add_footprint(&p);
    }
    return FB_OK;
}

void fb_kernels_grid_close(struct fb_kernels_grid *grid)
{
    fb_timing_job_close(&grid->job);
    free(grid->id);
    free(grid->mixed);
    json_decref(grid->skipped);
    memset(grid, 0, sizeof *grid);
}

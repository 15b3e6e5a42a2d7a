/* The cells of an experiment of kind "kernels". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/document/points.h"
#include "harness/kind/kernels/kernels.h"
#include "workloads/core/rng.h"

enum { PLACE = 48 };

/* What has a yardstick of its own: lookups in batches, which stand for all else, chains, inserts.
 */
enum { OF_BATCHES, OF_CHAINS, OF_INSERTS, N_OWN };

/* A grid being filled. yardstick: cells of the footprint at hand. */
struct planning {
    const struct fb_kernels *e;
    struct fb_kernels_grid *grid;
    uint64_t kept;   /* by the filters so far, */
    uint64_t copied; /* and by copies in a process of this footprint */
    int32_t yardstick[FB_N_YARDSTICKS][N_OWN];
    int32_t walk_yardstick[FB_N_YARDSTICKS][16][2]; /* of a number of runs: walk, walk-batch */
    enum fb_footprint footprint;
    char place[PLACE];              /* in ids: "L1", or "L1/bpk=8" of several sizes */
    double bits_per_key, fpr;       /* the size at hand; both 0: a yardstick's */
    const struct fb_design *design; /* whose cells are being added */
    uint32_t filter;                /* and its filter */
    uint32_t runs;                  /* of a walk; 0: of anything else */
    int64_t row[16];                /* the design's filters of a walk, by number of runs; -1: not
                                     * added, -2: they cannot be */
};

/* The best kernel of a design, or of one instruction set of it, that the machine runs. */
static const struct fb_kernel *best_kernel(const struct planning *p, const struct fb_design *design,
                                           enum fb_isa isa)
{
    const struct fb_kernel *best = NULL;
    for (const struct fb_kernel *const *k = design->kernels; *k; k++)
        if (!(*k)->concurrent_add && p->grid->machine.isa[(*k)->isa] &&
            (isa == FB_ISA_NONE || isa == (*k)->isa))
            best = *k;
    return best;
}

/* Whether the experiment asks for this kernel. */
static bool wanted(const struct planning *p, const struct fb_design *design,
                   const struct fb_kernel *kernel)
{
    const json_t *isas = json_object_get(p->e->document, "isas");
    const json_t *styles = json_object_get(p->e->document, "styles");
    if (!p->grid->machine.isa[kernel->isa])
        return false;
    bool isa =
        fb_json_lists(isas, "all") || fb_json_lists(isas, fb_isa_name(kernel->isa)) ||
        (fb_json_lists(isas, "best") && kernel->isa == best_kernel(p, design, FB_ISA_NONE)->isa);
    bool style = fb_json_lists(styles, "all") || fb_json_lists(styles, kernel->style) ||
                 (fb_json_lists(styles, "best") && kernel == best_kernel(p, design, kernel->isa));
    return isa && style;
}

static void skip(struct planning *p, const char *design, const char *what, const char *why)
{
    char id[FB_KERNELS_ID];
    snprintf(id, sizeof id, "%.40s/%s%s%s", design, p->place, *what ? "/" : "", what);
    const json_t *last = json_array_get(p->grid->skipped, json_array_size(p->grid->skipped) - 1);
    if (!strcmp(fb_json_str(last, "id"), id))
        return; /* of another kernel */
    json_array_append_new(p->grid->skipped, json_pack("{s:s, s:s}", "id", id, "why", why));
}

/* The bits per key that a footprint's number of keys comes from: of a size by rate the classic
 * Bloom filter's, log2(1 / rate) / ln 2; of a yardstick 10. */
static double nominal_bits(double bits_per_key, double fpr)
{
    if (fpr > 0)
        return -fb_log(fpr) / (FB_LN2 * FB_LN2);
    return bits_per_key > 0 ? bits_per_key : 10;
}

/* Sizes by rate are compared at equal rates: each design gets the fewest bits that reach it, be
 * that the real system's rule or not. */
static enum fb_err resolve(const struct fb_design *design, uint64_t n_keys,
                           struct fb_params *params, const char **why)
{
    if (design->traits & FB_CONTROL)
        return FB_OK;
    if (params->fpr > 0 && design->traits & FB_SIZES_BY_BITS)
        return fb_params_fewest_bits(design, n_keys, params, why);
    return fb_params_resolve(design, n_keys, params, why);
}

static bool asks_present(const struct fb_kernels *e)
{
    for (size_t i = 0; i < e->n_hit_ratios; i++)
        if (e->hit_ratio[i] > 0)
            return true;
    return false;
}

/* Of designs whose keys must all be there: their digests take 512 MiB, and minutes. */
static const uint64_t MOST_AT_ONCE = UINT64_C(1) << 26;

static enum fb_err plan_filter(const struct planning *p, const struct fb_design *design,
                               struct fb_timing_filter *out, const char **why)
{
    const bool bits_are_random = fb_design_keeps_plan(design) && !design->when_full;
    const uint64_t bytes = p->grid->machine.footprints.bytes[p->footprint];
    double nominal = nominal_bits(p->bits_per_key, p->fpr);
    uint64_t n_keys = (uint64_t)((double)bytes * 8 / nominal) / (p->runs ? p->runs : 1);
    uint64_t name = fb_xxh64(design->name, strlen(design->name), p->e->options.group.seed);
    *out = (struct fb_timing_filter){
        .params = {.bits_per_key = design->traits & FB_CONTROL ? nominal : p->bits_per_key,
                   .fpr = p->fpr},
        .n_keys = n_keys,
        .runs = p->runs,
        .stream = fb_stream_word(name, p->footprint),
        .fd = -1,
        .design = (uint32_t)fb_place_of(design->name)};
    if (!bits_are_random && n_keys > MOST_AT_ONCE) {
        *why = "no random bits stand for its keys, and so many take too long to build from";
        return FB_EUNSUPPORTED;
    }
    if (p->runs && !fb_design_keeps_plan(design)) {
        *why = "the filters of a walk have one shape, and a build of this design may change it";
        return FB_EUNSUPPORTED;
    }
    enum fb_err err = resolve(design, n_keys, &out->params, why);
    if (!err)
        err = fb_design_plan(design, &out->params, n_keys, &out->geom, why);
    /* Hundreds of millions of keys take longer to add than to measure; absent ones find their way
     * as well among random bits. */
    out->synthetic_fill = bits_are_random && p->footprint == FB_FOOT_DRAM && out->geom.n_bits &&
                          !(out->geom.n_blocks && asks_present(p->e));
    return err;
}

/* Of what there is none, in an id. */
static const char *what_of(const struct planning *p)
{
    static char what[24];
    *what = '\0';
    if (p->runs)
        snprintf(what, sizeof what, "walk-%u", p->runs);
    return what;
}

/* Adds the design's filter, which holds all its keys but `spare`; false when there is none, and the
 * reason is in the grid. */
static bool add_filter(struct planning *p, const struct fb_design *design, uint64_t spare)
{
    struct fb_timing_job *job = &p->grid->job;
    struct fb_timing_filter f;
    const char *why = NULL;
    p->design = design;
    enum fb_err err = plan_filter(p, design, &f, &why);
    if (err) {
        skip(p, design->name, what_of(p), why ? why : fb_err_text(err));
        return false;
    }
    f.params.capacity = spare ? f.n_keys : 0;
    f.n_keys -= spare;
    uint64_t copied = fb_timing_bytes(&f), kept = f.synthetic_fill ? FB_FILL_TILE : copied;
    if (p->kept + p->copied + kept + copied > p->grid->machine.memory_bytes) {
        skip(p, design->name, what_of(p),
             "the filters together would take over half of the memory");
        return false;
    }
    p->kept += kept;
    p->copied += copied;
    p->filter = (uint32_t)job->n_filters;
    job->filters[job->n_filters++] = f;
    return true;
}

void fb_kernels_loop(const struct fb_timing_cell *cell, const char **isa,
                     char style[FB_PLAIN_STYLE])
{
    const struct fb_kernel *kernel = fb_design_at(cell->design)->kernels[cell->kernel];
    const struct fb_plain_loop *plain = fb_plain_loop_at(cell->loop);
    *isa = cell->family ? "fastest" : fb_isa_name(kernel->isa);
    snprintf(style, FB_PLAIN_STYLE, "%s", cell->family ? "family" : kernel->style);
    if (cell->operation == FB_OP_PLAIN) {
        *isa = fb_isa_name(plain->isa);
        fb_plain_loop_style(plain, style);
    }
}

/* loop: of a plain loop, which it is. */
static int32_t add_loop(struct planning *p, size_t kernel, enum fb_operation operation,
                        double hit_ratio, int32_t yardstick, uint32_t loop)
{
    struct fb_timing_job *job = &p->grid->job;
    const struct fb_design *design = p->design;
    char hits[24] = "", runs[16] = "";
    if (p->runs)
        snprintf(runs, sizeof runs, "-%u", p->runs);
    if (hit_ratio > 0 && hit_ratio < 1)
        snprintf(hits, sizeof hits, "/hits=%.6g", hit_ratio);
    else if (!fb_operation_writes(operation))
        snprintf(hits, sizeof hits, hit_ratio > 0 ? "/present" : "/absent");
    struct fb_timing_cell *cell = &job->cells[job->n_cells];
    *cell = (struct fb_timing_cell){
        .design = (uint32_t)fb_place_of(design->name),
        .kernel = (uint32_t)kernel,
        .operation = operation,
        .footprint = p->footprint,
        .yardstick = yardstick,
        .hit_ratio = hit_ratio,
        .bits_per_key = p->bits_per_key,
        .fpr = p->fpr,
        .filter = p->filter,
        .runs = p->runs,
        .aside = operation == FB_OP_PLAIN || design->traits & FB_FALSE_NEGATIVES,
        .family = yardstick < 0 && !p->runs && fb_yardstick_find(design->name) < FB_N_YARDSTICKS,
        .loop = loop,
    };
    const char *isa;
    char style[FB_PLAIN_STYLE];
    fb_kernels_loop(cell, &isa, style);
    snprintf(p->grid->id[job->n_cells], FB_KERNELS_ID, "%.40s/%s/%s%s%s/%s%s%s", design->name,
             p->place, fb_operation_name(operation), runs, hits, isa, cell->family ? "" : "-",
             cell->family ? "" : style);
    return (int32_t)job->n_cells++;
}

static int32_t add_cell(struct planning *p, size_t kernel, enum fb_operation operation,
                        double hit_ratio, int32_t yardstick)
{
    return add_loop(p, kernel, operation, hit_ratio, yardstick, 0);
}

/* Why the kernel at hand has no cell of an operation that writes. */
static const char *why_not(const struct planning *p, size_t kernel, enum fb_operation operation)
{
    const struct fb_design *design = p->design;
    if (fb_operation_builds(operation) &&
        design->kernels[kernel] != best_kernel(p, design, FB_ISA_NONE))
        return "a build takes the best kernel";
    return fb_operation_why_not(operation, design, design->kernels[kernel],
                                p->grid->job.filters[p->filter].n_keys);
}

/* asked: the experiment names the design. */
static void add_writing(struct planning *p, size_t kernel, enum fb_operation operation,
                        int32_t yardstick, bool asked)
{
    const char *why = why_not(p, kernel, operation);
    const uint32_t shared = p->filter;
    if (why && asked)
        skip(p, p->design->name, fb_operation_name(operation), why);
    else if (!why && (!fb_operation_alters(operation, p->design) ||
                      add_filter(p, p->design, FB_DIGEST_WORDS)))
        add_cell(p, kernel, operation, 0, yardstick);
    p->filter = shared;
}

static bool asks_walks(const struct fb_kernels *e)
{
    return e->operation[FB_OP_WALK] || e->operation[FB_OP_WALK_BATCH];
}

/* Whether an operation is of a single filter. */
static bool asks_one(const struct fb_kernels *e)
{
    for (int o = 0; o < FB_OP_PLAIN; o++)
        if (e->operation[o] && !fb_operation_walks((enum fb_operation)o))
            return true;
    return false;
}

/* The walks asked for, of one kernel. `yardstick`: they become those of their line. */
static void add_walks(struct planning *p, size_t kernel, bool yardstick)
{
    const uint32_t alone = p->filter;
    for (size_t i = 0; i < p->e->n_runs && asks_walks(p->e); i++) {
        p->runs = p->e->runs[i];
        if (p->row[i] == -1)
            p->row[i] = add_filter(p, p->design, 0) ? (int64_t)p->filter : -2;
        if (p->row[i] < 0)
            continue;
        p->filter = (uint32_t)p->row[i];
        const enum fb_yardstick own = fb_yardstick_find(p->design->name);
        const enum fb_yardstick which =
            yardstick ? own : fb_yardstick_of(&p->grid->job.filters[p->filter].geom);
        for (int batched = 0; batched < 2; batched++) {
            const enum fb_operation operation = batched ? FB_OP_WALK_BATCH : FB_OP_WALK;
            int32_t *to = &p->walk_yardstick[which][i][batched];
            if (!p->e->operation[operation])
                continue;
            const int32_t cell = add_cell(p, kernel, operation, 0, yardstick ? -1 : *to);
            if (yardstick)
                *to = cell;
        }
    }
    p->runs = 0;
    p->filter = alone;
}

static const enum fb_operation own_operations[N_OWN] = {FB_OP_BATCH, FB_OP_CHAIN, FB_OP_INSERT};

static int own_of(enum fb_operation operation)
{
    return operation == FB_OP_CHAIN    ? OF_CHAINS
           : operation == FB_OP_INSERT ? OF_INSERTS
                                       : OF_BATCHES;
}

/* Every operation asked for, of one kernel. */
static void add_operations(struct planning *p, size_t kernel, bool absent_only)
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
        if (fb_operation_writes(operation)) {
            if (!it_is)
                add_writing(p, kernel, operation, yardstick, !absent_only);
        } else {
            for (size_t h = 0; h < e->n_hit_ratios; h++) {
                double hits = e->hit_ratio[h];
                if (hits == 0 ? it_is : absent_only)
                    continue;
                if (hits > 0 && f->synthetic_fill)
                    skip(p, design->name, fb_operation_name(operation),
                         "filled without keys: none are present");
                else
                    add_cell(p, kernel, operation, hits, yardstick);
            }
        }
    }
}

/* The plain loops beside a yardstick that this machine runs. */
static void add_plain(struct planning *p, enum fb_yardstick which)
{
    const struct fb_plain_loop *loop;
    for (size_t i = 0; p->e->operation[FB_OP_PLAIN] && (loop = fb_plain_loop_at(i)); i++)
        if (p->grid->machine.isa[loop->isa] && (!loop->gathers || which == FB_YARD_FETCH))
            add_loop(p, 0, FB_OP_PLAIN, 0, p->yardstick[which][OF_BATCHES], (uint32_t)i);
}

/* A yardstick, the plain loops beside it, and whatever else is asked for of its best kernel. */
static void add_yardstick(struct planning *p, enum fb_yardstick which)
{
    const struct fb_design *design = fb_design_find(fb_yardstick_name(which));
    size_t best = 0;
    if (!design || !add_filter(p, design, 0))
        return;
    memset(p->row, -1, sizeof p->row);
    while (design->kernels[best] != best_kernel(p, design, FB_ISA_NONE))
        best++;
    for (int own = 0; own < N_OWN; own++)
        p->yardstick[which][own] = own == OF_BATCHES || p->e->operation[own_operations[own]]
                                       ? add_cell(p, best, own_operations[own], 0, -1)
                                       : p->yardstick[which][OF_BATCHES];
    add_plain(p, which);
    add_operations(p, best, true);
    add_walks(p, best, true);
}

static void add_design(struct planning *p, const struct fb_design *design)
{
    bool any = false, filter = false;
    p->design = design;
    memset(p->row, -1, sizeof p->row);
    for (size_t k = 0; design->kernels[k]; k++) {
        if (!wanted(p, design, design->kernels[k]))
            continue;
        any = true;
        filter = filter || (asks_one(p->e) && add_filter(p, design, 0));
        if (!filter && asks_one(p->e))
            return;
        if (filter)
            add_operations(p, k, false);
        add_walks(p, k, false);
    }
    if (!any)
        skip(p, design->name, "", "no kernel of the instruction sets and styles asked for");
}

/* Size number `size` of the experiment, or none. */
static void set_size(struct planning *p, size_t size)
{
    const struct fb_kernels *e = p->e;
    size_t n_sizes = e->n_bits_per_key + e->n_fpr;
    p->bits_per_key = size < e->n_bits_per_key ? e->bits_per_key[size] : 0;
    p->fpr = size >= e->n_bits_per_key && size < n_sizes ? e->fpr[size - e->n_bits_per_key] : 0;
    const char *name = fb_footprint_name(p->footprint);
    if (size < n_sizes && n_sizes > 1)
        snprintf(p->place, PLACE, p->fpr > 0 ? "%s/fpr=%.15g" : "%s/bpk=%.15g", name,
                 p->fpr > 0 ? p->fpr : p->bits_per_key);
    else
        snprintf(p->place, PLACE, "%s", name);
}

/* The design at every size; a control, which has none, once. */
static void add_sizes(struct planning *p, const struct fb_design *design)
{
    size_t n_sizes = p->e->n_bits_per_key + p->e->n_fpr;
    bool control = design->traits & FB_CONTROL;
    for (size_t size = control ? n_sizes : 0; size < n_sizes + control; size++) {
        set_size(p, size);
        add_design(p, design);
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

static void add_footprint(struct planning *p)
{
    set_size(p, SIZE_MAX);
    p->copied = 0;
    if (!p->grid->machine.footprints.bytes[p->footprint]) {
        skip(p, "all", "", "filters of most_bytes fit a smaller cache");
        return;
    }
    memset(p->yardstick, -1, sizeof p->yardstick);
    memset(p->walk_yardstick, -1, sizeof p->walk_yardstick);
    for (int which = 0; which < FB_N_YARDSTICKS; which++)
        add_yardstick(p, (enum fb_yardstick)which);
    const struct fb_design *null = fb_design_find("null");
    if (null && add_filter(p, null, 0))
        add_operations(p, 0, true);
    for (size_t d = 0; d < p->e->n_designs; d++) {
        const struct fb_design *design = p->e->designs[d];
        if (design != null && asks_designs(p->e) &&
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
    struct planning p = {.e = e, .grid = out};
    size_t n_sized = (e->n_designs + FB_N_YARDSTICKS + 1) * (e->n_bits_per_key + e->n_fpr);
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
    out->job.filters = calloc(FB_N_FOOTPRINTS * n_sized * (1 + 2 * most_kernels() + e->n_runs),
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
    json_decref(grid->skipped);
    memset(grid, 0, sizeof *grid);
}

json_t *fb_kernels_rows(const struct fb_kernels_grid *grid)
{
    json_t *rows = json_array(), *row;
    size_t i;
    for (i = 0; i < grid->job.n_cells; i++)
        json_array_append_new(rows, json_pack("{s:s, s:n}", "id", grid->id[i], "why_not"));
    json_array_foreach(grid->skipped, i, row)
        json_array_append_new(rows, json_pack("{s:O, s:O}", "id", json_object_get(row, "id"),
                                              "why_not", json_object_get(row, "why")));
    return rows;
}

/* The filters and cells of a grid of kind "kernels". */
#include <stdio.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/document/points.h"
#include "harness/filter/inline_loop.h"
#include "harness/kind/kernels/planning.h"
#include "workloads/core/rng.h"

const struct fb_kernel *fb_planning_best(const struct fb_planning *p,
                                         const struct fb_design *design, enum fb_isa isa)
{
    const struct fb_kernel *best = NULL;
    for (const struct fb_kernel *const *k = design->kernels; *k; k++)
        if (!(*k)->concurrent_add && p->grid->machine.isa[(*k)->isa] &&
            (isa == FB_ISA_NONE || isa == (*k)->isa))
            best = *k;
    return best;
}

void fb_planning_skip(struct fb_planning *p, const char *design, const char *what, const char *why)
{
    char id[FB_KERNELS_ID];
    snprintf(id, sizeof id, "%.40s/%s%s%s", design, p->place, *what ? "/" : "", what);
    fb_skip(p->grid->skipped, id, why);
}

/* The bits per key that a footprint's number of keys comes from: of a size by rate the classic
 * Bloom filter's, log2(1 / rate) / ln 2; of a yardstick 10; of a design of one size its own. */
static double nominal_bits(const struct fb_design *design, double bits_per_key, double fpr)
{
    if (!(fpr > 0) && design->traits & FB_ONE_SIZE)
        return fb_design_own_bits(design, 1000000);
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

bool fb_planning_asks_present(const struct fb_kernels *e)
{
    for (size_t i = 0; i < e->n_hit_ratios; i++)
        if (e->hit_ratio[i] > 0)
            return true;
    return false;
}

/* Of designs whose keys must all be there: their digests take 512 MiB, and minutes. */
static const uint64_t MOST_AT_ONCE = UINT64_C(1) << 26;

static enum fb_err plan_filter(const struct fb_planning *p, const struct fb_design *design,
                               struct fb_timing_filter *out, const char **why)
{
    const bool bits_are_random = fb_design_random_stands(design) && !p->removes;
    const uint64_t bytes = p->grid->machine.footprints.bytes[p->footprint];
    double nominal = nominal_bits(design, p->bits_per_key, p->fpr);
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
    if (!err)
        err = fb_planning_hold(p, out, why);
    /* Hundreds of millions of keys take longer to add than to measure; absent ones find their way
     * as well among random bits. */
    out->synthetic_fill = bits_are_random && p->footprint == FB_FOOT_DRAM && out->geom.n_bits &&
                          !(out->geom.n_blocks && fb_planning_asks_present(p->e));
    return err;
}

/* Of what there is none, in an id. */
static const char *what_of(const struct fb_planning *p)
{
    static char what[24];
    *what = '\0';
    if (p->runs)
        snprintf(what, sizeof what, "walk-%u", p->runs);
    return what;
}

bool fb_planning_filter(struct fb_planning *p, const struct fb_design *design, uint64_t spare)
{
    struct fb_timing_job *job = &p->grid->job;
    struct fb_timing_filter f;
    const char *why = NULL;
    p->design = design;
    enum fb_err err = plan_filter(p, design, &f, &why);
    if (err) {
        fb_planning_skip(p, design->name, what_of(p), why ? why : fb_err_text(err));
        return false;
    }
    if (spare && !f.params.capacity)
        f.params.capacity = f.n_keys;
    f.n_keys -= spare;
    uint64_t copied = fb_timing_bytes(&f), kept = f.synthetic_fill ? FB_FILL_TILE : copied;
    if (p->kept + p->copied + kept + copied > p->grid->machine.memory_bytes) {
        fb_planning_skip(p, design->name, what_of(p),
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
    if (fb_operation_has_peer((enum fb_operation)cell->operation))
        snprintf(style, FB_PLAIN_STYLE, "%s", fb_inline_form_words[cell->loop].name);
}

int32_t fb_planning_loop(struct fb_planning *p, size_t kernel, enum fb_operation operation,
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
        .load = p->load,
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

int32_t fb_planning_cell(struct fb_planning *p, size_t kernel, enum fb_operation operation,
                         double hit_ratio, int32_t yardstick)
{
    return fb_planning_loop(p, kernel, operation, hit_ratio, yardstick, 0);
}

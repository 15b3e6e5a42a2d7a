/* What the cells of kind "kernels" are, and of which machine: members that no sample decides. */
#include <math.h>
#include <string.h>

#include "filters/core/math.h"
#include "filters/core/simulate.h"
#include "harness/base/file.h"
#include "harness/document/points.h"
#include "harness/kind/kernels/kernels.h"

/* ---- The machine ---- */

void fb_kernels_machine_detect(struct fb_kernels_machine *m)
{
    fb_footprints_detect(&m->footprints);
    m->memory_bytes = fb_memory_limit();
    for (int isa = 0; isa < FB_N_ISAS; isa++)
        m->isa[isa] = isa != FB_ISA_NONE && fb_cpu_has((enum fb_isa)isa);
}

static json_t *footprints_json(const struct fb_footprints *f)
{
    json_t *bytes = json_object();
    for (int i = 0; i < FB_N_FOOTPRINTS; i++)
        if (f->bytes[i])
            json_object_set_new(bytes, fb_footprint_name((enum fb_footprint)i),
                                fb_json_int(f->bytes[i]));
    json_t *j = fb_caches_json(&f->caches);
    json_object_set_new(j, "filter_bytes", bytes);
    return j;
}

void fb_kernels_machine_json(const struct fb_kernels_machine *m, json_t *timing)
{
    json_t *isas = json_array();
    for (int isa = 0; isa < FB_N_ISAS; isa++)
        if (m->isa[isa])
            json_array_append_new(isas, json_string(fb_isa_name((enum fb_isa)isa)));
    json_object_set_new(timing, "footprints", footprints_json(&m->footprints));
    json_object_set_new(timing, "memory_bytes", fb_json_int(m->memory_bytes));
    json_object_set_new(timing, "isas", isas);
}

bool fb_kernels_machine_read(const json_t *timing, struct fb_kernels_machine *m)
{
    const json_t *isas = json_object_get(timing, "isas");
    memset(m, 0, sizeof *m);
    fb_caches_read(json_object_get(timing, "footprints"), &m->footprints.caches);
    m->memory_bytes = fb_json_uint(timing, "memory_bytes");
    fb_footprints_derive(&m->footprints);
    FB_EACH(name, isas) {
        for (int isa = 0; isa < FB_N_ISAS; isa++)
            m->isa[isa] =
                m->isa[isa] || (json_is_string(name) && isa != FB_ISA_NONE &&
                                !strcmp(json_string_value(name), fb_isa_name((enum fb_isa)isa)));
    }
    const struct fb_caches *caches = &m->footprints.caches;
    return m->isa[FB_ISA_SCALAR] && caches->l1d_bytes && caches->l2_bytes && caches->l3_bytes &&
           m->memory_bytes;
}

/* ---- A cell ---- */

static json_t *filter_json(const struct fb_timing_filter *f)
{
    const uint64_t n_keys = f->n_keys * (f->runs ? f->runs : 1), n_bytes = fb_timing_bytes(f);
    json_t *j =
        json_pack("{s:o, s:o}", "bytes", fb_json_int(n_bytes), "n_keys", fb_json_int(n_keys));
    fb_json_real(j, "bits_per_key", n_keys ? 8 * (double)n_bytes / (double)n_keys : NAN,
                 "there are no keys");
    json_object_set_new(j, "probes", fb_json_int(f->geom.probes));
    json_object_set_new(j, "synthetic_fill", json_boolean(f->synthetic_fill));
    json_object_set_new(j, "checksum", fb_json_word(f->checksum));
    return j;
}

static double predict(const struct fb_timing_filter *f, const struct fb_design *design)
{
    enum { QUERIES = 1000000, MOST_SIMULATED = 1 << 20 };
    uint64_t events;
    /* The others' formulas hold at these sizes. */
    if (design->scheme != FB_SCHEME_ROTATE17 && design->scheme != FB_SCHEME_ROTATE17_LINE &&
        design->scheme != FB_SCHEME_MULTIPLIED_STEP_LINE)
        return design->fpr(&f->geom, f->n_keys);
    if (f->n_keys > MOST_SIMULATED || fb_simulate_filter(design->scheme, f->n_keys, f->geom.n_bits,
                                                         f->geom.probes, QUERIES, 1, &events))
        return NAN;
    return (double)events / QUERIES;
}

/* "params" and "predicted_fpr". */
static void set_size(json_t *j, const struct fb_kernels_grid *grid, size_t i, const json_t *same)
{
    static const char *const prediction[] = {"predicted_fpr", "predicted_fpr_reason", NULL};
    const struct fb_timing_cell *cell = &grid->job.cells[i];
    const struct fb_design *design = fb_design_at(cell->design);
    const bool sized = cell->bits_per_key > 0 || cell->fpr > 0;
    const bool predicted = sized || design->traits & FB_ONE_SIZE;
    json_auto_t *taken = fb_json_members(same, prediction);
    json_object_set_new(j, "params", fb_size_params(design, cell->bits_per_key, cell->fpr));
    if (same)
        json_object_update(j, taken);
    else
        fb_json_real(j, "predicted_fpr",
                     predicted ? predict(&grid->job.filters[cell->filter], design) : NAN,
                     predicted ? "so many keys take too long to simulate" : fb_why_no_size(design));
}

const char fb_kernels_new_keys[] = "inserts add new keys";

/* Why a cell has no hit ratio. */
static const char *what_is_written(enum fb_operation operation, const struct fb_design *design)
{
    if (fb_operation_builds(operation))
        return "a build adds all keys";
    if (operation == FB_OP_REMOVE)
        return "removals take keys that are in";
    if (operation == FB_OP_MIXED)
        return "one lookup of two is of a key that is in";
    return fb_operation_alters(operation, design) ? fb_kernels_new_keys
                                                  : "inserts add keys that are in already";
}

json_t *fb_kernels_cell(const struct fb_kernels_grid *grid, size_t i, const json_t *same)
{
    const struct fb_timing_cell *cell = &grid->job.cells[i];
    const struct fb_design *design = fb_design_at(cell->design);
    const enum fb_operation operation = (enum fb_operation)cell->operation;
    const char *isa;
    char style[FB_PLAIN_STYLE];
    fb_kernels_loop(cell, &isa, style);
    json_t *j =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "id", grid->id[i], "design", design->name,
                  "isa", isa, "style", style, "operation", fb_operation_name(operation),
                  "footprint", fb_footprint_name((enum fb_footprint)cell->footprint));
    fb_json_known(j, "hit_ratio",
                  fb_operation_writes(operation) ? NULL : json_real(cell->hit_ratio),
                  what_is_written(operation, design));
    if (cell->runs)
        json_object_set_new(j, "runs", fb_json_int(cell->runs));
    if (cell->load > 0)
        json_object_set_new(j, "load", json_real(cell->load));
    set_size(j, grid, i, same);
    json_object_set_new(j, "filter", filter_json(&grid->job.filters[cell->filter]));
    if (grid->mixed && operation == FB_OP_MIXED)
        json_object_set_new(j, "mixed", fb_kernels_mixed(&grid->mixed[i]));
    return j;
}

json_t *fb_kernels_build(const struct fb_kernels_grid *grid, size_t i)
{
    const struct fb_timing_cell *cell = &grid->job.cells[i];
    struct fb_timing_cost cost;
    if (fb_timing_cost(&grid->job.filters[cell->filter], (enum fb_operation)cell->operation, &cost))
        return NULL;
    return json_pack("{s:o, s:o}", "attempts", fb_json_int(cost.attempts), "temporary_bytes",
                     fb_json_int(cost.temporary_bytes));
}

double fb_kernels_over(const json_t *cell)
{
    const double fpr = fb_json_num(cell, "predicted_fpr");
    return fpr > 0 && fpr < 1 ? fb_json_num(cell, "filter.bits_per_key") / -(fb_log(fpr) / FB_LN2)
                              : NAN;
}

double fb_kernels_held(const json_t *cell)
{
    const double n_keys = fb_json_num(cell, "filter.n_keys");
    return n_keys > 0 ? fb_json_num(cell, "build.temporary_bytes") / n_keys : NAN;
}

bool fb_kernels_is_off(const json_t *cell)
{
    const double asked = fb_json_num(cell, "params.fpr");
    return asked > 0 && !(fabs(fb_json_num(cell, "predicted_fpr") / asked - 1) <= 0.1);
}

/* Documents of before have no "build". A design that adds key by key takes no memory and does not
 * try again. Of another a build from keys holds a digest of 8 bytes a key at least. */
static bool is_build_of(const struct fb_timing_cell *cell, uint64_t n_keys, const json_t *build)
{
    const struct fb_design *design = fb_design_at(cell->design);
    const uint64_t attempts = fb_json_uint(build, "attempts");
    if (!build)
        return true;
    const uint64_t held = fb_json_uint(build, "temporary_bytes");
    const uint64_t least = cell->operation == FB_OP_BUILD_KEYS ? 8 * n_keys : 0;
    return fb_kernels_has_build(cell) && (design->retry || attempts == 1) &&
           (fb_design_waits(design) ? held >= least : !held);
}

const char *fb_kernels_contradiction(const struct fb_kernels_grid *grid, size_t i,
                                     const json_t *same, const json_t *cell)
{
    const struct fb_timing_cell *planned = &grid->job.cells[i];
    const json_t *checksum = fb_json_at(cell, "filter.checksum");
    const char *to = planned->yardstick < 0 ? "" : grid->id[planned->yardstick];
    json_t *expected = fb_kernels_cell(grid, i, same);
    if (fb_design_keeps_plan(fb_design_at(planned->design)))
        json_object_set(json_object_get(expected, "filter"), "checksum", (json_t *)checksum);
    else /* its build may have made another filter than was planned */
        json_object_set(expected, "filter", json_object_get(cell, "filter"));
    const char *otherwise = fb_otherwise(expected, cell);
    if (otherwise)
        return otherwise;
    if (!is_build_of(planned, grid->job.filters[planned->filter].n_keys,
                     json_object_get(cell, "build")))
        return "build: no build of this design takes so much, or so often";
    const char *of_mixed =
        fb_kernels_mixed_contradiction(&grid->job.filters[planned->filter], cell);
    if (of_mixed)
        return of_mixed;
    if (same && !json_equal(fb_json_at(same, "filter.checksum"), checksum))
        return "filter.checksum is not that of the design's other cells";
    return strcmp(fb_json_str(cell, "time.ratio_to"), to) ? "time.ratio_to is not its yardstick"
                                                          : NULL;
}

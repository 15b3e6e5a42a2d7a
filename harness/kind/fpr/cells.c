/* The cells of an experiment. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/fpr/rates.h"

static bool is_control(const struct fb_design *design)
{
    return design->traits & FB_CONTROL;
}

/* Why there is no such filter; NULL when there is. */
static const char *cannot_build(const struct fb_fpr_cell *spec)
{
    struct fb_params params = spec->params;
    struct fb_geometry geom;
    const char *why = NULL;
    enum fb_err err = fb_params_plan(spec->design, spec->n_keys, &params, &geom, &why);
    return !err ? NULL : why ? why : fb_err_text(err);
}

static void name_cell(struct fb_rates_cell *cell)
{
    const struct fb_fpr_cell *spec = &cell->spec;
    char size[40] = "", capacity[40] = "";
    if (spec->params.bits_per_key != 0)
        snprintf(size, sizeof size, "bpk=%.15g/", spec->params.bits_per_key);
    else if (spec->params.fpr != 0)
        snprintf(size, sizeof size, "fpr=%.15g/", spec->params.fpr);
    if (cell->capacity_factor != 1)
        snprintf(capacity, sizeof capacity, "/capacity=%.15g", cell->capacity_factor);
    snprintf(cell->id, sizeof cell->id, "%.40s/%sn=%llu/%s%s", spec->design->name, size,
             (unsigned long long)spec->n_keys, cell->keys, capacity);
}

static struct fb_rates_cell make_cell(const struct fb_rates *e, const struct fb_design *design,
                                      const struct fb_keygen *keygen, const struct fb_keys *file,
                                      uint64_t n, double capacity_factor)
{
    struct fb_rates_cell cell = {
        .keys = keygen ? keygen->text : "file",
        .capacity_factor = capacity_factor,
        .spec = {.design = design,
                 .hash = e->hash,
                 .n_keys = n,
                 .keygen = keygen,
                 .file = keygen ? NULL : file,
                 .filters = (size_t)e->filters,
                 .probes_per_filter = e->probes,
                 .precision = e->precision,
                 .max_probes = e->max_probes,
                 .root = e->seed},
    };
    if (capacity_factor != 1)
        cell.spec.params.capacity = (uint64_t)fmax(1, rint(capacity_factor * (double)n));
    if (!keygen && file->n - n < e->probes)
        cell.spec.probes_per_filter = file->n - n; /* what was held out */
    return cell;
}

/* Cells of one key set, key count and capacity: sizes, designs. */
static size_t add_sizes(const struct fb_rates *e, const struct fb_keygen *keygen,
                        const struct fb_keys *file, uint64_t n, double factor,
                        struct fb_rates_cell *to)
{
    size_t count = 0, n_sizes = e->n_bits_per_key + e->n_fpr;
    for (size_t s = 0; s < n_sizes || (s == 0 && n_sizes == 0); s++) {
        for (size_t d = 0; d < e->n_designs; d++) {
            bool control = is_control(e->designs[d]);
            if (control && (s > 0 || factor != e->capacity_factor[0]))
                continue;
            struct fb_rates_cell cell =
                make_cell(e, e->designs[d], keygen, file, n, control ? 1 : factor);
            if (!control && s < e->n_bits_per_key)
                cell.spec.params.bits_per_key = e->bits_per_key[s];
            else if (!control)
                cell.spec.params.fpr = e->fpr[s - e->n_bits_per_key];
            name_cell(&cell);
            cell.why = cannot_build(&cell.spec);
            to[count++] = cell;
        }
    }
    return count;
}

struct fb_rates_cell *fb_rates_cells(const struct fb_rates *e, const struct fb_keys *file,
                                     size_t *n_cells)
{
    size_t n_sizes = e->n_bits_per_key + e->n_fpr;
    size_t most =
        e->n_keys * e->n_n * e->n_capacity_factor * (n_sizes ? n_sizes : 1) * e->n_designs;
    struct fb_rates_cell *cells = calloc(most + 1, sizeof *cells);
    *n_cells = 0;
    for (size_t k = 0; cells && k < e->n_keys; k++) {
        uint64_t half = e->keys[k] || !file ? 0 : file->n / 2;
        size_t n_n = e->keys[k] ? e->n_n : file != NULL;
        for (size_t i = 0; i < n_n; i++) {
            for (size_t c = 0; c < e->n_capacity_factor; c++)
                *n_cells += add_sizes(e, e->keys[k], file, e->keys[k] ? e->n[i] : half,
                                      e->capacity_factor[c], cells + *n_cells);
        }
    }
    return cells;
}

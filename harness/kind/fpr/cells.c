/* The cells of an experiment. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/fpr/rates.h"

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
    char size[40] = "", capacity[40] = "", probes[16] = "";
    if (spec->params.bits_per_key != 0)
        snprintf(size, sizeof size, "bpk=%.15g/", spec->params.bits_per_key);
    else if (spec->params.fpr != 0)
        snprintf(size, sizeof size, "fpr=%.15g/", spec->params.fpr);
    if (cell->capacity_factor != 1)
        snprintf(capacity, sizeof capacity, "/capacity=%.15g", cell->capacity_factor);
    if (spec->params.probes)
        snprintf(probes, sizeof probes, "k=%u/", spec->params.probes);
    snprintf(cell->id, sizeof cell->id, "%.40s/%s%sn=%llu/%s%s", spec->design->name, size, probes,
             (unsigned long long)spec->n_keys, cell->keys, capacity);
}

static struct fb_rates_cell make_cell(const struct fb_rates *e, const struct fb_design *design,
                                      const struct fb_keygen *keygen, const struct fb_keys *file,
                                      uint64_t n, double capacity_factor)
{
    struct fb_rates_cell cell = {
        .keys = keygen ? keygen->text : "file",
        .capacity_factor = capacity_factor,
        .spec = e->asked,
    };
    cell.spec.design = design;
    cell.spec.n_keys = n;
    cell.spec.keygen = keygen;
    cell.spec.file = keygen ? NULL : file;
    if (capacity_factor != 1)
        cell.spec.params.capacity = (uint64_t)fmax(1, rint(capacity_factor * (double)n));
    if (!keygen && file->n - n < cell.spec.probes_per_filter)
        cell.spec.probes_per_filter = file->n - n; /* what was held out */
    return cell;
}

/* How many numbers of probes are asked for; 1 where designs choose theirs. */
static size_t count_k(const struct fb_rates *e)
{
    const size_t n = fb_rates_list(e, "k");
    return n ? n : 1;
}

/* Cells of one key set, key count and capacity: sizes, probes, designs. `first`: of the capacities.
 */
static size_t add_sizes(const struct fb_rates *e, const struct fb_keygen *keygen,
                        const struct fb_keys *file, uint64_t n, double factor, bool first,
                        struct fb_rates_cell *to)
{
    const json_t *designs = json_object_get(e->document, "designs");
    size_t count = 0, n_bits = fb_rates_list(e, "bits_per_key");
    size_t n_sizes = n_bits + fb_rates_list(e, "fpr");
    const size_t n_k = count_k(e), n_shapes = (n_sizes ? n_sizes : 1) * n_k;
    for (size_t shape = 0; shape < n_shapes; shape++) {
        const size_t s = shape / n_k;
        for (size_t d = 0; d < json_array_size(designs); d++) {
            const struct fb_design *design =
                fb_design_find(json_string_value(json_array_get(designs, d)));
            const bool control = design->traits & FB_CONTROL, by_rate = s >= n_bits && n_sizes;
            const bool once = !fb_design_sized(design);
            if ((once && shape > 0) || (control && !first))
                continue;
            struct fb_rates_cell cell = make_cell(e, design, keygen, file, n, control ? 1 : factor);
            if (!once && !by_rate)
                cell.spec.params.bits_per_key = fb_rates_entry(e, "bits_per_key", s);
            else if (!once)
                cell.spec.params.fpr = fb_rates_entry(e, "fpr", s - n_bits);
            if (!once && fb_rates_list(e, "k"))
                cell.spec.params.probes = (uint32_t)fb_rates_entry(e, "k", shape % n_k);
            name_cell(&cell);
            cell.why = cannot_build(&cell.spec);
            to[count++] = cell;
        }
    }
    return count;
}

/* Whether an earlier entry takes as many keys of the file. */
static bool is_there(const struct fb_rates *e, size_t i, uint64_t file_keys)
{
    for (size_t earlier = 0; earlier < i; earlier++)
        if (fb_rates_sample(e, earlier, file_keys) == fb_rates_sample(e, i, file_keys))
            return true;
    return false;
}

struct fb_rates_cell *fb_rates_cells(const struct fb_rates *e, const struct fb_keys *file,
                                     size_t *n_cells)
{
    const size_t n_keys = fb_rates_list(e, "keys"), n_factors = fb_rates_list(e, "capacity_factor");
    const size_t n_sizes = fb_rates_list(e, "bits_per_key") + fb_rates_list(e, "fpr");
    const size_t most = n_keys * (fb_rates_list(e, "n") + fb_rates_samples(e)) * n_factors *
                        (n_sizes ? n_sizes : 1) * count_k(e) * fb_rates_list(e, "designs");
    struct fb_rates_cell *cells = calloc(most + 1, sizeof *cells);
    *n_cells = 0;
    for (size_t k = 0; cells && k < n_keys; k++) {
        const struct fb_keygen *keygen = e->keygens[k].name ? &e->keygens[k] : NULL;
        const size_t n_n = keygen ? fb_rates_list(e, "n") : file ? fb_rates_samples(e) : 0;
        for (size_t i = 0; i < n_n; i++) {
            if (!keygen && is_there(e, i, file->n))
                continue;
            uint64_t n =
                keygen ? (uint64_t)fb_rates_entry(e, "n", i) : fb_rates_sample(e, i, file->n);
            for (size_t c = 0; c < n_factors; c++)
                *n_cells += add_sizes(e, keygen, file, n, fb_rates_entry(e, "capacity_factor", c),
                                      c == 0, cells + *n_cells);
        }
    }
    return cells;
}

#include "harness/kind/lsm/report/report.h"

#include <math.h>
#include <string.h>

#include "filters/core/bits.h"

/* The filters of one run. */
struct filters {
    uint64_t n;
    struct fb_lsm_sizes keys;
    struct fb_params params;
};

/* False: the run has none. */
static bool filters_of(const json_t *run, struct filters *out)
{
    const double bits = fb_json_num(run, "bits_asked"), rate = fb_json_num(run, "rate_asked");
    const uint64_t units = fb_json_uint(run, "units");
    if (!json_is_integer(json_object_get(run, "probes")) || !units)
        return false;
    *out = (struct filters){
        .n = units,
        .keys = {fb_divide_up(fb_json_uint(run, "keys"), units),
                 fb_json_uint(run, "unscaled_unit_keys")},
        .params = {.bits_per_key = isfinite(bits) ? bits : 0, .fpr = isfinite(rate) ? rate : 0}};
    return true;
}

/* What was counted of one side, with half of its 95 % interval, or what the formula says. */
static struct fb_lsm_rate rate_of(const struct fb_design *design, const struct filters *f,
                                  const json_t *counted, size_t side)
{
    const json_t *c = json_object_get(counted, side ? "unscaled" : "scaled");
    const double n = fb_json_num(c, "asked"), x = fb_json_num(c, "false");
    if (c)
        return (struct fb_lsm_rate){n > 0 ? x / n : NAN, 1.96 * sqrt(fmax(x, 1)) / n};
    return fb_lsm_formula(design, &f->params, side ? f->keys.unscaled : f->keys.scaled);
}

json_t *fb_lsm_per_filter(const json_t *cell)
{
    const struct fb_design *design = fb_design_find(fb_json_str(cell, "design"));
    const json_t *runs = json_object_get(cell, "runs"),
                 *counted = json_object_get(cell, "unscaled");
    double n = 0, n_runs = 0, keys[2] = {0}, rate[2] = {0}, error = 0;
    bool scaled = false;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        struct filters f;
        if (!filters_of(json_array_get(runs, i), &f))
            continue;
        n += (double)f.n;
        n_runs++;
        keys[0] += (double)f.n * (double)f.keys.scaled;
        keys[1] += (double)f.n * (double)f.keys.unscaled;
        scaled = scaled || f.keys.scaled != f.keys.unscaled;
        for (size_t side = 0; design && side < 2; side++) {
            const struct fb_lsm_rate r = rate_of(design, &f, json_array_get(counted, i), side);
            rate[side] += r.value;
            error += r.error;
        }
    }
    static const char *const none = "no filter";
    const char *why = !n ? none : scaled ? "not known" : "the tree is not scaled";
    const bool ranked = !scaled || fabs(rate[1] - rate[0]) + error <= FB_LSM_SAME_RATE * rate[1];
    json_t *j = json_object();
    fb_json_real(j, "keys", keys[0] / n, none);
    fb_json_real(j, "unscaled_keys", keys[1] / n, none);
    fb_json_real(j, "rate", scaled ? rate[0] / n_runs : NAN, why);
    fb_json_real(j, "unscaled_rate", scaled ? rate[1] / n_runs : NAN, why);
    json_object_set_new(j, "ranked", json_boolean(ranked));
    if (!ranked)
        json_object_set_new(j, "ranked_reason",
                            json_string("its rate depends on the number of keys per filter"));
    return j;
}

/* ---- Facts ---- */

/* Ideal words stand for keys of files alone. */
static bool side_fits(const json_t *counted, uint64_t keys, bool made)
{
    return fb_json_uint(counted, "keys") == keys &&
           !(made && json_is_true(json_object_get(counted, "ideal")));
}

const char *fb_lsm_wrong_unscaled(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                                  const json_t *cell)
{
    const struct fb_lsm_tree *tree = &e->trees[planned->tree];
    const bool made = !tree->file && !tree->trace;
    const json_t *runs = json_object_get(cell, "runs"),
                 *counted = json_object_get(cell, "unscaled");
    bool fits = json_array_size(counted) == json_array_size(runs);
    for (size_t i = 0; fits && i < json_array_size(runs); i++) {
        const json_t *row = json_array_get(counted, i);
        struct filters f;
        const bool measured = filters_of(json_array_get(runs, i), &f) &&
                              !fb_lsm_formula_fits(&e->filters[planned->filter], &f.params, f.keys);
        fits = measured == json_is_object(row);
        if (measured && fits)
            fits = side_fits(json_object_get(row, "scaled"), f.keys.scaled, made) &&
                   side_fits(json_object_get(row, "unscaled"), f.keys.unscaled, made);
    }
    return fits ? NULL : "unscaled";
}

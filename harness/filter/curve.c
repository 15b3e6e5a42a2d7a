#include "harness/filter/curve.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "filters/core/simulate.h"

static double memory_bits(const struct fb_geometry *geom, uint64_t n_keys)
{
    return (double)geom->n_bytes * 8 / (double)n_keys;
}

static enum fb_err plan_request(const struct fb_design *design, uint64_t n_keys, double request,
                                struct fb_geometry *geom, const char **why)
{
    struct fb_params params = {.bits_per_key = request};
    return fb_params_plan(design, n_keys, &params, geom, why);
}

enum fb_err fb_size_bits(const struct fb_design *design, uint64_t n_keys, double request,
                         double *bits, const char **why)
{
    struct fb_geometry geom;
    *bits = 0;
    if (request < 0)
        return FB_OK;
    enum fb_err err = plan_request(design, n_keys, request, &geom, why);
    if (!err)
        *bits = memory_bits(&geom, n_keys);
    return err;
}

/* ---- How far above its closed form a scheme lies ---- */

enum { SIMULATED_BITS = 40, SIMULATED_STEP = 2, SIMULATED_KEYS = 1 << 17 };

struct excess {
    double factor[SIMULATED_BITS / SIMULATED_STEP + 2]; /* at bits 0, 2, 4, ...; at least 1 */
};

/* Simulated rate over fpr() at a size; *factor stays where that needs no simulation, and so does
 * *hits, which is else the number of false positives that it rests on. */
static enum fb_err factor_at(const struct fb_design *design, uint64_t n_keys, unsigned bits,
                             double *factor, uint64_t *hits)
{
    enum { LEAST = 1 << 12, MOST = 1 << 19, WANTED_HITS = 400 };
    struct fb_geometry geom;
    const char *why;
    if (plan_request(design, n_keys, bits, &geom, &why) || geom.n_bits == 0 ||
        !fb_scheme_needs_simulation(design->scheme, n_keys, geom.n_bits, geom.probes))
        return FB_OK;
    double closed = design->fpr(&geom, n_keys), wanted = WANTED_HITS / closed;
    uint64_t queries = wanted < LEAST ? LEAST : wanted > MOST ? MOST : (uint64_t)wanted;
    enum fb_err err =
        fb_simulate_filter(design->scheme, n_keys, geom.n_bits, geom.probes, queries, 0, hits);
    double found = (double)*hits / ((double)queries * closed);
    *factor = found > 1 ? found : 1;
    return err;
}

/* Beyond the first size with too few hits to tell, the factor stays what it was. */
static enum fb_err measure_excess(const struct fb_design *design, uint64_t n_keys,
                                  struct excess *out)
{
    enum { ENOUGH_HITS = 8 };
    const unsigned n = sizeof out->factor / sizeof *out->factor;
    enum fb_err err = FB_OK;
    uint64_t hits = ENOUGH_HITS;
    for (unsigned i = 0; i < n; i++)
        out->factor[i] = 1;
    if (n_keys > SIMULATED_KEYS)
        n_keys = SIMULATED_KEYS;
    for (unsigned i = 1; design->scheme != FB_SCHEME_CLOSED && !err && i < n; i++) {
        double factor = out->factor[i - 1];
        if (hits >= ENOUGH_HITS)
            err = factor_at(design, n_keys, i * SIMULATED_STEP, &factor, &hits);
        out->factor[i] = hits >= ENOUGH_HITS ? factor : out->factor[i - 1];
    }
    return err;
}

static double excess_at(const struct excess *excess, double bits)
{
    double x = (bits < SIMULATED_BITS ? bits : SIMULATED_BITS) / SIMULATED_STEP;
    unsigned i = (unsigned)x;
    return excess->factor[i] + (x - i) * (excess->factor[i + 1] - excess->factor[i]);
}

/* ---- The points ---- */

/* The request after this one, on the grid that the header describes. */
static double next_request(const struct fb_design *design, double request)
{
    if (design->traits & FB_INTEGER_BITS)
        return request + 1;
    return request + (request < 16 ? 1.0 / 64 : request < 32 ? 1.0 / 32 : 1.0 / 8);
}

/* Keeps the curve strictly falling: a point that takes no less memory than the last must buy a
 * lower rate, and replaces it if it takes the same. */
static void push(struct fb_curve *curve, const struct fb_geometry *geom, uint64_t n_keys,
                 double request, double fpr)
{
    struct fb_curve_point point = {request, memory_bits(geom, n_keys), fpr};
    const struct fb_curve_point *last = &curve->at[curve->n - 1];
    if (point.bits > FB_CURVE_MAX_BITS || point.bits < last->bits || !(point.fpr < last->fpr))
        return;
    if (point.bits == last->bits)
        curve->n--;
    curve->at[curve->n++] = point;
}

static double clipped(double fpr)
{
    return fpr > 1 ? 1 : fpr;
}

static void points_by_bits(const struct fb_design *design, uint64_t n_keys,
                           const struct excess *excess, struct fb_curve *curve)
{
    struct fb_geometry geom;
    const char *why;
    for (double b = next_request(design, 0); b <= FB_CURVE_MAX_BITS; b = next_request(design, b))
        if (!plan_request(design, n_keys, b, &geom, &why) && geom.n_bits)
            push(curve, &geom, n_keys, b,
                 clipped(design->fpr(&geom, n_keys) * excess_at(excess, b)));
}

/* Rates 2^(-i/32). The request is the size they lead to, less what rounding might add to it. */
static void points_by_rate(const struct fb_design *design, uint64_t n_keys,
                           const struct excess *excess, struct fb_curve *curve)
{
    struct fb_geometry geom;
    const char *why;
    for (unsigned i = 1; i <= 60 * 32; i++) {
        struct fb_params params = {.fpr = fb_exp(-(double)i / 32 * FB_LN2)};
        if (fb_design_plan(design, &params, n_keys, &geom, &why) || !geom.n_bits)
            continue;
        double bits = (double)geom.n_bits / (double)n_keys;
        if (bits > FB_CURVE_MAX_BITS)
            return;
        if (bits > curve->at[curve->n - 1].bits)
            push(curve, &geom, n_keys, bits * (1 - 1e-12),
                 clipped(design->fpr(&geom, n_keys) * excess_at(excess, bits)));
    }
}

enum fb_err fb_curve_make(const struct fb_design *design, uint64_t n_keys, struct fb_curve *out)
{
    enum { MOST_POINTS = 2048 };
    struct excess excess;
    memset(out, 0, sizeof *out);
    enum fb_err err = measure_excess(design, n_keys, &excess);
    if (err)
        return err;
    out->at = calloc(MOST_POINTS, sizeof *out->at);
    if (!out->at)
        return FB_ENOMEM;
    out->at[out->n++] = (struct fb_curve_point){-1, 0, 1};
    if (design->traits & FB_SIZES_BY_BITS)
        points_by_bits(design, n_keys, &excess, out);
    else
        points_by_rate(design, n_keys, &excess, out);
    return FB_OK;
}

void fb_curve_close(struct fb_curve *curve)
{
    free(curve->at);
    memset(curve, 0, sizeof *curve);
}

size_t fb_curve_hull(const struct fb_curve *curve, size_t *hull)
{
    size_t n = 0;
    for (size_t i = 0; i < curve->n; i++) {
        const struct fb_curve_point *c = &curve->at[i];
        for (; n >= 2; n--) {
            const struct fb_curve_point *a = &curve->at[hull[n - 2]], *b = &curve->at[hull[n - 1]];
            if ((b->fpr - a->fpr) * (c->bits - b->bits) < (c->fpr - b->fpr) * (b->bits - a->bits))
                break;
        }
        hull[n++] = i;
    }
    return n;
}

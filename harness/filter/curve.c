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

struct maker {
    const struct fb_design *design;
    uint64_t n_keys;
    double excess[SIMULATED_BITS / SIMULATED_STEP + 2]; /* at bits 0, 2, 4, ...; at least 1 */
    struct fb_curve *curve;
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
static enum fb_err measure_excess(struct maker *m)
{
    enum { ENOUGH_HITS = 8 };
    const unsigned n = sizeof m->excess / sizeof *m->excess;
    enum fb_err err = FB_OK;
    uint64_t hits = ENOUGH_HITS;
    for (unsigned i = 0; i < n; i++)
        m->excess[i] = 1;
    for (unsigned i = 1; m->design->scheme != FB_SCHEME_CLOSED && !err && i < n; i++) {
        double factor = m->excess[i - 1];
        if (hits >= ENOUGH_HITS)
            err = factor_at(m->design, fb_min_u64(m->n_keys, SIMULATED_KEYS), i * SIMULATED_STEP,
                            &factor, &hits);
        m->excess[i] = hits >= ENOUGH_HITS ? factor : m->excess[i - 1];
    }
    return err;
}

static double excess_at(const struct maker *m, double bits)
{
    double x = (bits < SIMULATED_BITS ? bits : SIMULATED_BITS) / SIMULATED_STEP;
    unsigned i = (unsigned)x;
    return m->excess[i] + (x - i) * (m->excess[i + 1] - m->excess[i]);
}

/* ---- The points ---- */

/* The request after this one, on the grid that the header describes. */
static double next_request(const struct fb_design *design, double request)
{
    if (design->traits & FB_INTEGER_BITS)
        return request + 1;
    return request + (request < 16 ? 1.0 / 64 : request < 32 ? 1.0 / 32 : 1.0 / 8);
}

/* The size that a request leads to, `bits` per key apart from what it is rounded to. Keeps the
 * curve strictly falling: a point that takes no less memory than the last must buy a lower rate,
 * and replaces it if it takes the same. */
static void push(struct maker *m, const struct fb_geometry *geom, double request, double bits)
{
    const double fpr = m->design->fpr(geom, m->n_keys) * excess_at(m, bits);
    struct fb_curve_point point = {request, memory_bits(geom, m->n_keys), fpr > 1 ? 1 : fpr};
    struct fb_curve *curve = m->curve;
    const struct fb_curve_point *last = &curve->at[curve->n - 1];
    if (point.bits > FB_CURVE_MAX_BITS || point.bits < last->bits || !(point.fpr < last->fpr))
        return;
    if (point.bits == last->bits)
        curve->n--;
    curve->at[curve->n++] = point;
}

static void points_by_bits(struct maker *m)
{
    struct fb_geometry geom;
    const char *why;
    for (double b = next_request(m->design, 0); b <= FB_CURVE_MAX_BITS;
         b = next_request(m->design, b))
        if (!plan_request(m->design, m->n_keys, b, &geom, &why) && geom.n_bits)
            push(m, &geom, b, b);
}

/* Rates 2^(-i/32). The request is the size they lead to, less what rounding might add to it. */
static void points_by_rate(struct maker *m)
{
    struct fb_geometry geom;
    const char *why;
    for (unsigned i = 1; i <= 60 * 32; i++) {
        struct fb_params params = {.fpr = fb_exp(-(double)i / 32 * FB_LN2)};
        if (fb_design_plan(m->design, &params, m->n_keys, &geom, &why) || !geom.n_bits)
            continue;
        double bits = (double)geom.n_bits / (double)m->n_keys;
        if (bits > FB_CURVE_MAX_BITS)
            return;
        if (bits > m->curve->at[m->curve->n - 1].bits)
            push(m, &geom, bits * (1 - 1e-12), bits);
    }
}

enum fb_err fb_curve_make(const struct fb_design *design, uint64_t n_keys, struct fb_curve *out)
{
    enum { MOST_POINTS = 2048 };
    struct maker m = {.design = design, .n_keys = n_keys, .curve = out};
    memset(out, 0, sizeof *out);
    enum fb_err err = measure_excess(&m);
    if (err)
        return err;
    out->at = calloc(MOST_POINTS, sizeof *out->at);
    if (!out->at)
        return FB_ENOMEM;
    out->at[out->n++] = (struct fb_curve_point){-1, 0, 1};
    if (design->traits & FB_SIZES_BY_BITS)
        points_by_bits(&m);
    else
        points_by_rate(&m);
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

/* ---- Several curves ---- */

static void drop(struct fb_curve_of *c)
{
    if (!c)
        return;
    fb_curve_close(&c->curve);
    free(c->hull);
    free(c);
}

enum fb_err fb_curves_find(struct fb_curves *curves, uint64_t n_keys,
                           const struct fb_curve_of **out)
{
    for (size_t i = 0; i < curves->n; i++)
        if ((*out = curves->at[i])->n_keys == n_keys)
            return FB_OK;
    struct fb_curve_of **more = realloc(curves->at, (curves->n + 1) * sizeof(struct fb_curve_of *));
    if (more)
        curves->at = more;
    struct fb_curve_of *c = more ? calloc(1, sizeof *c) : NULL;
    enum fb_err err = c ? fb_curve_make(curves->design, n_keys, &c->curve) : FB_ENOMEM;
    if (!err && !(c->hull = calloc(c->curve.n, sizeof *c->hull)))
        err = FB_ENOMEM;
    if (err) {
        drop(c);
        return err;
    }
    c->n_keys = n_keys;
    c->n_hull = fb_curve_hull(&c->curve, c->hull);
    *out = curves->at[curves->n++] = c;
    return FB_OK;
}

void fb_curves_close(struct fb_curves *curves)
{
    for (size_t i = 0; i < curves->n; i++)
        drop(curves->at[i]);
    free(curves->at);
    curves->at = NULL;
    curves->n = 0;
}

const struct fb_curve_point *fb_curve_at_most(const struct fb_curve *curve, double bits)
{
    size_t low = 0, high = curve->n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (curve->at[middle].bits <= bits)
            low = middle;
        else
            high = middle;
    }
    return &curve->at[low];
}

/* Rate against memory: the points of a curve, and the corners of its hull. */
#include "tests/unit.h"

#include <stdlib.h>

#include "harness/filter/curve.h"

/* rotate-17 has no closed form: 25 times the ideal rate at 28.8 bits and 10^5 keys, so that bits
 * there buy less than fpr() says. */
TEST(simulated)
{
    const struct fb_design *leveldb = fb_design_find("leveldb");
    closed_by(fb_curve_close) struct fb_curve curve;
    assert_int_equal(fb_curve_make(leveldb, 1000, &curve), FB_OK);
    for (size_t i = 1; i < curve.n; i++) {
        const struct fb_curve_point *p = &curve.at[i];
        double ideal =
            fb_bloom_fpr(1000, (uint64_t)(p->bits * 1000), (unsigned)(p->request * 0.69));
        assert_true(p->bits > p[-1].bits && p->fpr < p[-1].fpr);
        if (p->request == 10)
            assert_near(p->fpr / ideal, 1.06, 0.05);
        if (p->request == 28)
            assert_true(p->fpr > 1.5 * ideal);
    }
}

/* Where simulation finds no excess the curve is the design's formula; requests lie on the grid. */
TEST(without_excess_it_is_the_formula)
{
    const struct fb_design *nori = fb_design_find("nori"),
                           *lanes = fb_design_find("sbbf-512-lanes");
    struct fb_curve curve;
    assert_int_equal(fb_curve_make(nori, 1000000, &curve), FB_OK);
    for (size_t i = 1; i < curve.n && curve.at[i].request <= 16; i++) {
        const struct fb_params params = {.bits_per_key = curve.at[i].request};
        struct fb_geometry geom;
        const char *why;
        assert_int_equal(fb_design_plan(nori, &params, 1000000, &geom, &why), FB_OK);
        assert_near(curve.at[i].fpr / nori->fpr(&geom, 1000000), 1, 0.12);
    }
    fb_curve_close(&curve);
    assert_int_equal(fb_curve_make(lanes, 1000000, &curve), FB_OK);
    for (size_t i = 1; i < curve.n; i++) {
        const double request = curve.at[i].request, steps = request * (request < 16   ? 64
                                                                       : request < 32 ? 32
                                                                                      : 8);
        assert_true(steps == floor(steps));
    }
    fb_curve_close(&curve);
}

/* Corners fall ever less steeply, and no point lies below the line between two of them. */
TEST(the_hull_lies_below)
{
    static const char *const designs[] = {"bloom-independent", "rocksdb-fastlocal", "nori"};
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
        closed_by(fb_curve_close) struct fb_curve curve;
        assert_int_equal(fb_curve_make(fb_design_find(designs[d]), 400, &curve), FB_OK);
        size_t *hull = calloc(curve.n, sizeof *hull), n = fb_curve_hull(&curve, hull);
        double before = -INFINITY;
        assert_true(n > 3 && hull[0] == 0);
        for (size_t i = 1; i < n; i++) {
            const struct fb_curve_point *a = &curve.at[hull[i - 1]], *b = &curve.at[hull[i]];
            const double slope = (b->fpr - a->fpr) / (b->bits - a->bits);
            assert_true(slope > before && slope < 0);
            for (size_t k = hull[i - 1]; k <= hull[i]; k++)
                assert_true(curve.at[k].fpr >=
                            a->fpr + slope * (curve.at[k].bits - a->bits) - 1e-15);
            before = slope;
        }
        free(hull);
    }
}

/* Simulated rate over formula at a request of leveldb's curve. */
static double excess_at(uint64_t n, double request)
{
    const struct fb_design *leveldb = fb_design_find("leveldb");
    const struct fb_params params = {.bits_per_key = request};
    closed_by(fb_curve_close) struct fb_curve curve;
    struct fb_geometry geom;
    const char *why;
    double excess = NAN;
    assert_int_equal(fb_design_plan(leveldb, &params, n, &geom, &why), FB_OK);
    assert_int_equal(fb_curve_make(leveldb, n, &curve), FB_OK);
    for (size_t i = 1; i < curve.n; i++)
        if (curve.at[i].request == request)
            excess = curve.at[i].fpr / leveldb->fpr(&geom, n);
    return excess;
}

/* Every second number of bits is simulated, of at most 2^17 keys. */
TEST(the_excess_lies_between_simulations)
{
    const double even[] = {excess_at(1000, 10), excess_at(1000, 12)};
    assert_true(even[1] != even[0]);
    assert_near(excess_at(1000, 11), (even[0] + even[1]) / 2, 1e-9);
    const double most = excess_at(1 << 17, 8);
    assert_true(most > 1.05);
    assert_true(fabs(excess_at(100000, 8) - most) > 1e-9);
    assert_near(excess_at(150000, 8), most, 1e-9);
}

TEST(sizes_are_those_of_the_design)
{
    const struct fb_design *blocks = fb_design_find("rocksdb-fastlocal");
    const char *why = NULL;
    double bits;
    assert_int_equal(fb_size_bits(blocks, 100, 10, &bits, &why), FB_OK);
    assert_true(bits == 10.24); /* two lines of 512 bits */
    assert_int_equal(fb_size_bits(blocks, 100, -1, &bits, &why), FB_OK);
    assert_true(bits == 0);
    assert_int_equal(fb_size_bits(fb_design_find("nori"), 100, 9.5, &bits, &why), FB_EINVAL);
    assert_non_null(why);
}

TEST(curves_are_kept)
{
    closed_by(fb_curves_close) struct fb_curves curves = {.design = fb_design_find("fuse-8")};
    const struct fb_curve_of *first, *again, *other;
    assert_int_equal(fb_curves_find(&curves, 10000, &first), FB_OK);
    assert_int_equal(fb_curves_find(&curves, 100000, &other), FB_OK);
    assert_int_equal(fb_curves_find(&curves, 10000, &again), FB_OK);
    assert_ptr_equal(first, again);
    assert_int_equal(curves.n, 2);
    /* One size: 8 bits in 1.2 slots a key. */
    assert_true(fb_curve_at_most(&first->curve, 9.5)->request == -1);
    assert_near(fb_curve_at_most(&first->curve, 64)->bits, 10.24, 0.1);
    const struct fb_curve_point *least = &other->curve.at[1];
    assert_ptr_equal(fb_curve_at_most(&other->curve, least->bits), least);
}

TESTS(NULL, NULL)

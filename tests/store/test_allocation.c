/* Memory split over runs: the closed form, the optimum on a design's own curve, and the budget. */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/filter/curve.h"
#include "harness/store/allocation.h"

enum { MAX_RUNS = 16 };

struct tree {
    struct fb_allocation_run runs[MAX_RUNS];
    size_t n;
};

enum { UNIT = 10000 };

/* l0 runs of one unit, then levels of `first` units times powers of T; queries absent with
 * probability alpha, present keys everywhere alike. */
static struct tree make_tree(unsigned l0, unsigned first, unsigned levels, unsigned ratio,
                             double alpha)
{
    struct tree tree = {.n = l0 + levels};
    uint64_t size = first;
    double older = 0, all = 0;
    for (size_t i = 0; i < tree.n; i++) {
        uint64_t units = i < l0 ? 1 : size;
        size *= i < l0 ? 1 : ratio;
        tree.runs[i] = (struct fb_allocation_run){
            .n_keys = units * UNIT, .unit_keys = UNIT, .last = i == tree.n - 1};
        all += (double)tree.runs[i].n_keys;
    }
    for (size_t i = tree.n; i-- > 0;) {
        tree.runs[i].weight = alpha + (1 - alpha) * older / all;
        older += (double)tree.runs[i].n_keys;
    }
    return tree;
}

static void allocate(enum fb_allocation allocation, const char *design, double bits_per_key,
                     const struct tree *tree, double *bits, double *spent)
{
    struct tree split = *tree;
    const char *why = NULL;
    enum fb_err err =
        fb_allocate(allocation, fb_design_find(design), bits_per_key, split.runs, split.n, &why);
    if (err)
        fail_msg("%s at %g: %s", design, bits_per_key, why ? why : fb_err_text(err));
    *spent = 0;
    for (size_t i = 0; i < split.n; i++) {
        double each;
        bits[i] = split.runs[i].bits;
        assert_int_equal(
            fb_size_bits(fb_design_find(design), split.runs[i].unit_keys, bits[i], &each, &why),
            FB_OK);
        *spent += each * (double)split.runs[i].n_keys;
    }
}

/* sum w_i f(b_i) by the design's own formula. */
static double reads_of(const char *name, const struct tree *tree, const double *bits, uint64_t unit)
{
    const struct fb_design *design = fb_design_find(name);
    double sum = 0;
    for (size_t i = 0; i < tree->n; i++) {
        struct fb_params params = {.bits_per_key = bits[i]};
        struct fb_geometry geom;
        const char *why;
        double rate = 1;
        if (bits[i] >= 0) {
            assert_int_equal(fb_params_plan(design, unit, &params, &geom, &why), FB_OK);
            rate = design->fpr(&geom, unit);
        }
        sum += tree->runs[i].weight * rate;
    }
    return sum;
}

static double reads(const char *name, const struct tree *tree, const double *bits)
{
    return reads_of(name, tree, bits, UNIT);
}

/* Dayan, Athanassoulis and Idreos 2017 at T = 10, b = 10, for ideal filters: e^(-b ln^2 2). */
TEST(closed_form)
{
    static const double expected[] = {23.85, 19.05, 14.26, 9.47};
    struct tree four = make_tree(0, 1, 4, 10, 1), seven = make_tree(0, 1, 7, 10, 1);
    double bits[MAX_RUNS], spent, rate[2] = {0, 0};
    allocate(FB_ALLOC_MONKEY, "bloom-independent", 10, &four, bits, &spent);
    for (size_t i = 0; i < 4; i++) {
        assert_near(bits[i], expected[i], 0.025);
        rate[0] += fb_exp(-bits[i] * FB_LN2 * FB_LN2);
    }
    assert_near(rate[0], 0.01174, 0.00003);
    assert_near(4 * fb_exp(-10 * FB_LN2 * FB_LN2), 0.03277, 0.00001);
    allocate(FB_ALLOC_MONKEY, "bloom-independent", 10, &seven, bits, &spent);
    for (size_t i = 0; i < 7; i++)
        rate[1] += fb_exp(-bits[i] * FB_LN2 * FB_LN2);
    assert_near(7 * fb_exp(-10 * FB_LN2 * FB_LN2) / rate[1], 4.88, 0.05);
}

/* Trees whose first level below l0 has four segments; reads per query at 10 bits per key,
 * and bits of the newest run and of the last. */
static const struct row {
    unsigned l0, first, levels, ratio;
    double alpha;
    const char *design;
    double uniform, optimal, newest, last;
} rows[] = {
    {0, 1, 5, 10, 1.0, "bloom-independent", .0410, .0119, 28.6, 9.5},
    {0, 1, 5, 10, 0.5, "bloom-independent", .0364, .0065, 30.0, 9.3},
    {4, 4, 4, 8, 1.0, "bloom-independent", .0656, .0134, 25.2, 9.3},
    {8, 4, 4, 10, 1.0, "bloom-independent", .0983, .0120, 26.6, 9.4},
    {8, 4, 4, 10, 0.5, "bloom-independent", .0937, .0065, 28.0, 9.3},
    {0, 1, 5, 10, 1.0, "rocksdb-fastlocal", .0479, .0139, 35.4, 9.4},
    {0, 1, 5, 10, 0.5, "rocksdb-fastlocal", .0425, .0075, 37.6, 9.2},
    {4, 4, 4, 8, 1.0, "rocksdb-fastlocal", .0766, .0151, 29.5, 9.3},
    {8, 4, 4, 10, 1.0, "rocksdb-fastlocal", .1149, .0142, 31.9, 9.4},
    {0, 1, 5, 10, 1.0, "sbbf-256", .0632, .0191, 0, 0},
    {0, 1, 5, 10, 0.5, "sbbf-256", .0562, .0105, 0, 0},
    {4, 4, 4, 8, 1.0, "sbbf-256", .1012, .0210, 0, 0},
    {8, 4, 4, 10, 1.0, "sbbf-256", .1518, .0196, 0, 0},
    {8, 4, 4, 10, 0.5, "sbbf-256", .1447, .0108, 0, 0},
};

TEST(optimum)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct tree tree = make_tree(r->l0, r->first, r->levels, r->ratio, r->alpha);
        double same[MAX_RUNS], best[MAX_RUNS], uniform, optimal;
        allocate(FB_ALLOC_UNIFORM, r->design, 10, &tree, same, &uniform);
        allocate(FB_ALLOC_OPTIMAL, r->design, 10, &tree, best, &optimal);
        assert_near(reads(r->design, &tree, same) / r->uniform, 1, 0.01);
        assert_near(reads(r->design, &tree, best) / r->optimal, 0.98, 0.04);
        assert_true(optimal <= uniform && optimal > 0.995 * uniform);
        if (r->newest > 0) {
            assert_near(best[0], r->newest, 1.5);
            assert_near(best[tree.n - 1], r->last, 0.12);
        }
    }
}

/* Every design at several budgets: no more memory than uniform takes, no more reads than uniform
 * causes, the closed form no better than the optimum, and more memory never worse. */
TEST(any_design)
{
    static const char *const designs[] = {"rocksdb-fastlocal", "sbbf-256", "sbbf-512", "nori",
                                          "sbbf-512-pow2"};
    static const double budgets[] = {3, 12};
    struct tree tree = make_tree(2, 4, 3, 10, 0.7);
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
        double before = INFINITY;
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            double same[MAX_RUNS], best[MAX_RUNS], ideal[MAX_RUNS], uniform, optimal, monkey;
            allocate(FB_ALLOC_UNIFORM, designs[d], budgets[b], &tree, same, &uniform);
            allocate(FB_ALLOC_OPTIMAL, designs[d], budgets[b], &tree, best, &optimal);
            allocate(FB_ALLOC_MONKEY, designs[d], budgets[b], &tree, ideal, &monkey);
            assert_true(optimal <= uniform && monkey <= uniform);
            double found = reads(designs[d], &tree, best);
            assert_true(found <= before && found <= reads(designs[d], &tree, same));
            /* 5 %: nori's simulated curve against its formula. */
            assert_true(found <= reads(designs[d], &tree, ideal) * 1.05);
            before = found;
        }
    }
}

TEST(whole_bits)
{
    struct tree tree = make_tree(0, 1, 4, 10, 1);
    double bits[MAX_RUNS], spent;
    for (enum fb_allocation a = FB_ALLOC_MONKEY; a <= FB_ALLOC_OPTIMAL; a++) {
        allocate(a, "nori", 10, &tree, bits, &spent);
        for (size_t i = 0; i < tree.n; i++)
            assert_true(bits[i] == floor(bits[i]));
        assert_true(bits[3] == 9 && bits[0] >= 22 && bits[0] <= 40);
    }
}

/* Filters of a few blocks each: five levels of ratio 10 whose files have `unit` keys. The split
 * spends what uniform takes, and cuts the reads by about 3.4 as soon as the blocks are fine enough;
 * by `gain` where they are not. */
static const struct small {
    const char *design;
    uint64_t unit;
    double gain;
} small_files[] = {
    {"bloom-independent", 700, 3.4}, {"rocksdb-fastlocal", 150, 1.0},
    {"rocksdb-fastlocal", 400, 2.8}, {"rocksdb-fastlocal", 700, 3.3},
    {"sbbf-256", 150, 2.1},          {"sbbf-256", 400, 3.2},
    {"sbbf-256", 700, 3.2},          {"nori", 700, 2.9},
};

TEST(few_blocks)
{
    for (size_t i = 0; i < sizeof small_files / sizeof *small_files; i++) {
        const struct small *c = &small_files[i];
        struct tree tree = make_tree(0, 10, 5, 10, 1);
        double same[MAX_RUNS], best[MAX_RUNS], uniform, optimal;
        for (size_t r = 0; r < tree.n; r++) {
            tree.runs[r].n_keys = tree.runs[r].n_keys / UNIT * c->unit;
            tree.runs[r].unit_keys = c->unit;
        }
        allocate(FB_ALLOC_UNIFORM, c->design, 10, &tree, same, &uniform);
        allocate(FB_ALLOC_OPTIMAL, c->design, 10, &tree, best, &optimal);
        double gain =
            reads_of(c->design, &tree, same, c->unit) / reads_of(c->design, &tree, best, c->unit);
        if (optimal > uniform || optimal < 0.97 * uniform || !(gain >= c->gain && gain < 3.6))
            fail_msg("%s, %u keys: %.3f of the memory, gain %.3f", c->design, (unsigned)c->unit,
                     optimal / uniform, gain);
    }
}

/* A run that is never asked in vain has nothing to win; with nobody asking, no run has. */
TEST(weightless)
{
    struct tree tree = make_tree(0, 1, 3, 10, 0);
    double bits[MAX_RUNS], spent;
    assert_true(tree.runs[2].weight == 0);
    for (enum fb_allocation a = FB_ALLOC_MONKEY; a <= FB_ALLOC_OPTIMAL; a++) {
        allocate(a, "sbbf-256", 10, &tree, bits, &spent);
        assert_true(bits[2] == -1 && bits[0] > 10 && bits[1] > 10);
        tree.runs[0].weight = tree.runs[1].weight = 0;
        allocate(a, "sbbf-256", 10, &tree, bits, &spent);
        assert_true(bits[0] == -1 && bits[1] == -1 && bits[2] == -1 && spent == 0);
        tree = make_tree(0, 1, 3, 10, 0);
    }
}

TEST(last_dropped)
{
    struct tree tree = make_tree(1, 4, 2, 10, 1);
    double bits[MAX_RUNS], spent;
    allocate(FB_ALLOC_DROP_LAST, "bloom-independent", 10, &tree, bits, &spent);
    assert_true(bits[0] == 10 && bits[1] == 10 && bits[2] == -1);
    assert_near(spent, 10.0 * UNIT * 5, 8 * 5);
}

TEST(refusals)
{
    struct tree tree = make_tree(0, 1, 3, 10, 1);
    const char *why = NULL;
    for (enum fb_allocation a = 0; fb_allocations[a].name; a++) {
        why = NULL;
        assert_int_equal(fb_allocate(a, fb_design_find("nori"), 9.5, tree.runs, 3, &why),
                         FB_EINVAL);
        assert_non_null(why);
        assert_int_equal(fb_allocate(a, fb_design_find("always"), 10, tree.runs, 3, &why), FB_OK);
        assert_int_equal(fb_allocate(a, fb_design_find("nori"), 10, NULL, 0, &why), FB_OK);
    }
    assert_string_equal(fb_allocations[FB_ALLOC_DROP_LAST].name, "drop-last");
}

TESTS(NULL, NULL)

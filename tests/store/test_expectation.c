/* What a walk must cost by formula: the published figures, and enumeration of a small tree. */
#include "tests/unit.h"

#include "filters/core/theory.h"
#include "harness/store/expectation.h"

enum { LEVELS = 5, L0 = 4, RUNS = L0 + LEVELS };

/* Leveled, T = 10: level i >= 1 holds 10^i times level 0 in one run, and there are five of those
 * below the four runs of level 0: the tree of the published figure. */
static void leveled(struct fb_expected_run runs[RUNS], double f)
{
    double total = 0, keys[RUNS];
    for (int i = 0; i < RUNS; i++) {
        keys[i] = i < L0 ? 1.0 / L0 : pow(10, i - L0 + 1);
        total += keys[i];
    }
    for (int i = 0; i < RUNS; i++)
        runs[i] = (struct fb_expected_run){.f = f, .r = 1, .pi = keys[i] / total};
}

TEST(leveled_tree_as_published)
{
    struct fb_expected_run runs[RUNS];
    struct fb_expectation e;
    leveled(runs, fb_bloom_fpr(1000000, 10000000, 7));
    fb_expect(runs, RUNS, 0.9, &e);
    assert_near(e.io, 0.17283, 5e-6);
}

TEST(fifty_tables_at_one_percent)
{
    struct fb_expected_run runs[50];
    for (int i = 0; i < 50; i++)
        runs[i] = (struct fb_expected_run){.f = 0.01, .r = 1, .pi = 0.02};
    struct fb_expectation e;
    fb_expect(runs, 50, 1, &e);
    assert_near(e.io, 0.5, 1e-12);
    assert_near(e.any_false, 0.395, 5e-4);
    assert_near(e.asked, 50, 1e-12);
    assert_near(e.io_variance, 50 * 0.01 * 0.99, 1e-12);
}

/* All outcomes of three runs (the first a memtable) enumerated with their probabilities. */
TEST(equals_enumeration)
{
    const struct fb_expected_run runs[] = {{.f = 0.7, .r = 0.4, .pi = 0.2, .memtable = true},
                                           {.f = 0.1, .r = 0.5, .pi = 0.3},
                                           {.f = 1, .r = 0.8, .pi = 0.5}};
    const double a = 0.6;
    double io = 0, squares = 0, asked = 0, any = 0;
    for (int holder = 0; holder <= 3; holder++)
        for (int bits = 0; bits < 64; bits++) { /* in range, passes: of each run */
            double p = holder < 3 ? (1 - a) * runs[holder].pi : a, reads = 0, asks = 0;
            for (int i = 0; i < 3; i++) {
                int range = bits >> 2 * i & 1, pass = bits >> (2 * i + 1) & 1;
                p *= range ? runs[i].r : 1 - runs[i].r;
                p *= pass ? runs[i].f : 1 - runs[i].f;
                if (i < holder && i > 0) {
                    asks += range;
                    reads += range && pass;
                }
            }
            any += holder == 3 && reads > 0 ? p : 0;
            asks += holder > 0 && holder < 3;
            reads += holder > 0 && holder < 3;
            io += p * reads;
            squares += p * reads * reads;
            asked += p * asks;
        }
    struct fb_expectation e;
    fb_expect(runs, 3, a, &e);
    assert_near(e.io, io, 1e-12);
    assert_near(e.io, a * e.io_absent + (1 - a) * e.io_present, 1e-12);
    assert_near(e.io_variance, squares - io * io, 1e-12);
    assert_near(e.asked, asked, 1e-12);
    assert_near(e.any_false, any / a, 1e-12);
}

TESTS(NULL, NULL)

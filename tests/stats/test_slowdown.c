/* How often the rule of `ab` errs: whole runs of 40 cells simulated, in the worlds that machines
 * were seen to be. No clock is read. */
#include "tests/serial_noise.h"
#include "tests/unit.h"

#include <stdio.h>

#include "harness/stats/paired.h"
#include "harness/stats/slowdown.h"
#include "harness/stats/stats.h"

enum { CELLS = 40, SETS = FB_FIRST_SET + FB_SECOND_SET, CALIBRATING = 30 /* runs of CELLS */ };

static const struct fb_slowdown_rules rules = {.delta = 0.02, .alpha = 0.01};

/* What d of equal code is like. Standard deviations of ln: 0.02 is 2 %. */
struct world {
    const char *name;
    double layout;   /* where code lies: drawn anew for each process, */
    bool one_link;   /* or once for all */
    bool bad;        /* 6 % in a twentieth of the cells, 0.3 % in the others */
    bool heavy;      /* a tenth of the processes are ten times as noisy */
    double order_1;  /* noise of one side that resembles the process before's, correlation 0.8 */
    double one_by_f; /* the same, nearly 1/f */
    bool common; /* visits that jump by up to 50 % for both sides, in a tenth of the processes */
};

/* The effect of a change of that size on d, and how it varies. */
enum sort { SAME, VARIES, SLOWLY, ONE_BY_F, SOME, N_SORTS };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median over 32 rounds, base head head base, of a process in whose midst both sides may jump. */
static double of_visits(uint64_t stream, uint64_t p)
{
    enum { ROUNDS = 32 };
    double ratios[ROUNDS];
    const uint64_t coin = fb_stream_word(stream, p);
    const double jump = coin % 10 ? 0 : noise_at(coin, 0) / 4;
    const size_t from = (size_t)(coin >> 32) % (ROUNDS * 4);
    for (size_t r = 0; r < ROUNDS; r++) {
        double sides[2] = {0};
        for (size_t v = 4 * r; v < 4 * r + 4; v++)
            sides[v % 4 == 1 || v % 4 == 2] +=
                exp(0.03 * noise_at(coin + 1, v) + (v > from ? jump : 0));
        ratios[r] = log(sides[1] / sides[0]);
    }
    qsort(ratios, ROUNDS, sizeof *ratios, ascending);
    return (ratios[ROUNDS / 2 - 1] + ratios[ROUNDS / 2]) / 2;
}

static void observe(const struct world *w, uint64_t stream, double d[SETS])
{
    double serial[SETS] = {0}, slow[SETS] = {0};
    const double size = !w->bad ? w->layout : fb_stream_word(stream, 0) % 20 ? 0.003 : 0.06;
    if (w->order_1 > 0)
        noise_of_order_one(stream + 1, 0.8, serial, SETS);
    if (w->one_by_f > 0) /* without what is new each time, of variance 1 */
        noise_of_neighbours(stream + 2, 1, slow, SETS);
    for (uint64_t p = 0; p < SETS; p++) {
        d[p] = size * noise_at(stream + 3, w->one_link ? 0 : p) + 0.003 * noise_at(stream + 4, p);
        if (w->heavy && fb_stream_word(stream + 5, p) % 10 == 0)
            d[p] *= 10;
        if (w->common)
            d[p] += of_visits(stream + 6, p);
        if (w->one_by_f > 0)
            slow[p] -= noise_at(stream + 2, p + 1);
        d[p] += w->order_1 * serial[p] + w->one_by_f * slow[p] / sqrt(5);
    }
}

static void add_effect(uint64_t stream, double size, enum sort sort, double d[SETS])
{
    double z[SETS] = {0};
    const double spread = sqrt(log(1.36)); /* an sd of 60 % */
    if (sort == VARIES || sort == SLOWLY)
        noise_of_order_one(stream, sort == SLOWLY ? 0.8 : 0, z, SETS);
    if (sort == ONE_BY_F)
        noise_of_neighbours(stream, 1, z, SETS);
    for (uint64_t p = 0; p < SETS; p++) {
        if (sort == ONE_BY_F)
            z[p] = (z[p] - noise_at(stream, p + 1)) / sqrt(5);
        double effect =
            size * (sort == SAME || sort == SOME ? 1 : exp(spread * z[p] - spread * spread / 2));
        if (sort == SOME && fb_stream_word(stream, p) % 10 >= 6) /* 60 % of the processes have it */
            effect = 0;
        d[p] += log1p(effect);
    }
}

/* What `calibrate` knows of a world: |estimate| of equal cells. See profile.h. */
static double gate_of(const struct world *w)
{
    double largest = 0, q = 0, d[SETS];
    for (uint64_t i = 0; i < CALIBRATING * CELLS; i++) {
        observe(w, fb_stream_word(77, i), d);
        const double estimate =
            fabs(fb_hodges_lehmann(d + FB_FIRST_SET, FB_SECOND_SET, 0.95).estimate);
        const double se = fb_mean_of(d + FB_FIRST_SET, FB_SECOND_SET).se;
        largest = fmax(largest, estimate);
        q = fmax(q, estimate / se);
    }
    return q > 5 ? fmax(rules.delta, 1.25 * expm1(largest)) : rules.delta;
}

/* Runs, of which cell 0 has the effect: the share in which another cell is called slower, and in
 * which cell 0 is. */
static void simulate(const struct world *w, double gate, size_t runs, double size, enum sort sort,
                     double *alarms, double *found)
{
    static double d[CELLS][SETS];
    *alarms = *found = 0;
    for (uint64_t run = 0; run < runs; run++) {
        struct fb_slowdown_cell cells[CELLS];
        for (uint64_t c = 0; c < CELLS; c++) {
            observe(w, fb_stream_word(fb_stream_word(2026, run), c), d[c]);
            if (!c && size > 0)
                add_effect(fb_stream_word(9, run), size, sort, d[c]);
            const bool again = fb_slowdown_candidate(d[c], FB_FIRST_SET, rules.delta) != 0;
            cells[c] = (struct fb_slowdown_cell){.first = d[c],
                                                 .n_first = FB_FIRST_SET,
                                                 .second = d[c] + FB_FIRST_SET,
                                                 .n_second = again ? FB_SECOND_SET : 0,
                                                 .gate = gate};
        }
        fb_slowdown_judge(&rules, cells, CELLS);
        bool alarm = false;
        for (size_t c = size > 0; c < CELLS; c++)
            alarm |= cells[c].verdict == FB_SLOWER;
        *alarms += alarm / (double)runs;
        *found += (cells[0].verdict == FB_SLOWER) / (double)runs;
    }
}

/* ---- Equal code ---- */

static double alarms_in(const struct world *w, size_t runs)
{
    double alarms, found;
    const double gate = gate_of(w);
    simulate(w, gate, runs, 0, SAME, &alarms, &found);
    print_message("%s: false alarms in %.2f %% of the runs, gate %.1f %%\n", w->name, 100 * alarms,
                  100 * gate);
    return alarms;
}

TEST(equal_code)
{
    static const struct world worlds[] = {
        {.name = "layout 4 %", .layout = 0.04},
        {.name = "a twentieth of the cells 6 %", .bad = true},
        {.name = "heavy tails", .layout = 0.02, .heavy = true},
        {.name = "like the process before, 1 %", .layout = 0.02, .order_1 = 0.01},
        {.name = "like the process before, 2 %", .layout = 0.02, .order_1 = 0.02},
        {.name = "1/f, 1 %", .layout = 0.02, .one_by_f = 0.01},
        {.name = "1/f, 2 %", .layout = 0.02, .one_by_f = 0.02},
        {.name = "one link, 2 %", .layout = 0.02, .one_link = true},
    };
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        assert_true(alarms_in(&worlds[i], 300) <= 0.01);
    assert_true(alarms_in(&(struct world){.name = "jumps of both", .layout = 0.02, .common = true},
                          60) == 0);
}

/* Without the machine's floor one link for all is taken for a change in nearly every run. */
TEST(one_link_without_a_floor)
{
    double alarms, found;
    simulate(&(struct world){.layout = 0.02, .one_link = true}, rules.delta, 50, 0, SAME, &alarms,
             &found);
    assert_true(alarms > 0.9);
}

/* ---- Slower code ---- */

TEST(slower_code_is_found)
{
    static const struct {
        double layout, size, least[N_SORTS];
    } rows[] = {
        {0.02, 0.03, {0.95, 0.85, 0.70, 0.55, 0.15}}, {0.02, 0.05, {0.98, 0.98, 0.95, 0.88, 0.86}},
        {0.02, 0.10, {0.99, 0.99, 0.99, 0.99, 0.97}}, {0.02, 1.00, {0.99, 0.99, 0.99, 0.99, 0.97}},
        {0.04, 0.05, {0.97, 0.93, 0.82, 0.76, 0.45}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int sort = 0; sort < N_SORTS; sort++) {
            double alarms, found;
            simulate(&(struct world){.layout = rows[i].layout}, rules.delta, 100, rows[i].size,
                     (enum sort)sort, &alarms, &found);
            print_message("layout %.0f %%, slower by %.0f %%, sort %d: found %.2f\n",
                          100 * rows[i].layout, 100 * rows[i].size, sort, found);
            assert_true(found >= rows[i].least[sort]);
            assert_true(alarms <= 0.02);
        }
}

/* What a run that found nothing says it would have found, it does find. */
TEST(finds)
{
    for (int i = 0; i < 3; i++) {
        const double layout = 0.01 * (1 << i);
        double alarms, found, size = fb_slowdown_finds(&rules, rules.delta, hypot(layout, 0.003));
        simulate(&(struct world){.layout = layout}, rules.delta, 300, size, SAME, &alarms, &found);
        print_message("layout %.0f %%: %.2f %% found in %.2f\n", 100 * layout, 100 * size, found);
        assert_true(found >= 0.88 && found < 0.995);
    }
}

/* ---- By hand ---- */

TEST(signed_ranks)
{
    double d[FB_PAIRED_MAX];
    for (int i = 0; i < 8; i++)
        d[i] = 0.01 * (i + 1);
    assert_near(fb_signed_rank_p(d, 8), 1.0 / 256, 1e-12);
    d[0] = -d[0]; /* W = 35: 1 and 2 of the 256 sums are 36 and 35 */
    assert_near(fb_signed_rank_p(d, 8), 2.0 / 256, 1e-12);
    d[1] = -d[1]; /* W = 33 */
    assert_near(fb_signed_rank_p(d, 8), 5.0 / 256, 1e-12);
    for (int i = 0; i < 8; i++)
        d[i] = -0.01 * (i + 1);
    assert_near(fb_signed_rank_p(d, 8), 1, 1e-12);
    for (int i = 0; i < 40; i++)
        d[i] = 1;
    assert_near(fb_signed_rank_p(d, 40) * 0x1p40, 1, 1e-9);
}

static struct fb_slowdown_cell judged(double first, double second, double gate)
{
    static double a[FB_FIRST_SET], b[FB_SECOND_SET];
    struct fb_slowdown_cell cell = {.first = a,
                                    .second = b,
                                    .n_first = FB_FIRST_SET,
                                    .n_second = isnan(second) ? 0 : FB_SECOND_SET,
                                    .gate = gate};
    for (int i = 0; i < FB_FIRST_SET; i++)
        a[i] = first + 0.0001 * i;
    for (int i = 0; i < FB_SECOND_SET; i++)
        b[i] = second + 0.0001 * i;
    fb_slowdown_judge(&rules, &cell, 1);
    return cell;
}

TEST(verdicts)
{
    assert_int_equal(judged(0.005, NAN, 0.02).verdict, FB_NONE_SEEN);
    assert_int_equal(judged(0.015, NAN, 0.02).verdict, FB_NOT_CONFIRMED);
    assert_int_equal(judged(0.015, 0.05, 0.02).verdict, FB_SLOWER);
    assert_int_equal(judged(0.015, 0.05, 0.08).verdict, FB_SLIGHTLY_SLOWER);
    assert_int_equal(judged(0.015, 0.01, 0.02).verdict, FB_SLIGHTLY_SLOWER);
    assert_int_equal(judged(0.5, -0.01, 0.02).verdict, FB_NONE_SEEN);
    assert_int_equal(judged(-0.015, -0.05, 0.02).verdict, FB_FASTER);
    assert_int_equal(judged(-0.015, -0.01, 0.02).verdict, FB_SLIGHTLY_FASTER);
    assert_string_equal(fb_slowdown_name(judged(-0.5, NAN, 0.02).verdict), "not confirmed");
    assert_near(judged(0.015, 0.05, 0.02).estimate, 0.05 + 0.00195, 1e-9);
}

/* Of 8 processes all above 0 have p = 1/256, all but the smallest 2/256: enough for one candidate
 * at 1 %, and for the second of two once the first is found; a faster one counts as well. */
TEST(steps_down)
{
    static const double clear[8] = {.05, .06, .07, .08, .09, .1, .11, .12},
                        less[8] = {-.05, .06, .07, .08, .09, .1, .11, .12},
                        fast[8] = {.05, -.06, -.07, -.08, -.09, -.1, -.11, -.12};
    static const struct {
        const double *second[2];
        enum fb_slowdown verdict[2];
    } rows[] = {{{clear, clear}, {FB_SLOWER, FB_SLOWER}},
                {{less, less}, {FB_NONE_SEEN, FB_NONE_SEEN}},
                {{less, clear}, {FB_SLOWER, FB_SLOWER}},
                {{less, fast}, {FB_NONE_SEEN, FB_NONE_SEEN}},
                {{less, NULL}, {FB_SLOWER, FB_NONE_SEEN}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fb_slowdown_cell cells[2] = {{.gate = 0.02}, {.gate = 0.02}};
        for (size_t c = 0; c < 2 && rows[i].second[c]; c++)
            cells[c] = (struct fb_slowdown_cell){.first = rows[i].second[c] == fast ? fast : clear,
                                                 .n_first = 8,
                                                 .second = rows[i].second[c],
                                                 .n_second = 8,
                                                 .gate = 0.02};
        fb_slowdown_judge(&rules, cells, 2);
        for (size_t c = 0; c < 2; c++)
            assert_int_equal(cells[c].verdict, rows[i].verdict[c]);
    }
}

TESTS(NULL, NULL)

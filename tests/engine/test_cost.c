/* What Gets cost, fitted to groups whose times are made here. */
#include "tests/documents.h"

#include <math.h>

#include "harness/engine/cost.h"

static const double close = 1e-6;

/* ns = 300 + 200 checks + 4000 reads + 1000 found, in three visits around it. */
static struct fb_cost_group group(double *laps, double checks, double reads, bool found,
                                  uint64_t keys)
{
    const double ns = 300 + 200 * checks + 4000 * reads + (found ? 1000 : 0);
    laps[0] = ns + 50;
    laps[1] = ns - 20;
    laps[2] = ns;
    return (struct fb_cost_group){.work = {.checks = checks, .reads = reads, .found = found},
                                  .keys = keys,
                                  .ns = laps,
                                  .n = 3};
}

static void assert_terms(const struct fb_costs *c, double base, double check, double read,
                         double found)
{
    assert_near(fb_costs_term(c, FB_COST_BASE).value, base, close);
    assert_near(fb_costs_term(c, FB_COST_CHECK).value, check, close);
    assert_near(fb_costs_term(c, FB_COST_READ).value, read, close);
    assert_near(fb_costs_term(c, FB_COST_FOUND).value, found, close);
}

static struct fb_cost cost_of(const struct fb_costs *c, double checks, double reads, double found)
{
    return fb_costs_get(c,
                        &(struct fb_cost_work){.checks = checks, .reads = reads, .found = found});
}

TEST(exact)
{
    double laps[6][3];
    const struct fb_cost_group all[] = {
        group(laps[0], 4, 0, false, 9000), group(laps[1], 5, 0, false, 30000),
        group(laps[2], 5, 1, false, 500),  group(laps[3], 5, 1, true, 20000),
        group(laps[4], 2, 1, true, 3000),  group(laps[5], 1, 1, true, 1000)};
    struct fb_costs c;
    assert_true(fb_costs_fit(all, 6, &c));
    assert_terms(&c, 300, 200, 4000, 1000);
    /* 300 + 4.5 * 200 + 0.1 * 4000 + 0.5 * 1000 */
    const struct fb_cost mixed = cost_of(&c, 4.5, 0.1, 0.5);
    assert_near(mixed.value, 2100, close);
    /* Medians of three visits drawn lie between their ends: a slow visit is slow for all Gets, and
     * a read takes as much more in each. */
    assert_true(mixed.low < 2100 && mixed.high > 2100 && mixed.high - mixed.low < 140);
    const struct fb_cost read = fb_costs_term(&c, FB_COST_READ);
    assert_near(read.low, 4000, close);
    assert_near(read.high, 4000, close);
}

/* Keys that are found ask filters of lower levels, which cost less: of what the others tell they
 * change nothing. 300 + 200 c of absent ones, 300 + 100 c + 4000 + 1000 of found ones. */
TEST(found_decides_about_found)
{
    double laps[5][3];
    struct fb_cost_group all[] = {
        group(laps[0], 4, 0, false, 9000), group(laps[1], 5, 0, false, 30000),
        group(laps[2], 5, 1, false, 500), group(laps[3], 2, 1, true, 10000),
        group(laps[4], 4, 1, true, 10000)};
    for (size_t i = 3; i < 5; i++)
        for (size_t j = 0; j < 3; j++)
            laps[i][j] -= 100 * all[i].work.checks;
    struct fb_costs c;
    assert_true(fb_costs_fit(all, 5, &c));
    assert_near(cost_of(&c, 5, 0, 0).value, 1300, 10);
    assert_near(cost_of(&c, 4, 0, 0).value, 1100, 10);
    assert_near(cost_of(&c, 3, 1, 1).value, 300 + 300 + 5000, 10); /* in the middle */
}

/* One filter is asked always: its check is in base. No key is there: found is not known. */
TEST(not_told_apart)
{
    double laps[2][3];
    const struct fb_cost_group all[] = {group(laps[0], 1, 0, false, 900),
                                        group(laps[1], 1, 1, false, 300)};
    struct fb_costs c;
    assert_true(fb_costs_fit(all, 2, &c));
    assert_terms(&c, 500, 0, 4000, 0);
    assert_true(c.known[FB_COST_BASE] && c.known[FB_COST_READ]);
    assert_false(c.known[FB_COST_CHECK] || c.known[FB_COST_FOUND]);
    assert_false(fb_costs_fit(all, 0, &c));
}

/* Streams as they come take 70 more, with keys that are found 90: base and found are theirs, check
 * and read those of groups. */
TEST(streams_decide_about_base)
{
    double laps[6][3];
    struct fb_cost_group all[] = {
        group(laps[0], 4, 0, false, 9000),      group(laps[1], 5, 0, false, 30000),
        group(laps[2], 5, 1, false, 500),       group(laps[3], 5, 1, true, 20000),
        group(laps[4], 4.7, 0.1, false, 50000), group(laps[5], 4.5, 1.1, true, 50000)};
    for (size_t i = 4; i < 6; i++) {
        all[i].stream = true;
        for (size_t j = 0; j < 3; j++)
            laps[i][j] += i == 4 ? 70 : 90;
    }
    struct fb_costs c;
    assert_true(fb_costs_fit(all, 6, &c));
    assert_terms(&c, 370, 200, 4000, 1020);
}

/* Blocks of a cold level take 1500 more, filters 100. Half of the stream's reads in vain are cold.
 */
TEST(cold_levels)
{
    double laps[6][3];
    struct fb_cost_group all[] = {
        group(laps[0], 0, 0, false, 9000), group(laps[1], 5, 0, false, 30000),
        group(laps[2], 5, 1, false, 500),  group(laps[3], 5, 1, false, 400),
        group(laps[4], 2, 1, true, 2000),  group(laps[5], 4, 0, false, 3000)};
    for (size_t i = 1; i < 6; i++) {
        all[i].work.cold_checks = i < 5 ? 2 : 1;
        all[i].work.cold_reads = i == 3 || i == 4;
        for (size_t j = 0; j < 3; j++)
            laps[i][j] += 1500 * all[i].work.cold_reads + 100 * all[i].work.cold_checks;
    }
    struct fb_costs c;
    assert_true(fb_costs_fit(all, 6, &c));
    assert_terms(&c, 300, 200, 4000, 1000);
    assert_near(fb_costs_term(&c, FB_COST_COLD_READ).value, 1500, close);
    assert_near(fb_costs_term(&c, FB_COST_COLD_CHECK).value, 100, close);
    const struct fb_cost_work work = {5, 3, 0.2, 0.1, 0};
    assert_near(fb_costs_get(&c, &work).value, 300 + 1000 + 300 + 800 + 150, close);
    assert_near(fb_costs_cold(&c, FB_COST_READ).value, 5500, close);
    assert_near(fb_costs_cold(&c, FB_COST_CHECK).value, 300, close);
    /* One Get in a thousand differs by level: what it takes is not the price of a level. */
    all[5].keys = 30;
    assert_true(fb_costs_fit(all, 6, &c));
    assert_true(c.known[FB_COST_CHECK] && !c.known[FB_COST_COLD_CHECK]);
    assert_near(cost_of(&c, 5, 0, 0).value, 300 + 1000 + 200, 1);
    /* All reads of one level: it is not told apart. */
    assert_true(fb_costs_fit(all, 2, &c));
    assert_false(c.known[FB_COST_READ] || c.known[FB_COST_COLD_READ]);
}

TEST(of_json)
{
    struct fb_costs c;
    json_t *cell = quoted(
        "{'groups': [{'found': false, 'checks': 2, 'reads': 0, 'keys': 600, 'ns': [700, 710, 600]},"
        " {'found': false, 'checks': 4, 'reads': 0, 'keys': 300, 'ns': [1100]}, {'found': false, "
        "'checks': 4, 'reads': 2, 'keys': 300, 'ns': [9100]}], 'times': {'absent': {'laps_ns': "
        "[1400]}, 'present': {'laps_ns': [6300, 6200, 6400]}}, 'predicted': {'absent': {'gets': "
        "100, 'checks': 300, 'data_reads': 10, 'found': 0}, 'present': {'gets': 100, 'checks': "
        "250, 'data_reads': 110, 'found': 100}}}");
    assert_true(fb_costs_of(cell, &c));
    /* 1400 - 600 - 400; 6300 - 400 - 500 - 4400 */
    assert_terms(&c, 400, 200, 4000, 1000);
    json_decref(cell);
    json_t *broken = quoted("{'groups': [{'found': false, 'checks': 2, 'reads': 0, 'keys': 600, "
                            "'ns': []}]}");
    assert_false(fb_costs_of(broken, &c));
    assert_false(fb_costs_of(NULL, &c));
    json_decref(broken);
}

/* Of 100 numbers the order of them gives the 40th and 61st or so; of one, itself. */
TEST(median)
{
    double x[100];
    for (int i = 0; i < 100; i++)
        x[i] = (i * 37) % 100;
    const struct fb_cost m = fb_cost_median(x, 100);
    assert_near(m.value, 49.5, close);
    assert_near(m.low, 39, close);  /* 49.5 - 9.8 */
    assert_near(m.high, 60, close); /* 49.5 + 9.8 */
    const struct fb_cost one = fb_cost_median(x + 1, 1);
    assert_near(one.value, 37, close);
    assert_true(one.low == one.value && one.high == one.value);
}

TESTS(NULL, NULL)

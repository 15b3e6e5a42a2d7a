/* Picks, flips and confidence of evidence whose costs are computed by hand. */
#include "tests/documents.h"

#include <math.h>
#include <string.h>

#include "harness/kind/advise/choose.h"

/* Five runs, and keys that are absent: no filter, and filters of four sizes that let a tenth, a
 * hundredth ... through. A query takes 10 ns, and 10 for each filter that it asks.
 *
 *     bytes   reads   CPU   a read of 1000 ns   of 100
 *         0  5         10                5010      510
 *       100  0.5       60                 560      110
 *       200  0.05      60                 110       65
 *       300  0.005     60                  65     60.5
 *       400  0.0005    60                60.5    60.05
 */
struct setting {
    struct fb_candidate at[16];
    struct fb_evidence evidence;
    struct fb_inputs in;
};

static struct fb_candidate candidate(unsigned filter, double bytes, double reads, double asked,
                                     double check_ns)
{
    return (struct fb_candidate){
        .design = filter ? fb_design_find("sbbf-256") : NULL,
        .filter = filter,
        .request = bytes / 100,
        .offered = true,
        .outlook = {.reads_absent = reads, .asked_absent = asked, .bytes = bytes},
        .walk_ns = 10,
        .check_ns = check_ns,
        .cpu_scale = 1,
        .reads_scale = 1};
}

static void add(struct setting *s, struct fb_candidate c)
{
    s->at[s->evidence.n++] = c;
}

static void begin(struct setting *s, double read_ns)
{
    memset(s, 0, sizeof *s);
    s->evidence.at = s->at;
    s->in = (struct fb_inputs){.absent = 1,
                               .low = 1,
                               .high = 1,
                               .read_ns = read_ns,
                               .read_low = read_ns,
                               .read_high = read_ns,
                               .most_bytes = INFINITY};
    add(s, candidate(0, 0, 5, 0, 0));
    double reads = 5;
    for (int k = 1; k <= 4; k++)
        add(s, candidate(1, 100 * k, reads /= 10, 5, 10));
}

static size_t pick_of(const struct setting *s)
{
    return fb_choose(&s->evidence, &s->in, 0, NULL);
}

static void costs_are_those_of_the_table(void **state)
{
    (void)state;
    static const double costs[] = {5010, 560, 110, 65, 60.5};
    struct setting s;
    begin(&s, 1000);
    for (size_t i = 0; i < 5; i++)
        assert_float_equal(fb_candidate_cost(&s.at[i], &s.in), costs[i], 1e-9);
    s.in.absent = 0; /* present keys, of which the table says nothing: reads_present is 0 */
    assert_float_equal(fb_candidate_cost(&s.at[1], &s.in), 10, 1e-9);
    s.in.absent = 1;
    s.at[1].cpu_scale = 2;
    s.at[1].reads_scale = 3;
    assert_float_equal(fb_candidate_cost(&s.at[1], &s.in), 2 * 60 + 3 * 500, 1e-9);
    s.in.price = 1;
    s.in.price_per_ns = 0.01;
    assert_float_equal(fb_inputs_price(&s.in), 11, 1e-9);
    assert_float_equal(fb_candidate_cost(&s.at[2], &s.in), 110 + 11 * 200, 1e-9);
}

static void the_pick_is_the_smallest_within_5_percent(void **state)
{
    (void)state;
    struct setting s;
    begin(&s, 1000);
    assert_int_equal(pick_of(&s), 4); /* 65 is more than 1.05 * 60.5 */
    begin(&s, 100);
    assert_int_equal(pick_of(&s), 3); /* 60.5 is less than 1.05 * 60.05, and 65 is not */
    begin(&s, 10);
    assert_int_equal(pick_of(&s), 0); /* without filters 60 */
    begin(&s, 1000);
    s.in.most_bytes = 250;
    assert_int_equal(pick_of(&s), 2);
    s.in.most_bytes = INFINITY;
    s.at[4].offered = false;
    assert_int_equal(pick_of(&s), 3);
}

static void a_price_takes_the_least_cost_and_price(void **state)
{
    (void)state;
    struct setting s;
    begin(&s, 1000);
    s.in.price = 0.1; /* 570, 130, 95, 100.5 */
    assert_int_equal(pick_of(&s), 3);
    s.in.price = 1; /* 660, 310, 365, 460 */
    assert_int_equal(pick_of(&s), 2);
    s.in.price = 0.02; /* 562, 114, 71, 68.5 */
    assert_int_equal(pick_of(&s), 4);
    s.at[1].present = true; /* no reason to take less of the same */
    assert_int_equal(pick_of(&s), 4);
}

/* A second filter of the sizes of the first, whose checks cost 0.5 ns more. */
static void add_other(struct setting *s, double check_ns)
{
    struct fb_candidate all[16];
    size_t n = 0;
    for (size_t i = 0; i < 5; i++) {
        all[n++] = s->at[i];
        if (i) {
            all[n] = s->at[i];
            all[n].filter = 2;
            all[n++].check_ns = check_ns;
        }
    }
    memcpy(s->at, all, sizeof all);
    s->evidence.n = n;
}

static void todays_setting_stays_where_it_is_as_good(void **state)
{
    (void)state;
    struct setting s;
    begin(&s, 100); /* none, A 100, B 100, A 200, B 200, A 300, B 300, ... */
    add_other(&s, 10.2);
    assert_int_equal(pick_of(&s), 5);
    s.at[6].present = true; /* B of 300: 61.5, within 5 % of 60.05 */
    assert_int_equal(pick_of(&s), 6);
    s.at[6].present = false;
    s.at[8].present = true; /* B of 400 takes more memory, but B of 300 does not */
    assert_int_equal(pick_of(&s), 6);
    s.at[8].present = false;
    s.at[2].present = true; /* B of 100 is too slow */
    assert_int_equal(pick_of(&s), 6);
    begin(&s, 100);
    add_other(&s, 11); /* B of 300: 65.5 */
    s.at[6].present = true;
    assert_int_equal(pick_of(&s), 5);
}

static void of_one_filter_its_own_size(void **state)
{
    (void)state;
    struct setting s;
    begin(&s, 100);
    add_other(&s, 20); /* 110.5 and 110.05, where the best of all is 60.05 */
    assert_int_equal(fb_choose(&s.evidence, &s.in, 1, NULL), 5);
    assert_int_equal(fb_choose(&s.evidence, &s.in, 2, NULL), 4); /* 115: within 5 % of its own */
    s.in.most_bytes = 50;
    assert_int_equal(fb_choose(&s.evidence, &s.in, 2, NULL), s.evidence.n);
    struct fb_front *front = calloc(1, sizeof *front);
    s.in.most_bytes = INFINITY;
    fb_choose_front(&s.evidence, &s.in, 0, front);
    assert_int_equal(front->n, 5);
    assert_int_equal(front->at[0], 0);
    assert_int_equal(front->at[4], 7);
    free(front);
}

/* 60 + 0.005 c = 1.05 (60 + 0.0005 c) at c = 3 / 0.004475. */
static void a_flip_is_where_the_pick_changes(void **state)
{
    (void)state;
    struct setting s;
    struct fb_flip flip;
    begin(&s, 1000);
    assert_true(fb_choose_flip(&s.evidence, &s.in, FB_INPUT_READ_NS, false, false, &flip));
    assert_float_equal(flip.at, 3 / 0.004475, 0.01);
    assert_int_equal(flip.before, 4);
    assert_int_equal(flip.after, 3);
    assert_true(flip.low <= flip.at && flip.high >= flip.at);
    /* Slower reads change nothing: there is no larger filter. */
    assert_false(fb_choose_flip(&s.evidence, &s.in, FB_INPUT_READ_NS, true, false, &flip));
    /* Another filter than this one: none, from where 10 + 5 c <= 1.05 times the cheapest. */
    assert_true(fb_choose_flip(&s.evidence, &s.in, FB_INPUT_READ_NS, false, true, &flip));
    assert_int_equal(flip.after, 0);
    const struct fb_inputs near = fb_inputs_with(&s.in, FB_INPUT_READ_NS, 0.98 * flip.at);
    assert_int_equal(fb_choose(&s.evidence, &near, 0, NULL), 0);
    /* Fewer absent keys: reads are fewer, and so is what filters cost. */
    begin(&s, 1000);
    for (size_t i = 0; i < 5; i++)
        s.at[i].outlook.asked_present = s.at[i].outlook.asked_absent;
    assert_true(fb_choose_flip(&s.evidence, &s.in, FB_INPUT_ABSENT, false, false, &flip));
    assert_float_equal(flip.at, 3 / 4.475, 1e-5);
    assert_int_equal(flip.after, 3);
}

/* Two of one size. X2 is 104 and X1 is 100, with errors of 10: X2 <= 1.05 X1 where a normal number
 * of mean -1 and standard deviation 14.5 is below 0. */
static void confidence_is_the_share_of_resamples(void **state)
{
    (void)state;
    struct setting s;
    begin(&s, 0);
    s.evidence.n = 1;
    s.at[0].walk_ns = 1000;
    add(&s, candidate(1, 100, 0, 9, 10));
    add(&s, candidate(2, 100, 0, 9.4, 10));
    assert_float_equal(fb_choose_confidence(&s.evidence, &s.in, 2), 1, 0); /* without errors */
    s.at[1].cpu_error = s.at[2].cpu_error = 10;
    assert_float_equal(fb_choose_confidence(&s.evidence, &s.in, 2), 0.5275, 0.035);
    assert_float_equal(fb_choose_confidence(&s.evidence, &s.in, 1), 0.735, 0.035);
    s.at[2].outlook.bytes = 101; /* the larger one does not count against the smaller */
    assert_float_equal(fb_choose_confidence(&s.evidence, &s.in, 1), 1, 0);
    /* Nobody knows how many keys are absent: over half of the range X2 reads nothing. */
    s.at[2].outlook.bytes = 100;
    s.at[1].cpu_error = s.at[2].cpu_error = 0;
    s.at[1].outlook.reads_absent = 0.5;
    s.at[2].outlook.reads_present = 0.5;
    s.at[1].outlook.asked_present = s.at[2].outlook.asked_present = 9;
    s.at[2].outlook.asked_absent = 9;
    s.in.read_ns = s.in.read_low = s.in.read_high = 1000;
    s.in.absent = 0.5;
    s.in.low = 0;
    assert_float_equal(fb_choose_confidence(&s.evidence, &s.in, 1), 0.5, 0.06);
    /* A read whose time is uncertain on one side. */
    begin(&s, 100);
    s.evidence.n = 1;
    s.at[0].walk_ns = 1e6;
    add(&s, candidate(1, 100, 1, 0, 0));
    add(&s, candidate(2, 100, 0, 10, 10));
    assert_float_equal(fb_choose_confidence(&s.evidence, &s.in, 1), 1, 0); /* 110 and 110 */
    s.in.read_high = 200; /* in a half of all resamples, of which most are 5.5 ns off */
    assert_float_equal(fb_choose_confidence(&s.evidence, &s.in, 1), 0.543, 0.035);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_those_of_the_table),
        cmocka_unit_test(the_pick_is_the_smallest_within_5_percent),
        cmocka_unit_test(a_price_takes_the_least_cost_and_price),
        cmocka_unit_test(todays_setting_stays_where_it_is_as_good),
        cmocka_unit_test(of_one_filter_its_own_size),
        cmocka_unit_test(a_flip_is_where_the_pick_changes),
        cmocka_unit_test(confidence_is_the_share_of_resamples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

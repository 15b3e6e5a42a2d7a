/* A finalist's interval holds its value. */
#include "tests/documents.h"

#include "harness/kind/advise/advise.h"

/* The ranking of one finalist whose processes' interval is from low to high; all rounds: 100 ns. */
static struct fb_ranking ranking_of(struct fb_question *q, struct fb_weighed *w, double low,
                                    double high)
{
    static struct fb_contender by;
    by = (struct fb_contender){.design = fb_design_find("sbbf-256"), .per_filter_ns = 20};
    *q = (struct fb_question){
        .document = quoted("{'cache_bytes': 0}"), .n = 1000, .n_measured = 1000, .absent = 1};
    *w = (struct fb_weighed){.read_ns = 1000, .nothing.by = &w->none, .n = 1, .n_finalists = 1};
    w->at[0] = (struct fb_candidate){
        .by = &by, .outlook = {.reads_absent = 0.1, .asked_absent = 5, .bytes = 1250}};
    struct fb_ranking k = {.q = q, .w = w};
    json_t *time =
        json_pack("{s:f, s:{s:f, s:f}}", "median", 100.0, "ci95", "low", low, "high", high);
    k.document =
        quoted("{'parts': {'final': {'cells': [{'id': 'sbbf-256', 'design': 'sbbf-256', 'params': "
               "{'allocation': 'uniform'}, 'reads': {'io': 0.1, 'io_ci95': {'low': 0.09, "
               "'high': 0.11}}, 'lookups': [{}]}]}}}");
    json_t *cell = json_array_get(
        json_object_get(json_object_get(json_object_get(k.document, "parts"), "final"), "cells"),
        0);
    json_object_set_new(json_array_get(json_object_get(cell, "lookups"), 0), "time", time);
    struct fb_problem problem;
    assert_true(fb_ranking_make(&k, &problem));
    return k;
}

/* The interval is of processes and the value the median of all rounds, which lies beside it where
 * a few processes are much slower than the others. */
static void intervals_hold_their_value(void **state)
{
    (void)state;
    static const double given[][4] = {/* low, high, and as they are told */
                                      {90, 110, 90, 110},
                                      {101, 120, 100, 120},
                                      {80, 99, 80, 100}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        struct fb_question q;
        static struct fb_weighed w;
        struct fb_ranking k = ranking_of(&q, &w, given[i][0], given[i][1]);
        assert_int_equal(k.n, 2);
        const struct fb_ranked *r = k.rows[0].cell ? &k.rows[0] : &k.rows[1];
        assert_true(r->cpu == 100);
        assert_true(r->cpu_low == given[i][2]);
        assert_true(r->cpu_high == given[i][3]);
        assert_true(fb_ranked_low(&k, r) < fb_ranked_cost(&k, r));
        json_decref(k.document);
        json_decref(q.document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(intervals_hold_their_value)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

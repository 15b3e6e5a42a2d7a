/* What the engine's own Gets say of a pick: proved, not told apart, refuted. */
#include "tests/documents.h"

#include <math.h>
#include <string.h>

#include "harness/kind/advise/advise.h"

/* Ribbon of 7000 bytes is picked; today's Bloom filter has 10000. Checks cost 10 and 20 ns, and a
 * read 1000: ours are 10 + 5 * 20 + 100 = 210 and 10 + 5 * 10 + 100 = 160 ns. */
struct scene {
    struct fb_question q;
    struct fb_weighed w;
    struct fb_advice a;
    json_t *document;
};

static struct fb_candidate candidate(const char *design, unsigned filter, double bytes,
                                     double check_ns)
{
    return (struct fb_candidate){
        .design = fb_design_find(design),
        .filter = filter,
        .request = 10,
        .offered = true,
        .outlook = {.reads_absent = 0.1, .asked_absent = 5, .bytes = bytes},
        .walk_ns = 10,
        .check_ns = check_ns,
        .cpu_scale = 1,
        .reads_scale = 1};
}

/* A cell of the engine, where Gets take `ns` give or take `half`, and a read 500 ns. */
static json_t *cell_of(const char *design, double ns, double half)
{
    json_t *cell =
        quoted("{'own': true, 'bits_per_key': 10, 'costs': {'read': {'value': 500}}, 'rates': "
               "{'absent': {'predicted': {'checks': 5, 'reads': 0.1}, 'observed': {'reads': 0.1}}, "
               "'present': {'predicted': {'checks': 5, 'reads': 1}, 'observed': {'reads': 1}}}}");
    json_object_set_new(cell, "design", json_string(design));
    json_object_set_new(
        json_object_get(cell, "rates"), "mixed",
        json_pack("{s:{s:f, s:f, s:f}}", "ns", "value", ns, "low", ns - half, "high", ns + half));
    return cell;
}

static void begin(struct scene *s, double ribbon_ns, double bloom_ns, double half)
{
    memset(s, 0, sizeof *s);
    s->document = quoted("{'parts': {'proof': {'engine': {'name': 'rocksdb', 'version': '7.8.3', "
                         "'n': 5000}, 'cells': []}}}");
    json_t *cells =
        json_object_get(json_object_get(json_object_get(s->document, "parts"), "proof"), "cells");
    json_array_append_new(cells, cell_of("rocksdb-ribbon", ribbon_ns, half));
    json_array_append_new(cells, cell_of("rocksdb-fastlocal", bloom_ns, half));
    s->q.document = quoted("{'engine': 'rocksdb', 'value_bytes': 100, 'keys': 'random', 'absent': "
                           "1, 'seed': '0x1', 'filter_residency': 'pinned'}");
    s->q.n_measured = 9000;
    s->w.at[0] = (struct fb_candidate){.offered = true, .walk_ns = 1e5, .cpu_scale = 1};
    s->w.at[1] = candidate("rocksdb-ribbon", 1, 7000, 20);
    s->w.at[2] = candidate("rocksdb-fastlocal", 2, 10000, 10);
    s->w.at[2].present = true;
    s->w.n_filters = 2;
    s->w.evidence = (struct fb_evidence){.at = s->w.at, .n = 3};
    s->a = (struct fb_advice){.q = &s->q, .asked = &s->q, .w = &s->w, .document = s->document};
    s->a.in = (struct fb_inputs){.absent = 1,
                                 .low = 1,
                                 .high = 1,
                                 .read_ns = 1000,
                                 .read_low = 1000,
                                 .read_high = 1000,
                                 .most_bytes = INFINITY};
    s->a.pick = 1;
}

static void end(struct scene *s)
{
    json_decref(s->document);
    json_decref(s->q.document);
}

static void assert_verdict(double ribbon_ns, double bloom_ns, double half, const char *verdict)
{
    static struct scene s;
    begin(&s, ribbon_ns, bloom_ns, half);
    json_t *proof = fb_advise_proof_json(&s.a);
    assert_non_null(proof);
    assert_string_equal(fb_json_str(proof, "verdict"), verdict);
    json_decref(proof);
    end(&s);
}

/* Predicted: Bloom costs 50 ns less, give or take 5 % of 210. */
static void gains_are_held_against_each_other(void **state)
{
    (void)state;
    static struct scene s;
    begin(&s, 1000, 960, 10);
    json_t *proof = fb_advise_proof_json(&s.a);
    const json_t *today = json_array_get(json_object_get(proof, "settings"), 1);
    assert_string_equal(fb_json_str(today, "role"), "today");
    assert_float_equal(fb_json_num(today, "predicted_gain_ns.value"), -50, 1e-9);
    assert_float_equal(fb_json_num(today, "predicted_gain_ns.low"), -60.5, 1e-9);
    assert_float_equal(fb_json_num(today, "observed_gain_ns.value"), -40, 1e-9);
    assert_float_equal(fb_json_num(today, "observed_gain_ns.high"), -40 + sqrt(200), 1e-9);
    /* A read takes 500 ns there and 1000 in the question: a tenth of the Gets reads. */
    assert_float_equal(fb_json_num(today, "observed_ns.value"), 960 + 50, 1e-9);
    assert_float_equal(fb_json_num(today, "reads"), 0.1, 1e-9);
    json_decref(proof);
    end(&s);
}

static void verdicts(void **state)
{
    (void)state;
    assert_verdict(1000, 960, 10, "proved");          /* 40 ns slower, as predicted */
    assert_verdict(900, 960, 10, "proved");           /* better than that */
    assert_verdict(1000, 700, 10, "refuted");         /* 300 ns slower */
    assert_verdict(1000, 860, 100, "not told apart"); /* 140, give or take 141 */
}

/* A setting of no more memory need not be much worse than predicted: it is enough that it is
 * cheaper. */
static void a_smaller_setting_refutes_sooner(void **state)
{
    (void)state;
    static struct scene s;
    begin(&s, 1000, 930, 1);
    s.w.at[1].check_ns = 30; /* predicted: 100 ns more */
    s.w.at[1].outlook.bytes = 10000;
    json_t *proof = fb_advise_proof_json(&s.a);
    assert_string_equal(fb_json_str(proof, "verdict"), "refuted");
    json_decref(proof);
    s.w.at[1].outlook.bytes = 9999;
    proof = fb_advise_proof_json(&s.a);
    assert_string_equal(fb_json_str(proof, "verdict"), "proved");
    json_decref(proof);
    end(&s);
}

static void the_experiment_has_the_settings(void **state)
{
    (void)state;
    static struct scene s;
    begin(&s, 1000, 960, 10);
    json_t *given = fb_advise_proof(&s.a);
    assert_int_equal(json_array_size(json_object_get(given, "designs")), 2);
    assert_int_equal(json_array_size(json_object_get(given, "bits_per_key")), 1);
    assert_string_equal(fb_json_str(given, "engine"), "rocksdb");
    assert_int_equal(fb_json_uint(given, "n"), 9000);
    json_decref(given);
    s.w.at[1].allocation = FB_ALLOC_DROP_LAST; /* the engine is not asked with such filters */
    assert_null(fb_advise_proof(&s.a));
    assert_null(fb_advise_proof_json(&s.a));
    s.w.at[1].allocation = FB_ALLOC_UNIFORM;
    s.a.pick = 0;
    assert_null(fb_advise_proof(&s.a));
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_are_held_against_each_other),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(a_smaller_setting_refutes_sooner),
        cmocka_unit_test(the_experiment_has_the_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

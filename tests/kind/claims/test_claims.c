/* The ledger is complete and measurable, and verdicts follow from findings as claims.h says. */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/claims/claims.h"
#include "harness/kind/claims/procedure/table.h"

static struct fb_ledger ledger;

static int load(void **state)
{
    char why[400] = "";
    (void)state;
    enum fb_err err = fb_ledger_load(FB_TEST_DATA "/../results/claims", &ledger, why, sizeof why);
    if (err)
        fprintf(stderr, "%s\n", why);
    return (int)err;
}

static int unload(void **state)
{
    (void)state;
    fb_ledger_close(&ledger);
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void every_claim_is_there_once(void **state)
{
    char line[200];
    size_t n = 0;
    (void)state;
    const char **ids = calloc(ledger.n + 1, sizeof *ids);
    FILE *file = fopen(FB_TEST_DATA "/golden/claim-ids.txt", "r");
    assert_true(ids && file);
    for (size_t i = 0; i < ledger.n; i++)
        ids[i] = ledger.claims[i].id;
    qsort(ids, ledger.n, sizeof *ids, by_text);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        assert_true(n < ledger.n);
        assert_string_equal(ids[n++], line);
    }
    assert_int_equal(n, 388);
    assert_int_equal(ledger.n, n);
    fclose(file);
    free(ids);
}

/* Every "design" and "hash" anywhere in the arguments. */
static void check_names(const json_t *value)
{
    const char *key, *why;
    struct fb_keygen keygen;
    json_t *member;
    size_t i;
    json_array_foreach(value, i, member) check_names(member);
    json_object_foreach((json_t *)value, key, member)
    {
        if (!strcmp(key, "design") && !fb_design_find(json_string_value(member)))
            fail_msg("no design '%s'", json_string_value(member));
        if (!strcmp(key, "hash") && !fb_hash_find(json_string_value(member)))
            fail_msg("no hash '%s'", json_string_value(member));
        if (!strcmp(key, "keys") && !fb_keygen_parse(json_string_value(member), &keygen, &why))
            fail_msg("no keys '%s'", json_string_value(member));
        check_names(member);
    }
}

static void every_measured_claim_has_its_procedure(void **state)
{
    (void)state;
    for (size_t i = 0; i < ledger.n; i++) {
        const struct fb_claim *claim = &ledger.claims[i];
        if (!claim->procedure)
            continue;
        if (!fb_procedure_find(claim->procedure))
            fail_msg("%s: no procedure '%s'", claim->id, claim->procedure);
        check_names(claim->measure);
    }
    assert_null(fb_procedure_find("no-such-procedure"));
}

static bool row_uses(const char *procedure)
{
    for (size_t i = 0; i < ledger.n; i++)
        if (ledger.claims[i].procedure && !strcmp(ledger.claims[i].procedure, procedure))
            return true;
    return false;
}

static void every_procedure_has_its_row(void **state)
{
    (void)state;
    for (const struct fb_procedure *const *table = fb_procedure_tables; *table; table++)
        for (const struct fb_procedure *p = *table; p->name; p++) {
            if (!row_uses(p->name))
                fail_msg("no row is measured by '%s'", p->name);
            assert_ptr_equal(fb_procedure_find(p->name), p); /* one of that name */
        }
}

/* Rows of kind "time-..." are timed, and rows of one machine's nanoseconds are not judged. */
static void natures_are_those_of_the_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ledger.n; i++) {
        const struct fb_claim *claim = &ledger.claims[i];
        enum fb_nature nature = fb_procedure_nature(claim->procedure);
        if (!claim->procedure)
            assert_int_equal(nature, FB_COUNTED);
        else if ((nature == FB_MACHINE_ONLY) != !strcmp(claim->kind, "time-absolute") ||
                 (nature == FB_COUNTED && !strncmp(claim->kind, "time-", 5)))
            fail_msg("%s: of kind %s, but nature %d", claim->id, claim->kind, (int)nature);
    }
}

/* Whatever the row's own kind: "fjall.share.ssd" is a cost model that is held against a time. */
static void exact_facts_leave_times_out(void **state)
{
    const struct fb_kind *kind = fb_kind_find("claims");
    (void)state;
    for (size_t i = 0; i < ledger.n; i++) {
        const struct fb_claim *claim = &ledger.claims[i];
        struct fb_judged judged = {.claim = claim, .n_findings = claim->procedure != NULL};
        judged.finding[0].n = claim->claimed.n;
        assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
        json_t *row = fb_judged_json(&judged), *exact = kind->exact(row);
        bool timed = fb_procedure_nature(claim->procedure) != FB_COUNTED;
        assert_string_equal(json_string_value(json_object_get(exact, "id")), claim->id);
        if (timed != !json_object_get(exact, "measured") ||
            timed != !json_object_get(exact, "verdict"))
            fail_msg("%s", claim->id);
        json_decref(row);
        json_decref(exact);
    }
}

static void failures_name_what_is_wrong(void **state)
{
    static const struct {
        const char *procedure, *args, *why;
    } rows[] = {
        {"no-such", "{}", "no procedure 'no-such'"},
        {"fpr", "{\"design\": \"nori\"}", "a cell needs n and a probe per filter"},
        {"cache-lines", "{\"design\": \"norri\"}", "norri: no such design"},
        {"salts", "{\"salts\": [\"0x1\"]}", ": no such design"},
        {"probe-agreement", "{\"design\": \"nori\"}", "no reading ''"},
        {"lane-range", "{\"design\": \"nori\", \"bits_per_key\": 8}",
         "lanes of blocks of at most 512 bits"},
        {"walk", "{\"tree\": {\"style\": \"round\"}}", "no style 'round'"},
        {"walk-over", "{\"tree\": {}, \"design\": \"nori\"}", NULL},
        {"prefix-pass", "{\"design\": \"nori\"}", NULL},
        {"tree-fact", "{\"report\": \"height\", \"tree\": {}}", "no fact 'height' of a tree"},
        {"time-ratio", "{\"pieces\": []}", "1 to 8 pieces are measured together"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fb_bench bench = {0};
        struct fb_finding found;
        json_t *args = json_loads(rows[i].args, 0, NULL);
        assert_non_null(args);
        assert_int_not_equal(fb_procedure_run(rows[i].procedure, &bench, args, &found), FB_OK);
        if (rows[i].why)
            assert_string_equal(bench.why, rows[i].why);
        assert_true(bench.why[0]);
        fb_bench_close(&bench);
        json_decref(args);
    }
}

/* Without a design and other arguments none of them may do worse than fail. */
static void procedures_without_arguments_only_fail(void **state)
{
    json_t *none = json_object();
    (void)state;
    for (const struct fb_procedure *const *table = fb_procedure_tables; *table; table++)
        for (const struct fb_procedure *p = *table; p->name; p++) {
            struct fb_bench bench = {.effort = FB_QUICK};
            struct fb_finding found;
            if (fb_procedure_run(p->name, &bench, none, &found) && !bench.why[0])
                fail_msg("%s fails without a reason", p->name);
            fb_bench_close(&bench);
        }
    json_decref(none);
}

static void only_these_wait(void **state)
{
    static const char *const expected[] = {"ldbrdb.var.counting_delete", "ldbrdb.var.ribbon_build",
                                           "ldbrdb.var.cuckoo"};
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < ledger.n; i++) {
        const struct fb_claim *claim = &ledger.claims[i];
        bool listed = false;
        for (size_t e = 0; e < sizeof expected / sizeof *expected; e++)
            listed |= !strcmp(expected[e], claim->id);
        if (listed != (claim->needs != NULL))
            fail_msg("%s", claim->id);
        n += listed;
    }
    assert_int_equal(n, sizeof expected / sizeof *expected);
}

/* "+46.1" for 46.07 and the printed text "+46.1". */
static void assert_printed(const char *id, const char *printed, double value)
{
    char text[40];
    const char *point = strchr(printed, '.');
    snprintf(text, sizeof text, "%s%.*f", printed[0] == '+' ? "+" : "",
             point ? (int)strlen(point + 1) : 0, value);
    if (strcmp(text, printed))
        fail_msg("%s: %s, printed %s", id, text, printed);
}

static void every_table_cell_comes_out_to_the_printed_digit(void **state)
{
    size_t cells = 0;
    (void)state;
    for (size_t i = 0; i < ledger.n; i++) {
        const struct fb_claim *claim = &ledger.claims[i];
        struct fb_bench bench = {0};
        struct fb_finding found;
        if (!claim->procedure || strcmp(claim->procedure, "bits-for-rate"))
            continue;
        const char *printed =
            json_string_value(json_object_get(json_object_get(claim->row, "claimed"), "printed"));
        json_t *args = json_copy((json_t *)claim->measure);
        json_object_del(args, "experiment"); /* the sizes alone */
        assert_int_equal(fb_procedure_run(claim->procedure, &bench, args, &found), FB_OK);
        assert_printed(claim->id, printed, found.theory[0]);
        assert_printed(claim->id, printed, found.measured[0]);
        json_decref(args);
        cells++;
    }
    assert_int_equal(cells, 142);
}

/* ---- Verdicts ---- */

static void printed_digits(void **state)
{
    static const struct {
        const char *printed;
        double value, half;
    } rows[] = {{"0.82", 0.82, 0.005}, {"8,100", 8100, 0.5},         {"+46.1", 46.1, 0.05},
                {"1", 1, 0.5},         {"0x000F4240", 1000000, 0.5}, {"14.00", 14, 0.005},
                {"1e-5", 1e-5, 5e-6},  {"0.00001", 1e-5, 5e-6}};
    double value, half;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(fb_printed_number(rows[i].printed, &value, &half));
        assert_near(value, rows[i].value, 1e-12 * rows[i].value);
        assert_near(half, rows[i].half, 1e-12);
    }
    assert_false(fb_printed_number("about 7", &value, &half));
    assert_false(fb_printed_number("", &value, &half));
    assert_false(fb_printed_number("nan", &value, &half));
}

/* A finding whose theory and measurement are x +- width. */
static struct fb_finding found_at(double x, double width, double p)
{
    return (struct fb_finding){.n = 1,
                               .theory = {x},
                               .measured = {x},
                               .low = {x - width},
                               .high = {x + width},
                               .tolerance = NAN,
                               .p = p};
}

/* A claim of one number, a finding with an interval around theory = measured = middle. */
static enum fb_verdict verdict_of(enum fb_relation relation, const char *printed, double middle,
                                  double width)
{
    struct fb_claim claim = {.id = "x", .document = "d", .kind = "fpr", .procedure = "fpr"};
    struct fb_judged judged = {.claim = &claim, .n_findings = 1};
    claim.claimed.n = 1;
    claim.claimed.unit = "%";
    claim.claimed.relation = relation;
    assert_true(fb_printed_number(printed, claim.claimed.value, claim.claimed.half));
    judged.finding[0] = found_at(middle, width, 1);
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.model, FB_MODEL_CONFIRMED);
    assert_int_equal(judged.why[0] != 0, judged.verdict == FB_VERDICT_NOT_REPRODUCED ||
                                             strstr(judged.why, "theory") != NULL);
    return judged.verdict;
}

static void a_number_is_reproduced_within_its_rounding(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(FB_EQUAL, "0.82", 0.8194, 0.001), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_EQUAL, "0.9", 0.8194, 0.01), FB_VERDICT_NOT_REPRODUCED);
    assert_int_equal(verdict_of(FB_EQUAL, "0.9", 0.8194, 0.05), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_EQUAL, "9.2", 9.1953, 0), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_EQUAL, "7", 7, 0), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_EQUAL, "7", 8, 0), FB_VERDICT_NOT_REPRODUCED);
    assert_int_equal(verdict_of(FB_EQUAL, "0.0066", 0.00671, 0.00002), FB_VERDICT_NOT_REPRODUCED);
}

static void bounds_are_exact(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(FB_AT_MOST, "1.1", 0.82, 0.03), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_AT_MOST, "1.1", 1.14, 0.03), FB_VERDICT_NOT_REPRODUCED);
    assert_int_equal(verdict_of(FB_AT_MOST, "10", 10, 0), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_BELOW, "10", 10, 0), FB_VERDICT_NOT_REPRODUCED);
    assert_int_equal(verdict_of(FB_AT_LEAST, "90", 99, 0.1), FB_VERDICT_REPRODUCED);
    assert_int_equal(verdict_of(FB_AT_LEAST, "90", 89, 0.1), FB_VERDICT_NOT_REPRODUCED);
    assert_int_equal(verdict_of(FB_ABOVE, "0", 0, 0), FB_VERDICT_NOT_REPRODUCED);
    assert_int_equal(verdict_of(FB_ABOVE, "0", 0.01, 0.001), FB_VERDICT_REPRODUCED);
}

/* An interval that holds a number at which the verdict turns leaves it open. */
static void a_verdict_is_clear_away_from_where_it_turns(void **state)
{
    static const struct {
        enum fb_relation relation;
        double low, high;
        bool clear;
    } rows[] = {{FB_EQUAL, 0.9, 0.94, true},     {FB_EQUAL, 0.9, 0.96, false},
                {FB_EQUAL, 0.96, 1.04, true},    {FB_EQUAL, 0.96, 1.06, false},
                {FB_EQUAL, 0.9, 1.2, false},     {FB_AT_MOST, 0.96, 0.99, true},
                {FB_AT_MOST, 0.99, 1.01, false}, {FB_AT_LEAST, 1.01, 1.1, true},
                {FB_BELOW, 0.5, 1, false},       {FB_ABOVE, 1, 1, true}};
    const struct fb_claimed bound = {.n = 1, .value = {1}, .half = {0.05}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fb_claimed claimed = bound;
        const struct fb_finding found = {.n = 1, .low = {rows[i].low}, .high = {rows[i].high}};
        claimed.relation = rows[i].relation;
        if (fb_finding_is_clear(&found, &claimed) != rows[i].clear)
            fail_msg("row %zu", i);
    }
}

/* A row's time says how many processes it took, by which clock, and that they were too few. */
static void times_say_what_they_rest_on(void **state)
{
    const struct fb_claim *claim = fb_ledger_find(&ledger, "nori.hash.ratio_fnv");
    struct fb_problem problem;
    (void)state;
    for (size_t processes = 15; processes <= 16; processes++) {
        struct fb_judged judged = {.claim = claim, .n_findings = 1}, back = {.claim = claim};
        struct fb_finding *found = &judged.finding[0];
        *found = (struct fb_finding){.tolerance = NAN, .p = NAN};
        fb_find_time(found, 2, (struct fb_interval){1.5, 2.5}, 0.99);
        found->processes = processes;
        found->cpu_clock = processes == 16;
        assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
        json_t *row = fb_judged_json(&judged);
        assert_int_equal(json_is_true(json_object_get(row, "independent")), processes < 16);
        assert_int_equal(json_integer_value(json_object_get(row, "processes")), processes);
        assert_string_equal(fb_json_str(row, "clock"), processes < 16 ? "wall" : "thread_cpu");
        assert_true(fb_judged_read(row, &back, &problem));
        assert_int_equal(back.finding[0].processes, processes);
        assert_int_equal(back.finding[0].cpu_clock, processes == 16);
        json_decref(row);
    }
}

static void models_fail_exactly_or_beyond_chance(void **state)
{
    enum { N = 100 };
    static struct fb_judged judged[N];
    struct fb_claim claim = {.id = "x", .document = "d", .kind = "fpr", .procedure = "fpr"};
    (void)state;
    claim.claimed = (struct fb_claimed){.n = 1, .value = {1}, .half = {0.5}, .unit = ""};
    for (size_t i = 0; i < N; i++) {
        judged[i] = (struct fb_judged){.claim = &claim, .n_findings = 1};
        judged[i].finding[0] = found_at(1, 0, 0.5);
    }
    judged[0].finding[0].p = 1e-4; /* one in a hundred rows: 0.01 after Holm */
    judged[1].finding[0].p = 1e-7;
    judged[2].finding[0].tolerance = 0; /* exact and right */
    judged[3].finding[0].tolerance = 0;
    judged[3].finding[0].measured[0] = 1.001;
    judged[4].finding[0].tolerance = 0.01; /* within the tolerance */
    judged[4].finding[0].measured[0] = 1.001;
    judged[5].finding[0].false_negatives = 1;
    judged[6].finding[0].p = NAN; /* nothing random: not part of the correction */
    assert_int_equal(fb_claims_draw(judged, N), FB_OK);
    static const enum fb_model expected[] = {
        FB_MODEL_CONFIRMED, FB_MODEL_FAILED, FB_MODEL_CONFIRMED, FB_MODEL_FAILED,
        FB_MODEL_CONFIRMED, FB_MODEL_FAILED, FB_MODEL_CONFIRMED, FB_MODEL_CONFIRMED};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(judged[i].model, expected[i]);
        assert_int_equal(judged[i].verdict, FB_VERDICT_REPRODUCED); /* never mixed */
    }
    assert_near(judged[0].p_holm, 98 * 1e-4, 1e-12); /* second smallest of 99 */
    assert_true(isnan(judged[6].p_holm));
    assert_non_null(strstr(judged[5].why, "1 false negatives"));
}

static void a_second_root_must_agree(void **state)
{
    struct fb_claim claim = {.id = "x", .document = "d", .kind = "size", .procedure = "fpr"};
    struct fb_judged judged = {.claim = &claim, .n_findings = 2};
    (void)state;
    claim.claimed = (struct fb_claimed){.n = 1, .value = {1}, .half = {0.5}, .unit = ""};
    judged.finding[0] = judged.finding[1] = found_at(1, 0, NAN);
    judged.finding[0].tolerance = judged.finding[1].tolerance = 0;
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.model, FB_MODEL_CONFIRMED);
    judged.finding[1].measured[0] = judged.finding[1].low[0] = judged.finding[1].high[0] = 2;
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    assert_int_equal(judged.model, FB_MODEL_FAILED);
    assert_int_equal(judged.verdict, FB_VERDICT_NOT_REPRODUCED);
}

static void unmeasured_rows(void **state)
{
    struct fb_claim pending = {.id = "x", .needs = "tree"},
                    documentary = {.id = "y", .cite = "file", .says = "so it is", .holds = 1};
    struct fb_judged judged[2] = {{.claim = &pending}, {.claim = &documentary}};
    (void)state;
    assert_int_equal(fb_claims_draw(judged, 2), FB_OK);
    assert_int_equal(judged[0].model, FB_MODEL_PENDING);
    assert_int_equal(judged[0].verdict, FB_VERDICT_PENDING);
    assert_non_null(strstr(judged[0].why, "tree"));
    assert_int_equal(judged[1].model, FB_MODEL_DOCUMENTARY);
    assert_int_equal(judged[1].verdict, FB_VERDICT_DOCUMENTARY);
    assert_non_null(strstr(judged[1].why, "file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_claim_is_there_once),
        cmocka_unit_test(every_measured_claim_has_its_procedure),
        cmocka_unit_test(every_procedure_has_its_row),
        cmocka_unit_test(natures_are_those_of_the_rows),
        cmocka_unit_test(exact_facts_leave_times_out),
        cmocka_unit_test(failures_name_what_is_wrong),
        cmocka_unit_test(procedures_without_arguments_only_fail),
        cmocka_unit_test(only_these_wait),
        cmocka_unit_test(every_table_cell_comes_out_to_the_printed_digit),
        cmocka_unit_test(printed_digits),
        cmocka_unit_test(a_number_is_reproduced_within_its_rounding),
        cmocka_unit_test(bounds_are_exact),
        cmocka_unit_test(a_verdict_is_clear_away_from_where_it_turns),
        cmocka_unit_test(times_say_what_they_rest_on),
        cmocka_unit_test(models_fail_exactly_or_beyond_chance),
        cmocka_unit_test(a_second_root_must_agree),
        cmocka_unit_test(unmeasured_rows),
    };
    return cmocka_run_group_tests(tests, load, unload);
}

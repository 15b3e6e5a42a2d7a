/* The ledger is complete and measurable, and its rows go to a document and back. */
#include "tests/documents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/claims/claims.h"

static struct fb_ledger ledger, beyond; /* the default, and the second */

static int load(void **state)
{
    char why[400] = "";
    (void)state;
    enum fb_err err = fb_ledger_load(FB_TEST_DATA "/../results/claims", fb_ledger_names[0], &ledger,
                                     why, sizeof why);
    if (!err)
        err = fb_ledger_load(FB_TEST_DATA "/../results/claims", "beyond", &beyond, why, sizeof why);
    if (err)
        fprintf(stderr, "%s\n", why);
    return (int)err;
}

static int unload(void **state)
{
    (void)state;
    fb_ledger_close(&ledger);
    fb_ledger_close(&beyond);
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every id that there ever was, those that left with a reason as well. */
static void check_ids(const struct fb_ledger *of, const char *known)
{
    char line[200];
    size_t n = 0, n_ids = 0, d, i;
    json_t *document, *row;
    const char **ids = calloc(2 * of->n + 1, sizeof *ids);
    FILE *file = fopen(known, "r");
    assert_true(ids && file);
    for (; n_ids < of->n; n_ids++)
        ids[n_ids] = of->claims[n_ids].id;
    json_array_foreach(of->documents, d, document) {
        json_array_foreach(json_object_get(document, "retired"), i, row) {
            assert_true(n_ids < 2 * of->n);
            ids[n_ids++] = json_string_value(json_object_get(row, "id"));
            assert_non_null(fb_ledger_left(of, ids[n_ids - 1]));
        }
    }
    qsort(ids, n_ids, sizeof *ids, by_text);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        assert_true(n < n_ids);
        assert_string_equal(ids[n++], line);
    }
    assert_int_equal(n, n_ids);
    assert_null(fb_ledger_left(of, of->claims[0].id));
    fclose(file);
    free(ids);
}

TEST(every_claim_is_there_once)
{
    check_ids(&ledger, FB_TEST_DATA "/golden/claim-ids.txt");
    check_ids(&beyond, FB_TEST_DATA "/golden/beyond-ids.txt");
    for (size_t i = 0; i < beyond.n; i++)
        if (fb_ledger_find(&ledger, beyond.claims[i].id))
            fail_msg("%s: in both ledgers", beyond.claims[i].id);
}

static bool has(const struct fb_claim *claim, const char *rule)
{
    const json_t *tolerance = json_object_get(json_object_get(claim->row, "claimed"), "tolerance");
    return json_is_true(json_object_get(tolerance, rule));
}

/* docs/explanation/verdicts-on-claims.md has the rule: a ratio of times is another machine's,
 * unless its text says that two times are the same, or prints a range; and "about" is about. */
static void check_tolerances(const struct fb_ledger *of)
{
    for (size_t i = 0; i < of->n; i++) {
        const struct fb_claim *claim = &of->claims[i];
        const bool times = !strcmp(claim->kind, "time-ratio"),
                   range = claim->claimed.text && strstr(claim->claimed.text, " to ");
        if (claim->claimed.relation != FB_EQUAL || !claim->claimed.n)
            continue;
        if (times && !has(claim, "times") && !has(claim, "same") && !range)
            fail_msg("%s: a ratio of times with a tolerance of its own", claim->id);
        const char *printed = json_string_value(fb_claim_printed(claim));
        char said[60];
        snprintf(said, sizeof said, "about %s ", printed ? printed : "nothing");
        if (!times && strstr(claim->claim, said) && !has(claim, "about") && !has(claim, "counted"))
            fail_msg("%s: about, with a tolerance of its own", claim->id);
    }
}

TEST(equal_statements_have_equal_tolerances)
{
    check_tolerances(&ledger);
    check_tolerances(&beyond);
}

/* A finding of ours is held against nothing, so it needs a measurement. */
TEST(findings_of_ours_claim_nothing)
{
    size_t n = 0;
    for (size_t i = 0; i < ledger.n; i++) {
        n += ledger.claims[i].ours;
        assert_false(ledger.claims[i].ours && !ledger.claims[i].measure);
    }
    assert_int_equal(n, 9);
}

TEST(ledgers_go_by_their_names)
{
    struct fb_ledger none;
    char why[400] = "";
    assert_string_equal(ledger.name, "documents");
    assert_string_equal(beyond.name, "beyond");
    assert_string_equal(fb_ledger_folder("documents"), "results/claims");
    assert_string_equal(fb_ledger_folder("beyond"), "results/claims/beyond");
    assert_int_equal(fb_ledger_load("results/claims", "above", &none, why, sizeof why), FB_EINVAL);
    assert_string_equal(why, "no ledger 'above'");
}

/* Every "design" and "hash" anywhere in the arguments. */
static void check_names(const json_t *value)
{
    const char *key, *why;
    struct fb_keygen keygen;
    json_t *member;
    size_t i;
    json_array_foreach(value, i, member)
        check_names(member);
    json_object_foreach((json_t *)value, key, member) {
        if (!strcmp(key, "design") && !fb_design_find(json_string_value(member)))
            fail_msg("no design '%s'", json_string_value(member));
        if (!strcmp(key, "hash") && !fb_hash_find(json_string_value(member)))
            fail_msg("no hash '%s'", json_string_value(member));
        if (!strcmp(key, "keys") && !fb_keygen_parse(json_string_value(member), &keygen, &why))
            fail_msg("no keys '%s'", json_string_value(member));
        check_names(member);
    }
}

static void check_procedures(const struct fb_ledger *of)
{
    for (size_t i = 0; i < of->n; i++) {
        const struct fb_claim *claim = &of->claims[i];
        if (!claim->procedure)
            continue;
        if (!fb_procedure_find(claim->procedure))
            fail_msg("%s: no procedure '%s'", claim->id, claim->procedure);
        check_names(claim->measure);
    }
}

TEST(every_measured_claim_has_its_procedure)
{
    check_procedures(&ledger);
    check_procedures(&beyond);
    assert_null(fb_procedure_find("no-such-procedure"));
}

static bool row_uses(const struct fb_ledger *of, const char *procedure)
{
    for (size_t i = 0; i < of->n; i++)
        if (of->claims[i].procedure && !strcmp(of->claims[i].procedure, procedure))
            return true;
    return false;
}

TEST(every_procedure_has_its_row)
{
    for (const struct fb_procedure *p = fb_procedures; p->name; p++) {
        if (!row_uses(&ledger, p->name) && !row_uses(&beyond, p->name))
            fail_msg("no row is measured by '%s'", p->name);
        assert_ptr_equal(fb_procedure_find(p->name), p); /* one of that name */
    }
}

/* Rows of kind "time-..." are timed, and rows of one machine's nanoseconds are not judged. */
static void check_natures(const struct fb_ledger *of)
{
    for (size_t i = 0; i < of->n; i++) {
        const struct fb_claim *claim = &of->claims[i];
        enum fb_nature nature = fb_procedure_nature(claim->procedure);
        if (!claim->procedure)
            assert_int_equal(nature, FB_COUNTED);
        else if ((nature == FB_MACHINE_ONLY) != !strcmp(claim->kind, "time-absolute") ||
                 (nature < FB_TIMED && !strncmp(claim->kind, "time-", 5)))
            fail_msg("%s: of kind %s, but nature %d", claim->id, claim->kind, (int)nature);
    }
}

TEST(natures_are_those_of_the_rows)
{
    check_natures(&ledger);
    check_natures(&beyond);
}

/* Whatever the row's own kind. */
TEST(exact_facts_leave_times_out)
{
    const struct fb_kind *kind = fb_kind_find("claims");
    for (size_t i = 0; i < ledger.n; i++) {
        const struct fb_claim *claim = &ledger.claims[i];
        struct fb_judged judged = {.claim = claim, .n_findings = claim->measure != NULL};
        const bool timed = fb_claim_is_timed(claim);
        judged.finding[0].n = claim->claimed.n;
        judged.finding[0].processes = timed ? 8 : 0;
        assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
        json_auto_t *row = fb_judged_json(&judged), *exact = kind->exact(row);
        assert_string_equal(json_string_value(json_object_get(exact, "id")), claim->id);
        if (timed != !json_object_get(exact, "measured") ||
            timed != !json_object_get(exact, "verdict"))
            fail_msg("%s", claim->id);
    }
}

TEST(failures_name_what_is_wrong)
{
    static const struct {
        const char *procedure, *args, *why;
    } rows[] = {
        {"no-such", "{}", "no procedure 'no-such'"},
        {"cache-lines", "{\"design\": \"norri\"}", "norri: no such design"},
        {"salts", "{\"salts\": [\"0x1\"]}", ": no such design"},
        {"probe-agreement", "{\"design\": \"nori\"}", "no reading ''"},
        {"lane-range", "{\"design\": \"nori\", \"bits_per_key\": 8}",
         "lanes of blocks of at most 512 bits"},
        {"tree-fact", "{\"tree\": {\"style\": \"round\"}}", "no style 'round'"},
        {"tree-fact", "{\"report\": \"height\", \"tree\": {}}", "no fact 'height' of a tree"},
        {"time-ratio", "{\"pieces\": []}", "1 to 8 pieces are measured together"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        closed_by(fb_bench_close) struct fb_bench bench = {0};
        struct fb_finding found;
        json_auto_t *args = json_loads(rows[i].args, 0, NULL);
        assert_non_null(args);
        assert_int_not_equal(fb_procedure_run(rows[i].procedure, &bench, args, &found), FB_OK);
        if (rows[i].why)
            assert_string_equal(bench.why, rows[i].why);
        assert_true(bench.why[0]);
    }
}

/* Without a design and other arguments none of them may do worse than fail. */
TEST(procedures_without_arguments_only_fail)
{
    json_auto_t *none = json_object();
    for (const struct fb_procedure *p = fb_procedures; p->name; p++) {
        closed_by(fb_bench_close) struct fb_bench bench = {.effort = FB_QUICK};
        struct fb_finding found;
        if (fb_procedure_run(p->name, &bench, none, &found) && !bench.why[0])
            fail_msg("%s fails without a reason", p->name);
    }
}

TEST(only_these_wait)
{
    for (size_t i = 0; i < ledger.n; i++)
        if (ledger.claims[i].needs)
            fail_msg("%s", ledger.claims[i].id);
    size_t waiting = 0;
    for (size_t i = 0; i < beyond.n; i++) {
        waiting += beyond.claims[i].needs != NULL;
        assert_true((beyond.claims[i].needs != NULL) != (beyond.claims[i].measure != NULL));
    }
    assert_int_equal(waiting, 21);
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

TEST(every_table_cell_comes_out_to_the_printed_digit)
{
    size_t cells = 0;
    for (size_t i = 0; i < ledger.n; i++) {
        const struct fb_claim *claim = &ledger.claims[i];
        struct fb_bench bench = {0};
        struct fb_finding found;
        const char *printed =
            json_string_value(json_object_get(json_object_get(claim->row, "claimed"), "printed"));
        if (!printed || !claim->procedure || strncmp(claim->procedure, "bits-", 5) != 0)
            continue;
        assert_int_equal(fb_procedure_run(claim->procedure, &bench, claim->measure, &found), FB_OK);
        assert_printed(claim->id, printed, found.theory[0]);
        assert_printed(claim->id, printed, found.measured[0]);
        cells++;
    }
    assert_int_equal(cells, 142);
}

/* A row's time says how many processes it took, by which clock, and that they were too few. */
TEST(times_say_what_they_rest_on)
{
    const struct fb_claim *claim = fb_ledger_find(&ledger, "nori.hash.ratio_fnv");
    for (size_t processes = 15; processes <= 16; processes++) {
        struct fb_judged judged = {.claim = claim, .n_findings = 1};
        struct fb_finding *found = &judged.finding[0];
        *found = (struct fb_finding){.tolerance = NAN, .p = NAN};
        fb_find_time(found, 2, (struct fb_interval){1.5, 2.5}, 0.99);
        found->processes = processes;
        found->cpu_clock = processes == 16;
        assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
        json_auto_t *row = fb_judged_json(&judged);
        assert_int_equal(json_is_true(json_object_get(row, "independent")), processes < 16);
        assert_int_equal(json_integer_value(json_object_get(row, "processes")), processes);
        assert_string_equal(fb_json_str(row, "clock"), processes < 16 ? "wall" : "thread_cpu");
    }
}

/* Each number of a row, and what its effort left out. */
TEST(numbers_keep_their_intervals)
{
    struct fb_judged judged = {.claim = fb_ledger_find(&ledger, "course.code.k_clamp"),
                               .n_findings = 1};
    struct fb_finding *found = &judged.finding[0];
    *found = (struct fb_finding){.tolerance = NAN,
                                 .p = 0.5,
                                 .deciding = INFINITY,
                                 .deciding_effort = FB_EFFORTS,
                                 .probes = 300,
                                 .probes_missing = 700};
    fb_find_interval(found, 4, 4.25, 4, 4.5);
    fb_find_interval(found, 1, 1.25, 1.125, 1.375);
    assert_int_equal(found->n, judged.claim->claimed.n);
    assert_int_equal(fb_claims_draw(&judged, 1), FB_OK);
    json_t *row = fb_judged_json(&judged);
    json_auto_t *interval = quoted("{'low': [4.0, 1.125], 'high': [4.5, 1.375]}"),
                *fewer = quoted("{'probes_asked': 1000}"),
                *never = quoted("{'probes': null, 'effort': null}"),
                *soon = quoted("{'probes': 45000000.0, 'effort': 'default'}");
    assert_true(json_equal(json_object_get(row, "interval"), interval));
    assert_true(json_equal(json_object_get(row, "fewer"), fewer));
    assert_true(json_equal(json_object_get(row, "deciding"), never));
    json_decref(row);
    found->deciding = 4.5e7;
    found->deciding_effort = FB_DEFAULT;
    row = fb_judged_json(&judged);
    assert_true(json_equal(json_object_get(row, "deciding"), soon));
    json_decref(row);
}

TESTS(load, unload)

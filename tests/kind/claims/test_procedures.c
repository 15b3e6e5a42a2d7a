/* Known findings of the procedures that count, each of a small row of its own. */
#include "tests/unit.h"

#include "harness/check/parts.h"
#include "harness/kind/claims/claims.h"

static const struct row {
    const char *procedure;
    uint64_t answer;  /* its findings, folded: predicted, quick; of cells, full as well */
    const char *args; /* JSON with ' in place of " */
} rows[] = {
#define FINDING(procedure, answer, args) {procedure, UINT64_C(answer), args},
#include "tests/kind/claims/procedures.def"
#undef FINDING
};

enum { N_ROWS = sizeof rows / sizeof *rows };

static json_t *args_of(const struct row *row)
{
    char text[600];
    snprintf(text, sizeof text, "%s", row->args);
    for (char *p = text; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return json_loads(text, 0, NULL);
}

static void answer_finding(const struct fb_finding *found, struct fb_answers *a)
{
    for (size_t i = 0; i < found->n; i++) {
        fb_answer_real(a, found->theory[i]);
        fb_answer_real(a, found->measured[i]);
        fb_answer_real(a, found->low[i]);
        fb_answer_real(a, found->high[i]);
    }
    fb_answer_real(a, found->tolerance);
    fb_answer_real(a, found->p);
    fb_answer_word(a, found->events);
    fb_answer_word(a, found->probes);
    fb_answer_word(a, found->false_negatives);
}

static void ask(const struct row *row, struct fb_answers *a)
{
    struct fb_bench bench = {.effort = FB_QUICK, .threads = 1, .root = 7};
    json_t *args = args_of(row);
    for (int i = 0; i < 2; i++) {
        struct fb_finding found;
        bench.phase = i ? FB_MEASURE : FB_PREDICT;
        if (!fb_answer_ok(a, fb_procedure_run(row->procedure, &bench, args, &found), bench.why))
            break;
        answer_finding(&found, a);
    }
    json_decref(args);
    fb_bench_close(&bench);
}

TEST(findings_are_those_known)
{
    size_t n_wrong = 0;
    for (size_t i = 0; i < N_ROWS; i++) {
        struct fb_answers a = {0};
        ask(&rows[i], &a);
        if (a.why[0] || a.fold != rows[i].answer)
            print_error("%s of %.60s: %s, 0x%016llx\n", rows[i].procedure, rows[i].args,
                        a.why[0] ? a.why : "another finding", (unsigned long long)a.fold);
        n_wrong += a.why[0] || a.fold != rows[i].answer;
    }
    assert_int_equal(n_wrong, 0);
}

TESTS(NULL, NULL)

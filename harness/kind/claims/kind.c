/* Kind "claims" of experiments. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/screen.h"
#include "harness/check/check.h"
#include "harness/kind/claims/own.h"

static void prepare(json_t *given, const struct fb_run_options *o)
{
    if (o->quick || o->full)
        json_object_set_new(given, "effort", json_string(o->quick ? "quick" : "full"));
}

static const json_t *open(void *self, const json_t *given, struct fb_problem *problem)
{
    struct fb_claims *e = self;
    return fb_claims_resolve(given, e, problem) ? e->document : NULL;
}

static json_t *plan(const void *self)
{
    const struct fb_claims *e = self;
    json_t *rows = json_array();
    for (size_t i = 0; i < e->n; i++) {
        const struct fb_claim *claim = e->judged[i].claim;
        const char *how = claim->own ? fb_json_str(claim->measure, "take") : claim->procedure;
        json_array_append_new(rows,
                              json_pack("{s:s, s:s?, s:f, s:s?}", "id", claim->id, "procedure", how,
                                        "work", e->judged[i].seconds, "why_not",
                                        how            ? NULL
                                        : claim->needs ? claim->needs
                                                       : claim->cite));
    }
    return rows;
}

static enum fb_exit run(void *self, const struct fb_run_options *o, struct fb_work *work,
                        json_t *document)
{
    struct fb_claims *e = self;
    enum fb_exit kept;
    struct fb_bench bench = {.effort = e->effort, .threads = (unsigned)o->threads, .root = e->seed};
    struct fb_progress progress;
    json_t *cells = json_object_get(document, "cells");
    enum fb_exit code = fb_self_check_or_refuse();
    if (code) {
        json_object_del(document, "cells"); /* nothing is worth keeping */
        return code;
    }
    json_auto_t *rows = json_array(), *times = json_array();
    for (size_t i = 0; i < e->n; i++) {
        e->judged[i].row = json_pack("{s:s}", "id", e->judged[i].claim->id);
        json_array_append_new(rows, e->judged[i].row);
    }
    fb_progress_start(&progress, o->name, 0);
    enum fb_err err = fb_claims_measure(&bench, e->judged, e->n, times, work, &progress, &kept);
    if (!err && !fb_interrupted())
        code = fb_own_run(e, o, work, document, &progress);
    fb_progress_end(&progress);
    for (size_t i = 0; i < e->n; i++) {
        const bool unmeasured = !fb_interrupted() && !e->judged[i].claim->measure &&
                                fb_claims_has(work->shard, e->judged, i, e->n);
        if (e->judged[i].n_findings || unmeasured)
            json_array_append(cells, e->judged[i].row);
    }
    if (json_array_size(times))
        json_object_set(document, "times", times);
    e->measured = true;
    if (fb_interrupted() && !json_array_size(cells))
        json_object_del(document, "cells"); /* nothing is worth keeping */
    if (fb_interrupted())
        code = FB_EXIT_INTERRUPTED;
    else if (err && kept)
        code = kept;
    else if (err)
        code = fb_fail(o->name, err, bench.why[0] ? bench.why : NULL);
    fb_bench_close(&bench);
    return code;
}

/* ---- Of a document ---- */

static json_t *ids(void *self, const json_t *document, struct fb_problem *problem)
{
    const struct fb_claims *e = self;
    json_t *ids = json_object();
    (void)document, (void)problem;
    for (size_t i = 0; i < e->n; i++)
        json_object_set_new(ids, e->judged[i].claim->id, json_true());
    return ids;
}

static const char *contradiction(void *self, size_t number, const json_t *cell)
{
    const struct fb_claims *e = self;
    (void)number;
    if (json_object_get(cell, "repeat") && e->effort != FB_FULL)
        return "repeat: only the effort \"full\" has a second root";
    return NULL;
}

/* The rows of a document, [*n], to be freed. NULL with *problem set. */
static struct fb_judged *rows_of(const struct fb_ledger *ledger, const json_t *document, size_t *n,
                                 struct fb_problem *problem)
{
    const json_t *cells = json_object_get(document, "cells");
    struct fb_judged *judged = calloc(json_array_size(cells) + 1, sizeof *judged);
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    *n = judged ? json_array_size(cells) : 0;
    for (size_t i = 0; i < *n; i++) {
        judged[i].row = json_array_get(cells, i);
        judged[i].claim = fb_ledger_find(ledger, fb_json_str(judged[i].row, "id"));
        if (!judged[i].claim) {
            fb_refuse(problem, "%.100s: the ledger has no such claim",
                      fb_json_str(judged[i].row, "id"));
            free(judged);
            return NULL;
        }
    }
    return judged;
}

/* What was found here, in the order of the rows. */
static void find_here(const struct fb_claims *e, struct fb_judged *judged, size_t n)
{
    const struct fb_judged *here = e->judged;
    for (size_t i = 0; i < n; i++, here++) {
        while (here->claim != judged[i].claim)
            here++;
        json_t *row = judged[i].row;
        judged[i] = *here;
        judged[i].row = row;
    }
}

/* What the facts of a document give, and its times. */
static bool find_again(const struct fb_claims *e, json_t *document, struct fb_judged *judged,
                       size_t n, struct fb_problem *problem)
{
    struct fb_bench bench = {.effort = e->effort,
                             .phase = FB_DERIVE,
                             .root = e->seed,
                             .samples = json_object_get(document, "times")};
    struct fb_progress silent = {0};
    enum fb_exit kept;
    const bool complete = json_is_true(fb_json_at(document, "run.complete"));
    for (size_t i = 0; i < n; i++)
        if (complete && judged[i].claim->procedure && e->effort == FB_FULL &&
            !json_object_get(judged[i].row, "repeat"))
            return fb_refuse(problem, "%s: repeat: it is missing", judged[i].claim->id);
    json_auto_t *times = json_array();
    enum fb_err err = fb_claims_measure(&bench, judged, n, times, NULL, &silent, &kept);
    if (err)
        fb_refuse(problem, "%s", bench.why[0] ? bench.why : fb_err_text(err));
    fb_bench_close(&bench);
    if (bench.samples)
        json_object_set(document, "times", times);
    return !err;
}

static bool derive(void *self, json_t *document, struct fb_problem *problem)
{
    const struct fb_claims *e = self;
    size_t n;
    struct fb_judged *judged = rows_of(&e->ledger, document, &n, problem);
    bool found = judged;
    if (found && e->measured)
        find_here(e, judged, n);
    else if (found)
        found = find_again(e, document, judged, n, problem);
    found = found && fb_own_find(document, &e->ledger, judged, n, problem);
    if (found && fb_claims_draw(judged, n))
        found = fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    for (size_t i = 0; found && i < n; i++)
        json_array_set_new(json_object_get(document, "cells"), i, fb_judged_json(&judged[i]));
    free(judged);
    return found;
}

static void warn(json_t *document)
{
    if (!strcmp(fb_json_str(document, "experiment.effort"), "quick"))
        fb_result_warn(document, "quick", NULL, "--quick: a smoke test, not for publication");
}

/* ---- Exact facts ---- */

/* Nine digits of a number, or of each of a list: what the last bits of libraries cannot change. */
static json_t *rounded(const json_t *value)
{
    char text[40];
    if (json_is_array(value)) {
        json_t *list = json_array();
        FB_EACH(each, value)
            json_array_append_new(list, rounded(each));
        return list;
    }
    if (!json_is_real(value))
        return json_incref((json_t *)value);
    snprintf(text, sizeof text, "%.9g", json_real_value(value));
    return json_real(strtod(text, NULL));
}

/* What was found, once. */
static json_t *exact_finding(const json_t *row)
{
    static const char *const members[] = {"events", "probes", "false_negatives", NULL};
    static const char *const numbers[] = {"theory", "measured", NULL};
    json_t *exact = fb_json_members(row, members);
    for (const char *const *name = numbers; *name; name++)
        if (json_object_get(row, *name))
            json_object_set_new(exact, *name, rounded(json_object_get(row, *name)));
    return exact;
}

/* Of a claim about times only what was printed: the rest is this machine's. */
static json_t *exact(const json_t *claim)
{
    static const char *const printed[] = {"id",       "claimed", "printed",   "claimed_text",
                                          "relation", "unit",    "tolerance", NULL};
    static const char *const verdicts[] = {"model", "verdict", NULL};
    const json_t *repeat = json_object_get(claim, "repeat");
    /* A number of an experiment may have no model and be exact. */
    const bool counted =
        json_object_get(claim, "take") && strncmp(fb_json_str(claim, "kind"), "time-", 5) != 0;
    const bool timed =
        !counted && !strcmp(fb_json_str(claim, "model"), fb_model_texts[FB_MODEL_NONE]);
    json_t *exact = fb_json_members(claim, printed);
    if (timed)
        return exact;
    json_object_update_new(exact, exact_finding(claim));
    json_object_update_new(exact, fb_json_members(claim, verdicts));
    if (repeat)
        json_object_set_new(exact, "repeat", exact_finding(repeat));
    return exact;
}

/* Documents of version 1 have no experiment: the root and what each claim was asked (its probes)
 * then say whether two are comparable. */
static void exact_beside(const json_t *document, json_t *counts)
{
    json_object_set(counts, "seed_root", (json_t *)fb_json_at(document, "run.seed_root"));
    json_object_del(counts, "key_file");
}

/* ---- The table ---- */

/* The ledger that the document was made of. */
static bool open_ledger_of(const json_t *document, struct fb_ledger *ledger,
                           struct fb_problem *problem)
{
    json_t *own = json_object_get(json_object_get(document, "experiment"), "ledger");
    const char *name = json_string_value(own);
    return json_is_object(own) ? fb_own_open(own, ledger, problem)
                               : fb_ledger_open(name ? name : fb_ledger_names[0], ledger, problem);
}

static void table(FILE *file, const json_t *document, enum fb_table_style style)
{
    const char *root = fb_json_str(document, "run.seed_root");
    struct fb_ledger ledger = {0};
    struct fb_problem problem = {""};
    struct fb_judged *judged = NULL;
    size_t n;
    if (open_ledger_of(document, &ledger, &problem))
        judged = rows_of(&ledger, document, &n, &problem);
    if (judged) {
        fb_say_aside(file, 0, "root seed %s\n", root + (strncmp(root, "0x", 2) ? 0 : 2));
        fputc('\n', file);
        fb_claims_print(file, judged, n, &ledger, style);
    } else {
        fb_note("no table: %s", problem.text);
    }
    fb_result_say_tuning(file, document);
    fb_result_notes(file, document);
    free(judged);
    fb_ledger_close(&ledger);
}

static const char *whole(const void *self)
{
    (void)self;
    return "a row is judged by one run; rows of times are measured together, by one of the shards";
}

static const char *refused(const void *self)
{
    const struct fb_claims *e = self;
    return e->ledger.own ? "a ledger of your own is judged by one run" : NULL;
}

static const char *const beside[] = {"times", "timing", "results", NULL};
static const struct fb_sharing sharing = {.refused = refused, .whole = whole, .beside = beside};

static const char *const options[] = {"quick", "full", "threads", NULL};
static const char *const plan_columns[] = {"id", "?procedure", "why_not", NULL};

const struct fb_kind fb_kind_claims = {
    .name = "claims",
    .summary = "claims of source documents, judged by theory and measurement",
    .unit = "claims",
    .fields = fb_claims_fields,
    .options = options,
    .prepare = prepare,
    .self_bytes = sizeof(struct fb_claims),
    .open = open,
    .close = fb_claims_close,
    .plan = plan,
    .plan_columns = plan_columns,
    .run = run,
    .ids = ids,
    .contradiction = contradiction,
    .warn = warn,
    .derive = derive,
    .exact = exact,
    .exact_beside = exact_beside,
    .card = fb_claims_card,
    .table = table,
    .figures = fb_claims_figures,
    .sharing = &sharing,
};

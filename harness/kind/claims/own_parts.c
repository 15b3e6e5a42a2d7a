/* The results that rows rest on: made, kept in the document, and read again. */
#include <stdio.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/document/run.h"
#include "harness/kind/claims/own.h"

/* Each experiment that is asked for, in the order of the rows: the row's own, and that of "over".
 */
static const json_t *side_of(const struct fb_claim *claim, int side)
{
    return fb_json_at(claim->measure, side ? "over.experiment" : "experiment");
}

/* The name of the part that has this experiment: that of the first row that asks for it. */
static void name_part(const struct fb_ledger *ledger, const json_t *experiment, char name[100])
{
    for (size_t i = 0; i < ledger->n; i++)
        for (int side = 0; side < 2; side++)
            if (json_equal(side_of(&ledger->claims[i], side), experiment)) {
                snprintf(name, 100, "%s%s", ledger->claims[i].id, side ? "/over" : "");
                return;
            }
}

/* The part of that side of a row; NULL: it is not there, or the row has no such side. */
static const json_t *part_of(const json_t *document, const struct fb_ledger *ledger,
                             const struct fb_claim *claim, int side)
{
    char name[100] = "";
    const json_t *experiment = side_of(claim, side);
    if (experiment)
        name_part(ledger, experiment, name);
    return json_object_get(json_object_get(document, "results"), name);
}

static bool find_row(const json_t *document, const struct fb_ledger *ledger,
                     struct fb_judged *judged, struct fb_problem *problem)
{
    const struct fb_claim *claim = judged->claim;
    struct fb_problem why;
    for (int side = 0; side < 2; side++) {
        const json_t *part = part_of(document, ledger, claim, side);
        struct fb_opened e = {0};
        char hash[33] = "";
        if (part && fb_kind_open(side_of(claim, side), &e, &why))
            snprintf(hash, sizeof hash, "%s", e.hash_hex);
        fb_kind_close(&e);
        if (part && strcmp(hash, fb_json_str(part, "experiment_hash")) != 0)
            return fb_refuse(problem, "%s: its part is of another experiment", claim->id);
    }
    if (!fb_take(claim->measure, part_of(document, ledger, claim, 0),
                 part_of(document, ledger, claim, 1), &judged->finding[0], &why))
        return fb_refuse(problem, "%s: measure.%s", claim->id, why.text);
    judged->n_findings = 1;
    return true;
}

static bool has_parts(const json_t *document, const struct fb_ledger *ledger,
                      const struct fb_claim *claim)
{
    return part_of(document, ledger, claim, 0) &&
           (!side_of(claim, 1) || part_of(document, ledger, claim, 1));
}

bool fb_own_find(const json_t *document, const struct fb_ledger *ledger, struct fb_judged *judged,
                 size_t n, struct fb_problem *problem)
{
    for (size_t i = 0; i < n; i++) {
        if (!judged[i].claim->own)
            continue;
        if (!has_parts(document, ledger, judged[i].claim))
            return fb_refuse(problem, "%s: the part that it rests on is missing",
                             judged[i].claim->id);
        if (!find_row(document, ledger, &judged[i], problem))
            return false;
    }
    return true;
}

static enum fb_exit run_part(const struct fb_run_options *o, struct fb_work *work, json_t *parts,
                             const char *name, const json_t *experiment)
{
    json_t *known = json_deep_copy(fb_journal_find(work->journal, name)), *made = NULL;
    const struct fb_run_options options = {
        .name = name, .threads = o->threads, .argc = o->argc, .argv = o->argv};
    if (known) {
        json_object_set_new(parts, name, known);
        return FB_EXIT_OK;
    }
    enum fb_exit code = fb_run_part(&options, experiment, &made);
    if (!code) {
        json_object_set(parts, name, made);
        code = fb_journal_add(work->journal, name, made);
    }
    json_decref(made);
    return code;
}

enum fb_exit fb_own_run(struct fb_claims *e, const struct fb_run_options *o, struct fb_work *work,
                        json_t *document, struct fb_progress *progress)
{
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_OK;
    for (size_t i = 0; i < e->n && !code; i++) {
        struct fb_judged *row = &e->judged[i];
        if (!row->claim->own || !fb_claims_has(work->shard, e->judged, i, e->n))
            continue;
        json_t *parts = json_object_get(document, "results");
        if (!parts)
            json_object_set_new(document, "results", parts = json_object());
        for (int side = 0; side < 2 && !code; side++) {
            const json_t *experiment = side_of(row->claim, side);
            char name[100] = "";
            if (experiment)
                name_part(&e->ledger, experiment, name);
            if (experiment && !json_object_get(parts, name))
                code = run_part(o, work, parts, name, experiment);
        }
        /* A row that takes what is not there is told of at once. */
        if (!code && !find_row(document, &e->ledger, row, &problem)) {
            fb_error("%s: %s", o->name, problem.text);
            code = FB_EXIT_USAGE;
        }
        fb_progress_add(progress, (uint64_t)(1000 * row->seconds), row->claim->id);
    }
    return code;
}

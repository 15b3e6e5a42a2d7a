/* Ledgers of the user's own, and rows that take a number: reading. */
#include "harness/kind/claims/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/document/kind.h"
#include "harness/document/members.h"

/* ---- Reading ---- */

/* An experiment with every field, by the kind that it names. */
static json_t *resolve_experiment(const json_t *given, struct fb_problem *problem)
{
    struct fb_opened e = {0};
    json_t *resolved = NULL;
    if (fb_kind_open(given, &e, problem)) {
        if (!strcmp(e.kind->name, "claims") || !strcmp(e.kind->name, "advise"))
            fb_refuse(problem,
                      "kind: %s is not measured as a part of a ledger; give fpr, kernels, "
                      "lsm or another",
                      e.kind->name);
        else
            resolved = json_deep_copy(e.resolved);
    }
    fb_kind_close(&e);
    return resolved;
}

/* Value and relation, written out, and of ratios of times the limits. */
static const char *complete_claimed(json_t *claimed, bool timed, struct fb_claimed *out)
{
    const char *printed = fb_json_str(claimed, "printed");
    double value, half;
    if (!json_object_get(claimed, "value")) {
        if (!fb_printed_number(printed, &value, &half))
            return "printed: it is no number; write digits, and the words into text";
        json_object_set_new(claimed, "value", json_real(value));
    }
    if (!json_object_get(claimed, "relation"))
        json_object_set_new(claimed, "relation", json_string(fb_relation_texts[FB_EQUAL]));
    json_t *tolerance = json_object_get(claimed, "tolerance");
    const bool given = json_object_get(tolerance, "half") || json_object_get(tolerance, "low");
    if (given &&
        !json_object_get(tolerance, "whose")) /* the row's own limits are no printed ones */
        json_object_set_new(tolerance, "whose", json_string(fb_whose_texts[FB_OURS]));
    if (timed && !json_object_get(claimed, "tolerance") &&
        !strcmp(fb_json_str(claimed, "relation"), fb_relation_texts[FB_EQUAL]))
        json_object_set_new(claimed, "tolerance", json_pack("{s:b}", "times", 1));
    return fb_claimed_read(claimed, out);
}

/* Members that are taken, and that cells are chosen by. */
static bool check_side(const char *lead, const json_t *side, const char *kind, const char *take,
                       struct fb_problem *problem)
{
    const json_t *scale = json_object_get(side, "scale");
    if (!strcmp(lead, "measure.over.") && !json_object_get(side, "take") &&
        !json_object_get(side, "where") && !json_object_get(side, "experiment"))
        return fb_refuse(problem,
                         "measure.over: say another member (take), another cell (where) or "
                         "another experiment");
    if (scale && json_number_value(scale) == 0)
        return fb_refuse(problem, "measure.scale: 0 makes every number 0; give another");
    if (!fb_take_exists(kind, take))
        return fb_refuse(problem,
                         "%stake: cells of kind %s have no number '%.60s' ('filterbench list "
                         "members' names what they have)",
                         lead, kind, take);
    FB_EACH_MEMBER(path, value, json_object_get(side, "where")) {
        char inner[160];
        snprintf(inner, sizeof inner, "cells.%.140s", path);
        if (!fb_member_at(kind, inner))
            return fb_refuse(problem, "%swhere: cells of kind %s have no member '%.60s'", lead,
                             kind, path);
        if (json_is_object(value) || json_is_array(value))
            return fb_refuse(problem, "%swhere.%.60s: give a text, a number, true or null", lead,
                             path);
    }
    return true;
}

static bool complete_measure(json_t *measure, const json_t *seed, struct fb_problem *problem)
{
    static const char *const paths[] = {"experiment", "over.experiment"};
    json_t *holders[] = {measure, json_object_get(measure, "over")};
    struct fb_problem why;
    for (size_t i = 0; i < 2; i++) {
        json_t *given = json_object_get(holders[i], "experiment");
        if (given && !json_object_get(given, "seed"))
            json_object_set(given, "seed", (json_t *)seed);
        json_t *resolved = given ? resolve_experiment(given, &why) : NULL;
        if (given && !resolved)
            return fb_refuse(problem, "measure.%s: %s", paths[i], why.text);
        if (resolved)
            json_object_set_new(holders[i], "experiment", resolved);
    }
    const char *kind = fb_json_str(measure, "experiment.kind"),
               *other = fb_json_str(measure, "over.experiment.kind"),
               *take = fb_json_str(measure, "take"), *below = fb_json_str(measure, "over.take");
    return check_side("measure.", measure, kind, take, problem) &&
           (!holders[1] || check_side("measure.over.", holders[1], *other ? other : kind,
                                      *below ? below : take, problem));
}

/* ---- The ledger ---- */

static bool read_row(json_t *claims, size_t i, enum fb_effort effort, const json_t *seed,
                     struct fb_problem *problem)
{
    json_t *row = json_array_get(claims, i);
    struct fb_claimed claimed;
    const char *wrong = fb_record_wrong("own_claim", row);
    if (wrong)
        return fb_refuse(problem, "%s", wrong);
    for (size_t j = 0; j < i; j++)
        if (!strcmp(fb_json_str(json_array_get(claims, j), "id"), fb_json_str(row, "id")))
            return fb_refuse(problem, "id: claims[%zu] has it too; give another", j);
    const json_t *measure = json_object_get(row, "measure");
    wrong = complete_claimed(
        json_object_get(row, "claimed"),
        fb_take_nature(fb_json_str(measure, "experiment.kind"), measure) == FB_TIMED, &claimed);
    if (wrong)
        return fb_refuse(problem, "claimed: %s", wrong);
    fb_own_plan(json_object_get(row, "measure"), &claimed, effort);
    return complete_measure(json_object_get(row, "measure"), seed, problem);
}

json_t *fb_own_resolve(const json_t *given, enum fb_effort effort, const json_t *seed,
                       struct fb_problem *problem)
{
    const char *wrong = fb_record_wrong("own_ledger", given);
    json_t *ledger = json_deep_copy(given), *claims = json_object_get(ledger, "claims");
    const bool of_row = wrong && !strncmp(wrong, "claims[", 7);
    bool read = !wrong   ? ledger != NULL
                : of_row ? fb_refuse(problem, "%s", wrong)
                         : fb_refuse(problem,
                                     "%s; give a list of rows, as 'reproduce --new-ledger FILE' "
                                     "writes one",
                                     wrong);
    for (size_t i = 0; read && i < json_array_size(claims); i++) {
        struct fb_problem why;
        read = read_row(claims, i, effort, seed, &why) ||
               fb_refuse(problem, "claims[%zu] (%.60s): %s", i,
                         fb_json_str(json_array_get(claims, i), "id"), why.text);
    }
    json_auto_t *measures = json_array();
    for (size_t i = 0; read && i < json_array_size(claims); i++)
        json_array_append(measures, json_object_get(json_array_get(claims, i), "measure"));
    fb_own_share(measures);
    if (!read)
        json_decref(ledger);
    return read ? ledger : NULL;
}

/* What our ledgers say of the work is that of the default effort. */
static void change_work(json_t *experiment, enum fb_effort effort)
{
    static const int times[] = {[FB_QUICK] = 0, [FB_DEFAULT] = 1, [FB_FULL] = 10};
    enum { SHARE = 5 };
    const json_int_t queries = json_integer_value(json_object_get(experiment, "queries"));
    if (queries)
        json_object_set_new(
            experiment, "queries",
            json_integer(times[effort] ? times[effort] * queries : queries / SHARE));
}

bool fb_own_complete(struct fb_claims *e, struct fb_problem *problem)
{
    const json_t *seed = json_object_get(e->document, "seed");
    struct fb_problem why;
    size_t next = 0;
    e->measures = json_array();
    for (size_t i = 0; i < e->n && !e->ledger.own; i++) {
        struct fb_claim *claim = &e->ledger.claims[e->judged[i].claim - e->ledger.claims];
        if (!claim->own)
            continue;
        json_t *measure = json_deep_copy(claim->measure);
        json_array_append_new(e->measures, measure);
        change_work(json_object_get(measure, "experiment"), e->effort);
        change_work((json_t *)fb_json_at(measure, "over.experiment"), e->effort);
        fb_own_plan(measure, &claim->claimed, e->effort);
        claim->measure = measure;
    }
    fb_own_share(e->measures);
    for (size_t i = 0; i < e->n && !e->ledger.own; i++)
        if (e->judged[i].claim->own &&
            !complete_measure(json_array_get(e->measures, next++), seed, &why))
            return fb_refuse(problem, "%s: %s", e->judged[i].claim->id, why.text);
    return e->measures || fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
}

/* What sort of claim a row is (record claim). */
static const char *sort_of(const json_t *measure, enum fb_nature nature)
{
    const char *kind = fb_json_str(measure, "experiment.kind");
    return nature == FB_MACHINE_ONLY ? "time-absolute"
           : nature == FB_TIMED      ? "time-ratio"
           : !strcmp(kind, "lsm")    ? "cost-model"
           : strstr(fb_json_str(measure, "take"), "bits") ||
                   strstr(fb_json_str(measure, "take"), "bytes")
               ? "size"
               : "fpr";
}

bool fb_own_open(json_t *resolved, struct fb_ledger *out, struct fb_problem *problem)
{
    const json_t *claims = json_object_get(resolved, "claims");
    const char *title = fb_json_str(resolved, "title"), *source = fb_json_str(resolved, "source");
    *out = (struct fb_ledger){.name = "own", .own = true, .documents = json_array()};
    out->claims = calloc(json_array_size(claims) + 1, sizeof *out->claims);
    if (!out->claims)
        return fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    json_array_append_new(out->documents,
                          json_pack("{s:s, s:o}", "document", "own", "title",
                                    json_sprintf("%s%s%s", *title ? title : "a ledger of your own",
                                                 *source ? ", " : "", source)));
    for (; out->n < json_array_size(claims); out->n++) {
        const json_t *row = json_array_get(claims, out->n), *measure;
        struct fb_claim *claim = &out->claims[out->n];
        const char *note = fb_json_str(row, "note");
        *claim = (struct fb_claim){.id = fb_json_str(row, "id"),
                                   .document = "own",
                                   .section = fb_json_str(row, "section"),
                                   .claim = fb_json_str(row, "claim"),
                                   .note = *note ? note : NULL,
                                   .measure = measure = json_object_get(row, "measure"),
                                   .row = row,
                                   .own = true};
        claim->nature = fb_take_nature(fb_json_str(measure, "experiment.kind"), measure);
        claim->kind = sort_of(measure, claim->nature);
        const char *wrong = fb_claimed_read(json_object_get(row, "claimed"), &claim->claimed);
        if (wrong)
            return fb_refuse(problem, "%s: %s", claim->id, wrong);
    }
    return true;
}

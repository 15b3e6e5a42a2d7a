#include "harness/document/compare.h"

#include <math.h>
#include <stdlib.h>

#include "harness/base/message.h"
#include "harness/document/kind.h"

/* ---- Facts ---- */

static json_t *counts_of_run(const json_t *document)
{
    static const char *const members[] = {"kind", "experiment_hash", "key_file", "skipped", NULL};
    const struct fb_kind *kind = fb_kind_find(fb_json_str(document, "kind"));
    const json_t *experiment = json_object_get(document, "experiment");
    json_t *shallow = fb_json_members(document, members), *cells = json_array();
    if (experiment)
        json_object_set_new(shallow, "experiment", fb_experiment_measured(experiment));
    FB_EACH(cell, json_object_get(document, "cells")) {
        if (kind)
            json_array_append_new(cells, kind->exact(cell));
    }
    json_object_set_new(shallow, "cells", cells);
    if (kind && kind->exact_beside)
        kind->exact_beside(document, shallow);
    json_t *counts = json_deep_copy(shallow); /* the document stays as it is */
    json_decref(shallow);
    json_object_del(json_object_get(counts, "key_file"), "name");
    fb_json_drop_reasons(counts);
    return counts;
}

/* The cells of runs that stand side by side, and what they skipped, each once, in the order of the
 * experiment. */
static void gather_rows(const json_t *runs, json_t *counts)
{
    static const char *const lists[] = {"cells", "skipped"};
    struct fb_opened e;
    struct fb_problem problem;
    json_auto_t *all = json_array(), *ids = NULL;
    FB_EACH(run, runs)
        json_array_append_new(all, counts_of_run(run));
    json_auto_t *whole =
        json_deep_copy(json_array_get(runs, 0)); /* no shard: all cells have a place */
    json_object_del(json_object_get(whole, "run"), "shard");
    if (fb_kind_open(json_object_get(whole, "experiment"), &e, &problem))
        ids = e.kind->ids(e.self, whole, &problem);
    fb_kind_close(&e);
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        json_t *by_id = fb_result_rows(all, lists[l]), *rows = json_array();
        FB_EACH_MEMBER(id, value, ids)
            json_array_append(rows, json_object_get(by_id, id));
        json_object_set_new(counts, lists[l], rows);
        json_decref(by_id);
    }
}

json_t *fb_counts(const json_t *document)
{
    if (!fb_is_side_by_side(document))
        return counts_of_run(document);
    json_auto_t *runs = fb_documents_within(document);
    json_t *counts = counts_of_run(json_array_get(runs, 0));
    gather_rows(runs, counts);
    return counts;
}

/* ---- Facts as text ---- */

static bool is_counts(const json_t *value)
{
    FB_EACH(each, value) {
        if (!json_is_integer(each))
            return false;
    }
    return json_array_size(value) > 0;
}

void fb_fact_text(const json_t *value, char *out, size_t size)
{
    if (!value) {
        snprintf(out, size, "nothing");
    } else if (json_is_string(value)) {
        snprintf(out, size, "%s", json_string_value(value));
    } else if (is_counts(value)) {
        uint64_t sum = 0;
        for (size_t i = 0; i < json_array_size(value); i++)
            sum += (uint64_t)json_integer_value(json_array_get(value, i));
        snprintf(out, size, "%llu in %zu filters", (unsigned long long)sum, json_array_size(value));
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
        snprintf(out, size, "%s", text ? text : "?");
        free(text);
    }
}

/* ---- The same experiment? ---- */

static bool refuse(struct fb_problem *why, const char *what, const json_t *base, const json_t *head)
{
    char ours[120], theirs[120];
    fb_fact_text(base, ours, sizeof ours);
    fb_fact_text(head, theirs, sizeof theirs);
    return fb_refuse(why, "%.80s is %s in BASE and %s in HEAD", what, ours, theirs);
}

static bool same_member(struct fb_problem *why, const json_t *base, const json_t *head,
                        const char *name)
{
    const json_t *ours = json_object_get(base, name), *theirs = json_object_get(head, name);
    return json_equal(ours, theirs) || (!ours && !theirs) || refuse(why, name, ours, theirs);
}

bool fb_same_at(const json_t *base, const json_t *head, const char *path, struct fb_problem *why)
{
    const json_t *ours = fb_json_at(base, path), *theirs = fb_json_at(head, path);
    return (ours && json_equal(ours, theirs)) || refuse(why, path, ours, theirs);
}

/* The member that explains why two hashes differ, if the experiments are there. Claims of version 1
 * have none. */
static bool same_experiment(struct fb_problem *why, const json_t *base, const json_t *head)
{
    const json_t *ours = json_object_get(base, "experiment");
    const json_t *theirs = json_object_get(head, "experiment");
    struct fb_problem hashes;
    bool both =
        json_object_get(base, "experiment_hash") && json_object_get(head, "experiment_hash");
    if (!both || same_member(&hashes, base, head, "experiment_hash"))
        return true;
    FB_EACH_MEMBER(name, value, ours) {
        char path[100];
        snprintf(path, sizeof path, "experiment.%s", name);
        if (!json_equal(value, json_object_get(theirs, name)))
            return refuse(why, path, value, json_object_get(theirs, name));
    }
    *why = hashes;
    return false;
}

/* Where the experiment does not say how much is asked (claims), the cells do. */
static bool same_probes(struct fb_problem *why, const json_t *base, const json_t *head)
{
    json_auto_t *others = fb_result_by_id(head);
    bool same = true;
    FB_EACH(ours, json_object_get(base, "cells")) {
        char what[100];
        const char *id = fb_json_str(ours, "id");
        const json_t *a = json_object_get(ours, "probes");
        const json_t *b = json_object_get(json_object_get(others, id), "probes");
        snprintf(what, sizeof what, "probes of %.80s", id);
        if (same && a && b && !json_equal(a, b))
            same = refuse(why, what, a, b);
    }
    return same;
}

bool fb_comparable(const json_t *base, const json_t *head, struct fb_problem *why)
{
    return same_member(why, base, head, "kind") && same_experiment(why, base, head) &&
           same_member(why, base, head, "key_file") && same_member(why, base, head, "seed_root") &&
           same_member(why, base, head, "footprints") && same_probes(why, base, head);
}

/* ---- Differences ---- */

struct comparing {
    json_t *report;
    const json_t *row; /* of BASE */
    const char *id;    /* of the row */
};

static void differ(struct comparing *c, const char *path, const json_t *base, const json_t *head)
{
    json_t *design = json_object_get(c->row, "design");
    json_array_append_new(json_object_get(c->report, "differences"),
                          json_pack("{s:s, s:o, s:s, s:O?, s:O?}", "cell", c->id, "design",
                                    design ? json_incref(design) : json_null(), "fact", path,
                                    "base", base, "head", head));
}

/* Every member of either, deep; arrays are one fact. */
static void walk(struct comparing *c, const char *path, const json_t *base, const json_t *head)
{
    char inner[160];
    if (!json_is_object(base) || !json_is_object(head)) {
        if (!json_equal(base, head))
            differ(c, path, base, head);
        return;
    }
    const char *dot = *path ? "." : "";
    FB_EACH_MEMBER(name, value, base) {
        snprintf(inner, sizeof inner, "%s%s%s", path, dot, name);
        walk(c, inner, value, json_object_get(head, name));
    }
    FB_EACH_MEMBER(name, value, head) {
        snprintf(inner, sizeof inner, "%s%s%s", path, dot, name);
        if (!json_object_get(base, name))
            differ(c, inner, NULL, value);
    }
}

json_t *fb_compare(const json_t *base, const json_t *head)
{
    json_t *report = json_pack("{s:[], s:[], s:[]}", "missing", "new", "differences");
    json_auto_t *ours = fb_result_by_id(base);
    json_auto_t *theirs = fb_result_by_id(head);
    const json_t *differences = json_object_get(report, "differences");
    json_int_t equal = 0, differing = 0;
    FB_EACH_MEMBER(id, row, ours) {
        const json_t *other = json_object_get(theirs, id);
        struct comparing c = {report, row, id};
        size_t before = json_array_size(differences);
        if (!other) {
            json_array_append_new(json_object_get(report, "missing"), json_string(id));
            continue;
        }
        walk(&c, "", row, other);
        *(json_array_size(differences) == before ? &equal : &differing) += 1;
    }
    FB_EACH_MEMBER(id, row, theirs) {
        if (!json_object_get(ours, id))
            json_array_append_new(json_object_get(report, "new"), json_string(id));
    }
    json_object_set_new(report, "equal", json_integer(equal));
    json_object_set_new(report, "differing", json_integer(differing));
    return report;
}

enum fb_exit fb_compare_judge(const char *verb, const json_t *report, const char *unit)
{
    const json_t *first = json_array_get(json_object_get(report, "differences"), 0);
    const json_t *missing = json_object_get(report, "missing");
    json_int_t differing = json_integer_value(json_object_get(report, "differing"));
    if (first) {
        char base[120], head[120];
        fb_fact_text(json_object_get(first, "base"), base, sizeof base);
        fb_fact_text(json_object_get(first, "head"), head, sizeof head);
        fb_error("%s: %lld %s differ, first %s: %s is %s in BASE and %s in HEAD", verb,
                 (long long)differing, unit, fb_json_str(first, "cell"), fb_json_str(first, "fact"),
                 base, head);
        return FB_EXIT_CORRECTNESS;
    }
    if (json_array_size(missing)) {
        fb_error("%s: %zu %s of BASE are missing in HEAD, first %s", verb, json_array_size(missing),
                 unit, json_string_value(json_array_get(missing, 0)));
        return FB_EXIT_CORRECTNESS;
    }
    return FB_EXIT_OK;
}

/* ---- The card ---- */

bool fb_compare_is_equal(const json_t *exact)
{
    return !json_integer_value(json_object_get(exact, "differing")) &&
           !json_array_size(json_object_get(exact, "missing"));
}

static void say_exact(const json_t *exact, const char *unit, const char *base, const char *head,
                      struct fb_card *card)
{
    const unsigned long long equal = fb_json_uint(exact, "equal"),
                             differing = fb_json_uint(exact, "differing");
    const size_t missing = json_array_size(json_object_get(exact, "missing")),
                 fresh = json_array_size(json_object_get(exact, "new"));
    char more[64] = "", n[64];
    card->verdict = differing ? "differ" : missing ? "missing" : "equal";
    if (fresh)
        snprintf(more, sizeof more, "; %.8s has %zu more", head, fresh);
    if (differing)
        fb_card_set(card, FB_CARD_ANSWER, "%s and %s differ in the exact facts of %llu of %s%s.",
                    base, head, differing, fb_card_count(equal + differing, unit, n), more);
    else if (!missing)
        fb_card_set(card, FB_CARD_ANSWER, "%s and %s are equal in the exact facts of %s%s.", base,
                    head, fb_card_count(equal, unit, n), more);
    if (missing)
        fb_card_set(card, differing ? FB_CARD_AMOUNT : FB_CARD_ANSWER,
                    "%s of %s %s missing in %s. Equal: %llu.", fb_card_count(missing, unit, n),
                    base, missing == 1 ? "is" : "are", head, equal);
    fb_card_set(card, FB_CARD_SURE,
                "Exact facts need no statistics: they change with the code alone.");
}

/* The costs that changed most, where they were compared: times as a multiple of a yardstick. */
static void say_costs(const struct fb_costs_comparison *costs, const json_t *report,
                      struct fb_card *card)
{
    const json_t *cells = json_object_get(json_object_get(report, costs->name), "cells"), *row;
    const char *member = costs->judge ? "change" : "relative",
               *what = costs->judge ? "instructions" : "time";
    double ratio = 1;
    size_t i;
    if (json_array_size(cells))
        fb_card_set(card, FB_CARD_AMOUNT, "No %s changed.", what);
    json_array_foreach((json_t *)cells, i, row) {
        const double its = fb_json_num(row, member) + (costs->judge != NULL);
        if (!(its > 0 && fabs(log(its)) > fabs(log(ratio))))
            continue;
        ratio = its;
        fb_card_set(card, FB_CARD_AMOUNT, "Largest change: %s, %+.2f %% %s.",
                    fb_json_str(row, "cell"), 100 * (ratio - 1), what);
    }
    if (i && !costs->judge)
        fb_card_set(card, FB_CARD_SURE,
                    "Stored times judge nothing: use filterbench ab. Exact facts need no "
                    "statistics.");
}

void fb_compare_card(const json_t *report, const struct fb_kind *kind, const char *base,
                     const char *head, struct fb_card *card)
{
    const json_t *exact = json_object_get(report, "exact");
    say_exact(exact, kind->unit, base, head, card);
    if (kind->costs && fb_compare_is_equal(exact))
        say_costs(kind->costs, report, card);
}

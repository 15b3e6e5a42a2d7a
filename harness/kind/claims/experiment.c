/* Experiments of kind "claims": their fields, and the rows of the ledger that they name. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/kind/claims/own.h"

static fb_read_fn read_claims, read_ledger, read_effort;

const struct fb_field fb_claims_fields[] = {
    FB_FIELDS_FIRST("claims", "claims"),
    {.name = "claims",
     .fallback = "\"all\"",
     .read = read_claims,
     .shape = "'all' | [text]",
     .accepted = "\"all\", or a list of ids and patterns of claims",
     .meaning = "which claims are judged: ids, or patterns of them ('filterbench list claims')",
     .example = "[\"nori.fpr.*\"]"},
    {.name = "ledger",
     .fallback = "\"documents\"",
     .read = read_ledger,
     .may_lack = true,
     .shape = "'documents' | 'beyond' | own_ledger",
     .accepted = "documents, beyond, or a ledger of your own",
     .meaning = "whose claims these are: those of the five source documents (documents), of "
                "papers on filters and engines (beyond), or rows of your own (record own_ledger)",
     .example = "\"beyond\""},
    {.name = "effort",
     .fallback = "\"default\"",
     .read = read_effort,
     .accepted = "quick, default or full",
     .meaning = "how much is spent: quick (fewer probes), default, or full (as "
                "the ledger asks)",
     .example = "\"quick\""},
    {.name = "seed",
     .fallback = "\"0x5eed0f1ab1e5eed5\"",
     .read = fb_read_seed,
     .accepted = "up to 16 hexadecimal digits as a string, \"0x5eed\"",
     .meaning = "root of all keys and queries: another one draws others",
     .example = "\"0x1\""},
    {0},
};

static json_t *read_effort(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    return fb_read_one_of(problem, f->name, path, given, fb_effort_texts, false);
}

/* One of the user's own is read when the effort is known. */
static json_t *read_ledger(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    return json_is_object(given)
               ? json_deep_copy(given)
               : fb_read_one_of(problem, f->name, path, given, fb_ledger_names, false);
}

/* Another ledger that has a claim of this pattern; NULL: none. */
static const char *elsewhere(const char *not_this, const char *pattern)
{
    const char *found = NULL;
    for (const char *const *name = fb_ledger_names; *name && !found; name++) {
        struct fb_ledger other = {0};
        struct fb_problem ignored;
        if (!strcmp(*name, not_this) || !fb_ledger_open(*name, &other, &ignored))
            continue;
        for (size_t i = 0; i < other.n && !found; i++)
            if (!fnmatch(pattern, other.claims[i].id, 0))
                found = *name;
        fb_ledger_close(&other);
    }
    return found;
}

/* Marks the claims that a pattern names. False with *problem set where there are none. */
static bool choose(const struct fb_ledger *ledger, const json_t *pattern, bool *chosen,
                   struct fb_problem *problem)
{
    const char *text = json_string_value(pattern);
    bool found = false;
    for (size_t i = 0; i < ledger->n; i++)
        if (!strcmp(text, "all") || !fnmatch(text, ledger->claims[i].id, 0))
            found = chosen[i] = true;
    const char *left = !found ? fb_ledger_left(ledger, text) : NULL;
    if (left)
        return fb_refuse(problem, "claims: '%s' is no longer in the ledger: %s", text, left);
    const char *other = !found && !ledger->own ? elsewhere(ledger->name, text) : NULL;
    if (other)
        return fb_refuse(problem,
                         "claims: '%.80s' stands in the ledger '%s', not in '%s'; give "
                         "--ledger %s",
                         text, other, ledger->name, other);
    return found || fb_refuse(problem,
                              "claims: no claim matches '%.80s'%s (`filterbench list claims` "
                              "shows them)",
                              text, fb_did_you_mean(text, ledger->claims, sizeof *ledger->claims));
}

/* A text, or a list that is not empty: what its patterns match depends on another field. */
static json_t *read_claims(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    if (!json_array_size(given) && !json_is_string(given))
        return fb_reject_value(problem, f, path, given);
    FB_EACH_AT(i, pattern, given) {
        char at[64];
        snprintf(at, sizeof at, "%s[%zu]", path, i);
        if (!json_is_string(pattern))
            return fb_reject_value(problem, f, at, pattern);
    }
    return json_is_string(given) ? json_pack("[O]", given) : json_copy((json_t *)given);
}

/* Patterns become the ids that they match, in the order of the ledger. */
static bool name_claims(struct fb_claims *e, struct fb_problem *problem)
{
    const struct fb_ledger *ledger = &e->ledger;
    const json_t *patterns = json_object_get(e->document, "claims");
    bool *chosen = calloc(ledger->n + 1, sizeof *chosen), ok = chosen;
    json_auto_t *ids = json_array();
    for (size_t i = 0; ok && i < json_array_size(patterns); i++)
        ok = choose(ledger, json_array_get(patterns, i), chosen, problem);
    for (size_t i = 0; ok && i < ledger->n; i++)
        if (chosen[i])
            json_array_append_new(ids, json_string(ledger->claims[i].id));
    if (ok)
        json_object_set(e->document, "claims", ids);
    free(chosen);
    return ok;
}

static bool open_ledger(struct fb_claims *e, struct fb_problem *problem)
{
    const json_t *given = json_object_get(e->document, "ledger");
    struct fb_problem why;
    if (!json_is_object(given))
        return fb_ledger_open(json_string_value(given), &e->ledger, problem);
    json_t *own = fb_own_resolve(given, e->effort, json_object_get(e->document, "seed"), &why);
    if (!own)
        return fb_refuse(problem, "ledger: %s", why.text);
    json_object_set_new(e->document, "ledger", own);
    return fb_own_open(own, &e->ledger, problem);
}

/* What each row took once, where the file was made. A row that it lacks takes next to nothing; one
 * of the user's own, as long as a small experiment. With full effort, a multiple of the default. */
static void weigh(struct fb_claims *e)
{
    const double least = 0.02, own = 3, full = 15;
    char path[4096];
    fb_data_path("results/seconds/claims.json", path, sizeof path);
    json_auto_t *file = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    const json_t *took =
        json_object_get(file, fb_effort_texts[e->effort == FB_FULL ? FB_DEFAULT : e->effort]);
    for (size_t i = 0; i < e->n; i++) {
        const struct fb_claim *claim = e->judged[i].claim;
        const double seconds = json_number_value(json_object_get(took, claim->id));
        e->judged[i].seconds = (seconds > 0     ? seconds
                                : e->ledger.own ? own
                                                : least) *
                               (e->effort == FB_FULL ? full : 1);
    }
}

bool fb_claims_resolve(const json_t *given, struct fb_claims *out, struct fb_problem *problem)
{
    memset(out, 0, sizeof *out);
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    out->document = fb_fields_resolve(fb_claims_fields, given, problem);
    const char *effort = fb_json_str(out->document, "effort");
    while (out->document && strcmp(fb_effort_texts[out->effort], effort) != 0)
        out->effort++;
    if (!out->document || !open_ledger(out, problem) || !name_claims(out, problem))
        return false;
    if (out->ledger.name == fb_ledger_names[0])
        json_object_del(out->document, "ledger");
    const json_t *claims = json_object_get(out->document, "claims");
    out->judged = calloc(json_array_size(claims) + 1, sizeof *out->judged);
    if (!out->judged)
        return false;
    for (; out->n < json_array_size(claims); out->n++)
        out->judged[out->n].claim =
            fb_ledger_find(&out->ledger, json_string_value(json_array_get(claims, out->n)));
    out->seed = strtoull(fb_json_str(out->document, "seed"), NULL, 16);
    weigh(out);
    return fb_own_complete(out, problem);
}

void fb_claims_close(void *self)
{
    struct fb_claims *e = self;
    json_decref(e->document);
    json_decref(e->measures);
    fb_ledger_close(&e->ledger);
    free(e->judged);
    memset(e, 0, sizeof *e);
}

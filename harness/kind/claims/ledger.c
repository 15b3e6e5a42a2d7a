#include "harness/kind/claims/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/kind/claims/own.h"

#define ROOT "results/claims"

const char *const fb_ledger_names[] = {"documents", "beyond", NULL};

/* In the order of the names. */
static const struct place {
    const char *folder; /* begins with ROOT */
    const char *documents[6];
} places[] = {
    {ROOT, {"nori", "fjall", "abloom", "ldbrdb", "course", NULL}},
    {ROOT "/beyond", {"rocksdb", "engines", "parquet", "fastfilter", "papers", NULL}},
};

static const struct place *place_of(const char *name)
{
    size_t i = 0;
    while (fb_ledger_names[i] && strcmp(fb_ledger_names[i], name))
        i++;
    return fb_ledger_names[i] ? &places[i] : NULL;
}

const char *fb_ledger_folder(const char *name)
{
    return place_of(name)->folder;
}

static const char *text_of(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

static const char *read_claim(const json_t *row, struct fb_claim *out)
{
    *out = (struct fb_claim){.id = text_of(row, "id"),
                             .document = text_of(row, "document"),
                             .section = text_of(row, "section"),
                             .kind = text_of(row, "kind"),
                             .claim = text_of(row, "claim"),
                             .model = text_of(row, "model"),
                             .note = text_of(row, "note"),
                             .needs = text_of(row, "needs"),
                             .measure = json_object_get(row, "measure"),
                             .row = row};
    const json_t *source = json_object_get(row, "source"),
                 *claimed = json_object_get(row, "claimed");
    out->procedure = text_of(out->measure, "procedure");
    const char *kind = fb_json_str(out->measure, "experiment.kind");
    out->own = *kind;
    out->nature =
        out->own ? fb_take_nature(kind, out->measure) : fb_procedure_nature(out->procedure);
    out->cite = text_of(source, "cite");
    out->says = text_of(source, "says");
    out->holds = json_is_true(json_object_get(source, "holds"));
    out->ours = json_is_true(json_object_get(row, "finding"));
    out->unread = json_is_true(json_object_get(row, "unread"));
    if (!out->id || !out->document || !out->section || !out->kind || !out->claim)
        return "a row needs id, document, section, kind and claim";
    if (!(out->procedure || out->own) + !out->needs + !(out->cite && out->says) != 2)
        return "a row needs exactly one of measure, needs and a source that says something";
    if (json_object_get(row, "tolerance"))
        return "the tolerance is a member of claimed";
    const char *wrong = fb_claimed_read(claimed, &out->claimed);
    if (!wrong && out->measure && out->ours == (out->claimed.n > 0))
        return out->ours ? "a finding of ours claims no number" : "a measured row claims a number";
    return wrong;
}

/* Checks the ids that left the document, and its sentences that no row tests. NULL, or what is
 * wrong. */
static const char *check_others(const json_t *document)
{
    FB_EACH(row, json_object_get(document, "retired")) {
        if (!text_of(row, "id") || !text_of(row, "left"))
            return "a retired row needs id and left, the reason";
    }
    FB_EACH(row, json_object_get(document, "unclaimed")) {
        if (!text_of(row, "says") || !text_of(row, "why"))
            return "an unclaimed sentence needs says and why, the reason";
    }
    return NULL;
}

static enum fb_err load_document(const char *folder, const char *name, struct fb_ledger *ledger,
                                 char *why, size_t size)
{
    char path[4096];
    json_error_t error;
    if ((size_t)snprintf(path, sizeof path, "%s/%s.json", folder, name) >= sizeof path)
        return FB_EINVAL;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!document) {
        snprintf(why, size, "%s: line %d: %s", path, error.line, error.text);
        return FB_EIO;
    }
    json_array_append_new(ledger->documents, document);
    const json_t *rows = json_object_get(document, "claims");
    const char *why_others = check_others(document);
    if (why_others) {
        snprintf(why, size, "%s: %s", path, why_others);
        return FB_EINVAL;
    }
    size_t n = json_array_size(rows);
    struct fb_claim *grown = realloc(ledger->claims, (ledger->n + n + 1) * sizeof *grown);
    if (!grown)
        return FB_ENOMEM;
    ledger->claims = grown;
    for (size_t i = 0; i < n; i++) {
        struct fb_claim *claim = &ledger->claims[ledger->n];
        const char *wrong = read_claim(json_array_get(rows, i), claim);
        if (wrong) {
            snprintf(why, size, "%s: claim %zu (%s): %s", path, i, claim->id ? claim->id : "no id",
                     wrong);
            return FB_EINVAL;
        }
        ledger->n++;
    }
    ledger->claims[ledger->n] = (struct fb_claim){0};
    return FB_OK;
}

enum fb_err fb_ledger_load(const char *root, const char *name, struct fb_ledger *out, char *why,
                           size_t size)
{
    const struct place *place = place_of(name);
    char folder[4096];
    *out = (struct fb_ledger){0};
    snprintf(why, size, "no ledger '%s'", name);
    if (!place || (size_t)snprintf(folder, sizeof folder, "%s%s", root,
                                   place->folder + strlen(ROOT)) >= sizeof folder)
        return FB_EINVAL;
    *out = (struct fb_ledger){.name = fb_ledger_names[place - places], .documents = json_array()};
    snprintf(why, size, "no memory");
    enum fb_err err = out->documents ? FB_OK : FB_ENOMEM;
    for (const char *const *document = place->documents; *document && !err; document++)
        err = load_document(folder, *document, out, why, size);
    if (err)
        fb_ledger_close(out);
    return err;
}

void fb_ledger_close(struct fb_ledger *ledger)
{
    json_decref(ledger->documents);
    free(ledger->claims);
    *ledger = (struct fb_ledger){0};
}

bool fb_ledger_open(const char *name, struct fb_ledger *out, struct fb_problem *problem)
{
    char root[4096], why[sizeof problem->text];
    fb_data_path(ROOT, root, sizeof root);
    return !fb_ledger_load(root, name, out, why, sizeof why) || fb_refuse(problem, "%s", why);
}

const struct fb_claim *fb_ledger_find(const struct fb_ledger *ledger, const char *id)
{
    for (size_t i = 0; i < ledger->n; i++)
        if (!strcmp(ledger->claims[i].id, id))
            return &ledger->claims[i];
    return NULL;
}

const char *fb_ledger_left(const struct fb_ledger *ledger, const char *id)
{
    FB_EACH(document, ledger->documents) {
        FB_EACH(row, json_object_get(document, "retired")) {
            if (!strcmp(text_of(row, "id"), id))
                return text_of(row, "left");
        }
    }
    return NULL;
}

const json_t *fb_claim_printed(const struct fb_claim *claim)
{
    return json_object_get(json_object_get(claim->row, "claimed"), "printed");
}

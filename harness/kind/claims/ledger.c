#include "harness/kind/claims/ledger.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
static const char *const documents[] = {"nori", "fjall", "abloom", "ldbrdb", "course"};
enum { N_DOCUMENTS = sizeof documents / sizeof *documents };

static const char *const relations[] = {"=", "<=", ">=", "<", ">"};
enum { N_RELATIONS = sizeof relations / sizeof *relations };

const char *fb_relation_text(enum fb_relation relation)
{
    return relations[relation];
}

bool fb_printed_number(const char *printed, double *value, double *half)
{
    char digits[64];
    size_t n = 0;
    for (const char *p = printed; *p; p++)
        if (*p != ',' && n + 1 < sizeof digits)
            digits[n++] = *p;
    digits[n] = 0;
    char *end;
    bool hex = !strncmp(digits, "0x", 2);
    *value = hex ? (double)strtoull(digits, &end, 16) : strtod(digits, &end);
    *half = 0.5;
    if (end == digits || *end || !isfinite(*value))
        return false;
    if (hex)
        return true;
    const char *exponent = strpbrk(digits, "eE"), *point = strchr(digits, '.');
    if (point)
        for (const char *p = point + 1; *p >= '0' && *p <= '9'; p++)
            *half /= 10;
    for (int e = exponent ? atoi(exponent + 1) : 0; e; e += e < 0 ? 1 : -1)
        *half = e < 0 ? *half / 10 : *half * 10;
    return true;
}

static const char *text_of(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

/* Value i of a number, or of an array of them. */
static const json_t *item(const json_t *value, size_t i)
{
    return json_is_array(value) ? json_array_get(value, i) : i ? NULL : value;
}

static const char *read_claimed(const json_t *claimed, struct fb_claimed *out)
{
    const json_t *value = json_object_get(claimed, "value"),
                 *printed = json_object_get(claimed, "printed");
    const char *relation = text_of(claimed, "relation");
    out->unit = text_of(claimed, "unit");
    out->text = text_of(claimed, "text");
    if (!value || !out->unit || !relation)
        return "claimed needs value, unit and relation";
    size_t r = 0;
    while (r < N_RELATIONS && strcmp(relations[r], relation))
        r++;
    if (r == N_RELATIONS)
        return "relation must be =, <=, >=, < or >";
    out->relation = (enum fb_relation)r;
    for (size_t i = 0; json_is_number(item(value, i)); i++) {
        if (i == FB_CLAIM_VALUES)
            return "too many values";
        out->value[i] = json_number_value(item(value, i));
        const char *digits = json_string_value(item(printed, i));
        double number;
        if (digits && (!fb_printed_number(digits, &number, &out->half[i]) ||
                       fabs(number - out->value[i]) > 1e-12 * fabs(number)))
            return "the printed digits and the value differ";
        out->n = i + 1;
    }
    return NULL;
}

static const char *read_claim(const json_t *row, struct fb_claim *out)
{
    *out = (struct fb_claim){.id = text_of(row, "id"),
                             .document = text_of(row, "document"),
                             .section = text_of(row, "section"),
                             .kind = text_of(row, "kind"),
                             .claim = text_of(row, "claim"),
                             .model = text_of(row, "model"),
                             .tolerance = text_of(row, "tolerance"),
                             .note = text_of(row, "note"),
                             .needs = text_of(row, "needs"),
                             .measure = json_object_get(row, "measure"),
                             .row = row};
    const json_t *source = json_object_get(row, "source"),
                 *claimed = json_object_get(row, "claimed");
    out->procedure = text_of(out->measure, "procedure");
    out->cite = text_of(source, "cite");
    out->says = text_of(source, "says");
    out->holds = json_is_true(json_object_get(source, "holds"));
    if (!out->id || !out->document || !out->section || !out->kind || !out->claim)
        return "a row needs id, document, section, kind and claim";
    if (!out->procedure + !out->needs + !(out->cite && out->says) != 2)
        return "a row needs exactly one of measure, needs and a source that says something";
    const char *wrong = read_claimed(claimed, &out->claimed);
    if (!wrong && out->procedure && !out->claimed.n)
        return "a measured row claims a number";
    return wrong;
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

enum fb_err fb_ledger_load(const char *folder, struct fb_ledger *out, char *why, size_t size)
{
    *out = (struct fb_ledger){.documents = json_array()};
    snprintf(why, size, "no memory");
    enum fb_err err = out->documents ? FB_OK : FB_ENOMEM;
    for (size_t i = 0; i < N_DOCUMENTS && !err; i++)
        err = load_document(folder, documents[i], out, why, size);
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

bool fb_ledger_open(struct fb_ledger *out, struct fb_problem *problem)
{
    char folder[4096], why[sizeof problem->text];
    fb_data_path("results/claims", folder, sizeof folder);
    return !fb_ledger_load(folder, out, why, sizeof why) || fb_refuse(problem, "%s", why);
}

const struct fb_claim *fb_ledger_find(const struct fb_ledger *ledger, const char *id)
{
    for (size_t i = 0; i < ledger->n; i++)
        if (!strcmp(ledger->claims[i].id, id))
            return &ledger->claims[i];
    return NULL;
}

const json_t *fb_claim_printed(const struct fb_claim *claim)
{
    return json_object_get(json_object_get(claim->row, "claimed"), "printed");
}

void fb_claim_numbers(const struct fb_claim *claim, const double *values, size_t n, char *text,
                      size_t size)
{
    const json_t *printed = fb_claim_printed(claim);
    const char *digits =
        json_string_value(json_is_array(printed) ? json_array_get(printed, 0) : printed);
    bool hex = digits && !strncmp(digits, "0x", 2);
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < n && used < size; i++) {
        const char *comma = i ? ", " : "";
        double x = values[i];
        int length;
        if (hex && x >= 0 && x < 0x1p64)
            length = snprintf(text + used, size - used, "%s0x%llX", comma, (unsigned long long)x);
        else if (x == floor(x) && fabs(x) < 1e12)
            length = snprintf(text + used, size - used, "%s%.0f", comma, x);
        else
            length = snprintf(text + used, size - used, "%s%.4g", comma, x);
        used += (size_t)length;
    }
}

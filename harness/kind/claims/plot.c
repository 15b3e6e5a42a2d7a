/* The table of the claims figure: where each claim stands, and on which line it is drawn. */
#include <math.h>
#include <string.h>

#include "harness/document/points.h"
#include "harness/kind/claims/claims.h"

static double found(const json_t *claim)
{
    double measured = fb_json_num(claim, "measured");
    return isfinite(measured) ? measured : fb_json_num(claim, "theory");
}

/* Why a claim does not hold: the first clause of the sentence, fit for a field of the table. */
static json_t *clause_of(const char *sentence)
{
    static const char *const ends[] = {". ", " (", "; "};
    char clause[1000];
    size_t n = strlen(sentence);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *end = strstr(sentence, ends[i]);
        if (end && (size_t)(end - sentence) < n)
            n = (size_t)(end - sentence);
    }
    snprintf(clause, sizeof clause, "%.*s", (int)n, sentence);
    for (char *c = clause; *c; c++)
        if (strchr("\t\n\"", *c))
            *c = ' ';
    return fb_json_text(clause);
}

/* A claim with stands ("holds", "fails", "open"), ratio (of measured to claimed; none where they
 * are words, several numbers, or zero), line and remark. NULL where it was not judged. */
static json_t *point_of(const json_t *claim)
{
    const char *verdict = fb_json_str(claim, "verdict");
    const json_t *agrees = json_object_get(claim, "source_agrees");
    double ratio = found(claim) / fb_json_num(claim, "claimed");
    bool fails = !strcmp(verdict, "not reproduced") || json_is_false(agrees);
    bool open = !strcmp(verdict, "undecided");
    if (!fails && !open && strcmp(verdict, "reproduced") && !json_is_true(agrees))
        return NULL;
    json_t *point = json_copy((json_t *)claim);
    json_object_set_new(point, "stands", json_string(fails ? "fails" : open ? "open" : "holds"));
    json_object_set_new(point, "ratio", ratio > 0 ? fb_json_number(ratio) : json_null());
    json_object_set_new(point, "remark",
                        fails ? clause_of(fb_json_str(claim, "why")) : json_string(""));
    return point;
}

/* Adds a document's lines from `line` on: a strip for the claims that hold or are open, spread over
 * its height in the golden ratio, then a line for each that does not, those without a ratio last.
 * Returns the line after them. */
static double add_document(json_t *points, const json_t *claims, const char *document,
                           const char *letter, double line)
{
    static const char *const order[] = {"ratio", NULL};
    json_auto_t *failing = json_array();
    size_t n_holding = 0, n_open = 0;
    FB_EACH(claim, claims) {
        json_auto_t *point =
            strcmp(fb_json_str(claim, "document"), document) ? NULL : point_of(claim);
        if (!point)
            continue;
        if (!strcmp(fb_json_str(point, "stands"), "fails")) {
            json_array_append(failing, point);
        } else {
            bool open = !strcmp(fb_json_str(point, "stands"), "open");
            double spread = fmod((double)(n_holding + n_open) * 0.6180339887498949, 1) - 0.5;
            n_holding += !open;
            n_open += open;
            json_object_set_new(point, "line", json_real(line + 0.6 * spread));
            if (isfinite(fb_json_num(point, "ratio")))
                json_array_append(points, point);
        }
    }
    const size_t n_failing = json_array_size(failing);
    if (n_failing + n_holding + n_open) {
        const size_t n = n_failing + n_holding + n_open;
        json_t *remark = n_open
                             ? json_sprintf("%zu of %zu hold, %zu undecided", n_holding, n, n_open)
                             : json_sprintf("%zu of %zu hold", n_holding, n);
        json_array_append_new(
            points, json_pack("{s:s, s:o, s:s, s:s, s:f, s:o}", "document", document, "id",
                              json_sprintf(*letter ? "%s (%s)" : "%s", document, letter), "kind",
                              "document", "stands", "", "line", line, "remark", remark));
        fb_points_sort(failing, order);
        FB_EACH(claim, failing)
            json_object_set_new(claim, "line", json_real(line += 1));
        json_array_extend(points, failing);
        line += 1.7;
    }
    return line;
}

static bool write_claims(const json_t *documents, FILE *file)
{
    static const struct fb_point_column columns[] = {
        {"document", "document", NULL}, {"claim", "id", NULL},
        {"kind", "kind", NULL},         {"stands", "stands", NULL},
        {"line", "line", "%.3f"},       {"ratio", "ratio", NULL},
        {"remark", "remark", NULL},     {0},
    };
    json_auto_t *points = json_array();
    double line = 0;
    for (size_t d = 0; d < json_array_size(documents); d++) {
        const json_t *claims = json_object_get(json_array_get(documents, d), "cells");
        json_auto_t *seen = json_object(); /* documents in the order in which they come */
        if (strcmp(fb_json_str(json_array_get(documents, d), "kind"), "claims"))
            claims = NULL;
        FB_EACH(claim, claims) {
            const char *document = fb_json_str(claim, "document");
            if (!json_object_get(seen, document))
                line = add_document(points, claims, document,
                                    fb_json_str(json_array_get(documents, d), "result"), line);
            json_object_set_new(seen, document, json_true());
        }
    }
    fb_points_write(file, points, columns);
    return line > 0;
}

const struct fb_figure fb_claims_figures[] = {
    {"claims", "measured over claimed, by document", write_claims,
     .needs = "a result of reproduce with a claim that was judged", .letters = true},
    {0},
};

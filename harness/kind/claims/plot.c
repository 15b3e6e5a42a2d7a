/* The table of the claims figure: where each claim stands, and on which line it is drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/claims/claims.h"

struct row {
    const json_t *json;
    double ratio; /* measured / claimed; NaN: words, several numbers, or zero */
};

/* A single number; NaN for words, lists and null. */
static double one_number(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static double found(const json_t *json)
{
    double measured = one_number(json_object_get(json, "measured"));
    return isfinite(measured) ? measured : one_number(json_object_get(json, "theory"));
}

static bool holds(const json_t *json)
{
    return !strcmp(fb_json_str(json, "verdict"), "reproduced") ||
           json_is_true(json_object_get(json, "source_agrees"));
}

static bool fails(const json_t *json)
{
    return !strcmp(fb_json_str(json, "verdict"), "not reproduced") ||
           json_is_false(json_object_get(json, "source_agrees"));
}

/* Claims that do not hold, those without a ratio last. */
static int by_ratio(const void *left, const void *right)
{
    double a = ((const struct row *)left)->ratio, b = ((const struct row *)right)->ratio;
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* The first clause of a sentence, fit for a field of the table. */
static void write_clause(FILE *file, const char *sentence)
{
    size_t n = strlen(sentence);
    static const char *const ends[] = {". ", " (", "; "};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *end = strstr(sentence, ends[i]);
        if (end && (size_t)(end - sentence) < n)
            n = (size_t)(end - sentence);
    }
    for (size_t i = 0; i < n; i++)
        fputc(strchr("\t\n\"", sentence[i]) ? ' ' : sentence[i], file);
}

static void write_row(FILE *file, const struct row *row, double line)
{
    const json_t *json = row->json;
    fprintf(file, "%s\t%s\t%s\t%s\t%.3f\t%.6g\t", fb_json_str(json, "document"),
            fb_json_str(json, "id"), fb_json_str(json, "kind"), holds(json) ? "holds" : "fails",
            line, row->ratio);
    if (fails(json))
        write_clause(file, fb_json_str(json, "why"));
    fputc('\n', file);
}

/* A document's lines from `line` on: a strip for the claims that hold, spread over its height in
 * the golden ratio, then a line for each that does not. Returns the line after them. */
static double write_document(FILE *file, const char *document, const struct row *rows, size_t n,
                             double line)
{
    struct row *failing = malloc((n + 1) * sizeof *failing);
    size_t n_failing = 0, n_holding = 0;
    if (!failing)
        return line;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(fb_json_str(rows[i].json, "document"), document))
            continue;
        if (fails(rows[i].json)) {
            failing[n_failing++] = rows[i];
        } else if (holds(rows[i].json)) {
            double spread = fmod((double)n_holding++ * 0.6180339887498949, 1) - 0.5;
            if (isfinite(rows[i].ratio))
                write_row(file, &rows[i], line + 0.6 * spread);
        }
    }
    if (n_failing + n_holding) {
        fprintf(file, "%s\t%s\tdocument\t\t%.3f\tnan\t%zu of %zu hold\n", document, document, line,
                n_holding, n_holding + n_failing);
        qsort(failing, n_failing, sizeof *failing, by_ratio);
        for (size_t i = 0; i < n_failing; i++)
            write_row(file, &failing[i], line += 1);
        line += 1.7;
    }
    free(failing);
    return line;
}

static bool write_claims(const json_t *documents, FILE *file)
{
    double line = 0;
    fputs("document\tclaim\tkind\tstands\tline\tratio\tremark\n", file);
    for (size_t d = 0; d < json_array_size(documents); d++) {
        const json_t *claims = json_object_get(json_array_get(documents, d), "cells");
        bool judged = !strcmp(fb_json_str(json_array_get(documents, d), "kind"), "claims");
        size_t n = judged ? json_array_size(claims) : 0;
        struct row *rows = calloc(n + 1, sizeof *rows);
        for (size_t i = 0; rows && i < n; i++) {
            const json_t *json = json_array_get(claims, i);
            double ratio = found(json) / one_number(json_object_get(json, "claimed"));
            rows[i] = (struct row){json, isfinite(ratio) && ratio > 0 ? ratio : NAN};
        }
        /* The documents in the order in which they come. */
        for (size_t i = 0; rows && i < n; i++) {
            const char *document = fb_json_str(rows[i].json, "document");
            size_t first = 0;
            while (strcmp(fb_json_str(rows[first].json, "document"), document))
                first++;
            if (first == i)
                line = write_document(file, document, rows, n, line);
        }
        free(rows);
    }
    return line > 0;
}

const struct fb_figure fb_claims_figures[] = {
    {"claims", "measured over claimed, by document", write_claims},
    {0},
};

/* The table of the claims figure: where each claim stands, and on which line it is drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/plot.h"

struct row {
    const json_t *json;
    double ratio; /* measured / claimed; NaN: words, several numbers, or zero */
};

static const char *text(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));
    return value ? value : "";
}

/* The one number that a value holds, bare, alone in an array or under "value"; else NaN. */
static double one_number(const json_t *value)
{
    if (json_is_object(value))
        return one_number(json_object_get(value, "value"));
    if (json_is_array(value) && json_array_size(value) == 1)
        return one_number(json_array_get(value, 0));
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static double found(const json_t *json)
{
    double measured = one_number(json_object_get(json, "measured"));
    return isfinite(measured) ? measured : one_number(json_object_get(json, "theory"));
}

static bool judged(const json_t *json, const char *verdict)
{
    return !strcmp(text(json, "verdict"), verdict);
}

/* Claims that do not hold, those without a ratio last. */
static int by_ratio(const void *left, const void *right)
{
    double a = ((const struct row *)left)->ratio, b = ((const struct row *)right)->ratio;
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static void write_row(FILE *file, const char *document, const struct row *row, double line)
{
    const json_t *claimed = json_object_get(row->json, "claimed");
    const char *unit = text(row->json, "unit");
    char remark[80] = "";
    if (isfinite(row->ratio) && judged(row->json, "not reproduced"))
        snprintf(remark, sizeof remark, "claimed %.7g %s, is %.4g %s", one_number(claimed), unit,
                 found(row->json), unit);
    fprintf(file, "%s\t%s\t%s\t%s\t%.3f\t%.6g\t%s\n", document, text(row->json, "claim"),
            text(row->json, "kind"), text(row->json, "verdict"), line, row->ratio, remark);
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
        if (strcmp(text(rows[i].json, "document"), document))
            continue;
        if (judged(rows[i].json, "not reproduced")) {
            failing[n_failing++] = rows[i];
        } else if (judged(rows[i].json, "reproduced")) {
            double spread = fmod((double)n_holding++ * 0.6180339887498949, 1) - 0.5;
            if (isfinite(rows[i].ratio))
                write_row(file, document, &rows[i], line + 0.6 * spread);
        }
    }
    if (n_failing + n_holding) {
        fprintf(file, "%s\t%s\tdocument\t\t%.3f\tnan\t%zu of %zu hold\n", document, document, line,
                n_holding, n_holding + n_failing);
        qsort(failing, n_failing, sizeof *failing, by_ratio);
        for (size_t i = 0; i < n_failing; i++)
            write_row(file, document, &failing[i], line += 1);
        line += 1.7;
    }
    free(failing);
    return line;
}

bool fb_plot_claims(const json_t *documents, FILE *file)
{
    double line = 0;
    fputs("document\tclaim\tkind\tverdict\tline\tratio\tremark\n", file);
    for (size_t d = 0; d < json_array_size(documents); d++) {
        const json_t *claims = json_object_get(json_array_get(documents, d), "claims");
        size_t n = json_array_size(claims);
        struct row *rows = calloc(n + 1, sizeof *rows);
        for (size_t i = 0; rows && i < n; i++) {
            const json_t *json = json_array_get(claims, i);
            double claimed = one_number(json_object_get(json, "claimed"));
            double ratio = found(json) / claimed;
            rows[i] = (struct row){json, isfinite(ratio) && ratio > 0 ? ratio : NAN};
        }
        /* The documents in the order in which they come. */
        for (size_t i = 0; rows && i < n; i++) {
            const char *document = text(rows[i].json, "document");
            size_t first = 0;
            while (strcmp(text(rows[first].json, "document"), document))
                first++;
            if (first == i)
                line = write_document(file, document, rows, n, line);
        }
        free(rows);
    }
    return line > 0;
}

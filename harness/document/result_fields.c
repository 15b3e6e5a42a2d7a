/* Members of result documents by path, and cells and claims with every field. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/document/result.h"
#include "harness/kind/claims/claims.h"

const json_t *fb_result_at(const json_t *object, const char *path)
{
    char name[32];
    for (;;) {
        size_t len = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)len, path);
        object = json_object_get(object, name);
        if (!path[len])
            return object;
        path += len + 1;
    }
}

const char *fb_result_text(const json_t *object, const char *path)
{
    const char *text = json_string_value(fb_result_at(object, path));
    return text ? text : "";
}

double fb_result_number(const json_t *object, const char *path)
{
    const json_t *value = fb_result_at(object, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void print_csv_text(FILE *file, const char *text)
{
    bool quoted = text[strcspn(text, ",\"\n\r")] != '\0';
    if (quoted)
        fputc('"', file);
    for (; *text; text++)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    if (quoted)
        fputc('"', file);
}

static void print_csv(FILE *file, const json_t *rows, const char *const *paths)
{
    for (size_t c = 0; paths[c]; c++)
        fprintf(file, "%s%s", c ? "," : "", paths[c]);
    fputc('\n', file);
    size_t i;
    json_t *each;
    json_array_foreach(rows, i, each)
    {
        for (size_t c = 0; paths[c]; c++) {
            const json_t *value = fb_result_at(each, paths[c]);
            fputs(c ? "," : "", file);
            if (json_is_string(value)) {
                print_csv_text(file, json_string_value(value));
            } else if (value && !json_is_null(value)) {
                char *text =
                    json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
                print_csv_text(file, text ? text : "");
                free(text);
            }
        }
        fputc('\n', file);
    }
}

static const char *const cell_paths[] = {"id",
                                         "design",
                                         "keys",
                                         "n",
                                         "params.bits_per_key",
                                         "params.fpr",
                                         "params.capacity",
                                         "params.capacity_factor",
                                         "params.hash",
                                         "derived",
                                         "geometry.n_bits",
                                         "geometry.n_blocks",
                                         "geometry.block_bits",
                                         "geometry.probes",
                                         "counts.filter_bytes",
                                         "counts.block_bytes",
                                         "counts.n_entries",
                                         "counts.filters",
                                         "counts.probes_each",
                                         "counts.false_negatives",
                                         "counts.checksum",
                                         "fpr.events",
                                         "fpr.probes",
                                         "fpr.estimate",
                                         "fpr.wilson95.low",
                                         "fpr.wilson95.high",
                                         "fpr.t95.low",
                                         "fpr.t95.high",
                                         "fpr.worst",
                                         "fpr.best",
                                         "fpr.sd_filters",
                                         "fpr.se",
                                         "fpr.model.kind",
                                         "fpr.model.value",
                                         "fpr.model.se",
                                         "fpr.ratio",
                                         "fpr.z",
                                         "fpr.upper95",
                                         "fpr.bits_per_key",
                                         "fpr.bound_bits",
                                         "fpr.wasted",
                                         NULL};

static const char *const claim_paths[] = {
    "claim",         "document",       "kind",  "claimed", "theory", "measured", "interval.low",
    "interval.high", "interval_level", "model", "verdict", "why",    NULL};

static void print_claims(FILE *file, const json_t *claims)
{
    for (size_t c = 0; claim_paths[c]; c++)
        fprintf(file, "| %s ", claim_paths[c]);
    fputs("|\n", file);
    for (size_t c = 0; claim_paths[c]; c++)
        fputs("|---", file);
    fputs("|\n", file);
    size_t i;
    json_t *claim;
    json_array_foreach(claims, i, claim)
    {
        for (size_t c = 0; claim_paths[c]; c++) {
            const json_t *value = fb_result_at(claim, claim_paths[c]);
            char *text = value && !json_is_null(value) && !json_is_string(value)
                             ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6))
                             : NULL;
            bool rough =
                !strcmp(claim_paths[c], "theory") &&
                json_number_value(json_object_get(claim, "theory_error")) > FB_ROUGH_THEORY;
            fprintf(file, "| %s%s ", rough ? "~" : "",
                    text ? text : fb_result_text(claim, claim_paths[c]));
            free(text);
        }
        fputs("|\n", file);
    }
}

void fb_result_cells_csv(FILE *file, const json_t *cells)
{
    print_csv(file, cells, cell_paths);
}

void fb_result_claims_print(FILE *file, const json_t *claims, enum fb_table_style style)
{
    if (style == FB_TABLE_CSV)
        print_csv(file, claims, claim_paths);
    else
        print_claims(file, claims);
}

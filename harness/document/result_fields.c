/* Cells and claims with every field. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/csv.h"
#include "harness/document/result.h"
#include "harness/kind/claims/claims.h"

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
            const json_t *value = fb_json_at(claim, claim_paths[c]);
            char *text = value && !json_is_null(value) && !json_is_string(value)
                             ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6))
                             : NULL;
            bool rough =
                !strcmp(claim_paths[c], "theory") &&
                json_number_value(json_object_get(claim, "theory_error")) > FB_ROUGH_THEORY;
            fprintf(file, "| %s%s ", rough ? "~" : "",
                    text ? text : fb_json_str(claim, claim_paths[c]));
            free(text);
        }
        fputs("|\n", file);
    }
}

void fb_result_cells_csv(FILE *file, const json_t *cells)
{
    fb_csv_rows(file, cells, cell_paths);
}

void fb_result_claims_print(FILE *file, const json_t *claims, enum fb_table_style style)
{
    if (style == FB_TABLE_CSV)
        fb_csv_rows(file, claims, claim_paths);
    else
        print_claims(file, claims);
}

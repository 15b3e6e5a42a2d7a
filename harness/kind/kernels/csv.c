/* Results of kind "kernels" for programs: a line for each cell, all of its numbers. */
#include <stdlib.h>

#include "harness/kind/kernels/kernels.h"

static const char *const csv_members[] = {
    "id", "design", "isa", "style", "operation", "footprint", "hit_ratio", "predicted_fpr", NULL};
static const char *const csv_params[] = {"bits_per_key", "fpr", NULL};
static const char *const csv_filter[] = {
    "bytes", "n_keys", "bits_per_key", "probes", "synthetic_fill", "checksum", NULL};
static const char *const csv_time[] = {
    "clock",      "median",   "min",     "mean",           "mad",       "ratio_to", "ratio",
    "sd_process", "sd_round", "retries", "flagged_rounds", "processes", "rounds",   NULL};
static const char *const csv_intervals[] = {"ci95", "ratio_ci95", "ratio_ci99", NULL};

static void csv_value(FILE *file, const json_t *value, const char *before)
{
    char *text = value && !json_is_null(value) && !json_is_string(value)
                     ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))
                     : NULL;
    const char *string = json_string_value(value);
    fprintf(file, "%s%s", before, text ? text : string ? string : "");
    free(text);
}

void fb_kernels_csv(FILE *file, const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    size_t i;
    json_t *cell;
    for (const char *const *m = csv_members; *m; m++)
        fprintf(file, "%s%s", m == csv_members ? "" : ",", *m);
    for (const char *const *m = csv_params; *m; m++)
        fprintf(file, ",params.%s", *m);
    for (const char *const *m = csv_filter; *m; m++)
        fprintf(file, ",filter.%s", *m);
    for (const char *const *m = csv_time; *m; m++)
        fprintf(file, ",time.%s", *m);
    for (const char *const *m = csv_intervals; *m; m++)
        fprintf(file, ",time.%s.low,time.%s.high", *m, *m);
    fputc('\n', file);
    json_array_foreach(cells, i, cell)
    {
        const json_t *time = json_object_get(cell, "time");
        for (const char *const *m = csv_members; *m; m++)
            csv_value(file, json_object_get(cell, *m), m == csv_members ? "" : ",");
        for (const char *const *m = csv_params; *m; m++)
            csv_value(file, json_object_get(json_object_get(cell, "params"), *m), ",");
        for (const char *const *m = csv_filter; *m; m++)
            csv_value(file, json_object_get(json_object_get(cell, "filter"), *m), ",");
        for (const char *const *m = csv_time; *m; m++)
            csv_value(file, json_object_get(time, *m), ",");
        for (const char *const *m = csv_intervals; *m; m++) {
            const json_t *interval = json_object_get(time, *m);
            csv_value(file, json_object_get(interval, "low"), ",");
            csv_value(file, json_object_get(interval, "high"), ",");
        }
        fputc('\n', file);
    }
}

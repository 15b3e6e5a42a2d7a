/* Results of kind "kernels" for programs: a line for each cell, all of its numbers. */
#include "harness/base/csv.h"
#include "harness/kind/kernels/kernels.h"

static const char *const paths[] = {
    "id",
    "design",
    "isa",
    "style",
    "operation",
    "footprint",
    "hit_ratio",
    "predicted_fpr",
    "params.bits_per_key",
    "params.fpr",
    "filter.bytes",
    "filter.n_keys",
    "filter.bits_per_key",
    "filter.probes",
    "filter.synthetic_fill",
    "filter.checksum",
    "time.clock",
    "time.median",
    "time.min",
    "time.mean",
    "time.mad",
    "time.ratio_to",
    "time.ratio",
    "time.sd_process",
    "time.sd_round",
    "time.retries",
    "time.flagged_rounds",
    "time.processes",
    "time.rounds",
    "time.ci95.low",
    "time.ci95.high",
    "time.ratio_ci95.low",
    "time.ratio_ci95.high",
    "time.ratio_ci99.low",
    "time.ratio_ci99.high",
    NULL,
};

void fb_kernels_csv(FILE *file, const json_t *document)
{
    fb_csv_rows(file, json_object_get(document, "cells"), paths);
}

/* Histograms of a result as HdrHistogram's percentile files. */
#ifndef FILTERBENCH_HARNESS_VERB_HGRM_H
#define FILTERBENCH_HARNESS_VERB_HGRM_H

#include <jansson.h>

#include "harness/base/exit.h"

/* A file in the folder (made if need be) for each histogram of each cell, or of each lookup of it,
 * in nanoseconds:
 * "sbbf-256_L1_batch_absent_avx512-ring.single_op_gross.hgrm". A line on stderr on failure. */
enum fb_exit fb_hgrm_export(const json_t *document, const char *folder);

#endif

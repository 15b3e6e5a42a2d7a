/* Times of a result in the form that Google Benchmark writes and its compare.py reads. */
#ifndef FILTERBENCH_HARNESS_VERB_GBENCH_H
#define FILTERBENCH_HARNESS_VERB_GBENCH_H

#include <jansson.h>

#include "harness/base/exit.h"

/*
 * {context, benchmarks}, to be released. A time is a benchmark, named by its cell, and its lookup
 * where a cell has several: "sbbf-256/L1/batch/absent/avx2", "t=10/shared-digest". A process is a
 * repetition: the medians over its rounds, in ns. `iterations` is their number. Aggregates over the
 * processes (mean, median, stddev, cv) follow. What a result does not know (clock rate, sharing of
 * caches) is 0, as that form has no null.
 *
 * FB_EXIT_USAGE with a line on stderr: the result has no times, or samples that cannot be read.
 */
enum fb_exit fb_gbench(const json_t *document, json_t **out);

#endif

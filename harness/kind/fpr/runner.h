/*
 * Running an experiment: cells one after the other, each on all threads, into a result document.
 */
#ifndef FILTERBENCH_HARNESS_KIND_FPR_RUNNER_H
#define FILTERBENCH_HARNESS_KIND_FPR_RUNNER_H

#include "harness/document/result.h"

/*
 * Measures the cells and appends each to document's "cells", and what could not be built to
 * "skipped". Deviations of more than 4 standard errors from theory become warnings. Returns
 *
 *     FB_EXIT_OK           all done
 *     FB_EXIT_INTERRUPTED  by a signal; the cells so far are complete
 *     FB_EXIT_CORRECTNESS  a false negative: stops there, the cell is the last one
 *     FB_EXIT_USAGE        no cell could be built, or one does not fit into memory
 *
 * with a line on stderr for all but the first. n_threads 0: one per core.
 */
enum fb_exit fb_run_cells(const struct fb_cell *cells, size_t n_cells, unsigned n_threads,
                          json_t *document);

#endif

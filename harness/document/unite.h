/*
 * The cells of several runs of one experiment, each once. Private to merge.c.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_UNITE_H
#define FILTERBENCH_HARNESS_DOCUMENT_UNITE_H

#include "harness/document/kind.h"

/* Holds the exact facts of runs, documents in their order, against each other: cells that two have,
 * and fragments of one shard. FB_EXIT_NOT_COMPARABLE or FB_EXIT_CORRECTNESS with a line on stderr.
 */
enum fb_exit fb_unite_check(const struct fb_kind *, const json_t *runs);

/*
 * Adds to "cells" and "skipped" of `merged` those of the runs, in the order of ids; cells of which
 * all fragments are there are put together. *missing: how many cells are not there; *first: the id
 * of the first of them, of ids. FB_EXIT_CORRECTNESS with a line on stderr where fragments
 * contradict each other or a whole cell.
 */
enum fb_exit fb_unite(const struct fb_opened *, const json_t *runs, const json_t *ids,
                      json_t *merged, size_t *missing, const char **first);

#endif

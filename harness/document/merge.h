/*
 * Documents of several runs of one experiment as one: of shards, of machines, of repetitions.
 *
 * A merged document rests on the documents of its runs, which it has in "parts", by the hash of
 * their content, in the order of (machine, start of the run, hash). All else in it follows from
 * them: merging is the union of those sets, so neither order nor grouping changes a byte of the
 * result, and a document merged with itself is itself. Where all shards of counts are there, a line
 * in "counted" takes the place of each (counted.h).
 *
 *     merged     {runs, machines, shards: {of, there: [1, 3, ...]}}; shards: null without
 *     cells      of an experiment without times: each cell once, in the order of the experiment, as
 *                one run would have counted it, whole or put together from fragments. With times:
 *                empty, the runs stand side by side in "parts", each with its own intervals
 *     tool, build, machine   what the runs have in common, or null
 *     run        the first start, the sum of the times that runs took; complete: no cell is missing
 *
 * Exact facts of a cell that two runs have must be equal.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_MERGE_H
#define FILTERBENCH_HARNESS_DOCUMENT_MERGE_H

#include "harness/document/kind.h"

/*
 * Merges documents [n], merged ones among them, each of which has been checked (check.h); names [n]
 * are for messages. FB_EXIT_NOT_COMPARABLE with a line on stderr where they are not of one
 * experiment, one file of keys or one split, or a run is not complete; FB_EXIT_CORRECTNESS where
 * two runs contradict each other; FB_EXIT_USAGE where the kind cannot be merged. *merged is the
 * caller's. With `partial` it has cells of what the shards that are there have counted: to be
 * shown, not kept, as merging the others to it would count them twice.
 */
enum fb_exit fb_merge(const json_t *const *documents, const char *const *names, size_t n,
                      bool partial, json_t **merged);

#endif

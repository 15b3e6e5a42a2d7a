/*
 * Runs of which a merged document keeps a line. Once all shards of a split are there, each cell is
 * put together, and nobody asks for their fragments again: 500 shards would have 50 times the bytes
 * of one run. Such runs stand in "counted", in the order of (machine, start, hash):
 *
 *     [{tool, machine, build, and plugins if there were any,
 *       runs: [{started, elapsed_s, shard, of, fragments_xxh3_128, content_xxh3_128,
 *                warnings}, ...]}, ...]
 *
 * A later run of one of these shards is held against the hash of its fragments.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_COUNTED_H
#define FILTERBENCH_HARNESS_DOCUMENT_COUNTED_H

#include <jansson.h>
#include <stdbool.h>

/* Moves the shards among the parts of a merged document to "counted". */
void fb_counted_keep(json_t *merged);

/* The runs in "counted" as documents without cells, added to `by_hash`; and the cells of all of
 * them as one whole run, added to `wholes`. */
void fb_counted_recall(const json_t *merged, json_t *by_hash, json_t *wholes);

/* Whether two runs of a shard have counted the same fragments. */
bool fb_counted_same(const json_t *one, const json_t *other);

#endif

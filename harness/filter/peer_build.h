/*
 * Builds of whole filters with the structure of the fastest other libraries, written here from
 * their description, for the time of the library's own build to be held to.
 *
 *     leveldb                      each key's bits, one key after the other
 *     xor-8, xor-16                three tables of sums and counts, a queue for each
 *     fuse-8, fuse-16              hashes sorted by their first segment, then one table and one
 * queue cuckoo-12, cuckoo-16         one key after the other, moves at random; a power of two of
 *                                  buckets, so that it is up to half empty
 *
 * Of all but the cuckoo filters the design's own query finds every key in what a peer has built.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_PEER_BUILD_H
#define FILTERBENCH_HARNESS_FILTER_PEER_BUILD_H

#include "filters/core/filter.h"

typedef enum fb_err fb_peer_build(const struct fb_filter *like, const uint64_t *digests, size_t n,
                                  struct fb_filter *out);

/* Builds *out of n digests with the geometry of `like`, a built filter of the same keys, whose seed
 * it takes: one attempt. Close *out. FB_ENOMEM; FB_EFULL where a cuckoo key finds no place or a key
 * stands twice. NULL: there is no peer for that design's build. */
fb_peer_build *fb_peer_build_of(const char *design);

#endif

/*
 * A generated key space whose keys are written out and sorted: the same keys in the same order of
 * arrival, numbered by their bytes. What asks for ranges of keys (scans) needs it where a format's
 * bytes do not sort as its indices.
 *
 * It takes some 32 bytes a key beside the key itself.
 *
 * Threads: after it is made, any number of threads may read it.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_SORTED_SPACE_H
#define FILTERBENCH_WORKLOADS_CORE_SORTED_SPACE_H

#include "workloads/core/keyspace.h"

/* The memory behind a sorted space. You need not read its members. */
struct fb_sorted_space {
    struct fb_keyset keys; /* the keys of all indices of `from`, in ascending order; owned */
    /* [size] each, owned. index[a] is the index of arrival a, its place among the sorted keys.
     * arrival[i] is the arrival of index i. */
    uint64_t *index, *arrival;
};

/* Sorts all keys of `from` into *owned, and makes *out the space of the sorted keys. *out points
 * into *owned, so do not copy or move *owned, and close it when you no longer use *out. *out itself
 * owns nothing.
 *
 * FB_ENOMEM: memory is lacking. FB_EINVAL: two indices have the same key. After an error do not use
 * *out, but close *owned all the same. */
enum fb_err fb_sorted_space_make(const struct fb_keyspace *from, struct fb_sorted_space *owned,
                                 struct fb_keyspace *out) FB_MUST_USE;
void fb_sorted_space_close(struct fb_sorted_space *); /* a zeroed one is accepted */

#endif

/*
 * A generated key space whose keys are written out and sorted: the same keys in the same order of
 * arrival, numbered by their bytes. What asks for ranges of keys (scans) needs it where a format's
 * bytes do not sort as its indices.
 *
 * Takes some 32 bytes a key beside the key itself. Const once made; any thread.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_SORTED_SPACE_H
#define FILTERBENCH_WORKLOADS_CORE_SORTED_SPACE_H

#include "workloads/core/keyspace.h"

struct fb_sorted_space {
    struct fb_keyset keys; /* of all indices, owned */
    uint64_t *index, *arrival;
};

/* Sorts the keys of `from`. out borrows from *owned, which is to be closed after it, and after an
 * error as well. FB_ENOMEM; FB_EINVAL where two indices have the same key. */
enum fb_err fb_sorted_space_make(const struct fb_keyspace *from, struct fb_sorted_space *owned,
                                 struct fb_keyspace *out) FB_MUST_USE;
void fb_sorted_space_close(struct fb_sorted_space *); /* a zeroed one is accepted */

#endif

/*
 * A memtable: a skip list over byte keys (Pugh 1990), one in four nodes reaching the next height,
 * at most 12 as in LevelDB. Heights come from a counter stream, so equal insertions give equal
 * lists and equal counts of comparisons everywhere.
 *
 * Threads: one writer; any number of readers while nobody writes.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_MEMTABLE_H
#define FILTERBENCH_WORKLOADS_CORE_MEMTABLE_H

#include "filters/core/base.h"

/* A zeroed memtable is empty, and you may close it. `stream` decides the heights. */
struct fb_memtable {
    struct fb_memtable_node *nodes; /* [n_nodes] node 0 is the head; owned */
    uint32_t *links;                /* of node i from nodes[i].links on, one a height; owned */
    uint8_t *bytes;                 /* keys, owned */
    uint64_t stream;
    uint64_t n_nodes, n_links, n_bytes;
    uint64_t node_room, link_room, byte_room;
    unsigned height; /* the greatest of any node */
};

void fb_memtable_close(struct fb_memtable *);
/* Forgets all keys and keeps the memory. */
void fb_memtable_clear(struct fb_memtable *);
static inline size_t fb_memtable_n(const struct fb_memtable *m)
{
    return m->n_nodes ? (size_t)m->n_nodes - 1 : 0;
}

/* Inserts the key or gives it another value; *is_new says which. At most 2^31 keys. On FB_ENOMEM
 * the table is what it was. */
enum fb_err fb_memtable_put(struct fb_memtable *, const void *key, size_t len, uint64_t value,
                            bool *is_new) FB_MUST_USE;

/* Looks the key up. Adds the comparisons of keys that this took to *n_compared. */
bool fb_memtable_get(const struct fb_memtable *, const void *key, size_t len, uint64_t *value,
                     uint64_t *n_compared);

/* In ascending order, a shorter key before those that it begins:
 *     for (uint32_t i = fb_memtable_first(m); i; i = fb_memtable_next(m, i)) */
uint32_t fb_memtable_first(const struct fb_memtable *);
uint32_t fb_memtable_next(const struct fb_memtable *, uint32_t i);
/* Key and value of position i; the pointer is good until the next put. */
const uint8_t *fb_memtable_key(const struct fb_memtable *, uint32_t i, size_t *len);
uint64_t fb_memtable_value(const struct fb_memtable *, uint32_t i);

/* Puts all keys of a run of a tree (tree_memtable.c), whose memtables are runs as well; values are
 * indices, with FB_MEMBER_TOMBSTONE set for deletions. On an error, what was put stays. */
struct fb_tree;
enum fb_err fb_memtable_fill(struct fb_memtable *, const struct fb_tree *, size_t run) FB_MUST_USE;

/* The memtables of a tree, which are its first runs. A zeroed one has none and may be closed. */
struct fb_memtables {
    struct fb_memtable *table; /* [n] of runs 0 .. n - 1, owned */
    size_t n;
};

/* Fills them all, at 90 bytes and the key for each key. If they would hold more than most_keys
 * together, *out has none, which is no error. */
enum fb_err fb_memtables_fill(const struct fb_tree *, uint64_t most_keys,
                              struct fb_memtables *out) FB_MUST_USE;
void fb_memtables_close(struct fb_memtables *);

#endif

/*
 * Where a measuring process puts the data that it asks: in pages of its own, at a random offset.
 * Physical pages are a matter of placement as well. (One mapping of the same pages for all
 * processes made whole runs differ by a quarter beyond the caches, and no interval showed it.)
 */
#ifndef FILTERBENCH_HARNESS_MEASURE_PLACEMENT_H
#define FILTERBENCH_HARNESS_MEASURE_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fb_placed {
    void *map; /* owned */
    size_t map_bytes;
    uint8_t *at; /* on a cache line */
};

/* Room for n_bytes at an offset within a page that `random` decides. huge: pages of 2 MiB are asked
 * for, else refused. False: no memory. */
bool fb_placed_map(struct fb_placed *, uint64_t n_bytes, uint64_t random, bool huge);

/* Gives pages to n of them, a piece of each in turn, so that near and far memory (of another node
 * of the host, for one) falls to all alike. Else one of them lies in the one or the other, and
 * lookups in it take up to twice as long as in its neighbour. Those without a map are left out. */
void fb_placed_populate(const struct fb_placed *, size_t n);

/* The first n_bytes of a memory file. False: it has fewer. */
bool fb_placed_read(const struct fb_placed *, int fd, uint64_t n_bytes);

void fb_placed_close(struct fb_placed *); /* a zeroed one is accepted */

#endif

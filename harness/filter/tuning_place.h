/*
 * Places at which entries of the tuning are tried: a design's filter of one size, asked or filled
 * in batches. A process measures one place: its entries in the same rounds, on one copy of the
 * bits, so nothing has to be brought back into the caches between them.
 *
 * Each class of kernels has designs that stand for it, each reach a size or two:
 *
 *     0.45 L2, 0.9 L2, 1.5 L2, 0.2 L3, half of L3, 0.9 L3, the footprint DRAM (footprint.h)
 *
 * as far as this machine's caches put them in different reaches. Example: with 1 MiB of L2 and 16
 * MiB of L3, 0.2 L3 are 3.2 MiB. Or there are places of every design, of 10 bits a key where it
 * takes a size, with a million keys, ten and a hundred million.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_TUNING_PLACE_H
#define FILTERBENCH_HARNESS_FILTER_TUNING_PLACE_H

#include "harness/filter/timing.h"

enum { FB_PLACE_ENTRIES = 64, FB_PLACE_ROUNDS = 64 }; /* at most */

struct fb_place {
    enum fb_tuned_work work;
    enum fb_tuned tuned;
    enum fb_reach reach; /* of its filter, by the machine's caches */
    uint64_t n_bytes;    /* of its filter */
    uint64_t n_keys;     /* 0: its filter was sized by its bytes */
    const struct fb_design *design;
    struct fb_timing_job job;
};

/* The places of this machine, whose caches `machine` names; owned by the caller, as are they: *n of
 * them. Their filters are built when they are first tried. NULL: no memory. */
struct fb_place *fb_places_open(const struct fb_tuning *machine, size_t *n);
/* The places of every design; inserts of those whose filters they do not change. Where random bits
 * do not stand for its keys, the filter is built from so many keys. */
struct fb_place *fb_places_of_designs(const struct fb_tuning *machine, size_t *n);
void fb_places_close(struct fb_place *, size_t n);

/*
 * One process of `rounds` rounds, pinned to `cpu` (-1: not). d [n] becomes the median over rounds
 * of the log ratio of an entry's time to that of entry 0, ns [n] the median time of a key. FB_EIO
 * if the process fails; what is in d and ns when fb_interrupted() counts for nothing.
 */
enum fb_err fb_place_try(struct fb_place *, const struct fb_prefetch *entries, size_t n,
                         size_t rounds, int cpu, uint64_t seed, double *d, double *ns) FB_MUST_USE;

#endif

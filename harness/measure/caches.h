/*
 * Sizes of this machine's caches.
 */
#ifndef FILTERBENCH_HARNESS_MEASURE_CACHES_H
#define FILTERBENCH_HARNESS_MEASURE_CACHES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct fb_caches {
    uint64_t l1d_bytes, l2_bytes, l3_bytes;
    bool assumed; /* the system does not name one of them: 48 KiB, 1 MiB or 32 MiB by guess */
};

void fb_caches_detect(struct fb_caches *);

/* {l1d_bytes, l2_bytes, l3_bytes, assumed}, and back: 0 where there is none. */
json_t *fb_caches_json(const struct fb_caches *);
void fb_caches_read(const json_t *, struct fb_caches *);

#endif

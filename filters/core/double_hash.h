/*
 * Probes at h1 + i h2, i = 0..k-1, the sum wrapping at 2^64 before each reduction mod m, in an
 * array of LSB-first bits: the scheme of the nori document, of nori's code and of the course
 * lesson.
 *
 * It is not textbook double hashing (bloom-double), which reduces h1 and h2 first: every wrap
 * shifts the progression by 2^64 mod m and so breaks most of the degenerate steps.
 */
#ifndef FILTERBENCH_FILTERS_CORE_DOUBLE_HASH_H
#define FILTERBENCH_FILTERS_CORE_DOUBLE_HASH_H

#include "filters/core/bits.h"
#include "filters/core/filter.h"

static inline bool fb_wrapped_probe(const struct fb_filter *f, const uint64_t *digest)
{
    uint64_t h = digest[0];
    for (uint32_t i = 0; i < f->geom.probes; i++, h += digest[1])
        if (!fb_bit_lsb(f->bytes, fb_mod(h, f->geom.range)))
            return false;
    return true;
}

static inline void fb_wrapped_insert(struct fb_filter *f, const uint64_t *digest)
{
    uint64_t h = digest[0];
    for (uint32_t i = 0; i < f->geom.probes; i++, h += digest[1])
        fb_set_bit_lsb(f->bytes, fb_mod(h, f->geom.range));
}

#endif

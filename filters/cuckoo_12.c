/*
 * cuckoo-12: a cuckoo filter of 12 bits a fingerprint; keys can be taken out.
 *
 * Fan, Andersen, Kaminsky, Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom" (2014),
 * with buckets of any number (simd/two_places.h) and a format of its own (simd/cuckoo.inc).
 * 12 / 0.95 = 12.63 bits per key at its fullest, and a rate of 0.0019 there; a lower rate, or more
 * bits, leaves slots free. Cost: two cache lines a key, three for a bucket of six bytes that lies
 * across two lines, one in sixteen. Inserts slow down as the table fills.
 */
#define FB_CUCKOO_BITS 12
#include "filters/simd/cuckoo.inc"

const struct fb_design fb_design_cuckoo_12 = {
    .name = "cuckoo-12",
    .summary = "removable: a fingerprint of 12 bits in one of two buckets of four",
    .source = "Fan, Andersen, Kaminsky, Mitzenmacher, Cuckoo Filter, 2014",
    .caveat = "takes no key a ninth time; inserts slow down from nine tenths full on",
    .traits = FB_SIZES_BY_RATE | FB_FIXED_PROBES | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_one,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fpr,
    .when_full = when_full,
    .own = own,
    .formats = formats,
    .kernels = kernels,
    .slots = slots,
};

/*
 * cuckoo-16: a cuckoo filter of 16 bits a fingerprint; keys can be taken out.
 *
 * Fan, Andersen, Kaminsky, Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom" (2014),
 * with buckets of any number (simd/two_places.h) and a format of its own (simd/cuckoo.inc).
 * 16 / 0.95 = 16.84 bits per key at its fullest, and a rate of 0.00012 there; a lower rate, or more
 * bits, leaves slots free. Cost: two cache lines a key, present or not.
 * Inserts slow down as the table fills.
 */
#define FB_CUCKOO_BITS 16
#include "filters/simd/cuckoo.inc"

const struct fb_design fb_design_cuckoo_16 = {
    .name = "cuckoo-16",
    .summary = "removable: a fingerprint of 16 bits in one of two buckets of four",
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

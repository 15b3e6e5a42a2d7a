/*
 * What RocksDB's filters share: sizes in thousandths of a bit per key, and the five bytes at the
 * end of a block. The first of these names the implementation. rocksdb-ribbon also builds and reads
 * FastLocalBloom, so all of that but its loops stands here.
 *
 * Source: facebook/rocksdb table/block_based/filter_policy.cc, util/bloom_impl.h.
 */
#ifndef FILTERBENCH_FILTERS_CORE_INTERNAL_ROCKSDB_H
#define FILTERBENCH_FILTERS_CORE_INTERNAL_ROCKSDB_H

#include "filters/core/filter.h"

enum { FB_ROCKSDB_TRAILER = 5, FB_ROCKSDB_LINE_BYTES = 64, FB_ROCKSDB_LINE_BITS = 512 };

/* The key's 64-bit hash; of one word. */
void fb_rocksdb_digest(const void *key, size_t len, unsigned n_words, uint64_t *words);

/* FB_EINVAL, with *why, for sizes and probes that RocksDB's Bloom filters do not have. */
enum fb_err fb_rocksdb_check(const struct fb_params *, const char **why);

/* Thousandths of a bit per key: rounded at the half, with RocksDB's guard against 9.9995. */
uint32_t fb_rocksdb_millibits(double bits_per_key);

/* ---- Blocks ---- */

enum fb_rocksdb_sort {
    FB_ROCKSDB_EMPTY,   /* no longer than its trailer: answers no */
    FB_ROCKSDB_UNKNOWN, /* "always yes", or from the future: answers yes */
    FB_ROCKSDB_LEGACY,
    FB_ROCKSDB_BLOOM, /* FastLocalBloom */
    FB_ROCKSDB_RIBBON,
};
enum fb_rocksdb_sort fb_rocksdb_sort_of(const uint8_t *block, size_t len);

/* A filter without bytes that answers with fb_kernel_no or fb_kernel_yes. */
enum fb_err fb_rocksdb_constant(const struct fb_design *, const struct fb_kernel *answer,
                                struct fb_filter *out);

/* Reads a block that is not of the caller's sort: FB_EUNSUPPORTED, with *why, where the real reader
 * goes on with other code. */
enum fb_err fb_rocksdb_read_other(const struct fb_design *, enum fb_rocksdb_sort,
                                  struct fb_filter *out, const char **why);

/* ---- FastLocalBloom but for its loops ---- */

/* Probes by RocksDB's table on thousandths of a bit. */
uint32_t fb_fastlocal_probes_of(uint32_t millibits);
/* The params must be checked. */
void fb_fastlocal_plan(const struct fb_params *, uint64_t n_keys, struct fb_geometry *out);
double fb_fastlocal_fpr(const struct fb_geometry *, uint64_t n_keys);
uint64_t fb_fastlocal_size(const struct fb_filter *);
void fb_fastlocal_write(const struct fb_filter *, uint8_t *block);
/* A block of sort FB_ROCKSDB_BLOOM. */
enum fb_err fb_fastlocal_read(const struct fb_design *, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why);

#endif

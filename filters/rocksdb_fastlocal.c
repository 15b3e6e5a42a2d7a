/*
 * rocksdb-fastlocal: FastLocalBloom, RocksDB's Bloom filter since format_version 5.
 *
 *     block: lines of 64 bytes, bits LSB first | FF 00 k 00 00
 *     h = Hash64(key) (XXPH3); line = floor(lo(h) * lines / 2^32)
 *     x = hi(h); k times: bit x >> 23 of the line, then x *= 9E3779B9
 *     lines from thousandths of a bit per key and the entries, k from a table on those thousandths
 *
 * Source: facebook/rocksdb util/bloom_impl.h, table/block_based/filter_policy.cc. A key whose hash
 * equals that of the entry just before is not counted. The reader takes what it does not know for
 * "may be present". optimize_filters_for_memory, on by default since 9.2, chooses sizes that follow
 * the allocator and are not reproducible: off here. Cost: one line, and 1.146 times the rate of a
 * classic filter at 10 bits/key, 2.5 times at 20. Flaw: the constant is 1 mod 8, so x = 2^29 j has
 * one position for all its probes, 2^28 j at most two, 2^27 j four: with the 32 bits that choose a
 * key's whole pattern, a floor of 2e-9 to 4e-9 that shows from 40 bits/key on.
 */
#include "filters/inline/rocksdb_fastlocal.h"

#include "filters/core/internal/rocksdb.h"
#include "filters/simd/avx2.h"
#include "filters/simd/avx512.h"
#include "filters/simd/neon.h"

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    enum fb_err err = fb_rocksdb_check(params, why);
    if (!err)
        fb_fastlocal_plan(params, n_keys, geom);
    return err;
}

#define FB_LOOPS_LINE(f, digest) fb_fastlocal_offset(f, *(digest))

#define FB_LOOPS        scalar
#define FB_LOOPS_ISA    FB_ISA_SCALAR
#define FB_LOOPS_WORDS  1
#define FB_LOOPS_PROBE  fb_rocksdb_fastlocal_query_scalar
#define FB_LOOPS_INSERT fb_rocksdb_fastlocal_insert
#include "filters/core/loops.inc"

#include "filters/simd/rocksdb_fastlocal_x86.h"

#if defined(__aarch64__)

static inline void offsets_neon(const struct fb_filter *f, const uint64_t *digests, uint64_t *out)
{
    fb_offsets_mul_neon(f, digests, out, false, FB_FASTLOCAL_LINE_SHIFT);
}

#define FB_RING     neon
#define FB_RING_ISA FB_ISA_NEON
#define FB_RING_TARGET
#define FB_RING_OFFSETS offsets_neon
#define FB_RING_QUERY   fb_rocksdb_fastlocal_query_neon
#define FB_RING_AT      fb_rocksdb_fastlocal_at_neon
#define FB_RING_INSERT  fb_rocksdb_fastlocal_insert_at
#include "filters/simd/one_block_ring.inc"

#endif

static const struct fb_kernel *const kernels[] = {
    &scalar_kernel,
    FB_IF_NEON(&neon_kernel, ) FB_IF_AVX2(&avx2_kernel, ) FB_IF_AVX512(&avx512_kernel, ) NULL};

static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    const enum fb_rocksdb_sort sort = fb_rocksdb_sort_of(block, len);
    return sort == FB_ROCKSDB_BLOOM ? fb_fastlocal_read(design, block, len, out, why)
                                    : fb_rocksdb_read_other(design, sort, out, why);
}

static const struct fb_format formats[] = {
    {"rocksdb", "the lines, then FF 00 k 00 00; no keys, no bytes", fb_fastlocal_size,
     fb_fastlocal_write, block_read},
    {0},
};

const struct fb_design fb_design_rocksdb_fastlocal = {
    .name = "rocksdb-fastlocal",
    .summary = "RocksDB's FastLocalBloom: all probes in one 64-byte line",
    .source = "facebook/rocksdb util/bloom_impl.h, table/block_based/filter_policy.cc",
    .caveat = "uneven lines: 1.15 times the classic rate at 10 bits/key, 2.5 times at 20",
    .traits = FB_SIZES_BY_BITS | FB_DROPS_ADJACENT | FB_COUNTS_DUPLICATES,
    .hash = "rocksdb-hash64 (XXPH3), seed 0",
    .digest_words = 1,
    .digest = fb_rocksdb_digest,
    .digest_batch = fb_digest_batch_xxph3,
    .plan = plan,
    .fpr = fb_fastlocal_fpr,
    .formats = formats,
    .kernels = kernels,
};

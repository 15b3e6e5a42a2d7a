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
#include "filters/simd/avx2.h"
#include "filters/simd/avx512.h"
#include "filters/simd/neon.h"

enum { LINE_BYTES = FB_FASTLOCAL_LINE_BYTES, LINE_BITS = 512, MAX_PROBES = 30, TRAILER = 5 };

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    (void)n_words;
    words[0] = fb_xxph3(key, len, 0);
}

/* Thousandths of a bit per key: rounded at the half, with RocksDB's guard against 9.9995. */
static uint32_t millibits_of(double bits_per_key)
{
    if (bits_per_key < 1)
        return 1000;
    return bits_per_key >= 100 ? 100000 : (uint32_t)(bits_per_key * 1000 + 0.500001);
}

static uint32_t probes_of(uint32_t millibits)
{
    static const uint32_t up_to[] = {2080,  3580,  5100,  6640,  8300,  10070,
                                     11720, 14001, 16050, 18300, 22001, 25501};
    for (uint32_t i = 0; i < sizeof up_to / sizeof *up_to; i++)
        if (millibits <= up_to[i])
            return i + 1;
    return millibits > 50000 ? 24 : (millibits - 1) / 2000 - 1;
}

static void geometry(uint64_t n_lines, uint32_t probes, struct fb_geometry *out)
{
    out->n_blocks = n_lines;
    out->block_bits = LINE_BITS;
    out->n_bytes = n_lines * LINE_BYTES;
    out->n_bits = n_lines * LINE_BITS;
    out->probes = probes;
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    uint32_t millibits = millibits_of(params->bits_per_key);
    if (params->bits_per_key < 0.5) {
        *why = "RocksDB builds no filter below 0.5 bits per key";
        return FB_EINVAL;
    }
    if (params->probes > MAX_PROBES) {
        *why = "RocksDB's reader takes 1 to 30 probes";
        return FB_EINVAL;
    }
    uint64_t bytes = (n_keys * millibits + 7999) / 8000;
    if (bytes > UINT32_C(0xFFFFFFC0))
        bytes = UINT32_C(0xFFFFFFC0);
    geometry((bytes + LINE_BYTES - 1) / LINE_BYTES,
             params->probes ? params->probes : probes_of(millibits), geom);
    return FB_OK;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_either(fb_blocked_fpr(n_keys, geom->n_blocks, LINE_BITS, geom->probes),
                     fb_half_hash_collision(n_keys, geom->n_blocks));
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

static inline void insert_neon(struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    uint64_t *line = (uint64_t *)(void *)(f->bytes + offset);
    uint32_t x = fb_hi32(*digest);
    for (uint32_t i = 0; i < f->geom.probes; i++, x *= FB_FASTLOCAL_POWER1)
        line[x >> 29] |= UINT64_C(1) << (x >> 23 & 63);
}

#define FB_RING     neon
#define FB_RING_ISA FB_ISA_NEON
#define FB_RING_TARGET
#define FB_RING_OFFSETS offsets_neon
#define FB_RING_QUERY   fb_rocksdb_fastlocal_query_neon
#define FB_RING_AT      fb_rocksdb_fastlocal_at_neon
#define FB_RING_INSERT  insert_neon
#include "filters/simd/one_block_ring.inc"

#endif

static const struct fb_kernel *const kernels[] = {
    &scalar_kernel,
    FB_IF_NEON(&neon_kernel, ) FB_IF_AVX2(&avx2_kernel, ) FB_IF_AVX512(&avx512_kernel, ) NULL};

static uint64_t block_size(const struct fb_filter *f)
{
    return f->geom.n_bytes ? f->geom.n_bytes + TRAILER : 0;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    if (!f->geom.n_bytes)
        return;
    const uint8_t trailer[TRAILER] = {0xFF, 0, (uint8_t)f->geom.probes, 0, 0};
    memcpy(block, f->bytes, f->geom.n_bytes);
    memcpy(block + f->geom.n_bytes, trailer, TRAILER);
}

static enum fb_err constant(const struct fb_design *design, const struct fb_kernel *answer,
                            struct fb_filter *out)
{
    struct fb_geometry geom = {.digest_words = 1};
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err)
        out->kernel = answer;
    return err;
}

/* The byte that names the implementation: -1 this one, -2 Ribbon, 1 and more the legacy filter's
 * number of probes. Within this one: sub-implementation 0, 64-byte lines (top three bits of the k
 * byte), k in 1..30, two zero bytes; anything else may come from the future and answers yes. */
static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    if (len <= TRAILER)
        return constant(design, &fb_kernel_no, out);
    const uint8_t *trailer = block + len - TRAILER;
    int8_t implementation = (int8_t)trailer[0];
    uint32_t k = trailer[2];
    if (implementation == -2 || implementation >= 1) {
        *why = implementation == -2 ? "a Ribbon filter, which RocksDB reads with other code"
                                    : "a legacy Bloom filter, which RocksDB reads with other code";
        return FB_EUNSUPPORTED;
    }
    if (implementation != -1 || trailer[1] != 0 || k < 1 || k > MAX_PROBES || trailer[3] ||
        trailer[4])
        return constant(design, &fb_kernel_yes, out);
    uint64_t n_lines = (len - TRAILER) / LINE_BYTES;
    if (n_lines < 1 || n_lines > UINT32_MAX) {
        *why = "fewer bytes than one 64-byte line (RocksDB would read beyond them)";
        return FB_ECORRUPT;
    }
    struct fb_geometry geom = {.digest_words = 1, .range = fb_divisor_of(n_lines)};
    geometry(n_lines, k, &geom);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err)
        memcpy(out->bytes, block, geom.n_bytes);
    return err;
}

static const struct fb_format formats[] = {
    {"rocksdb", "the lines, then FF 00 k 00 00; no keys, no bytes", block_size, block_write,
     block_read},
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
    .digest = digest,
    .digest_batch = fb_digest_batch_xxph3,
    .plan = plan,
    .fpr = fpr,
    .formats = formats,
    .kernels = kernels,
};

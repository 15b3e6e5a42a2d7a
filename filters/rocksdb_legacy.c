/*
 * rocksdb-legacy: RocksDB's full Bloom filter before format_version 5.
 *
 *     block: lines of 64 bytes, bits LSB first | k u8 | number of lines u32
 *     h = RocksDB hash(key, bc9f1d34), 32 bits; line = h mod lines; delta = h rotated right by 17
 *     bit_i = (h + i delta) mod 512 of the line, i < k
 *     B = bits per key rounded to a whole number; lines = ceil(n B / 512), one more if even
 *     k = trunc(0.69 B) clamped to 1..30
 *
 * Source: facebook/rocksdb util/bloom_impl.h, table/block_based/filter_policy.cc. A key whose hash
 * equals that of the entry just before is not counted. The reader also takes lines of another power
 * of two of bytes, as builds for processors with other cache lines wrote them, and what fits no
 * line for "may be present". Flaws: the probes of a key are a progression of 9 + 9 bits within the
 * line, and whole hashes collide: n / 2^32 beside the rate, 2 % at 1e8 keys.
 */
#include "filters/core/internal/rocksdb.h"
#include "filters/inline/rocksdb_fastlocal.h"
#include "filters/simd/avx2.h"
#include "filters/simd/avx512.h"

enum { MOST_PROBES = 30 };

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    (void)n_words;
    words[0] = fb_rocksdb_hash(key, len, FB_BLOOM_HASH_SEED);
}

static void geometry(uint64_t n_lines, uint64_t line_bytes, uint32_t probes,
                     struct fb_geometry *out)
{
    out->n_blocks = n_lines;
    out->block_bits = (uint32_t)(8 * line_bytes);
    out->n_bytes = n_lines * line_bytes;
    out->n_bits = 8 * out->n_bytes;
    out->probes = probes;
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    enum fb_err err = fb_rocksdb_check(params, why);
    if (err)
        return err;
    const uint64_t whole = (fb_rocksdb_millibits(params->bits_per_key) + 500) / 1000;
    const uint64_t bits = fb_min_u64(n_keys * whole, UINT32_C(0xFFFF0000));
    uint32_t k = (uint32_t)((double)whole * 0.69);
    k = k < 1 ? 1 : k > MOST_PROBES ? MOST_PROBES : k;
    const uint64_t lines = bits ? fb_divide_up(bits, FB_ROCKSDB_LINE_BITS) | 1 : 0;
    geometry(lines, FB_ROCKSDB_LINE_BYTES, params->probes ? params->probes : k, geom);
    return FB_OK;
}

/* The part that has a formula; what progressions within a line add is simulated. */
static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_either(fb_blocked_fpr(n_keys, geom->n_blocks, geom->block_bits, geom->probes),
                     fb_hash_collision(n_keys, 32));
}

static inline uint64_t offset_of(const struct fb_filter *f, uint64_t digest)
{
    return fb_mod(fb_lo32(digest), f->geom.range) * (f->geom.block_bits / 8);
}

static inline bool query_scalar(const struct fb_filter *f, const uint64_t *digest)
{
    const uint8_t *line = f->bytes + offset_of(f, *digest);
    const uint32_t mask = f->geom.block_bits - 1;
    uint32_t h = fb_lo32(*digest), delta = fb_rotr32(h, 17);
    for (uint32_t i = 0; i < f->geom.probes; i++, h += delta)
        if (!fb_bit_lsb(line, h & mask))
            return false;
    return true;
}

static inline void insert_at(struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    uint8_t *line = f->bytes + offset;
    const uint32_t mask = f->geom.block_bits - 1;
    uint32_t h = fb_lo32(*digest), delta = fb_rotr32(h, 17);
    for (uint32_t i = 0; i < f->geom.probes; i++, h += delta)
        fb_set_bit_lsb(line, h & mask);
}

static inline void insert(struct fb_filter *f, const uint64_t *digest)
{
    insert_at(f, digest, offset_of(f, *digest));
}

#define FB_LOOPS_LINE(f, digest) offset_of(f, *(digest))

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 1
#define FB_LOOPS_PROBE query_scalar
#include "filters/core/loops.inc"

/* Vectors hold eight probes of a key, as FastLocalBloom's do: there the top nine bits of a lane are
 * the position in the line, here the lowest nine, moved up. Lines of other sizes are asked one by
 * one. */
#if defined(__x86_64__)

/* Probes 0 to 7, at the top of the lanes; *eight becomes the step to the next eight. */
FB_AVX2_INLINE __m256i probes_of(uint64_t digest, __m256i *eight)
{
    const uint32_t h = fb_lo32(digest), delta = fb_rotr32(h, 17);
    const __m256i step = _mm256_set1_epi32((int32_t)(delta << 23));
    const __m256i first = _mm256_set1_epi32((int32_t)(h << 23));
    *eight = _mm256_slli_epi32(step, 3);
    return _mm256_add_epi32(first,
                            _mm256_mullo_epi32(step, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}

FB_AVX2_INLINE __m256i missing_avx2(const struct fb_filter *f, const uint64_t *digest,
                                    uint64_t offset)
{
    const uint8_t *line = f->bytes + offset;
    const uint32_t k = f->geom.probes;
    __m256i eight, x = probes_of(*digest, &eight);
    __m256i missing = fb_fastlocal_missing_avx2(line, x, fb_fastlocal_lanes_avx2(k));
    for (uint32_t done = 8; done < k; done += 8) {
        x = _mm256_add_epi32(x, eight);
        missing = _mm256_or_si256(
            missing, fb_fastlocal_missing_avx2(line, x, fb_fastlocal_lanes_avx2(k - done)));
    }
    return missing;
}

FB_AVX2_INLINE bool query_avx2(const struct fb_filter *f, const uint64_t *digest)
{
    if (f->geom.block_bits != FB_ROCKSDB_LINE_BITS)
        return query_scalar(f, digest);
    const __m256i missing = missing_avx2(f, digest, offset_of(f, *digest));
    return _mm256_testz_si256(missing, missing);
}

FB_AVX2_INLINE size_t ask_avx2(const struct fb_filter *f, const uint64_t *digests,
                               const uint64_t *offsets, uint8_t *maybe)
{
    if (f->geom.block_bits != FB_ROCKSDB_LINE_BITS)
        return scalar_query_batch(f, digests, 8, maybe);
    __m256i pair[4];
    for (int i = 0; i < 8; i += 2)
        pair[i / 2] = _mm256_packs_epi32(missing_avx2(f, digests + i, offsets[i]),
                                         missing_avx2(f, digests + i + 1, offsets[i + 1]));
    return fb_answers_avx2(pair, maybe);
}

static inline void offsets_of(const struct fb_filter *f, const uint64_t *digests, uint64_t *out)
{
    for (int i = 0; i < 8; i++)
        out[i] = offset_of(f, digests[i]);
}

#define FB_RING         avx2
#define FB_RING_ISA     FB_ISA_AVX2
#define FB_RING_TARGET  FB_AVX2
#define FB_RING_OFFSETS offsets_of
#define FB_RING_QUERY   query_avx2
#define FB_RING_ASK     ask_avx2
#define FB_RING_INSERT  insert_at
#include "filters/simd/one_block_ring.inc"

FB_AVX512_INLINE uint32_t missing_avx512(const struct fb_filter *f, const uint64_t *digest,
                                         uint64_t offset)
{
    const uint8_t *line = f->bytes + offset;
    const uint32_t k = f->geom.probes;
    __m256i eight, x = probes_of(*digest, &eight);
    uint32_t missing = fb_fastlocal_missing_avx512(line, x, k);
    for (uint32_t done = 8; done < k; done += 8) {
        x = _mm256_add_epi32(x, eight);
        missing |= fb_fastlocal_missing_avx512(line, x, k - done);
    }
    return missing;
}

FB_AVX512_INLINE bool query_avx512(const struct fb_filter *f, const uint64_t *digest)
{
    if (f->geom.block_bits != FB_ROCKSDB_LINE_BITS)
        return query_scalar(f, digest);
    return missing_avx512(f, digest, offset_of(f, *digest)) == 0;
}

FB_AVX512_INLINE void misses_avx512(const struct fb_filter *f, const uint64_t *digests,
                                    const uint64_t *offsets, uint8_t *miss)
{
    for (int i = 0; i < 8; i++)
        miss[i] = f->geom.block_bits == FB_ROCKSDB_LINE_BITS
                      ? (uint8_t)missing_avx512(f, digests + i, offsets[i])
                      : !query_scalar(f, digests + i);
}

FB_AVX512_INLINE __m512i offsets_avx512(const struct fb_filter *f, const uint64_t *digests)
{
    const __m512i line = fb_mod32_x8(_mm512_loadu_si512(digests), f->geom.range);
    return _mm512_mullo_epi64(line, _mm512_set1_epi64(f->geom.block_bits / 8));
}

#define FB_RING         avx512
#define FB_RING_OFFSETS offsets_avx512
#define FB_RING_QUERY   query_avx512
#define FB_RING_MISSES  misses_avx512
#define FB_RING_INSERT  insert_at
#include "filters/simd/one_block_avx512.inc"

#endif

static const struct fb_kernel *const kernels[] = {
    &scalar_kernel, FB_IF_AVX2(&avx2_kernel, ) FB_IF_AVX512(&avx512_kernel, ) NULL};

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    if (!f->geom.n_bytes)
        return;
    memcpy(block, f->bytes, f->geom.n_bytes);
    block[f->geom.n_bytes] = (uint8_t)f->geom.probes;
    fb_put_le32(block + f->geom.n_bytes + 1, (uint32_t)f->geom.n_blocks);
}

/* Any k from 1 to 127; lines of len / lines bytes if that is a power of two. */
static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    const enum fb_rocksdb_sort sort = fb_rocksdb_sort_of(block, len);
    if (sort != FB_ROCKSDB_LEGACY)
        return fb_rocksdb_read_other(design, sort, out, why);
    const uint64_t bytes = len - FB_ROCKSDB_TRAILER, lines = fb_le32(block + len - 4);
    const uint64_t line_bytes = lines ? bytes / lines : 0;
    if (lines == 0 || bytes % lines || (line_bytes & (line_bytes - 1)))
        return fb_rocksdb_constant(design, &fb_kernel_yes, out);
    if (line_bytes > UINT32_C(1) << 28) {
        *why = "lines of 2^29 bytes and more, whose bits 32-bit positions do not count";
        return FB_ECORRUPT;
    }
    struct fb_geometry geom = {.digest_words = 1, .range = fb_divisor_of(lines)};
    geometry(lines, line_bytes, block[bytes], &geom);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err)
        memcpy(out->bytes, block, bytes);
    return err;
}

static const struct fb_format formats[] = {
    {"rocksdb", "the lines, then k u8 and their number u32; no keys, no bytes", fb_fastlocal_size,
     block_write, block_read},
    {0},
};

const struct fb_design fb_design_rocksdb_legacy = {
    .name = "rocksdb-legacy",
    .summary = "RocksDB's full filter before format 5: a progression in one 64-byte line",
    .source = "facebook/rocksdb util/bloom_impl.h, table/block_based/filter_policy.cc",
    .caveat = "a 32-bit hash: its collisions add n / 2^32; progressions crowd in a line",
    .traits = FB_SIZES_BY_BITS | FB_DROPS_ADJACENT | FB_COUNTS_DUPLICATES,
    .hash = "RocksDB hash, 32 bits, seed bc9f1d34",
    .digest_words = 1,
    .digest = digest,
    .plan = plan,
    .fpr = fpr,
    .scheme = FB_SCHEME_ROTATE17_LINE,
    .formats = formats,
    .kernels = kernels,
};

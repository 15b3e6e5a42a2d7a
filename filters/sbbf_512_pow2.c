/*
 * sbbf-512-pow2: abloom's variant with a power of two of blocks.
 *
 *     block and digest as sbbf-512; block index = hi(h) and (z - 1)
 *     z = ceil(n bits_per_key / 512), at least 1, rounded up to a power of two
 *     raw: the words as u64, little-endian
 *
 * Source: described, not shipped, in abloom's IMPLEMENTATION.md 1.2. A mask is cheaper than a
 * remainder; the rounding costs between nothing and twice the memory (1.39 times on average for
 * uniform n) and buys false positives with it: the filter of the 1 % row is one of 0.19 %.
 */
#include "filters/inline/sbbf_512.h"
#include "filters/simd/avx2.h"
#include "filters/simd/avx512.h"
#include "filters/simd/neon.h"

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    uint64_t n_blocks, rounded = 1;
    enum fb_err err =
        fb_split_blocks_by_bits(params->bits_per_key, n_keys, FB_SBBF_512_BITS, &n_blocks, why);
    if (err)
        return err;
    while (rounded < n_blocks)
        rounded *= 2;
    fb_split_block_geometry(rounded, FB_SBBF_512_BITS, geom);
    return FB_OK;
}

#if defined(__x86_64__)

FB_AVX2_INLINE void offsets_avx2(const struct fb_filter *f, const uint64_t *digests, uint64_t *out)
{
    const __m256i mask = _mm256_set1_epi64x((int64_t)(f->geom.n_blocks - 1));
    for (int i = 0; i < 8; i += 4) {
        __m256i h = _mm256_srli_epi64(_mm256_loadu_si256((const __m256i *)(digests + i)), 32);
        h = _mm256_slli_epi64(_mm256_and_si256(h, mask), FB_SBBF_512_SHIFT);
        _mm256_store_si256((__m256i *)(out + i), h);
    }
}

FB_AVX512_INLINE __m512i offsets_avx512(const struct fb_filter *f, const uint64_t *digests)
{
    const __m512i mask = _mm512_set1_epi64((int64_t)(f->geom.n_blocks - 1));
    __m512i h = _mm512_srli_epi64(_mm512_loadu_si512(digests), 32);
    return _mm512_slli_epi64(_mm512_and_si512(h, mask), FB_SBBF_512_SHIFT);
}

#elif defined(__aarch64__)

static inline void offsets_neon(const struct fb_filter *f, const uint64_t *digests, uint64_t *out)
{
    for (int i = 0; i < 8; i++)
        out[i] = fb_sbbf_512_pow2_offset(f, digests[i]);
}

#endif

#define FB_SBBF_512(name) fb_sbbf_512_pow2_##name
#include "filters/simd/sbbf_512.inc"

static enum fb_err raw_read(const struct fb_design *design, const uint8_t *block, size_t len,
                            struct fb_filter *out, const char **why)
{
    if (len < FB_SBBF_512_BYTES || len & (len - 1) || len > UINT64_C(1) << 37) {
        *why = "a block is a power of two of 64-byte blocks, at most 2^31";
        return FB_ECORRUPT;
    }
    return fb_split_block_load(design, len / FB_SBBF_512_BYTES, FB_SBBF_512_BITS, block, out);
}

static const struct fb_format formats[] = {
    {"raw", "the words, little-endian", fb_raw_size, fb_raw_write, raw_read},
    {0},
};

const struct fb_design fb_design_sbbf_512_pow2 = {
    .name = "sbbf-512-pow2",
    .summary = "split blocks of 512 bits, a power of two of them, picked by a mask",
    .source = "abloom IMPLEMENTATION.md 1.2 (source document 002); described, not shipped",
    .caveat = "up to twice the memory asked for",
    .traits = FB_SIZES_BY_BITS | FB_FIXED_PROBES | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_single,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fb_split_block_fpr,
    .formats = formats,
    .kernels = kernels,
};

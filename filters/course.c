/*
 * course: the filter of the LSM course lesson.
 *
 *     block: m u32 | k u32 | bits, LSB first; everything little-endian
 *     h1 = SipHash-1-3(len u64 | key), h2 = SipHash-1-3(len u64 | key | DEADBEEF), key 0
 *     bit_i = (h1 + i h2 mod 2^64) mod m, i < k
 *     m = n * bits_per_key, k = ceil(0.693 bits_per_key) clamped to 1..30
 *
 * Source: the lesson's code block (source document 004), Rust's DefaultHasher with 64-bit usize.
 * Flaws: m is truncated to 32 bits when written, so a filter above 512 MiB cannot be read back;
 * zero keys divide by zero. The lesson hashes inside the loop, 2k times per key; the digest is the
 * same. Cost: SipHash, then k cache lines for a present key and about two for an absent one.
 */
#include "filters/core/scattered.h"
#include "filters/hash/internal/siphash.h"

enum { HEADER = 8 };

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    const uint32_t suffix = UINT32_C(0xDEADBEEF);
    struct fb_sip s = fb_sip_start(0, 0);
    (void)n_words;
    fb_sip_feed(&s, &(uint64_t){len}, 8, 1);
    fb_sip_feed(&s, key, len, 1);
    words[0] = fb_sip_finish(&s, 1, 3);
    fb_sip_feed(&s, &suffix, sizeof suffix, 1);
    words[1] = fb_sip_finish(&s, 1, 3);
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    if (n_keys == 0) {
        *why = "the course filter divides by zero with no keys; give at least 1";
        return FB_EINVAL;
    }
    return fb_document_plan(params, n_keys, geom, why);
}

#include "filters/core/internal/wrapped.inc"

static uint64_t block_size(const struct fb_filter *f)
{
    return HEADER + f->geom.n_bytes;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    fb_put_le32(block, (uint32_t)f->geom.n_bits);
    fb_put_le32(block + 4, f->geom.probes);
    memcpy(block + HEADER, f->bytes, f->geom.n_bytes);
}

static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    if (len < HEADER)
        return fb_corrupt(why, "shorter than its 8-byte header");
    uint32_t n_bits = fb_le32(block), probes = fb_le32(block + 4);
    if (n_bits == 0)
        return fb_corrupt(why, "a filter of 0 bits would divide by zero");
    if (probes < 1 || probes > FB_DOCUMENT_MAX_PROBES)
        return fb_corrupt(why, "the number of hashes is outside 1..30");
    if ((n_bits + UINT64_C(7)) / 8 != len - HEADER)
        return fb_corrupt(why, "the number of bits does not match the length of the block");
    return fb_scattered_load(design, n_bits, probes, block + HEADER, out);
}

static const struct fb_format formats[] = {
    {"course", "m u32, k u32, then the bits", block_size, block_write, block_read},
    {0},
};

const struct fb_design fb_design_course = {
    .name = "course",
    .summary = "the course lesson's Bloom filter: wrapped double hashing of two SipHashes",
    .source = "the LSM course lesson's code block (source document 004)",
    .caveat = "SipHash is slow on short keys; m is cut to 32 bits in the block",
    .traits = FB_SIZES_BY_BITS | FB_INTEGER_BITS | FB_COUNTS_DUPLICATES,
    .hash = "SipHash-1-3 of the length and the key, and of these and DEADBEEF",
    .digest_words = 2,
    .digest = digest,
    .plan = plan,
    .fpr = fb_scattered_fpr,
    .scheme = FB_SCHEME_WRAPPED,
    .formats = formats,
    .kernels = kernels,
};

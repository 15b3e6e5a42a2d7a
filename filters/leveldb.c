/*
 * leveldb: the built-in Bloom filter policy.
 *
 *     block: bits, LSB first | k u8
 *     h = LevelDB hash(key, bc9f1d34), 32 bits; delta = h rotated right by 17
 *     bit_i = (h + i delta mod 2^32) mod m, i < k
 *     m = max(64, n * bits_per_key) in whole bytes, k = trunc(0.69 bits_per_key) clamped to 1..30
 *
 * Source: google/leveldb util/bloom.cc. Repeated keys count in n. The reader takes any k above 30
 * as a future encoding and answers yes; shorter than two bytes answers no. An SST has one such
 * filter per 2 KiB of data, of 20 to 40 keys each; whole-file filters reuse the scheme. Flaw: h + 2
 * delta takes only 196606 values (1 + 2^16 divides 2^32 - 1), so at large n the third probe always
 * passes, others crowd into residues of 3 and 5, and equal h collide outright: 1.4 % at n =
 * 1e5, 2.0 % at 3e5, where 10 independent bits per key give 0.84 %.
 */
#include "filters/inline/leveldb.h"
#include "filters/core/scattered.h"
#include "filters/simd/column_steps.h"
#include "filters/simd/lane_steps.h"

enum { MAX_PROBES = 30, MIN_BITS = 64 };

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    (void)n_words;
    words[0] = fb_leveldb_hash(key, len, FB_BLOOM_HASH_SEED);
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    uint32_t k = (uint32_t)(params->bits_per_key * 0.69);
    if (params->probes > MAX_PROBES) {
        *why = "this design has at most 30 probes; its reader takes more as a future encoding";
        return FB_EINVAL;
    }
    k = k < 1 ? 1 : k > MAX_PROBES ? MAX_PROBES : k;
    uint64_t bits = n_keys * (uint64_t)params->bits_per_key;
    geom->n_bytes = ((bits < MIN_BITS ? MIN_BITS : bits) + 7) / 8;
    geom->n_bits = geom->n_bytes * 8;
    geom->probes = params->probes ? params->probes : k;
    return FB_OK;
}

/* The part that has a formula; the rotation's share is simulated (theory.md section 4). */
static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_either(fb_scattered_fpr(geom, n_keys), fb_hash_collision(n_keys, 32));
}

#if defined(__x86_64__)

FB_AVX512_INLINE struct fb_column start_x8(const struct fb_filter *f, const uint64_t *digests,
                                           size_t i)
{
    (void)f;
    __m512i h = _mm512_loadu_si512(digests + i);
    return (struct fb_column){fb_halves(h, _mm512_ror_epi32(h, 17)), h};
}

FB_AVX2_INLINE struct fb_lanes start_lanes(const struct fb_filter *f, const uint64_t *digests,
                                           size_t i)
{
    (void)f;
    __m256i h = fb_low_halves_avx2(digests + i);
    return (struct fb_lanes){
        .h = h, .step = _mm256_or_si256(_mm256_srli_epi32(h, 17), _mm256_slli_epi32(h, 15))};
}

#endif

#define FB_WALK_WORDS      1
#define FB_WALK_START      fb_leveldb_start
#define FB_WALK_POSITION   fb_walk_mod32
#define FB_WALK_NEXT       fb_walk_add32
#define FB_COLUMN_WORDS    1
#define FB_COLUMN_START    start_x8
#define FB_COLUMN_POSITION fb_position_mod32
#define FB_COLUMN_NEXT     fb_next_add32
#define FB_LANES_MOST_BITS UINT64_MAX /* positions are below 2^32 in larger ones as well */
#define FB_LANES_WIDE      0
#define FB_LANES_START     start_lanes
#define FB_LANES_POSITION  fb_lanes_mod32
#define FB_LANES_NEXT      fb_lanes_add
#include "filters/core/internal/scattered.inc"

static uint64_t block_size(const struct fb_filter *f)
{
    return f->geom.n_bytes + 1;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    memcpy(block, f->bytes, f->geom.n_bytes);
    block[f->geom.n_bytes] = (uint8_t)f->geom.probes;
}

static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    (void)why;
    if (len < 2)
        return fb_scattered_load(design, 0, 0, block, out);
    uint8_t k = block[len - 1];
    enum fb_err err = fb_scattered_load(design, (len - 1) * UINT64_C(8), k, block, out);
    if (!err && k > MAX_PROBES)
        out->kernel = &fb_kernel_yes;
    return err;
}

static const struct fb_format formats[] = {
    {"leveldb", "the bits, then one byte k", block_size, block_write, block_read},
    {0},
};

const struct fb_design fb_design_leveldb = {
    .name = "leveldb",
    .summary = "LevelDB's Bloom filter: one 32-bit hash, stepped by its own rotation",
    .source = "google/leveldb util/bloom.cc",
    .caveat = "1.4 % instead of 0.84 % at 1e5 keys and 10 bits/key, 2.0 % at 3e5",
    .traits = FB_SIZES_BY_BITS | FB_INTEGER_BITS | FB_COUNTS_DUPLICATES,
    .hash = "LevelDB hash, 32 bits, seed bc9f1d34",
    .digest_words = 1,
    .digest = digest,
    .plan = plan,
    .fpr = fpr,
    .scheme = FB_SCHEME_ROTATE17,
    .formats = formats,
    .kernels = kernels,
};

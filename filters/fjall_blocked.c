/*
 * fjall-blocked: the blocked Bloom filter that lies in lsm-tree 3.x and is not compiled.
 *
 *     block: 4C 53 4D 03 | filter type u8 1 | hash type u8 0 | lines u64 | k u64, little-endian |
 *            lines of 64 bytes, bits MSB first
 *     h1 = XXH3-64(key), h2 = (h1 >> 32) * 517CC1B727220A95; line = h1 mod lines
 *     k - 1 times, i = 1, 2, ...: bit h1 mod 512 of the line, then h1 += h2, h2 *= i
 *     lines = ceil(n * bits_per_key / 512), k = trunc(bits_per_key ln 2), at least 1
 *
 * Source: fjall-rs/lsm-tree src/table/filter/blocked_bloom at 3.1.9, files that upstream leaves out
 * of its build. No keys, no filter; k = 1 tests no bit and answers yes to everything.
 * Flaws: one probe fewer than k. Line and first bit are rests of the same h1, so that a line uses
 * 512 / gcd(lines, 512) first bits: at 10 bits/key 1.2 % of absent keys pass where the number of
 * lines is odd, 4.7 % where it is twice an odd one, 8.7 % where it is four times one. Nine bits of
 * h2 are all that the other bits follow from, and no more than ten bits differ: the sums of
 * factorials soon repeat mod 512.
 * Cost: one line a key.
 */
#include <math.h>

#include "filters/core/internal/fjall.h"
#include "filters/core/math.h"
#include "filters/core/scattered.h"
#include "filters/inline/rocksdb_fastlocal.h"
#include "filters/simd/avx2.h"
#include "filters/simd/avx512.h"
#include "filters/simd/neon.h"

enum { LINE_BITS = 512, LINE_BYTES = 64, LINE_SHIFT = 6, HEADER = 22 };

#define STEP_FACTOR UINT64_C(0x517CC1B727220A95)

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    (void)n_words;
    words[0] = fb_xxh3_64(key, len, 0);
}

static void geometry(uint64_t n_lines, uint32_t probes, struct fb_geometry *out)
{
    out->n_blocks = n_lines;
    out->block_bits = LINE_BITS;
    out->n_bits = n_lines * LINE_BITS;
    out->n_bytes = n_lines * LINE_BYTES;
    out->probes = probes;
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *out,
                        const char **why)
{
    const uint64_t bits = (uint64_t)params->bits_per_key;
    const uint32_t k = (uint32_t)((float)bits * FB_FJALL_LN2);
    if (n_keys == 0) {
        *why = "fjall has no filter of 0 bits: give at least 1 key";
        return FB_EINVAL;
    }
    const uint32_t probes = k > 1 ? k - 1 : 0;
    geometry(fb_divide_up(n_keys * bits, LINE_BITS), params->probes ? params->probes : probes, out);
    return FB_OK;
}

/*
 * Bit i of a line is h1 + c_i h2 mod 512, c_i = 0! + 1! + ... + (i - 2)!, c_1 = 0: eight of them
 * make a vector. From c_13 on they are the same, as 12! is a multiple of 512: 16 are all.
 */
enum { MOST_DIFFERENT = 16 };
static const uint32_t sums[MOST_DIFFERENT] __attribute__((aligned(32))) = {
    0, 1, 2, 4, 10, 34, 154, 362, 282, 154, 26, 282, 26, 26, 26, 26};

/* The bits of a key whose step is `step`, as distances from its first bit; returns their number. */
static uint32_t distances(uint32_t step, uint32_t probes, uint32_t *at)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < probes && i < MOST_DIFFERENT; i++) {
        at[n] = sums[i] * step % LINE_BITS;
        uint32_t same = 0;
        while (at[same] != at[n])
            same++;
        n += same == n;
    }
    return n;
}

/*
 * With g = gcd(lines, 512), all first bits of a line are equal mod g, so that its bits fall into
 * classes mod g, of 512 / g bits each, that fill unevenly: a key adds to the class at distance d
 * the share of its steps and probes that lead there. fills[d] holds for a line of `load` keys, and
 * a query of step s passes if all its bits are set: the mean of their fills' product over s. What
 * it leaves out is that the bits of one key come together: simulated rates are 1.0 to 1.1 times as
 * high up to 10 bits per key, up to 1.8 times at 20, and more where g is 128 and above.
 */
static double rate_of(uint32_t probes, uint32_t g, double load)
{
    double added[LINE_BITS] = {0}, sum = 0;
    uint32_t at[MOST_DIFFERENT + 1];
    for (uint32_t step = 0; step < LINE_BITS; step++)
        for (uint32_t n = distances(step, probes, at); n > 0; n--)
            added[at[n - 1] % g] += 1.0 / LINE_BITS;
    for (uint32_t d = 0; d < g; d++)
        added[d] = -fb_expm1(-load * added[d] * g / LINE_BITS);
    for (uint32_t step = 0; step < LINE_BITS; step++) {
        double passes = 1;
        for (uint32_t n = distances(step, probes, at); n > 0; n--)
            passes *= added[at[n - 1] % g];
        sum += passes;
    }
    return sum / LINE_BITS;
}

/* The mean over the keys of a line, whose number is normal enough: three points of Gauss and
 * Hermite. */
static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    const uint64_t odd = geom->n_blocks | LINE_BITS;
    const uint32_t g = (uint32_t)(odd & -odd);
    const double load = (double)n_keys / (double)geom->n_blocks, reach = sqrt(3 * load);
    if (n_keys == 0 || geom->n_blocks == 0)
        return 0;
    return rate_of(geom->probes, g, load) * 2 / 3 + rate_of(geom->probes, g, load + reach) / 6 +
           rate_of(geom->probes, g, load > reach ? load - reach : 0) / 6;
}

static inline uint64_t offset_of(const struct fb_filter *f, uint64_t digest)
{
    return fb_mod(digest, f->geom.range) << LINE_SHIFT;
}

/* Bit i of the line, counted MSB first in each byte, is bit i ^ 7 of an LSB-first one. */
static inline uint32_t bit_of(uint64_t h)
{
    return (uint32_t)(h & (LINE_BITS - 1)) ^ 7;
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    const uint8_t *line = f->bytes + offset_of(f, *digest);
    uint64_t h = *digest, step = (h >> 32) * STEP_FACTOR;
    for (uint32_t i = 1; i <= f->geom.probes; i++, h += step, step *= i - 1)
        if (!fb_bit_lsb(line, bit_of(h)))
            return false;
    return true;
}

static inline void insert_at(struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    uint8_t *line = f->bytes + offset;
    uint64_t h = *digest, step = (h >> 32) * STEP_FACTOR;
    for (uint32_t i = 1; i <= f->geom.probes; i++, h += step, step *= i - 1)
        fb_set_bit_lsb(line, bit_of(h));
}

static inline void insert(struct fb_filter *f, const uint64_t *digest)
{
    insert_at(f, digest, offset_of(f, *digest));
}

#define FB_LOOPS_LINE(f, digest) offset_of(f, *(digest))

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 1
#include "filters/core/loops.inc"

static inline void offsets(const struct fb_filter *f, const uint64_t *digests, uint64_t *out)
{
    for (int i = 0; i < 8; i++)
        out[i] = offset_of(f, digests[i]);
}

#if defined(__x86_64__)

/* Eight probes from probe `from` on, as FastLocalBloom has them: the bit's number on top. */
FB_AVX2_INLINE __m256i probes_avx2(uint64_t h, uint32_t from)
{
    const uint64_t step = (h >> 32) * STEP_FACTOR;
    const __m256i *factors = (const __m256i *)(const void *)(sums + from);
    __m256i at =
        _mm256_mullo_epi32(_mm256_set1_epi32((int32_t)fb_lo32(step)), _mm256_load_si256(factors));
    at = _mm256_add_epi32(at, _mm256_set1_epi32((int32_t)fb_lo32(h)));
    return _mm256_slli_epi32(_mm256_xor_si256(at, _mm256_set1_epi32(7)), 23);
}

/* Zero exactly if the key may be present. */
FB_AVX2_INLINE __m256i missing_avx2(const struct fb_filter *f, uint64_t h, uint64_t offset)
{
    const uint8_t *line = f->bytes + offset;
    const uint32_t k = f->geom.probes;
    __m256i missing =
        fb_fastlocal_missing_avx2(line, probes_avx2(h, 0), fb_fastlocal_lanes_avx2(k));
    if (k > 8) {
        __m256i lanes = fb_fastlocal_lanes_avx2(k - 8);
        missing =
            _mm256_or_si256(missing, fb_fastlocal_missing_avx2(line, probes_avx2(h, 8), lanes));
    }
    return missing;
}

FB_AVX2_INLINE bool query_avx2(const struct fb_filter *f, const uint64_t *digest)
{
    __m256i missing = missing_avx2(f, *digest, offset_of(f, *digest));
    return _mm256_testz_si256(missing, missing);
}

FB_AVX2_INLINE size_t ask_avx2(const struct fb_filter *f, const uint64_t *digests,
                               const uint64_t *at, uint8_t *maybe)
{
    __m256i pair[4];
    for (int i = 0; i < 8; i += 2)
        pair[i / 2] = _mm256_packs_epi32(missing_avx2(f, digests[i], at[i]),
                                         missing_avx2(f, digests[i + 1], at[i + 1]));
    return fb_answers_avx2(pair, maybe);
}

#define FB_RING         avx2
#define FB_RING_ISA     FB_ISA_AVX2
#define FB_RING_TARGET  FB_AVX2
#define FB_RING_OFFSETS offsets
#define FB_RING_QUERY   query_avx2
#define FB_RING_ASK     ask_avx2
#define FB_RING_INSERT  insert_at
#include "filters/simd/one_block_ring.inc"

FB_AVX512_INLINE __m512i offsets_avx512(const struct fb_filter *f, const uint64_t *digests)
{
    return _mm512_slli_epi64(fb_mod_x8(_mm512_loadu_si512(digests), f->geom.range), LINE_SHIFT);
}

FB_AVX512_INLINE uint32_t missing_avx512(const struct fb_filter *f, uint64_t h, uint64_t offset)
{
    const uint8_t *line = f->bytes + offset;
    const uint32_t k = f->geom.probes;
    uint32_t missing = fb_fastlocal_missing_avx512(line, probes_avx2(h, 0), k);
    if (k > 8)
        missing |= fb_fastlocal_missing_avx512(line, probes_avx2(h, 8), k - 8);
    return missing;
}

FB_AVX512_INLINE bool query_avx512(const struct fb_filter *f, const uint64_t *digest)
{
    return missing_avx512(f, *digest, offset_of(f, *digest)) == 0;
}

FB_AVX512_INLINE void misses_avx512(const struct fb_filter *f, const uint64_t *digests,
                                    const uint64_t *at, uint8_t *miss)
{
    for (int i = 0; i < 8; i++)
        miss[i] = (uint8_t)missing_avx512(f, digests[i], at[i]);
}

#define FB_RING         avx512
#define FB_RING_OFFSETS offsets_avx512
#define FB_RING_QUERY   query_avx512
#define FB_RING_MISSES  misses_avx512
#define FB_RING_INSERT  insert_at
#include "filters/simd/one_block_avx512.inc"

#elif defined(__aarch64__)

/* Eight bits of the line at once: a table of 64 bytes, as FastLocalBloom has it. */
static inline bool at_neon(const struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    const uint8x16x4_t line = vld1q_u8_x4(f->bytes + offset);
    const uint32_t step = fb_lo32((*digest >> 32) * STEP_FACTOR);
    for (uint32_t done = 0; done < f->geom.probes && done < MOST_DIFFERENT; done += 8) {
        const uint32x4_t h = vdupq_n_u32(fb_lo32(*digest));
        uint32x4_t a = vmlaq_n_u32(h, vld1q_u32(sums + done), step);
        uint32x4_t b = vmlaq_n_u32(h, vld1q_u32(sums + done + 4), step);
        a = vshlq_n_u32(veorq_u32(a, vdupq_n_u32(7)), 23);
        b = vshlq_n_u32(veorq_u32(b, vdupq_n_u32(7)), 23);
        if (!fb_fastlocal_eight_neon(line, a, b, f->geom.probes - done))
            return false;
    }
    return true;
}

static inline bool query_neon(const struct fb_filter *f, const uint64_t *digest)
{
    return at_neon(f, digest, offset_of(f, *digest));
}

#define FB_RING     neon
#define FB_RING_ISA FB_ISA_NEON
#define FB_RING_TARGET
#define FB_RING_OFFSETS offsets
#define FB_RING_QUERY   query_neon
#define FB_RING_AT      at_neon
#define FB_RING_INSERT  insert_at
#include "filters/simd/one_block_ring.inc"

#endif

static const struct fb_kernel *const kernels[] = {
    &scalar_kernel,
    FB_IF_NEON(&neon_kernel, ) FB_IF_AVX2(&avx2_kernel, ) FB_IF_AVX512(&avx512_kernel, ) NULL};

static const uint8_t magic[6] = {'L', 'S', 'M', 3, 1, 0};

static uint64_t block_size(const struct fb_filter *f)
{
    return HEADER + f->geom.n_bytes;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    memcpy(block, magic, sizeof magic);
    fb_put_le64(block + 6, f->geom.n_blocks);
    fb_put_le64(block + 14, f->geom.probes + UINT64_C(1));
    memcpy(block + HEADER, f->bytes, f->geom.n_bytes);
}

/* k = 0 and k = 1 are the same to the real reader; more bytes than the lines need it leaves alone.
 * It would divide by 0 lines, and read beyond too few bytes. */
static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    if (len < HEADER)
        return fb_corrupt(why, "shorter than its header");
    if (memcmp(block, magic, sizeof magic))
        return fb_corrupt(why, "not the magic bytes of lsm-tree 3, filter type 1, hash type 0");
    const uint64_t n_lines = fb_le64(block + 6), k = fb_le64(block + 14);
    if (n_lines == 0 || n_lines > (len - HEADER) / LINE_BYTES)
        return fb_corrupt(why, "no lines, or more than the block has bytes for");
    if (k > FB_MAX_BLOCK_PROBES)
        return fb_corrupt(why, "k is above 1048576");
    struct fb_geometry geom = {.digest_words = 1, .range = fb_divisor_of(n_lines)};
    geometry(n_lines, k > 1 ? (uint32_t)k - 1 : 0, &geom);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err)
        memcpy(out->bytes, block + HEADER, geom.n_bytes);
    return err;
}

static const struct fb_format formats[] = {
    {"fjall-blocked", "magic LSM 3, type 1, 22-byte header, then the lines", block_size,
     block_write, block_read},
    {0},
};

const struct fb_design fb_design_fjall_blocked = {
    .name = "fjall-blocked",
    .summary = "lsm-tree's blocked Bloom filter, present in 3.x and not compiled: one line a key",
    .source = "fjall-rs/lsm-tree src/table/filter/blocked_bloom at 3.1.9 (not in its build)",
    .caveat = "k - 1 probes, from nine bits of step; an even number of lines leaves first bits out",
    .traits = FB_SIZES_BY_BITS | FB_INTEGER_BITS | FB_COUNTS_DUPLICATES,
    .hash = "XXH3-64",
    .digest_words = 1,
    .digest = digest,
    .plan = plan,
    .fpr = fpr,
    .scheme = FB_SCHEME_MULTIPLIED_STEP_LINE,
    .formats = formats,
    .kernels = kernels,
};

/*
 * quotient: a vector quotient filter; keys can be taken out.
 *
 *     block: "FBVQ" | u8 1 | u8 8 | u16 0 | blocks u64 | blocks of 64 bytes, all little-endian
 *     one of 64 bytes: metadata of 128 bits, then 48 remainders of 8 bits
 *     metadata, from the lowest bit on: for each of 80 buckets a 0 for each of its remainders, then
 *     a 1; then zeros, one for each free slot. It is kept xor 2^80 - 1, so that zeros are an empty
 *     block. The remainders lie in the buckets' order, in one bucket as they came; free slots, of
 *     any value, are behind them
 *
 * Pandey, Conway, Durie, Bender, Farach-Colton, Johnson, "Vector Quotient Filters: Overcoming the
 * Time/Space Trade-Off in Filter Design" (2021). Example: remainders 7 and 9 in bucket 1, 4 in
 * bucket 2: metadata 1 001 01 1 1 ..., remainders 7 9 4. The fingerprint of a key is 256 * bucket +
 * remainder, its blocks are the two places of simd/two_places.h, and it goes into the one with more
 * free slots. No fingerprint moves later: an insert costs the same until both blocks are full, and
 * then the key is refused. Cost: two cache lines a key. 512 / 48 / 0.93 = 11.47 bits per key at its
 * fullest, and a rate of 2 * 44.6 / 20480 = 0.0044 there; a lower rate, or more bits, leaves slots
 * free. A key that was added 97 times is one too many.
 */
#include "filters/simd/two_places.h"

enum {
    BUCKETS = 80,
    SLOTS = 48,
    PRINTS = BUCKETS * 256,
    BLOCK_BYTES = 64,
    REMAINDERS = 16, /* bytes of a block before them */
    HEADER = 16
};

/* Keys per slot. The fuller of two blocks is avoided, so that blocks differ by few keys, but more
 * the more blocks there are. Two blocks more take up what chance does to few of them. */
static const double most_load = 0.93, least_load = 0.12;
enum { SPARE = 2 };

static void settle(struct fb_geometry *geom, uint64_t blocks)
{
    geom->own[FB_PLACES] = blocks;
    geom->n_bytes = blocks * BLOCK_BYTES;
    geom->n_bits = geom->n_bytes * 8;
    geom->probes = 2;
}

/* The fullest filter of that rate. */
static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    const double load = fb_two_places_keys(params->fpr, PRINTS) / SLOTS;
    const double blocks = (double)n_keys / (SLOTS * (load < most_load ? load : most_load));
    if (load < least_load || blocks >= UINT32_MAX - SPARE) {
        *why = load < least_load ? "a quotient filter with remainders of 8 bits reaches that rate "
                                   "only with more than 88 of 100 slots free"
                                 : "a quotient filter has fewer than 2^32 blocks";
        return FB_EINVAL;
    }
    settle(geom, (uint64_t)blocks + SPARE);
    return FB_OK;
}

static uint64_t slots(const struct fb_geometry *geom, double *most)
{
    *most = most_load;
    return geom->own[FB_PLACES] * SLOTS;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_two_places_fpr(geom, n_keys, PRINTS);
}

/* ---- One block ---- */

static inline uint64_t low_metadata(const uint8_t *block)
{
    return ~fb_le64(block);
}

static inline uint64_t high_metadata(const uint8_t *block)
{
    return fb_le64(block + 8) ^ 0xFFFF;
}

static inline fb_u128 metadata_of(const uint8_t *block)
{
    return low_metadata(block) | (fb_u128)high_metadata(block) << 64;
}

static void put_metadata(uint8_t *block, fb_u128 metadata)
{
    fb_put_le64(block, ~(uint64_t)metadata);
    fb_put_le64(block + 8, (uint64_t)(metadata >> 64) ^ 0xFFFF);
}

/* The position of the k-th one of x, from 0 on; there are more than k. */
static inline unsigned select_scalar(uint64_t x, unsigned k)
{
    const uint64_t each = UINT64_C(0x0101010101010101), tops = each << 7;
    uint64_t ones = x - (x >> 1 & each * 0x55);
    ones = (ones & each * 0x33) + (ones >> 2 & each * 0x33);
    ones = ((ones + (ones >> 4)) & each * 0x0F) * each;        /* byte i: of bytes 0 .. i */
    const uint64_t before = ((k * each | tops) - ones) & tops; /* bytes with no more than k */
    const unsigned shift = (unsigned)((before >> 7) * each >> 56) * 8;
    uint64_t byte = x >> shift & 0xFF;
    for (k -= ones << 8 >> shift & 0xFF; k > 0; k--)
        byte &= byte - 1;
    return shift + (unsigned)__builtin_ctzll(byte);
}

/* Where a bucket's zeros begin in the metadata, how many there are, and the slot of the first. */
struct run {
    unsigned at, n, slot;
};

/* A one put before the metadata ends the bucket before the first. A block has 48 zeros, so that the
 * one that ends this bucket is among the 64 bits from `at` on. */
static inline struct run run_of(fb_u128 metadata, unsigned bucket)
{
    const uint64_t low = (uint64_t)metadata << 1 | 1, high = (uint64_t)(metadata >> 63);
    const unsigned ones = (unsigned)__builtin_popcountll(low);
    const uint64_t far = -(uint64_t)(bucket >= ones); /* a mask: which half is anyone's guess */
    const unsigned at = select_scalar(low ^ ((low ^ high) & far), bucket - (ones & (unsigned)far)) +
                        (64 & (unsigned)far);
    return (struct run){at, (unsigned)__builtin_ctzll((uint64_t)(metadata >> at)), at - bucket};
}

/* Slots that are taken: the last one of the metadata has that many zeros before it. */
static inline unsigned taken(const uint8_t *block)
{
    return SLOTS - (unsigned)__builtin_clzll(high_metadata(block));
}

static fb_u128 below(unsigned at)
{
    return ((fb_u128)1 << at) - 1;
}

static void put(uint8_t *block, uint32_t print)
{
    const fb_u128 metadata = metadata_of(block);
    const struct run run = run_of(metadata, print >> 8);
    const unsigned end = run.at + run.n, slot = run.slot + run.n;
    uint8_t *remainder = block + REMAINDERS + slot;
    memmove(remainder + 1, remainder, taken(block) - slot);
    *remainder = (uint8_t)print;
    put_metadata(block, (metadata & below(end)) | metadata >> end << end << 1);
}

/* The slot of the fingerprint, SLOTS if there is none. */
static inline unsigned slot_of(const uint8_t *block, uint32_t print, struct run run)
{
    const uint8_t *remainders = block + REMAINDERS + run.slot;
    for (unsigned i = 0; i < run.n; i++)
        if (remainders[i] == (uint8_t)print)
            return run.slot + i;
    return SLOTS;
}

static bool take(uint8_t *block, uint32_t print)
{
    const fb_u128 metadata = metadata_of(block);
    const struct run run = run_of(metadata, print >> 8);
    const unsigned slot = slot_of(block, print, run), last = taken(block) - 1;
    if (slot == SLOTS)
        return false;
    uint8_t *remainders = block + REMAINDERS;
    memmove(remainders + slot, remainders + slot + 1, last - slot);
    remainders[last] = 0;
    put_metadata(block, (metadata & below(run.at)) | metadata >> run.at >> 1 << run.at);
    return true;
}

/* ---- Two blocks ---- */

static inline uint8_t *at_block(const struct fb_filter *f, uint32_t block)
{
    return f->bytes + (uint64_t)block * BLOCK_BYTES;
}

static inline bool holds(const uint8_t *block, uint32_t print)
{
    const struct run run = run_of(metadata_of(block), print >> 8);
    return slot_of(block, print, run) < SLOTS;
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    const uint32_t print = fb_place_print(*digest, PRINTS);
    const uint32_t block = fb_place_first(&f->geom, *digest);
    return holds(at_block(f, block), print) ||
           holds(at_block(f, fb_place_other(&f->geom, block, print)), print);
}

static inline bool insert(struct fb_filter *f, const uint64_t *digest)
{
    const uint32_t print = fb_place_print(*digest, PRINTS);
    const uint32_t block = fb_place_first(&f->geom, *digest);
    uint8_t *first = at_block(f, block),
            *other = at_block(f, fb_place_other(&f->geom, block, print));
    uint8_t *to = taken(other) < taken(first) ? other : first;
    if (taken(to) == SLOTS)
        return false;
    put(to, print);
    return true;
}

static inline bool remove_one(struct fb_filter *f, const uint64_t *digest)
{
    const uint32_t print = fb_place_print(*digest, PRINTS);
    const uint32_t block = fb_place_first(&f->geom, *digest);
    return take(at_block(f, block), print) ||
           take(at_block(f, fb_place_other(&f->geom, block, print)), print);
}

/* ---- Kernels ---- */

#define FB_LOOPS_LINE(f, digest) ((uint64_t)fb_place_first(&(f)->geom, *(digest)) * BLOCK_BYTES)

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 1
#define FB_LOOPS_FALLIBLE
#define FB_LOOPS_REMOVE remove_one
#include "filters/core/loops.inc"

#if defined(__x86_64__)

FB_AVX2_INLINE unsigned select_bmi2(uint64_t x, unsigned k)
{
    return (unsigned)__builtin_ctzll(_pdep_u64(UINT64_C(1) << k, x));
}

/* Those of a mask of slots that are in the print's bucket. */
FB_AVX2_INLINE uint64_t in_bucket(const uint8_t *block, uint32_t print, uint64_t slots)
{
    const uint64_t low = low_metadata(block), high = high_metadata(block);
    const uint64_t before = low << 1 | 1, behind = high << 1 | low >> 63;
    const unsigned bucket = print >> 8, ones = (unsigned)_mm_popcnt_u64(before);
    const uint64_t far = -(uint64_t)(bucket >= ones); /* a mask: which half is anyone's guess */
    const unsigned at =
        select_bmi2(before ^ ((before ^ behind) & far), bucket - (ones & (unsigned)far)) +
        (64 & (unsigned)far);
    const unsigned n = (unsigned)__builtin_ctzll((uint64_t)(metadata_of(block) >> at));
    return _bzhi_u64(slots >> (at - bucket), n);
}

/* Slots with the print's remainder, whatever their bucket. */
FB_AVX2_INLINE uint64_t slots_avx2(const uint8_t *block, uint32_t print)
{
    const __m256i remainder = _mm256_set1_epi8((char)print);
    const __m256i low = _mm256_load_si256((const __m256i *)(const void *)block),
                  high = _mm256_load_si256((const __m256i *)(const void *)(block + 32));
    const uint64_t equal =
        (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, remainder)) |
        (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, remainder)) << 32;
    return equal >> REMAINDERS;
}

FB_AVX512_INLINE uint64_t slots_avx512(const uint8_t *block, uint32_t print)
{
    const __m512i remainder = _mm512_set1_epi8((char)print);
    return _mm512_cmpeq_epi8_mask(_mm512_load_si512(block), remainder) >> REMAINDERS;
}

/* Both blocks, whatever the first one says: no branch waits for a remainder that may lie in another
 * bucket, as those of three absent keys in ten do. */
FB_AVX2_INLINE bool holds_avx2(const struct fb_filter *f, uint32_t print, uint64_t first,
                               uint64_t other)
{
    const uint8_t *a = f->bytes + first, *b = f->bytes + other;
    return in_bucket(a, print, slots_avx2(a, print)) | in_bucket(b, print, slots_avx2(b, print));
}

FB_AVX512_INLINE bool holds_avx512(const struct fb_filter *f, uint32_t print, uint64_t first,
                                   uint64_t other)
{
    const uint8_t *a = f->bytes + first, *b = f->bytes + other;
    return in_bucket(a, print, slots_avx512(a, print)) |
           in_bucket(b, print, slots_avx512(b, print));
}

FB_AVX2_INLINE bool probe_avx2(const struct fb_filter *f, const uint64_t *digest)
{
    const uint32_t print = fb_place_print(*digest, PRINTS);
    const uint32_t block = fb_place_first(&f->geom, *digest);
    const uint32_t other = fb_place_other(&f->geom, block, print);
    return holds_avx2(f, print, (uint64_t)block * BLOCK_BYTES, (uint64_t)other * BLOCK_BYTES);
}

FB_AVX512_INLINE bool probe_avx512(const struct fb_filter *f, const uint64_t *digest)
{
    const uint32_t print = fb_place_print(*digest, PRINTS);
    const uint32_t block = fb_place_first(&f->geom, *digest);
    const uint32_t other = fb_place_other(&f->geom, block, print);
    return holds_avx512(f, print, (uint64_t)block * BLOCK_BYTES, (uint64_t)other * BLOCK_BYTES);
}

FB_AVX2_INLINE size_t ask_avx2(const struct fb_filter *f, const uint64_t *digests, uint8_t *maybe)
{
    size_t hits = 0;
    for (int i = 0; i < 8; i++)
        hits += maybe[i] = probe_avx2(f, digests + i);
    return hits;
}

FB_AVX512_INLINE size_t ask_avx512(const struct fb_filter *f, const uint64_t *digests,
                                   uint8_t *maybe)
{
    uint64_t print[8] __attribute__((aligned(64))), first[8] __attribute__((aligned(64))),
        other[8] __attribute__((aligned(64)));
    const struct fb_two_places_x8 p = fb_two_places_avx512(f, digests, PRINTS);
    size_t hits = 0;
    _mm512_store_si512(print, p.print);
    _mm512_store_si512(first, _mm512_slli_epi64(p.first, 6));
    _mm512_store_si512(other, _mm512_slli_epi64(p.other, 6));
    for (int i = 0; i < 8; i++)
        hits += maybe[i] = holds_avx512(f, (uint32_t)print[i], first[i], other[i]);
    return hits;
}

FB_AVX2_INLINE void fetch_avx2(const struct fb_filter *f, const uint64_t *digests,
                               enum fb_hint hint)
{
    fb_two_places_fetch_avx2(f, digests, PRINTS, BLOCK_BYTES, hint);
}

FB_AVX512_INLINE void fetch_avx512(const struct fb_filter *f, const uint64_t *digests,
                                   enum fb_hint hint)
{
    fb_two_places_fetch_avx512(f, digests, PRINTS, BLOCK_BYTES, hint);
}

#define FB_TWO        avx2
#define FB_TWO_ISA    FB_ISA_AVX2
#define FB_TWO_TARGET FB_AVX2
#define FB_TWO_FETCH  fetch_avx2
#define FB_TWO_ASK    ask_avx2
#define FB_TWO_PROBE  probe_avx2
#define FB_TWO_INSERT insert
#define FB_TWO_REMOVE remove_one
#include "filters/simd/two_places.inc"

#define FB_TWO        avx512
#define FB_TWO_ISA    FB_ISA_AVX512
#define FB_TWO_TARGET FB_AVX512
#define FB_TWO_FETCH  fetch_avx512
#define FB_TWO_ASK    ask_avx512
#define FB_TWO_PROBE  probe_avx512
#define FB_TWO_INSERT insert
#define FB_TWO_REMOVE remove_one
#include "filters/simd/two_places.inc"

#elif defined(__aarch64__)

static inline size_t ask_neon(const struct fb_filter *f, const uint64_t *digests, uint8_t *maybe)
{
    size_t hits = 0;
    for (int i = 0; i < 8; i++)
        hits += maybe[i] = probe(f, digests + i);
    return hits;
}

__attribute__((always_inline)) static inline void
fetch_neon(const struct fb_filter *f, const uint64_t *digests, enum fb_hint hint)
{
    fb_two_places_fetch(f, digests, PRINTS, BLOCK_BYTES, hint);
}

#define FB_TWO     neon
#define FB_TWO_ISA FB_ISA_NEON
#define FB_TWO_TARGET
#define FB_TWO_FETCH  fetch_neon
#define FB_TWO_ASK    ask_neon
#define FB_TWO_PROBE  probe
#define FB_TWO_INSERT insert
#define FB_TWO_REMOVE remove_one
#include "filters/simd/two_places.inc"

#endif

static const struct fb_kernel *const kernels[] = {
    &scalar_kernel,
    FB_IF_NEON(&neon_kernel, ) FB_IF_AVX2(&avx2_kernel, ) FB_IF_AVX512(&avx512_kernel, ) NULL};

/* ---- Blocks ---- */

static const uint8_t head[8] = {'F', 'B', 'V', 'Q', 1, 8};

static uint64_t block_size(const struct fb_filter *f)
{
    return HEADER + f->geom.n_bytes;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    memcpy(block, head, sizeof head);
    fb_put_le64(block + 8, f->geom.own[FB_PLACES]);
    memcpy(block + HEADER, f->bytes, f->geom.n_bytes);
}

/* Each block must end 80 buckets, and so has 48 zeros: every slot that a probe reads, an insert
 * moves or a removal closes is then one of its own. */
static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    struct fb_geometry geom = {.digest_words = 1};
    if (len < HEADER || memcmp(block, head, sizeof head) != 0)
        return fb_corrupt(why, "no header of a vector quotient filter of 8 bits, version 1");
    const uint64_t blocks = (len - HEADER) / BLOCK_BYTES;
    if (blocks < 1 || blocks > UINT32_MAX || fb_le64(block + 8) != blocks ||
        (len - HEADER) % BLOCK_BYTES)
        return fb_corrupt(why, "the number of blocks does not match the length");
    uint64_t n_keys = 0;
    for (const uint8_t *at = block + HEADER; at < block + len; at += BLOCK_BYTES) {
        if (__builtin_popcountll(low_metadata(at)) + __builtin_popcountll(high_metadata(at)) !=
            BUCKETS)
            return fb_corrupt(why, "metadata that does not end 80 buckets");
        n_keys += taken(at);
    }
    settle(&geom, blocks);
    geom.range = fb_divisor_of(geom.n_bits);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (err)
        return err;
    memcpy(out->bytes, block + HEADER, geom.n_bytes);
    out->n_keys = n_keys;
    return FB_OK;
}

static const struct fb_format formats[] = {
    {"vqf", "FBVQ, version, width, number of blocks; the blocks", block_size, block_write,
     block_read},
    {0},
};

static const char *const own[] = {"blocks", NULL};

const struct fb_design fb_design_quotient = {
    .name = "quotient",
    .summary = "removable: a remainder of 8 bits in a bucket of one of two 64-byte blocks",
    .source = "Pandey et al., Vector Quotient Filters, 2021",
    .caveat = "takes no key a 97th time; without BMI2 a lookup counts bits step by step",
    .traits = FB_SIZES_BY_RATE | FB_FIXED_PROBES | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_one,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fpr,
    .when_full = "both blocks of a key are full: it is refused, those that are in stay in",
    .own = own,
    .formats = formats,
    .kernels = kernels,
    .slots = slots,
};

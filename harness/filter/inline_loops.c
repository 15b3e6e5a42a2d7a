/*
 * The loops of inline_loop.h, compiled once for each instruction set, with FB_COMPILED_FOR of that
 * set (filters/core/target.h): CMakeLists.txt has the flags.
 */
#include "harness/filter/inline_loop.h"

#include "filters/inline/bloom_double.h"
#include "filters/inline/cuckoo.h"
#include "filters/inline/fuse.h"
#include "filters/inline/leveldb.h"
#include "filters/inline/nori.h"
#include "filters/inline/rocksdb_fastlocal.h"
#include "filters/inline/sbbf_256.h"
#include "filters/inline/sbbf_512.h"
#include "filters/inline/xor.h"

#include <string.h>

#define INLINE __attribute__((always_inline)) static inline

/* ---- Blocks: the peers set or test all bits of a key at once ---- */

/* A product picks one of n. */
INLINE uint64_t pick(uint32_t hash, uint64_t n)
{
    return (uint64_t)hash * n >> 32;
}

#if defined(__AVX2__)

INLINE __m256i mask_256(uint64_t digest)
{
    const __m256i salt = _mm256_load_si256((const __m256i *)(const void *)fb_split_block_salt);
    const __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32((int32_t)digest), salt);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
}

INLINE bool peer_sbbf_256_query(const struct fb_filter *f, const uint64_t *digest)
{
    const __m256i *block = (const __m256i *)(const void *)f->bytes;
    return _mm256_testc_si256(block[pick((uint32_t)(*digest >> 32), f->geom.n_blocks)],
                              mask_256(*digest));
}

INLINE void peer_sbbf_256_insert(struct fb_filter *f, const uint64_t *digest)
{
    __m256i *block = (__m256i *)(void *)f->bytes;
    block += pick((uint32_t)(*digest >> 32), f->geom.n_blocks);
    *block = _mm256_or_si256(*block, mask_256(*digest));
}

#else

INLINE bool peer_sbbf_256_query(const struct fb_filter *f, const uint64_t *digest)
{
    const uint32_t *block = (const uint32_t *)(const void *)f->bytes;
    block += 8 * pick((uint32_t)(*digest >> 32), f->geom.n_blocks);
    uint32_t missing = 0;
    for (int i = 0; i < 8; i++)
        missing |= ~block[i] & UINT32_C(1) << ((uint32_t)*digest * fb_split_block_salt[i] >> 27);
    return !missing;
}

INLINE void peer_sbbf_256_insert(struct fb_filter *f, const uint64_t *digest)
{
    uint32_t *block = (uint32_t *)(void *)f->bytes;
    block += 8 * pick((uint32_t)(*digest >> 32), f->geom.n_blocks);
    for (int i = 0; i < 8; i++)
        block[i] |= UINT32_C(1) << ((uint32_t)*digest * fb_split_block_salt[i] >> 27);
}

#endif

#if defined(__AVX512F__)

INLINE __m512i mask_512(uint64_t digest)
{
    const __m256i salt = _mm256_load_si256((const __m256i *)(const void *)fb_split_block_salt);
    const __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32((int32_t)digest), salt);
    return _mm512_sllv_epi64(_mm512_set1_epi64(1),
                             _mm512_cvtepu32_epi64(_mm256_srli_epi32(product, 26)));
}

INLINE bool peer_sbbf_512_query(const struct fb_filter *f, const uint64_t *digest)
{
    const __m512i *block = (const __m512i *)(const void *)f->bytes;
    return !_mm512_testn_epi64_mask(block[pick((uint32_t)(*digest >> 32), f->geom.n_blocks)],
                                    mask_512(*digest));
}

INLINE void peer_sbbf_512_insert(struct fb_filter *f, const uint64_t *digest)
{
    __m512i *block = (__m512i *)(void *)f->bytes;
    block += pick((uint32_t)(*digest >> 32), f->geom.n_blocks);
    *block = _mm512_or_si512(*block, mask_512(*digest));
}

#elif defined(__AVX2__)

/* Of four words of a block. */
INLINE __m256i half_mask_512(uint64_t digest, int half)
{
    const __m128i *salt = (const __m128i *)(const void *)fb_split_block_salt;
    const __m128i product = _mm_mullo_epi32(_mm_set1_epi32((int32_t)digest), salt[half]);
    return _mm256_sllv_epi64(_mm256_set1_epi64x(1),
                             _mm256_cvtepu32_epi64(_mm_srli_epi32(product, 26)));
}

INLINE bool peer_sbbf_512_query(const struct fb_filter *f, const uint64_t *digest)
{
    const __m256i *half = (const __m256i *)(const void *)f->bytes;
    half += 2 * pick((uint32_t)(*digest >> 32), f->geom.n_blocks);
    return _mm256_testc_si256(half[0], half_mask_512(*digest, 0)) &
           _mm256_testc_si256(half[1], half_mask_512(*digest, 1));
}

INLINE void peer_sbbf_512_insert(struct fb_filter *f, const uint64_t *digest)
{
    __m256i *half = (__m256i *)(void *)f->bytes;
    half += 2 * pick((uint32_t)(*digest >> 32), f->geom.n_blocks);
    for (int i = 0; i < 2; i++)
        half[i] = _mm256_or_si256(half[i], half_mask_512(*digest, i));
}

#else

INLINE bool peer_sbbf_512_query(const struct fb_filter *f, const uint64_t *digest)
{
    const uint64_t *block = (const uint64_t *)(const void *)f->bytes;
    block += 8 * pick((uint32_t)(*digest >> 32), f->geom.n_blocks);
    uint64_t missing = 0;
    for (int i = 0; i < 8; i++)
        missing |= ~block[i] & UINT64_C(1) << ((uint32_t)*digest * fb_split_block_salt[i] >> 26);
    return !missing;
}

INLINE void peer_sbbf_512_insert(struct fb_filter *f, const uint64_t *digest)
{
    uint64_t *block = (uint64_t *)(void *)f->bytes;
    block += 8 * pick((uint32_t)(*digest >> 32), f->geom.n_blocks);
    for (int i = 0; i < 8; i++)
        block[i] |= UINT64_C(1) << ((uint32_t)*digest * fb_split_block_salt[i] >> 26);
}

#endif

/* ---- A line: eight probes permuted out of its halves; inserts set one bit after the other ---- */

INLINE const uint8_t *line_of(const struct fb_filter *f, uint64_t digest)
{
    return f->bytes + 64 * pick((uint32_t)digest, f->geom.n_blocks);
}

#if defined(__AVX2__)

INLINE bool peer_fastlocal_query(const struct fb_filter *f, const uint64_t *digest)
{
    const __m256i *half = (const __m256i *)(const void *)line_of(f, *digest);
    const __m256i powers = _mm256_load_si256((const __m256i *)(const void *)fb_fastlocal_powers);
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i x = _mm256_mullo_epi32(_mm256_set1_epi32((int32_t)(*digest >> 32)), powers);
    for (int left = (int)f->geom.probes; left > 0; left -= 8) {
        const __m256i word = _mm256_srli_epi32(x, 28);
        const __m256i low = _mm256_permutevar8x32_epi32(half[0], word);
        const __m256i high = _mm256_permutevar8x32_epi32(half[1], word);
        const __m256i words = _mm256_blendv_epi8(low, high, _mm256_srai_epi32(x, 31));
        const __m256i one =
            _mm256_srli_epi32(_mm256_cmpgt_epi32(_mm256_set1_epi32(left), lanes), 31);
        const __m256i bit = _mm256_sllv_epi32(one, _mm256_srli_epi32(_mm256_slli_epi32(x, 4), 27));
        if (!_mm256_testc_si256(words, bit))
            return false;
        x = _mm256_mullo_epi32(x, _mm256_set1_epi32((int32_t)FB_FASTLOCAL_POWER8));
    }
    return true;
}

#else

INLINE bool peer_fastlocal_query(const struct fb_filter *f, const uint64_t *digest)
{
    const uint8_t *line = line_of(f, *digest);
    uint32_t x = (uint32_t)(*digest >> 32);
    for (uint32_t i = 0; i < f->geom.probes; i++, x *= FB_FASTLOCAL_POWER1)
        if (!(line[x >> 26] >> (x >> 23 & 7) & 1))
            return false;
    return true;
}

#endif

INLINE void peer_fastlocal_insert(struct fb_filter *f, const uint64_t *digest)
{
    uint8_t *line = (uint8_t *)line_of(f, *digest);
    uint32_t x = (uint32_t)(*digest >> 32);
    for (uint32_t i = 0; i < f->geom.probes; i++, x *= FB_FASTLOCAL_POWER1)
        line[x >> 26] = (uint8_t)(line[x >> 26] | 1 << (x >> 23 & 7));
}

/* ---- Scattered bits: a remainder and an exit for each probe ---- */

INLINE bool peer_leveldb_query(const struct fb_filter *f, const uint64_t *digest)
{
    const uint32_t bits = (uint32_t)f->geom.n_bits;
    uint32_t h = (uint32_t)*digest;
    const uint32_t delta = h >> 17 | h << 15;
    for (uint32_t t = 0; t < f->geom.probes; t++, h += delta)
        if (!(f->bytes[h % bits / 8] >> (h % bits % 8) & 1))
            return false;
    return true;
}

INLINE void peer_leveldb_insert(struct fb_filter *f, const uint64_t *digest)
{
    const uint32_t bits = (uint32_t)f->geom.n_bits;
    uint32_t h = (uint32_t)*digest;
    const uint32_t delta = h >> 17 | h << 15;
    for (uint32_t t = 0; t < f->geom.probes; t++, h += delta)
        f->bytes[h % bits / 8] = (uint8_t)(f->bytes[h % bits / 8] | 1 << (h % bits % 8));
}

/* A product picks a word of 64 bits, the low six bits of the hash a bit in it. */
INLINE uint64_t classic_bit(const struct fb_filter *f, uint64_t hash)
{
    const uint64_t *words = (const uint64_t *)(const void *)f->bytes;
    return words[fb_mulhi64(hash, f->geom.n_bits / 64)] >> (hash & 63) & 1;
}

/* Three probes without a branch, then one after the other. */
INLINE bool peer_classic_query(const struct fb_filter *f, const uint64_t *digest)
{
    const uint64_t b = *digest;
    uint64_t a = b >> 32 | b << 32;
    uint32_t t = 3;
    if (!(classic_bit(f, a) & classic_bit(f, a + b) & classic_bit(f, a + 2 * b)))
        return false;
    for (a += 3 * b; t < f->geom.probes; t++, a += b)
        if (!classic_bit(f, a))
            return false;
    return true;
}

INLINE void peer_classic_insert(struct fb_filter *f, const uint64_t *digest)
{
    uint64_t *words = (uint64_t *)(void *)f->bytes;
    const uint64_t b = *digest;
    uint64_t a = b >> 32 | b << 32;
    for (uint32_t t = 0; t < f->geom.probes; t++, a += b)
        words[fb_mulhi64(a, f->geom.n_bits / 64)] |= UINT64_C(1) << (a & 63);
}

/* ---- Fingerprints: three slots; two buckets ---- */

#define FUSE_PEER(bits)                                                                            \
    INLINE bool peer_fuse_##bits##_query(const struct fb_filter *f, const uint64_t *digest)        \
    {                                                                                              \
        const uint##bits##_t *slot = (const uint##bits##_t *)(const void *)f->bytes;               \
        const uint64_t hash = fb_slot_hash(&f->geom, *digest),                                     \
                       length = f->geom.own[FB_FUSE_SEGMENT];                                      \
        const uint32_t mask = (uint32_t)length - 1;                                                \
        const uint32_t first = (uint32_t)fb_mulhi64(hash, length * f->geom.own[FB_FUSE_SEGMENTS]); \
        const uint32_t second = (first + (uint32_t)length) ^ ((uint32_t)(hash >> 18) & mask);      \
        const uint32_t third = (first + 2 * (uint32_t)length) ^ ((uint32_t)hash & mask);           \
        return (uint##bits##_t)(hash ^ hash >> 32 ^ slot[first] ^ slot[second] ^ slot[third]) ==   \
               0;                                                                                  \
    }
FUSE_PEER(8)
FUSE_PEER(16)

INLINE uint32_t third_of(uint64_t hash, unsigned turn, uint64_t length)
{
    return (uint32_t)((uint64_t)(uint32_t)(turn ? hash << turn | hash >> (64 - turn) : hash) *
                          length >>
                      32);
}

#define XOR_PEER(bits)                                                                             \
    INLINE bool peer_xor_##bits##_query(const struct fb_filter *f, const uint64_t *digest)         \
    {                                                                                              \
        const uint##bits##_t *slot = (const uint##bits##_t *)(const void *)f->bytes;               \
        const uint64_t hash = fb_slot_hash(&f->geom, *digest),                                     \
                       length = f->geom.own[FB_XOR_SEGMENT];                                       \
        return (uint##bits##_t)(hash ^ hash >> 32) ==                                              \
               (uint##bits##_t)(slot[third_of(hash, 0, length)] ^                                  \
                                slot[length + third_of(hash, 21, length)] ^                        \
                                slot[2 * length + third_of(hash, 42, length)]);                    \
    }
XOR_PEER(8)
XOR_PEER(16)

/* The high bit of a slot of 12 or 16 bits that is zero, of four. */
INLINE uint64_t zero_slot(uint64_t bucket, unsigned bits)
{
    const uint64_t ones = fb_cuckoo_ones(bits);
    return (bucket - ones) & ~bucket & ones << (bits - 1);
}

INLINE bool two_buckets(const struct fb_filter *f, uint64_t digest, uint32_t mask, unsigned bits)
{
    const uint64_t ones = fb_cuckoo_ones(bits);
    uint64_t print = digest & ((UINT64_C(1) << bits) - 1), a, b;
    print += print == 0;
    const uint32_t first = (uint32_t)(digest >> 32) & mask,
                   other = (first ^ (uint32_t)print * UINT32_C(0x5BD1E995)) & mask;
    memcpy(&a, f->bytes + (size_t)first * (bits / 2), sizeof a);
    memcpy(&b, f->bytes + (size_t)other * (bits / 2), sizeof b);
    return (zero_slot(a ^ print * ones, bits) | zero_slot(b ^ print * ones, bits)) != 0;
}

/* Of as many buckets as the greatest power of two holds of the filter's. */
#define CUCKOO_PEER(bits)                                                                          \
    static size_t fb_cuckoo_##bits##_peer_ask(const struct fb_filter *f, const uint64_t *digests,  \
                                              size_t n, uint8_t *maybe)                            \
    {                                                                                              \
        const int zeros = __builtin_clz((uint32_t)f->geom.own[FB_PLACES]);                         \
        const uint32_t mask = (UINT32_C(1) << (31 - zeros)) - 1;                                   \
        size_t hits = 0;                                                                           \
        for (size_t i = 0; i < n; i++)                                                             \
            hits += maybe[i] = two_buckets(f, digests[i], mask, bits);                             \
        return hits;                                                                               \
    }
CUCKOO_PEER(12)
CUCKOO_PEER(16)

/* ---- The loops ---- */

#define ASKING(name, one, words)                                                                   \
    static size_t name(const struct fb_filter *f, const uint64_t *digests, size_t n,               \
                       uint8_t *maybe)                                                             \
    {                                                                                              \
        size_t hits = 0;                                                                           \
        for (size_t i = 0; i < n; i++)                                                             \
            hits += maybe[i] = one(f, digests + i * (words));                                      \
        return hits;                                                                               \
    }
#define FILLING(name, one, words)                                                                  \
    static void name(struct fb_filter *f, const uint64_t *digests, size_t n)                       \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            one(f, digests + i * (words));                                                         \
    }

/* X(design, its functions', the peer's, words of a digest, same layout) */
#define TAKE_ONE_KEY(X)                                                                            \
    X("sbbf-256", fb_sbbf_256, peer_sbbf_256, 1, true)                                             \
    X("sbbf-512", fb_sbbf_512, peer_sbbf_512, 1, false)                                            \
    X("rocksdb-fastlocal", fb_rocksdb_fastlocal, peer_fastlocal, 1, true)                          \
    X("leveldb", fb_leveldb, peer_leveldb, 1, true)                                                \
    X("nori", fb_nori, peer_classic, 2, false)                                                     \
    X("bloom-double", fb_bloom_double, peer_classic, 2, false)
#define NEED_ALL_KEYS(X)                                                                           \
    X("fuse-8", fb_fuse_8, peer_fuse_8, 1, true)                                                   \
    X("fuse-16", fb_fuse_16, peer_fuse_16, 1, true)                                                \
    X("xor-8", fb_xor_8, peer_xor_8, 1, true)                                                      \
    X("xor-16", fb_xor_16, peer_xor_16, 1, true)

#define IN_BUCKETS(X)                                                                              \
    X("cuckoo-12", fb_cuckoo_12, above, 1, false)                                                  \
    X("cuckoo-16", fb_cuckoo_16, above, 1, false)

#define ASK_HEADER(design, header, peer, words, same) ASKING(header##_ask, header##_query, words)
#define ASK_PEER(design, header, peer, words, same)   ASKING(header##_peer_ask, peer##_query, words)
#define FILL(design, header, peer, words, same)                                                    \
    FILLING(header##_fill, header##_insert, words)                                                 \
    FILLING(header##_peer_fill, peer##_insert, words)
TAKE_ONE_KEY(ASK_HEADER)
NEED_ALL_KEYS(ASK_HEADER)
IN_BUCKETS(ASK_HEADER)
TAKE_ONE_KEY(ASK_PEER)
NEED_ALL_KEYS(ASK_PEER)
TAKE_ONE_KEY(FILL)

#define ROW(design, header, peer, words, same)                                                     \
    {design, same, {{header##_ask, header##_fill}, {header##_peer_ask, header##_peer_fill}}},
#define LOOKUP_ROW(design, header, peer, words, same)                                              \
    {design, same, {{header##_ask, NULL}, {header##_peer_ask, NULL}}},

/* clang-format off */
extern const struct fb_inline_loops FB_COMPILED_FOR(fb_inline_loops)[];
const struct fb_inline_loops FB_COMPILED_FOR(fb_inline_loops)[] = {
    TAKE_ONE_KEY(ROW)
    NEED_ALL_KEYS(LOOKUP_ROW)
    IN_BUCKETS(LOOKUP_ROW)
    {NULL, false, {{NULL, NULL}, {NULL, NULL}}}};
/* clang-format on */

/*
 * XXH64 (Cyan4973/xxHash doc/xxhash_spec.md) and RocksDB's XXPH3 (facebook/rocksdb util/xxph3.h)
 * of many keys of one length: eight or four at a time (batch_lanes.inc), one by one where there are
 * no such vectors.
 */
#include "filters/hash/batch.h"

#include "filters/core/bits.h"
#include "filters/core/cpu.h"
#include "filters/core/target.h"
#include "filters/hash/hash.h"
#include "filters/hash/internal/xxph3.h"

enum { LONGEST = 128 }; /* beyond, a key fills vectors by itself */

#if defined(__x86_64__)

#define P1 UINT64_C(0x9E3779B185EBCA87)
#define P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define P3 UINT64_C(0x165667B19E3779F9)
#define P4 UINT64_C(0x85EBCA77C2B2AE63)
#define P5 UINT64_C(0x27D4EB2F165667C5)

typedef uint64_t words_x4 __attribute__((vector_size(32)));
typedef uint64_t words_x8 __attribute__((vector_size(64)));

static inline uint64_t some_bytes(const uint8_t *p, int n_bytes)
{
    return n_bytes == 8 ? fb_le64(p) : n_bytes == 4 ? fb_le32(p) : *p;
}

FB_AVX2_INLINE words_x4 load_x4(const uint8_t *p, size_t s, int n_bytes)
{
    if (n_bytes == 8 && s == 8)
        return (words_x4)_mm256_loadu_si256((const __m256i *)(const void *)p);
    return (words_x4){some_bytes(p, n_bytes), some_bytes(p + s, n_bytes),
                      some_bytes(p + 2 * s, n_bytes), some_bytes(p + 3 * s, n_bytes)};
}

FB_AVX512_INLINE __m128i word_in_vector(const uint8_t *p, int n_bytes)
{
    if (n_bytes == 8)
        return _mm_loadl_epi64((const __m128i *)(const void *)p);
    return _mm_cvtsi32_si128(n_bytes == 4 ? (int)fb_le32(p) : *p);
}

/* Two chains of masked broadcasts from memory, one instruction a word. */
FB_AVX512_INLINE words_x8 load_x8(const uint8_t *p, size_t s, int n_bytes)
{
    if (n_bytes == 8 && s == 8)
        return (words_x8)_mm512_loadu_si512(p);
    __m512i even = _mm512_broadcastq_epi64(word_in_vector(p, n_bytes));
    __m512i odd = _mm512_broadcastq_epi64(word_in_vector(p + s, n_bytes));
    for (int i = 2; i < 8; i += 2) {
        const uint8_t *q = p + (size_t)i * s;
        even = _mm512_mask_broadcastq_epi64(even, (__mmask8)(1 << i), word_in_vector(q, n_bytes));
        q += s;
        odd = _mm512_mask_broadcastq_epi64(odd, (__mmask8)(2 << i), word_in_vector(q, n_bytes));
    }
    return (words_x8)_mm512_mask_blend_epi64(0xAA, even, odd);
}

#define LANES(name)         name##_avx2
#define LANES_INLINE        FB_AVX2_INLINE
#define LANES_TARGET        FB_AVX2
#define LANES_TYPE          words_x4
#define LANES_LOAD(p, s, n) load_x4(p, s, n)
#define LANES_MUL32(a, b)   ((words_x4)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#include "filters/hash/internal/batch_lanes.inc"

#define LANES(name)         name##_avx512
#define LANES_INLINE        FB_AVX512_INLINE
#define LANES_TARGET        FB_AVX512
#define LANES_TYPE          words_x8
#define LANES_LOAD(p, s, n) load_x8(p, s, n)
#define LANES_MUL32(a, b)   ((words_x8)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#include "filters/hash/internal/batch_lanes.inc"

#endif

typedef uint64_t single_hash(const void *key, size_t len, uint64_t seed);

#if !defined(__x86_64__)
#define xxh64_loops_avx512 NULL
#define xxh64_loops_avx2   NULL
#define xxph3_loops_avx512 NULL
#define xxph3_loops_avx2   NULL
#endif

/* As many keys as vectors hold by the instruction set, the others by `single`. */
static void batch(enum fb_isa isa, fb_hash_batch *eight, fb_hash_batch *four, single_hash *single,
                  const uint8_t *keys, size_t stride, size_t len, size_t n, uint64_t seed,
                  uint64_t *out)
{
    size_t done = 0;
    if (isa == FB_ISA_AVX512 && eight && n >= 8 && len <= LONGEST)
        eight(keys, stride, len, done = n & ~(size_t)7, seed, out);
    else if (isa == FB_ISA_AVX2 && four && n >= 8 && len <= LONGEST)
        four(keys, stride, len, done = n & ~(size_t)3, seed, out);
    for (; done < n; done++)
        out[done] = single(keys + done * stride, len, seed);
}

/* The best one here. */
static enum fb_isa best(void)
{
    return fb_cpu_has(FB_ISA_AVX512) ? FB_ISA_AVX512
           : fb_cpu_has(FB_ISA_AVX2) ? FB_ISA_AVX2
                                     : FB_ISA_SCALAR;
}

void fb_hash_batch_xxh64_by(enum fb_isa isa, const uint8_t *keys, size_t stride, size_t len,
                            size_t n, uint64_t seed, uint64_t *out)
{
    /* AVX2 has no product of 64 bits: from 32 bytes on the single function is faster. */
    fb_hash_batch *four = len < 32 ? xxh64_loops_avx2 : NULL;
    batch(isa, xxh64_loops_avx512, four, fb_xxh64, keys, stride, len, n, seed, out);
}

void fb_hash_batch_xxph3_by(enum fb_isa isa, const uint8_t *keys, size_t stride, size_t len,
                            size_t n, uint64_t seed, uint64_t *out)
{
    batch(len < 4 ? FB_ISA_SCALAR : isa, xxph3_loops_avx512, xxph3_loops_avx2, fb_xxph3, keys,
          stride, len, n, seed, out);
}

void fb_hash_batch_xxh64(const uint8_t *keys, size_t stride, size_t len, size_t n, uint64_t seed,
                         uint64_t *out)
{
    fb_hash_batch_xxh64_by(best(), keys, stride, len, n, seed, out);
}

void fb_hash_batch_xxph3(const uint8_t *keys, size_t stride, size_t len, size_t n, uint64_t seed,
                         uint64_t *out)
{
    fb_hash_batch_xxph3_by(best(), keys, stride, len, n, seed, out);
}

void fb_digest_batch_xxh64(const uint8_t *keys, size_t len, size_t n, unsigned n_words,
                           uint64_t *words)
{
    uint64_t hashes[64];
    if (n_words == 1) {
        fb_hash_batch_xxh64(keys, len, len, n, 0, words);
        return;
    }
    for (size_t i = 0; i < n; i += 64) {
        const size_t some = n - i < 64 ? n - i : 64;
        for (unsigned word = 0; word < n_words; word++) {
            fb_hash_batch_xxh64(keys + i * len, len, len, some, word, hashes);
            for (size_t j = 0; j < some; j++)
                words[(i + j) * n_words + word] = hashes[j];
        }
    }
}

void fb_digest_batch_xxph3(const uint8_t *keys, size_t len, size_t n, unsigned n_words,
                           uint64_t *words)
{
    (void)n_words;
    fb_hash_batch_xxph3(keys, len, len, n, 0, words);
}

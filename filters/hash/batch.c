/*
 * XXH64 (Cyan4973/xxHash doc/xxhash_spec.md) and RocksDB's XXPH3 (facebook/rocksdb util/xxph3.h)
 * of eight keys of one length at a time: the length decides every branch, so that each step is the
 * same for all lanes.
 */
#include "filters/hash/batch.h"

#include "filters/core/bits.h"
#include "filters/core/cpu.h"
#include "filters/core/target.h"
#include "filters/hash/hash.h"
#include "filters/hash/xxph3.h"

enum { LONGEST = 128 }; /* beyond, a key fills vectors by itself */

#if defined(__x86_64__)

#define P1 UINT64_C(0x9E3779B185EBCA87)
#define P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define P3 UINT64_C(0x165667B19E3779F9)
#define P4 UINT64_C(0x85EBCA77C2B2AE63)
#define P5 UINT64_C(0x27D4EB2F165667C5)

/* ---- Words of eight keys ---- */

struct keys_x8 {
    const uint8_t *first;
    size_t stride;
};

FB_AVX512_INLINE __m128i some_bytes(const uint8_t *p, int n_bytes)
{
    if (n_bytes == 8)
        return _mm_loadl_epi64((const __m128i *)(const void *)p);
    return _mm_cvtsi32_si128(n_bytes == 4 ? (int)fb_le32(p) : *p);
}

/* n_bytes (8, 4 or 1, a constant) at byte `at` of each key, zero-extended. */
FB_AVX512_INLINE __m512i load_x8(struct keys_x8 keys, size_t at, int n_bytes)
{
    const uint8_t *p = keys.first + at;
    const size_t s = keys.stride;
    if (n_bytes == 8 && s == 8)
        return _mm512_loadu_si512(p);
    /* Two chains of masked broadcasts from memory: one instruction a word. */
    __m512i even = _mm512_broadcastq_epi64(some_bytes(p, n_bytes));
    __m512i odd = _mm512_broadcastq_epi64(some_bytes(p + s, n_bytes));
    even = _mm512_mask_broadcastq_epi64(even, 1 << 2, some_bytes(p + 2 * s, n_bytes));
    odd = _mm512_mask_broadcastq_epi64(odd, 1 << 3, some_bytes(p + 3 * s, n_bytes));
    even = _mm512_mask_broadcastq_epi64(even, 1 << 4, some_bytes(p + 4 * s, n_bytes));
    odd = _mm512_mask_broadcastq_epi64(odd, 1 << 5, some_bytes(p + 5 * s, n_bytes));
    even = _mm512_mask_broadcastq_epi64(even, 1 << 6, some_bytes(p + 6 * s, n_bytes));
    odd = _mm512_mask_broadcastq_epi64(odd, 1 << 7, some_bytes(p + 7 * s, n_bytes));
    return _mm512_mask_blend_epi64(0xAA, even, odd);
}

FB_AVX512_INLINE __m512i times(__m512i x, uint64_t y)
{
    return _mm512_mullo_epi64(x, _mm512_set1_epi64((int64_t)y));
}

FB_AVX512_INLINE __m512i plus(__m512i x, uint64_t y)
{
    return _mm512_add_epi64(x, _mm512_set1_epi64((int64_t)y));
}

/* x ^ x >> shift */
FB_AVX512_INLINE __m512i xorshift(__m512i x, unsigned shift)
{
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, shift));
}

/* ---- XXH64 ---- */

FB_AVX512_INLINE __m512i xxh64_round(__m512i acc, __m512i word)
{
    return times(_mm512_rol_epi64(_mm512_add_epi64(acc, times(word, P2)), 31), P1);
}

/* The part of 32 bytes and more: four lanes of the algorithm, a vector each. */
FB_AVX512_INLINE __m512i xxh64_stripes(struct keys_x8 keys, size_t len, uint64_t seed)
{
    __m512i a = _mm512_set1_epi64((int64_t)(seed + P1 + P2));
    __m512i b = _mm512_set1_epi64((int64_t)(seed + P2));
    __m512i c = _mm512_set1_epi64((int64_t)seed);
    __m512i d = _mm512_set1_epi64((int64_t)(seed - P1));
    for (size_t at = 0; at + 32 <= len; at += 32) {
        a = xxh64_round(a, load_x8(keys, at, 8));
        b = xxh64_round(b, load_x8(keys, at + 8, 8));
        c = xxh64_round(c, load_x8(keys, at + 16, 8));
        d = xxh64_round(d, load_x8(keys, at + 24, 8));
    }
    __m512i h =
        _mm512_add_epi64(_mm512_add_epi64(_mm512_rol_epi64(a, 1), _mm512_rol_epi64(b, 7)),
                         _mm512_add_epi64(_mm512_rol_epi64(c, 12), _mm512_rol_epi64(d, 18)));
    const __m512i lanes[4] = {a, b, c, d}, zero = _mm512_setzero_si512();
    for (int i = 0; i < 4; i++)
        h = plus(times(_mm512_xor_si512(h, xxh64_round(zero, lanes[i])), P1), P4);
    return h;
}

FB_AVX512_INLINE __m512i xxh64_x8(struct keys_x8 keys, size_t len, uint64_t seed)
{
    const __m512i zero = _mm512_setzero_si512();
    size_t at = len & ~(size_t)31;
    __m512i h = at ? xxh64_stripes(keys, len, seed) : _mm512_set1_epi64((int64_t)(seed + P5));
    h = plus(h, len);
    for (; at + 8 <= len; at += 8) {
        h = _mm512_xor_si512(h, xxh64_round(zero, load_x8(keys, at, 8)));
        h = plus(times(_mm512_rol_epi64(h, 27), P1), P4);
    }
    if (at + 4 <= len) {
        h = _mm512_xor_si512(h, times(load_x8(keys, at, 4), P1));
        h = plus(times(_mm512_rol_epi64(h, 23), P2), P3);
        at += 4;
    }
    for (; at < len; at++) {
        h = _mm512_xor_si512(h, times(load_x8(keys, at, 1), P5));
        h = times(_mm512_rol_epi64(h, 11), P1);
    }
    h = times(xorshift(h, 33), P2);
    h = times(xorshift(h, 29), P3);
    return xorshift(h, 32);
}

/* ---- XXPH3 ---- */

/* fb_fold64 in each lane, from four products of halves. */
FB_AVX512_INLINE __m512i fold_x8(__m512i a, __m512i b)
{
    const __m512i half = _mm512_set1_epi64(UINT32_MAX);
    __m512i a1 = _mm512_srli_epi64(a, 32), b1 = _mm512_srli_epi64(b, 32);
    __m512i low = _mm512_mul_epu32(a, b), high = _mm512_mul_epu32(a1, b1);
    __m512i cross = _mm512_mul_epu32(a, b1), other = _mm512_mul_epu32(a1, b);
    /* Neither sum overflows: (2^32 - 1)^2 + 2^32 - 1 < 2^64. */
    cross = _mm512_add_epi64(cross, _mm512_srli_epi64(low, 32));
    other = _mm512_add_epi64(other, _mm512_and_si512(cross, half));
    high = _mm512_add_epi64(high, _mm512_srli_epi64(cross, 32));
    high = _mm512_add_epi64(high, _mm512_srli_epi64(other, 32));
    low = _mm512_or_si512(_mm512_slli_epi64(other, 32), _mm512_and_si512(low, half));
    return _mm512_xor_si512(low, high);
}

FB_AVX512_INLINE __m512i xxph3_avalanche(__m512i x)
{
    x = times(xorshift(x, 37), P3);
    return xorshift(x, 32);
}

/* 16 bytes of each key, from byte `at`, against words i and i + 1 of the secret. */
FB_AVX512_INLINE __m512i mix16_x8(struct keys_x8 keys, size_t at, unsigned i, uint64_t seed)
{
    const __m512i first = _mm512_set1_epi64((int64_t)(fb_xxph3_secret[i] + seed));
    const __m512i second = _mm512_set1_epi64((int64_t)(fb_xxph3_secret[i + 1] - seed));
    return fold_x8(_mm512_xor_si512(load_x8(keys, at, 8), first),
                   _mm512_xor_si512(load_x8(keys, at + 8, 8), second));
}

/* 4 to 128 bytes. */
FB_AVX512_INLINE __m512i xxph3_x8(struct keys_x8 keys, size_t len, uint64_t seed)
{
    const __m512i first = _mm512_set1_epi64((int64_t)(fb_xxph3_secret[0] + seed));
    const __m512i second = _mm512_set1_epi64((int64_t)(fb_xxph3_secret[1] - seed));
    if (len <= 8) {
        __m512i high = _mm512_slli_epi64(load_x8(keys, len - 4, 4), 32);
        __m512i x = _mm512_or_si512(load_x8(keys, 0, 4), high);
        x = xorshift(_mm512_xor_si512(x, first), 51);
        x = plus(times(x, UINT32_C(0x9E3779B1)), len);
        return xxph3_avalanche(times(xorshift(x, 47), P2));
    }
    if (len <= 16) {
        __m512i a = _mm512_xor_si512(load_x8(keys, 0, 8), first);
        __m512i b = _mm512_xor_si512(load_x8(keys, len - 8, 8), second);
        return xxph3_avalanche(plus(_mm512_add_epi64(_mm512_add_epi64(a, b), fold_x8(a, b)), len));
    }
    __m512i sum = _mm512_set1_epi64((int64_t)(len * P1));
    for (unsigned i = 0; i <= (len - 1) / 32; i++) {
        sum = _mm512_add_epi64(sum, mix16_x8(keys, 16 * i, 4 * i, seed));
        sum = _mm512_add_epi64(sum, mix16_x8(keys, len - 16 * (i + 1), 4 * i + 2, seed));
    }
    return xxph3_avalanche(sum);
}

/* ---- The loops: n a multiple of 8. The lengths that matter most get one of their own, in which
 * every branch is decided. ---- */

FB_AVX512_INLINE void xxh64_loop(const uint8_t *keys, size_t stride, size_t len, size_t n,
                                 uint64_t seed, uint64_t *out)
{
    for (size_t i = 0; i < n; i += 8, keys += 8 * stride)
        _mm512_storeu_si512(out + i, xxh64_x8((struct keys_x8){keys, stride}, len, seed));
}

FB_AVX512 static void xxh64_avx512(const uint8_t *keys, size_t stride, size_t len, size_t n,
                                   uint64_t seed, uint64_t *out)
{
    if (len == 8 && stride == 8)
        xxh64_loop(keys, 8, 8, n, seed, out);
    else if (len == 16)
        xxh64_loop(keys, stride, 16, n, seed, out);
    else
        xxh64_loop(keys, stride, len, n, seed, out);
}

FB_AVX512_INLINE void xxph3_loop(const uint8_t *keys, size_t stride, size_t len, size_t n,
                                 uint64_t seed, uint64_t *out)
{
    for (size_t i = 0; i < n; i += 8, keys += 8 * stride)
        _mm512_storeu_si512(out + i, xxph3_x8((struct keys_x8){keys, stride}, len, seed));
}

FB_AVX512 static void xxph3_avx512(const uint8_t *keys, size_t stride, size_t len, size_t n,
                                   uint64_t seed, uint64_t *out)
{
    if (len == 8 && stride == 8)
        xxph3_loop(keys, 8, 8, n, seed, out);
    else if (len == 16)
        xxph3_loop(keys, stride, 16, n, seed, out);
    else
        xxph3_loop(keys, stride, len, n, seed, out);
}

#endif

void fb_hash_batch_xxh64(const uint8_t *keys, size_t stride, size_t len, size_t n, uint64_t seed,
                         uint64_t *out)
{
    size_t done = 0;
#if defined(__x86_64__)
    if (len <= LONGEST && n >= 8 && fb_cpu_has(FB_ISA_AVX512)) {
        done = n & ~(size_t)7;
        xxh64_avx512(keys, stride, len, done, seed, out);
    }
#endif
    for (; done < n; done++)
        out[done] = fb_xxh64(keys + done * stride, len, seed);
}

void fb_hash_batch_xxph3(const uint8_t *keys, size_t stride, size_t len, size_t n, uint64_t seed,
                         uint64_t *out)
{
    size_t done = 0;
#if defined(__x86_64__)
    if (len >= 4 && len <= LONGEST && n >= 8 && fb_cpu_has(FB_ISA_AVX512)) {
        done = n & ~(size_t)7;
        xxph3_avx512(keys, stride, len, done, seed, out);
    }
#endif
    for (; done < n; done++)
        out[done] = fb_xxph3(keys + done * stride, len, seed);
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

/*
 * Keys that already are words: identity (no hash at all) and mix64 (a bijection of the word).
 *
 * The word of a key is the exclusive or of its little-endian 8-byte pieces, the last one extended
 * with zeros. Up to 8 bytes it is the key itself; the length is not part of it, so keys that differ
 * only in trailing zero bytes collide, and longer keys collide when their pieces cancel. identity
 * shows what a filter does with the structure of raw integers.
 */
#include "filters/core/bits.h"
#include "filters/hash/hash.h"

static inline uint64_t word_of(const uint8_t *p, size_t len)
{
    uint64_t word = 0;
    for (; len >= 8; len -= 8, p += 8)
        word ^= fb_le64(p);
    for (size_t i = 0; i < len; i++)
        word ^= (uint64_t)p[i] << 8 * i;
    return word;
}

static uint64_t identity(const void *key, size_t len, uint64_t seed)
{
    (void)seed;
    return word_of(key, len);
}

static uint64_t mix64(const void *key, size_t len, uint64_t seed)
{
    (void)seed;
    return fb_mix64(word_of(key, len));
}

const struct fb_hash fb_hash_identity = {
    .name = "identity",
    .summary = "the key's own 8 bytes, little-endian; longer keys: the xor of their 8-byte pieces",
    .source = "filters/hash/words.c",
    .bits = 64,
    .hash = identity,
};

const struct fb_hash fb_hash_mix64 = {
    .name = "mix64",
    .summary = "MurmurHash3's 64-bit finalizer over the word of `identity`",
    .source = "aappleby/smhasher src/MurmurHash3.cpp, fmix64",
    .bits = 64,
    .hash = mix64,
};

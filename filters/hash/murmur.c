/*
 * MurmurHash64A and MurmurHash3 x64_128.
 *
 * Source: aappleby/smhasher src/MurmurHash2.cpp, src/MurmurHash3.cpp. Seeds of MurmurHash3 are 32
 * bits wide.
 */
#include "filters/core/bits.h"
#include "filters/hash/hash.h"

/* The last len < 8 bytes as a little-endian word. */
static inline uint64_t tail_word(const uint8_t *p, size_t len)
{
    uint64_t word = 0;
    for (size_t i = 0; i < len; i++)
        word |= (uint64_t)p[i] << 8 * i;
    return word;
}

static uint64_t murmur64a(const void *key, size_t len, uint64_t seed)
{
    const uint64_t m = UINT64_C(0xC6A4A7935BD1E995);
    const uint8_t *p = key;
    uint64_t h = seed ^ len * m;
    for (; len >= 8; len -= 8, p += 8) {
        uint64_t k = fb_le64(p) * m;
        h = (h ^ (k ^ k >> 47) * m) * m;
    }
    if (len)
        h = (h ^ tail_word(p, len)) * m;
    h = (h ^ h >> 47) * m;
    return h ^ h >> 47;
}

#define C1 UINT64_C(0x87C37B91114253D5)
#define C2 UINT64_C(0x4CF5AD432745937F)

static inline uint64_t scramble1(uint64_t k)
{
    return fb_rotl64(k * C1, 31) * C2;
}

static inline uint64_t scramble2(uint64_t k)
{
    return fb_rotl64(k * C2, 33) * C1;
}

void fb_murmur3_128(const void *key, size_t len, uint32_t seed, uint64_t *first, uint64_t *second)
{
    const uint8_t *p = key;
    const uint64_t n = len;
    uint64_t h1 = seed, h2 = seed;
    for (; len >= 16; len -= 16, p += 16) {
        h1 = fb_rotl64(h1 ^ scramble1(fb_le64(p)), 27) + h2;
        h1 = h1 * 5 + 0x52DCE729;
        h2 = fb_rotl64(h2 ^ scramble2(fb_le64(p + 8)), 31) + h1;
        h2 = h2 * 5 + 0x38495AB5;
    }
    if (len > 8)
        h2 ^= scramble2(tail_word(p + 8, len - 8));
    if (len)
        h1 ^= scramble1(len < 8 ? tail_word(p, len) : fb_le64(p));
    h1 ^= n;
    h2 ^= n;
    h1 += h2;
    h2 += h1;
    h1 = fb_mix64(h1);
    h2 = fb_mix64(h2);
    *first = h1 + h2;
    *second = h2 + *first;
}

static uint64_t murmur3_low(const void *key, size_t len, uint64_t seed)
{
    uint64_t first, second;
    fb_murmur3_128(key, len, (uint32_t)seed, &first, &second);
    return first;
}

const struct fb_hash fb_hash_murmur64a = {
    .name = "murmur64a",
    .summary = "MurmurHash64A",
    .source = "aappleby/smhasher src/MurmurHash2.cpp",
    .bits = 64,
    .seed_bits = 64,
    .hash = murmur64a,
};

const struct fb_hash fb_hash_murmur3_128 = {
    .name = "murmur3-128",
    .summary = "MurmurHash3 x64_128; its first word where 64 bits are wanted",
    .source = "aappleby/smhasher src/MurmurHash3.cpp",
    .bits = 64,
    .seed_bits = 32,
    .hash = murmur3_low,
};

/* XXH64 and XXH3 from the xxHash library (Cyan4973/xxHash, doc/xxhash_spec.md). */
#include "filters/hash/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t fb_xxh64(const void *key, size_t len, uint64_t seed)
{
    return XXH64(key, len, seed);
}

uint64_t fb_xxh3_64(const void *key, size_t len, uint64_t seed)
{
    return XXH3_64bits_withSeed(key, len, seed);
}

void fb_xxh3_128(const void *key, size_t len, uint64_t seed, uint64_t *high, uint64_t *low)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(key, len, seed);
    *high = h.high64;
    *low = h.low64;
}

static uint64_t xxh3_128_low(const void *key, size_t len, uint64_t seed)
{
    return XXH3_128bits_withSeed(key, len, seed).low64;
}

const struct fb_hash fb_hash_xxh64 = {
    .name = "xxh64",
    .summary = "XXH64",
    .source = "Cyan4973/xxHash doc/xxhash_spec.md, from libxxhash",
    .bits = 64,
    .seed_bits = 64,
    .hash = fb_xxh64,
};

const struct fb_hash fb_hash_xxh3_64 = {
    .name = "xxh3-64",
    .summary = "XXH3, 64 bits",
    .source = "Cyan4973/xxHash, from libxxhash",
    .bits = 64,
    .seed_bits = 64,
    .hash = fb_xxh3_64,
};

const struct fb_hash fb_hash_xxh3_128 = {
    .name = "xxh3-128",
    .summary = "XXH3, 128 bits; the low half where 64 are wanted",
    .source = "Cyan4973/xxHash, from libxxhash",
    .bits = 64,
    .seed_bits = 64,
    .hash = xxh3_128_low,
};

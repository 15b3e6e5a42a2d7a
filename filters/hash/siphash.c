/* SipHash-1-3 (Rust's DefaultHasher) and SipHash-2-4 (the authors' proposal). As registered hashes
 * they take the seed as k0, with k1 = 0. */
#include "filters/hash/internal/siphash.h"

#include "filters/hash/hash.h"

uint64_t fb_siphash13(const void *key, size_t len, uint64_t k0, uint64_t k1)
{
    struct fb_sip s = fb_sip_start(k0, k1);
    fb_sip_feed(&s, key, len, 1);
    return fb_sip_finish(&s, 1, 3);
}

uint64_t fb_siphash24(const void *key, size_t len, uint64_t k0, uint64_t k1)
{
    struct fb_sip s = fb_sip_start(k0, k1);
    fb_sip_feed(&s, key, len, 2);
    return fb_sip_finish(&s, 2, 4);
}

static uint64_t seeded13(const void *key, size_t len, uint64_t seed)
{
    return fb_siphash13(key, len, seed, 0);
}

static uint64_t seeded24(const void *key, size_t len, uint64_t seed)
{
    return fb_siphash24(key, len, seed, 0);
}

const struct fb_hash fb_hash_siphash_1_3 = {
    .name = "siphash-1-3",
    .summary = "SipHash with 1 and 3 rounds, as Rust's DefaultHasher; the seed is k0",
    .source = "Aumasson & Bernstein 2012; rust-lang/rust core/src/hash/sip.rs",
    .bits = 64,
    .seed_bits = 64,
    .hash = seeded13,
};

const struct fb_hash fb_hash_siphash_2_4 = {
    .name = "siphash-2-4",
    .summary = "SipHash with 2 and 4 rounds; the seed is k0",
    .source = "Aumasson & Bernstein 2012",
    .bits = 64,
    .seed_bits = 64,
    .hash = seeded24,
};

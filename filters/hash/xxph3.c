/*
 * RocksDB's Hash64, "XXPH3": the preview of XXH3 in xxHash 0.7.2, frozen into RocksDB's files.
 *
 * It shares the structure and the secret of the released XXH3 and gives other values at every
 * length (other avalanche constant, other words of the secret, other handling of the last stripe).
 * Source: facebook/rocksdb util/hash.cc (the empty key), util/xxph3.h (all others).
 */
#include "filters/hash/internal/xxph3.h"
#include "filters/core/bits.h"
#include "filters/hash/hash.h"

#define Q1 UINT32_C(0x9E3779B1)
#define Q2 UINT32_C(0x85EBCA77)
#define Q3 UINT32_C(0xC2B2AE3D)
#define P1 UINT64_C(0x9E3779B185EBCA87)
#define P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define P3 UINT64_C(0x165667B19E3779F9)
#define P4 UINT64_C(0x85EBCA77C2B2AE63)
#define P5 UINT64_C(0x27D4EB2F165667C5)

enum { SECRET_BYTES = 192, STRIPE = 64, BLOCK_STRIPES = (SECRET_BYTES - STRIPE) / 8 };

const uint64_t fb_xxph3_secret[SECRET_BYTES / 8] = {
    UINT64_C(0xBE4BA423396CFEB8), UINT64_C(0x1CAD21F72C81017C), UINT64_C(0xDB979083E96DD4DE),
    UINT64_C(0x1F67B3B7A4A44072), UINT64_C(0x78E5C0CC4EE679CB), UINT64_C(0x2172FFCC7DD05A82),
    UINT64_C(0x8E2443F7744608B8), UINT64_C(0x4C263A81E69035E0), UINT64_C(0xCB00C391BB52283C),
    UINT64_C(0xA32E531B8B65D088), UINT64_C(0x4EF90DA297486471), UINT64_C(0xD8ACDEA946EF1938),
    UINT64_C(0x3F349CE33F76FAA8), UINT64_C(0x1D4F0BC7C7BBDCF9), UINT64_C(0x3159B4CD4BE0518A),
    UINT64_C(0x647378D9C97E9FC8), UINT64_C(0xC3EBD33483ACC5EA), UINT64_C(0xEB6313FAFFA081C5),
    UINT64_C(0x49DAF0B751DD0D17), UINT64_C(0x9E68D429265516D3), UINT64_C(0xFCA1477D58BE162B),
    UINT64_C(0xCE31D07AD1B8F88F), UINT64_C(0x280416958F3ACB45), UINT64_C(0x7E404BBBCAFBD7AF),
};

static inline uint64_t avalanche(uint64_t x)
{
    x ^= x >> 37;
    x *= P3;
    return x ^ x >> 32;
}

/* 16 bytes of the key against 16 bytes of the secret. */
static inline uint64_t mix16(const uint8_t *p, unsigned at, uint64_t seed)
{
    const uint8_t *s = (const uint8_t *)fb_xxph3_secret + at;
    return fb_fold64(fb_le64(p) ^ (fb_le64(s) + seed), fb_le64(p + 8) ^ (fb_le64(s + 8) - seed));
}

static uint64_t up_to_16(const uint8_t *p, size_t len, uint64_t seed)
{
    const uint64_t s0 = fb_xxph3_secret[0], s1 = fb_xxph3_secret[1];
    if (len > 8) {
        uint64_t a = fb_le64(p) ^ (s0 + seed);
        uint64_t b = fb_le64(p + len - 8) ^ (s1 - seed);
        return avalanche(len + a + b + fb_fold64(a, b));
    }
    if (len >= 4) {
        uint64_t v = fb_le32(p) | (uint64_t)fb_le32(p + len - 4) << 32;
        uint64_t k = v ^ (s0 + seed);
        uint64_t m = len + (k ^ k >> 51) * Q1;
        return avalanche((m ^ m >> 47) * P2);
    }
    if (len > 0) {
        uint32_t c = (uint32_t)p[0] | (uint32_t)p[len / 2] << 8 | (uint32_t)p[len - 1] << 16 |
                     (uint32_t)len << 24;
        return avalanche((c ^ (fb_lo32(s0) + seed)) * P1);
    }
    return fb_fold64(seed + s0, P2);
}

static uint64_t from_17_to_128(const uint8_t *p, size_t len, uint64_t seed)
{
    uint64_t acc = len * P1;
    unsigned pairs = (unsigned)(len - 1) / 32; /* 16-byte pieces from each end, less one */
    for (unsigned i = 0; i <= pairs; i++) {
        acc += mix16(p + 16 * i, 32 * i, seed);
        acc += mix16(p + len - 16 * (i + 1), 32 * i + 16, seed);
    }
    return avalanche(acc);
}

static uint64_t from_129_to_240(const uint8_t *p, size_t len, uint64_t seed)
{
    uint64_t acc = len * P1;
    unsigned pieces = (unsigned)len / 16;
    for (unsigned i = 0; i < 8; i++)
        acc += mix16(p + 16 * i, 16 * i, seed);
    acc = avalanche(acc);
    for (unsigned i = 8; i < pieces; i++)
        acc += mix16(p + 16 * i, 16 * (i - 8) + 3, seed);
    acc += mix16(p + len - 16, 119, seed);
    return avalanche(acc);
}

static inline void accumulate(uint64_t acc[8], const uint8_t *p, const uint8_t *s)
{
    for (unsigned i = 0; i < 8; i++) {
        uint64_t data = fb_le64(p + 8 * i);
        uint64_t key = data ^ fb_le64(s + 8 * i);
        acc[i] += data + (uint64_t)fb_lo32(key) * fb_hi32(key);
    }
}

static inline void scramble(uint64_t acc[8], const uint8_t *s)
{
    for (unsigned i = 0; i < 8; i++)
        acc[i] = (acc[i] ^ acc[i] >> 47 ^ fb_le64(s + 8 * i)) * Q1;
}

static uint64_t above_240(const uint8_t *p, size_t len, uint64_t seed)
{
    uint8_t key[SECRET_BYTES];
    for (unsigned i = 0; i < SECRET_BYTES / 8; i++)
        fb_put_le64(key + 8 * i, i % 2 ? fb_xxph3_secret[i] - seed : fb_xxph3_secret[i] + seed);

    uint64_t acc[8] = {Q3, P1, P2, P3, P4, Q2, P5, Q1};
    size_t whole = len / STRIPE;
    for (size_t i = 0; i < whole; i++) {
        size_t in_block = i % BLOCK_STRIPES;
        accumulate(acc, p + STRIPE * i, key + 8 * in_block);
        if (in_block == BLOCK_STRIPES - 1)
            scramble(acc, key + SECRET_BYTES - STRIPE);
    }
    if (len % STRIPE)
        accumulate(acc, p + len - STRIPE, key + SECRET_BYTES - STRIPE - 7);

    uint64_t r = len * P1;
    for (unsigned j = 0; j < 4; j++) {
        const uint8_t *s = key + 11 + 16 * j;
        r += fb_fold64(acc[2 * j] ^ fb_le64(s), acc[2 * j + 1] ^ fb_le64(s + 8));
    }
    return avalanche(r);
}

uint64_t fb_xxph3(const void *key, size_t len, uint64_t seed)
{
    if (len <= 16)
        return up_to_16(key, len, seed);
    if (len <= 128)
        return from_17_to_128(key, len, seed);
    if (len <= 240)
        return from_129_to_240(key, len, seed);
    return above_240(key, len, seed);
}

const struct fb_hash fb_hash_rocksdb_hash64 = {
    .name = "rocksdb-hash64",
    .summary = "RocksDB's Hash64 (XXPH3, a preview of XXH3)",
    .source = "facebook/rocksdb util/hash.cc, util/xxph3.h",
    .bits = 64,
    .seed_bits = 64,
    .hash = fb_xxph3,
};

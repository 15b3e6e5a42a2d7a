/*
 * The 32-bit hash of LevelDB, and RocksDB's copy of it, which differs by accident: its tail bytes
 * are signed. The two agree unless one of the last len % 4 bytes is 0x80 or above.
 *
 * Source: google/leveldb util/hash.cc; facebook/rocksdb util/hash.cc.
 */
#include "filters/core/bits.h"
#include "filters/hash/hash.h"

#define MULTIPLIER UINT32_C(0xC6A4A793)

static inline uint32_t hash32(const uint8_t *p, size_t len, uint32_t seed, bool signed_tail)
{
    uint32_t h = seed ^ (uint32_t)len * MULTIPLIER;
    for (; len >= 4; len -= 4, p += 4) {
        h = (h + fb_le32(p)) * MULTIPLIER;
        h ^= h >> 16;
    }
    if (len == 0)
        return h;
    for (size_t i = 0; i < len; i++)
        h += (signed_tail ? (uint32_t)(int32_t)(int8_t)p[i] : p[i]) << 8 * i;
    h *= MULTIPLIER;
    return h ^ h >> 24;
}

uint32_t fb_leveldb_hash(const void *key, size_t len, uint32_t seed)
{
    return hash32(key, len, seed, false);
}

uint32_t fb_rocksdb_hash(const void *key, size_t len, uint32_t seed)
{
    return hash32(key, len, seed, true);
}

static uint64_t leveldb_wide(const void *key, size_t len, uint64_t seed)
{
    return fb_leveldb_hash(key, len, (uint32_t)seed);
}

static uint64_t rocksdb_wide(const void *key, size_t len, uint64_t seed)
{
    return fb_rocksdb_hash(key, len, (uint32_t)seed);
}

const struct fb_hash fb_hash_leveldb_hash = {
    .name = "leveldb-hash",
    .summary = "LevelDB's 32-bit hash; its Bloom filter uses seed bc9f1d34",
    .source = "google/leveldb util/hash.cc",
    .bits = 32,
    .seed_bits = 32,
    .hash = leveldb_wide,
};

const struct fb_hash fb_hash_rocksdb_hash = {
    .name = "rocksdb-hash",
    .summary = "RocksDB's legacy 32-bit hash: leveldb-hash with sign-extended tail bytes",
    .source = "facebook/rocksdb util/hash.cc",
    .bits = 32,
    .seed_bits = 32,
    .hash = rocksdb_wide,
};

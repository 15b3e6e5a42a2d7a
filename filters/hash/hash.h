/*
 * Hash functions. Each has a file of its own and follows its authors' specification. XXH64 and XXH3
 * come from the xxHash library, wyhash from its authors' header.
 *
 * All functions are pure and thread-safe. They read exactly len bytes, at any alignment. A key may
 * be NULL if len is 0.
 */
#ifndef FILTERBENCH_FILTERS_HASH_HASH_H
#define FILTERBENCH_FILTERS_HASH_HASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fb_hash {
    const char *name;    /* "xxh64" */
    const char *summary; /* one line */
    const char *source;  /* specification or upstream file */
    unsigned bits;       /* width of the result, 32 or 64; a 128-bit hash returns its low half */
    unsigned seed_bits;  /* 32 or 64; 0: it has no seed and ignores the one it is given */
    /* Returns the hash of a key. A 32-bit result is zero-extended. */
    uint64_t (*hash)(const void *key, size_t len, uint64_t seed);
};

size_t fb_n_hashes(void);
const struct fb_hash *fb_hash_at(size_t i);           /* i < fb_n_hashes() */
const struct fb_hash *fb_hash_find(const char *name); /* NULL: no such hash */

/* The functions themselves, for the inner loops of designs. */
uint64_t fb_xxh64(const void *key, size_t len, uint64_t seed);
uint64_t fb_xxh3_64(const void *key, size_t len, uint64_t seed);
void fb_xxh3_128(const void *key, size_t len, uint64_t seed, uint64_t *high, uint64_t *low);
uint64_t fb_xxph3(const void *key, size_t len, uint64_t seed);        /* RocksDB Hash64 */
uint32_t fb_leveldb_hash(const void *key, size_t len, uint32_t seed); /* unsigned tail bytes */
uint32_t fb_rocksdb_hash(const void *key, size_t len, uint32_t seed); /* sign-extended tail */
/* SipHash with the two halves of its 128-bit key. */
uint64_t fb_siphash13(const void *key, size_t len, uint64_t k0, uint64_t k1);
uint64_t fb_siphash24(const void *key, size_t len, uint64_t k0, uint64_t k1);
uint64_t fb_seahash(const void *key, size_t len);
/* Hashes the key into *once, and the key followed by itself into *twice unless that is NULL, as
 * fjall's hasher does. */
void fb_seahash_twice(const void *key, size_t len, uint64_t *once, uint64_t *twice);
void fb_murmur3_128(const void *key, size_t len, uint32_t seed, uint64_t *first, uint64_t *second);

/* The seed that LevelDB's and RocksDB's Bloom filters use. */
#define FB_BLOOM_HASH_SEED UINT32_C(0xBC9F1D34)

/* MurmurHash3's 64-bit finalizer: a bijection on 64-bit words. */
static inline uint64_t fb_mix64(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xFF51AFD7ED558CCD);
    x ^= x >> 33;
    x *= UINT64_C(0xC4CEB9FE1A85EC53);
    return x ^ x >> 33;
}

/* Its 32-bit counterpart: a bijection on 32-bit words. */
static inline uint32_t fb_mix32(uint32_t x)
{
    x ^= x >> 16;
    x *= UINT32_C(0x85EBCA6B);
    x ^= x >> 13;
    x *= UINT32_C(0xC2B2AE35);
    return x ^ x >> 16;
}

#ifdef __cplusplus
}
#endif

#endif

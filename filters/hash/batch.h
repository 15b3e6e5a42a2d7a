/*
 * Hashes of many keys of one length at a time, in vectors where the machine has them and the length
 * pays. Equal to the functions of hash.h, key by key.
 */
#ifndef FILTERBENCH_FILTERS_HASH_BATCH_H
#define FILTERBENCH_FILTERS_HASH_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "filters/core/cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = the hash of [keys + i * stride, + len), i < n. Any alignment; reads nothing outside the
 * keys; out may not overlap them. Thread-safe. */
typedef void fb_hash_batch(const uint8_t *keys, size_t stride, size_t len, size_t n, uint64_t seed,
                           uint64_t *out);

fb_hash_batch fb_hash_batch_xxh64; /* vectors: AVX-512 up to 128 bytes, AVX2 up to 31 */
fb_hash_batch fb_hash_batch_xxph3; /* vectors: AVX-512 and AVX2, 4 to 128 bytes */

/* The same with the vectors of one instruction set, which the machine must have; without vectors
 * where that has none, or none for this length. */
void fb_hash_batch_xxh64_by(enum fb_isa, const uint8_t *keys, size_t stride, size_t len, size_t n,
                            uint64_t seed, uint64_t *out);
void fb_hash_batch_xxph3_by(enum fb_isa, const uint8_t *keys, size_t stride, size_t len, size_t n,
                            uint64_t seed, uint64_t *out);

/* Digests of n keys that lie one behind the other, as a design's digest() gives them: word i of a
 * key is its XXH64 with seed i; its one word is its XXPH3. */
void fb_digest_batch_xxh64(const uint8_t *keys, size_t len, size_t n, unsigned n_words,
                           uint64_t *words);
void fb_digest_batch_xxph3(const uint8_t *keys, size_t len, size_t n, unsigned n_words,
                           uint64_t *words);

#ifdef __cplusplus
}
#endif

#endif

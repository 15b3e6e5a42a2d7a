/*
 * Hashes many keys of one length at a time, with vector instructions where the machine has them and
 * the length is worth it. The results equal those of hash.h. All functions are thread-safe.
 */
#ifndef FILTERBENCH_FILTERS_HASH_BATCH_H
#define FILTERBENCH_FILTERS_HASH_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "filters/core/cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets out[i], i < n, to the hash of the len bytes at keys + i * stride. Keys may have any
 * alignment. Nothing outside of them is read. They may not overlap out. */
typedef void fb_hash_batch(const uint8_t *keys, size_t stride, size_t len, size_t n, uint64_t seed,
                           uint64_t *out);

fb_hash_batch fb_hash_batch_xxh64; /* vectors: AVX-512 up to 128 bytes, AVX2 up to 31 */
fb_hash_batch fb_hash_batch_xxph3; /* vectors: AVX-512 and AVX2, 4 to 128 bytes */

/* The same with the vectors of one instruction set, which the machine must have. Without vectors if
 * we have none for that set and length. */
void fb_hash_batch_xxh64_by(enum fb_isa, const uint8_t *keys, size_t stride, size_t len, size_t n,
                            uint64_t seed, uint64_t *out);
void fb_hash_batch_xxph3_by(enum fb_isa, const uint8_t *keys, size_t stride, size_t len, size_t n,
                            uint64_t seed, uint64_t *out);

/* Compute digests of n keys that lie one behind another, for the member digest_batch of a design.
 * With xxh64, word i of a key is its XXH64 with seed i. With xxph3, the one word is its XXPH3. */
void fb_digest_batch_xxh64(const uint8_t *keys, size_t len, size_t n, unsigned n_words,
                           uint64_t *words);
void fb_digest_batch_xxph3(const uint8_t *keys, size_t len, size_t n, unsigned n_words,
                           uint64_t *words);

#ifdef __cplusplus
}
#endif

#endif

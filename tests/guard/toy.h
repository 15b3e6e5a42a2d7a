/* A toy filter library, as somebody else could have it: a Bloom filter with one bit per key. */
#ifndef TOY_H
#define TOY_H

#include <stddef.h>
#include <stdint.h>

/* Bits are numbered from the lowest of the first byte on; a hash stands for the bit hash % n_bits.
 */
void toy_add(uint8_t *bits, uint64_t n_bits, uint64_t hash);
int toy_find(const uint8_t *bits, uint64_t n_bits, uint64_t hash);
/* Sets found [n] to 0 or 1, and returns how many are 1. */
size_t toy_find_many(const uint8_t *bits, uint64_t n_bits, const uint64_t *hashes, size_t n,
                     uint8_t *found);

#endif

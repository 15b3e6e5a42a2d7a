#include "toy.h"

void toy_add(uint8_t *bits, uint64_t n_bits, uint64_t hash)
{
    bits[hash % n_bits / 8] |= (uint8_t)(1 << hash % n_bits % 8);
}

int toy_find(const uint8_t *bits, uint64_t n_bits, uint64_t hash)
{
    return bits[hash % n_bits / 8] >> hash % n_bits % 8 & 1;
}

size_t toy_find_many(const uint8_t *bits, uint64_t n_bits, const uint64_t *hashes, size_t n,
                     uint8_t *found)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = hashes[i];
        found[i] = (uint8_t)toy_find(bits, n_bits, hash);
        total += found[i];
    }
    return total;
}

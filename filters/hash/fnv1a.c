/* FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv). One multiplication per byte, a serial
 * chain: the slow end of the comparison. */
#include "filters/hash/hash.h"

static uint64_t fnv1a(const void *key, size_t len, uint64_t seed)
{
    const uint8_t *p = key;
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    (void)seed;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001B3);
    return h;
}

const struct fb_hash fb_hash_fnv1a = {
    .name = "fnv1a",
    .summary = "FNV-1a, 64 bits, a byte at a time",
    .source = "draft-eastlake-fnv, section 2",
    .bits = 64,
    .hash = fnv1a,
};

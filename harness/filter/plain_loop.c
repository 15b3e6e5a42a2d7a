#include "harness/filter/plain_loop.h"

static inline size_t loop(const struct fb_filter *f, const uint64_t *digests, size_t n,
                          uint8_t *maybe, size_t words)
{
    const uint64_t *bits = (const uint64_t *)(const void *)f->bytes, n_lines = f->geom.n_blocks;
    size_t hits = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t *line = bits + ((digests[i] >> 32) * n_lines >> 32) * words;
        int all = 1;
        for (size_t w = 0; w < words; w++)
            all &= line[w] != 0;
        maybe[i] = (uint8_t)all;
        hits += (size_t)all;
    }
    return hits;
}

size_t fb_plain_loop(const struct fb_filter *f, const uint64_t *digests, size_t n, uint8_t *maybe)
{
    return f->geom.block_bits == 256 ? loop(f, digests, n, maybe, 4)
                                     : loop(f, digests, n, maybe, 8);
}

#include "workloads/core/permutation.h"

#include "workloads/core/rng.h"

/* Newton's iteration for the inverse of an odd number modulo 2^64: x = 3a ^ 2 is right in 5 bits,
 * and each step doubles them. */
static uint64_t inverse_of(uint64_t a)
{
    uint64_t x = 3 * a ^ 2;
    for (int i = 0; i < 4; i++)
        x *= 2 - a * x;
    return x;
}

void fb_permutation_init(struct fb_permutation *p, uint64_t n, uint64_t stream)
{
    unsigned bits = 1;
    while (bits < 63 && (n - 1) >> bits)
        bits++;
    p->n = n;
    p->mask = (UINT64_C(1) << bits) - 1;
    p->shift = (bits + 1) / 2; /* at least half: the xor-shift is its own inverse */
    for (uint64_t r = 0; r < FB_PERMUTATION_ROUNDS; r++) {
        p->multiplier[r] = fb_stream_word(stream, 2 * r) | 1;
        p->inverse[r] = inverse_of(p->multiplier[r]);
        p->addend[r] = fb_stream_word(stream, 2 * r + 1);
    }
}

enum { BLOCK = 256 };

/* One step for all; then, as long as there are any, one for those that fell beyond n. */
static void permute_block(const struct fb_permutation *p, uint64_t first, size_t n, uint64_t *out)
{
    uint16_t beyond[BLOCK];
    size_t n_beyond = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = fb_permutation_step(p, first + i);
        beyond[n_beyond] = (uint16_t)i;
        n_beyond += out[i] >= p->n;
    }
    while (n_beyond) {
        size_t n_still = 0;
        for (size_t b = 0; b < n_beyond; b++) {
            uint16_t i = beyond[b];
            out[i] = fb_permutation_step(p, out[i]);
            beyond[n_still] = i;
            n_still += out[i] >= p->n;
        }
        n_beyond = n_still;
    }
}

void fb_permute_range(const struct fb_permutation *p, uint64_t first, size_t n, uint64_t *out)
{
    for (size_t i = 0; i < n; i += BLOCK)
        permute_block(p, first + i, n - i < BLOCK ? n - i : BLOCK, out + i);
}

uint64_t fb_unpermute(const struct fb_permutation *p, uint64_t i)
{
    do {
        for (int r = FB_PERMUTATION_ROUNDS - 1; r >= 0; r--) {
            i ^= i >> p->shift;
            i = ((i - p->addend[r]) * p->inverse[r]) & p->mask;
        }
    } while (i >= p->n);
    return i;
}

/*
 * Random bijections of [0, n): which key arrives when, which ones are popular, which are absent.
 * O(1) both ways and no table, so it serves 10^9 items as well as ten.
 *
 * Rounds of odd multiplication and xor-shift are a bijection of the smallest power of two that
 * holds n. A number that falls beyond n walks on along its cycle until it is back inside, which
 * takes less than one step on average.
 *
 * Threads: after it is made, any number of threads may read it.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_PERMUTATION_H
#define FILTERBENCH_WORKLOADS_CORE_PERMUTATION_H

#include <stddef.h>
#include <stdint.h>

enum { FB_PERMUTATION_ROUNDS = 4 };

struct fb_permutation {
    uint64_t n;    /* at least 1, at most 2^63 */
    uint64_t mask; /* 2^bits - 1 >= n - 1 */
    unsigned shift;
    uint64_t multiplier[FB_PERMUTATION_ROUNDS]; /* odd */
    uint64_t inverse[FB_PERMUTATION_ROUNDS];    /* of the multipliers, modulo 2^64 */
    uint64_t addend[FB_PERMUTATION_ROUNDS];
};

void fb_permutation_init(struct fb_permutation *, uint64_t n, uint64_t stream);

static inline uint64_t fb_permutation_step(const struct fb_permutation *p, uint64_t x)
{
    for (int r = 0; r < FB_PERMUTATION_ROUNDS; r++) {
        x = (x * p->multiplier[r] + p->addend[r]) & p->mask;
        x ^= x >> p->shift;
    }
    return x;
}

/* i < n */
static inline uint64_t fb_permute(const struct fb_permutation *p, uint64_t i)
{
    do
        i = fb_permutation_step(p, i);
    while (i >= p->n);
    return i;
}

/* fb_permute of first .. first + n - 1: without a branch per item, a few times as fast. */
void fb_permute_range(const struct fb_permutation *, uint64_t first, size_t n, uint64_t *out);

/* fb_unpermute(p, fb_permute(p, i)) == i */
uint64_t fb_unpermute(const struct fb_permutation *, uint64_t i);

#endif

/*
 * False-positive rates in closed form.
 *
 * n is the number of keys, m the number of bits, b = m / n the bits per key, and k the number of
 * probes. Rates are in [0, 1], and n = 0 gives 0. All functions are pure. They use math.h of this
 * folder alone, so results are equal on every machine.
 */
#ifndef FILTERBENCH_FILTERS_CORE_THEORY_H
#define FILTERBENCH_FILTERS_CORE_THEORY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How the probes of one key depend on each other. Except for FB_SCHEME_CLOSED this changes the
 * rate, and no closed form fits at every size. simulate.h then predicts the rate.
 */
enum fb_scheme {
    FB_SCHEME_CLOSED = 0,      /* the design's fpr() is accurate at every size */
    FB_SCHEME_WRAPPED,         /* h1 + i h2 wrapping at 2^64, then mod m (nori, course) */
    FB_SCHEME_WRAPPED_POW2,    /* the same with m a power of two (nori-pow2) */
    FB_SCHEME_ROTATE17,        /* one 32-bit word and its rotation by 17 (leveldb) */
    FB_SCHEME_MULTIPLIED_STEP, /* h2 from the high half of h1, h2 *= i (fjall-3) */
    FB_SCHEME_WRAPPED_32,      /* 32 bits and a mix of them, wrapping at 2^32 (bloom-double-32) */
    FB_SCHEME_ENHANCED,        /* the step grows by 0, 1, 2, ... (fjall-1, fjall-2) */
    FB_SCHEME_ROTATE17_LINE,   /* the same as ROTATE17 within a line of 512 bits (rocksdb-legacy) */
    FB_SCHEME_ENHANCED_REDUCED,     /* both reduced first, growing by 1, 2, ... (bloom-enhanced) */
    FB_SCHEME_MULTIPLIED_STEP_LINE, /* MULTIPLIED_STEP in a line of 512 bits (fjall-blocked) */
    FB_N_SCHEMES
};

/* ---- Classic Bloom filter ---- */

/* Returns (1 - e^(-k/b))^k, the limit for n -> infinity. */
double fb_bloom_fpr_limit(double bits_per_key, unsigned k);

/* Returns E[(X/m)^k], where X is the number of bits set after n k throws. This is exact at every
 * size for k independent uniform probes that may coincide. The relative error is below 1e-11. For
 * k > 64 it returns the limit. */
double fb_bloom_fpr(uint64_t n, uint64_t m, unsigned k);

/* Return the bits per key that reach a rate e in (0, 1). The first allows any real k and gives
 * log2(1/e) / ln 2. The second takes the best integer k <= 64 and sets *k to it. */
double fb_bloom_bits(double fpr);
double fb_bloom_bits_integer(double fpr, unsigned *k);

/* Returns the mean number of probes of an absent key if the lookup stops at the first unset bit. It
 * is (1 - rho^k) / (1 - rho), where rho is the share of bits that are set. */
double fb_bloom_absent_probes(double bits_per_key, unsigned k);

/* ---- Double hashing at finite size (Kirsch & Mitzenmacher 2006 is the limit) ---- */

/*
 * Returns by how much the rate of double hashing exceeds fb_bloom_fpr, for probes h1 + i h2 mod m
 * with h1 and h2 reduced mod m first. It is the sum of two terms. The pair term, of order n/m^2,
 * counts two arithmetic progressions that share at least two positions. The order term, of order
 * 1/m, counts steps of additive order r < k, where r divides m.
 *
 * The result holds to first order in 1/n. It is 4 % too low at n = 100 and 20 bits per key, and
 * only a guide for smaller n. It never exceeds 1 - rate. For k > 64 it returns 0.
 */
double fb_double_hashing_excess(uint64_t n, uint64_t m, unsigned k);
/* Returns an upper bound of that excess for fjall-3, which multiplies its step. The pair term is
 * that of progressions, whose differences repeat more often than those of fjall-3's positions. The
 * order term is fjall-3's own. */
double fb_multiplied_step_excess(uint64_t n, uint64_t m, unsigned k);

/* ---- Hash width ---- */

/* Returns 1 - e^(-n / 2^bits), the probability that the whole hash of a query equals some key's. */
double fb_hash_collision(uint64_t n, unsigned bits);
/* Returns that probability if one half of a 64-bit hash picks a block and the other half picks all
 * bits in it. A collision then needs the same block and the same other half. The result is
 * 1 - e^(-n / n_blocks / 2^32). */
double fb_half_hash_collision(uint64_t n, uint64_t n_blocks);

/* Returns P(A or B) for independent events of probability a and b. */
double fb_either(double a, double b);

/* ---- One-block designs ---- */

/* Split block: a key sets one bit in each of `lanes` lanes of w = block_bits / lanes bits. Returns
 * sum_i P(i) (1 - (1 - 1/w)^i)^lanes, where P(i) is the probability that a block holds i keys.
 * P is Binomial(n, 1/blocks), which is Poisson(n / blocks) for many blocks. (Apple 2021,
 * arXiv:2101.01719; abloom IMPLEMENTATION 1.3) */
double fb_sbbf_fpr(uint64_t n, uint64_t n_blocks, unsigned block_bits, unsigned lanes);
/* Blocked: k probes anywhere in the block. Returns sum_i P(i) E_i[fill^k] with an exact inner term,
 * or fb_bloom_fpr_limit for k > 64. */
double fb_blocked_fpr(uint64_t n, uint64_t n_blocks, unsigned block_bits, unsigned k);

/* Return both at c bits per key for infinitely many blocks, so P is Poisson(block_bits / c). */
double fb_sbbf_fpr_limit(double bits_per_key, unsigned block_bits, unsigned lanes);
double fb_blocked_fpr_limit(double bits_per_key, unsigned block_bits, unsigned k);
/* Returns the bits per key at which fb_sbbf_fpr_limit gives a rate in (0, 1). By bisection. */
double fb_sbbf_bits(double fpr, unsigned block_bits, unsigned lanes);
/* Returns RocksDB's own two-point estimate (util/bloom_impl.h, CacheLocalFpRate). */
double fb_rocksdb_estimate(double bits_per_key, unsigned k, unsigned block_bits);

/* ---- Bounds ---- */

/* Returns log2(1/e), the fewest bits per key of any filter with rate e. */
double fb_bound_bits(double fpr);

#ifdef __cplusplus
}
#endif

#endif

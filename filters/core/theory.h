/*
 * False-positive rates in closed form, each beside its source.
 *
 * n keys, m bits, b = m / n bits per key, k probes. Rates are in [0, 1]. All functions are pure.
 * n = 0 gives 0. Results use fb_math only and are equal on every machine.
 */
#ifndef FILTERBENCH_FILTERS_CORE_THEORY_H
#define FILTERBENCH_FILTERS_CORE_THEORY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How the probes of one key depend on each other, where that moves the rate and no closed form
 * fits at every size. simulate.h then predicts it from ideal hash words.
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

/* (1 - e^(-k/b))^k, the limit for n -> infinity. */
double fb_bloom_fpr_limit(double bits_per_key, unsigned k);

/* E[(X/m)^k], X = occupied bits after n k throws: exact for k independent uniform probes with
 * repeats, at every size. Relative error below 1e-11; k > 64 gives the limit. */
double fb_bloom_fpr(uint64_t n, uint64_t m, unsigned k);

/* Bits per key for a rate in (0, 1): log2(1/e) / ln 2, k real; and the least over integer k <= 64,
 * with that k. */
double fb_bloom_bits(double fpr);
double fb_bloom_bits_integer(double fpr, unsigned *k);

/* Mean probes of an absent key with early exit, (1 - rho^k) / (1 - rho), rho = fill. */
double fb_bloom_absent_probes(double bits_per_key, unsigned k);

/* ---- Double hashing at finite size (Kirsch & Mitzenmacher 2006 is the limit) ---- */

/* Excess over fb_bloom_fpr of h1 + i h2 mod m with h1, h2 reduced mod m first: the pair term of
 * order n/m^2 (two arithmetic progressions that share at least two positions) plus the order term
 * of order 1/m (steps of additive order r < k, r | m). Asymptotic, to first order in 1/n: 4 % too
 * low at n = 100 and 20 bits, and a guide only below that; never more than 1 - rate. k > 64 gives
 * 0. */
double fb_double_hashing_excess(uint64_t n, uint64_t m, unsigned k);
/* A bound for fjall-3's multiplied step: the pair term of progressions, which repeat differences
 * more often than its positions do, and an order term of its own. */
double fb_multiplied_step_excess(uint64_t n, uint64_t m, unsigned k);

/* ---- Hash width ---- */

/* 1 - e^(-n / 2^bits): the query's whole hash equals some key's. */
double fb_hash_collision(uint64_t n, unsigned bits);
/* The same where one half of a 64-bit hash picks a block and the other all bits in it: the other
 * half equals that of a key in the same block, 1 - e^(-n / n_blocks / 2^32). */
double fb_half_hash_collision(uint64_t n, uint64_t n_blocks);

/* P(A or B), independent. */
double fb_either(double a, double b);

/* ---- One-block designs ---- */

/* Load of a block: Binomial(n, 1/blocks), which is Poisson(n / blocks) for many blocks.
 * Split block: `lanes` lanes of block_bits / lanes bits, one bit each:
 * sum_i P(i) (1 - (1 - 1/w)^i)^lanes. (Apple 2021, arXiv:2101.01719; abloom IMPLEMENTATION 1.3) */
double fb_sbbf_fpr(uint64_t n, uint64_t n_blocks, unsigned block_bits, unsigned lanes);
/* k probes anywhere in the block: sum_i P(i) E_i[fill^k], the inner term exact (k > 64 gives
 * fb_bloom_fpr_limit). */
double fb_blocked_fpr(uint64_t n, uint64_t n_blocks, unsigned block_bits, unsigned k);

/* The same at c bits per key with infinitely many blocks, load Poisson(block_bits / c). */
double fb_sbbf_fpr_limit(double bits_per_key, unsigned block_bits, unsigned lanes);
double fb_blocked_fpr_limit(double bits_per_key, unsigned block_bits, unsigned k);
/* Inverse of fb_sbbf_fpr_limit by bisection: bits per key for a rate in (0, 1). */
double fb_sbbf_bits(double fpr, unsigned block_bits, unsigned lanes);
/* RocksDB's own two-point estimate (util/bloom_impl.h, CacheLocalFpRate). */
double fb_rocksdb_estimate(double bits_per_key, unsigned k, unsigned block_bits);

/* ---- Bounds ---- */

/* log2(1/e): no filter of rate e uses fewer bits per key. */
double fb_bound_bits(double fpr);

#ifdef __cplusplus
}
#endif

#endif

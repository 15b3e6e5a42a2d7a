/*
 * Byte order, rotations, quotients, wide products, remainders without division, bit arrays.
 *
 * All functions are pure or write only what they are given. None checks its arguments.
 */
#ifndef FILTERBENCH_FILTERS_CORE_BITS_H
#define FILTERBENCH_FILTERS_CORE_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "filterbench reads and writes blocks in memory order and needs a little-endian host"
#endif

__extension__ typedef unsigned __int128 fb_u128;

static inline uint32_t fb_le32(const void *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static inline uint64_t fb_le64(const void *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static inline void fb_put_le32(void *p, uint32_t x)
{
    memcpy(p, &x, sizeof x);
}

static inline void fb_put_le64(void *p, uint64_t x)
{
    memcpy(p, &x, sizeof x);
}

static inline uint64_t fb_be64(const void *p)
{
    return __builtin_bswap64(fb_le64(p));
}

static inline void fb_put_be64(void *p, uint64_t x)
{
    fb_put_le64(p, __builtin_bswap64(x));
}

static inline uint32_t fb_rotr32(uint32_t x, unsigned r)
{
    return x >> (r & 31) | x << (-r & 31);
}

static inline uint64_t fb_rotl64(uint64_t x, unsigned r)
{
    return x << (r & 63) | x >> (-r & 63);
}

static inline uint64_t fb_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t fb_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns a / b, rounded up, for b >= 1. */
static inline uint64_t fb_divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Returns the least multiple of b that is at least a, so (50, 64) gives 64. */
static inline uint64_t fb_round_up(uint64_t a, uint64_t b)
{
    return fb_divide_up(a, b) * b;
}

static inline uint32_t fb_lo32(uint64_t x)
{
    return (uint32_t)x;
}

static inline uint32_t fb_hi32(uint64_t x)
{
    return (uint32_t)(x >> 32);
}

/* Returns floor(a * b / 2^32), which maps a uniform 32-bit a onto [0, b). */
static inline uint32_t fb_mulhi32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static inline uint64_t fb_mulhi64(uint64_t a, uint64_t b)
{
    return (uint64_t)((fb_u128)a * b >> 64);
}

/* Returns the low half xor the high half of the 128-bit product. */
static inline uint64_t fb_fold64(uint64_t a, uint64_t b)
{
    fb_u128 p = (fb_u128)a * b;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/*
 * What is needed to compute x mod m exactly with one wide multiplication, since a division takes
 * many times as long.
 *
 * Let R = floor((2^64 - 1) / m) and q = floor(x * R / 2^64). We have 2^64 / m - R <= 1 and
 * x < 2^64. So the true quotient x / m exceeds x * R / 2^64 by less than 1. Then q is floor(x / m)
 * or one less, and one conditional subtraction finishes. This holds for every 64-bit x and every
 * m >= 1.
 *
 * Vectors have no cheap wide product. There q comes from the double x * inverse: fb_mod_x8.
 */
struct fb_divisor {
    uint64_t m;
    uint64_t reciprocal; /* floor((2^64 - 1) / m) */
    double inverse;      /* (1 - 2^-50) / m, rounded */
};

/* Prepares a division by m. The divisor of m = 0 must not be used. */
static inline struct fb_divisor fb_divisor_of(uint64_t m)
{
    struct fb_divisor d = {m, 0, 0};
    if (m) {
        d.reciprocal = UINT64_MAX / m;
        d.inverse = (1 - 1.0 / (UINT64_C(1) << 50)) / (double)m;
    }
    return d;
}

/* Returns x mod m. */
static inline uint64_t fb_mod(uint64_t x, struct fb_divisor d)
{
    uint64_t r = x - fb_mulhi64(x, d.reciprocal) * d.m;
    return r >= d.m ? r - d.m : r;
}

/*
 * Returns x mod m for a 32-bit x and m >= 2, without the subtraction.
 *
 * R + 1 exceeds 2^64 / m by at most 1, so x (R + 1) / 2^64 exceeds x / m by less than 2^-32.
 * While m <= 2^32 that is at most 1 / m, so the floor is the quotient. For a larger m the quotient
 * is 0, because x / m + 2^-32 stays below 1.
 */
static inline uint64_t fb_mod32(uint32_t x, struct fb_divisor d)
{
    return x - fb_mulhi64(x, d.reciprocal + 1) * d.m;
}

/*
 * Returns x mod m for a 32-bit x and 1 <= m <= 2^32, with a shorter chain of dependent
 * instructions. (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019.)
 *
 * The low half of x (R + 1) is the fraction of x / m in units of 2^-64. It is too large by less
 * than x / 2^64 < 1 / m, so the integer part of its product with m is the remainder. At m = 1,
 * R + 1 is 0, and so is the remainder.
 */
static inline uint64_t fb_mod32_short(uint32_t x, struct fb_divisor d)
{
    return fb_mulhi64((d.reciprocal + 1) * x, d.m);
}

/* Returns bit i of an array: bit i % 8 of byte i / 8, counted from the least significant bit. */
static inline bool fb_bit_lsb(const uint8_t *bits, uint64_t i)
{
    return bits[i >> 3] >> (i & 7) & 1;
}

static inline void fb_set_bit_lsb(uint8_t *bits, uint64_t i)
{
    bits[i >> 3] |= (uint8_t)(1u << (i & 7));
}

/* Returns how many bits of n bytes are set. */
static inline uint64_t fb_bits_set(const uint8_t *bytes, uint64_t n)
{
    uint64_t set = 0, i = 0;
    for (; i + 8 <= n; i += 8)
        set += (uint64_t)__builtin_popcountll(fb_le64(bytes + i));
    for (; i < n; i++)
        set += (uint64_t)__builtin_popcount(bytes[i]);
    return set;
}

/* Returns x, but hides from the compiler where it came from. This keeps a data dependency that the
 * compiler would fold away, such as x ^ y ^ y. */
static inline uint64_t fb_opaque(uint64_t x)
{
    __asm__ volatile("" : "+r"(x));
    return x;
}

#ifdef __cplusplus
}
#endif

#endif

#include "filters/hash/python_hash.h"

#include <math.h>

#define MODULUS_BITS 61
#define MODULUS      ((UINT64_C(1) << MODULUS_BITS) - 1)
#define HASH_INF     314159

/* CPython keeps -1 for errors. */
static int64_t signed_hash(uint64_t magnitude, bool negative)
{
    int64_t hash = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return hash == -1 ? -2 : hash;
}

bool fb_python_hash_int(const char *text, size_t len, int64_t *hash)
{
    size_t i = len > 0 && (text[0] == '-' || text[0] == '+');
    bool negative = i && text[0] == '-';
    uint64_t rest = 0; /* below 2^61, so 10 * rest + 9 fits */
    if (i == len)
        return false;
    for (; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        uint64_t hi = rest >> 58, lo = rest & ((UINT64_C(1) << 58) - 1);
        /* 10 rest = 10 lo + 10 hi 2^58, and 2^61 = 1: 10 hi 2^58 = hi 2^61 + hi 2^59. */
        rest = (lo * 10 + hi + (hi << 59) + (uint64_t)(text[i] - '0')) % MODULUS;
    }
    *hash = signed_hash(rest, negative);
    return true;
}

/* x times 2^e modulo 2^61 - 1: a rotation within 61 bits. */
static uint64_t rotate61(uint64_t x, unsigned e)
{
    return ((x << e) & MODULUS) | (e ? x >> (MODULUS_BITS - e) : 0);
}

bool fb_python_hash_float(double x, int64_t *hash)
{
    if (isnan(x))
        return false;
    if (isinf(x)) {
        *hash = x > 0 ? HASH_INF : -HASH_INF;
        return true;
    }
    int e;
    double m = frexp(fabs(x), &e);
    uint64_t rest = 0;
    while (m != 0) { /* 28 bits at a time, exact */
        rest = rotate61(rest, 28);
        m *= 0x1p28;
        e -= 28;
        uint64_t whole = (uint64_t)m;
        m -= (double)whole;
        rest += whole;
        if (rest >= MODULUS)
            rest -= MODULUS;
    }
    e = e >= 0 ? e % MODULUS_BITS : MODULUS_BITS - 1 - ((-1 - e) % MODULUS_BITS);
    *hash = signed_hash(rotate61(rest, (unsigned)e), x < 0);
    return true;
}

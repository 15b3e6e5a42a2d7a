/* What arithmetic progressions of probes cost beyond independent ones, to first order in 1/n. */
#include "filters/core/math.h"
#include "filters/core/theory.h"

#define MAX_PROBES 64

static double fill(uint64_t n, uint64_t m, unsigned k)
{
    return -fb_expm1(-(double)k * (double)n / (double)m);
}

static unsigned gcd(unsigned a, unsigned b)
{
    while (b) {
        unsigned r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static uint64_t totient(uint64_t r)
{
    uint64_t n = r;
    for (uint64_t p = 2; p * p <= r; p++)
        if (r % p == 0)
            for (n -= n / p; r % p == 0;)
                r /= p;
    return r > 1 ? n - n / r : n;
}

/*
 * Query step i meets key step j at the lattice point (i, j) of a k x k grid, and a query's start
 * and step, in units of the key's, are a line through such points. c_s pairs of windows hold s
 * points in direction (q, p); as a line with L points holds L - s + 1 windows, the second
 * difference of c counts the lines with exactly s. Downward directions double the number.
 */
static uint64_t lines_through(unsigned k, unsigned s)
{
    uint64_t lines = 0;
    for (unsigned q = 1; (s - 1) * q < k; q++)
        for (unsigned p = 1; (s - 1) * p < k; p++) {
            if (gcd(q, p) != 1)
                continue;
            int64_t c[3];
            for (unsigned i = 0; i < 3; i++) {
                int64_t w = (int64_t)k - (int64_t)(s - 1 + i) * q;
                int64_t h = (int64_t)k - (int64_t)(s - 1 + i) * p;
                c[i] = w > 0 && h > 0 ? w * h : 0;
            }
            lines += (uint64_t)(c[0] - 2 * c[1] + c[2]);
        }
    return 2 * lines;
}

double fb_double_hashing_excess(uint64_t n, uint64_t m, unsigned k)
{
    if (n == 0 || m == 0 || k < 2 || k > MAX_PROBES)
        return 0;
    double rho = fill(n, m, k), rho_k = fb_pow(rho, k);

    /* Independent probes meet twice in C(k,2) k (k-1) ways; meetings in one and no place are set
     * so that total probability and mean overlap k^2 / m agree. */
    double independent = 0.5 * k * (k - 1) * k * (k - 1);
    double n_lines = 0, n_points = 0, pair = -independent * fb_pow(rho, k - 2);
    for (unsigned s = 2; s <= k; s++) {
        double lines = (double)lines_through(k, s);
        n_lines += lines;
        n_points += s * lines;
        pair += lines * fb_pow(rho, k - s);
    }
    double once = 2 * independent - n_points;
    pair += once * fb_pow(rho, k - 1.0) + (independent - n_lines - once) * rho_k;
    pair *= (double)n / (double)m / (double)m;

    double order = 0;
    for (unsigned r = 1; r < k; r++)
        if (m % r == 0)
            order += (double)totient(r) * (fb_pow(rho, r) - rho_k);
    double excess = pair + order / (double)m;
    return excess < 1 - rho_k ? excess : 1 - rho_k;
}

/*
 * Probe i lies at h1 + c_i h2, c = 0, 0!, 0! + 1!, ... mod 2^64. A step of additive order r, r | m,
 * reaches as many positions as c has values mod r: few where factorials soon vanish, so a power of
 * two wastes steps at every scale. Orders past MAX_ORDER, counted up to 200000, reach 18 positions
 * or more and matter only to rates far below 2^-18.
 */
#define MAX_ORDER 65536

double fb_multiplied_step_excess(uint64_t n, uint64_t m, unsigned k)
{
    if (n == 0 || m == 0 || k < 2 || k > MAX_PROBES)
        return 0;
    double rho = fill(n, m, k), rho_k = fb_pow(rho, k), order = 0;
    for (uint64_t r = 1; r <= MAX_ORDER && r <= m; r++) {
        if (m % r != 0)
            continue;
        uint64_t values[MAX_PROBES], c = 0, factorial = 1;
        unsigned n_values = 0;
        for (unsigned i = 1; i <= k; i++, c += factorial, factorial *= i - 1) {
            unsigned j = 0;
            while (j < n_values && values[j] != c % r)
                j++;
            if (j == n_values)
                values[n_values++] = c % r;
        }
        order += (double)totient(r) * (fb_pow(rho, n_values) - rho_k);
    }
    double excess = fb_double_hashing_excess(n, m, k) + order / (double)m;
    return excess < 1 - rho_k ? excess : 1 - rho_k;
}

#include "harness/stats/paired.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void fb_sort(double *x, size_t n)
{
    qsort(x, n, sizeof *x, ascending);
}

double fb_median(double *x, size_t n)
{
    fb_sort(x, n);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

double fb_median_deviation(const double *x, size_t n, double centre, double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(x[i] - centre);
    return fb_median(scratch, n);
}

enum { MAX_WALSH = FB_PAIRED_MAX * (FB_PAIRED_MAX + 1) / 2 };

/*
 * The distribution of W, the sum of the ranks with positive sign, under the null: p[w], w = 0 ..
 * n (n + 1) / 2. Each rank r is in the sum with probability 1/2, so it is the product of
 * (1 + z^r) / 2: built by one pass per rank.
 */
static void signed_ranks(size_t n, double p[MAX_WALSH + 1])
{
    memset(p, 0, (MAX_WALSH + 1) * sizeof *p);
    p[0] = 1;
    for (size_t rank = 1, top = 0; rank <= n; rank++) {
        top += rank;
        for (size_t w = top + 1; w-- > 0;)
            p[w] = (p[w] + (w >= rank ? p[w - rank] : 0)) / 2;
    }
}

/* Largest c such that P(W < c) <= tail under the null; its probability goes to *attained. */
static size_t signed_rank_cut(size_t n, double tail, double *attained)
{
    double p[MAX_WALSH + 1], below = 0;
    size_t cut = 0;
    signed_ranks(n, p);
    while (cut <= MAX_WALSH && below + p[cut] <= tail)
        below += p[cut++];
    *attained = below;
    return cut;
}

double fb_signed_rank_p(const double *d, size_t n)
{
    double p[MAX_WALSH + 1], above = 0;
    size_t w = 0;
    for (size_t i = 0; i < n; i++) {
        size_t rank = 1;
        for (size_t j = 0; j < n; j++)
            rank += fabs(d[j]) < fabs(d[i]) || (fabs(d[j]) == fabs(d[i]) && j < i);
        w += d[i] > 0 ? rank : 0;
    }
    signed_ranks(n, p);
    for (size_t i = MAX_WALSH + 1; i-- > w;)
        above += p[i];
    return above;
}

/* n observations have one sign, as chance would have it, with probability 2 / 2^n. */
size_t fb_paired_least(double level)
{
    size_t n = 1;
    for (double outside = 1; outside > 1 - level; outside /= 2)
        n++;
    return n;
}

struct fb_paired fb_hodges_lehmann(const double *d, size_t n, double level)
{
    static const double infinity = INFINITY;
    double walsh[MAX_WALSH];
    size_t n_walsh = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            walsh[n_walsh++] = (d[i] + d[j]) / 2;
    struct fb_paired result = {.estimate = fb_median(walsh, n_walsh)};
    double tail;
    size_t cut = signed_rank_cut(n, (1 - level) / 2, &tail);
    result.level = 1 - 2 * tail;
    result.bounded = cut > 0;
    if (result.bounded) /* the cut-th smallest and largest Walsh averages; fb_median sorted them */
        result.interval = (struct fb_interval){walsh[cut - 1], walsh[n_walsh - cut]};
    else
        result.interval = (struct fb_interval){-infinity, infinity};
    return result;
}

#include "harness/stats/histogram.h"

#include <math.h>

unsigned fb_histogram_bin(uint64_t ps)
{
    if (ps < 128)
        return (unsigned)ps;
    unsigned exponent = 63 - (unsigned)__builtin_clzll(ps); /* at least 7 */
    return 128 + 64 * (exponent - 7) + (unsigned)(ps >> (exponent - 6) & 63);
}

uint64_t fb_histogram_low(unsigned bin)
{
    if (bin < 128)
        return bin;
    unsigned exponent = 7 + (bin - 128) / 64;
    return (64 + (uint64_t)(bin - 128) % 64) << (exponent - 6);
}

uint64_t fb_histogram_middle(unsigned bin)
{
    if (bin < 128)
        return bin;
    unsigned exponent = 7 + (bin - 128) / 64;
    return fb_histogram_low(bin) + (UINT64_C(1) << (exponent - 7));
}

void fb_histogram_add(struct fb_histogram *h, uint64_t ps, uint64_t times)
{
    if (!times)
        return;
    if (!h->n || ps < h->min_ps)
        h->min_ps = ps;
    if (ps > h->max_ps)
        h->max_ps = ps;
    h->count[fb_histogram_bin(ps)] += times;
    h->n += times;
    h->sum_ps += (double)ps * (double)times;
}

uint64_t fb_histogram_quantile(const struct fb_histogram *h, double q)
{
    uint64_t rank = (uint64_t)ceil(q * (double)h->n), seen = 0;
    if (rank == 0)
        rank = 1;
    for (unsigned bin = 0; bin < FB_HISTOGRAM_BINS; bin++) {
        seen += h->count[bin];
        if (seen >= rank && h->count[bin]) {
            uint64_t value = fb_histogram_middle(bin);
            value = value < h->min_ps ? h->min_ps : value;
            return value > h->max_ps ? h->max_ps : value;
        }
    }
    return h->max_ps;
}

uint64_t fb_histogram_beyond(const struct fb_histogram *h, double q)
{
    return (uint64_t)((1 - q) * (double)h->n);
}

enum fb_err fb_histogram_write_hgrm(const struct fb_histogram *h, double ps_per_unit, FILE *out)
{
    fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
            "1/(1-Percentile)");
    uint64_t seen = 0;
    double squares = 0, mean = h->n ? h->sum_ps / (double)h->n : 0;
    for (unsigned bin = 0; bin < FB_HISTOGRAM_BINS; bin++) {
        if (!h->count[bin])
            continue;
        seen += h->count[bin];
        double middle = (double)fb_histogram_middle(bin);
        double below = (double)seen / (double)h->n;
        squares += (middle - mean) * (middle - mean) * (double)h->count[bin];
        fprintf(out, "%12.3f %2.12f %10llu", middle / ps_per_unit, below, (unsigned long long)seen);
        if (seen < h->n)
            fprintf(out, " %14.2f", 1 / (1 - below));
        fputc('\n', out);
    }
    double sd = h->n ? sqrt(squares / (double)h->n) : 0;
    fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean / ps_per_unit,
            sd / ps_per_unit);
    fprintf(out, "#[Max     = %12.3f, Total count    = %12llu]\n", (double)h->max_ps / ps_per_unit,
            (unsigned long long)h->n);
    fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", 57, 64);
    return ferror(out) ? FB_EIO : FB_OK;
}

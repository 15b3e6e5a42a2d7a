#include "filters/core/theory.h"

#include "filters/core/math.h"

#include <math.h> /* sqrt, floor, ldexp, INFINITY: exact or correctly rounded */

#define MAX_EXACT_PROBES 64

double fb_either(double a, double b)
{
    return a + b - a * b;
}

double fb_hash_collision(uint64_t n, unsigned bits)
{
    return -fb_expm1(-ldexp((double)n, -(int)bits));
}

double fb_half_hash_collision(uint64_t n, uint64_t n_blocks)
{
    return n_blocks ? -fb_expm1(-ldexp((double)n / (double)n_blocks, -32)) : 0;
}

double fb_bound_bits(double fpr)
{
    return -fb_log2(fpr);
}

/* ---- Classic Bloom filter ---- */

static double fill_limit(double bits_per_key, unsigned k)
{
    return bits_per_key > 0 ? -fb_expm1(-(k / bits_per_key)) : 1;
}

double fb_bloom_fpr_limit(double bits_per_key, unsigned k)
{
    return fb_pow(fill_limit(bits_per_key, k), k);
}

double fb_bloom_bits(double fpr)
{
    return fb_bound_bits(fpr) / FB_LN2;
}

double fb_bloom_bits_integer(double fpr, unsigned *k)
{
    double best = INFINITY;
    *k = 1;
    for (unsigned j = 1; j <= MAX_EXACT_PROBES; j++) {
        double bits = -(j / fb_log1p(-fb_exp(fb_log(fpr) / j)));
        if (bits < best) {
            best = bits;
            *k = j;
        }
    }
    return best;
}

double fb_bloom_absent_probes(double bits_per_key, unsigned k)
{
    double rho = fill_limit(bits_per_key, k), probes = 0, reach = 1;
    for (unsigned i = 0; i < k; i++, reach *= rho)
        probes += reach;
    return probes;
}

/*
 * The exact rate, seen from the query. Its k probes fall on d distinct positions with probability
 * p[d]; it passes if later throws cover all of them. While r of them are bare, a throw covers one
 * with probability r / m, so r is a pure death chain of at most k states and all its terms are
 * positive: no cancellation, whatever the rate.
 */
struct query {
    unsigned d_max;
    double p[MAX_EXACT_PROBES + 1];
};

static void query_init(struct query *q, uint64_t m, unsigned k)
{
    q->d_max = k < m ? k : (unsigned)m;
    for (unsigned d = 0; d <= q->d_max; d++)
        q->p[d] = d == 0;
    for (unsigned i = 0; i < k; i++) {
        for (unsigned d = q->d_max; d > 0; d--)
            q->p[d] = q->p[d] * d / (double)m + q->p[d - 1] * (double)(m - d + 1) / (double)m;
        q->p[0] = 0;
    }
}

/* covered[r] = P(r given positions are all covered). */
static double query_passes(const struct query *q, const double *covered)
{
    double f = 0;
    for (unsigned d = 1; d <= q->d_max; d++)
        f += q->p[d] * covered[d];
    return f;
}

/*
 * covered after N throws = T^N e_0, T the chain's triangular step matrix, by repeated squaring.
 * A diagonal of T^(2^s) is (1 - r/m)^(2^s), taken from the exponential rather than squared, so no
 * error doubles: an entry at distance d from the diagonal is a sum of products of entries at
 * distances that add up to d, hence its relative error is at most d (s + 1) small multiples of
 * 2^-53, below 1e-12 for every accepted size.
 */
double fb_bloom_fpr(uint64_t n, uint64_t m, unsigned k)
{
    if (n == 0 || m == 0)
        return 0;
    if (k == 0)
        return 1;
    if (k > MAX_EXACT_PROBES)
        return fb_bloom_fpr_limit((double)m / (double)n, k);

    struct query q;
    query_init(&q, m, k);
    double t[MAX_EXACT_PROBES + 1][MAX_EXACT_PROBES + 1] = {{0}};
    double rate[MAX_EXACT_PROBES + 1], covered[MAX_EXACT_PROBES + 1] = {1};
    for (unsigned r = 0; r <= q.d_max; r++) {
        rate[r] = r < m ? fb_log1p(-((double)r / (double)m)) : -INFINITY;
        t[r][r] = r ? fb_exp(rate[r]) : 1;
        if (r)
            t[r][r - 1] = (double)r / (double)m;
    }
    double steps = 1;
    for (uint64_t left = n * k; left; left >>= 1) {
        if (left & 1)
            for (unsigned r = q.d_max; r > 0; r--) { /* covered[j], j < r, is not yet replaced */
                double sum = 0;
                for (unsigned j = 0; j <= r; j++)
                    sum += t[r][j] * covered[j];
                covered[r] = sum;
            }
        steps *= 2;
        for (unsigned r = q.d_max; r > 0; r--) /* row r needs the old rows up to r only */
            for (unsigned j = 0; j < r; j++) {
                double sum = 0;
                for (unsigned l = j; l <= r; l++)
                    sum += t[r][l] * t[l][j];
                t[r][j] = sum;
            }
        for (unsigned r = 1; r <= q.d_max; r++)
            t[r][r] = fb_exp(steps * rate[r]);
    }
    double f = query_passes(&q, covered);
    return f < 1 ? f : 1;
}

/* ---- One-block designs ---- */

/* Load of a block: P(i + 1) / P(i) = (first - i odds) / (i + 1), which is the binomial one with
 * odds = 1 / (blocks - 1) and first = n odds, and the Poisson one with odds = 0, first = mean. */
struct load {
    double mean, first, odds;
};

static struct load load_of(uint64_t n, uint64_t n_blocks)
{
    double odds = 1 / ((double)n_blocks - 1);
    return (struct load){(double)n / (double)n_blocks, (double)n * odds, odds};
}

/* The rate of a block that holds 0, 1, 2, ... keys, one more at each step. */
struct block {
    double rate;
    void (*step)(struct block *);
    unsigned k;  /* probes or lanes */
    double size; /* bits that one probe chooses from */
    double bare; /* a lane's bit is still 0 */
    double covered[MAX_EXACT_PROBES + 1];
    struct query query;
};

static void step_lanes(struct block *b)
{
    b->bare *= 1 - 1 / b->size;
    b->rate = fb_pow(1 - b->bare, b->k);
}

static void step_anywhere(struct block *b)
{
    for (unsigned i = 0; i < b->k; i++)
        for (unsigned r = b->query.d_max; r > 0; r--)
            b->covered[r] += (b->covered[r - 1] - b->covered[r]) * (r / b->size);
    b->rate = query_passes(&b->query, b->covered);
}

static struct block lanes_of(unsigned block_bits, unsigned lanes)
{
    return (struct block){
        .step = step_lanes, .k = lanes, .size = (double)block_bits / lanes, .bare = 1};
}

static struct block anywhere_of(unsigned block_bits, unsigned k)
{
    struct block b = {.step = step_anywhere, .k = k, .size = block_bits, .covered = {1}};
    query_init(&b.query, block_bits, k);
    return b;
}

/* A full block answers alike for any further key: stop when the rate has ceased to grow. Returns
 * false then. */
static bool fuller(struct block *b)
{
    double before = b->rate;
    b->step(b);
    return b->rate > before || before < 0.5;
}

static double block_rate(struct block *b, uint64_t n)
{
    for (uint64_t i = 0; i < n && fuller(b); i++)
        ;
    return b->rate;
}

/* sum_i P(i) rate_i over mean +- 20 standard deviations and 100 keys, beyond which lies less than
 * e^-200; the weights start at 1 and are divided by their sum. */
static double mixture(struct load load, struct block *b)
{
    double reach = 20 * sqrt(load.mean);
    double low = load.mean > reach ? floor(load.mean - reach) : 0;
    double high = load.mean + reach + 100;
    bool growing = true;
    for (double i = 0; i < low && growing; i++)
        growing = fuller(b);
    if (!growing)
        return b->rate;
    double weight = 1, total = 0, sum = 0;
    for (double i = low; i < high && weight > 0; i++) {
        total += weight;
        sum += weight * b->rate;
        weight *= (load.first - i * load.odds) / (i + 1);
        growing = growing && fuller(b);
    }
    return sum / total;
}

static double poisson_mixture(double mean, struct block *b)
{
    return mean < INFINITY ? mixture((struct load){mean, mean, 0}, b) : 1;
}

double fb_sbbf_fpr(uint64_t n, uint64_t n_blocks, unsigned block_bits, unsigned lanes)
{
    if (n == 0 || n_blocks == 0)
        return 0;
    struct block b = lanes_of(block_bits, lanes);
    return n_blocks == 1 ? block_rate(&b, n) : mixture(load_of(n, n_blocks), &b);
}

double fb_sbbf_fpr_limit(double bits_per_key, unsigned block_bits, unsigned lanes)
{
    struct block b = lanes_of(block_bits, lanes);
    return poisson_mixture(block_bits / bits_per_key, &b);
}

double fb_blocked_fpr(uint64_t n, uint64_t n_blocks, unsigned block_bits, unsigned k)
{
    if (n == 0 || n_blocks == 0)
        return 0;
    if (k == 0)
        return 1;
    if (k > MAX_EXACT_PROBES)
        return fb_bloom_fpr_limit((double)n_blocks * block_bits / (double)n, k);
    struct block b = anywhere_of(block_bits, k);
    return n_blocks == 1 ? block_rate(&b, n) : mixture(load_of(n, n_blocks), &b);
}

double fb_blocked_fpr_limit(double bits_per_key, unsigned block_bits, unsigned k)
{
    if (k == 0)
        return 1;
    if (k > MAX_EXACT_PROBES)
        return fb_bloom_fpr_limit(bits_per_key, k);
    struct block b = anywhere_of(block_bits, k);
    return poisson_mixture(block_bits / bits_per_key, &b);
}

double fb_sbbf_bits(double fpr, unsigned block_bits, unsigned lanes)
{
    double low = -6, high = 60; /* log2 of bits per key: rates 1 and below 1e-25 */
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (fb_sbbf_fpr_limit(fb_exp(middle * FB_LN2), block_bits, lanes) > fpr)
            low = middle;
        else
            high = middle;
    }
    return fb_exp(high * FB_LN2);
}

double fb_rocksdb_estimate(double bits_per_key, unsigned k, unsigned block_bits)
{
    if (!(bits_per_key > 0))
        return 1;
    double load = block_bits / bits_per_key, sd = sqrt(load);
    double crowded = fb_bloom_fpr_limit(block_bits / (load + sd), k);
    double sparse = load > sd ? fb_bloom_fpr_limit(block_bits / (load - sd), k) : 0;
    return (crowded + sparse) / 2;
}

#include "workloads/core/popularity.h"

#include <string.h>

#include "filters/core/math.h"
#include "workloads/core/decimal.h"
#include "workloads/core/rng.h"

/* Uniform on [0, 1), 53 bits: what Java's nextDouble makes of as many bits. */
static double unit_of(uint64_t word)
{
    return (double)(word >> 11) * 0x1p-53;
}

/* ---- Zipf by rejection-inversion ---- */

/*
 * W. Hoermann and G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
 * distributions", 1996. Item k >= 1 has weight h(k) = k^-theta; its bar of width 1 around k is
 * compared with the area below h, whose integral from 1 is
 *
 *     H(x) = (x^(1 - theta) - 1) / (1 - theta)        log x for theta = 1
 *
 * With u uniform on (H(3/2) - 1, H(n + 1/2)], x = H^-1(u) and k = x rounded, k is taken where
 * u >= H(k + 1/2) - h(k): a part of length h(k) of the interval that belongs to k, for every k.
 * Where k - x is at most a constant that is always so, and H need not be computed.
 */
enum { H_LOW, H_HIGH, SURE, ONE_MINUS_THETA, TOTAL };

static double integral(double x, double one_minus_theta)
{
    double log_x = fb_log(x), t = one_minus_theta * log_x;
    return t == 0 ? log_x : log_x * (fb_expm1(t) / t);
}

static double inverse_integral(double u, double one_minus_theta)
{
    double t = u * one_minus_theta;
    if (t <= -1) /* rounding beyond the limit of H for theta > 1 */
        return 0x1p63;
    return fb_exp(t == 0 ? u : u * (fb_log1p(t) / t));
}

/* Sum of k^-s over 1 .. n: terms one by one up to a thousand, the rest by Euler and Maclaurin,
 * whose next term is below 10^-17. */
static double zeta(double n, double s)
{
    enum { M = 1000 };
    double sum = 0, c = 1 - s;
    double end = n < M ? n : M - 1;
    for (double k = end; k >= 1; k--)
        sum += fb_exp(-s * fb_log(k));
    if (n < M)
        return sum;
    double first = fb_exp(-s * fb_log(M)), last = fb_exp(-s * fb_log(n));
    return sum + (integral(n, c) - integral(M, c)) + (first + last) / 2 +
           s / 12 * (first / M - last / n);
}

static void zipf_init(struct fb_popularity *p)
{
    double c = 1 - p->theta;
    p->constant[ONE_MINUS_THETA] = c;
    p->constant[H_LOW] = integral(1.5, c) - 1;
    p->constant[H_HIGH] = integral((double)p->n + 0.5, c);
    p->constant[TOTAL] = zeta((double)p->n, p->theta);
    p->constant[SURE] = 2 - inverse_integral(integral(2.5, c) - fb_pow(2, -p->theta), c);
}

static uint64_t zipf_rank(const struct fb_popularity *p, uint64_t word)
{
    double low = p->constant[H_LOW], high = p->constant[H_HIGH], c = p->constant[ONE_MINUS_THETA];
    for (;; word = fb_mix64(word + FB_GOLDEN64)) {
        double u = high + unit_of(word) * (low - high);
        double x = inverse_integral(u, c);
        uint64_t k = x >= (double)p->n ? p->n : (uint64_t)(x + 0.5);
        if (k < 1)
            k = 1;
        if ((double)k - x <= p->constant[SURE] ||
            u >= integral((double)k + 0.5, c) - fb_exp(-p->theta * fb_log((double)k)))
            return k - 1;
    }
}

static double zipf_below(const struct fb_popularity *p, double rank)
{
    return zeta(rank, p->theta) / p->constant[TOTAL];
}

static double zipf_top(const struct fb_popularity *p, uint64_t k, uint64_t *rank)
{
    *rank = k;
    return fb_exp(-p->theta * fb_log((double)(k + 1))) / p->constant[TOTAL];
}

static double zipf_effective(const struct fb_popularity *p)
{
    double total = p->constant[TOTAL];
    return total * total / zeta((double)p->n, 2 * p->theta);
}

/* ---- YCSB ---- */

/*
 * ScrambledZipfianGenerator with the constants of its source: items 0 .. 10^10, theta 0.99 and the
 * sum `zetan` of that many weights, whatever the number of records. The sampler is that of Gray et
 * al., "Quickly generating billion-record synthetic databases", 1994: exact for the first two ranks
 * and a power law for the rest, which gives ranks 2 .. 20 up to a fifth more than the exact law.
 */
enum { ETA, SECOND, ALPHA };
static const double ycsb_items = 10000000001.0, ycsb_theta = 0.99, ycsb_zetan = 26.46902820178302;

static void ycsb_init(struct fb_popularity *p)
{
    double second = 1 + fb_pow(0.5, ycsb_theta);
    p->constant[ETA] = (1 - fb_pow(2 / ycsb_items, 1 - ycsb_theta)) / (1 - second / ycsb_zetan);
    p->constant[SECOND] = second;
    p->constant[ALPHA] = 1 / (1 - ycsb_theta);
}

uint64_t fb_ycsb_hash(uint64_t value)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (int i = 0; i < 8; i++, value >>= 8)
        hash = (hash ^ (value & 0xFF)) * UINT64_C(1099511628211);
    return hash >> 63 ? -hash : hash;
}

static uint64_t ycsb_rank(const struct fb_popularity *p, uint64_t word)
{
    double u = unit_of(word), uz = u * ycsb_zetan;
    uint64_t rank = 0;
    if (uz >= p->constant[SECOND])
        rank = (uint64_t)(ycsb_items *
                          fb_pow(p->constant[ETA] * u - p->constant[ETA] + 1, p->constant[ALPHA]));
    else if (uz >= 1)
        rank = 1;
    return fb_ycsb_hash(rank) % p->n;
}

static double ycsb_top(const struct fb_popularity *p, uint64_t k, uint64_t *rank)
{
    double c = 1 - ycsb_theta;
    *rank = fb_ycsb_hash(k) % p->n;
    if (k < 2)
        return (k ? p->constant[SECOND] - 1 : 1) / ycsb_zetan;
    double x = (double)k;
    return (fb_exp(c * fb_log(x + 1)) - fb_exp(c * fb_log(x))) * fb_pow(ycsb_items, -c) /
           p->constant[ETA];
}

/*
 * P(rank) = (G(rank + 1) - G(rank)) / eta with G(k) = (k / items)^(1 - theta) from rank 2 on.
 * Beyond M the sum of squares is the integral of G'^2. The hash throws ranks together at random:
 * two different ones meet with probability 1 / n.
 */
static double ycsb_effective(const struct fb_popularity *p)
{
    enum { M = 4000 };
    double c = 1 - ycsb_theta, squares = 0;
    double scale = fb_pow(ycsb_items, -c) / p->constant[ETA];
    uint64_t item;
    for (uint64_t k = 0; k < M; k++) {
        double share = ycsb_top(p, k, &item);
        squares += share * share;
    }
    squares += c * c * scale * scale * fb_exp((2 * c - 1) * fb_log(M)) / (1 - 2 * c);
    return 1 / (squares + (1 - squares) / (double)p->n);
}

/* ---- The others ---- */

static void no_constants(struct fb_popularity *p)
{
    (void)p;
}

static double all_items(const struct fb_popularity *p)
{
    return (double)p->n;
}

static uint64_t uniform_rank(const struct fb_popularity *p, uint64_t word)
{
    return fb_uniform_below(word, p->n);
}

static double even_below(const struct fb_popularity *p, double rank)
{
    return rank / (double)p->n;
}

static double no_favourites(const struct fb_popularity *p, uint64_t k, uint64_t *rank)
{
    (void)p;
    *rank = k;
    return 0;
}

enum { N_HOT };

static void hotspot_init(struct fb_popularity *p)
{
    double hot = p->hot_items * (double)p->n;
    p->constant[N_HOT] = hot >= 1 ? (double)(uint64_t)hot : 1;
}

static uint64_t hotspot_rank(const struct fb_popularity *p, uint64_t word)
{
    uint64_t hot = (uint64_t)p->constant[N_HOT], item = fb_mix64(word + FB_GOLDEN64);
    if (hot >= p->n || unit_of(word) < p->hot_queries)
        return fb_uniform_below(item, hot < p->n ? hot : p->n);
    return hot + fb_uniform_below(item, p->n - hot);
}

static double hotspot_below(const struct fb_popularity *p, double rank)
{
    double n = (double)p->n, hot = p->constant[N_HOT], q = p->hot_queries;
    if (hot >= n)
        return rank / n;
    return rank < hot ? q * rank / hot : q + (1 - q) * (rank - hot) / (n - hot);
}

static double hotspot_effective(const struct fb_popularity *p)
{
    double n = (double)p->n, hot = p->constant[N_HOT], q = p->hot_queries;
    return hot >= n ? n : 1 / (q * q / hot + (1 - q) * (1 - q) / (n - hot));
}

/* ---- The table ---- */

static const struct kind {
    void (*init)(struct fb_popularity *);
    uint64_t (*rank)(const struct fb_popularity *, uint64_t word); /* NULL: by the query's number */
    double (*effective)(const struct fb_popularity *);
    double (*below)(const struct fb_popularity *, double rank);
    double (*top)(const struct fb_popularity *, uint64_t k, uint64_t *rank);
} kinds[] = {
    [FB_UNIFORM] = {no_constants, uniform_rank, all_items, even_below, no_favourites},
    [FB_ZIPF] = {zipf_init, zipf_rank, zipf_effective, zipf_below, zipf_top},
    [FB_YCSB_ZIPF] = {ycsb_init, ycsb_rank, ycsb_effective, even_below, ycsb_top},
    [FB_LATEST] = {zipf_init, zipf_rank, zipf_effective, zipf_below, zipf_top},
    [FB_SEQUENTIAL] = {no_constants, NULL, all_items, even_below, no_favourites},
    [FB_HOTSPOT] = {hotspot_init, hotspot_rank, hotspot_effective, hotspot_below, no_favourites},
};

const struct fb_popularity_name fb_popularity_names[] = {
    {"uniform", "uniform", "all keys alike", FB_UNIFORM},
    {"zipf:THETA", "zipf", "P(rank) ~ rank^-THETA, exact at any size; 0 <= THETA <= 100", FB_ZIPF},
    {"ycsb-zipf", "ycsb-zipf", "YCSB's scrambled zipfian: laid out for 10^10 items, then hashed",
     FB_YCSB_ZIPF},
    {"latest:THETA", "latest", "zipf over ages, the newest key first; THETA is 0.99 unless given",
     FB_LATEST},
    {"sequential", "sequential", "one key after the other, round and round", FB_SEQUENTIAL},
    {"hotspot:P,Q", "hotspot", "share Q of the queries for share P of the keys", FB_HOTSPOT},
    {0},
};

static bool read_theta(const char **text, struct fb_popularity *p)
{
    return fb_word_read(text, ":") && fb_decimal_read(text, &p->theta) && p->theta <= 100;
}

static bool read_hotspot(const char **text, struct fb_popularity *p)
{
    return fb_word_read(text, ":") && fb_decimal_read(text, &p->hot_items) &&
           fb_word_read(text, ",") && fb_decimal_read(text, &p->hot_queries) && p->hot_items > 0 &&
           p->hot_items <= 1 && p->hot_queries <= 1;
}

bool fb_popularity_parse(const char *text, struct fb_popularity *out, const char **why)
{
    static const char accepted[] =
        "accepted are uniform, zipf:THETA (0 to 100), ycsb-zipf, latest, latest:THETA (0 to 100), "
        "sequential and hotspot:P,Q (shares of keys and of queries)";
    for (const struct fb_popularity_name *name = fb_popularity_names; name->text; name++) {
        const char *at = text;
        struct fb_popularity p = {.kind = name->kind, .theta = 0.99};
        if (!fb_word_read(&at, name->word))
            continue;
        if ((name->kind == FB_ZIPF && !read_theta(&at, &p)) ||
            (name->kind == FB_LATEST && *at && !read_theta(&at, &p)) ||
            (name->kind == FB_HOTSPOT && !read_hotspot(&at, &p)) || *at)
            break;
        *out = p;
        return true;
    }
    *why = accepted;
    return false;
}

void fb_popularity_init(struct fb_popularity *p, uint64_t n)
{
    p->n = n;
    memset(p->constant, 0, sizeof p->constant);
    kinds[p->kind].init(p);
}

uint64_t fb_popularity_rank(const struct fb_popularity *p, uint64_t stream, uint64_t i)
{
    const struct kind *kind = &kinds[p->kind];
    return kind->rank ? kind->rank(p, fb_stream_word(stream, i)) : i % p->n;
}

double fb_popularity_effective(const struct fb_popularity *p)
{
    return kinds[p->kind].effective(p);
}

double fb_popularity_below(const struct fb_popularity *p, uint64_t rank)
{
    return kinds[p->kind].below(p, (double)(rank < p->n ? rank : p->n));
}

double fb_popularity_top(const struct fb_popularity *p, uint64_t k, uint64_t *rank)
{
    return kinds[p->kind].top(p, k, rank);
}

/* ---- Items ---- */

void fb_items_init(struct fb_items *items, const struct fb_popularity *popularity, uint64_t n,
                   uint64_t stream)
{
    items->popularity = *popularity;
    fb_popularity_init(&items->popularity, n ? n : 1);
    fb_permutation_init(&items->ranks, n ? n : 1, stream);
}

uint64_t fb_item_of(const struct fb_items *items, uint64_t rank, uint64_t n_by_age)
{
    switch (items->popularity.kind) {
    case FB_ZIPF:
    case FB_HOTSPOT:
        return fb_permute(&items->ranks, rank);
    case FB_LATEST:
        return rank < n_by_age ? n_by_age - 1 - rank : rank;
    case FB_UNIFORM:
    case FB_SEQUENTIAL:
    case FB_YCSB_ZIPF: /* scatters its ranks itself */
        break;
    }
    return rank;
}

#include "filters/core/simulate.h"

#include <math.h>
#include <stdlib.h>

/* Word i of a stream: the splitmix64 sequence that starts at the stream's base (Steele, Lea and
 * Flood 2014). */
static uint64_t ideal_word(uint64_t base, uint64_t i)
{
    uint64_t z = base + (i + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

struct walk {
    uint64_t at, step;
    uint64_t first; /* of schemes that pick a line by it */
};

static struct walk two_words(uint64_t base, uint64_t i)
{
    return (struct walk){ideal_word(base, 2 * i), ideal_word(base, 2 * i + 1), 0};
}

/* Of 48 bits: no sum wraps, so that remainders are those of terms reduced first. */
static struct walk two_short_words(uint64_t base, uint64_t i)
{
    struct walk w = two_words(base, i);
    return (struct walk){w.at >> 16, w.step >> 16, 0};
}

static struct walk word_and_rotation(uint64_t base, uint64_t i)
{
    uint64_t h = ideal_word(base, i) >> 32;
    return (struct walk){h, h >> 17 | (h << 15 & 0xFFFFFFFF), h};
}

/* The step is an ideal function of the 32-bit word. */
static struct walk word_and_mix(uint64_t base, uint64_t i)
{
    uint64_t h = ideal_word(base, i) >> 32;
    return (struct walk){h, ideal_word(0, h) >> 32, 0};
}

static struct walk word_and_product(uint64_t base, uint64_t i)
{
    uint64_t h = ideal_word(base, i);
    return (struct walk){h, (h >> 32) * 0x517CC1B727220A95u, h};
}

/* From probe i to probe i + 1, i = 1 for the first. */
static struct walk add(struct walk w, unsigned i)
{
    (void)i;
    return (struct walk){w.at + w.step, w.step, 0};
}

static struct walk add_in_32_bits(struct walk w, unsigned i)
{
    (void)i;
    return (struct walk){(w.at + w.step) & 0xFFFFFFFF, w.step, w.first};
}

static struct walk add_and_grow(struct walk w, unsigned i)
{
    return (struct walk){w.at + w.step, w.step + (i - 1), 0};
}

static struct walk add_and_grow_at_once(struct walk w, unsigned i)
{
    return (struct walk){w.at + w.step, w.step + i, 0};
}

static struct walk add_and_multiply(struct walk w, unsigned i)
{
    return (struct walk){w.at + w.step, w.step * i, w.first};
}

static uint64_t anywhere(struct walk w, uint64_t m)
{
    return w.at % m;
}

/* Of m / 512 lines, of which there is one at least. */
static uint64_t in_a_line(struct walk w, uint64_t m)
{
    return (w.first % (m < 512 ? 1 : m / 512) * 512 + w.at % 512) % m;
}

static const struct scheme {
    struct walk (*start)(uint64_t base, uint64_t i);
    struct walk (*next)(struct walk, unsigned i);
    uint64_t (*bit)(struct walk, uint64_t m);
} schemes[] = {
    [FB_SCHEME_WRAPPED] = {two_words, add, anywhere},
    [FB_SCHEME_WRAPPED_POW2] = {two_words, add, anywhere},
    [FB_SCHEME_ROTATE17] = {word_and_rotation, add_in_32_bits, anywhere},
    [FB_SCHEME_MULTIPLIED_STEP] = {word_and_product, add_and_multiply, anywhere},
    [FB_SCHEME_WRAPPED_32] = {word_and_mix, add_in_32_bits, anywhere},
    [FB_SCHEME_ENHANCED] = {two_words, add_and_grow, anywhere},
    [FB_SCHEME_ROTATE17_LINE] = {word_and_rotation, add_in_32_bits, in_a_line},
    [FB_SCHEME_ENHANCED_REDUCED] = {two_short_words, add_and_grow_at_once, anywhere},
    [FB_SCHEME_MULTIPLIED_STEP_LINE] = {word_and_product, add_and_multiply, in_a_line},
};

enum fb_err fb_simulate_filter(enum fb_scheme scheme, uint64_t n, uint64_t m, unsigned k,
                               uint64_t n_queries, uint64_t seed, uint64_t *events)
{
    *events = 0;
    if (scheme <= FB_SCHEME_CLOSED || scheme >= FB_N_SCHEMES)
        return FB_EINVAL;
    if (n == 0 || m == 0)
        return FB_OK;
    uint8_t *bits = calloc((size_t)(m / 8 + 1), 1);
    if (!bits)
        return FB_ENOMEM;

    const struct scheme s = schemes[scheme];
    uint64_t keys = ideal_word(seed, 0), queries = ideal_word(seed, 1);
    for (uint64_t i = 0; i < n; i++) {
        struct walk w = s.start(keys, i);
        for (unsigned j = 1; j <= k; j++, w = s.next(w, j - 1)) {
            uint64_t bit = s.bit(w, m);
            bits[bit / 8] |= (uint8_t)(1 << bit % 8);
        }
    }
    for (uint64_t i = 0; i < n_queries; i++) {
        struct walk w = s.start(queries, i);
        unsigned j = 1;
        for (; j <= k; j++, w = s.next(w, j - 1)) {
            uint64_t bit = s.bit(w, m);
            if (!(bits[bit / 8] >> bit % 8 & 1))
                break;
        }
        *events += j > k;
    }
    free(bits);
    return FB_OK;
}

/* Relative excess over independent probes below which the closed form is used. */
#define NEGLIGIBLE 0.002

/*
 * For sums that wrap at 2^64 the excess of textbook double hashing is a bound: each wrap shifts the
 * progression by 2^64 mod m, which undoes coincidences and makes none more likely (simulated: at
 * most 0.6 of the bound); a power of two has no shift and reaches it. 32-bit words fall unevenly on
 * more than 2^26 positions (by 1/64 there, which moves the rate by less than 0.1 %). The defect of
 * the rotated word does not vanish with size, nor do progressions within a line. A growing step
 * breaks the progressions up further: at 100 keys and 10 bits it leaves 1 % of excess where the
 * bound is 17 %.
 */
double fb_scheme_excess(enum fb_scheme scheme, uint64_t n, uint64_t m, unsigned k)
{
    if (scheme == FB_SCHEME_CLOSED || n == 0 || m == 0)
        return 0;
    if (scheme == FB_SCHEME_ROTATE17 || schemes[scheme].bit == in_a_line ||
        (scheme == FB_SCHEME_WRAPPED_32 && m > 1 << 26))
        return INFINITY;
    return scheme == FB_SCHEME_MULTIPLIED_STEP ? fb_multiplied_step_excess(n, m, k)
                                               : fb_double_hashing_excess(n, m, k);
}

bool fb_scheme_needs_simulation(enum fb_scheme scheme, uint64_t n, uint64_t m, unsigned k)
{
    const double excess = fb_scheme_excess(scheme, n, m, k);
    return excess > 0 && excess > NEGLIGIBLE * fb_bloom_fpr(n, m, k);
}

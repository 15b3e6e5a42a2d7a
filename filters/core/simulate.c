#include "filters/core/simulate.h"

#include <math.h>
#include <stdlib.h>

#include "filters/core/bits.h"

enum { LINE_BITS = 512 };

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

/* What bits are picked from. */
struct array {
    struct fb_divisor bits, lines; /* lines: of 512 bits, one at least */
};

static uint64_t anywhere(struct walk w, const struct array *a)
{
    return fb_mod(w.at, a->bits);
}

static uint64_t in_a_line(struct walk w, const struct array *a)
{
    const uint64_t bit = fb_mod(w.first, a->lines) * LINE_BITS + w.at % LINE_BITS;
    return bit < a->bits.m ? bit : fb_mod(bit, a->bits); /* less than a line */
}

struct trial {
    struct array array;
    uint8_t *bits;
    uint64_t n, n_queries, seed;
    unsigned k;
};

/* Queries that pass. Inlined, so that each scheme has loops of its own. */
__attribute__((always_inline)) static inline uint64_t
passes(const struct trial *trial, struct walk start(uint64_t, uint64_t),
       struct walk next(struct walk, unsigned), uint64_t place(struct walk, const struct array *))
{
    const struct trial t = *trial; /* a copy: the bits cannot alias it */
    const uint64_t keys = ideal_word(t.seed, 0), queries = ideal_word(t.seed, 1);
    uint64_t events = 0;
    for (uint64_t i = 0; i < t.n; i++) {
        struct walk w = start(keys, i);
        for (unsigned j = 1; j <= t.k; j++, w = next(w, j - 1)) {
            const uint64_t bit = place(w, &t.array);
            t.bits[bit / 8] |= (uint8_t)(1 << bit % 8);
        }
    }
    for (uint64_t i = 0; i < t.n_queries; i++) {
        struct walk w = start(queries, i);
        unsigned j = 1;
        for (; j <= t.k; j++, w = next(w, j - 1)) {
            const uint64_t bit = place(w, &t.array);
            if (!(t.bits[bit / 8] >> bit % 8 & 1))
                break;
        }
        events += j > t.k;
    }
    return events;
}

#define SCHEME(name, start, next, place)                                                           \
    static uint64_t name(const struct trial *t)                                                    \
    {                                                                                              \
        return passes(t, start, next, place);                                                      \
    }
SCHEME(wrapped, two_words, add, anywhere)
SCHEME(rotate17, word_and_rotation, add_in_32_bits, anywhere)
SCHEME(multiplied_step, word_and_product, add_and_multiply, anywhere)
SCHEME(wrapped_32, word_and_mix, add_in_32_bits, anywhere)
SCHEME(enhanced, two_words, add_and_grow, anywhere)
SCHEME(rotate17_line, word_and_rotation, add_in_32_bits, in_a_line)
SCHEME(enhanced_reduced, two_short_words, add_and_grow_at_once, anywhere)
SCHEME(multiplied_step_line, word_and_product, add_and_multiply, in_a_line)
#undef SCHEME

static const struct scheme {
    uint64_t (*passes)(const struct trial *);
    bool in_lines;
} schemes[] = {
    [FB_SCHEME_WRAPPED] = {wrapped, false},
    [FB_SCHEME_WRAPPED_POW2] = {wrapped, false},
    [FB_SCHEME_ROTATE17] = {rotate17, false},
    [FB_SCHEME_MULTIPLIED_STEP] = {multiplied_step, false},
    [FB_SCHEME_WRAPPED_32] = {wrapped_32, false},
    [FB_SCHEME_ENHANCED] = {enhanced, false},
    [FB_SCHEME_ROTATE17_LINE] = {rotate17_line, true},
    [FB_SCHEME_ENHANCED_REDUCED] = {enhanced_reduced, false},
    [FB_SCHEME_MULTIPLIED_STEP_LINE] = {multiplied_step_line, true},
};

enum fb_err fb_simulate_filter(enum fb_scheme scheme, uint64_t n, uint64_t m, unsigned k,
                               uint64_t n_queries, uint64_t seed, uint64_t *events)
{
    *events = 0;
    if (scheme <= FB_SCHEME_CLOSED || scheme >= FB_N_SCHEMES)
        return FB_EINVAL;
    if (n == 0 || m == 0)
        return FB_OK;
    const uint64_t lines = m < LINE_BITS ? 1 : m / LINE_BITS;
    const struct trial t = {.array = {fb_divisor_of(m), fb_divisor_of(lines)},
                            .bits = calloc((size_t)(m / 8 + 1), 1),
                            .n = n,
                            .n_queries = n_queries,
                            .seed = seed,
                            .k = k};
    if (!t.bits)
        return FB_ENOMEM;
    *events = schemes[scheme].passes(&t);
    free(t.bits);
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
    if (scheme == FB_SCHEME_ROTATE17 || schemes[scheme].in_lines ||
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

/*
 * SeaHash 4.1: four words of state, one diffused per 8-byte word.
 *
 * Source: the seahash crate, 4.1.0, streaming hasher with its default seeds. The last 1..7 bytes of
 * the stream go into the first word without rotating the state.
 */
#include "filters/core/bits.h"
#include "filters/hash/hash.h"

struct stream {
    uint64_t a, b, c, d;
    uint64_t pending; /* the bytes fed since the last whole word, the first one lowest */
    uint64_t n_fed;
};

static inline uint64_t diffuse(uint64_t x)
{
    const uint64_t prime = UINT64_C(0x6EED0E9DA4D94A4F);
    x *= prime;
    x ^= (x >> 32) >> (x >> 60);
    return x * prime;
}

static inline void word(struct stream *s, uint64_t w)
{
    uint64_t t = diffuse(s->a ^ w);
    s->a = s->b;
    s->b = s->c;
    s->c = s->d;
    s->d = t;
}

static inline void feed(struct stream *s, const uint8_t *p, size_t len)
{
    unsigned shift = s->n_fed % 8 * 8;
    s->n_fed += len;
    for (; len >= 8; len -= 8, p += 8) {
        uint64_t w = fb_le64(p);
        word(s, s->pending | w << shift);
        s->pending = shift ? w >> (64 - shift) : 0;
    }
    for (; len > 0; len--, p++) {
        s->pending |= (uint64_t)*p << shift;
        shift += 8;
        if (shift == 64) {
            word(s, s->pending);
            s->pending = 0;
            shift = 0;
        }
    }
}

static inline uint64_t finish(const struct stream *s)
{
    uint64_t a = s->n_fed % 8 ? diffuse(s->a ^ s->pending) : s->a;
    return diffuse(a ^ s->b ^ s->c ^ s->d ^ s->n_fed);
}

void fb_seahash_twice(const void *key, size_t len, uint64_t *once, uint64_t *twice)
{
    struct stream s = {.a = UINT64_C(0x16F11FE89B0D677C),
                       .b = UINT64_C(0xB480A793D8E6C86C),
                       .c = UINT64_C(0x6FE2E5AAF078EBC9),
                       .d = UINT64_C(0x14F994A4C5259381)};
    feed(&s, key, len);
    *once = finish(&s);
    if (!twice)
        return;
    feed(&s, key, len);
    *twice = finish(&s);
}

uint64_t fb_seahash(const void *key, size_t len)
{
    uint64_t once;
    fb_seahash_twice(key, len, &once, NULL);
    return once;
}

static uint64_t unseeded(const void *key, size_t len, uint64_t seed)
{
    (void)seed;
    return fb_seahash(key, len);
}

const struct fb_hash fb_hash_seahash = {
    .name = "seahash",
    .summary = "SeaHash 4.1 with its default seeds",
    .source = "seahash crate 4.1.0",
    .bits = 64,
    .hash = unseeded,
};

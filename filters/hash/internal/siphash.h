/*
 * SipHash-c-d as a stream, for digests that hash a key behind a prefix or before a suffix.
 *
 * c rounds per 8-byte word and d at the end are constants at every call, so the compiler unrolls
 * them. Source: Aumasson & Bernstein, "SipHash: a fast short-input PRF", 2012.
 */
#ifndef FILTERBENCH_FILTERS_HASH_INTERNAL_SIPHASH_H
#define FILTERBENCH_FILTERS_HASH_INTERNAL_SIPHASH_H

#include <stddef.h>

#include "filters/core/bits.h"

struct fb_sip {
    uint64_t v[4];
    uint64_t pending; /* the bytes fed since the last whole word, the first one lowest */
    uint64_t n_fed;   /* bytes in all; n_fed % 8 of them are pending */
};

static inline struct fb_sip fb_sip_start(uint64_t k0, uint64_t k1)
{
    return (struct fb_sip){
        .v = {k0 ^ UINT64_C(0x736F6D6570736575), k1 ^ UINT64_C(0x646F72616E646F6D),
              k0 ^ UINT64_C(0x6C7967656E657261), k1 ^ UINT64_C(0x7465646279746573)}};
}

static inline void fb_sip_rounds(uint64_t v[4], int n)
{
    for (int i = 0; i < n; i++) {
        v[0] += v[1];
        v[1] = fb_rotl64(v[1], 13) ^ v[0];
        v[0] = fb_rotl64(v[0], 32);
        v[2] += v[3];
        v[3] = fb_rotl64(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = fb_rotl64(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = fb_rotl64(v[1], 17) ^ v[2];
        v[2] = fb_rotl64(v[2], 32);
    }
}

static inline void fb_sip_word(struct fb_sip *s, uint64_t word, int c)
{
    s->v[3] ^= word;
    fb_sip_rounds(s->v, c);
    s->v[0] ^= word;
}

static inline void fb_sip_feed(struct fb_sip *s, const void *bytes, size_t len, int c)
{
    const uint8_t *p = bytes;
    unsigned shift = s->n_fed % 8 * 8;
    s->n_fed += len;
    for (; len >= 8; len -= 8, p += 8) {
        uint64_t word = fb_le64(p);
        fb_sip_word(s, s->pending | word << shift, c);
        s->pending = shift ? word >> (64 - shift) : 0;
    }
    for (; len > 0; len--, p++) {
        s->pending |= (uint64_t)*p << shift;
        shift += 8;
        if (shift == 64) {
            fb_sip_word(s, s->pending, c);
            s->pending = 0;
            shift = 0;
        }
    }
}

/* The hash of what was fed; the stream itself can go on. */
static inline uint64_t fb_sip_finish(const struct fb_sip *stream, int c, int d)
{
    struct fb_sip s = *stream;
    fb_sip_word(&s, s.n_fed << 56 | s.pending, c);
    s.v[2] ^= 0xFF;
    fb_sip_rounds(s.v, d);
    return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}

#endif

#include "workloads/core/sha.h"

#include <string.h>

#include "filters/core/bits.h"

static uint32_t be32(const uint8_t *p)
{
    return __builtin_bswap32(fb_le32(p));
}

/* Feeds the message and its padding to `chunk`, 64 bytes at a time, and writes the state out. */
static void digest_of(const void *bytes, size_t n_bytes, uint32_t *state, size_t n_words,
                      void (*chunk)(uint32_t *state, const uint8_t *chunk), uint8_t *digest)
{
    uint8_t tail[128] = {0x80};
    size_t whole = n_bytes / 64 * 64, rest = n_bytes - whole;
    size_t padded = rest < 56 ? 64 : 128;
    for (size_t i = 0; i < whole; i += 64)
        chunk(state, (const uint8_t *)bytes + i);
    if (rest) {
        memcpy(tail, (const uint8_t *)bytes + whole, rest);
        tail[rest] = 0x80;
    }
    fb_put_be64(tail + padded - 8, (uint64_t)n_bytes * 8);
    for (size_t i = 0; i < padded; i += 64)
        chunk(state, tail + i);
    for (size_t i = 0; i < n_words; i++)
        fb_put_le32(digest + 4 * i, __builtin_bswap32(state[i]));
}

/* ---- SHA-1 ---- */

static void sha1_chunk(uint32_t *state, const uint8_t *chunk)
{
    static const uint32_t k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 16; i++)
        w[i] = be32(chunk + 4 * i);
    for (int i = 16; i < 80; i++)
        w[i] = fb_rotr32(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 31);
    for (int i = 0; i < 80; i++) {
        uint32_t f = i < 20              ? (b & c) | (~b & d)
                     : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
                                         : b ^ c ^ d;
        uint32_t t = fb_rotr32(a, 27) + f + e + k[i / 20] + w[i];
        e = d;
        d = c;
        c = fb_rotr32(b, 2);
        b = a;
        a = t;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

void fb_sha1(const void *bytes, size_t n_bytes, uint8_t digest[20])
{
    uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    digest_of(bytes, n_bytes, state, 5, sha1_chunk, digest);
}

/* ---- SHA-256 ---- */

static void sha256_chunk(uint32_t *state, const uint8_t *chunk)
{
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = be32(chunk + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (fb_rotr32(a, 7) ^ fb_rotr32(a, 18) ^ a >> 3) + w[i - 7] +
               (fb_rotr32(b, 17) ^ fb_rotr32(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t t1 = v[7] + (fb_rotr32(e, 6) ^ fb_rotr32(e, 11) ^ fb_rotr32(e, 25)) +
                      ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
        uint32_t t2 = (fb_rotr32(a, 2) ^ fb_rotr32(a, 13) ^ fb_rotr32(a, 22)) +
                      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void fb_sha256(const void *bytes, size_t n_bytes, uint8_t digest[32])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    digest_of(bytes, n_bytes, state, 8, sha256_chunk, digest);
}

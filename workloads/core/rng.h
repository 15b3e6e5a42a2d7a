/*
 * Counter-based random streams: word i of a stream needs no word i - 1, so any slice of a workload
 * can be made anywhere, by any thread, in any order. The same on every platform.
 *
 * A `key` in this file is the number that names a stream, as in counter-based generators. It has
 * nothing to do with the keys of a filter. Other headers call this number `stream`.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_RNG_H
#define FILTERBENCH_WORKLOADS_CORE_RNG_H

#include <stdint.h>

#include "filters/core/bits.h"
#include "filters/hash/hash.h"

/* What a stream is for; streams of different domains are independent. Never renumber. */
enum fb_domain {
    FB_DOMAIN_KEYS = 1, /* key bytes */
    FB_DOMAIN_SPLIT,    /* which keys of a file are held out */
    FB_DOMAIN_MODEL,    /* Monte Carlo predictions */
    FB_DOMAIN_TRIAL,    /* repetition of an experiment under another root */
    FB_DOMAIN_ARRIVAL,  /* which key arrives when */
    FB_DOMAIN_UPDATES,  /* which keys are written again */
    FB_DOMAIN_QUERIES,  /* absent or present, and which run */
    FB_DOMAIN_POPULAR,  /* which key of those */
    FB_DOMAIN_RANKS,    /* from rank of popularity to key */
    FB_DOMAIN_DEVICE,   /* which blocks are read */
};

/* 2^64 / golden ratio, odd: successive multiples are far apart. */
#define FB_GOLDEN64 UINT64_C(0x9E3779B97F4A7C15)

/* Returns word `counter` of the stream that `key` names. Different counters of a stream give
 * different words. */
static inline uint64_t fb_stream_word(uint64_t key, uint64_t counter)
{
    return fb_mix64(fb_mix64(counter * FB_GOLDEN64 + key) ^ fb_rotl64(key, 32));
}

/* Returns the counter of a word: fb_stream_counter(key, fb_stream_word(key, c)) == c. */
static inline uint64_t fb_stream_counter(uint64_t key, uint64_t word)
{
    for (int round = 0; round < 2; round++) { /* fb_mix64 backwards */
        word ^= word >> 33;
        word *= UINT64_C(0x9CB4B2F8129337DB);
        word ^= word >> 33;
        word *= UINT64_C(0x4F74430C22A54005);
        word ^= word >> 33;
        word = round ? word - key : word ^ fb_rotl64(key, 32);
    }
    return word * UINT64_C(0xF1DE83E19937733D); /* FB_GOLDEN64's inverse */
}

/* Returns the key that names stream number `index` of a domain, under the root seed of a run. */
static inline uint64_t fb_stream_key(uint64_t root, enum fb_domain domain, uint64_t index)
{
    return fb_stream_word(fb_stream_word(root, (uint64_t)domain), index);
}

/* Uniform on [0, n), n >= 1, from one word; the bias is n / 2^64. */
static inline uint64_t fb_uniform_below(uint64_t word, uint64_t n)
{
    return fb_mulhi64(word, n);
}

#endif

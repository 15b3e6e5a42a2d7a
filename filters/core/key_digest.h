/*
 * Digests that are the keys themselves (FB_TAKES_KEYS), for designs that hash on their own, such as
 * a foreign library.
 *
 *     word 0: the length in bytes | the bytes, then zeros
 *
 * "abc" in two words is 3, 0x636261. A length is taken modulo the longest length plus one, so any
 * words are a valid key: in two words, length 12 means 3 (12 mod 9). Bytes behind the key's end
 * have no meaning.
 */
#ifndef FILTERBENCH_FILTERS_CORE_KEY_DIGEST_H
#define FILTERBENCH_FILTERS_CORE_KEY_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the longest key, in bytes, that fits n_words words, n_words >= 1. */
static inline size_t fb_key_digest_most(unsigned n_words)
{
    return ((size_t)n_words - 1) * 8;
}

/* For the member digest of struct fb_design. A key that does not fit is cut. */
void fb_key_digest(const void *key, size_t len, unsigned n_words, uint64_t *words);

/* Returns the key of a digest, a pointer into the digest, and its length in bytes. */
static inline const uint8_t *fb_key_of_digest(const uint64_t *words, unsigned n_words, size_t *len)
{
    *len = (size_t)(words[0] % (fb_key_digest_most(n_words) + 1));
    return (const uint8_t *)(words + 1);
}

#ifdef __cplusplus
}
#endif

#endif

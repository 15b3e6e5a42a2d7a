/* SHA-256 of a block of bytes as 64 lower-case hexadecimal digits: golden files name long filters
 * by it. */
#ifndef FILTERBENCH_TESTS_SHA256_H
#define FILTERBENCH_TESTS_SHA256_H

#include <stdio.h>

#include "workloads/core/sha.h"

static inline void sha256_hex(const uint8_t *bytes, size_t n_bytes, char hex[65])
{
    uint8_t digest[32];
    fb_sha256(bytes, n_bytes, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

#endif

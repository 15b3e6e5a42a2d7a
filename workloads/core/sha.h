/* SHA-1 and SHA-256 (FIPS 180-4) of bytes in memory, for the key formats of these names. */
#ifndef FILTERBENCH_WORKLOADS_CORE_SHA_H
#define FILTERBENCH_WORKLOADS_CORE_SHA_H

#include <stddef.h>
#include <stdint.h>

void fb_sha1(const void *bytes, size_t n_bytes, uint8_t digest[20]);
void fb_sha256(const void *bytes, size_t n_bytes, uint8_t digest[32]);

#endif

/*
 * What a build may hold, for those that check results: kinds "fpr" and "kernels".
 */
#ifndef FILTERBENCH_HARNESS_FILTER_BUILD_COST_H
#define FILTERBENCH_HARNESS_FILTER_BUILD_COST_H

#include <stdint.h>

/* Bytes that no build of n keys holds beside its filter: 1 KiB a key, where binary fuse filters
 * take 34, digests of 64 words 512; and 1 MiB for tables of few keys. */
static inline uint64_t fb_build_bytes_most(uint64_t n_keys)
{
    return 1024 * n_keys + (UINT64_C(1) << 20);
}

#endif

/* What XXPH3's scalar and batched functions share. */
#ifndef FILTERBENCH_FILTERS_HASH_INTERNAL_XXPH3_H
#define FILTERBENCH_FILTERS_HASH_INTERNAL_XXPH3_H

#include <stdint.h>

/* As little-endian words. */
extern const uint64_t fb_xxph3_secret[24];

#endif

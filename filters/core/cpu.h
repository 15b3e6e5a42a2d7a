/*
 * Instruction sets: which ones this machine has, and which ones the user allows. Thread-safe.
 */
#ifndef FILTERBENCH_FILTERS_CORE_CPU_H
#define FILTERBENCH_FILTERS_CORE_CPU_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fb_isa { FB_ISA_NONE, FB_ISA_SCALAR, FB_ISA_NEON, FB_ISA_AVX2, FB_ISA_AVX512, FB_N_ISAS };

/* Returns "scalar", "neon", "avx2" or "avx512", and "none" for anything else. Static. */
const char *fb_isa_name(enum fb_isa isa);

/* True if this processor and its operating system run the instruction set. AVX-512 here means F,
 * BW, DQ and VL. Scalar is always there. */
bool fb_cpu_present(enum fb_isa isa);

/* True if fb_cpu_present() is, and the environment variable FB_DISABLE_ISA does not mask the set.
 * The variable holds names separated by commas, or "all" for everything but scalar. */
bool fb_cpu_has(enum fb_isa isa);

#ifdef __cplusplus
}
#endif

#endif

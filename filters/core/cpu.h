/*
 * Instruction sets: which this machine has, and which the user allows.
 */
#ifndef FILTERBENCH_FILTERS_CORE_CPU_H
#define FILTERBENCH_FILTERS_CORE_CPU_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fb_isa { FB_ISA_NONE, FB_ISA_SCALAR, FB_ISA_NEON, FB_ISA_AVX2, FB_ISA_AVX512, FB_N_ISAS };

/* "scalar", "neon", "avx2", "avx512"; "none" for anything else. */
const char *fb_isa_name(enum fb_isa isa);

/* True if this processor and kernel run the instruction set. AVX-512 here means F, BW, DQ and VL.
 * Scalar is always there. Thread-safe. */
bool fb_cpu_present(enum fb_isa isa);

/* The same, and the environment variable FB_DISABLE_ISA (comma-separated names, or "all" for
 * everything but scalar) does not mask it. */
bool fb_cpu_has(enum fb_isa isa);

#ifdef __cplusplus
}
#endif

#endif

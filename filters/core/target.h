/*
 * Function attributes for instruction sets beyond the compiler's default. The library is compiled
 * without -march, so that it runs on every machine. A function names its instruction set, and is
 * called only if fb_cpu_has() allows it.
 *
 *     FB_AVX2, FB_AVX512                attributes of a function
 *     FB_AVX2_INLINE, FB_AVX512_INLINE  the same, inlined into functions of that set
 *     FB_IF_AVX2(x) ...                 x where this file can be compiled to that set, else nothing
 *     FB_COMPILED_FOR(name)             name_avx512, name_avx2, name_neon or name_scalar: the best
 *                                       that the whole translation unit was compiled for (-mavx2)
 */
#ifndef FILTERBENCH_FILTERS_CORE_TARGET_H
#define FILTERBENCH_FILTERS_CORE_TARGET_H

#if defined(__x86_64__)
#include <immintrin.h>
#define FB_AVX2 __attribute__((target("avx2,bmi2,popcnt")))

#define FB_AVX512 __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl")))

#define FB_AVX2_INLINE    FB_AVX2 __attribute__((always_inline)) static inline
#define FB_AVX512_INLINE  FB_AVX512 __attribute__((always_inline)) static inline
#define FB_IF_AVX2(...)   __VA_ARGS__
#define FB_IF_AVX512(...) __VA_ARGS__
#else
#define FB_IF_AVX2(...)
#define FB_IF_AVX512(...)
#endif

#if defined(__aarch64__)
#include <arm_neon.h>
#define FB_IF_NEON(...) __VA_ARGS__
#else
#define FB_IF_NEON(...)
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) &&                      \
    defined(__AVX512VL__) && defined(__BMI__) && defined(__BMI2__) && defined(__POPCNT__)
#define FB_COMPILED_FOR(name) name##_avx512
#elif defined(__AVX2__) && defined(__BMI2__) && defined(__POPCNT__)
#define FB_COMPILED_FOR(name) name##_avx2
#elif defined(__aarch64__)
#define FB_COMPILED_FOR(name) name##_neon
#else
#define FB_COMPILED_FOR(name) name##_scalar
#endif

#endif

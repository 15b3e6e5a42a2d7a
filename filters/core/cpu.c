#include "filters/core/cpu.h"

#include <stdlib.h>
#include <string.h>

static const char *const isa_names[FB_N_ISAS] = {"none", "scalar", "neon", "avx2", "avx512"};

const char *fb_isa_name(enum fb_isa isa)
{
    return (unsigned)isa < FB_N_ISAS ? isa_names[isa] : "none";
}

bool fb_cpu_present(enum fb_isa isa)
{
    switch (isa) {
    case FB_ISA_SCALAR:
        return true;
#if defined(__x86_64__)
    case FB_ISA_AVX2:
        return __builtin_cpu_supports("avx2");
    case FB_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#elif defined(__aarch64__)
    case FB_ISA_NEON:
        return true;
#endif
    default:
        return false;
    }
}

static bool masked(enum fb_isa isa)
{
    const char *list = getenv("FB_DISABLE_ISA");
    if (!list || isa == FB_ISA_SCALAR)
        return false;
    const char *name = fb_isa_name(isa);
    while (*list) {
        size_t len = strcspn(list, ",");
        if ((len == 3 && !memcmp(list, "all", 3)) ||
            (len == strlen(name) && !memcmp(list, name, len)))
            return true;
        list += len + (list[len] == ',');
    }
    return false;
}

bool fb_cpu_has(enum fb_isa isa)
{
    return fb_cpu_present(isa) && !masked(isa);
}

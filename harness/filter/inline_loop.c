#include "harness/filter/inline_loop.h"

#include <string.h>

const struct fb_word fb_inline_form_words[] = {
    {.name = "header"}, {.name = "peer"}, {.name = "library"}, {0}};

/* Tables of inline_loops.c, which ends each with a zeroed row. */
#if defined(__aarch64__)
extern const struct fb_inline_loops fb_inline_loops_neon[];
#else
extern const struct fb_inline_loops fb_inline_loops_scalar[];
#endif
#if defined(__x86_64__)
extern const struct fb_inline_loops fb_inline_loops_avx2[], fb_inline_loops_avx512[];
#endif

static const struct fb_inline_loops *const tables[FB_N_ISAS] = {
#if defined(__aarch64__)
    [FB_ISA_NEON] = fb_inline_loops_neon,
#else
    [FB_ISA_SCALAR] = fb_inline_loops_scalar,
#endif
#if defined(__x86_64__)
    [FB_ISA_AVX2] = fb_inline_loops_avx2,
    [FB_ISA_AVX512] = fb_inline_loops_avx512,
#endif
};

const struct fb_inline_loops *fb_inline_loops_of(const char *design, enum fb_isa isa)
{
    const struct fb_inline_loops *loops = tables[isa];
    while (loops && loops->design && strcmp(loops->design, design))
        loops++;
    return loops && loops->design ? loops : NULL;
}

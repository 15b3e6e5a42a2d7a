#include "harness/store/rewrites.h"

#include <math.h>

static bool merges(enum fb_style style, const struct fb_rewritten_level *levels, size_t n, size_t i)
{
    switch (style) {
    case FB_LEVELED:
        return levels[i].number > 0;
    case FB_LAZY:
        return levels[i].number > 0 && i + 1 == n;
    case FB_UNIVERSAL:
        return i > 0;
    case FB_TIERED:
    case FB_FLAT:
        break;
    }
    return false;
}

void fb_rewrites(enum fb_style style, const struct fb_rewritten_level *levels, size_t n,
                 double flush_keys, struct fb_rewrites *out)
{
    double newer = 0;
    for (size_t i = 0; i < n; i++) {
        const double above = style == FB_UNIVERSAL ? newer : i ? levels[i - 1].keys : flush_keys;
        const double portions = levels[i].keys / above;
        out[i] = (struct fb_rewrites){1, 1};
        if (merges(style, levels, n, i))
            out[i] = (struct fb_rewrites){style == FB_UNIVERSAL ? 1 : fmax(1, (portions + 1) / 2),
                                          portions + 1};
        newer += levels[i].keys;
    }
}

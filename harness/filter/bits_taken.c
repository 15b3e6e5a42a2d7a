#include "harness/filter/bits_taken.h"

double fb_bits_taken(const struct fb_design *design, double bits)
{
    enum { N_KEYS = 1000, MOST_MORE = 100 };
    struct fb_geometry geom;
    const char *why;
    for (unsigned more = 0; more < MOST_MORE && bits > 0; more++) {
        struct fb_params params = {.bits_per_key = bits + more};
        if (!fb_params_plan(design, N_KEYS, &params, &geom, &why))
            return bits + more;
    }
    return bits;
}

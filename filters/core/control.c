#include "filters/core/internal/control.h"

enum fb_err fb_control_plan(const struct fb_params *params, uint64_t n_keys,
                            struct fb_geometry *geom, const char **why)
{
    (void)params, (void)n_keys, (void)geom, (void)why;
    return FB_OK;
}

double fb_control_never(const struct fb_geometry *geom, uint64_t n_keys)
{
    (void)geom, (void)n_keys;
    return 0;
}

double fb_control_always(const struct fb_geometry *geom, uint64_t n_keys)
{
    (void)geom, (void)n_keys;
    return 1;
}

/* The designs of tests/designs as a plugin: CMake lists them in toys.def. */
#include "filters/core/plugin.h"

#define DESIGN(id) extern const struct fb_design fb_design_##id;
#include "toys.def"
#undef DESIGN

static const struct fb_design *const designs[] = {
#define DESIGN(id) &fb_design_##id,
#include "toys.def"
#undef DESIGN
    NULL};

/* The tuning that was set last, for a test to see. */
FB_PLUGIN_EXPORT struct fb_tuning toys_tuning;

static enum fb_err note_tuning(const struct fb_tuning *tuning)
{
    toys_tuning = *tuning;
    return FB_OK;
}

const struct fb_plugin_v1 fb_plugin_v1 = {FB_PLUGIN_HEAD,
                                          .name = "toys",
                                          .revision = "tests",
                                          .designs = designs,
                                          .tuning_size = sizeof(struct fb_tuning),
                                          .tune = note_tuning};

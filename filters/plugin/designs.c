/* The built-in designs as a plugin, so that those of another revision can be loaded beside them.
 * CMake says the revision. */
#include "filters/core/plugin.h"

#define DESIGN(id) extern const struct fb_design fb_design_##id;
#include "designs.def"
#undef DESIGN

static const struct fb_design *const designs[] = {
#define DESIGN(id) &fb_design_##id,
#include "designs.def"
#undef DESIGN
    NULL};

const struct fb_plugin_v1 fb_plugin_v1 = {FB_PLUGIN_HEAD, .name = "filterbench-designs",
                                          .revision = FB_REVISION, .designs = designs,
                                          FB_PLUGIN_TUNED};

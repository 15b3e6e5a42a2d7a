/*
 * Designs in a shared object of their own, which `filterbench --plugin FILE` loads.
 *
 * A plugin exports one symbol, fb_plugin_v1, and needs nothing but this header:
 *
 *     static const struct fb_design *const designs[] = {&my_design, NULL};
 *     FB_PLUGIN_EXPORT const struct fb_plugin_v1 fb_plugin_v1 = {
 *         FB_PLUGIN_HEAD, .name = "mine", .revision = "1", .designs = designs, FB_PLUGIN_TUNED};
 *
 * What it calls of the functions declared in filters/, it brings along: link it with the library
 * libfilterbench_filters.a, of which it gets a copy of its own, whose tuning FB_PLUGIN_TUNED lets
 * the program set; a plugin without the library leaves that word out. Nothing is taken from the
 * program that loads it, so plugins of two revisions stand side by side in one process. What both
 * sides share is the layout of the structs in filter.h, and malloc: a filter's bytes are released
 * with free().
 *
 * Versions: a program loads plugins of its own major version and any minor one. A minor version
 * only adds members at the ends of struct fb_plugin_v1 and struct fb_design; a program of a later
 * minor version takes members that a plugin does not have for 0, one of an earlier version does
 * not see those it does not know. All else (struct fb_kernel, fb_filter, fb_format, fb_geometry)
 * changes with the major version alone. From 1.2 on, the last word of struct fb_build leads to the
 * count of memory. Before, build() set it to the bytes that it took: a program of 1.2 does not read
 * that, so the builds of such a plugin count as taking none.
 */
#ifndef FILTERBENCH_FILTERS_CORE_PLUGIN_H
#define FILTERBENCH_FILTERS_CORE_PLUGIN_H

#include "filters/core/filter.h"
#include "filters/core/tuning.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_PLUGIN_MAGIC UINT64_C(0x6e6967756c706266) /* "fbplugin", in little-endian bytes */
#define FB_PLUGIN_MAJOR 1
#define FB_PLUGIN_MINOR 2

struct fb_plugin_v1 {
    uint64_t magic;       /* FB_PLUGIN_MAGIC */
    uint32_t struct_size; /* of this struct, as the plugin knows it */
    uint16_t major, minor;
    uint32_t design_size; /* of struct fb_design, as the plugin knows it */
    const char *name;     /* "leveldb-library" */
    const char *revision; /* of its source or of the library behind it: "1.23"; any text */
    const struct fb_design *const *designs; /* at least one; ends with NULL */

    /* From 1.1 on. */
    uint32_t tuning_size; /* of struct fb_tuning, as the plugin knows it */
    /* fb_tuning_set of the plugin's copy of the library: called before a design is asked anything,
     * and whenever the program's tuning changes. NULL: it has none. It is not called where the
     * program knows another size. */
    enum fb_err (*tune)(const struct fb_tuning *);
};

/* The first members of a plugin's struct. */
#define FB_PLUGIN_HEAD                                                                             \
    .magic = FB_PLUGIN_MAGIC, .struct_size = sizeof(struct fb_plugin_v1),                          \
    .major = FB_PLUGIN_MAJOR, .minor = FB_PLUGIN_MINOR, .design_size = sizeof(struct fb_design)

/* The last ones, of a plugin with a copy of the library. */
#define FB_PLUGIN_TUNED .tuning_size = sizeof(struct fb_tuning), .tune = fb_tuning_set

/* A plugin is best built with -fvisibility=hidden: this symbol is then the only one seen. */
#define FB_PLUGIN_EXPORT __attribute__((visibility("default")))

extern FB_PLUGIN_EXPORT const struct fb_plugin_v1 fb_plugin_v1;

#ifdef __cplusplus
}
#endif

#endif

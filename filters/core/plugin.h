/*
 * Plugins: shared objects with designs, which `filterbench --plugin FILE` loads.
 *
 * A plugin exports one symbol, fb_plugin_v1, and must include only this header:
 *
 *     static const struct fb_design *const designs[] = {&my_design, NULL};
 *     FB_PLUGIN_EXPORT const struct fb_plugin_v1 fb_plugin_v1 = {
 *         FB_PLUGIN_HEAD, .name = "mine", .revision = "1", .designs = designs, FB_PLUGIN_TUNED};
 *
 * Linking: a plugin takes no function from the program that loads it. If it calls functions of
 * filters/, link it with libfilterbench_filters.a, of which it then has a copy of its own. So
 * plugins of two revisions can be loaded into one process. FB_PLUGIN_TUNED lets the program set
 * the tuning of that copy. A plugin without the library leaves the word out.
 *
 * Both sides share the layout of the structs in filter.h, and malloc: the program releases the
 * bytes of a plugin's filter with free().
 *
 * Versions: the plugin interface has a version of its own, FB_PLUGIN_MAJOR.FB_PLUGIN_MINOR. It is
 * unrelated to FB_VERSION, the version of the library. Comments such as "from 1.1 on" mean the
 * plugin interface.
 *
 * A program loads plugins of its own major version and of any minor version. A minor version only
 * adds members at the ends of struct fb_plugin_v1 and struct fb_design. A newer program takes
 * members that the plugin lacks for 0. An older one ignores members that it does not know. All
 * other structs change with the major version alone.
 *
 * Interface 1.2 changed one member: `heap` of struct fb_build points to the count of memory.
 * Before, build() stored there how many bytes it took. A program with interface 1.2 does not read
 * that, so it counts no memory for the builds of an older plugin.
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
    uint64_t magic;        /* FB_PLUGIN_MAGIC */
    uint32_t struct_size;  /* of this struct, as the plugin knows it */
    uint16_t major, minor; /* FB_PLUGIN_MAJOR, FB_PLUGIN_MINOR */
    uint32_t design_size;  /* of struct fb_design, as the plugin knows it */
    const char *name;      /* "leveldb-library" */
    const char *revision;  /* of its source or of the library behind it: "1.23"; any text */
    const struct fb_design *const *designs; /* at least one; ends with NULL */

    /* From 1.1 on. */
    uint32_t tuning_size; /* of struct fb_tuning, as the plugin knows it */
    /* fb_tuning_set of the plugin's copy of the library, or NULL. The program calls it before it
     * uses a design, and whenever its tuning changes. It does not call it if the program's struct
     * fb_tuning has another size. */
    enum fb_err (*tune)(const struct fb_tuning *);
};

/* The first members of a plugin's struct. */
#define FB_PLUGIN_HEAD                                                                             \
    .magic = FB_PLUGIN_MAGIC, .struct_size = sizeof(struct fb_plugin_v1),                          \
    .major = FB_PLUGIN_MAJOR, .minor = FB_PLUGIN_MINOR, .design_size = sizeof(struct fb_design)

/* The last members, for a plugin with a copy of the library. */
#define FB_PLUGIN_TUNED .tuning_size = sizeof(struct fb_tuning), .tune = fb_tuning_set

/* Build a plugin with -fvisibility=hidden, so that this symbol is the only one it exports. */
#define FB_PLUGIN_EXPORT __attribute__((visibility("default")))

extern FB_PLUGIN_EXPORT const struct fb_plugin_v1 fb_plugin_v1;

#ifdef __cplusplus
}
#endif

#endif

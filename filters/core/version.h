/*
 * The version of the library and of the program. It stands here and nowhere else. A program that
 * was compiled with 1.0.0 runs with the shared library of any 1.x. docs/versions.md has the rest.
 */
#ifndef FILTERBENCH_FILTERS_CORE_VERSION_H
#define FILTERBENCH_FILTERS_CORE_VERSION_H

#define FB_VERSION_MAJOR 1
#define FB_VERSION_MINOR 0
#define FB_VERSION_PATCH 0

#define FB_VERSION FB_VERSION_DOTS(FB_VERSION_MAJOR, FB_VERSION_MINOR, FB_VERSION_PATCH)

#define FB_VERSION_DOTS(a, b, c) FB_VERSION_TEXT(a, b, c)
#define FB_VERSION_TEXT(a, b, c) #a "." #b "." #c

#endif

/*
 * The version of these headers. While the major version is 0, a minor version may change the
 * structs: a program compiled with 0.1.0 runs with 0.1.1, but not with 0.2.0.
 */
#ifndef FILTERBENCH_FILTERS_CORE_VERSION_H
#define FILTERBENCH_FILTERS_CORE_VERSION_H

#define FB_VERSION_MAJOR 0
#define FB_VERSION_MINOR 1
#define FB_VERSION_PATCH 0
#define FB_VERSION       "0.1.0"

#endif

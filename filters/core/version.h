/*
 * The version that these headers belong to. While the major one is 0, a minor one may change what
 * a program was compiled against: 0.2.x does not run in place of 0.1.x, 0.1.1 does of 0.1.0.
 */
#ifndef FILTERBENCH_FILTERS_CORE_VERSION_H
#define FILTERBENCH_FILTERS_CORE_VERSION_H

#define FB_VERSION_MAJOR 0
#define FB_VERSION_MINOR 1
#define FB_VERSION_PATCH 0
#define FB_VERSION       "0.1.0"

#endif

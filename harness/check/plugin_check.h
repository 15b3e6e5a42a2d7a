/*
 * A plugin held to the contract of designs, in a process of its own: one that crashes there, or
 * comes to no end, takes nothing with it, and the part at which it did is named.
 */
#ifndef FILTERBENCH_HARNESS_CHECK_PLUGIN_CHECK_H
#define FILTERBENCH_HARNESS_CHECK_PLUGIN_CHECK_H

#include <jansson.h>

#include "harness/base/exit.h"

/*
 * {"plugin", "name", "revision", "code", "designs": [{"design", "holds", "parts_held", "code",
 * "wrong", "parts": [{"part", "summary", "holds", "code", "why"}]}]}. The codes are equal on every
 * machine and for every instruction set; a code is null where a part does not hold, and so is the
 * `why` of one that does. FB_EXIT_PLUGIN where there is no report, with a line on stderr: the
 * plugin cannot be loaded; and where a part does not hold, with a line for each.
 * limit_s: processor time that loading, or a part of a design, may take; above 0.
 */
enum fb_exit fb_plugin_check(const char *path, double limit_s, json_t **report);

#endif

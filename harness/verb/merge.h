/* What merge and study do with files. */
#ifndef FILTERBENCH_HARNESS_VERB_MERGE_H
#define FILTERBENCH_HARNESS_VERB_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/exit.h"

/* Checks n results and writes what they are merged to `output`; NULL: stdout. With `partial` prints
 * the tables of what there is instead. A line on stderr. */
enum fb_exit fb_merge_files(size_t n, char **paths, bool partial, const char *output);

#endif

/* A result document of kind "fpr", derived again from its counts. */
#ifndef FILTERBENCH_HARNESS_CHECK_FPR_H
#define FILTERBENCH_HARNESS_CHECK_FPR_H

#include "harness/result.h"

/* FB_EXIT_CORRECTNESS with a line on stderr where the document says otherwise or has false
 * negatives, FB_EXIT_USAGE where it cannot be read. */
enum fb_exit fb_fpr_check(const char *path, const json_t *document);

#endif

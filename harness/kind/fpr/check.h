/* A result document of kind "fpr", derived again from its counts. */
#ifndef FILTERBENCH_HARNESS_KIND_FPR_CHECK_H
#define FILTERBENCH_HARNESS_KIND_FPR_CHECK_H

#include "harness/document/result.h"

/* FB_EXIT_CORRECTNESS with a line on stderr where the document says otherwise or has false
 * negatives, FB_EXIT_USAGE where it cannot be read. */
enum fb_exit fb_fpr_check(const char *path, const json_t *document);

#endif

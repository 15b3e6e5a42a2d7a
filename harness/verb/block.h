/*
 * Filters as blocks on disk: what build, query and inspect share.
 */
#ifndef FILTERBENCH_HARNESS_VERB_BLOCK_H
#define FILTERBENCH_HARNESS_VERB_BLOCK_H

#include <jansson.h>

#include "filters/core/filter.h"
#include "harness/base/exit.h"

/* The named block format of a design, its native one for NULL; prints and returns NULL where there
 * is none. */
const struct fb_format *fb_block_format(const struct fb_design *, const char *name);

/* Reads the file as the real system's reader would. Exit codes as fb_file_read, and
 * FB_EXIT_USAGE for a block that the reader rejects. */
enum fb_exit fb_block_load(const struct fb_design *, const struct fb_format *, const char *path,
                           struct fb_filter *out, uint64_t *n_bytes);

/* Why a design refuses keys (FB_EUNSUPPORTED). */
const char *fb_keys_refused(const struct fb_design *);

/* What the reader makes of the block: "probes", "always yes", "always no". */
const char *fb_filter_answers(const struct fb_filter *);

json_t *fb_geometry_json(const struct fb_filter *);

/* {predicted_fpr, predicted_fpr_95, random_keys_asked}: what the filter answers of random keys,
 * none of which it holds. */
json_t *fb_filter_prediction(const struct fb_filter *);

#endif

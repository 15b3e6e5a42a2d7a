/*
 * Times of lookups in a document, derived from its samples.
 *
 * Cells of one batch ("timed.batch") were measured in the same rounds: a batch is a part of the
 * group that the document's times make up (group.h), and its cells are one series. So the clock is
 * one of all batches, and so is the memory of the noise, which each batch of 16 processes tells
 * something of.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_TIMES_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_TIMES_H

#include "harness/document/kind.h"

/* unit and why_none of fb_group_time_json. */
#define FB_LSM_TIME_UNIT  "ns_per_query"
#define FB_LSM_TIME_ALONE "it is the control or the first of its cell"

/* The same of builds. Their times are a group of their own, whose parts are the batches, too. */
#define FB_LSM_BUILD_UNIT  "ns_per_key"
#define FB_LSM_BUILD_ALONE "a build is held against none"

/* Sets the times of all cells, and what follows from them in "timing". False with *problem set
 * where samples cannot be read. */
bool fb_lsm_derive_times(json_t *document, struct fb_problem *problem);

#endif

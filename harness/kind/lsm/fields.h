/*
 * What the fields of experiments of kind "lsm" (fields.c) are read by, beside the readers that
 * all kinds share.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_FIELDS_H
#define FILTERBENCH_HARNESS_KIND_LSM_FIELDS_H

#include "harness/document/fields.h"

/* Names of an enumeration or of a table; in the plural a list of them. */
fb_read_fn fb_lsm_read_unit, fb_lsm_read_policy, fb_lsm_read_index_residency, fb_lsm_read_styles,
    fb_lsm_read_orders, fb_lsm_read_residencies, fb_lsm_read_absent_kinds, fb_lsm_read_allocations,
    fb_lsm_read_lookups;
/* Texts with a grammar of their own. */
fb_read_fn fb_lsm_read_holder, fb_lsm_read_popularity, fb_lsm_read_device, fb_lsm_read_formats,
    fb_lsm_read_prefixes;
/* Lists of what an element is read by in other kinds. */
fb_read_fn fb_lsm_read_counts, fb_lsm_read_sizes, fb_lsm_read_hashes, fb_lsm_read_flags;
/* A number for each level, in order, repeats kept; the object of --ci, as it is. */
fb_read_fn fb_lsm_read_levels, fb_lsm_read_ci;

#endif

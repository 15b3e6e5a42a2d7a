/*
 * Scans of a prefix, counted. A scan looks at every run, there at every file (or part of a file
 * with a filter of its own) whose range of keys meets the prefix, and asks its filter. Unless the
 * filter denies the prefix, the block where the prefix starts is read. There is no cache.
 *
 * Expected reads: sum over runs of r_i (has_i + (1 - has_i) f_i), r_i = P(some file's range meets
 * the prefix), has_i = P(it has such a key | its range meets the prefix), f_i the false-positive
 * rate of prefixes.
 */
#ifndef FILTERBENCH_HARNESS_TREE_PREFIX_PATH_H
#define FILTERBENCH_HARNESS_TREE_PREFIX_PATH_H

#include "harness/tree/ask.h"
#include "harness/tree/read_counts.h"

/*
 * Counts the scans: scan i is for all keys with the prefix of the key of query i; where that key is
 * outside the domain, for all keys that begin with it. Filters are asked if the forest was built
 * with this prefix; if it was built without one, no filter helps.
 *
 * The tree must be listed and its keys sort as their indices (key files, ordered formats), else
 * FB_EUNSUPPORTED; FB_EINVAL for another prefix than the forest's; both with *why set. *complete is
 * false when interrupted: out->scans < ask->n of them are counted.
 */
enum fb_err fb_prefix_path_count(const struct fb_ask *, const struct fb_prefix *,
                                 struct fb_scan_counts *out, bool *complete,
                                 const char **why) FB_MUST_USE;

#endif

/*
 * What someone finds who knows the hash of a tree's filters: absent keys that pass them.
 */
#ifndef FILTERBENCH_HARNESS_TREE_ADVERSARY_H
#define FILTERBENCH_HARNESS_TREE_ADVERSARY_H

#include "harness/tree/forest.h"

/* Tries absent keys one after another, at most 2^24 of them, and writes the indices of those that
 * pass some filter to found [most]; *n_found says how many. Looks no further once interrupted
 * (harness/base/parallel.h). */
enum fb_err fb_adversary_find(const struct fb_forest *, size_t most, uint64_t *found,
                              size_t *n_found) FB_MUST_USE;

#endif

/* What building filters costs in the life of a tree: of a cell of kind "lsm". */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_BUILDING_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_BUILDING_H

#include "harness/kind/lsm/report/report.h"

/*
 * "building" of a cell, from "build", "runs" and "tree". Per ingested key, at each level and
 * together:
 *
 *     rewrites      how often its filter is built, {low, high} (store/rewrites.h)
 *     filter_bytes  written: bytes of filters per key there x rewrites
 *     hashed_bytes  of keys: mean bytes of a key x rewrites; null where filters hold prefixes
 *     cpu_ns        of building: ns per key, hashing included, x rewrites; null where not timed
 *
 * Levels without filters write and hash nothing. cpu_ns_ci95 takes the ends of the intervals of all
 * times together. The compaction of a trace was gone through, so the rewrites of its keys are known
 * together, and not by level.
 */
json_t *fb_lsm_building(const json_t *cell);

/* "build" where it does not fit the other facts of a cell; NULL: it does. */
const char *fb_lsm_wrong_build(const struct fb_lsm *, const struct fb_lsm_cell *planned,
                               const json_t *cell);

/* Of all cells as a table (building_table.c). */
void fb_lsm_building_table(FILE *, const json_t *document, enum fb_table_style);

#endif

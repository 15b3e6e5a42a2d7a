/*
 * A design as an engine's filter policy: its filters are built from the keys that the engine gives,
 * and lie in the engine's tables as the design's native block.
 *
 * A filter is read when it is asked for the first time, and known by its address from then on: the
 * engine keeps its tables open, so the address stays that of this filter until the database is
 * closed. A policy serves one opened database.
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_POLICY_H
#define FILTERBENCH_HARNESS_ENGINE_POLICY_H

#include "filters/core/filter.h"
#include "harness/engine/driver.h"
#include "harness/engine/sizes.h"

struct fb_policy_filter;

/* Not to be moved or copied: policy.self points at it. */
struct fb_policy {
    struct fb_engine_policy policy;
    struct fb_sizes sizes;
    struct fb_policy_filter *filters; /* [room], by address; owned */
    size_t n, room;                   /* room is a power of two, or 0 */
    enum fb_err err;                  /* the first thing that failed; FB_OK: nothing did */
    const char *why;                  /* or NULL */
    char name[80];
};

/* NULL, or why the design cannot be a policy: "it has no block format". */
const char *fb_policy_why_not(const struct fb_design *);

/* Named `name`; NULL: "filterbench.DESIGN". */
void fb_policy_open(const struct fb_design *, const struct fb_params *, const char *name,
                    struct fb_policy *out);
void fb_policy_close(struct fb_policy *);

#endif

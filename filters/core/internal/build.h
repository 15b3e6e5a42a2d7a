/* What the sources of filters/core share about builds. */
#ifndef FILTERBENCH_FILTERS_CORE_INTERNAL_BUILD_H
#define FILTERBENCH_FILTERS_CORE_INTERNAL_BUILD_H

#include "filters/core/filter.h"

/* Fills in digest_words and range of a geometry, and checks its limits: FB_EINVAL, with *why. */
enum fb_err fb_geometry_settle(const struct fb_design *, struct fb_geometry *,
                               const char **why) FB_MUST_USE;

/* fb_filter_build_digests of the design, hash and params of `asked`. build->heap counts on from
 * what it holds. After FB_EFULL build->placed says how many keys found a place in the last
 * attempt. */
enum fb_err fb_filter_build_from(const struct fb_filter *asked, struct fb_build *,
                                 struct fb_filter *out, const char **why) FB_MUST_USE;

#endif

/*
 * What a document says of a member's time, and back. Samples are [[a value per round] per process].
 */
#ifndef FILTERBENCH_HARNESS_MEASURE_GROUP_JSON_H
#define FILTERBENCH_HARNESS_MEASURE_GROUP_JSON_H

#include <jansson.h>

#include "harness/measure/group.h"

/* {unit, clock, median, min, mean, mad, ci95, ratio_to, ratio, ratio_ci95, ratio_ci99, sd_process,
 * sd_round, retries, flagged_rounds, processes, rounds, independent, samples_ns, samples_cpu_ns,
 * sample_retries, sample_flags}; independent only where it is true. `to` names the member that the
 * ratio is taken to; NULL: there is none, and why. */
json_t *fb_group_time_json(const struct fb_group *, size_t member, const char *unit, const char *to,
                           const char *why_none);

/* The samples of such an object into the member: as many processes as its part has, as many rounds
 * as the group. False if they are not there. */
bool fb_group_time_read(const json_t *, struct fb_group *, size_t member);

/* The time of a member in a document. */
struct fb_group_place {
    json_t *object;   /* borrowed, */
    const char *name; /* and its member */
    const char *id;   /* of its cell */
    uint32_t part, series;
    int32_t to;          /* as in struct fb_member; members of other parts are refused */
    const char *to_name; /* what "ratio_to" says; NULL: nothing */
};

/* A group of n members and n_parts, its samples and estimates from these times. NULL, or the id of
 * a cell whose samples cannot be read. Close the group in either case. */
const char *fb_group_read(struct fb_group *, const struct fb_group_place *, size_t n,
                          size_t n_parts);

/* Sets the times again, from the estimates. */
void fb_group_write(const struct fb_group *, const struct fb_group_place *, const char *unit,
                    const char *why_none);

/* Adds {processes, rounds, clock, memory, independent, widest_half_width} of the group; independent
 * only where it is true. */
void fb_group_timing_json(const struct fb_group *, json_t *timing);

/* Adds {samples, samples_with_gap, samples_preempted, batches_repeated} of all members. */
void fb_group_noise_json(const struct fb_group *, json_t *noise);

#endif

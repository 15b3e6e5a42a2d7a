/*
 * What a machine makes of comparisons whose outcome is known: its profile, which `calibrate` makes
 * and `ab` judges by.
 *
 * A comparison is one `ab`, seen from outside by its exit code: of the built-in designs with
 * themselves, where exit 1 is a false alarm, or with a revision that is slower by a known share,
 * where exit 1 is right. From them follow
 *
 *     floor         of a footprint: what equal code has shown. q is the largest |estimate| over its
 *                   standard error, as if processes were independent. Up to 5 they are, as far as
 *                   one can see, and the floor is 0. Beyond, it is a quarter more than the largest
 *                   |estimate|. Where each side has one link it always is: equal code in another
 *                   place was seen 8 % slower in all processes.
 *     false alarms  how many, of how many comparisons, and the share that they may be at most
 *                   (Clopper-Pearson, 95 %, one-sided): 0 of 300 are at most 1 %
 *     power         how many of those with a slower revision were found
 *
 * The file is JSON: what the machine is, and a row for each comparison. All else is derived from
 * the rows whenever the file is read. It is the machine's file "machine" (fb_machine_file).
 */
#ifndef FILTERBENCH_HARNESS_KIND_AB_PROFILE_H
#define FILTERBENCH_HARNESS_KIND_AB_PROFILE_H

#include <jansson.h>

#include "harness/base/exit.h"
#include "harness/filter/footprint.h"

/* Cells of equal designs, measured by a second set, below which nothing is calibrated. */
enum { FB_PROFILE_LEAST = 1200 };

/* Of a footprint that nobody has measured where each side has one link. */
#define FB_PROFILE_ONE_LINK 0.10

/* A profile without comparisons. */
json_t *fb_profile_new(void);

/* FB_EXIT_USAGE with a line on stderr where the file is no profile; FB_EXIT_NOT_COMPARABLE where it
 * is another machine's. *profile is NULL with FB_EXIT_OK where there is no file. */
enum fb_exit fb_profile_load(const char *path, json_t **profile);

/* Whether an exit code of `ab` is that of a comparison. */
bool fb_profile_takes(int code);

/* Adds a comparison. `document`: of the ab. `plant`: what makes HEAD slower, "batch_40"; "": the
 * designs are equal. `load`: another processor was busy. */
void fb_profile_add(json_t *profile, const json_t *document, const char *plant, bool load, int code,
                    double seconds);

/* Comparisons with this plant that the profile has. */
size_t fb_profile_count(const json_t *profile, const char *plant);

/* Cells of equal designs that it has. */
size_t fb_profile_cells(const json_t *profile);

/*
 * What `ab` takes over into its document, to be released:
 *
 *     {"machine": KEY, "comparisons": 20, "cells": 1480, "false_alarms": 0,
 *      "floors": {"L1": 0, "L2": 0.021}, "one_link_floors": {"L1": 0.05},
 *      "power": [{"plant": "batch_40", "cell": "sbbf-256/L1/batch", "size": 0.034,
 *                "comparisons": 10, "found": 10}]}
 *
 * size: the median, over all these comparisons, of the ratio less 1 that their processes have seen
 */
json_t *fb_profile_summary(const json_t *profile);

/* The floor of a footprint, where each process has links of its own or not. `summary` NULL: of a
 * machine without a profile. */
double fb_profile_floor(const json_t *summary, bool links, enum fb_footprint);

/* The share of false alarms is at most this (Clopper-Pearson, 95 %); NaN where nothing is known. */
double fb_profile_alarms_at_most(const json_t *summary);

/* "0 of 300 comparisons of equal designs were false alarms (at most 1 %, 95 % sure); 5.1 % slower
 * was found in 40 of 40". What is slower by no more than delta is left out: it is not asked for. */
void fb_profile_say(const json_t *summary, double delta, char *out, size_t size);

#endif

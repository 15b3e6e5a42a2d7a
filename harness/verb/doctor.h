/*
 * What this machine can measure, now. Each function returns one part of the report as an object;
 * what cannot be known is null, with the reason beside it (environment.h).
 */
#ifndef FILTERBENCH_HARNESS_VERB_DOCTOR_H
#define FILTERBENCH_HARNESS_VERB_DOCTOR_H

#include <jansson.h>

#include "harness/measure/clock.h"

/* {clock_source, overhead_ns, quantum_ns, single_operation_ns}: the last is the shortest single
 * operation whose time is more than the clock's grain, five quanta. */
json_t *fb_doctor_timer(const struct fb_timer_quality *);

/* {spun_s, gaps_per_s, stolen_ratio, longest_gap_us, ...}: reads the clock for 0.3 s; a gap is more
 * than 10 us between two readings, time that this thread did not get. */
json_t *fb_doctor_noise(const struct fb_clock *);

/* Processor, hypervisor, caches, settings, instruction sets, counters, pinning to `cpu` (-1: not
 * possible). */
json_t *fb_doctor_machine(int cpu);

/*
 * The smallest difference that would show: one kernel as two candidates through the complete
 * pipeline, in footprints L1 and L3. {clock, took_s, pairs: [{footprint, filter_bytes, processes,
 * ns, ln_ratio, half_width, largest_ln_ratio, resolves_ratio}]}: the estimate of the ratio of a
 * thing to itself, half of its 95 % interval, the largest of one process, and the end of the
 * interval that is farther from 1. NULL when interrupted or, with a line on stderr, failed. At most
 * about budget_s, but never fewer than six processes.
 */
json_t *fb_doctor_resolution(const struct fb_timer_quality *, int cpu, double budget_s);

#endif

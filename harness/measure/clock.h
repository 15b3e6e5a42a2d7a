/*
 * Clocks, as values: the measurement core takes one, so that tests can feed it drift, pre-emption
 * and a coarse timer.
 */
#ifndef FILTERBENCH_HARNESS_MEASURE_CLOCK_H
#define FILTERBENCH_HARNESS_MEASURE_CLOCK_H

#include <stdint.h>

struct fb_clock {
    void *self;
    uint64_t (*wall_ns)(void *self);     /* monotonic */
    uint64_t (*cpu_ns)(void *self);      /* of this thread; about 0.5 us a call */
    uint64_t (*preemptions)(void *self); /* involuntary context switches of this thread so far */
};

/* CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID and getrusage. Where the system counts no involuntary
 * switches of a thread, preemptions stays 0. */
extern const struct fb_clock fb_system_clock;

struct fb_timer_quality {
    double overhead_ns; /* median of back-to-back reads */
    double quantum_ns;  /* what all differences are multiples of, rounding to ns aside */
};

/* Seconds of the system's wall clock since a moment that stays the same while the process runs. */
double fb_seconds(void);

/* Reads the wall clock a million times. */
struct fb_timer_quality fb_clock_quality(const struct fb_clock *);

#endif

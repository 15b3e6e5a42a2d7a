/*
 * The processor's own event counters, through perf_event_open. Virtual machines and containers
 * often have none: then nothing is counted and `why` says what the system answered.
 */
#ifndef FILTERBENCH_HARNESS_MEASURE_COUNTERS_H
#define FILTERBENCH_HARNESS_MEASURE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

enum { FB_N_COUNTERS = 5 };
/* "cycles", "instructions", "branch_misses", "cache_misses", "dtlb_misses" */
extern const char *const fb_counter_names[FB_N_COUNTERS];

struct fb_counters {
    uint64_t ops;                 /* operations counted; 0: none were */
    double per_op[FB_N_COUNTERS]; /* user space only; NaN where the event does not exist */
};

/* Of this thread, stopped at 0; fd -1 where an event does not exist. False, with why [n_why] set,
 * when there is not even a counter of cycles. Close in either case. */
bool fb_counters_open(int fd[FB_N_COUNTERS], char *why, unsigned n_why);
void fb_counters_start(const int fd[FB_N_COUNTERS]);
void fb_counters_stop(const int fd[FB_N_COUNTERS]);
/* Counts since opening, scaled where the processor had to share its counters; NaN for fd -1. */
void fb_counters_read(const int fd[FB_N_COUNTERS], double count[FB_N_COUNTERS]);
void fb_counters_close(int fd[FB_N_COUNTERS]);

#endif

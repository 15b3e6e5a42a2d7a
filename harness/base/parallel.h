/*
 * Tasks over all cores. Tasks are numbered; whoever is free takes the next number, so nothing a
 * task computes may depend on which thread runs it.
 */
#ifndef FILTERBENCH_HARNESS_BASE_PARALLEL_H
#define FILTERBENCH_HARNESS_BASE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

#include "filters/core/base.h"

/* Online processors this process may run on, at least 1. */
unsigned fb_parallel_cores(void);

/* Threads where nobody asks for a number: one per core, but no more than a scheduler gives, as
 * FILTERBENCH_THREADS (scripts/cluster) or SLURM_CPUS_PER_TASK says. Counts do not depend on it. */
unsigned fb_parallel_threads(void);

/*
 * Runs task(arg, 0) .. task(arg, n - 1) on n_threads threads (0: fb_parallel_threads). A task that
 * returns an error stops the handing out of further ones; the error of the lowest-numbered failing
 * task is returned. Tasks stop being handed out once fb_interrupted() is true, and may then end
 * early. *complete: all of them ran, and nobody interrupted.
 */
enum fb_err fb_parallel_for(size_t n, unsigned n_threads, enum fb_err (*task)(void *arg, size_t i),
                            void *arg, bool *complete) FB_MUST_USE;

/* True after SIGINT, SIGTERM or SIGHUP, once main has installed the handlers. The first signal sets
 * the flag (a blocking read or write returns EINTR), a second one kills. A run that has not ended
 * 0.8 s after the first is ended, as SIGALRM (temporary.h): not every step can be left early, and
 * its journal has what was finished. Installing clears the flag. */
bool fb_interrupted(void);
void fb_interrupt_install(void);

#endif

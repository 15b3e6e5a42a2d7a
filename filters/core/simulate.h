/*
 * False-positive rates by simulation, for designs whose probes depend on each other in ways that no
 * closed form covers. The simulation draws ideal hash words from a counter-based generator.
 *
 * It shares no code with the designs, so that one fault cannot hide in both. It takes positions by
 * the modulo operator and uses one byte per bit.
 *
 * All functions are deterministic and thread-safe.
 */
#ifndef FILTERBENCH_FILTERS_CORE_SIMULATE_H
#define FILTERBENCH_FILTERS_CORE_SIMULATE_H

#include "filters/core/base.h"
#include "filters/core/theory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills one filter of m bits and k probes with n ideal keys, asks it n_queries absent digests, and
 * sets *events to the number of false positives. The arguments alone decide the result. FB_EINVAL:
 * the scheme is FB_SCHEME_CLOSED. FB_ENOMEM: memory is lacking. */
enum fb_err fb_simulate_filter(enum fb_scheme scheme, uint64_t n, uint64_t m, unsigned k,
                               uint64_t n_queries, uint64_t seed, uint64_t *events) FB_MUST_USE;

/* Returns how far the rate may exceed that of independent probes. It is 0 for FB_SCHEME_CLOSED and
 * infinite if only a simulation can tell. */
double fb_scheme_excess(enum fb_scheme scheme, uint64_t n, uint64_t m, unsigned k);

/* False if the closed form is within 0.2 % of the rate, as it is for large n. FB_SCHEME_ROTATE17
 * and FB_SCHEME_ROTATE17_LINE always need a simulation. */
bool fb_scheme_needs_simulation(enum fb_scheme scheme, uint64_t n, uint64_t m, unsigned k);

#ifdef __cplusplus
}
#endif

#endif

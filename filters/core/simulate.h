/*
 * Monte Carlo over ideal hash words: the prediction for designs whose probes depend on each other
 * in ways no closed form covers. Written from the scheme's definition and sharing no code with the
 * designs: positions by the modulo operator, one byte per bit, words from a counter-based
 * generator.
 */
#ifndef FILTERBENCH_FILTERS_CORE_SIMULATE_H
#define FILTERBENCH_FILTERS_CORE_SIMULATE_H

#include "filters/core/base.h"
#include "filters/core/theory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* False positives of one filter, with n ideal keys, m bits and k probes, asked n_queries absent
 * digests. Deterministic in (all arguments). Thread-safe. About 10 ns a probe and m / 8 bytes.
 * FB_EINVAL for FB_SCHEME_CLOSED, FB_ENOMEM. */
enum fb_err fb_simulate_filter(enum fb_scheme scheme, uint64_t n, uint64_t m, unsigned k,
                               uint64_t n_queries, uint64_t seed, uint64_t *events) FB_MUST_USE;

/* How far the rate may exceed that of independent probes; 0 for FB_SCHEME_CLOSED, infinite where
 * only a simulation tells. */
double fb_scheme_excess(enum fb_scheme scheme, uint64_t n, uint64_t m, unsigned k);

/* False where the closed form is accurate to better than 0.2 % of the rate, so that no simulation
 * is needed: large n, except for FB_SCHEME_ROTATE17 and FB_SCHEME_ROTATE17_LINE, which always need
 * one. */
bool fb_scheme_needs_simulation(enum fb_scheme scheme, uint64_t n, uint64_t m, unsigned k);

#ifdef __cplusplus
}
#endif

#endif
